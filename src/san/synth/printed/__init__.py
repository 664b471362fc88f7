"""Printed formulas: fonts, typesetting, and what a screen or a camera makes of a page."""
