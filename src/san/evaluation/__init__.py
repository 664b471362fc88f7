"""Scores: what a rate means, and how sure one can be of it."""
