"""Layout: where each glyph of a formula is placed, as writers place theirs."""
