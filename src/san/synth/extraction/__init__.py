"""Glyphs and symbol masks from photographs of writing whose label is known."""
