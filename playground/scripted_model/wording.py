"""A user's words, made easy to read: what is quoted and what names a file is set aside, the rest is cut into
clauses that ask for one thing each.

Goes in: the text of a question. Comes out: `Marked` (the text with ⟦q0⟧ for the first quotation and ⟦f0⟧ for
the first file name) and clauses in the order of doing. Refuses to know: what any verb means beyond "a new
clause starts here".

*Theory of operation.* Quotations and file names are the parts of a sentence whose inside must not be read as
English: `write "then delete everything" to plan.txt` asks for one thing. So they are replaced by tokens
first. What is left is cut at the ends of sentences, at words such as *then* and *after that*, and at *and*
or a comma when a verb follows. Text without quotation marks is the hard case: `create a.txt with buy milk
and read mail`. There the second half counts as a clause only if it has something to act on: a file, *it*, a
number to tell. *Before* and *after* turn the order of doing around, but not the order of reading, which
decides what *it* is.
"""

import re
from dataclasses import dataclass
from typing import Final

_QUOTED: Final = re.compile(
    r"```(?:\w*\n)?(?P<fence>.*?)\n?```|(?P<json>\{\s*\"[^\n]*\})"
    r'|"(?P<double>(?:\\.|[^"\\])*)"'
    r"|[“„](?P<curly>[^“”]*)[”“]|«(?P<angle>[^»]*)»|`(?P<tick>[^`]+)`|‘(?P<single>[^’]*)’(?!\w)"
    r"|(?<![\w’'])'(?P<plain>(?:[^'\\\n]|\\.|(?<=\w)'(?=\w))*)'(?!\w)",
    re.DOTALL,
)
# A path or a name with an extension that starts with a letter; or a path that says so by how it begins.
_FILE: Final = re.compile(
    r"(?<![\w⟦@])(?:(?:[A-Za-z]:)?[\w.~-]*[/\\])*(?:[\w()-][\w.()-]*)?\.[A-Za-z]\w{0,9}(?![\w@⟧])"
    r"|(?<![\w⟦<])(?:\.{1,2}|~|[A-Za-z]:)?[/\\][\w.-][\w./\\-]*\w"
    r"|\b(?:README|Makefile|LICENSE|Dockerfile|CHANGELOG)\b"
)
_NAMED: Final = re.compile(
    r"\b((?:named|called|titled|entitled|by the name of|with the name|(?:name|call) it|file "
    r"?name(?: is)?)\s*[:=]?\s+)"
    r"(?!the\b|a\b|it\b|that\b|and\b|with\b|after\b|⟦)([\w][\w.-]*\w|\w)",
    re.IGNORECASE,
)
_FILE_BEFORE: Final = re.compile(
    (
        r"(?:\b(?:file|document|named|called|titled|name|filename|it|delete|remove|read|open|erase"
        r"|from|into|in|to|as)\s*[:=]?)\s*$"
    ),
    re.IGNORECASE,
)
_TEXT_BEFORE: Final = re.compile(
    r"\b(?:texts?|words?|lines?|says?|saying|containing|contains?|contents?|write|append|add|put|keyword|term"
    r"|phrase|string|message|for|with|of)\s*:?\s*$",
    re.IGNORECASE,
)
_NOT_FILES: Final = re.compile(r"^(?:e\.g|i\.e|a\.m|p\.m|and/or|etc\.?|https?:.*|www\..*)$", re.IGNORECASE)

