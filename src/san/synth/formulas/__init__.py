"""The formulas that samples are made of: from text, exchanged between trees, or invented."""
