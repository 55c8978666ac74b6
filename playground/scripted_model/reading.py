"""What has been mentioned so far, while a question is read: the other half of every sentence.

Goes in: clauses, in the order of reading. Comes out: the files a clause is about, named or meant by words
such as *it*, *both* or *the first one*. Refuses to know: what is to be done with them.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from playground.scripted_model.steps import EVERY, NUMBERED, Step
from playground.scripted_model.wording import Marked

_ANYWHERE: Final = (
    r"\b(?:everywhere|anywhere|across (?:the|my) (?:folder|files)|in the (?:folder|directory"
    r"|sandbox))\b"
)

_POSITION: Final = re.compile(
    r"\bthe (first|second|third|last|other|new|old|original|copy)(?: (?:one|file))?\b(?! \w*lines?)", re.IGNORECASE
)


@dataclass
class Reading:
    """What has been mentioned so far, while a question is read."""

    marked: Marked
    earlier: list[str]
    nested: Callable[[str, "Reading"], list[Step]]
    mentioned: list[str] = field(default_factory=list)
    keyword: str = ""
    when: str = ""
    has_list: bool = False

    def files(self, clause: str, *, is_new: bool = False) -> list[str]:
        """The files a clause is about: named, all of them, or meant by a word such as *it*."""
        named = self.marked.files_in(clause)
        self.mentioned += named
        if named:
            return list(dict.fromkeys(named))
        if re.search(
            (
                rf"\b(?:all|every|each|any)\b[^⟦]*?\b(?:files?|documents?|one of them)\b"
                rf"|{_ANYWHERE}"
            ),
            clause,
            re.I,
        ):
            return [EVERY]
        known = list(dict.fromkeys([*self.earlier, *self.mentioned]))
        if self.mentioned and re.search(
            r"\b(?:both|them|these|those|each|all of (?:them|these)|they|their)\b", clause, re.I
        ):
            return list(dict.fromkeys(self.mentioned))
        if re.search(r"\bboth\b", clause, re.I):
            return known[-2:]
        if placed := self._by_place(clause):
            return [placed]
        if by_stem := self.by_stem(clause):
            return [by_stem]
        if is_new and re.search(r"\b(?:an?|another|new)\b[\w\s]{0,30}\b(?:file|document)\b", clause, re.I):
            return []
        # A file named only later in the question is better than none: "how long is the file after adding …".
        return [self.mentioned[-1]] if self.mentioned else self.earlier[-1:] or list(self.marked.files[:1])

    def _by_place(self, clause: str) -> str:
        """`the second one`: of the files mentioned, or of a list that is still to come."""
        position = _POSITION.search(clause)
        if not position:
            return ""
        word = position[1].lower()
        ordinal = {"first": "1", "second": "2", "third": "3", "last": "0"}.get(word)
        if ordinal and self.has_list and not self.mentioned:
            return f"{NUMBERED}{ordinal}"
        recent = list(dict.fromkeys(self.mentioned or self.earlier))
        if len(recent) < 2:
            return ""
        index = {"first": 0, "old": 0, "original": 0, "second": 1, "third": 2, "other": -2}.get(word, -1)
        return recent[index if index < len(recent) else -1]

    def by_stem(self, clause: str) -> str:
        """`the poem`, when poem.txt is known."""
        for name in reversed([*self.earlier, *self.mentioned]):
            stem = re.escape(re.sub(r"\.\w+$", "", name))
            if len(stem) > 2 and re.search(rf"\b(?:the|my|that|our)\s+{stem}\b", clause, re.I):
                return name
        return ""
