"""What is said when there is nothing to do: greetings, thanks, questions about the model, what MCP is.

Goes in: a text. Comes out: the kind of talk, and for a kind the reply. Refuses to know: files and results.
"""

import ast
import operator
import re
from collections.abc import Callable, Sequence
from typing import Final

ABILITIES: Final = (
    "I am the playground's scripted model: a set of rules, not a language model. I can create, "
    "write, append to, read, list, count in, "
    "search, copy, rename and delete files with the tools I am offered, several steps in one "
    "question if you like. "
    "Try: Create a file named notes.txt with a TODO line, then count TODOs."
)
_KINDS: Final = (
    ("identity", (r"\b(?:who|what) are you\b|are you (?:a|an|the) |your name\b|which model|what model|are "
        r"you (?:real|human|gpt|claude|chatgpt|granite)|\blanguage model\b|\b(?:llm|ai)\b.*\byou\b")),
    ("tools", r"\b(?:which|what|list|show|name)\b.*\btools\b|\bwhat tools\b|\btools? (?:do|can|are)\b"),
    ("help", (r"\bhelp\b|what can (?:you|i)\b|what (?:do|could) you (?:do|offer)|how (?:do|can|could"
        r"|would|should) (?:i|you|we)\b|your (?:abilities|capabilities)|instructions|what are you "
        r"able|how does (?:this|it) work")),
    ("model context protocol", (r"\b(?:what(?:'s| is)|explain|tell me about|define|describe)\b.*\b(?:mcp|model context "
        r"protocol)\b")),
    ("json-rpc", r"\b(?:what(?:'s| is)|explain|tell me about|define|describe)\b.*\bjson-?rpc\b"),
    ("function calling", r"\b(?:what(?:'s| is)|explain|tell me about|define|describe)\b.*\b(?:function|tool) call"),
    ("sum", r"^(?:what(?:'s| is)|how much is|calculate|compute)?\s*[-+(]*\d[\d\s.()+*/x×÷-]*[\d)]\s*[?=]*$"),
    ("thanks", (r"\b(?:thanks|thank you|thx|cheers|much appreciated|great job|well done|good job|perfect"
        r"|awesome|nice work)\b")),
    ("goodbye", r"^\W*(?:bye|goodbye|good night|see you|farewell|that's all|quit|exit)\b"),
    ("feelings", r"\bhow are you\b|\bhow(?:'s| is) it going\b|what's up\b"),
    ("greeting", (r"^\W*(?:hi|hello|hey|hiya|howdy|yo|greetings|good (?:morning|afternoon|evening|day)"
        r"|welcome|salut|hallo)\b")),
    ("agreement", r"^\W*(?:yes|no|ok|okay|sure|fine|alright|yep|nope|cool|good|great)\b[\w\s]{0,12}\W*$"),
)  # fmt: skip
_PATTERNS: Final = tuple((name, re.compile(words, re.IGNORECASE)) for name, words in _KINDS)
_REPLIES: Final = {
    "greeting": "Hello! " + ABILITIES,
    "feelings": "I am a set of rules, so always the same, thank you. " + ABILITIES,
    "thanks": "You are welcome. Is there another file to work on?",
    "goodbye": "Goodbye! The files stay as they are.",
    "agreement": "All right. Tell me what to do next with a file, for example: list the files.",
    "help": ABILITIES,
    "identity": ("I am the scripted model of the MCP Playground: rules and no weights, so not a language "
        "model. I read plain requests about files and call tools."),
    "model context protocol": "MCP, the Model Context Protocol, is a common way for applications that host a model to "
        "reach tools, resources and prompts. "
    "The host's client talks JSON-RPC to a server; the model only asks the host to call a "
        "tool, it never talks to the server itself.",
    "json-rpc": "JSON-RPC 2.0 is the message format under MCP: a request has an id, a method and params; "
        "the answer repeats the id and "
    "carries a result or an error; a notification has no id and gets no answer.",
    "function calling": "Function calling is how a model asks its host to run something: it answers with a name "
        "and arguments instead of text. "
    "The host runs it, often on an MCP server, and gives the result back for the next round.",
    "unknown": "I did not understand that. " + ABILITIES,
}  # fmt: skip
_ABILITY: Final = re.compile(
    r"^(?:please )?(?:can|could|are|do) you (?:able to |know how to )?(?:\w+ )?(?:create|write"
    r"|read|delete|list|count|search|append|copy|rename|make|open|edit|see|access) (?:any "
    r"|some |my |text |new |local )*(?:files|documents|things|folders|directories)\s*\?*$"
    r"|^how (?:do|can|could|would|should) (?:i|you|we|one)\b|^what (?:would|will|could) happen\b",
    re.IGNORECASE,
)


def kind(text: str) -> str:
    """The kind of talk, "" if none is recognized.

    >>> kind("Good morning!"), kind("What is MCP?"), kind("The weather is nice")
    ('greeting', 'model context protocol', '')
    """
    return next((name for name, words in _PATTERNS if words.search(text.strip())), "")


def is_about_ability(text: str) -> bool:
    """Whether a text asks if or how something could be done, and not for it."""
    return _ABILITY.search(text.strip()) is not None


def reply(talk: str, text: str, tools: Sequence[str]) -> str:
    """What to say; `tools` are the names of those on offer."""
    if talk == "tools":
        return f"I was offered {len(tools)} tools: {', '.join(tools)}." if tools else "I was offered no tools."
    if talk == "sum":
        value = _value(text)
        return f"That is {value}." if value else _REPLIES["unknown"]
    return _REPLIES.get(talk, _REPLIES["unknown"])


_OPERATORS: Final[dict[type[ast.operator], Callable[[float, float], float]]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip


def _value(text: str) -> str:
    """The value of a sum such as `2 + 3 * 4`; "" if it has none."""
    sum_ = (
        re.sub(r"[^\d.()+*/×÷x -]", "", text.lower().split("is")[-1])
        .replace("×", "*")
        .replace("÷", "/")
        .replace("x", "*")
    )

    def of(node: ast.expr) -> float:
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            return node.value
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -of(node.operand)
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            return _OPERATORS[type(node.op)](of(node.left), of(node.right))
        raise ValueError(text)

    try:
        return f"{of(ast.parse(sum_.strip(), mode='eval').body):.10g}"
    except (ValueError, SyntaxError, ZeroDivisionError, OverflowError, RecursionError, MemoryError):
        return ""
