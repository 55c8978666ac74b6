"""MCP with no I/O: text goes in, messages come out; sockets, files, threads, clocks and chance belong to the caller."""
