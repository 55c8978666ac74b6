"""Which operation a clause asks for: one table of words, and the rule that picks among those that match.

Goes in: one clause with tokens (see `wording`). Comes out: the name of an operation, and where its words
stand. Refuses to know: what to do with it.

The rule: the operation whose words come first wins, among equals the longest words. The words of reading and
listing are so common (*show*, *give me*, *check*) that they count only when nothing else matches.
"""

import re
from typing import Final, NamedTuple

_F: Final = r"⟦f\d+⟧"
_STRONG: Final = {
    "compare": (
        rf"compar\w+|differences? between|(?:are|is) {_F} and {_F} (?:the same|identical|equal"
        rf"|different)|(?:are|is) ⟦f\d+⟧ (?:the same as|identical to|equal to|different from)"
        rf"|diff\b"
    ),
    "merge": r"merg\w+|combin\w+|concatenat\w+|join(?:ing)?\b",
    "copy": rf"(?:creat|mak|sav)\w* {_F} (?:as|from|with) (?:a |an |the )*(?:copy|duplicate|clone"
    rf"|contents?) of\b|cop(?:y|ies|ying)\b|duplicat\w+|clon(?:e|ing)\b|back(?:ing)?[ -]?up\b"
    r"|(?:mak(?:e|ing)|creat(?:e|ing)|sav(?:e|ing)) (?:me )?(?:a |an )?(?:exact |backup "
    r"|second )?(?:copy|duplicate|backup|clone)(?: of)?",
    "rename": (
        r"renam\w+|mov(?:e|ing)\b|mv\b|chang(?:e|ing) the (?:file ?)?name|give .{1,40} (?:a new"
        r"|another) name"
    ),
    "replace": r"replac\w+|substitut\w+|swap\w*|chang(?:e|ing)\b(?! the (?:file ?)?name)|correct(?:ing)?\b",
    "clear": r"clear(?:ing)?\b(?: out| the contents? of)?|empty(?:ing)?\b(?! file| text file| document| "
    r"list)|truncat\w+|wip(?:e|ing)\b"
    r"|(?:delete|remove|erase)(?: all)?(?: of)? (?:the )?(?:contents?|text|everything|all "
    r"lines) (?:of|in|from|inside)\b",
    "delete": r"delet\w+|del\b|remov\w+|eras(?:e|ing)\b|get(?:ting)? rid of|trash(?:ing)?\b|unlink\w*"
    r"|rm\b|discard\w*|bin\b"
    r"|destroy\w*|dispos\w+ of|drop(?:ping)?\b(?! in\b)|throw(?:ing)? (?:away|out)|throw "
    r".{1,40} (?:away|out)|purg(?:e|ing)\b|kill\b|scrap\b|nuke\b|toss(?:ing)?\b(?! in\b)",
    "append": r"append\w*|add(?:ing|s)?\b(?! up)|attach\w*|insert\w*|tack(?:ing)?\b|prepend\w*|extend\w*"
    r"|(?:writ(?:e|ing)|put(?:ting)?|plac(?:e|ing)) (?:(?:another|one more|a second|a new|an "
    r"additional|an extra|a further)\b)(?! (?:text |empty )?(?:file|document))"
    r"|(?:writ(?:e|ing)|put(?:ting)?|plac(?:e|ing)|stick)\b(?=.*\b(?:at the (?:very )?(?:end"
    r"|bottom|top|beginning|start) of|(?:to|at) the end\b))"
    r"|(?:also|additionally) (?:write|put|jot|note|log)\b|(?:toss|throw|drop|slip"
    r"|stick)(?:p?ing)? in\b|(?:log|note that)\b(?=.*\b(?:to|in) )|continue ",
    "write": r"creat\w+|mak(?:e|ing)\b(?! sure)(?! a list of (?:all |the )*files)|writ(?:e|ing)\b(?: down\b)?"
    r"|sav(?:e|ing)\b|set(?:ting)? (?:the )?(?:contents?|text) of\b|stor(?:e|ing)\b|overwrit\w+|generat\w+"
    r"|produc(?:e|ing)|put(?:ting)?\b|plac(?:e|ing)\b|set(?:ting)? up|start(?:ing)? (?:a|me"
    r"|new)|initiali[sz]\w*|touch\b|jot\w*|not(?:e|ing) down|record\b"
    r"|draft\w*|compos(?:e|ing)|prepar(?:e|ing)|build\b|fill(?:ing)?\b|stick\b|dump "
    r"(?=.*\b(?:in|into|to)\b)|new (?:text )?(?:file|document)\b|open(?:ing)? (?:up )?a new"
    r"|(?:need|want|would like|i'd like|give me|have|there should be|there needs to be) (?:an? "
    r")?(?:new |empty |blank |text |second )*(?:file|document)\b"
    r"|(?:set|update|edit|modify) .{1,60}?\b(?:to|so that it) (?:say|read|contain|be)s?\b"
    r"|type\b(?=.*\b(?:in|into|to)\b)|enter\b|echo\b(?=.*(?:>|\b(?:into|to)\b))"
    rf"|(?:{_F}|it|the file|this file|that file) (?:should|must|needs to|has to|shall|is to) "
    rf"(?:just |only )?(?:contain|say|read|have|hold|be|include)\b",
    "count": (
        r"how (?:many|often|much)\b|how (?:big|large|long) (?:is|are)\b|size of\b|count(?:ing|s)?\b"
        r"|number of|tally\w*|occurrences? of|total (?:number )?of|add up|frequency of|amount of"
        r"|what number"
    ),
    "lines": r"(?:(?:show|print|list|give|display|find|get|see|output|read|return|tell|extract"
    r"|pull)\b[\w\s']*?|which |what |all (?:the )?|every )lines?\b"
    rf"(?: (?:in|from|of) (?:{_F}|it|the file|that file))?(?: (?:that|which))?(?: (?:are|is))? "
    rf"(?:with|contain|mention|hav|has|includ|match|start|say)\w*"
    r"|grep\w*|(?:list|show|print|display|give me|extract|what are)\b(?: me)?(?: all)?(?: "
    r"of)?(?: the| my| open)* (?:todo|fixme)'?s?\b(?! lists?)",
    "search": r"(?:check|inspect|examin\w+|go(?:ing)? through|review|comb)\b(?=.* for (?!me\b|us\b))"
    r"|search\w*|find(?:ing)?\b(?! out)|look(?:ing)? (?:for|up)\b|look(?:ing)? (?:in|inside"
    r"|into"
    r"|through|at)\b(?=.* for )|locat(?:e|ing)|hunt\w*|seek\b"
    r"|scan\w*|(?:which|what) (?:of (?:my|the|these) )?(?:files?|documents?|ones?)\b(?: "
    r"here)?(?: (?:do|does|all))?(?: (?:that|which))? (?:contain|mention|hav|has|includ|hold"
    r"|talk|say|use|refer|need)\w*"
    r"|(?:list|show|name|give me|tell me|get|display)\b[\w\s']* files?\b(?: that| which)? "
    r"(?:contain|mention|hav|has|includ|hold|with|use)\w*"
    r"|in (?:which|what) (?:of (?:my|the|these) )?(?:files?|documents?)\b|where (?:is|are|does"
    r"|do|did)\b|(?:does|do|did) .{1,60}? (?:contain|mention|include|have|say|hold|appear|occur"
    r"|show up)\b"
    r"|(?:is|are) there (?:an?|any|some|still)\b|(?:is|are) .{1,40}? (?:in|inside|mentioned"
    r"|anywhere|contained|found|listed)\b|(?:whether|if) .{1,40}? (?:contain|mention|includ|hav"
    r"|has)\w*|(?:has|have) .{1,30}? (?:any|an?) |any (?:todo|fixme)",
    "exists": rf"(?:do|does|did) (?:(?:the |a |my |any )?(?:file |document )?(?:named |called )?)?(?:{_F}"
    rf"|it|that file|such a file) (?:already |still |really )?exist"
    rf"|(?:is|are) there (?:already |still )?(?:a|any|some) (?:file|document)s? (?:named|called"
    rf"|with the name)?\s*{_F}|(?:is|are) {_F} (?:still |already )?(?:there|present|around|gone"
    rf"|missing|available)\b"
    rf"|(?:is|are) there (?:a |an |already |still )*{_F}|(?:do|did) (?:i|we|you) (?:already "
    rf"|still )?(?:have|see) (?:a |the |any )?(?:file )?(?:named |called )?{_F}"
    rf"|(?:check|verify|confirm|see|tell me|make sure|find out|know)\b[\w\s]*?(?:if|whether"
    rf"|that)?\b[\w\s]*?{_F} (?:already |still |really |actually )?(?:exist|is (?:there|present"
    rf"|gone|missing)|was (?:created|deleted|written|saved))"
    rf"|there (?:is|are) (?:already )?(?:a |the )?file (?:named |called )?{_F}"
    rf"|{_F} exists?\b|(?:the )?existence of|was {_F} (?:really |actually )?(?:created|deleted"
    rf"|written|saved|removed)",
    "list": r"list(?:ing)?\b (?:me )?(?:of )?(?:all )?(?:of )?(?:the |my |every |your |available "
    r"|existing |current )*(?:files?|names|documents|contents of the (?:folder|directory"
    r"|sandbox)|everything|folder|directory|sandbox)\b"
    r"|(?:make|give me|create|get|show me|i need|print|produce) (?:a|the) list(?:ing)? of "
    r"(?:all )?(?:the |my "
    r")*(?:files|file names|filenames|documents|folder|directory|sandbox)"
    r"|(?:which|what) (?:files?|documents?)\b|ls\b|dir\b|enumerat\w+|(?:file ?)?names? of "
    r"(?:all |the |my )*files"
    r"|(?:show|display|print|view|see|give|get|name|tell)\b(?: me)?(?: out)?(?: all| "
    r"every)?(?: of)?(?: the| my| your| available| existing| current)* (?:files?\b(?! ⟦)(?! "
    r"named| called)|filenames|documents\b|folder|directory|sandbox|file list)"
    r"|what(?:'s|s| is| do (?:i|we|you) have| have (?:i|we|you) got| can you see)?\b(?: "
    r"all)?(?: there)?(?: in| inside| stored in| saved in) (?:the |this |my |your |that "
    r")?(?:folder|directory|sandbox|workspace|current (?:folder|directory))"
    r"|what (?:is|do we have|do i have|have we got|have i got)\b(?: saved| stored)?(?: here| "
    r"there)\b|what(?:'s|s| is) (?:here|there)\b|(?:show|display|list)\b(?: me)? "
    r"everything\b(?! (?:in|inside|from) ⟦)|anything in (?:the|my) (?:folder|directory|sandbox)"
    r"|inventory|list(?:ing)?(?: them| everything| all)?(?=\W*$)"
    r"|(?:are there|do (?:i|we) have|is there) (?:any|some) (?:files?|documents?)\b(?! named| "
    r"called)|(?:folder|directory) (?:contents?|listing)|contents of the (?:folder|directory"
    r"|sandbox)",
}
_WEAK: Final = (
    r"read\w*|show\w*|display\w*|print\w*|open\w*|cat\b|view\w*|look\w*|see\b|output\w*|give\b"
    r"|tell\b|contents?\b|dump\w*|reveal\w*|type\b"
    r"|check\w*|fetch\w*|load\w*|present\b|examin\w+|inspect\w*|review\w*|quote\b|pull up|get\b"
    r"|what(?:'s|s| is| was| does| do| did| are)?\b|let me see|list\w*"
    r"|summari[sz]\w+|recite|return\w*|head\b|tail\b|peek|access|retriev\w+|study|scroll"
    r"|preview|browse|verify|proofread|explain"
)
_UNITS: Final = r"lines?|words?|characters?|chars?|letters?|bytes?|rows?|files?|documents?|paragraphs?"

