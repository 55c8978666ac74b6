"""The parts of a request in Anthropic's shape: tools, and the blocks of a message, each checked by itself.

Goes in: JSON values. Comes out: `Tool`s, or nothing for a sound block. Refuses to know: the order of
messages.
"""

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any, Final

from playground.scripted_model import strict
from playground.scripted_model.strict import Refused
from playground.scripted_model.talk import Tool

_BLOCKS: Final = {
    "text": ("type", "text", "cache_control", "citations"),
    "tool_use": ("type", "id", "name", "input", "cache_control", "caller", "toolset_name"),
    "tool_result": ("type", "tool_use_id", "content", "is_error", "cache_control", "toolset_name"),
    "image": ("type", "source", "cache_control"),
    "document": ("type", "source", "cache_control", "citations", "context", "title"),
    "thinking": ("type", "thinking", "signature"),
}


_ALLOWED: Final = {
    "user": ("text", "image", "document", "tool_result"),
    "assistant": ("text", "tool_use", "thinking"),
}


_MEDIA: Final = ("image/jpeg", "image/png", "image/gif", "image/webp")


_TOOL_FIELDS: Final = [
    "name",
    "description",
    "input_schema",
    "type",
    "cache_control",
    "strict",
    "defer_loading",
    "allowed_callers",
    "eager_input_streaming",
    "input_examples",
]


def typed(value: Any, types: type | tuple[type, ...], where: str) -> Any:
    words = {
        str: "string",
        int: "integer",
        float: "number",
        bool: "boolean",
        list: "list",
        dict: "dictionary",
    }
    wanted = types if isinstance(types, tuple) else (types,)
    if isinstance(value, wanted) and not (isinstance(value, bool) and bool not in wanted):
        return value
    raise Refused(f"{where}: Input should be a valid {words[wanted[-1]]}")


def text_of(block: Mapping[str, Any], where: str, whole: str) -> str:
    text = typed(block.get("text"), str, f"{where}.text")
    if not text:
        raise Refused(f"{whole}: text content blocks must be non-empty")
    if not text.strip():
        raise Refused(f"{whole}: text content blocks must contain non-whitespace text")
    return str(text)


def tools_of(offered: Any) -> tuple[Tool, ...]:
    if offered is None:
        return ()
    tools = []
    for place, tool in enumerate(typed(offered, list, "tools")):
        where = f"tools.{place}.custom"
        typed(tool, dict, f"tools.{place}")
        if tool.get("type", "custom") not in ("custom", None):
            raise Refused(
                f"tools.{place}: Input tag '{tool['type']}' found using 'type' does not match "
                f"any of the expected tags: 'custom'"
            )
        for name in tool:
            if name not in _TOOL_FIELDS:
                raise Refused(f"{where}.{name}: Extra inputs are not permitted")
        name = tool.get("name")
        if name is None:
            raise Refused(f"{where}.name: Field required")
        if not strict.TOOL_NAME.fullmatch(typed(name, str, f"{where}.name")):
            raise Refused(f"{where}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'")
        schema = tool.get("input_schema")
        if schema is None:
            raise Refused(f"{where}.input_schema: Field required")
        if typed(schema, dict, f"{where}.input_schema").get("type") != "object":
            detail = "Input should be 'object'" if "type" in schema else "Field required"
            raise Refused(f"{where}.input_schema.type: {detail}")
        if any(word in schema for word in ("oneOf", "allOf", "anyOf")):
            raise Refused(
                f"{where}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"
            )
        if complaint := strict.schema_complaint(schema):
            raise Refused(f"{where}.input_schema: JSON schema is invalid. {complaint}")
        tools.append(Tool(name, typed(tool.get("description") or "", str, f"{where}.description"), schema))
    if len({tool.name for tool in tools}) < len(tools):
        raise Refused("tools: Tool names must be unique.")
    if len(tools) > strict.MOST_TOOLS:
        raise Refused(f"tools: List should have at most {strict.MOST_TOOLS} items after validation, not {len(tools)}")
    return tuple(tools)


