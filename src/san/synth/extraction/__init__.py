"""Glyphs from photographs of writing whose label is known: more hands to compose with."""
