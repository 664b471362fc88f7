"""What every benchmark does with bad input: one line instead of a traceback."""

from collections.abc import Callable

from san.errors import SanError


def plainly(main: Callable[[], object]) -> None:
    try:
        main()
    except SanError as error:
        raise SystemExit(str(error)) from None
