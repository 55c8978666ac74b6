"""What is to be written, and where: the slots of *create*, *write*, *add* and *append*.

Goes in: a clause and what has been read so far. Comes out: steps with file and text. Refuses to know: the
other operations.

The words of such a clause are either about the place (`to the end of notes.txt`, `in it`) or about the text
(`with two TODO lines`). So the words about the place are found first and taken away; what is left is the
text, or describes it.
"""

import re
from typing import Final

from playground.scripted_model import contents
from playground.scripted_model.operations import Found
from playground.scripted_model.reading import Reading
from playground.scripted_model.steps import EVERY, Step

RESULT: Final = re.compile(
    (
        r"^(?:its|that|this) (?:contents?|text)$|^(?:(?:down|out)\s+)?(?:the |that |this |your "
        r"|its )?(?:number|count|result|results"
        r"|answer|total|sum|output|amount|it all|findings|outcome|figure)(?: (?:you (?:got|found"
        r"|get|counted)|of (?:that|it)|as (?:text|a number)))?$"
    ),
    re.IGNORECASE,
)


NESTED: Final = re.compile(
    (
        r"^(?:down |out )?(?:how many|how often|(?:a|the) (?:number|count|total|list|names) of\b"
        r"|(?:the )?contents? of\b)"
    ),
    re.IGNORECASE,
)


def written(do: str, clause: str, found: Found, reading: Reading) -> list[Step]:
    body = clause[found.end :]
    if not body.strip(" .!?,"):
        body = clause
    phrase, target = phrase_of(body)
    files = reading.files(target or clause, is_new=do == "write")
    quotes = reading.marked.quotes_in(clause)
    if pairs := _pairs(clause, reading):
        return [Step(do, name, text=text) for name, text in pairs]
    if not quotes and (computed := _from_results(do, phrase, files, reading)):
        return computed
    if re.search(r"\bTODO", phrase, re.I):
        reading.keyword = "TODO"
    if do == "append" and re.search(r"\bprepend|\b(?:top|beginning|start) of\b|\bas the first line\b", clause, re.I):
        do = "prepend"
    made_up = _made_up(clause) if not target and do == "write" and not (_REFERS.search(clause) and files) else None
    if made_up:
        files, phrase = [made_up[0]], made_up[1]
    phrase, times = contents.repeated(phrase)
    text = quoted_text(quotes, phrase) if quotes else _composed(reading.marked.restore(phrase), is_final=bool(made_up))
    text = text if times == 1 else (text.rstrip("\n") + "\n") * times
    is_saving = re.match(r"sav(?:e|ing)", clause[found.start : found.end], re.IGNORECASE)
    if do == "write" and not text and reading.mentioned and is_saving:
        return []
    if do == "write" and not text and files and _is_vague(clause, found):
        return [Step("ask", name, keyword="text") for name in files]
    if not files or files == [EVERY]:
        return [Step("ask", text=text, keyword=do)]
    reading.mentioned += files
    if do == "write":
        return [Step("write", name, text=text) for name in files]
    return [Step(do, name, text=line) for name in files for line in text.rstrip("\n").split("\n")]


def _from_results(do: str, phrase: str, files: list[str], reading: Reading) -> list[Step]:
    """Steps that write what a step found: the one before, or one that the phrase itself asks for."""
    there = [Step(do, name, uses_result=True) for name in files] or [Step("ask", keyword=do)]
    if RESULT.match(phrase):
        return there
    if not NESTED.match(phrase):
        return []
    inner = reading.nested(re.sub(r"^(?:down|out) ", "", phrase), reading)
    return [*inner, *there] if inner and inner[0].do not in ("ask", "write", "append") else []


def _composed(phrase: str, *, is_final: bool) -> str:
    return phrase if is_final and phrase.endswith("\n") else contents.compose(phrase)


def _is_vague(clause: str, found: Found) -> bool:
    """`write to notes.txt`, which must not empty a file that is there; `create notes.txt` may make an empty one."""
    verb = clause[found.start : found.end]
    is_filling = re.match(
        r"writ|put|sav|stor|plac|fill|set|record|enter|type|jot|not|draft|stick|update|edit", verb, re.I
    )
    return bool(is_filling) and not re.search(r"\b(?:empty|blank|nothing|new|an?)\b", clause, re.IGNORECASE)


