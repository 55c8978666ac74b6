"""What a server offers: tools, resources, templates of resources, prompts.

In:   typed functions, by decorator.
Out:  entries that words.py lists and calls, and Changes for whoever watches.
Here nobody knows who is asking, over what, in which revision.

A tool is a typed function: its name, docstring and annotations are its contract. One that wants to report or to ask
*yields* an effect (effects.py) and gets the answer as the value of the yield. So the same body serves a client that
can be asked in mid-call and one that must call again with the answer; neither shows here.
"""

import inspect
import re
import typing
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote

from mcp_core import headers, schemas

# ---- 1. The entries --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tool:
    name: str
    function: Callable[..., Any]
    listed: dict[str, Any]  # as tools/list shows it, in the newest revision
    needs: dict[str, Any]  # the client capabilities without which it won't run
    check: schemas.Check
    mirrored: dict[tuple[str, ...], str]  # the arguments that travel in a header too (headers.mirrored)


@dataclass(frozen=True)
class Resource:
    uri: str
    function: Callable[..., Any]
    listed: dict[str, Any]


@dataclass(frozen=True)
class Template:
    uri: str  # with {variables}, RFC 6570 level 1
    function: Callable[..., Any]
    listed: dict[str, Any]
    listing: Callable[[], Iterable[dict[str, Any]]]  # the resources it stands for at this moment
    complete: dict[str, "Completer"]

    def match(self, uri: str) -> dict[str, str] | None:
        """The variables that make this template that URI, or None."""
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(self.uri))
        found = re.fullmatch(pattern, uri)
        return None if found is None else {name: unquote(part) for name, part in found.groupdict().items()}


@dataclass(frozen=True)
class Prompt:
    name: str
    function: Callable[..., Any]
    listed: dict[str, Any]
    check: schemas.Check
    complete: dict[str, "Completer"]


class NotFound(Exception):
    """Raised by a resource's function: nothing has this URI."""


Completer = Callable[[str, dict[str, str]], list[str]]  # what is typed so far, the other arguments -> suggestions


@dataclass(frozen=True, slots=True)
class Change:
    """What a client may want to be told: the list of a kind changed, or (with a uri) one resource did."""

    kind: str  # tools | prompts | resources
    uri: str | None = None


# ---- 2. The catalogue ------------------------------------------------------------------------------------------------


