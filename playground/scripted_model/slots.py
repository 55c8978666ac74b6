"""The slots of each operation: from a clause to steps, file by file.

Goes in: a clause and what has been read so far. Comes out: the steps it asks for; none if it is negated,
about the past, or about something else. Refuses to know: how a text was cut into clauses.
"""

import re
from dataclasses import replace
from typing import Final

from playground.scripted_model import contents, writing
from playground.scripted_model.keywords import cleaned, keyword_of
from playground.scripted_model.operations import NEGATED, Found, operation, unit_of
from playground.scripted_model.reading import Reading
from playground.scripted_model.steps import EVERY, Step
from playground.scripted_model.wording import Marked


def steps_of(clause: str, reading: Reading) -> list[Step]:
    clause = re.sub(r"\s+", " ", clause) if ":" not in clause else clause
    negated = NEGATED.search(clause)
    if negated:
        before = clause[: negated.start()]
        head = operation(before)
        if head is None:
            reading.files(clause)
            return []
        # "write don't panic to a.txt": there the negation is the text.
        is_text = head.name in ("write", "append") and re.match(r"do|please|never|not", negated[0], re.IGNORECASE)
        clause = clause if is_text else before
    found = operation(clause)
    if not found:
        reading.files(clause)
        return []
    return _SLOTS[found.name](clause, found, reading)


def _per_file(do: str, clause: str, reading: Reading) -> list[Step]:
    files = reading.files(clause)
    return [Step(do, name) for name in files] or [Step("ask", keyword=do)]


def _write(clause: str, found: Found, reading: Reading) -> list[Step]:
    return writing.written("write", clause, found, reading)


def _append(clause: str, found: Found, reading: Reading) -> list[Step]:
    return writing.written("append", clause, found, reading)


def _count(clause: str, found: Found, reading: Reading) -> list[Step]:
    quotes = reading.marked.quotes_in(clause)
    unit = "" if quotes else unit_of(clause)
    if unit == "file":
        return [Step("list", unit="file")]
    if not unit:
        reading.keyword = keyword_of(clause, quotes[0] if quotes else "") or reading.keyword
    if not unit and re.search(r"how many (?:of (?:the|my) )?(?:files?|documents?)\b", clause, re.I):
        return [Step("search", EVERY, keyword=reading.keyword, unit="file")]
    if not unit and not reading.keyword:
        unit = "line" if re.search(r"\b(?:lines?|entries|items|things|long|rows)\b", clause, re.I) else ""
    files = reading.files(clause)
    if not unit and not reading.keyword:
        return [Step("list", unit="file")] if not files else [Step("measure", name, unit="line") for name in files]
    if unit:
        return [Step("measure", name, unit=unit) for name in files] or [Step("ask", keyword="count")]
    unit = (
        "line"
        if re.search(r"\blines? (?:that |which )?(?:contain|with|mention|have|start|say|includ)", clause, re.I)
        else ""
    )
    return [Step("count", name, keyword=reading.keyword, unit=unit) for name in files or [EVERY]]


def _search(clause: str, found: Found, reading: Reading) -> list[Step]:
    quotes = reading.marked.quotes_in(clause)
    keyword = keyword_of(clause, quotes[0] if quotes else "")
    is_general = bool(
        re.search(r"\b(?:which|what|any|every|all|list|show)\b[^⟦]*\b(?:files?|documents?)\b", clause, re.I)
    )
    if not keyword and re.match(r"^(?:and )?(?:tell me |show me )?what\b|.*\b(?:any|some)thing\b", clause, re.I):
        return _read(clause, found, reading)
    if not keyword and reading.marked.files_in(clause):
        return [Step("exists", name) for name in reading.files(clause)]
    if not keyword and re.match(r"^(?:is|are) there|^(?:do|does|did)\b", clause, re.I) and reading.files(clause):
        return [Step("exists", name) for name in reading.files(clause)]
    keyword = keyword or reading.keyword
    if not keyword:
        return [Step("list")] if re.search(r"\bfiles?\b", clause, re.I) else []
    reading.keyword = keyword
    files = [EVERY] if is_general and not reading.marked.files_in(clause) else reading.files(clause)
    has_place = (
        reading.marked.files_in(clause)
        or reading.mentioned
        or re.search(r"\b(?:it|that file|there|the file)\b", clause, re.I)
    )
    if not has_place:
        files = [EVERY]
    return [Step("search", name, keyword=keyword) for name in files or [EVERY]]


