"""Rescoring: a second pass over unsure readings, and a language model that ranks them."""
