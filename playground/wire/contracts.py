"""What a server's tools have promised: the schemas of their arguments and of their results.

In:   tools as they were listed, and a result.
Out:  the tools that may be called, and sentences about a result that breaks its promise.
Here nobody lists or calls anything.
"""

from collections.abc import Callable
from typing import Any

from mcp_core import schemas
from mcp_core.headers import mirrored

Object = dict[str, Any]


class BadResult(Exception):
    """A tool's structuredContent is not what its outputSchema promises; `result` is all that came."""

    def __init__(self, sentence: str, result: Object) -> None:
        super().__init__(sentence)
        self.result = result


def least_fresh(known: float | None, page: Object) -> float | None:
    """Seconds that a list may be kept: as long as its least fresh page (2026-07-28, server/utilities/caching).

    >>> least_fresh(None, {"ttlMs": 60000}), least_fresh(1.0, {"ttlMs": 60000}), least_fresh(None, {})
    (60.0, 1.0, None)
    """
    ttl = page.get("ttlMs")
    if not isinstance(ttl, int) or isinstance(ttl, bool) or ttl < 0:
        return known
    return ttl / 1000 if known is None else min(known, ttl / 1000)


class Contracts:
    """The tools of one server, as last listed. `warn` takes a sentence about what can't be used."""

    def __init__(self, warn: Callable[[str], None]) -> None:
        self.is_fresh = False  # listed, and not changed since as far as one knows
        self._warn = warn
        self._tools: dict[str, Object] = {}
        self._checks: dict[str, schemas.Check] = {}

    def learn(self, tools: list[Object], *, are_mirrored: bool) -> list[Object]:
        """Takes a whole list; gives those that may be called. `are_mirrored`: arguments may have to travel in headers.

        A tool that wants that in a way that breaks the rules must be left out (2026-07-28, transports, x-mcp-header).
        """
        self._tools = {str(tool["name"]): tool for tool in tools if self._is_usable(tool, are_mirrored)}
        self._checks, self.is_fresh = {}, True
        return list(self._tools.values())

    def input_schema(self, name: str) -> Any:
        """The schema of a tool's arguments, if the tool is known."""
        return self._tools.get(name, {}).get("inputSchema")

    def check(self, name: str, result: Object) -> None:
        """Raises BadResult for a structuredContent that breaks the promise; says nothing where there was none."""
        if faults := self._faults(name, result):
            raise BadResult(f"The result of {name} breaks its outputSchema: {'; '.join(faults)}.", result)

    def _faults(self, name: str, result: Object) -> list[str]:
        promised = self._tools.get(name, {}).get("outputSchema")
        if promised is None or result.get("isError"):
            return []
        if "structuredContent" not in result:
            return ["it has no structuredContent"]
        if name not in self._checks:
            try:
                self._checks[name] = schemas.checker(promised)
            except ValueError as error:  # broken, or refers to another document, which is never fetched
                self._warn(f"The outputSchema of {name!r} can't be used: {error}")
                self._checks[name] = lambda value: []
        return self._checks[name](result["structuredContent"])

    def _is_usable(self, tool: Object, are_mirrored: bool) -> bool:
        name, schema = tool.get("name"), tool.get("inputSchema")
        if not isinstance(name, str):
            self._warn("A tool without a name is left out.")
            return False
        try:
            if are_mirrored:
                mirrored(schema if isinstance(schema, dict) else {})
        except ValueError as error:
            self._warn(f"The tool {name!r} is left out: {error}.")
            return False
        return True
