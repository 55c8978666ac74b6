"""The parts of a message in OpenAI's shape: its content and its calls, each checked by itself.

Goes in: JSON values. Comes out: texts and `Call`s. Refuses to know: the order of messages.
"""

from collections.abc import Mapping
from typing import Any, Final

from playground.scripted_model import strict
from playground.scripted_model.strict import Refused
from playground.scripted_model.talk import Call

_PARTS: Final = {
    "user": ("text", "image_url", "input_audio", "file"),
    "assistant": ("text", "refusal"),
    "tool": ("text",),
    "system": ("text",),
    "developer": ("text",),
}


def content_of(message: Mapping[str, Any], role: str, where: str, *, is_ollama: bool) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        shown = "<nil>" if content is None else kind_of_go(content)
        raise Refused(
            f"invalid message content type: {shown}"
            if is_ollama
            else (
                f"Invalid value for 'content': expected a string, "
                f"got {strict.kind_of(content).removeprefix('a ').removeprefix('an ')}."
            ),
            param=f"{where}.content",
        )
    if not content:
        raise Refused(
            f"Invalid '{where}.content': empty array. Expected an array with minimum length 1.",
            param=f"{where}.content",
            code="empty_array",
        )
    return "\n".join(_part(part, role, f"{where}.content[{place}]") for place, part in enumerate(content))


def kind_of_go(value: Any) -> str:
    """The type of a value as a Go program prints it."""
    return {bool: "bool", int: "float64", float: "float64"}.get(type(value), "map[string]interface {}")


def _part(part: Any, role: str, where: str) -> str:
    kind = strict.demand(part, dict, where).get("type")
    if kind not in _PARTS[role]:
        known = ", ".join(f"'{name}'" for name in _PARTS[role])
        raise Refused(
            f"Invalid value: '{kind}'. Supported values are: {known}.",
            param=f"{where}.type",
            code="invalid_value",
        )
    if kind in ("text", "refusal"):
        return str(strict.demand(part.get(kind), str, f"{where}.{kind}"))
    if kind == "image_url":
        url = strict.demand(part.get("image_url"), dict, f"{where}.image_url").get("url")
        strict.demand(url, str, f"{where}.image_url.url")
        if not url.startswith(("data:image/", "https://", "http://")):
            raise Refused(
                f"Invalid '{where}.image_url.url': expected a data URL or an http URL.",
                param=f"{where}.image_url.url",
            )
    else:
        strict.demand(part.get(kind), dict, f"{where}.{kind}")
    return ""


def call_of(call: Any, where: str, *, is_ollama: bool) -> Call:
    strict.demand(call, dict, where)
    if not is_ollama:
        strict.only(call, ("id", "type", "function"), where)
    for name in ("id", "function") if is_ollama else ("id", "type", "function"):
        if name not in call:
            raise strict.missing(f"{where}.{name}")
    identity = strict.demand(call["id"], str, f"{where}.id")
    if not identity or len(identity) > 64:
        word = (
            "too short. Expected a string with minimum length 1"
            if not identity
            else "too long. Expected a string with maximum length 64"
        )
        raise Refused(f"Invalid '{where}.id': string {word}.", param=f"{where}.id", code="invalid_value")
    if call.get("type", "function") != "function":
        raise Refused(
            f"Invalid value: '{call['type']}'. Supported values are: 'function' and 'custom'.",
            param=f"{where}.type",
            code="invalid_value",
        )
    function = strict.demand(call["function"], dict, f"{where}.function")
    name = strict.tool_name(function.get("name"), f"{where}.function.name")
    if "arguments" not in function:
        raise strict.missing(f"{where}.function.arguments")
    arguments = strict.demand(function["arguments"], str, f"{where}.function.arguments")
    if not strict.is_object_text(arguments):
        message = (
            "invalid tool call arguments"
            if is_ollama
            else f"Invalid '{where}.function.arguments': expected the JSON text of an object."
        )
        raise Refused(message, param=f"{where}.function.arguments", code="invalid_value")
    return Call(name, arguments, identity)
