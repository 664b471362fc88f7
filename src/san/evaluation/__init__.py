"""Scores of predictions against labels, as figures, tables and an HTML page."""
