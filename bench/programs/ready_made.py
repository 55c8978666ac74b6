"""A server that does nothing: whatever arrives, it answers with the same bytes. So it shows the load's ceiling."""

import json
import selectors
import socket

TEXT = ("It is a line of notes, which says nothing much.\n" * 20)[:800]
VALUE = {"content": TEXT}
RESULT = {"content": [{"type": "text", "text": json.dumps(VALUE)}], "structuredContent": VALUE}
BODY = json.dumps({"jsonrpc": "2.0", "id": 1_000_000, "result": RESULT}).encode()
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY


def main() -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp", flush=True)
    ready = selectors.DefaultSelector()
    ready.register(listening, selectors.EVENT_READ)
    while True:
        for key, _ in ready.select():
            if key.fileobj is listening:
                ready.register(listening.accept()[0], selectors.EVENT_READ)
                continue
            connection = key.fileobj
            assert isinstance(connection, socket.socket)
            if connection.recv(65536):
                connection.sendall(ANSWER)
            else:
                ready.unregister(connection)
                connection.close()


main()
