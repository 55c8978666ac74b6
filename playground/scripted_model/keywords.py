"""The word that a clause asks to count or to look for.

Goes in: a clause with tokens and the text of its first quotation. Comes out: the keyword, "" if there is
none. Refuses to know: files and tools. Plurals are taken back to what stands in a file: *TODOs* are counted
as `TODO`.
"""

import re
from typing import Final

_F: Final = r"⟦f\d+⟧"
_IN: Final = (
    rf"\s+(?:(?:in|inside|within|from|of|on|at|across|throughout|through|among)\s+(?:it|there"
    rf"|that|this|the|my|all|any|each|every|them|both|these|those|{_F})"
    r"|(?:it|they|there|i|we|you)\s+(?:contains?|has|have|holds?|see|mentions?|includes?|got)\b"
    r"|(?:are|is|do|does|did|has|have|there|left|appear|occur|show|come|exist|now|altogether"
    r"|in total|you|i see|we|remain|anywhere|everywhere|still)\b|in$|using\b|with\b)"
)
_END: Final = rf"(?=\s*(?:{_IN}|{_F}|[?!,;]|\.(?:\s|$)|$))"
_WORD: Final = rf"(?P<word>(?!{_F}|(?:in|are|is|it|there|times)\b).{{1,80}}?)"
_PATTERNS: Final = tuple(
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        r"how (?:many times|often)\s+(?:(?:do|does|did|is|are|can|has|have)\s+)?(?:(?:i|we|you"
        r"|it)\s+(?:say|find|see|mention|use|have|contain)\s+|(?:the file|it|⟦f\d+⟧)\s+(?:say"
        r"|mention|contain|use|have|include)s?\s+)?"
        rf"{_WORD}(?=\s+(?:is\b|are\b|was\b|appear|occur|show|come|mention|used|found|present"
        rf"|in\b|there|be\b|written|listed|repeated)|[?.!,]|\s*$)",
        (
            rf"how many\s+(?:files?|documents?|lines?|of (?:the|my) (?:files"
            rf"|lines))\s+(?:do\s+)?(?:contain|mention|with|have|say|that (?:contain|mention|say"
            rf"|have)|includ|start with|hold|use)\w*\s+{_WORD}{_END}"
        ),
        (
            rf"(?:occurrences?|instances?|mentions?|appearances?|uses|matches|hits|frequency"
            rf"|counts?)\s+(?:of|for)\s+{_WORD}{_END}"
        ),
        rf"(?:how many|number of|amount of|total(?: number)? of|how much)\s+(?:of\s+)?{_WORD}{_END}",
        rf"(?:count(?:ing)?(?: up| how many| the number of)?|tally(?: up)?|add up)\s+{_WORD}{_END}",
        rf"(?:search\w*|look\w*|hunt\w*|scan\w*|seek|grep\w*)\b.*?\bfor\s+{_WORD}{_END}",
        (
            rf"lines?\b.{{0,30}}?\b(?:with|contain\w*|mention\w*|having|have|has|includ\w+|match\w*"
            rf"|start\w*(?: with)?|say\w*)\s+{_WORD}{_END}"
        ),
        rf"(?:contain|mention|includ|say|hold|talk about|refer to)\w*\s+{_WORD}{_END}",
        rf"(?:has|have|having|with)\s+{_WORD}{_END}",
        rf"(?:find|locat(?:e|ing)|grep|seek|search)\s+{_WORD}{_END}",
        rf"(?:is|are) there (?:still )?{_WORD}{_END}",
        (
            rf"where (?:is|are|does|do|did)\s+(?:it (?:say|mention)s?\s+)?{_WORD}(?=\s+(?:appear"
            rf"|occur|mention|used|found|written|show|in\b)|{_END[3:]}"
        ),
        rf"(?:do|does|did) {_WORD}(?=\s+(?:appear|occur|show up|exist)\b)",
        rf"(?:is|are) {_WORD}(?=\s+(?:in|inside|mentioned|anywhere|contained|found|listed)\b)",
        rf"(?:list|show|print|display|give me|extract|what are)\b(?: me)?\s+{_WORD}{_END}",
    )
)
_ARTICLES: Final = re.compile(
    r"^(?:(?:the|a|an|any|all|some|every|each|of|my|these|those|still|many|more|open|remaining"
    r"|different|up|me|single|that|this|i|do|does|it|we|number of|total|is|are"
    r"|exact|letter|character)\s+)*(?:(?:words?|terms?|string|text|phrase|keyword|name|pattern"
    r"|expression|character sequence|letters?|substring)\s+)?",
    re.IGNORECASE,
)
_NOUNS: Final = re.compile(
    (
        r"(?<=\S)[\s-]+(?:lines?|entr(?:y|ies)|items?|words?|markers?|tags?|comments?|tasks?"
        r"|occurrences?|instances?|mentions?|strings?|notes?|keywords?|reminders?|statements?"
        r"|things?)$"
    ),
    re.IGNORECASE,
)
_TODO: Final = re.compile(r"^(?:to-?do|TODO)(?:'?s|es)?$", re.IGNORECASE)
_NOTHING: Final = re.compile(
    (
        r"^(?:it|them|that|those|these|this|there|everything|something|anything|stuff|lines?|words?"
        r"|files?|documents?|out|us|me|up|one|ones|times|text|contents?|each|both|all)?$"
    ),
    re.IGNORECASE,
)


def keyword_of(clause: str, quote: str = "") -> str:
    """The keyword of a clause.

    >>> keyword_of("count the TODO lines in ⟦f0⟧"), keyword_of("how many times does ⟦q0⟧ appear", "milk")
    ('TODO', 'milk')
    """
    if quote:
        return quote
    for pattern in _PATTERNS:
        match = pattern.search(clause)
        if match:
            found = cleaned(match["word"])
            if found:
                return found
    todo = re.search(r"\b(TODO|FIXME)'?s?\b", clause, re.IGNORECASE)
    return todo[1].upper() if todo else ""


def cleaned(word: str) -> str:
    """A keyword without article, kind and plural: `the TODO lines` -> `TODO`.

    >>> cleaned("the TODO lines"), cleaned("apples"), cleaned("all todos"), cleaned("class")
    ('TODO', 'apple', 'TODO', 'class')
    """
    word = re.sub(r"⟦\w+⟧", "", word).strip().strip(".,:;!?").strip()
    bare = _ARTICLES.sub("", word, count=1).strip()
    bare = _NOUNS.sub("", bare).strip()
    bare = re.sub(r"\s+(?:that|which|i|we|you|it|there|exactly|please|so far)$", "", bare, flags=re.IGNORECASE)
    if _NOTHING.match(bare):
        return ""
    if _TODO.match(bare):
        return "TODO"
    if re.fullmatch(r"[A-Z]{2,}'?s", bare):
        return bare.rstrip("s").rstrip("'")
    if re.fullmatch(r"[a-z]{3,}s", bare) and not re.search(r"(?:ss|us|is|ies)$", bare):
        return bare[:-1]
    return bare