@dataclass
class Catalogue:
    """Everything one server offers, in the order it was declared.

    >>> shop = Catalogue("shop", "1.0")
    >>> @shop.tool(read_only=True)
    ... def add(a: int, b: int) -> int:
    ...     '''Adds two numbers.'''
    ...     return a + b
    >>> shop.tools["add"].listed["description"]
    'Adds two numbers.'
    """

    name: str
    version: str
    title: str | None = None
    instructions: str | None = None
    icons: list[dict[str, Any]] | None = None
    tools: dict[str, Tool] = field(default_factory=dict)
    resources: dict[str, Resource] = field(default_factory=dict)
    templates: dict[str, Template] = field(default_factory=dict)
    prompts: dict[str, Prompt] = field(default_factory=dict)
    _watchers: list[Callable[[Change], None]] = field(default_factory=list)

    @property
    def info(self) -> dict[str, Any]:
        """The server's `Implementation` object.

        >>> Catalogue("shop", "1.0").info
        {'name': 'shop', 'version': '1.0'}
        """
        return _present(name=self.name, version=self.version, title=self.title, icons=self.icons)

    def tool(
        self,
        *,
        title: str | None = None,
        read_only: bool | None = None,
        destructive: bool | None = None,
        idempotent: bool | None = None,
        open_world: bool | None = None,
        needs: dict[str, Any] | None = None,
        **listed: Any,
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Offers a function as a tool. The hints become its annotations: they inform a host and guard nothing.

        What is listed can be given outright (`inputSchema=`, `outputSchema=`, `icons=`, `_meta=`, `name=`), for tools
        whose contract Python's types can't express.

        >>> @Catalogue("shop", "1.0").tool(destructive=True)
        ... def burn(what: str) -> None: ...
        >>> burn.__name__
        'burn'
        """
        hints = _present(
            title=title,
            readOnlyHint=read_only,
            destructiveHint=destructive,
            idempotentHint=idempotent,
            openWorldHint=open_world,
        )

        def offer(function: Callable[..., Any]) -> Callable[..., Any]:
            entry: dict[str, Any] = {
                "name": function.__name__,
                "title": title,
                "description": _described(function),
            }
            entry["inputSchema"] = listed.get("inputSchema") or schemas.of_parameters(function)
            entry["outputSchema"] = listed.get("outputSchema") or _output_schema(function)
            entry = _present(**{**entry, "annotations": hints or None, **listed})
            schema, name = entry["inputSchema"], entry["name"]
            mirrored = headers.mirrored(schema)  # raises ValueError where x-mcp-header stands where it must not
            self.tools[name] = Tool(name, function, entry, needs or {}, _once(schema), mirrored)
            return function

        return offer

    def resource(self, uri: str, *, name: str, **listed: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Offers what a function returns (str, bytes or a list of contents) as the resource with this URI.

        >>> @Catalogue("shop", "1.0").resource("shop://hours", name="hours", mimeType="text/plain")
        ... def hours() -> str: ...
        """

        def offer(function: Callable[..., Any]) -> Callable[..., Any]:
            entry = _present(uri=uri, name=name, description=_described(function), **listed)
            self.resources[uri] = Resource(uri, function, entry)
            return function

        return offer

    def template(
        self,
        uri: str,
        *,
        name: str,
        listing: Callable[[], Iterable[dict[str, Any]]] = tuple,
        complete: dict[str, Completer] | None = None,
        **listed: Any,
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Offers a family of resources: the function gets the variables by name, and may raise NotFound.

        >>> @Catalogue("shop", "1.0").template("shop://items/{id}", name="item")
        ... def item(id: str) -> str: ...
        """

        def offer(function: Callable[..., Any]) -> Callable[..., Any]:
            entry = _present(uriTemplate=uri, name=name, description=_described(function), **listed)
            self.templates[uri] = Template(uri, function, entry, listing, complete or {})
            return function

        return offer

    def prompt(
        self, *, complete: dict[str, Completer] | None = None, **listed: Any
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Offers a function as a prompt; it returns a text or a list of content.message().

        >>> @Catalogue("shop", "1.0").prompt(title="Haggle")
        ... def haggle(price: str) -> str: ...
        """

        def offer(function: Callable[..., Any]) -> Callable[..., Any]:
            schema = schemas.of_parameters(function)
            entry = {"name": function.__name__, "description": _described(function), **listed}
            entry = _present(**entry, arguments=_arguments(schema) or None)
            self.prompts[entry["name"]] = Prompt(entry["name"], function, entry, _once(schema), complete or {})
            return function

        return offer

    def watch(self, watcher: Callable[[Change], None]) -> None:
        """Has a function called at every change.

        >>> shop, seen = Catalogue("shop", "1.0"), []
        >>> shop.watch(seen.append)
        >>> shop.announce(Change("tools"))
        >>> seen
        [Change(kind='tools', uri=None)]
        """
        self._watchers.append(watcher)

    def announce(self, change: Change) -> None:
        """Tells the watchers that something changed.

        >>> Catalogue("shop", "1.0").announce(Change("resources", "shop://hours"))
        """
        for watcher in self._watchers:
            watcher(change)


def expand(template: str, **variables: str) -> str:
    """A template's URI with its variables filled in (RFC 6570 level 1).

    >>> expand("playground://files/{name}", name="a b.txt")
    'playground://files/a%20b.txt'
    """
    return re.sub(r"\{(\w+)\}", lambda found: quote(variables[found[1]], safe=""), template)


def _present(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}


def _described(function: Callable[..., Any]) -> str | None:
    return inspect.getdoc(function)


def _output_schema(function: Callable[..., Any]) -> dict[str, Any] | None:
    returned = typing.get_type_hints(function).get("return")
    if typing.get_origin(returned) is Generator:
        returned = typing.get_args(returned)[2]
    return schemas.of_type(returned) if typing.is_typeddict(returned) else None


def _arguments(schema: dict[str, Any]) -> list[dict[str, Any]]:
    needed = schema.get("required", [])
    return [
        _present(name=name, title=part.get("title"), description=part.get("description"), required=name in needed)
        for name, part in schema["properties"].items()
    ]


def _once(schema: dict[str, Any]) -> schemas.Check:
    """Compiles a schema when the first value comes, because the compiler's import costs more than a listing."""
    compiled: list[schemas.Check] = []

    def check(value: Any) -> list[str]:
        if not compiled:
            compiled.append(schemas.checker(schema))
        return compiled[0](value)

    return check
