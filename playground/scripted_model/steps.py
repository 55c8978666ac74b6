"""A step: one thing that a user asked for. Between understanding words and doing things lies a list of
these."""

from dataclasses import dataclass, replace
from typing import Final

EVERY: Final = "*"
NUMBERED: Final = "#"  # "#2" is the second file of the list before, "#0" the last


@dataclass(frozen=True)
class Step:
    """One thing to do. `do` is the operation; "ask" means that something is missing. `file` is a name,
    `EVERY` or `NUMBERED` plus a number. `unit` says what to measure or which part to show. `uses_result`:
    the text is what the step before found. `when`: "" always, "exists" or "missing" only if the file is or
    isn't there."""

    do: str
    file: str = ""
    text: str = ""
    keyword: str = ""
    to: str = ""
    unit: str = ""
    uses_result: bool = False
    when: str = ""
    files: tuple[str, ...] = ()

    def on(self, file: str) -> "Step":
        return replace(self, file=file)

    def described(self) -> str:
        """`count TODO in notes.txt`: what this step would have done."""
        about = f"{self.keyword} in {self.file}" if self.keyword and self.file else self.file or self.keyword
        return f"{self.do} {about}".strip()
