"""Many connections, one list of tools: each call finds its way back to its server.

In:   the user's servers; jobs whose tools are from the list.
Out:  tools under names that are unique over all servers, in a stable order; one Result per job, in order; resources and
      prompts by the names that a user types.
Here nobody knows models, or decides what may run (approval.py does).

Theory of operation
    A tool is called server__tool for the model, whatever other servers have. The order is that of the configuration,
    and by name within a server: a list that stays the same is a list that a provider can keep in its cache. Where two
    names meet all the same (server "a", tool "b__c"; server "a__b", tool "c"), the later one gets a number.

    What can't be done becomes a result that says so in a sentence, because it is the model that must go on from there.
    A call whose answer was lost may have been carried out, and the model is told so; it is never sent twice.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_core import schemas
from playground.host.calls import Block, Result, text_block
from playground.host.loop import Interrupted
from playground.host.member import Member
from playground.host.running import POLL, Answer, Halted, Hear, Runner, Work
from playground.host.servers import Entry
from playground.host.tools import Job, Tool
from playground.logbook import Logbook
from playground.wire.connection import BadResult, Declined, Refused
from playground.wire.transports import NotReachable, TimedOut, TravelError

Object = dict[str, Any]

OPENING = 15.0  # seconds that the chat waits for servers to say hello
CLOSING = 8.0
UNKNOWN_FATE = "Whether the tool ran is not known: look before you call it again."


class RouterError(Exception):
    """What the user asked of a server can't be had; one sentence that says why."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A resource or a prompt, and whose it is."""

    server: str
    name: str
    entry: Object

    @property
    def full(self) -> str:
        """Its name beside those of other servers."""
        return f"{self.server}:{self.name}"


