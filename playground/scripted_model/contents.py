"""The text that a phrase asks to be written: `a TODO line` becomes a line with TODO in it.

Goes in: a phrase such as `two lines: milk and eggs`, without quotation marks. Comes out: the text for a file.
Refuses to know: files, tools, conversations. A phrase that describes nothing known is the text itself.
"""

import re
from typing import Final

NUMBERS: Final = {
    "a": 1, "an": 1, "one": 1, "single": 1, "two": 2, "a couple of": 2, "three": 3, "a few": 3, "some": 2, "several": 3,
    "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "another": 1, "the": 1,
}  # fmt: skip
_MOST_LINES: Final = 200
_MANY: Final = "|".join(sorted((re.escape(word) for word in NUMBERS), key=len, reverse=True))
_LINES: Final = re.compile(
    rf"^(?P<many>{_MANY}|\d{{1,3}})\s+(?:(?:new|more|short|single|separate|different|simple"
    rf"|other|random|sample|dummy|extra|empty)\s+)*"
    r"(?:(?P<mark>(?!(?:lines?|texts?|words?|items?"
    r"|file)\b)[A-Za-z]{2,12})[\s-]+)?(?P<noun>lines?|items?|entr(?:y|ies)|tasks?|rows?"
    r"|bullets?|reminders?|comments?|markers?|sentences?|todo'?s?)"
    r"(?:\s+of\s+text)?(?P<rest>\b.*)?$",
    re.IGNORECASE | re.DOTALL,
)
_MARKED: Final = re.compile(
    (
        rf"^(?:(?P<many>{_MANY}|\d{{1,3}})\s+)?(?P<mark>TODO|FIXME|XXX|NOTE"
        rf"|HACK)(?:'?s)?(?P<rest>\b.*)?$"
    ),
    re.I | re.S,
)
_PAYLOAD: Final = re.compile(
    r"^\s*(?:[:=–—-]\s*|(?:saying|that (?:says?|reads?|contains?|has|have)|which (?:says?"
    r"|reads?|contains?|has)|reading|containing|with"
    r"|named|called|about|to|for|of|like)\b\s*:?\s*(?:the\s+(?:text|words?|content)\s+)?)(?P<text>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_LIST: Final = re.compile(
    r"^(?:listing|(?:(?:a|the|my|this|an)\s+)?(?:(?P<kind>[\w-]+)\s+)?(?:list|lines|items|entries|tasks"
    r"|words|rows|names|values|ingredients))"
    r"\s*(?:of|with|containing|:)?\s*:?\s+(?P<items>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_INTRO: Final = re.compile(
    r"^(?:(?:the|this|a|an|its|just|only|simply|some|following|exactly|precisely|literally)\b\s*:?\s*)*(?:text|contents?|words?"
    r"|string|phrase|sentence|message|body|lines?|number|value)\b"
    r"(?:\s+(?:of|is|should be|being|saying|that says|that reads))?\s*[:=]?\s*",
    re.IGNORECASE,
)
_TAIL: Final = re.compile(
    r"\s+(?:in|inside|into|within) (?:it|there|the file|that file)$|\s+as (?:its |the "
    r")?(?:contents?|text|body|(?:first |only )?line)$|\s+inside$"
    r"|\s*,?\s*(?:please|thanks|thank you)$",
    re.IGNORECASE,
)
_EMPTY: Final = re.compile(
    (
        r"^(?:nothing|no (?:text|contents?)|empty|an? empty (?:string|text)|blank)(?: in it| "
        r"inside)?$"
    ),
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(
    r"^(?:the )?numbers (?:from )?(\d{1,6}) (?:to|through|up to) (\d{1,6})"
    r"(?:,? (?:each )?on (?:its|their) own lines?)?$",
    re.IGNORECASE,
)
_SAMPLE: Final = re.compile(
    r"^(?:some|any|a bit of|a little|random|sample|example|dummy|placeholder"
    r"|test)\s+(?:(?:random|sample|example|dummy|test|short)\s+)?"
    r"(?:text|contents?|words|stuff|data|notes?|thing|something)$|^(?:something|anything"
    r"|whatever(?: you (?:like|want))?)$",
    re.IGNORECASE,
)
_ONE_OF: Final = re.compile(
    (
        r"\bone (?:of|line|with|contain\w*|has|having|is|being|say\w*|which|that|must"
        r"|should)\b.*\b(?P<mark>TODO|FIXME)\b"
    ),
    re.IGNORECASE | re.DOTALL,
)


def compose(phrase: str) -> str:
    """The text a phrase stands for.

    >>> compose("a TODO line")
    'TODO: try out the file tools\\n'
    >>> compose("two lines: milk and eggs")
    'milk\\neggs\\n'
    >>> compose("the text hello world")
    'hello world'
    """
    exactly = r"^(?:exactly|precisely|literally|just|only)\b\s*:?\s*"
    phrase = re.sub(exactly, "", phrase.strip().rstrip(",;"), flags=re.IGNORECASE)
    phrase = _TAIL.sub("", _TAIL.sub("", phrase)).strip()
    bare = phrase.rstrip(".!")
    if not phrase or _EMPTY.match(bare):
        return ""
    if _SAMPLE.match(bare):
        return "Some text.\n"
    lines = _described(bare)
    if lines:
        return _lines(lines)
    counted = _COUNTED.match(bare)
    if counted:
        first, last = int(counted[1]), min(int(counted[2]), int(counted[1]) + _MOST_LINES - 1)
        return "".join(f"{number}\n" for number in range(first, last + 1))
    sayings = re.findall(
        r"\bone (?:saying|that says|with|reading) (.+?)(?=,? (?:and )?one (?:saying|that says|with|reading) |$)", bare
    )
    if len(sayings) > 1:
        return "".join(f"{saying}\n" for saying in sayings)
    apart = re.search(r",?\s*(?:each )?on (?:its own|their own|a new|separate|different) lines?$", bare, re.IGNORECASE)
    if apart:
        items = items_of(re.sub(r"^(?:the )?(?:numbers|words|names|lines|items)\s+", "", bare[: apart.start()]))
        return "".join(f"{item}\n" for item in items)
    parts = items_of(bare)
    described = [part for part in parts if re.match(rf"(?:{_MANY}|\d+)\s", part, re.I) and is_description(part)]
    if len(described) == len(parts) > 1:
        return "".join(compose(part) for part in parts)
    listed = _LIST.match(bare)
    if listed and len(items_of(listed["items"])) > 1:
        return "".join(f"{item}\n" for item in items_of(listed["items"]))
    return re.sub(r"^(?:about|that) ", "", _INTRO.sub("", phrase, count=1).strip())


def as_line(phrase: str) -> str:
    """The same for one line to append: without its end."""
    return compose(phrase).rstrip("\n")


def repeated(phrase: str) -> tuple[str, int]:
    """A phrase without its *five times*, and the number.

    >>> repeated("the word banana 3 times")
    ('the word banana', 3)
    """
    match = re.search(
        r"\s*\b(?:(\d{1,3}|two|three|four|five|six|seven|eight|nine|ten) times|(twice))\b",
        phrase,
        re.IGNORECASE,
    )
    if not match:
        return phrase, 1
    word = (match[1] or "two").lower()
    return (phrase[: match.start()] + phrase[match.end() :]).strip(), int(word) if word.isdigit() else NUMBERS[word]


def items_of(text: str) -> list[str]:
    """`milk, eggs and bread` as three items."""
    parts = re.split(r"\s*\n\s*|\s*,\s*(?:and\s+)?|\s+and\s+|\s*;\s*", text.strip().strip(":").strip())
    return [part for part in parts if part]


def is_description(phrase: str) -> bool:
    """Whether a phrase describes lines (`two TODO lines`) instead of being the text.

    >>> is_description("two lines"), is_description("two sugars")
    (True, False)
    """
    return _described(phrase) is not None


def _described(phrase: str) -> re.Match[str] | None:
    """`a TODO line` describes; `TODO list of Bob's` or `a line` plus words that lead nowhere is meant
    literally."""
    match = _LINES.match(phrase) or _MARKED.match(phrase)
    rest = (match["rest"] or "").strip() if match else ""
    return match if not rest or _PAYLOAD.match(rest) or _ONE_OF.search(rest) else None


def _lines(match: re.Match[str]) -> str:
    groups = match.groupdict()
    many = (groups["many"] or ("" if re.search(r"'?s$", match[0].split()[0]) is None else "some")).lower() or "one"
    count = min(int(many) if many.isdigit() else NUMBERS[many], _MOST_LINES)
    mark = (groups["mark"] or "").upper()
    if not mark and re.match(r"todo", groups.get("noun") or "", re.IGNORECASE):
        mark = "TODO"
    known = mark if mark in ("TODO", "FIXME", "XXX", "NOTE", "HACK") else ""
    rest = (groups["rest"] or "").strip()
    one_of = _ONE_OF.search(rest)
    if one_of and count > 1:
        made = [f"line {number}" for number in range(1, count + 1)]
        made[count // 2] = f"{one_of['mark'].upper()}: try out the file tools"
        return "".join(f"{line}\n" for line in made)
    payload = _PAYLOAD.match(rest)
    texts = [payload["text"].strip()] if payload else []
    if texts and count > 1:
        texts = items_of(texts[0])
    if texts and re.fullmatch(
        r"(?:the )?(?:word |keyword |text )?(?:TODO|FIXME)s?(?: (?:in|on) (?:it|them|each))?", texts[0], re.I
    ):
        known, texts = texts[0].split()[-1].upper().rstrip("S") if " " not in texts[0] else "TODO", []
    if not texts:
        texts = _samples(count, known)
    while len(texts) < count:
        texts.append(texts[-1] if len(texts) == 1 else f"line {len(texts) + 1}")
    return "".join(_with_mark(text, known) + "\n" for text in texts)


def _samples(count: int, mark: str) -> list[str]:
    if mark:
        return ["try out the file tools"] if count == 1 else [f"task {number}" for number in range(1, count + 1)]
    return [f"line {number}" for number in range(1, count + 1)]


def _with_mark(text: str, mark: str) -> str:
    return text if not mark or re.match(rf"{mark}\b", text, re.IGNORECASE) else f"{mark}: {text}"
