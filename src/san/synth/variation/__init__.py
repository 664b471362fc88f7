"""Variation of ink: distortion, exchanged symbols, joined strokes; and its drawing."""