_PATTERNS: Final = {name: re.compile(rf"\b(?:{words})|^(?:{words})", re.IGNORECASE) for name, words in _STRONG.items()}
_WEAK_PATTERN: Final = re.compile(rf"\b(?:{_WEAK})", re.IGNORECASE)
NEGATED: Final = re.compile(
    (
        r"\b(?:don't|dont|do not|never|please no|no need to|not to|must not|mustn't|should not"
        r"|shouldn't|without|instead of|rather than|avoid|refrain from|but not)\b"
    ),
    re.IGNORECASE,
)
# Said about the past, or only thought about: nothing to do.
NO_REQUEST: Final = re.compile(
    r"^(?:(?:i|we|he|she|they|you|someone|my \w+)(?:'ve|'d)? (?:have |had |just |already "
    r"|recently |once |accidentally )*"
    r"(?:created|made|wrote|written|deleted|removed|saved|added|erased|cleared|renamed|moved"
    r"|copied|read|listed|counted|put)\b"
    r"|what (?:would|will|might|could) happen\b|should (?:i|we)\b|is it (?:safe|ok|okay|wise"
    r"|possible)\b|why (?:did|do|would|does|is|are)\b"
    r"|(?:did|have) (?:you|i|we)\b(?! have)|(?:i|we) (?:might|may|could|will|would)\b(?! like| need| want))",
    re.IGNORECASE,
)


