"""What every provider refuses: bodies that are no JSON, tools that can't be offered, wrong types.

Goes in: what the client sent. Comes out: a sound value, or `Refused` with the provider's own wording.
Refuses to know: statuses and error bodies (each dialect has its own).

Where the real interfaces differ, the stricter one counts for all dialects: a conversation that passes here
passes everywhere. Ollama in particular takes much that it then misunderstands in silence.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn

from playground.scripted_model.talk import Tool

MOST_TOOLS: Final = 128
TOOL_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_TYPES: Final = frozenset(("object", "array", "string", "number", "integer", "boolean", "null"))
_TOP_LEVEL: Final = ("oneOf", "anyOf", "allOf", "enum", "not")
_DEPTH: Final = 40


class Refused(Exception):
    """A request the provider does not accept. `kind` decides about the status: "invalid", "auth",
    "not_found", "method", "too_large", "media", "rate", "server", "overloaded", "context"; `param` and
    `code` as OpenAI has them."""

    def __init__(
        self, message: str, *, kind: str = "invalid", param: str | None = None, code: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.param = param
        self.code = code


def parsed(body: bytes) -> Any:
    """The JSON value of a body; Refused for anything RFC 8259 doesn't allow, and for half characters."""

    def constant(name: str) -> NoReturn:
        raise ValueError(f"{name} is not JSON")

    try:
        value = json.loads(body.decode("utf-8"), parse_constant=constant)
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # a lone \ud800 can't be sent on
    except (ValueError, RecursionError) as error:
        detail = (
            f"{error}"
            if isinstance(error, json.JSONDecodeError)
            else "it is not UTF-8, too deep, or holds half a character"
        )
        raise Refused(f"We could not parse the JSON body of your request: {detail}.") from None
    return value


def missing(param: str) -> Refused:
    """The refusal of a request that lacks a field."""
    return Refused(f"Missing required parameter: '{param}'.", param=param, code="missing_required_parameter")


def kind_of(value: Any) -> str:
    """The JSON name of a value's type, as error messages say it."""
    names = {
        dict: "an object",
        list: "an array",
        str: "a string",
        bool: "a boolean",
        int: "an integer",
        float: "a decimal",
    }
    return names.get(type(value), "null")


def demand(value: Any, types: type | tuple[type, ...], param: str) -> Any:
    """The value if it has one of the types; a boolean is no number."""
    wanted = types if isinstance(types, tuple) else (types,)
    if isinstance(value, wanted) and not (isinstance(value, bool) and bool not in wanted):
        return value
    names = {
        dict: "an object",
        list: "an array",
        str: "a string",
        bool: "a boolean",
        int: "an integer",
        float: "a decimal",
    }
    expected = " or ".join(names[one] for one in wanted)
    raise Refused(
        f"Invalid type for '{param}': expected {expected}, but got {kind_of(value)} instead.",
        param=param,
        code="invalid_type",
    )


