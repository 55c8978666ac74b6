"""From what is to be done to the tool that does it: tools are found by name, by suffix and by schema.

Goes in: the tools a client offered and the values to pass. Comes out: `Call`s. Refuses to know:
conversations.

A tool may be called `write_file`, `files__write_file` or `filesystem_saveDocument`; its arguments may be
`filename` and `text` or `path` and `content`. So a tool fits a role if its name holds a verb of the role,
its schema takes every value the role passes, and it demands nothing that can't be supplied.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from playground.scripted_model.talk import Call, Tool


class _Role(NamedTuple):
    verbs: tuple[str, ...]
    nouns: tuple[str, ...]
    slots: tuple[str, ...]


_ROLES: Final = {
    "list": _Role(("list", "ls", "dir", "enumerate"), ("file", "files", "directory", "folder", "documents"), ()),
    "read": _Role(
        ("read", "get", "cat", "view", "open", "fetch", "show", "load"),
        ("file", "text", "content", "document"),
        ("file",),
    ),
    "write": _Role(
        ("write", "create", "save", "put", "store", "set"),
        ("file", "text", "document", "note", "content"),
        ("file", "text"),
    ),
    "append": _Role(("append", "add"), ("line", "file", "text", "to"), ("file", "text")),
    "delete": _Role(("delete", "remove", "unlink", "erase", "rm"), ("file", "document"), ("file",)),
    "search": _Role(
        ("search", "count", "find", "grep"),
        ("file", "keyword", "in", "text", "word", "occurrences"),
        ("file", "keyword"),
    ),
    "search_all": _Role(("search", "grep", "find"), ("all", "files", "everywhere"), ("keyword",)),
}
_SLOTS: Final = {
    "file": (
        "filename",
        "file_name",
        "file",
        "path",
        "filepath",
        "file_path",
        "name",
        "document",
        "uri",
        "target",
    ),
    "text": ("text", "content", "contents", "line", "data", "body", "value"),
    "keyword": ("keyword", "query", "term", "needle", "word", "pattern", "search", "q", "text", "string"),
}
_OTHER_WORDS: Final = frozenset(
    (
        "media",
        "multiple",
        "info",
        "metadata",
        "tree",
        "allowed",
        "sizes",
        "tools",
        "image",
        "binary",
        "resource",
    )
)


class Toolbox:
    """The tools on offer. `hint` is the user's text: the name of a server in it decides between equals."""

    def __init__(self, tools: Sequence[Tool], hint: str = "") -> None:
        self.tools = tuple(tools)
        self._hint = hint.lower()

    def call(self, role: str, **values: str) -> Call | None:
        """A call of the tool that plays a role, or None if none was offered."""
        tool = self.find(role)
        if tool is None:
            return None
        arguments = _arguments(tool, role, values)
        return None if arguments is None else Call.of(tool.name, arguments)

    def find(self, role: str) -> Tool | None:
        scored = [(self._score(tool, role), -place, tool) for place, tool in enumerate(self.tools)]
        best = max(scored, key=lambda one: one[:2], default=None)
        return best[2] if best and best[0] > 0 else None

    def role_of(self, name: str) -> str:
        """The role a tool plays, "" if none: the other way round."""
        return next((role for role in _ROLES if (tool := self.find(role)) and tool.name == name), "")

    def _score(self, tool: Tool, role: str) -> int:
        spec, words = _ROLES[role], words_of(bare_name(tool.name))
        verbs = [word for word in words if word in spec.verbs]
        if not verbs or _arguments(tool, role, dict.fromkeys(spec.slots, "x")) is None:
            return 0
        if role == "search_all" and (slot_of(tool, "file") or slot_of(tool, "keyword") is None):
            return 0
        nouns = sum(word in spec.nouns for word in words)
        if not nouns and len(words) > 1:
            return 0
        others = sum(word not in spec.nouns and word not in spec.verbs for word in words)
        odd = sum(word in _OTHER_WORDS for word in words)
        prefix = tool.name[: -len(bare_name(tool.name))].strip("_-.").lower()
        is_meant = bool(prefix) and re.search(rf"\b{re.escape(prefix)}\b", self._hint) is not None
        first_choice = len(spec.verbs) - spec.verbs.index(verbs[0])
        return max(0, 100 + first_choice + 2 * nouns - 5 * others - 100 * odd + 50 * is_meant)

    # ---- A tool the user names ------------------------------------------------------------------------------

    def named(self, text: str) -> Tool | None:
        """The tool whose name stands in a text as something to use: `call echo`, `use the get-sum tool`."""
        for tool in sorted(self.tools, key=lambda one: -len(one.name)):
            for name in dict.fromkeys((tool.name, bare_name(tool.name))):
                said = rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\w)"
                ordered = (
                    rf"\b(?:use|call|run|invoke|execute|try"
                    rf"|with)\s+(?:the\s+)?(?:tool\s+)?[`\"']?{said}|^[`\"']?{said}"
                    rf"|{said}[`\"']?\s+tool\b"
                )
                if re.search(ordered if re.fullmatch(r"[A-Za-z]+", name) else said, text, re.IGNORECASE):
                    return tool
        return None

    def spelled_out(self, tool: Tool, text: str) -> Call | None:
        """A call of a named tool with the arguments a text gives for it; None if it doesn't give all that
        are needed."""
        arguments = _given(tool, text)
        if any(name not in arguments for name in tool.required):
            return None
        return Call.of(tool.name, arguments)

    def example(self) -> Call | None:
        """A harmless call of some tool, with arguments made up from its schema."""
        harmless = sorted(self.tools, key=lambda tool: _harm(words_of(bare_name(tool.name))))
        if not harmless:
            return None
        return Call.of(harmless[0].name, sample(harmless[0]))


