"""Default limits of a service, for its settings and for the command line.

What a browser may send: a telephone's photograph, a page of ink. Less than the reader takes, so
that no request holds the others up for long. Without imports, so that `san --help` stays quick.
"""

MAX_BYTES = 16_000_000
"""Of a request."""
MAX_PIXELS = 25_000_000
"""Of an image."""
MAX_STROKES, MAX_POINTS = 1_000, 50_000
"""Of ink."""
MAX_QUEUE = 64
"""Requests that may wait."""
MAX_CONNECTIONS = 512
"""That are open at once; fewer where the system allows the process fewer descriptors."""
TIMEOUT = 20.0
"""Seconds to a response."""
