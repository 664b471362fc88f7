"""Pages with several formulas: where each one is, and what each one says."""
