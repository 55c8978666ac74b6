"""Steps describe themselves."""

from playground.scripted_model.steps import Step


def test_a_step_can_be_described_and_moved_to_another_file() -> None:
    assert Step("count", "a.txt", keyword="TODO").described() == "count TODO in a.txt"
    assert Step("read", "a.txt").described() == "read a.txt"
    assert Step("list").described() == "list"
    assert Step("read", "#1").on("b.txt") == Step("read", "b.txt")
