"""What of a conversation fits a model's context window.

In:   a Conversation and a number of tokens.
Out:  a view of it that fits, made of whole turns, and a Trim that says what was left out. The conversation
      itself is never shortened: it is what the user sees and saves.
Here nobody knows a provider or its tokenizer: sizes are estimates, on the careful side.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from playground.host.calls import Block, compact, text_block
from playground.host.conversation import Conversation, Turn
from playground.host.tools import Tool

BYTES_PER_TOKEN = 3  # English has about 4 bytes a token, JSON and code about 3
TOKENS_PER_MESSAGE = 4
MAX_ANSWER = 4096  # tokens kept free for the answer, in a window that is large enough
TOKENS_PER_MEDIUM = 1600  # an image or a sound; about what the large providers charge for an image of usual size

SHORTENED = "[This earlier result was left out to save space. Call the tool again if it is still needed.]"


@dataclass(frozen=True, slots=True)
class Trim:
    """What had to be left out; `fits` is False when even the last turn alone is too large."""

    turns: int
    results: int
    fits: bool

    @property
    def sentence(self) -> str:
        parts = [
            f"{count} earlier {what}{'s' if count != 1 else ''}"
            for count, what in ((self.turns, "turn"), (self.results, "tool result"))
            if count
        ]
        told = [f"Left out to fit the model's context window: {' and '.join(parts)}."] if parts else []
        if not self.fits:
            told.append("This turn is larger than the model's context window, so the model may lose its beginning.")
        return " ".join(told)


def tokens(conversation: Conversation) -> int:
    """How many tokens all of this will take, estimated."""
    return of_text(conversation.system) + TOKENS_PER_MESSAGE + sum(map(_of_turn, conversation.turns))


def for_window(window: int, tools: Iterable[Tool]) -> int:
    """What the history may take of a window: tool definitions stand in it too, and the answer needs its place."""
    defined = sum(of_text(tool.name + tool.description + compact(tool.schema)) for tool in tools)
    return max(0, window - defined - min(window // 4, MAX_ANSWER))


def of_text(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)


def fitted(conversation: Conversation, budget: int) -> tuple[Conversation, Trim | None]:
    """A view of at most `budget` tokens, and what was left out; (the same conversation, None) when all of it
    fits.

    The system prompt and the last turn always stay. The first turn, which often says what all this is about,
    stays while it fits beside them; then the newest turns fill the room. If the last turn alone is too large,
    its oldest results are replaced by a line that says so.
    """
    if (needed := tokens(conversation)) <= budget:
        return conversation, None
    turns, sizes = conversation.turns, [_of_turn(turn) for turn in conversation.turns]
    room = budget - (needed - sum(sizes))
    if not turns:
        return conversation, Trim(0, 0, fits=False)
    # The line about the gap takes room too.
    room -= of_text(_gap(len(turns)))
    last, results = _without_old_results(turns[-1], room)
    room -= _of_turn(last)
    fits = room >= 0
    first = 1 if len(turns) > 1 and sizes[0] <= room else 0
    room -= sum(sizes[:first])
    newest = len(turns) - 1
    while newest > first and sizes[newest - 1] <= room:
        newest -= 1
        room -= sizes[newest]
    kept = [*turns[newest:-1], last]
    if left_out := newest - first:
        kept[0] = replace(kept[0], question=(text_block(_gap(left_out)), *kept[0].question))
    return replace(conversation, turns=(*turns[:first], *kept)), Trim(left_out, results, fits)


def _gap(turns: int) -> str:
    return f"[{turns} earlier turn{'s' if turns != 1 else ''} of this conversation left out to save space.]"


def _of_blocks(blocks: Iterable[Block]) -> int:
    return TOKENS_PER_MESSAGE + sum(map(_of_block, blocks))


def _of_block(block: Block) -> int:
    resource = block.get("resource")
    if block["type"] in ("image", "audio") or (isinstance(resource, Mapping) and "blob" in resource):
        return TOKENS_PER_MEDIUM
    return of_text(block["text"] if block["type"] == "text" else compact(block))


def _of_turn(turn: Turn) -> int:
    total = _of_blocks(turn.question)
    for step in turn.steps:
        said = step.said
        total += TOKENS_PER_MESSAGE + of_text(said.text) + (of_text(compact(said.extras)) if said.extras else 0)
        total += sum(TOKENS_PER_MESSAGE + of_text(call.name + call.text + call.id) for call in said.calls)
        total += sum(_of_blocks(result.content) + of_text(result.call_id) for result in step.results)
    return total


def _without_old_results(turn: Turn, room: int) -> tuple[Turn, int]:
    """The turn with its oldest results replaced by a line, one by one until it fits; and how many were.

    The newest step keeps its results: a model that never sees them asks for them again and again.
    """
    count, short = 0, (text_block(SHORTENED),)
    for at, step in enumerate(turn.steps[:-1]):
        for index, result in enumerate(step.results):
            if _of_turn(turn) <= room:
                return turn, count
            if _of_blocks(result.content) > _of_blocks(short):
                step = turn.steps[at]
                results = (*step.results[:index], replace(result, content=short), *step.results[index + 1 :])
                steps = (*turn.steps[:at], replace(step, results=results), *turn.steps[at + 1 :])
                turn, count = replace(turn, steps=steps), count + 1
    return turn, count
