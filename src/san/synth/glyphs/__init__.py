"""Written symbols, by name and by writer: the glyph bank and how it is filled."""
