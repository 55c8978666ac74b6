"""fastmcp serving read_file: fastmcp_server.py FOLDER stdio | http | json | stateless."""

import socket
import sys
from pathlib import Path

from fastmcp import FastMCP  # type: ignore[import-not-found]
from typing_extensions import TypedDict  # not typing's: pydantic needs it before Python 3.12

server = FastMCP("fastmcp")
FOLDER = Path(sys.argv[1]).resolve()


class Text(TypedDict):
    content: str


@server.tool  # type: ignore[untyped-decorator]
def read_file(filename: str) -> Text:
    """Returns the text of a file."""
    path = (FOLDER / filename).resolve()
    if path.parent != FOLDER:
        raise ValueError("not in the folder")
    return {"content": path.read_text(encoding="utf-8")}


def main(way: str) -> None:
    if way == "stdio":
        server.run(transport="stdio", show_banner=False)
        return
    import uvicorn

    app = server.http_app(json_response=way != "http", stateless_http=way == "stateless")
    # As uvicorn makes it itself: asyncio sends at once (TCP_NODELAY) only what it knows to be TCP.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    print(f"http://127.0.0.1:{listening.getsockname()[1]}/mcp", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listening])


main(sys.argv[2])