class Router:
    """All servers of one chat. `answer` and `hear` are called on the thread that runs calls, one at a time."""

    def __init__(
        self,
        entries: Sequence[Entry],
        log: Logbook,
        *,
        capabilities: Object | None = None,
        answer: Answer = lambda question: None,
        hear: Hear = lambda news: None,
        trace: Callable[[], str],
    ) -> None:
        self._runner, self._answer, self._hear, self._log = Runner(), answer, hear, log
        able = capabilities or {}
        self.members = [Member(entry, log, able, self._runner.put, self._runner.tell, trace) for entry in entries]
        self._lists: list[list[Object]] = []  # of which the next was made
        self._tools: tuple[Tool, ...] = ()
        self._checks: dict[int, tuple[Any, schemas.Check]] = {}
        self.timings: dict[str, float] = {}  # call id -> milliseconds, of the last run

    def open(self) -> None:
        """Says hello to all servers at once. One that fails has a `problem`; one that is slow joins later by itself."""
        _at_once(Member.open, self.members, OPENING)

    def close(self) -> None:
        """Ends all connections, and the servers that were started."""
        _at_once(Member.close, self.members, CLOSING)

    # ---- 1. Tools ----------------------------------------------------------------------------------------------------

    def tools(self) -> tuple[Tool, ...]:
        """What all servers offer now; the same object for as long as their lists are the same."""
        lists = [member.listed("tools/list") for member in self.members]
        if lists != self._lists:
            found: dict[str, Tool] = {}
            for member, listed in zip(self.members, lists, strict=True):
                for entry in sorted(listed, key=lambda entry: str(entry["name"])):
                    tool = _tool(member, entry, found)
                    found[tool.name] = tool
            self._lists, self._tools = lists, tuple(found.values())
        return self._tools

    def refresh(self) -> None:
        """Forgets all lists, and says hello once more to servers that could not be reached."""
        for member in self.members:
            member.forget()
        _at_once(Member.open, [member for member in self.members if not member.is_open], OPENING)

    def check(self, tool: Tool, arguments: Mapping[str, Any]) -> str | None:
        """What is wrong with arguments, before they travel; None also where the schema itself is unusable."""
        known = self._checks.get(id(tool.schema))
        if known is None or known[0] is not tool.schema:
            try:
                compiled = schemas.checker(dict(tool.schema))
            except ValueError:
                compiled = _anything
            known = self._checks[id(tool.schema)] = tool.schema, compiled
        faults = known[1](dict(arguments))
        return "; ".join(faults) + "." if faults else None

    # ---- 2. Calls ----------------------------------------------------------------------------------------------------

    def run(self, jobs: Sequence[Job]) -> list[Result]:
        """The results, in order. Raises Interrupted after Ctrl-C, with those that were there by then."""
        self.timings = {}
        try:
            return self._runner.run([Work(job, _bound(self._call, job)) for job in jobs], self._answer, self._hear)
        except Halted as halted:
            raise Interrupted(result for result in halted.outcomes if result is not None) from None

    def _call(self, job: Job, stop: threading.Event) -> Result | None:
        """None where it was stopped: the conversation says so itself."""
        begun = time.perf_counter()
        id = job.call.id
        try:
            connection = self._open(job.tool.server).connection
            assert connection is not None
            told = connection.call_tool(job.tool.original, job.arguments, with_progress=True, stop=stop)
            return Result.received(id, told)
        except BadResult as bad:
            result = Result.received(id, bad.result)
            return Result(id, (*result.content, text_block(f"[{bad}]")), result.is_error)
        except Exception as error:
            if stop.is_set():
                return None
            return Result.of_text(id, self._sentence(job, error), is_error=True)
        finally:
            self.timings[id] = (time.perf_counter() - begun) * 1000

    def _sentence(self, job: Job, error: Exception) -> str:
        where = f"'{job.tool.original}' on the server '{job.tool.server}'"
        match error:
            case Refused():
                code = f" ({error.code})" if error.code is not None else ""
                return f"The server refused to run {where}: {error}{code}"
            case Declined():
                return f"{where} was not finished: {error}"
            case NotReachable() | RouterError():
                return f"{where} was not run: {error}"
            case TimedOut() | TravelError():
                return f"{where} gave no answer: {error} {UNKNOWN_FATE}"
            case _:
                self._log.write("chat_crash", {"error": repr(error), "call": job.call.id}, level="ERROR")
                return f"{where} was not run: the host failed ({type(error).__name__})."

    # ---- 3. Resources and prompts ------------------------------------------------------------------------------------

    def resources(self) -> list[Listed]:
        """Everything that a user may attach, of all servers."""
        return [
            Listed(member.name, str(entry.get("name") or entry.get("uri")), entry)
            for member in self.members
            for entry in member.listed("resources/list")
            if isinstance(entry.get("uri"), str)
        ]

    def prompts(self) -> list[Listed]:
        """Everything in the servers' menus."""
        return [
            Listed(member.name, str(entry.get("name")), entry)
            for member in self.members
            for entry in member.listed("prompts/list")
        ]

    def read(self, resource: Listed) -> list[Block]:
        """The contents of a resource as blocks. Raises RouterError, Interrupted."""
        told = self._ask(resource.server, "resources/read", {"uri": resource.entry["uri"]})
        contents = told.get("contents")
        found = [part for part in contents if isinstance(part, dict)] if isinstance(contents, list) else []
        return [{"type": "resource", "resource": part} for part in found]

    def prompt(self, prompt: Listed, arguments: Mapping[str, str]) -> list[Object]:
        """The messages of a prompt, each with "role" and "content". Raises RouterError, Interrupted."""
        told = self._ask(prompt.server, "prompts/get", {"name": prompt.name, "arguments": dict(arguments)})
        messages = told.get("messages")
        return [message for message in messages if isinstance(message, dict)] if isinstance(messages, list) else []

    def _ask(self, server: str, method: str, params: Object) -> Object:
        def ask(stop: threading.Event) -> Object:
            connection = self._open(server).connection
            assert connection is not None
            return connection.request(method, params, stop=stop)

        try:
            (told,) = self._runner.run([Work(None, ask)], self._answer, self._hear)
        except Halted:
            raise Interrupted from None
        except (Refused, TravelError, Declined) as error:
            raise RouterError(f"The server '{server}' did not answer {method}: {error}") from None
        found: Object = told
        return found

    def _open(self, name: str) -> Member:
        member = next((member for member in self.members if member.name == name), None)
        if member is None or not member.is_open:
            raise RouterError(f"The server '{name}' is not connected. {member.problem if member else ''}".rstrip())
        return member


def _tool(member: Member, entry: Object, taken: Mapping[str, Tool]) -> Tool:
    original = str(entry["name"])
    name, number = f"{member.name}__{original}", 2
    while name in taken:
        name, number = f"{member.name}__{original}_{number}", number + 1
    described, schema = entry.get("description"), entry.get("inputSchema")
    return Tool(
        name,
        described if isinstance(described, str) else "",
        schema if isinstance(schema, dict) else {"type": "object"},
        member.name,
        original,
        entry,
        member.entry.trusted,
    )


def _at_once(function: Callable[[Member], None], members: Sequence[Member], limit: float) -> None:
    threads = [threading.Thread(target=function, args=[member], daemon=True) for member in members]
    until = time.monotonic() + limit
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive() and time.monotonic() < until:
            thread.join(POLL)  # a wait without limit could not be interrupted on Windows


def _bound(function: Callable[[Job, threading.Event], Any], job: Job) -> Callable[[threading.Event], Any]:
    return lambda stop: function(job, stop)


def _anything(value: Any) -> list[str]:
    return []