def _pairs(clause: str, reading: Reading) -> list[tuple[str, str]]:
    """`a.txt with "A" and b.txt with "B"`: each file with its own text."""
    order = re.findall(r"⟦([fq])(\d+)⟧", clause)
    kinds = "".join(kind for kind, _ in order)
    if not re.fullmatch(r"(?:fq){2,}|(?:qf){2,}", kinds):
        return []
    numbers = [int(number) for _, number in order]
    ahead, behind = numbers[0::2], numbers[1::2]
    files, quotes = (ahead, behind) if kinds[0] == "f" else (behind, ahead)
    names = [reading.marked.files[number] for number in files]
    reading.mentioned += names
    return list(zip(names, (reading.marked.quotes[number] for number in quotes), strict=True))


_REFERS: Final = re.compile(r"\b(?:it|there|them|that file|this file|the file|the same file)\b", re.IGNORECASE)


_FILE_WORDS: Final = (
    r"(?<!\w)(?:(?:to|into|in|inside|as|onto|on|at|under|within|it|for|me|us|the|a|an|my|that"
    r"|this|new|empty|blank|simple|small|text|plain|markdown|(?:the|these|two|three|both) files"
    r"|file|document"
    r"|named|called|titled|with the name|by the name of|name it|call it|and|both|each|(?:end"
    r"|bottom|top|beginning|start) of|end|bottom|very|existing|same|another|up|or|filename|name"
    r"|down)\b\s*[:=]?\s*,?\s*)*"
)


_TARGET: Final = re.compile(rf"{_FILE_WORDS}⟦f\d+⟧(?:\s*(?:,|and|&|,\s*and)\s*⟦f\d+⟧)*(?:\s+file)?", re.IGNORECASE)


_PRONOUN: Final = re.compile(
    r"\b(?:to|into|in|inside|onto|at|as|of)\s+(?:the\s+(?:(?:very\s+)?(?:end|bottom|top"
    r"|beginning|start)\s*(?:of\s+)?)?)?(?:it|there|that file|this file|the (?:new |same |text "
    r")?file|them|both|each|(?:that|the) document)?\b\s*$"
    r"|^\s*(?:it|them|there)\b|\bto (?:it|them)\b|\b(?:in|into|inside) (?:it|there|them)\b(?= "
    r"(?:saying|that|with|:))|\bto the end\b|\bat the (?:end|bottom|top)\b|\bthe file\b|\bto "
    r"the file\b",
    re.IGNORECASE,
)


_INTRODUCER: Final = re.compile(
    r"^\s*(?:[,:>-]\s*|(?:with|containing|contains?|saying|that says|that reads|that contains"
    r"|that has|which says|which contains|which has|and|to say|to read|to contain|reading"
    r"|holding|including|having|has|have|so that it (?:says|contains|reads)"
    r"|should (?:contain|say|read|be|have)|says|contents?(?: is| should be)?|text(?: is| "
    r"should be)?|whose (?:content|text) is|whose contents are|put|write|add|place|insert"
    r"|where it says|inside|in it|the following|followed by|in which (?:it|there) (?:says"
    r"|is))\b\s*:?\s*(?:it\s+)?(?:in it\s+)?)+",
    re.IGNORECASE,
)


_SAYING: Final = re.compile(r"\s*,?\s*(?:saying|reading|that (?:says?|reads?)|which (?:says?|reads?))\b", re.IGNORECASE)


_FILE_WITH: Final = (
    r"^\s*(?:me |us )?(?:an? |the )?(?:new |empty |text |plain )*(?:file|document"
    r"|note)\s+(?=with\b|contain|that\b|say|hold|read)"
)


_OF_FILE: Final = r"^\s*(?:me |us )?(?:an? |the |new |empty |blank |text |plain )*(?:files?|documents?)?\s*$"