VERBS: Final = (
    r"creat\w*|mak(?:e|ing)|writ(?:e|ing)|sav(?:e|ing)|stor(?:e|ing)|put(?:ting)?|add(?:ing)?"
    r"|append\w*|insert\w*"
    r"|attach\w*|overwrit\w+|generat\w+|set up|start|read(?:ing)?|show(?:ing)?|display\w*"
    r"|print(?:ing)?|open(?:ing)?"
    r"|cat|view(?:ing)?|list(?:ing)?|enumerat\w+|count(?:ing)?|tally|search(?:ing)?"
    r"|find(?:ing)?|grep|look(?:ing)?"
    r"|locat(?:e|ing)|scan|delet\w+|remov\w+|eras\w+|get rid of|trash|discard|destroy|drop|rm"
    r"|ls|unlink|clear(?:ing)?"
    r"|empty|renam\w+|mov(?:e|ing)|cop(?:y|ying)|duplicat\w+|replac\w+|chang(?:e|ing)|swap"
    r"|tell me|let me (?:know|see)|give me"
    r"|check(?:ing)?|see|report|return|say|how (?:many|often)|which files?|what(?:'s| is| are| "
    r"does| files)|is there"
    r"|are there|does|do (?:i|we) have|jot|note down|merg\w+|combin\w+|compar\w+|call|use|run"
    r"|summari[sz]e|throw"
    r"|verify|fetch|get|make sure|type|output|dump|truncat\w+|wip(?:e|ing)|echo|touch|log|toss"
)
_LEAD: Final = (
    r"(?:(?:also|please|to|first|second|third|fourth|last|now|just|kindly|finally|next"
    r"|(?:i(?:'d| would)? (?:want|like|need) (?:you )?to)"
    r"|(?:can|could|would|will) you(?: please)?|let's|you (?:should|can|could|must)|don't|do not|never)\s+)*"
)
_NEXT: Final = re.compile(
    r"\s*[,;:]?\s*(?:\b(?:and|but)\s+)?(?:\b(?:then|after that|after this|afterwards?|after "
    r"which|finally|lastly"
    r"|subsequently|thereafter|followed by|secondly|thirdly|when (?:you are |you're |that is "
    r"|that's |it is |it's )?(?:done|finished)"
    r"|(?:once|as soon as) (?:that|it|this|you)(?:'s| is|'ve| have| are|'re)? (?:done|finished"
    r"|ready|there|created|written|saved))\b"
    r"|(?:(?<=,)|(?<=\band)|^)\s*next\b)[,:]?\s*(?:and\s+)?",
    re.IGNORECASE,
)
_AND: Final = re.compile(
    (
        rf"\s*(?:,\s*(?:and|but|plus)?|\band\b|\bbut\b|&|\bplus\b|\bas well as\b"
        rf"|\s[-–—]\s)\s*(?={_LEAD}(?:{VERBS})\b)"
    ),
    re.IGNORECASE,
)
_INTRODUCES: Final = re.compile(
    (
        r"\b(?:with|containing|saying|says|reading|that reads|write|put|append|add|text|content"
        r"|line)\b(?![^⟦]*⟦q)"
    ),
    re.IGNORECASE,
)
_ANCHOR: Final = re.compile(
    r"⟦|\b(?:it|its|that|this|those|them|they|there|back|file|files|how many|how often|count"
    r"|todos?|number|total"
    r"|tell me|folder|everything|times)\b",
    re.IGNORECASE,
)
_MARKER: Final = re.compile(r"(?:^|(?<=\s))(?:step\s+)?\(?(\d{1,2})\s?[.):]\s+", re.IGNORECASE)
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\s*\n+\s*|\s*;\s*")


@dataclass(frozen=True)
class Marked:
    """`text` with tokens; what each token stands for; and `restore`, which undoes it in any part of it."""

    text: str
    quotes: tuple[str, ...]
    files: tuple[str, ...]
    originals: tuple[tuple[str, str], ...]

    def restore(self, part: str) -> str:
        for token, original in reversed(self.originals):
            part = part.replace(token, original)
        return part

    def quotes_in(self, part: str) -> list[str]:
        return [self.quotes[int(number)] for number in re.findall(r"⟦q(\d+)⟧", part)]

    def files_in(self, part: str) -> list[str]:
        return [self.files[int(number)] for number in re.findall(r"⟦f(\d+)⟧", part)]


def mark(text: str) -> Marked:
    """Set aside quotations and file names.

    >>> marked = mark('Write "hi there" to notes.txt')
    >>> marked.text, marked.quotes, marked.files
    ('Write ⟦q0⟧ to ⟦f0⟧', ('hi there',), ('notes.txt',))
    """
    quotes: list[str] = []
    files: list[str] = []
    originals: list[tuple[str, str]] = []

    def token(kind: str, store: list[str], value: str, original: str) -> str:
        store.append(value)
        originals.append((f"⟦{kind}{len(store) - 1}⟧", original))
        return originals[-1][0]

    def quoted(match: re.Match[str]) -> str:
        inside = next(value for value in match.groups() if value is not None)
        if _is_quoted_file(inside, match.string[: match.start()], bool(match["fence"] or match["json"])):
            return token("f", files, inside, match[0])
        return token("q", quotes, inside if match["json"] or match["fence"] else _unescaped(inside), match[0])

    def plain(match: re.Match[str]) -> str:
        if _NOT_FILES.match(match[0]):
            return match[0]
        return token("f", files, match[0], match[0])

    def named(match: re.Match[str]) -> str:
        return match[1] + token("f", files, match[2], match[2])

    text = text.replace("⟦", "[").replace("⟧", "]").replace("\r\n", "\n")
    text = _QUOTED.sub(quoted, text)
    text = re.sub(r"\bw/\s*", "with ", re.sub(r"(?<=\w)’(?=\w)", "'", text))
    text = _NAMED.sub(named, _FILE.sub(plain, text))
    return Marked(text, tuple(quotes), tuple(files), tuple(originals))


