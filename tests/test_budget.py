"""What fits a context window; the random histories stand in test_conversation.py."""

from playground.host import budget
from playground.host.calls import Call, Result
from playground.host.conversation import Conversation, Said
from playground.host.tools import Tool


def talk(turns: int, calls: int = 0, size: int = 300) -> Conversation:
    conversation = Conversation("be short")
    for number in range(turns):
        conversation = conversation.ask(f"question {number}")
        for _ in range(calls):
            conversation = conversation.say(Said("", (Call.received("", "read", "{}"),)))
            conversation = conversation.give([Result.of_text(conversation.open_calls[0].id, "r" * size)])
        conversation = conversation.say(Said("answer " * (size // 7)))
    return conversation.ask("the last question")


def questions(conversation: Conversation) -> list[str]:
    return [turn.question[-1]["text"] for turn in conversation.turns]


def test_what_fits_is_left_alone() -> None:
    conversation = talk(5)
    assert budget.fitted(conversation, budget.tokens(conversation)) == (conversation, None)


def test_the_oldest_turns_go_but_the_first_stays_and_the_gap_is_told() -> None:
    view, trim = budget.fitted(talk(20), 700)
    asked = questions(view)
    assert asked[0] == "question 0"
    assert asked[-2:] == ["question 19", "the last question"]
    assert trim is not None
    assert trim.sentence == f"Left out to fit the model's context window: {trim.turns} earlier turns."
    assert view.turns[1].question[0]["text"].startswith(f"[{trim.turns} earlier turns")
    assert budget.tokens(view) <= 700


def test_the_first_turn_goes_too_when_it_does_not_fit() -> None:
    conversation = Conversation().ask("long " * 500).say(Said("ok")).ask("short").say(Said("ok")).ask("last")
    view, trim = budget.fitted(conversation, 200)
    assert questions(view) == ["short", "last"]
    assert trim == budget.Trim(1, 0, fits=True)
    assert "1 earlier turn." in trim.sentence


def test_a_hundred_turns_with_calls_leave_no_orphans() -> None:
    conversation = talk(100, calls=2)
    for room in range(100, 3000, 100):
        view, _ = budget.fitted(conversation, room)
        assert all(turn.closed for turn in view.turns[:-1])


def test_a_single_long_turn_loses_its_oldest_results_but_never_the_newest() -> None:
    conversation = Conversation().ask("go")
    for number in range(6):
        conversation = conversation.say(Said("", (Call.received(str(number), "read", "{}"),)))
        conversation = conversation.give([Result.of_text(str(number), "r" * 3000)])
    view, trim = budget.fitted(conversation, 3500)
    texts = [step.results[0].content[0]["text"] for step in view.turns[0].steps]
    assert texts[:3] == [budget.SHORTENED] * 3
    assert texts[3:] == ["r" * 3000] * 3
    assert trim == budget.Trim(0, 3, fits=True)
    assert "3 earlier tool results" in trim.sentence
    smallest, trim = budget.fitted(conversation, 50)
    assert smallest.turns[0].steps[-1].results[0].content[0]["text"] == "r" * 3000
    assert trim is not None
    assert not trim.fits
    assert "larger than the model's context window" in trim.sentence


def test_short_results_are_not_replaced_by_a_longer_line() -> None:
    view, trim = budget.fitted(talk(0).say(Said("", (Call.received("1", "read", "{}"),))).settle("x" * 900), 50)
    assert trim == budget.Trim(0, 0, fits=False)
    assert "Cancelled" in view.turns[0].steps[0].results[0].content[0]["text"]


def test_a_system_prompt_alone_can_be_too_large() -> None:
    conversation = Conversation("x" * 1000)
    assert budget.fitted(conversation, 10) == (conversation, budget.Trim(0, 0, fits=False))


def test_media_count_by_what_providers_charge_and_other_blocks_by_their_text() -> None:
    image = {"type": "image", "data": "A" * 100_000, "mimeType": "image/png"}
    blob = {"type": "resource", "resource": {"uri": "x:y", "blob": "A" * 100_000}}
    link = {"type": "resource_link", "uri": "x:y", "name": "y" * 300}
    plain = budget.tokens(Conversation().ask("x"))
    for block in (image, blob):
        assert budget.tokens(Conversation().ask([block])) == plain - 1 + budget.TOKENS_PER_MEDIUM
    assert budget.tokens(Conversation().ask([link])) > 100


def test_a_window_also_holds_the_tools_and_the_answer() -> None:
    tool = Tool("read", "Reads a file.", {"type": "object"})
    assert budget.for_window(8192, []) == 8192 - 2048
    assert budget.for_window(8192, [tool] * 10) < 8192 - 2048 - 100
    assert budget.for_window(200_000, []) == 200_000 - budget.MAX_ANSWER
    assert budget.for_window(100, [tool] * 100) == 0


def test_tokens_are_estimated_on_the_careful_side() -> None:
    assert budget.of_text("") == 0
    assert budget.of_text("word") == 2
    assert budget.of_text("日本") == 2
    assert budget.of_text("\ud800") == 1
