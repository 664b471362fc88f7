"""Pixels: opening image files, whoever they come from."""
