"""Pixels: opening image files, whoever they come from, and cleaning photographs of writing."""
