"""What the inspector tells beyond the record: why now, the code, the other era, what a model saw, sending it again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.talks import NEW, OLD
from tests.talks import Log as Talk

if TYPE_CHECKING:
    from tests.browser.conftest import Logs

SCHEMA = {"type": "object", "properties": {"filename": {"type": "string"}}, "required": ["filename"]}


def write(logs: Path, talk: Talk, name: str = "mcp-client-simple") -> None:
    """The records of a conversation, a second apart."""
    path = logs / f"{name}.jsonl"
    known = len(path.read_text("utf-8").splitlines()) if path.exists() else 0
    lines = []
    for number, record in enumerate(talk.records, known):
        full = {
            "ts": f"2026-11-29T12:00:{number:02}.000000+00:00",
            "level": "INFO",
            "event": "client_request",
            **record,
        }
        lines.append(json.dumps({**full, "seq": number}))
    with path.open("a", encoding="utf-8") as log:  # a log only ever grows
        log.write("".join(line + "\n" for line in lines))


def choose(page: Page, text: str, tab: str, nth: int = 0) -> Locator:
    """Opens a record and one of its tabs; gives the tab's body."""
    page.locator(".row:visible", has_text=text).nth(nth).click()
    # What comes late is drawn anew, and a test may hold in its hand what was there before.
    expect(page.locator("#inspector-body").get_by_text("Looking at what came before")).to_have_count(0)
    page.get_by_role("tab", name=tab, exact=True).click()
    return page.locator("#inspector-body")


def opened(page: Page, viewer: str) -> None:
    page.goto(f"{viewer}/?filter=")
    expect(page.locator("#status")).to_have_attribute("data-state", "live")


@pytest.mark.parametrize("nth", [0, pytest.param(1, marks=pytest.mark.hard), pytest.param(2, marks=pytest.mark.hard)])
def test_the_same_request_has_another_reason_each_time(page: Page, viewer: str, logs: Path, nth: int) -> None:
    talk = Talk(OLD).hello()
    talk.ask("tools/list")
    talk.get({"tools": [], "nextCursor": "x"})
    talk.ask("tools/list", {"cursor": "x"})
    talk.get({"tools": []})
    talk.news("notifications/tools/list_changed")
    talk.ask("tools/list")
    write(logs, talk)
    opened(page, viewer)
    rows = page.locator(".row:visible", has_text="tools/list").filter(has_text="request")
    expect(rows).to_have_count(3)
    rows.nth(nth).click()
    why = page.locator(".why")
    expect(why).to_have_attribute("data-situation", ("list-first", "list-next-page", "list-after-a-change")[nth])
    for heading in ("Why now", "What must come next", "What would be illegal here", "In the stateless era"):
        expect(why).to_contain_text(heading)
    link = page.locator(".rests a").get_attribute("href")
    assert link == "https://modelcontextprotocol.io/specification/2025-11-25/server/tools#listing-tools"


@pytest.mark.hard
def test_a_field_tells_what_it_means_when_it_has_the_focus(page: Page, viewer: str, logs: Path) -> None:
    talk = Talk(OLD).hello()
    talk.ask("tools/call", {"name": "x", "arguments": {"id": 1}, "_meta": {"progressToken": 7}})
    write(logs, talk)
    opened(page, viewer)
    body = choose(page, "tools/call", "Explain")
    body.get_by_role("button", name="progressToken").focus()
    expect(page.locator("#field-about")).to_contain_text("progress")
    assert body.get_by_role("button", name="id", exact=True).count() == 1  # the argument's id is the user's


def test_the_code_behind_a_record_is_shown_with_its_line(page: Page, viewer: str, log: Logs) -> None:
    message = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    log.write("client_notification", dir="out", peer="server", data={"message": message}, src="client.py:60 x")
    log.write("odd", dir="out", peer="server", data={"message": message}, src="../../../etc/passwd:1")
    opened(page, viewer)
    body = choose(page, "notifications/initialized", "Code")
    expect(body.locator(".code-line.here .line-number")).to_have_text("60")
    expect(body).to_contain_text("client.py")
    body = choose(page, "notifications/initialized", "Code", 1)
    expect(body).to_contain_text("names no Python file of this project")


