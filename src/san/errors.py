"""The one exception that people are meant to see: its text is a single clear line."""


class SanError(Exception):
    """Something the caller can put right: bad input, a missing file, a wrong option."""
