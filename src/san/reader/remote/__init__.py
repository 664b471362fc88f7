"""The same reader in another process or on another machine, over the HTTP API of `san serve`."""
