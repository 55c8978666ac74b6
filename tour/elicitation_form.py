"""Elicitation by form: every kind of field, defaults, and the three ways to answer.

Notice: a form is a flat JSON Schema, so that any client can draw it. The user may accept, decline (said no) or cancel
(walked away). A server checks what comes back; a client fills in the defaults of fields that nobody touched.
"""

from typing import Any

from stage import Talk, tour

from mcp_core.catalogue import Catalogue
from mcp_core.effects import Ask, Steps

clay, glass = {"const": "c", "title": "Clay"}, {"const": "g", "title": "Glass"}
FIELDS = {
    "name": {"type": "string", "title": "Your name", "minLength": 1, "default": "Ana"},
    "email": {"type": "string", "format": "email", "default": "ana@example.org"},
    "guests": {"type": "integer", "minimum": 1, "maximum": 12, "default": 2},
    "budget": {"type": "number", "default": 99.5},
    "outside": {"type": "boolean", "default": True},
    "size": {"type": "string", "enum": ["small", "large"], "default": "small"},
    "vase": {"type": "string", "oneOf": [clay, glass], "default": "g"},
    "days": {"type": "array", "items": {"type": "string", "enum": ["Mon", "Tue"]}, "default": ["Mon"]},
    "extras": {"type": "array", "items": {"anyOf": [clay, glass]}, "default": []},
}
florist = Catalogue("a florist", "1.0")
actions = iter(("accept", "decline", "cancel") * 2)


@florist.tool()
def order() -> Steps[str]:
    """Takes an order."""
    schema = {"type": "object", "properties": FIELDS, "required": ["name"]}
    answer = yield Ask.form("order", "What may it be?", schema)
    return f"{answer['action']}: {len(answer.get('content', {}))} fields"


def our_user(params: dict[str, Any]) -> dict[str, Any]:
    fields, action = params["requestedSchema"]["properties"], next(actions)
    filled = {name: field["default"] for name, field in fields.items()}
    return {"action": action, "content": filled} if action == "accept" else {"action": action}


def play(talk: Talk) -> None:
    for said in ("accept: 9 fields", "decline: 0 fields", "cancel: 0 fields"):
        assert talk.call("order")["content"][0]["text"] == said
    talk.notice("Three calls, three answers. Only `accept` brings content.")


tour(play, able={"elicitation": {"form": {}}}, replies={"elicitation/create": our_user}, catalogue=florist)