def phrase_of(body: str) -> tuple[str, str]:
    """What is to be written, without the words about where; and those words, "" if no file is named."""
    targets = list(_TARGET.finditer(body))
    if not targets:
        phrase = _INTRODUCER.sub("", _PRONOUN.sub("", body)).strip()
        phrase = re.sub(
            r"^(?:me |us )?(?:a |an |the |another )?(?:new |empty |blank |text )*(?:file|document)\b\s*",
            "",
            phrase,
            flags=re.I,
        )
        return _trimmed(_INTRODUCER.sub("", phrase)), ""
    is_first = (
        not body[: targets[0].start()].strip(" ,:") or re.match(_OF_FILE, body[: targets[0].start()], re.I) is not None
    )
    target = targets[0] if is_first else targets[-1]
    left, right = body[: target.start()], body[target.end() :]
    right = _INTRODUCER.sub("", right, count=1).strip()
    right = re.sub(
        (
            r"^(?:please|for me|thanks|now|too|as well|again|first|file|\((?!content|text|with"
            r"|contain|say)[^()]*\))*[\s.!?]*$"
        ),
        "",
        right,
        flags=re.I,
    )
    if right.startswith("(") and right.rstrip(".").endswith(")"):
        right = _INTRODUCER.sub("", right.rstrip(".")[1:-1], count=1)
    left = _INTRODUCER.sub("", left, count=1).strip(" ,:>")
    left = re.sub(_OF_FILE, "", left, flags=re.I)
    left = _INTRODUCER.sub("", re.sub(_FILE_WITH, "", left, flags=re.I)).strip(" ,:>")
    if left and right and (body[target.end() :].lstrip().startswith(":") or _SAYING.match(body[target.end() :])):
        left = "" if not contents.is_description(left) else f"{left}: {right}"
    left = re.sub(r"^(?:it )?so(?: that)?$", "", left)
    is_kind = re.match(r"^(?:an? |the |my )?[\w-]*\s*(?:file|notes?|list|document)$", left, re.I)
    phrase = right if right and (not left or is_kind) else left
    return _trimmed(phrase), target[0]


def _trimmed(phrase: str) -> str:
    phrase = _PRONOUN.sub("", phrase.strip()).strip(" ,")
    phrase = re.sub(r"^[\s.,;:(]+$", "", phrase)
    return phrase if phrase.endswith("...") else re.sub(r"(?<=\w)[.!?]$", "", phrase)


def quoted_text(quotes: list[str], phrase: str) -> str:
    """All quotations of a clause are its text: lines when there are several or when it says *line*."""
    if len(quotes) > 1:
        return "".join(f"{quote}\n" for quote in quotes)
    is_todo = re.match(r"^(?:an? |the |one )?(?:TODO|FIXME)\b", phrase, re.IGNORECASE)
    text = quotes[0] if not is_todo or re.match(r"todo|fixme", quotes[0], re.I) else f"TODO: {quotes[0]}"
    return (
        f"{text}\n"
        if re.search(r"\blines?\b|\btodo\b", re.sub(r"⟦.*", "", phrase), re.IGNORECASE) and not text.endswith("\n")
        else text
    )


_PLAIN_FILE: Final = (
    "new|text|empty|blank|simple|small|single|second|markdown|plain|same|short|different|separate|single"
)


def _made_up(clause: str) -> tuple[str, str] | None:
    """A name for a file that has none, and its text: `a shopping list with milk and eggs` ->
    shopping-list.txt."""
    match = re.search(
        (
            r"\b(?:an?|my|the|some)\s+((?:[\w-]+\s+)?(?:list|diary|journal|poem|letter|recipe|notes"
            r"|memo))\b"
        ),
        clause,
        re.I,
    ) or re.search(rf"\b(?:an?|my)\s+(?:new\s+)?(?!(?:{_PLAIN_FILE})\b)([\w-]+)\s+(?:file|document)\b", clause, re.I)
    if not match:
        return None
    name = re.sub(r"\s+", "-", match[1].lower().replace("to-do", "todo")) + ".txt"
    phrase = _trimmed(_INTRODUCER.sub("", clause[match.end() :]))
    items = contents.items_of(re.sub(r"^(?:of|for)\s+", "", phrase))
    return name, "\n".join([*items, ""]) if match[1].lower().endswith("list") and len(items) > 1 else phrase
