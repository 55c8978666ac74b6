"""What the user types: questions with history and completion, one key where one key will do, lines from a pipe.

In:   a terminal, or any other stream of lines.
Out:  what was typed; EOFError at its end; KeyboardInterrupt for Ctrl-C on an empty line.
Here nobody knows what it means.

Theory of operation
    A yes must be an answer to what stands on the screen. So before each question of the host's, what was typed ahead
    is thrown away, and after it too: of "yes" and Enter the first letter is the answer, and the rest no question to the
    model. What is pasted arrives as one text, whatever line ends are in it, because the terminal brackets it.
"""

import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from playground.terminal import visible

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.key_binding import KeyPressEvent

Complete = Callable[[str], Iterable[tuple[str, str]]]
"""For the last word typed so far: (what it may become, what that is)."""


def is_terminal(*streams: TextIO | None) -> bool:
    """Whether somebody sits at all of these."""
    return all(stream is not None and not stream.closed and stream.isatty() for stream in streams)


class Lines:
    """Questions from a pipe or a file, one a line. Nobody can be asked anything."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace", encoding="utf-8-sig")  # type: ignore[union-attr]

    def question(self) -> str:
        """The next line. Raises EOFError at the end, also where there is no input at all."""
        line = self._stream.readline() if self._stream is not None and not self._stream.closed else ""
        if not line:
            raise EOFError
        return line.rstrip("\r\n")


class Keyboard:
    """A person at a terminal. `history` is the file that keeps what was asked; `complete` finds what a word becomes."""

    def __init__(self, history: Path | None = None, complete: Complete = lambda word: ()) -> None:
        self._history, self._complete = history, complete
        self._session: PromptSession[str] | None = None

    def question(self) -> str:
        """A question to the model, or a command; several lines where they were pasted, or made with Alt-Enter.

        Raises EOFError for Ctrl-D, KeyboardInterrupt for Ctrl-C, both on an empty line; else Ctrl-C clears it.
        """
        if self._session is None:
            self._session = self._begin()
        return self._session.prompt("> ")

    def line(self, prompt: str, default: str = "") -> str:
        """One line of text, as an answer. Raises EOFError, KeyboardInterrupt."""
        from prompt_toolkit import prompt as ask

        with _fresh():
            return ask(f"{visible(prompt)} ", default=default)

    def choose(self, prompt: str, choices: Mapping[str, str]) -> str:
        """One key out of `choices` (key -> what it stands for), without Enter. Raises EOFError, KeyboardInterrupt."""
        from prompt_toolkit import PromptSession
        from prompt_toolkit.key_binding import KeyBindings

        keys, shown = KeyBindings(), "  ".join(f"[{key}] {what}" for key, what in choices.items())

        def bind(key: str) -> None:
            @keys.add(key)
            @keys.add(key.upper())
            def _(event: "KeyPressEvent") -> None:
                event.app.current_buffer.text = choices[key]
                event.app.exit(result=key)

        for key in choices:
            bind(key)

        @keys.add("<any>")
        @keys.add("enter")
        @keys.add("escape")
        def _(event: "KeyPressEvent") -> None:
            """Any other key is no answer."""

        session: PromptSession[str] = PromptSession(key_bindings=keys, reserve_space_for_menu=0)
        with _fresh():
            return session.prompt(f"{visible(prompt)}  {shown} ")

    def _begin(self) -> "PromptSession[str]":
        from prompt_toolkit import PromptSession
        from prompt_toolkit.history import FileHistory, InMemoryHistory

        history: Any = InMemoryHistory()
        if self._history is not None:
            with contextlib.suppress(OSError):
                self._history.parent.mkdir(parents=True, exist_ok=True)
                os.close(os.open(self._history, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
                history = FileHistory(str(self._history))
        completer = _completer(self._complete)
        return PromptSession(history=history, completer=completer, complete_in_thread=True, key_bindings=_keys())


def _keys() -> Any:
    from prompt_toolkit.key_binding import KeyBindings

    keys = KeyBindings()

    @keys.add("c-c")
    @keys.add("<sigint>")
    def _(event: "KeyPressEvent") -> None:
        if event.current_buffer.text:
            event.current_buffer.reset()
        else:
            event.app.exit(exception=KeyboardInterrupt, style="class:aborting")

    @keys.add("escape", "enter")
    def _(event: "KeyPressEvent") -> None:
        event.current_buffer.insert_text("\n")

    return keys


def _completer(complete: Complete) -> Any:
    from prompt_toolkit.completion import Completer, Completion

    class Words(Completer):
        def get_completions(self, document: Any, complete_event: Any) -> Iterator[Any]:
            typed = document.text_before_cursor
            word = typed if typed.startswith("/") and " " not in typed else typed.rpartition(" ")[2]
            for text, what in complete(typed if typed.startswith("/") else word):
                yield Completion(text, start_position=-len(word), display_meta=visible(what))

    return Words()


@contextlib.contextmanager
def _fresh() -> Iterator[None]:
    """Throws away what was typed before a question stood there, and what came behind its answer."""
    from prompt_toolkit.application.current import get_app_session
    from prompt_toolkit.input.typeahead import clear_typeahead

    with contextlib.suppress(ImportError, OSError, ValueError):
        import termios

        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    keys = get_app_session().input
    clear_typeahead(keys)
    try:
        yield
    finally:
        clear_typeahead(keys)
