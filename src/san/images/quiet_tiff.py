"""Keeps libtiff, Pillow's decoder of compressed TIFFs, from printing.

It prints a line to standard error for every damaged row of a fax; a file of a few kilobytes would
fill a disk with them. Whatever matters it says by its result as well. libtiff is a library of its
own that Pillow's is linked against, so its switch is found through that; where it cannot be found
(Windows), faxes are refused.
"""

import ctypes
from contextlib import suppress

from PIL import Image

FAX_COMPRESSIONS = (2, 3, 4, 32771)
"""Of a TIFF: what prints a line a row."""
SWITCHES = ("TIFFSetErrorHandler", "TIFFSetWarningHandler")


def _silence() -> bool:
    with suppress(AttributeError, OSError, TypeError):  # no such file, no such function in it
        library = ctypes.CDLL(Image.core.__file__)  # type: ignore[attr-defined, unused-ignore]
        for name in SWITCHES:
            switch = getattr(library, name)
            switch.restype = ctypes.c_void_p
            switch(None)
        return True
    return False


IS_QUIET = _silence()
"""Whether it prints nothing; once for the process, when this is first imported."""


def check_fax(compression: int) -> None:
    """ValueError for a compression whose decoder would print without end."""
    if compression in FAX_COMPRESSIONS and not IS_QUIET:
        raise ValueError("a fax cannot be opened safely here: save it as PNG")