def _is_quoted_file(inside: str, before: str, is_fence: bool) -> bool:
    if is_fence or not inside.strip() or "\n" in inside or len(inside) > 300:
        return False
    said_file, said_text = _FILE_BEFORE.search(before), _TEXT_BEFORE.search(before)
    if _FILE.fullmatch(inside):
        return not said_text or bool(said_file)
    has_extension = re.search(r"\.[A-Za-z]\w{0,9}$", inside) is not None
    return bool(re.search(r"\b(?:file|document|named|called|titled|filename)\s*[:=]?\s*$", before, re.IGNORECASE)) or (
        has_extension and inside.count(" ") < 4 and (bool(said_file) or not said_text)
    )


def _unescaped(text: str) -> str:
    """`\\n`, `\\t` and `\\"` as people write them between quotation marks."""
    return re.sub(r"\\([nt\"'\\])", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), text)


def clauses(text: str) -> list[tuple[int, str]]:
    """Cut a marked text. The list is in the order of reading; the number is the place in the order of doing.

    >>> clauses("Create ⟦f0⟧ with ⟦q0⟧, then count the TODOs")
    [(0, 'Create ⟦f0⟧ with ⟦q0⟧'), (1, 'count the TODOs')]
    >>> clauses("Before deleting ⟦f0⟧, read it")
    [(1, 'deleting ⟦f0⟧'), (0, 'read it')]
    """
    found: list[tuple[int, str]] = []
    for sentence in _sentences(text):
        for part in _NEXT.split(sentence):
            found = _joined(found, _cut(part), is_turned=False)
    return found


def _sentences(text: str) -> list[str]:
    numbers = [int(number) for number in _MARKER.findall(text)]
    if numbers[:2] == [1, 2] or numbers == [1]:
        text = _MARKER.sub("\n", text)
    return [part for part in _SENTENCE.split(text) if part.strip()]


def _at_verbs(part: str) -> list[str]:
    """Cut at *and* or a comma before a verb, unless that verb may be part of unquoted text to write."""
    pieces: list[str] = []
    start = 0
    for match in _AND.finditer(part):
        left, right = part[start : match.start()], part[match.end() :]
        if not left.strip():
            continue
        reach = _AND.split(right, maxsplit=1)[0]
        if _INTRODUCES.search(left) and not _ANCHOR.search(reach):
            continue
        pieces.append(left)
        start = match.end()
    return [*pieces, part[start:]]


_FIRST_FORMS: Final = (
    (re.compile(rf"^before (?:you )?((?:{VERBS})\b.*?),\s*(.+)$", re.IGNORECASE | re.DOTALL), True),
    (
        re.compile(rf"^(?:after|once|when|having) (?:you(?:'ve| have)? )?((?:{VERBS})\b.*?),\s*(.+)$", re.I | re.S),
        False,
    ),
    (re.compile(r"^(.+?),?\s+(?:but|and) (?:first|before that|beforehand),?\s+(.+)$", re.I | re.S), True),
)
_LATE_FORMS: Final = (
    (re.compile(rf"^(.+?),?\s+(?:after|once) (?:you(?:'ve| have)? )?((?:{VERBS})\b.+)$", re.I | re.S), True),
    (re.compile(rf"^(.+?),?\s+before (?:you )?((?:{VERBS})\b.+)$", re.IGNORECASE | re.DOTALL), False),
)


def _cut(part: str) -> list[tuple[int, str]]:
    part = part.strip(" ,;")
    for pattern, is_turned in _FIRST_FORMS:
        match = pattern.match(part)
        if match and re.search(rf"\b(?:{VERBS})\b", match[1], re.IGNORECASE):
            return _joined(_cut(match[1]), _cut(match[2]), is_turned=is_turned)
    found: list[tuple[int, str]] = []
    for piece in _at_verbs(part):
        halves = [(0, piece.strip(" ,;"))]
        for pattern, is_turned in _LATE_FORMS:
            match = pattern.match(piece)
            if match and re.search(rf"\b(?:{VERBS})\b", match[1], re.IGNORECASE):
                halves = _joined([(0, match[1].strip(" ,"))], [(0, match[2].strip(" ,"))], is_turned=is_turned)
                break
        found = _joined(found, [half for half in halves if half[1]], is_turned=False)
    return found


def _joined(first: list[tuple[int, str]], second: list[tuple[int, str]], *, is_turned: bool) -> list[tuple[int, str]]:
    """Both lists as one, in the order of reading; turned, the second is done before the first."""
    early, late = (len(second), 0) if is_turned else (0, len(first))
    return [(place + early, text) for place, text in first] + [(place + late, text) for place, text in second]
