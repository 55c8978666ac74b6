"""What the user sees: the answer as it arrives, the calls, what went wrong; or one JSON object for a machine.

In:   the steps of a turn.
Out:  on a terminal, all of it in its place; elsewhere the answer alone on stdout, and the rest on stderr.
Here nobody decides anything. Every text is made visible before it is shown: a model, a server and a file may all hold
what a terminal would obey (playground/terminal.py says why).
"""

import contextlib
import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from playground.host.approval import Question as Approvable
from playground.host.calls import Result
from playground.host.conversation import NO_ANSWER
from playground.host.diagnosis import Diagnosis
from playground.host.providers.content import all_text
from playground.host.running import News
from playground.host.tools import Job
from playground.redaction import Redactor
from playground.terminal import fold, one_line, visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status

Object = dict[str, Any]

SHOWN_RESULT = 300  # characters
SHOWN_ARGUMENTS = 200  # characters of arguments that nobody is asked about
STYLES = {"faint": "dim", "bad": "bold red", "good": "green", "bold": "bold", "call": "cyan"}


class Screen:
    """A terminal (`is_terminal`), or two streams. With `as_json` stdout gets one object per question instead.

    `is_quiet`: beside the answer only warnings, and where there is no answer one line that says why.
    """

    def __init__(
        self,
        out: TextIO,
        notes: TextIO,
        *,
        is_terminal: bool,
        as_json: bool = False,
        is_quiet: bool = False,
        secrets: Iterable[str] = (),
    ) -> None:
        from rich.console import Console

        for stream in (out, notes):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        plain: Object = {"markup": False, "highlight": False, "emoji": False, "soft_wrap": True}
        self.is_terminal, self.as_json, self.is_quiet = is_terminal, as_json, is_quiet and not is_terminal
        self._out: Console = Console(file=out, **plain)
        self._notes: Console = self._out if is_terminal else Console(file=notes, **plain)
        self._redactor = Redactor(secrets)
        self._status: Status | None = None
        self._column = 0  # whether the line on the screen has begun
        self._streamed = ""
        self._report: Object = {}
        self._held: list[str] = []  # warnings, until it is clear that there is an answer to which they belong

    # ---- Lines ----

    def note(self, text: str, style: str = "faint") -> None:
        """A line beside the answer."""
        self.settle()
        if not self.is_quiet:
            self._print(self._notes, visible(text), style)

    def warn(self, text: str) -> None:
        self.settle()
        if self.is_quiet:
            self._held.append(text)
        else:
            self._print(self._notes, visible(f"! {text}"), "bad")

    def fails(self, text: str) -> None:
        """The one line that stands in an answer's place."""
        self.settle()
        self._print(self._notes, visible(text), "bad")
        self._held.clear()

    def text(self, text: str) -> None:
        """What a command shows: its own output, so it goes where answers go."""
        self.settle()
        self._print(self._out, visible(text))

    def settle(self) -> None:
        """Ends a line that has begun, and what is moving."""
        if self._status is not None:
            self._status.stop()
            self._status = None
        if self._column:
            self._out.print()
            self._column = 0

    # ---- A turn ----

    def begins(self, question: str) -> None:
        self._report = {"question": question, "calls": [], "notices": []}

    def thinks(self, label: str) -> None:
        """The model is asked."""
        self.settle()
        self._streamed = ""
        self._busy(f"{label} …")

    def piece(self, kind: str, piece: str) -> None:
        """A piece of the answer: a stream shows each as it comes, thoughts fainter, a call by its name."""
        if not self.is_terminal or kind == "call":
            return
        if self._status is not None:
            self._status.stop()
            self._status = None
        self._streamed += piece if kind == "text" else ""
        shown = visible(piece)
        self._print(self._out, shown, "faint" if kind == "thought" else "", end="")
        self._column = 0 if shown.endswith("\n") else self._column + len(shown)

    def runs(self, jobs: Sequence[Job]) -> None:
        """These calls begin."""
        self.settle()
        for job in jobs:
            arguments = one_line(json.dumps(dict(job.arguments), ensure_ascii=False), SHOWN_ARGUMENTS)
            self.note(f"{'→' if self._has_arrows else '->'} {job.tool.name} {arguments}", "call")
        if jobs:
            self._busy(", ".join(one_line(job.tool.name) for job in jobs[:3]) + " …")

    def hears(self, news: News) -> None:
        """How far a server is."""
        params, name = news.note.params, news.note.method
        if name == "notifications/progress":
            total = f"/{params['total']:g}" if isinstance(params.get("total"), int | float) else ""
            done = f"{params['progress']:g}" if isinstance(params.get("progress"), int | float) else "?"
            self._busy(one_line(f"{news.server}: {done}{total} {params.get('message', '')}"))
        elif name == "notifications/message" and params.get("level") not in ("debug", "info"):
            self.note(f"{news.server} says: {one_line(str(params.get('data')), 300)}")

    def results(self, jobs: Sequence[Job], results: Iterable[Result]) -> None:
        """What came of them."""
        self.settle()
        names = {job.call.id: job for job in jobs}
        for result in results:
            text = all_text(result.content)
            shown = one_line(text, SHOWN_RESULT)
            self.note(f"  {'✗' if self._has_arrows else 'x'} {shown}" if result.is_error else f"  {shown}", "faint")
            if self._report and (job := names.get(result.call_id)):
                told: Object = {"server": job.tool.server, "tool": job.tool.original}
                told |= {"arguments": dict(job.arguments), "is_error": result.is_error, "result": text}
                self._report["calls"].append(told)

    def diagnosed(self, found: Diagnosis) -> None:
        self.warn(found.sentence)
        if self._report:
            self._report["notices"].append({"kind": found.kind, "sentence": found.sentence})

    def says(self, text: str, by_host: bool) -> None:
        """The answer; what was streamed stands there already."""
        self.settle()
        if self.as_json:
            key = "stopped" if by_host else "answer"
            self._report |= {key: text}
        elif by_host and not self.is_terminal:
            self.fails(self._held[-1] if self._held and text == NO_ANSWER else text)
        elif by_host or not (self.is_terminal and self._streamed.strip() == text.strip()):
            self._print(self._out, visible(text), "bad" if by_host else "")
        self._streamed = ""

    def stopped(self, kind: str, sentence: str, command: str = "") -> None:
        """The turn ended without an answer."""
        self.settle()
        if self.as_json:
            self._report |= {"error": {"kind": kind, "sentence": sentence, "command": command}}
        else:
            self.fails(f"{sentence} Try: {command}" if command and command not in sentence else sentence)

    def ends(self, **about: Any) -> None:
        """The turn is over; a machine gets its object."""
        self.settle()
        if self.as_json:
            self._print(self._out, json.dumps({"answer": None, **self._report, **about}))
        for text in self._held:
            self._print(self._notes, visible(f"! {text}"), "bad")
        self._report, self._held = {}, []

    # ---- Questions ----

    def approvable(self, question: Approvable) -> None:
        """The call that waits for the user's word, in full."""
        tool = question.tool
        self.note(f"The model wants to run {tool.name}, of the server '{tool.server}', with", "bold")
        self.note(fold(dict(question.arguments), self._out.width - 1), "")
        trust = "" if tool.trusted else ", which you have not marked as trusted"
        self.note(f"Its server{trust} says of it: {', '.join(question.claims)}.")
        if question.changed:
            self.warn("The server has changed this tool since you allowed it.")

    # ---- How it is printed ----

    def _busy(self, text: str) -> None:
        """Something that moves, while one waits."""
        if not self.is_terminal or self._column:
            return
        if self._status is None:
            self._status = self._out.status("", spinner="dots" if self._has_arrows else "line")
            self._status.start()
        from rich.text import Text

        self._status.update(Text(text, "dim"))

    @property
    def _has_arrows(self) -> bool:
        with contextlib.suppress(UnicodeEncodeError, LookupError):
            "→✗…".encode(self._notes.encoding)
            return True
        return False

    def _print(self, console: "Console", text: str, style: str = "", end: str = "\n") -> None:
        from rich.text import Text

        text = self._redactor.mask_text(text) if self._redactor.knows_any else text
        if STYLES.get(style):
            console.print(Text(text, STYLES[style]), end=end, soft_wrap=True)
        else:  # to the letter: rich would make spaces of tabs
            console.file.write(text + end)
            console.file.flush()