def _lines(clause: str, found: Found, reading: Reading) -> list[Step]:
    quotes = reading.marked.quotes_in(clause)
    keyword = keyword_of(clause, quotes[0] if quotes else "")
    if not keyword:
        return _per_file("read", clause, reading)
    reading.keyword = keyword
    return [Step("lines", name, keyword=keyword) for name in reading.files(clause) or [EVERY]]


def _list(clause: str, found: Found, reading: Reading) -> list[Step]:
    if reading.marked.files_in(clause) and not re.search(r"\bfiles\b|\bfolder\b|\bdirectory\b", clause, re.I):
        return _per_file("read", clause, reading)
    reading.has_list = True
    return [Step("list")]


def _read(clause: str, found: Found, reading: Reading) -> list[Step]:
    if re.search(r"\b(?:all|every|each)\b[^⟦]*\bfiles?\b", clause, re.I) and not reading.marked.files_in(clause):
        return (
            [Step("read", EVERY)]
            if re.search(r"\b(?:read|contents?|open|cat|inside|text|everything)\b", clause, re.I)
            else [Step("list")]
        )
    has_word = re.search(
        (
            r"\b(?:it|its|that|this|them|they|both|file|contents?|back|inside|in there|says?"
            r"|document|result|read|cat|open|lines?|first|second|list|text|there)\b"
        ),
        clause,
        re.I,
    )
    if not reading.marked.files_in(clause) and not has_word and not reading.by_stem(clause):
        return []
    keyword_question = re.search(r"\bwhat (?:is|are|was|does|do)\b", clause, re.I) and not reading.marked.files_in(
        clause
    )
    if keyword_question and not re.search(r"\b(?:in|inside|contents?|say|contain|it|hold|file)\b", clause, re.I):
        return []
    if not reading.marked.files_in(clause) and not (reading.mentioned or reading.earlier or reading.has_list):
        is_asking = re.search(
            r"^(?:please )?(?:read|open|cat|show|display|print|view)\b.*\b(?:it|file|document|contents?)\b",
            clause,
            re.I,
        )
        return [Step("ask", keyword="read")] if is_asking else []
    unit = re.search(r"\b(first|last|final|top)(?: (\d+|two|three|five|ten))?\s+(?:lines?|words?)\b", clause, re.I)
    part = ""
    if unit:
        many = unit[2] or "1"
        side = "first" if unit[1].lower() in ("first", "top") else "last"
        part = f"{side} {many if many.isdigit() else contents.NUMBERS[many.lower()]}"
    return [Step("read", name, unit=part) for name in reading.files(clause)]


def _exists(clause: str, found: Found, reading: Reading) -> list[Step]:
    return _per_file("exists", clause, reading)


def _delete(clause: str, found: Found, reading: Reading) -> list[Step]:
    rest = clause[found.end :]
    quotes = reading.marked.quotes_in(clause)
    inside = re.search(r"\b(?:from|in|of|out of)\b", rest)
    about_text = re.search(
        (
            r"^(?:ing|e|s)?\s*(?:all |the |any |every |that |a )*(?:\w+ )?(?:lines?|words?|todos?"
            r"|text|occurrences?|entry|item|string|phrase)\b|^\s*⟦q"
        ),
        rest,
        re.I,
    )
    if about_text and (inside or quotes) and not re.search(r"\bfiles?\b", rest, re.I):
        keyword = (
            quotes[0] if quotes else cleaned(re.split(r"\b(?:from|in|out of)\b", rest)[0]) or keyword_of("find " + rest)
        )
        whole = "line" if re.search(r"\b(?:lines?|todos?|entry|item)\b", re.sub(r"⟦.*", "", rest), re.I) else ""
        return [Step("cut", name, keyword=keyword, unit=whole) for name in reading.files(clause)]
    if not reading.marked.files_in(clause) and not re.search(
        (
            r"\b(?:it|that|this|them|they|file|files|both|everything|all|again|these|those|one|copy"
            r"|original|document)\b|^\W*$"
        ),
        rest,
        re.I,
    ):
        return []
    if (
        re.search(r"\b(?:everything|all)\b", rest, re.I)
        and not reading.marked.files_in(clause)
        and not re.search(r"\bof (?:them|these)\b", rest)
    ):
        return [Step("delete", EVERY)]
    return _per_file("delete", clause, reading)


