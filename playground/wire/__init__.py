"""How a client's messages travel: over HTTP, through a pipe, or in the way of 2024; and a connection made of that."""