def choice_of(choice: Any, tools: Sequence[Tool]) -> tuple[bool, str | None, bool]:
    if choice is None:
        return True, None, True
    kind = typed(choice, dict, "tool_choice").get("type")
    if kind not in ("auto", "any", "tool", "none"):
        raise Refused(
            f"tool_choice: Input tag '{kind}' found using 'type' does not match any of the "
            f"expected tags: 'auto', 'any', 'tool', 'none'"
        )
    if not tools:
        raise Refused("tool_choice: may only be specified while providing tools")
    if kind == "tool" and choice.get("name") not in [tool.name for tool in tools]:
        raise Refused(f"tool_choice: Tool '{choice.get('name')}' not found in provided tools")
    must = {"any": "", "tool": choice.get("name")}.get(kind)
    return kind != "none", must, choice.get("disable_parallel_tool_use") is not True


def check(block: Any, role: str, where: str) -> None:
    kind = typed(block, dict, where).get("type")
    if kind not in _ALLOWED[role]:
        tags = ", ".join(f"'{name}'" for name in _ALLOWED[role])
        raise Refused(f"{where}: Input tag '{kind}' found using 'type' does not match any of the expected tags: {tags}")
    for name in block:
        if name not in _BLOCKS[kind]:
            raise Refused(f"{where}.{kind}.{name}: Extra inputs are not permitted")
    if kind == "text":
        text_of(block, where, "messages")
    elif kind == "tool_use":
        _identity(block.get("id"), f"{where}.tool_use.id")
        if not strict.TOOL_NAME.fullmatch(typed(block.get("name"), str, f"{where}.tool_use.name")):
            raise Refused(f"{where}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{{1,64}}$'")
        if "input" not in block:
            raise Refused(f"{where}.tool_use.input: Field required")
        typed(block["input"], dict, f"{where}.tool_use.input")
    elif kind == "tool_result":
        _identity(block.get("tool_use_id"), f"{where}.tool_result.tool_use_id")
        _result(block, where)
    elif kind == "image":
        _image(block.get("source"), f"{where}.image.source")


def _identity(identity: Any, where: str) -> None:
    if identity is None:
        raise Refused(f"{where}: Field required")
    if not strict.TOOL_NAME.fullmatch(typed(identity, str, where)[:64]):
        raise Refused(f"{where}: String should match pattern '^[a-zA-Z0-9_-]+$'")


def _result(block: Mapping[str, Any], where: str) -> None:
    content = block.get("content")
    if block.get("is_error") is not None:
        typed(block["is_error"], bool, f"{where}.tool_result.is_error")
    if content is None or isinstance(content, str):
        return
    for place, inner in enumerate(typed(content, list, f"{where}.tool_result.content")):
        here = f"{where}.tool_result.content.{place}"
        kind = typed(inner, dict, here).get("type")
        if kind not in ("text", "image", "document"):
            raise Refused(
                f"{here}: Input tag '{kind}' found using 'type' does not match any of the "
                f"expected tags: 'text', 'image', 'document'"
            )
        if kind == "text":
            text_of(inner, here, "messages")
        elif kind == "image":
            _image(inner.get("source"), f"{here}.image.source")


def _image(source: Any, where: str) -> None:
    kind = typed(source, dict, where).get("type")
    if kind == "url":
        typed(source.get("url"), str, f"{where}.url")
        return
    if kind != "base64":
        raise Refused(
            f"{where}: Input tag '{kind}' found using 'type' does not match any of the expected tags: 'base64', 'url'"
        )
    if source.get("media_type") not in _MEDIA:
        raise Refused(
            f"{where}.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'"
        )
    try:
        base64.b64decode(typed(source.get("data"), str, f"{where}.base64.data"), validate=True)
    except (binascii.Error, ValueError):
        raise Refused(f"{where}.base64.data: Could not decode the base64 data") from None
