"""san reads handwritten mathematics."""

__version__ = "0.1.0"
