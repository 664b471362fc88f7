"""What makes the files that are shipped; each is run as `python -m tools.NAME`."""