def _clear(clause: str, found: Found, reading: Reading) -> list[Step]:
    if not reading.marked.files_in(clause) and re.search(r"\b(?:sandbox|folder|directory)\b", clause, re.I):
        return [Step("delete", EVERY)]
    if not reading.marked.files_in(clause) and not re.search(r"\b(?:it|file|that|this|them|both)\b", clause, re.I):
        return []
    return [replace(step, do="write" if step.do != "ask" else "ask") for step in _per_file("clear", clause, reading)]


def _two_files(clause: str, found: Found, reading: Reading) -> list[Step]:
    named = list(dict.fromkeys(reading.marked.files_in(clause)))
    known = [*reading.earlier, *reading.mentioned]
    if len(named) == 1 and known:
        named = [known[-1], named[0]] if known[-1] != named[0] else named
    if len(named) < 2 and re.search(r"\b(?:both|them|these|two)\b", clause, re.I):
        named = list(dict.fromkeys(known))[-2:]
    reading.mentioned += named
    if len(named) < 2:
        return [Step("ask", keyword=found.name)]
    if found.name == "merge":
        return [Step("merge", to=named[-1], files=tuple(named[:-1] if len(named) > 2 else named))]
    if found.name == "compare":
        return [Step("compare", files=tuple(named[:2]))]
    is_backwards = re.search(
        r"⟦f\d+⟧.*\b(?:copy|backup|duplicate|from|out of)\b.*⟦f\d+⟧", clause, re.I
    ) and not re.search(r"\bfrom ⟦f\d+⟧.*\bto\b", clause, re.I)
    if is_backwards and re.search(r"^\W*(?:create|make|save)\b", clause, re.I):
        named.reverse()
    return [Step(found.name, named[0], to=name) for name in named[1:]]


_EXCHANGE: Final = (
    re.compile((r"(?:replac\w+|chang\w+|swap\w*|substitut\w+|turn\w*|correct\w*)\s+(?:all |every |each "
        r"|the |any |occurrences? of |instances? of |words? |text |string )*(?P<old>.+?)\s+(?:with"
        r"|by|to|for|into)\s+(?:the (?:words?|text) )?(?P<new>.+?)(?=\s+(?:in|inside|within|of"
        r"|throughout)\s+(?:it\b|there\b|the\b|that\b|⟦f)|[.!?]?$)"), re.I | re.S),
    re.compile((r"(?:in|inside)\s+\S+,?\s+.*?(?:replac\w+|chang\w+|swap\w*)\s+(?P<old>.+?)\s+(?:with|by|to"
        r"|for|into)\s+(?P<new>.+?)[.!?]?$"), re.I | re.S),
)  # fmt: skip


def _replace(clause: str, found: Found, reading: Reading) -> list[Step]:
    if re.search(r"⟦f\d+⟧ (?:so that it says|to (?:say|read|contain|be))\b", clause, re.I):
        return writing.written("write", clause, found, reading)
    quotes = reading.marked.quotes_in(clause)
    if len(quotes) >= 2:
        old, new = quotes[0], quotes[1]
    else:
        match = next((hit for pattern in _EXCHANGE if (hit := pattern.search(clause))), None)
        if not match:
            return []
        old, new = (_plain(reading.marked, match[name]) for name in ("old", "new"))
        if re.fullmatch(
            (
                r"(?:the )?(?:contents?|text|everything)(?: (?:of|in) (?:it|⟦f\d+⟧|\S+\.\w+))?"
                r"|\S+\.\w{1,5}"
            ),
            old,
            re.I,
        ):
            return [Step("write", name, text=contents.compose(new)) for name in reading.files(clause)]
    return [Step("replace", name, keyword=old, text=new) for name in reading.files(clause)] or [
        Step("ask", keyword="replace")
    ]


def _plain(marked: Marked, part: str) -> str:
    quotes = marked.quotes_in(part)
    return quotes[0] if quotes else marked.restore(re.sub(r"\s+(?:in|of) ⟦f\d+⟧$", "", part)).strip()


_SLOTS: Final = {
    "write": _write,
    "append": _append,
    "read": _read,
    "list": _list,
    "count": _count,
    "search": _search,
    "lines": _lines,
    "exists": _exists,
    "delete": _delete,
    "clear": _clear,
    "copy": _two_files,
    "rename": _two_files,
    "merge": _two_files,
    "compare": _two_files,
    "replace": _replace,
}
