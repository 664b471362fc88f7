"""Begins the command line: `san`, and `python -m san` where no `san` is on the path.

To import its modules takes a third of a second. Who interrupts meanwhile (Ctrl-C) sees no
traceback.
"""

import os
import signal


def main() -> None:
    """Entry point of the `san` command."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:  # it may be ignored: a script runs san beside itself
        # At once: an exception could be caught by any of the modules that import others.
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    from san.cli.main import main as run

    signal.signal(signal.SIGINT, before)
    run()


if __name__ == "__main__":
    main()