def bare_name(name: str) -> str:
    """`files__write_file` -> `write_file`.

    >>> bare_name("files__write_file"), bare_name("write_file")
    ('write_file', 'write_file')
    """
    return re.split(r"__|[./:]", name)[-1] or name


def words_of(name: str) -> list[str]:
    """`saveTextFile` -> save, text, file."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", name)]


def slot_of(tool: Tool, slot: str, taken: Sequence[str] = ()) -> str | None:
    """The property of a tool that takes a file name, a text or a keyword."""
    for wanted in _SLOTS[slot]:
        for name, schema in tool.properties.items():
            kind = schema.get("type", "string") if isinstance(schema, Mapping) else "string"
            is_text = kind == "string" or (isinstance(kind, list) and "string" in kind)
            if name not in taken and is_text and "_".join(words_of(name)) == "_".join(words_of(wanted)):
                return name
    return None


def _arguments(tool: Tool, role: str, values: Mapping[str, str]) -> dict[str, Any] | None:
    arguments: dict[str, Any] = {}
    for slot in _ROLES[role].slots:
        name = slot_of(tool, slot, tuple(arguments))
        if name is None:
            return None
        arguments[name] = values[slot]
    for name in tool.required:
        if name in arguments:
            continue
        schema = tool.properties.get(name)
        schema = schema if isinstance(schema, Mapping) else {}
        if "default" in schema:
            arguments[name] = schema["default"]
        elif schema.get("type") == "boolean":
            arguments[name] = False
        elif role == "list" and name in ("path", "directory", "folder", "dir"):
            arguments[name] = "."
        else:
            return None
    return arguments


def _given(tool: Tool, text: str) -> dict[str, Any]:
    """The arguments a text gives: as JSON, as `name=value`, or as the one value there is."""
    blob = re.search(r"\{.*\}", text, re.DOTALL)
    if blob and isinstance(value := _json(blob[0]), dict):
        return value
    found: dict[str, Any] = {}
    for name, schema in tool.properties.items():
        said = re.search(
            rf"(?<![\w-]){re.escape(name)}[\"'`]?\s*(?:=|:|\bis\b|\bto\b|\bset to\b|\s)\s*"
            r"(?:\"([^\"]*)\"|'([^']*)'|`([^`]*)`|([^\s,;]+))",
            text,
            re.IGNORECASE,
        )
        if said:
            found[name] = _typed(next(part for part in said.groups() if part is not None), schema)
    return found or _only_values(tool, text)


def _only_values(tool: Tool, text: str) -> dict[str, Any]:
    """Values without names: one for the only argument, or as many numbers as there are arguments."""
    schemas = [tool.properties.get(name, {}) for name in tool.required]
    if len(schemas) == 1:
        quoted = re.search(r"\"([^\"]*)\"|'([^']*)'|“([^”]*)”", text)
        behind = re.split(rf"{re.escape(bare_name(tool.name))}(?:\s+tool)?\b", text, maxsplit=1, flags=re.I)[-1]
        bare = re.sub(r"^(?:with|on|for|saying)\s+", "", behind.strip(" :.!?"))
        value = next(part for part in quoted.groups() if part is not None) if quoted else bare
        return {tool.required[0]: _typed(value, schemas[0])} if value else {}
    numbers = re.findall(r"-?\d+(?:\.\d+)?", text)
    if len(numbers) == len(schemas) and all(_kind(schema) in ("number", "integer") for schema in schemas):
        pairs = zip(tool.required, numbers, schemas, strict=True)
        return {name: _typed(number, schema) for name, number, schema in pairs}
    return {}


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _kind(schema: Any) -> Any:
    return schema.get("type") if isinstance(schema, Mapping) else None


def _typed(value: str, schema: Any) -> Any:
    """A word as the type its schema wants; as it stands if that can't be done."""
    kind = _kind(schema)
    if kind not in ("number", "integer", "boolean", "array", "object"):
        return value
    found = _json(value.lower() if kind == "boolean" else value.rstrip(".,"))
    return value if found is None else found


def _harm(words: Sequence[str]) -> int:
    orders = (("list", "ls", "echo"), ("read", "get", "search", "count", "find", "show", "sum"))
    level = next((place for place, verbs in enumerate(orders) if any(word in verbs for word in words)), 2)
    return 9 if any(word in ("delete", "remove", "erase", "write", "append", "kill") for word in words) else level


def sample(tool: Tool) -> dict[str, Any]:
    """Arguments that a schema accepts, as far as a simple look can tell."""
    return {name: _sample_value(name, tool.properties.get(name, {})) for name in tool.required}


def _sample_value(name: str, schema: Any) -> Any:
    schema = schema if isinstance(schema, Mapping) else {}
    if "default" in schema:
        return schema["default"]
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return schema["enum"][0]
    kind = schema.get("type", "string")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    if kind in ("integer", "number"):
        return schema.get("minimum", 1)
    texts = {"file": "notes.txt", "keyword": "TODO", "text": "TODO: try out the file tools"}
    fitting = next((text for slot, text in texts.items() if name.lower() in _SLOTS[slot]), "example")
    return {"boolean": False, "array": [], "object": {}, "null": None}.get(str(kind), fitting)
