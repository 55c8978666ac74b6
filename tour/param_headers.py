"""Arguments in headers: a tool may ask that one of its arguments travels outside the body too.

Notice: `x-mcp-header` in the tool's inputSchema names the header, Mcp-Param-Region. So a balancer can send the call to
the right continent without reading JSON. The client must list the tools before it can know; only 2026-07-28 has this.
"""

from typing import Annotated, Any

from stage import Talk, tour

from mcp_core.catalogue import Catalogue

region: dict[str, Any] = {"type": "string", "enum": ["eu", "us"], "x-mcp-header": "Region"}
cloud = Catalogue("a cloud", "1.0")


@cloud.tool(inputSchema={"type": "object", "properties": {"region": region}, "required": ["region"]})
def start(region: Annotated[str, "Where to run."]) -> str:
    """Starts a machine."""
    return f"It runs in {region}."


def play(talk: Talk) -> None:
    (tool,) = talk.result("tools/list")["tools"]
    assert tool["inputSchema"]["properties"]["region"]["x-mcp-header"] == "Region"

    call = {"name": "start", "arguments": {"region": "eu"}}
    if not talk.is_stateless:
        assert "result" in talk.ask("tools/call", call)
        talk.notice("In the handshake era it is only a word in a schema, and nobody minds.")
        return
    assert talk.ask("tools/call", call)["error"]["code"] == -32020
    assert talk.ask("tools/call", call, headers={"Mcp-Param-Region": "us"})["error"]["code"] == -32020
    talk.notice("Missing, or not what the body says: -32020. A client then lists the tools again, and tries once more.")
    assert "result" in talk.ask("tools/call", call, headers={"Mcp-Param-Region": "eu"})


tour(play, catalogue=cloud)