def test_the_other_era_is_found_in_the_log_or_in_the_recording(page: Page, viewer: str, logs: Path) -> None:
    talk = Talk(OLD).hello()
    talk.ask("tools/list")
    talk.get({"tools": []})
    write(logs, talk)
    opened(page, viewer)
    body = choose(page, "tools/list", "Era twin")
    expect(body).to_contain_text("from a recording that is shipped")
    expect(body.locator(".step")).to_have_count(4)
    expect(body.locator(".glossary")).to_contain_text("Mcp-Method")
    expect(body.locator(".glossary")).to_contain_text("ttlMs")
    other = Talk(NEW)
    other.ask("tools/list")
    other.get({"resultType": "complete", "tools": [], "ttlMs": 5, "cacheScope": "public"})
    for record in other.records:
        record["exchange"] = record["exchange"].replace("c1", "c2")
        record["pid"] = 2
    write(logs, other)
    expect(page.locator(".row:visible", has_text="tools/list")).to_have_count(4)
    body = choose(page, "tools/list", "Era twin")
    expect(body).to_contain_text("Both are in the logs.")
    body = choose(page, "initialize", "Era twin")
    expect(body).to_contain_text("server/discover")
    expect(body).to_contain_text("The stateless era has no such step.")


def test_what_the_model_saw(page: Page, viewer: str, log: Logs, logs: Path) -> None:
    tool = {"name": "read_file", "title": "Read", "description": "Reads.", "inputSchema": SCHEMA, "annotations": {}}
    talk = Talk(OLD).hello()
    talk.ask("tools/list")
    talk.get({"tools": [tool]})
    write(logs, talk)
    sent = {"name": "files__read_file", "description": "Reads.", "parameters": SCHEMA}
    body = {
        "model": "granite3.3",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "<b>Read a.txt</b>"}],
        "tools": [{"type": "function", "function": sent}],
        "tool_choice": "auto",
    }
    http = {"method": "POST", "path": "http://127.0.0.1:11434/v1/chat/completions"}
    data = {"message": body, "http": http, "round": 1}
    log.write("chat_request", "mcp-client-chat", dir="out", peer="llm", exchange="llm:1", data=data)
    opened(page, viewer)
    expect(page.locator(".row:visible")).to_have_count(6)  # so that the server's list is known
    view = choose(page, "chat_request", "Model")
    expect(view).to_contain_text("OpenAI's format, model granite3.3")
    expect(view).to_contain_text("Estimated: one token for 4 characters")
    expect(view).to_contain_text("<b>Read a.txt</b>")
    view.locator("summary", has_text="files__read_file").click()
    forms = view.locator(".form-grid")
    expect(forms.locator("h4")).to_have_text(["MCP", "OpenAI, as it was sent", "Anthropic", "Ollama"])
    expect(forms.locator("mark", has_text="input_schema")).to_be_visible()
    expect(forms.locator("s", has_text="annotations")).to_be_visible()
    view = choose(page, "tools/list", "Model")
    expect(view).to_contain_text("Choose a chat_request")


def test_what_a_reader_does_outlives_what_is_learned_meanwhile(page: Page, viewer: str, log: Logs) -> None:
    sent = {"name": "read_file", "description": "Reads.", "parameters": SCHEMA}
    user = {"role": "user", "content": "\n".join(f"line {n}" for n in range(400))}
    body = {"model": "granite3.3", "messages": [user], "tools": [{"type": "function", "function": sent}]}
    http = {"method": "POST", "path": "http://127.0.0.1:11434/v1/chat/completions"}
    data = {"message": body, "http": http, "round": 1}
    log.write("chat_request", "mcp-client-chat", dir="out", peer="llm", exchange="llm:1", data=data)
    asked: list[Route] = []
    page.route("**/explanations", lambda route: asked.append(route))  # which must not be a builtin
    opened(page, viewer)
    view = choose(page, "chat_request", "Model")
    text = view.locator("pre", has_text="line 399")
    text.evaluate("each => each.scrollTop = 500")
    summary = view.locator("summary", has_text="read_file")
    summary.click()
    expect(summary).to_be_focused()
    top = view.evaluate(
        "each => (each.scrollTop = each.scrollHeight, each.scrollTop)"
    )  # what is unfolded is needed for it
    summary.evaluate("each => each.dataset.old = 'yes'")
    asked[0].continue_()
    expect(view.locator("[data-old]")).to_have_count(0)  # it was drawn anew
    expect(view.locator(".form-grid")).to_be_visible()
    expect(summary).to_be_focused()
    assert (view.evaluate("each => each.scrollTop"), text.evaluate("each => each.scrollTop")) == (top, 500)


