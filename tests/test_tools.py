"""How a name that a model wrote is understood."""

from playground.host.tools import Tool, find, unknown

A = Tool("one__read", original="read")
B = Tool("two__read", original="read")
C = Tool("two__write", original="write")


def test_an_exact_name_wins() -> None:
    assert find("two__read", [A, B, C]) is B


def test_a_name_without_prefix_counts_only_where_one_tool_has_it() -> None:
    assert find("write", [A, B, C]) is C
    assert find("read", [A, B, C]) is None
    assert find("", [A, B, C]) is None
    assert find("plain", [Tool("x__plain")]) is not None


def test_an_unknown_name_is_answered_with_the_nearest_and_all_others() -> None:
    assert unknown("one_read", [A, C]) == (
        "There is no tool named 'one_read'. Did you mean 'one__read'? The tools are: one__read, two__write."
    )
    assert unknown("", [A]) == "The call has no tool name. The tools are: one__read."
    assert unknown("x" * 300, [A]).startswith(f"There is no tool named '{'x' * 200}'. The tools")
    assert "no tools here" in unknown("read", [])
    assert unknown("zzz", [Tool(f"t{number}") for number in range(60)]).endswith("t49 and 10 more.")
