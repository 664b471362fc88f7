"""Recipes, end to end on data that is drawn here."""