CHANGES: Final = ("write", "append", "clear", "delete", "copy", "rename", "replace", "merge")
# A question about how things are never changes them: "is a.txt empty?" must not empty it.
_QUESTION: Final = re.compile(
    r"(?:is|are|was|were|does|do (?!you mind\b|please\b)|did|has|have (?!an?\b)|who|when|where"
    r"|which|what|how)\b"
    r"(?! about\b)",
    re.IGNORECASE,
)
_FOLDER: Final = re.compile(
    (
        r"\b(?:creat|mak|add|delet|remov|renam)\w* (?:me )?(?:an? |the |new |another "
        r")*(?:sub)?(?:folder|director)"
    ),
    re.IGNORECASE,
)


class Found(NamedTuple):
    name: str
    start: int
    end: int


def operation(clause: str) -> Found | None:
    """The operation a clause asks for, or None.

    >>> operation("please count the TODOs in ⟦f0⟧").name
    'count'
    >>> operation("show me how many files there are").name
    'count'
    """
    told = re.match(r"what (?:did|have|had) (?:i|we|you)\b(?=.*⟦f)", clause, re.IGNORECASE)
    if told:
        return Found("read", 0, told.end())
    if NO_REQUEST.search(clause) or _FOLDER.search(clause):
        return None
    patterns = _PATTERNS.items()
    is_question = _QUESTION.match(clause) is not None
    if is_question:
        patterns = {name: words for name, words in patterns if name not in CHANGES}.items()
    found = [Found(name, hit.start(), hit.end()) for name, words in patterns if (hit := words.search(clause))]
    if found:
        return _preferred(clause, min(found, key=lambda one: (one.start, -one.end)), found)
    weak = _WEAK_PATTERN.search(clause)
    if is_question and not weak and "⟦f" in clause:
        return Found("read", 0, len(clause))
    return Found("read", weak.start(), weak.end()) if weak else None


