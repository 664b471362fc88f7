"""The reader over HTTP, and the page that most people meet it on."""