@pytest.mark.hard
def test_another_record_is_shown_from_its_top(page: Page, viewer: str, log: Logs) -> None:
    for name in ("first", "second"):
        log.write(name, "mcp-server", data={f"n{n}": n for n in range(50)})
    opened(page, viewer)
    view = choose(page, "first", "JSON")
    assert view.evaluate("each => (each.scrollTop = 300, each.scrollTop)") == 300
    choose(page, "second", "JSON")
    assert view.evaluate("each => each.scrollTop") == 0


@pytest.mark.hard
def test_the_keyboard_stays_where_a_tree_is_folded(page: Page, viewer: str, logs: Path) -> None:
    write(logs, Talk(OLD).hello())
    opened(page, viewer)
    fold = choose(page, "initialize", "JSON").get_by_role("button", name="params")
    fold.focus()
    for state in ("false", "true"):
        page.keyboard.press("Enter")
        expect(fold).to_have_attribute("aria-expanded", state)
        expect(fold).to_be_focused()


def ask(logs: Path) -> Talk:
    """A request that is not answered yet."""
    talk = Talk(OLD)
    talk.ask("tools/list", http={"method": "POST", "path": "/rpc", "headers": {"Content-Type": "application/json"}})
    write(logs, talk)
    return talk


def answer(logs: Path, talk: Talk) -> None:
    talk.get({"tools": []})
    talk.records = talk.records[1:]
    write(logs, talk)


@pytest.mark.hard
def test_what_is_typed_outlives_it_too(page: Page, viewer: str, logs: Path) -> None:
    talk = ask(logs)
    opened(page, viewer)
    body = choose(page, "tools/list", "Console")
    text = body.get_by_label("Body, sent exactly as it stands")
    text.fill("12")
    text.press("ArrowLeft")
    answer(logs, talk)
    expect(page.locator("#inspector .facts")).to_contain_text("1.00 s")  # that it was answered is known by now
    page.keyboard.type("x")
    expect(text).to_have_value("1x2")


@pytest.mark.hard
def test_text_that_is_selected_stays_so_until_it_was_copied(page: Page, viewer: str, logs: Path) -> None:
    talk = ask(logs)
    asked: list[Route] = []
    page.route("**/explanations", lambda route: asked.append(route))
    opened(page, viewer)
    choose(page, "tools/list", "JSON").get_by_text('"tools/list"').select_text()
    with page.expect_response("**/explanations"):
        asked[0].continue_()
    answer(logs, talk)
    expect(page.locator(".row:visible", has_text="result")).to_have_count(1)
    assert page.evaluate("String(getSelection())") == '"tools/list"'
    page.evaluate("getSelection().removeAllRanges()")
    expect(page.locator("#inspector .facts")).to_contain_text("1.00 s")


def test_a_past_request_is_edited_and_sent_again(
    page: Page, start: Callable[..., Any], logs: Path, files: Path
) -> None:
    server = start("server.py", "--port", 0, "--files", files, "--logs", logs)
    viewer = start("log_viewer.py", "--port", 0, "--logs", logs, "--server", f"{server.url}/mcp")
    talk = Talk(OLD)
    rpc = {"method": "POST", "path": "/rpc", "headers": {"Content-Type": "application/json"}}
    talk.ask("tools/list", http=rpc)
    write(logs, talk)
    opened(page, viewer.url)
    body = choose(page, "tools/list", "Console")
    text = body.get_by_label("Body, sent exactly as it stands")
    expect(text).to_have_value('{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}')
    text.fill('{"jsonrpc":"2.0","id":"edited","method":"tools/list"}')
    body.get_by_role("button", name="Send").click()
    expect(body.locator(".answer")).to_contain_text('"edited"')
    expect(text).to_have_value('{"jsonrpc":"2.0","id":"edited","method":"tools/list"}')  # it outlives a redraw
    expect(page.locator(".row:visible", has_text="tools/list").filter(has_text="viewer")).not_to_have_count(0)