def _preferred(clause: str, first: Found, found: list[Found]) -> Found:
    """Two readings that the order of words alone gets wrong."""
    names = {one.name: one for one in found}
    if first.name in ("search", "list", "lines") and "exists" in names and names["exists"].start <= first.end:
        return names["exists"]
    if first.name in ("search", "list") and "count" in names and names["count"].start <= first.start + 12:
        return names["count"]
    return first


def unit_of(clause: str) -> str:
    """What is to be measured rather than searched: "line", "word", "character", "byte", "file", or "".

    >>> unit_of("how many lines are in ⟦f0⟧"), unit_of("count the TODO lines in ⟦f0⟧")
    ('line', '')
    """
    match = re.search(
        r"(?:how many|number of|count(?:ing)?|total(?: number)? of|tally|amount of|how "
        r"much)\s+(?:up\s+)?(?:all\s+|of\s+|the\s+|total\s+"
        rf"|number of\s+|different\s+|text\s+|my\s+|its\s+)*({_UNITS})(?=\s*(?:$|[.?!,:]|(?:in"
        rf"|inside|of|are|is|there|do|does|did|has|from|it|i|we|so|long"
        r"|total|altogether|within|currently|exist|now|you|have (?:i|we|you)|that (?:are|i|we"
        r"|file)|and|for me|please|here)\b|⟦f))",
        clause,
        re.IGNORECASE,
    )
    if not match:
        return "byte" if re.search(r"\bhow (?:big|large|long) is\b|\bsize of\b", clause, re.IGNORECASE) else ""
    word = match[1].lower().rstrip("s")
    return {"row": "line", "char": "character", "letter": "character", "document": "file"}.get(word, word)
