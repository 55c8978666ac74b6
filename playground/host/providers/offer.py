"""Tools as a provider takes them.

In:   the tools of all servers, in a stable order; what the provider refuses.
Out:  an Offer: the tools under names that every provider accepts, with schemas it accepts, and a sentence for
      each change; and the way back from such a name.
Here nobody knows servers, or a provider's wire format.

Theory of operation
    MCP allows names that providers refuse (dots, slashes, blanks, 128 characters), and a history may hold
    names that no tool has, because a model made them up. Both must be sent, so both get an alias: what can't
    stand is replaced, and some digits of the whole name's digest keep two names apart. An alias depends on
    the name alone, so it stays the same while servers come and go, and a name that is fine is its own alias.

    More than 128 tools are refused by OpenAI, and long before that models choose badly. The first 128 are
    offered, in the stable order of the servers' configuration, and the rest are named in a change: the user
    chooses by taking servers out.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playground.host.tools import Tool

MAX_TOOLS = 128  # OpenAI's limit
MAX_NAME = 64

_FINE = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_PROPERTY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_COMBINERS = ("allOf", "anyOf", "oneOf")
_MAPS = ("properties", "patternProperties", "$defs", "definitions")
_TYPES = {"object", "array", "string", "number", "integer", "boolean", "null"}


def alias(name: str) -> str:
    """A name that matches ^[a-zA-Z0-9_-]{1,64}$, the same each time, different for different names.

    >>> alias("files__read_file"), alias("docs.search/all")
    ('files__read_file', 'docs_search_all_1a2aba7513')
    """
    if _FINE.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    kept = re.sub(r"[^a-zA-Z0-9_-]", "_", name)[: MAX_NAME - len(digest) - 1]
    return f"{kept or 'unnamed'}_{digest}"


@dataclass(frozen=True, slots=True)
class Offered:
    """One tool as it is sent."""

    alias: str
    description: str
    schema: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Offer:
    """The tools as they are sent; `changes` are sentences about what had to be different."""

    tools: tuple[Offered, ...]
    changes: tuple[str, ...]
    names: Mapping[str, str]  # alias -> the tool's name

    def name_of(self, alias: str) -> str:
        """The tool's own name; a name that a model made up is its own."""
        return self.names.get(alias, alias)


def offer(tools: Sequence[Tool], strict_names: bool) -> Offer:
    """What is sent of these tools. `strict_names`: property names must match ^[a-zA-Z0-9_.-]{1,64}$ (Anthropic)."""
    offered, names, changes = list[Offered](), dict[str, str](), list[str]()
    for tool in tools[:MAX_TOOLS]:
        sent = alias(tool.name)
        names[sent] = tool.name
        if sent != tool.name:
            changes.append(f"'{tool.name}' is called '{sent}' here: providers refuse its own name.")
        schema, faults = adapted(tool.schema, strict_names)
        changes += [f"The schema of '{tool.name}' was changed: {fault}." for fault in faults]
        offered.append(Offered(sent, tool.description, schema))
    if left_out := [tool.name for tool in tools[MAX_TOOLS:]]:
        shown = ", ".join(left_out[:5]) + (", …" if len(left_out) > 5 else "")
        changes.append(f"Only the first {MAX_TOOLS} of {len(tools)} tools are offered; left out: {shown}.")
    return Offer(tuple(offered), tuple(changes), names)


def adapted(schema: Mapping[str, Any], strict_names: bool) -> tuple[dict[str, Any], list[str]]:
    """A schema that providers accept, and what was changed.

    They want an object at the top and no combination of schemas there; OpenAI wants `items` in each array,
    Ollama can't read `true` as a schema, and Anthropic restricts the names of properties.
    """
    faults: list[str] = []
    top = _without_combiners(schema, faults)
    if top.get("type") != "object":
        top["type"] = "object"
        faults.append("its type is an object now")
    properties = top.get("properties")
    top["properties"] = dict(properties) if isinstance(properties, Mapping) else {}
    if strict_names:
        for name in [name for name in top["properties"] if not _PROPERTY.fullmatch(name)]:
            del top["properties"][name]
            faults.append(f"the property '{name}' is left out, its name is refused")
        if isinstance(top.get("required"), list):
            top["required"] = [name for name in top["required"] if name in top["properties"]]
    return _Inner(top, faults).walk(top), sorted(set(faults))


