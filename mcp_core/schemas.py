"""From a Python signature to a JSON Schema, and from a value and a schema to complaints.

In:   a typed function, or a schema from anywhere.
Out:  the schema its arguments must meet; or a check that says in sentences what is wrong with a value.
Here nobody knows what a tool is. A type that can't be described is an error at import, never a silent `{}`: a model
that is told nothing about an argument will invent one.

The dialect is JSON Schema 2020-12, MCP's default since 2025-11-25. Validating is left to the jsonschema-rs package;
a reference to another document is refused, never fetched, because a schema comes from the other side.
"""

import inspect
import json
import types
import typing
from collections.abc import Callable
from typing import Any

Schema = dict[str, Any]
Check = Callable[[Any], list[str]]

MAX_COMPLAINTS = 5
MAX_SHOWN = 60  # characters of a wrong value that a complaint repeats

_PLAIN: dict[Any, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
}


# ---- From types to schemas -------------------------------------------------------------------------------------------


def of_parameters(function: Callable[..., Any]) -> Schema:
    """The inputSchema of a function: its parameters by name, required where they have no default.

    Raises TypeError for a parameter that has no annotation, or one that JSON Schema can't describe.

    >>> def add(a: int, b: typing.Annotated[int, "What to add."] = 1) -> int: ...
    >>> of_parameters(add)["properties"]["b"]
    {'type': 'integer', 'description': 'What to add.', 'default': 1}
    >>> of_parameters(add)["required"]
    ['a']
    """
    hints = typing.get_type_hints(function, include_extras=True)
    properties: Schema = {}
    required: list[str] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise TypeError(f"{function.__qualname__}: {parameter} can't be passed by name, as MCP passes arguments")
        if name not in hints:
            raise TypeError(f"{function.__qualname__}: the parameter {name} has no annotation")
        properties[name] = of_type(hints[name])
        if parameter.default is parameter.empty:
            required.append(name)
        else:
            properties[name]["default"] = parameter.default
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": required} if required else schema


def of_type(hint: Any) -> Schema:
    """The schema of an annotation: plain types, Literal, unions, list, dict, TypedDict, Annotated with a description.

    >>> of_type(list[typing.Literal["a", "b"]])
    {'type': 'array', 'items': {'enum': ['a', 'b'], 'type': 'string'}}
    >>> of_type(str | None)
    {'anyOf': [{'type': 'string'}, {'type': 'null'}]}
    """
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if isinstance(hint, type) and hint in _PLAIN:
        return dict(_PLAIN[hint])
    if origin is typing.Annotated:
        # Annotated[int, "What it is.", {"minimum": 1}]: a string describes, a dict adds keywords.
        schema = of_type(inner[0])
        for extra in inner[1:]:
            schema.update({"description": extra} if isinstance(extra, str) else extra)
        return schema
    if origin in (typing.Required, typing.NotRequired):
        return of_type(inner[0])
    if origin is typing.Literal:
        kinds = {of_type(type(choice))["type"] for choice in inner}
        return {"enum": list(inner), **({"type": kinds.pop()} if len(kinds) == 1 else {})}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [of_type(choice) for choice in inner]}
    if origin is list:
        return {"type": "array", "items": of_type(inner[0])}
    if origin is dict and inner[0] is str:
        return {"type": "object", "additionalProperties": True if inner[1] is Any else of_type(inner[1])}
    if typing.is_typeddict(hint):
        return _of_typed_dict(hint)
    raise TypeError(f"{hint!r} can't be described as JSON Schema; use plain types, Literal, list, dict or a TypedDict")


def _of_typed_dict(hint: Any) -> Schema:
    parts = typing.get_type_hints(hint, include_extras=True)
    schema: Schema = {"type": "object", "properties": {name: of_type(part) for name, part in parts.items()}}
    required = [name for name, part in parts.items() if _is_required(name, part, hint)]
    return {**schema, "required": required} if required else schema


def _is_required(name: str, part: Any, hint: Any) -> bool:
    # A mark is looked for first: where annotations are texts, as after `from __future__ import annotations`, Python
    # makes __required_keys__ without having read them.
    origin = typing.get_origin(part)
    return origin is typing.Required or (origin is not typing.NotRequired and name in hint.__required_keys__)


# ---- Values against schemas ------------------------------------------------------------------------------------------


def checker(schema: Any) -> Check:
    """Compiles a schema once; the check gives a sentence per fault, none where the value is right.

    Raises ValueError where the schema itself is broken or refers to another document.

    >>> check = checker({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})
    >>> check({"n": 1}), check({"n": "one"}), check({})
    ([], ["'n' must be of type integer, and 'one' is not"], ["'n' is missing"])
    """
    import jsonschema_rs

    def never(uri: str) -> Any:
        raise ValueError(f"the schema refers to {uri}, which is never fetched")

    try:
        validator = jsonschema_rs.validator_for(schema, retriever=never)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        reason = getattr(error, "message", str(error)).splitlines()[0]
        raise ValueError(f"This is not a usable JSON Schema: {reason}") from None

    def check(value: Any) -> list[str]:
        try:
            if validator.is_valid(value):
                return []
            faults = []
            for fault in validator.iter_errors(value):
                faults.append(_sentence(fault))
                if len(faults) == MAX_COMPLAINTS:
                    break
            return faults
        except UnicodeEncodeError:
            return ["it holds half a character (a lone surrogate), which is not valid Unicode text"]
        except ValueError as error:  # deeper or larger than the validator can look at
            return [f"it can't be checked: {shortened(str(error))}"]

    return check


def _sentence(fault: Any) -> str:
    path = ".".join(str(step) for step in fault.instance_path)
    subject = _quoted(path) if path else "the value"
    match fault.kind.name:
        case "required":
            return f"{_quoted('.'.join(filter(None, (path, fault.kind.property))))} is missing"
        case "additionalProperties":
            names = ", ".join(map(_quoted, fault.kind.unexpected[:MAX_COMPLAINTS]))
            return f"{names} is not known here"
        case "type":
            return f"{subject} must be of type {' or '.join(fault.kind.types)}, and {_shown(fault.instance)} is not"
        case _:
            return f"{subject}: {shortened(fault.message, 200)}"


def _quoted(name: str) -> str:
    return repr(shortened(name))


def _shown(value: Any) -> str:
    return shortened(repr(value) if isinstance(value, str) else json.dumps(value))


def shortened(text: str, limit: int = MAX_SHOWN) -> str:
    """Text cut to a length that fits into a sentence.

    >>> shortened("x" * 100, 10)
    'xxxxxxxxxx…'
    """
    return text if len(text) <= limit else text[:limit] + "…"