def only(value: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    """Refuse fields that the interface doesn't have."""
    for name in value:
        if name not in known:
            param = f"{where}.{name}" if where else name
            raise Refused(f"Unknown parameter: '{param}'.", param=param, code="unknown_parameter")


def number(body: Mapping[str, Any], name: str, low: float, high: float, *, is_whole: bool = False) -> None:
    """Check an optional number and its range."""
    value = body.get(name)
    if value is None:
        return
    demand(value, int if is_whole else (int, float), name)
    if not low <= value <= high:
        word, bound = ("above maximum", f"<= {high:g}") if value > high else ("below minimum", f">= {low:g}")
        kind = "integer" if is_whole else "decimal"
        raise Refused(
            f"Invalid '{name}': {kind} {word} value. Expected a value {bound}, but got {value} instead.",
            param=name,
            code=f"{kind}_{word.replace(' ', '_')}_value",
        )


def tool_name(name: Any, param: str) -> str:
    """A tool's name, which all providers want as ^[a-zA-Z0-9_-]{1,64}$."""
    demand(name, str, param)
    if len(name) > 64:
        raise Refused(
            (
                f"Invalid '{param}': string too long. Expected a string with maximum length 64, "
                f"but got a string with length {len(name)} instead."
            ),
            param=param,
            code="string_above_max_length",
        )
    if not TOOL_NAME.fullmatch(name):
        raise Refused(
            (
                f"Invalid '{param}': string does not match pattern. Expected a string that matches "
                f"the pattern '^[a-zA-Z0-9_-]+$'."
            ),
            param=param,
            code="invalid_value",
        )
    return str(name)


def tools_number(tools: Sequence[Any]) -> None:
    if not tools:
        raise Refused(
            ("Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array instead."),
            param="tools",
            code="empty_array",
        )
    if len(tools) > MOST_TOOLS:
        raise Refused(
            (
                f"Invalid 'tools': array too long. Expected an array with maximum "
                f"length {MOST_TOOLS}, but got an array with length {len(tools)} instead."
            ),
            param="tools",
            code="array_above_max_length",
        )


def distinct(tools: Sequence[Tool]) -> None:
    names = [tool.name for tool in tools]
    for name in names:
        if names.count(name) > 1:
            raise Refused(
                (f"Invalid 'tools': tool names must be unique, but '{name}' is there more than once."),
                param="tools",
            )


def schema_complaint(schema: Any) -> str | None:
    """What is wrong with the schema of a tool's arguments, None if nothing.

    >>> schema_complaint({"type": "object", "properties": {"a": {"type": "array"}}})
    "In context=('properties', 'a'), array schema missing items."
    """
    if not isinstance(schema, dict):
        return f"{kind_of(schema)} is not of type 'object', 'boolean'."
    if schema.get("type") != "object":
        return f"schema must be a JSON Schema of 'type: \"object\"', got 'type: \"{schema.get('type')}\"'."
    for word in _TOP_LEVEL:
        if word in schema:
            return "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
    return _complaint(schema, schema, (), 0)


def _complaint(schema: Any, root: Mapping[str, Any], where: tuple[str, ...], depth: int) -> str | None:
    context = f"In context={where}, "
    if isinstance(schema, bool):
        return None
    if not isinstance(schema, dict):
        return f"{context}{kind_of(schema)} is not of type 'object', 'boolean'."
    if depth > _DEPTH:
        return f"{context}the schema is nested too deeply."
    types = schema.get("type", [])
    for name in types if isinstance(types, list) else [types]:
        if name not in _TYPES:
            return f"{context}{name!r} is not valid under any of the given schemas."
    if schema.get("type") == "array" and "items" not in schema and "prefixItems" not in schema:
        return f"{context}array schema missing items."
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        return f"{context}'required' must be an array of strings."
    if "enum" in schema and not (isinstance(schema["enum"], list) and schema["enum"]):
        return f"{context}'enum' must be an array that is not empty."
    if "$ref" in schema and not _resolves(schema["$ref"], root):
        return f"{context}reference can only point to definitions defined at the top level of the schema."
    return _children_complaint(schema, root, where, depth)


def _children_complaint(
    schema: Mapping[str, Any], root: Mapping[str, Any], where: tuple[str, ...], depth: int
) -> str | None:
    for word in ("properties", "patternProperties", "$defs", "definitions"):
        children = schema.get(word, {})
        if not isinstance(children, dict):
            return f"In context={where}, '{word}' must be an object."
        for name, child in children.items():
            if found := _complaint(child, root, (*where, word, name), depth + 1):
                return found
    for word in ("items", "additionalProperties", "not"):
        if word in schema and (found := _complaint(schema[word], root, (*where, word), depth + 1)):
            return found
    for word in ("anyOf", "oneOf", "allOf", "prefixItems"):
        children = schema.get(word, [])
        if not isinstance(children, list):
            return f"In context={where}, '{word}' must be an array."
        for place, child in enumerate(children):
            if found := _complaint(child, root, (*where, word, str(place)), depth + 1):
                return found
    return None


def _resolves(reference: Any, root: Mapping[str, Any]) -> bool:
    if not isinstance(reference, str) or not reference.startswith("#"):
        return False
    node: Any = root
    for part in reference[1:].split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(node, dict) or part not in node:
            return False
        node = node[part]
    return True


def is_object_text(text: str) -> bool:
    """Whether a text is the JSON of an object."""
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