def _without_combiners(schema: Mapping[str, Any], faults: list[str]) -> dict[str, Any]:
    """The top level with its alternatives merged: all their properties, required where every alternative agrees."""
    top = {key: value for key, value in schema.items() if key not in (*_COMBINERS, "not", "enum", "$ref")}
    if isinstance(target := _resolved(schema, schema), Mapping):
        top = {**{key: value for key, value in target.items() if key not in _COMBINERS}, **top}
        faults.append("the reference at its top is resolved")
    for word in (*_COMBINERS, "not", "enum"):
        if word not in schema:
            continue
        faults.append(f"'{word}' at its top is merged" if word in _COMBINERS else f"'{word}' at its top is left out")
        parts = [part for part in _listed(schema[word]) if isinstance(part, Mapping)] if word in _COMBINERS else []
        merged = dict(_mapping(top.get("properties")))
        for part in parts:
            merged = {**_mapping(part.get("properties")), **merged}
        wanted = [set(map(str, _listed(part.get("required")))) for part in parts]
        needed = set[str]()
        if wanted:
            needed = set.union(*wanted) if word == "allOf" else set.intersection(*wanted)
        top["properties"] = merged
        if needed:
            top["required"] = sorted({*_listed(top.get("required")), *needed})
    return top


def _resolved(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    """What a schema's local reference points to; None if there is none."""
    reference = schema.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return None
    found: Any = root
    for part in reference[2:].split("/"):
        found = found.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
    return found


class _Inner:
    """Walks the schemas inside the top one, and writes down what it had to change."""

    def __init__(self, root: Mapping[str, Any], faults: list[str]) -> None:
        self._root, self._faults = root, faults

    def walk(self, schema: Any) -> Any:
        if isinstance(schema, bool):
            # `true` accepts everything, which `{}` says too.
            self._faults.append(f"'{json.dumps(schema)}' as a schema is written as an object")
            return {} if schema else {"not": {}}
        if not isinstance(schema, Mapping):
            self._faults.append("what is no schema accepts everything now")
            return {}
        inner = self._plain(dict(schema))
        for word in _MAPS:
            if word in inner:
                inner[word] = {name: self.walk(value) for name, value in _mapping(inner[word]).items()}
        for word in ("items", "additionalProperties", "not"):
            if word in inner and not isinstance(inner[word], bool):
                inner[word] = self.walk(inner[word])
        for word in (*_COMBINERS, "prefixItems"):
            if word in inner:
                inner[word] = [self.walk(part) for part in _listed(inner[word])]
        return inner

    def _plain(self, inner: dict[str, Any]) -> dict[str, Any]:
        """The schema without the words of its own that providers refuse."""
        refused = {
            "required": not all(isinstance(name, str) for name in _listed(inner.get("required", []), [None])),
            "enum": not _listed(inner.get("enum", [None])),
            "$ref": "$ref" in inner and _resolved(inner, self._root) is None,
            "type": not set(map(str, _listed(kind := inner.get("type", []), [kind]))) <= _TYPES,
        }
        for word in [word for word, is_refused in refused.items() if is_refused]:
            del inner[word]
            self._faults.append(f"a '{word}' that can't be understood is left out")
        if inner.get("type") == "array" and "items" not in inner and "prefixItems" not in inner:
            inner["items"] = {}
            self._faults.append("an array without 'items' has some now")
        return inner


def _listed(value: Any, otherwise: Iterable[Any] = ()) -> Iterable[Any]:
    return value if isinstance(value, list) else otherwise


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
