"""Begins the command line: `python -m san`, where no `san` is on the path."""

from san.cli.main import main

if __name__ == "__main__":
    main()
