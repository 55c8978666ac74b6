"""The sequence view, the waterfall, the table, saving and opening: from real processes, in Chromium."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import TOUCHED

if TYPE_CHECKING:
    from tests.browser.conftest import Logs

HOSTILE = [
    '<img src=x onerror="window.owned=1;alert(1)">',
    '"><svg onload="window.owned=1">',
    "javascript:window.owned=1",
]


def open_view(page: Page, viewer: str, query: str = "") -> None:
    page.goto(f"{viewer}/dashboard{query}")
    expect(page.locator("#status")).to_have_attribute("data-state", "live")


def arrow(page: Page, pattern: str) -> Locator:
    """The arrows whose accessible name matches."""
    escaped = pattern.replace("/", r"\/")  # the pattern becomes one of JavaScript, between slashes
    return page.locator(".sequence").get_by_role("option", name=re.compile(escaped))


# ---- 1. What real processes say is drawn as what it is ---------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(browser: Browser, story: str) -> Iterator[Page]:
    """The whole story at once, on a very tall page."""
    page = browser.new_page(viewport={"width": 1440, "height": 12_000})
    said: list[str] = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    open_view(page, story, "?solo=1")
    expect(arrow(page, "chat_answer").first).to_be_attached()
    yield page
    page.close()
    assert said == []


CLIENT, SERVER = "MCP client client-simple", r"Server files"


DRAWN = [
    rf"^request initialize 2025-11-25, from {CLIENT} to {SERVER}, session",
    rf"^answer initialize 2025-11-25, from {SERVER} to {CLIENT}, HTTP 200, .* handler \+ .* network$",
    rf"^notification notifications/initialized, from {CLIENT} to {SERVER}",
    rf"HTTP 202 client_accepted, from {SERVER} to {CLIENT}",
    rf"^request server/discover, from {CLIENT} to {SERVER}, _meta 2026-07-28",
    rf"^request tools/call write_file, from {CLIENT} to {SERVER}",
    rf"^note tool_call_success write_file, on {SERVER}",
    r"^answer, the tool failed tools/call There is no file .*, isError",
    r"^protocol error tools/dance .*, -32601, HTTP 404",
    rf"^notification notifications/progress 1 of 1 demo.txt, from {SERVER} to {CLIENT}, HTTP 200, SSE",
    r"^request tools/call summarize_file, .*, cancelled$",
    rf"^cancellation notifications/cancelled \d+, from {CLIENT} to {SERVER}",
    r"^request subscriptions/listen, .*, cancelled$",
    rf"^server's request elicitation/create Delete the file trash.txt\?, from {SERVER} to {CLIENT}, HTTP 200, SSE",
    rf"^answer elicitation/create, from {CLIENT} to {SERVER}",
    rf"^answer tools/call, from {SERVER} to {CLIENT}, HTTP 200, asks back",
    rf"^request tools/call delete_file, from {CLIENT} to {SERVER}, asked again, _meta 2026-07-28",
    r"chat_question Create a file .*, from User to Chat host client-chat",
    r"chat_request 1 message, \d+ tools, from Chat host client-chat to Model",
    r"chat_response, from Model to Chat host client-chat",
    r"^the model wants a tool llm_tool_call files__write_file, from Chat host client-chat to MCP client",
    rf"^request tools/call search_file, from MCP client client-chat to {SERVER}",
    r"chat_answer .*, from Chat host client-chat to User",
]


def test_each_kind_of_message_is_drawn(whole: Page) -> None:
    for name in DRAWN:
        expect(arrow(whole, name).first, name).to_be_attached()


def test_ties_lead_beyond_one_exchange(whole: Page) -> None:
    for kind, least in (("again", 1), ("wish", 2), ("cancel", 1)):
        assert whole.locator(f".ties .{kind}").count() >= least, kind


def test_lanes_stand_in_order_and_have_names(whole: Page) -> None:
    titles = whole.locator(".lane b").all_inner_texts()
    assert titles == ["User", "Chat host", "Model", "MCP client", "MCP client", "Server"]


def test_only_frames_that_nobody_received_are_seen_by_one_side(whole: Page) -> None:
    alone = arrow(whole, "only its (sender|receiver) wrote it down").all()
    names = [each.locator(".spoken").text_content() or "" for each in alone]
    assert all("notifications/resources/list_changed" in name for name in names), names


# ---- 2. Looking around -----------------------------------------------------------------------------------------------


def test_an_arrow_opens_the_inspector_and_keys_walk(page: Page, viewer: str, log: Logs) -> None:
    log.call("tools/list", 1)
    log.call("tools/call", 2, params={"name": "read_file"})
    open_view(page, viewer)
    arrow(page, "^request tools/call").click()
    expect(page.locator("#inspector h2")).to_contain_text("tools/call")
    expect(page).to_have_url(re.compile(r"#mcp-client-simple.jsonl@\d+$"))
    page.locator(".sequence").press("ArrowUp")
    expect(arrow(page, "^answer tools/list")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", name="Explain")).to_be_focused()
    page.get_by_role("tab", name="Timing").click()
    expect(page.locator("#inspector")).to_contain_text("In the handler")
    page.keyboard.press("Escape")
    expect(page.locator("#inspector")).to_be_hidden()
    expect(page.locator(".sequence")).to_be_focused()


def test_what_is_pending_counts_up_until_its_answer_comes(page: Page, viewer: str, log: Logs) -> None:
    page.clock.install(time="2026-11-29T12:00:02Z")
    log.call("tools/call", 7, answered=False)
    open_view(page, viewer)
    text = page.locator('.arrow[data-shape="request"] text[aria-hidden]')
    expect(text).to_contain_text(re.compile(r"pending \d+ s"))
    first = str(text.text_content())
    expect(text).not_to_have_text(first)
    answer = {"message": {"jsonrpc": "2.0", "id": 7, "result": {}}}
    where = {"dir": "in", "peer": "server", "exchange": "span:mcp-client-simple-7"}
    log.write("client_response", "mcp-client-simple", data=answer, ms=812.0, **where)
    expect(text).not_to_contain_text("pending")
    expect(arrow(page, "^answer tools/call, .*, 812 ms")).to_be_visible()


def test_the_view_is_kept_in_the_address_and_each_obeys_the_filter(page: Page, viewer: str, log: Logs) -> None:
    log.call("tools/list", 1)
    log.call("tools/dance", 2, error={"code": -32601, "message": "no"})
    open_view(page, viewer)
    views = page.get_by_role("group", name="View")
    page.locator("#all input").fill("data.message.id=2")
    expect(page.locator(".arrow")).to_have_count(2)
    views.get_by_role("button", name="Waterfall").click()
    calls = page.get_by_role("listbox", name="Calls and their time").get_by_role("option")
    expect(calls).to_have_count(1)
    expect(calls).to_contain_text("-32601")
    views.get_by_role("button", name="Table").click()
    table = page.get_by_role("table", name="Messages")
    expect(table.get_by_role("row")).to_have_count(3)
    expect(table.get_by_role("columnheader")).to_contain_text(["Time", "From", "To", "Kind", "Message", "Outcome"])
    expect(table.get_by_role("row").nth(2)).to_contain_text("protocol error")
    expect(table).to_have_attribute("aria-rowcount", "3")
    expect(page).to_have_url(re.compile("view=table"))
    page.reload()
    expect(table.get_by_role("row")).to_have_count(3)
    table.get_by_role("button", name="tools/dance").first.click()
    expect(page.locator("#inspector h2")).to_contain_text("tools/dance")


def test_a_link_leads_to_its_message_however_old(page: Page, viewer: str, log: Logs) -> None:
    log.call("ping", 1)
    log.append("mcp-server", *(json.dumps(log.record("hay")) for _ in range(1500)))
    open_view(page, viewer, "#mcp-client-simple.jsonl@0")
    expect(page.locator("#inspector h2")).to_contain_text("ping")
    last = log.write("needle")
    size = (log.folder / "mcp-server.jsonl").stat().st_size - len(json.dumps(last)) - 1
    page.goto("about:blank")
    open_view(page, viewer, f"#mcp-server.jsonl@{size}")
    expect(page.locator("#inspector h2")).to_contain_text("needle")


@pytest.mark.hard
def test_a_filter_that_hides_one_side_leaves_its_lane(page: Page, viewer: str, log: Logs) -> None:
    open_view(page, viewer, "?all=component%3Dmcp-client-simple")
    log.call("tools/list", 1)
    server = arrow(page, "^request tools/list, from MCP client client-simple to Server")
    expect(server).to_be_visible()
    expect(page.locator(".lane b")).to_have_text(["MCP client", "Server"])
    box = server.locator(".hit").bounding_box()
    assert box is not None
    assert box["width"] > 100


@pytest.mark.hard
def test_only_this_exchange_session_or_trace(page: Page, viewer: str, log: Logs) -> None:
    log.call("tools/list", 1)
    log.call("ping", 2)
    open_view(page, viewer)
    arrow(page, "^request ping").click()
    page.locator(".only").get_by_role("button", name="exchange").click()
    expect(page.locator(".arrow")).to_have_count(2)
    expect(page).to_have_url(re.compile("all=exchange"))


@pytest.mark.hard
def test_the_palette_finds_commands(page: Page, viewer: str) -> None:
    open_view(page, viewer)
    expect(page.locator("#all .empty")).to_contain_text("make demo")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Command")).to_be_focused()
    page.keyboard.type("table view")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("view=table"))
    page.keyboard.press("Control+k")
    page.keyboard.type("no such command")
    expect(page.locator("#palette")).to_contain_text("No command has these words.")
    page.keyboard.press("Escape")
    expect(page.locator("#palette")).to_be_hidden()
    page.keyboard.press("v")
    expect(page.locator("#panels")).to_have_attribute("data-view", "sequence")


def test_copy_as_curl_sends_the_exact_body(page: Page, viewer: str, log: Logs) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    log.call("tools/call", 1, params={"name": "it's"})
    open_view(page, viewer)
    expect(page.locator("#all .count")).to_have_text("4")  # or the next record draws the button anew
    arrow(page, "^request tools/call").click()
    page.get_by_role("tab", name="JSON").click()
    page.evaluate(  # what a button says for a second only, a busy machine may look for too late
        """() => {
          window.said = [];
          const note = (changes) => window.said.push(...changes.map(({ target }) => target.textContent));
          new MutationObserver(note).observe(document.body, { subtree: true, childList: true, characterData: true });
        }"""
    )
    page.bring_to_front()  # only who has the focus may write into the clipboard
    page.get_by_role("button", name="Copy as curl").click()
    page.wait_for_function("() => window.said.some((text) => ['Copied', 'Not allowed here'].includes(text))")
    assert "Copied" in page.evaluate("window.said")
    command = page.evaluate("navigator.clipboard.readText()")
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "it's"}})
    assert body.replace("'", "'\\''") in command


# ---- 3. Saving and opening -------------------------------------------------------------------------------------------


def save(page: Page, kind: str, folder: Path) -> Path:
    page.keyboard.press("s")
    page.locator(f'#save input[value="{kind}"]').check()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save", exact=True).last.click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_saved_files_hide_secrets_open_offline_and_run_nothing(
    browser: Browser, page: Page, viewer: str, log: Logs, tmp_path: Path
) -> None:
    log.call("tools/call", 1, params={"name": "x", "arguments": {"api_key": "hunter2-hunter2"}})
    for text in HOSTILE:
        log.call(text, len(text), params={"name": text})
    open_view(page, viewer)
    page.locator("#all .rows").focus()
    lines = save(page, "jsonl", tmp_path).read_text(encoding="utf-8")
    assert "hunter2" not in lines
    assert len([json.loads(line) for line in lines.splitlines()]) == 16
    page.keyboard.press("s")
    expect(page.locator("#save .secrets")).to_contain_text("the value of api_key")
    expect(page.get_by_role("region", name="Preview")).to_contain_text('"api_key": "***"')
    page.locator("#save .secrets input").uncheck()
    expect(page.get_by_role("region", name="Preview")).to_contain_text("hunter2-hunter2")
    page.get_by_role("button", name="Cancel").click()
    diagram = save(page, "mermaid", tmp_path).read_text(encoding="utf-8")
    assert diagram.startswith("sequenceDiagram\n")
    saved = save(page, "html", tmp_path)
    assert "hunter2" not in saved.read_text(encoding="utf-8")
    offline = browser.new_context(offline=True)
    other = offline.new_page()
    asked: list[str] = []
    other.on("request", lambda request: asked.append(request.url))
    other.goto(saved.as_uri())
    expect(other.locator("svg .arrow")).to_have_count(8)
    other.locator("summary").first.click()
    expect(other.locator("details[open] pre")).to_be_visible()
    assert other.evaluate("[window.owned, document.scripts.length]") == [None, 0]
    assert asked == [saved.as_uri()]
    offline.close()


@pytest.mark.hard
def test_a_dropped_log_is_shown_marked_and_left_again(page: Page, viewer: str, log: Logs) -> None:
    log.write("what-is-live")
    open_view(page, viewer)
    text = "".join(f"{json.dumps(log.record(f'from-the-file-{n}'))}\n" for n in range(3)) + HOSTILE[0]
    drop = """(text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], '<b>old</b>.jsonl'));
      for (const type of ['dragover', 'drop'])
        document.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }"""
    page.evaluate(drop, text)
    expect(page.locator(".opened")).to_contain_text("Opened file: <b>old</b>.jsonl, 4 records")
    expect(arrow(page, "from-the-file-2")).to_be_visible()
    expect(page.locator("#all .count")).to_have_text("4")
    log.write("meanwhile")
    page.get_by_role("button", name="Back to live").click()
    expect(arrow(page, "meanwhile")).to_be_visible()
    expect(page.locator("#all .count")).to_have_text("2")
    assert page.evaluate("window.owned") is None


# ---- 4. Hostile and many ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "view",
    ["sequence", pytest.param("waterfall", marks=pytest.mark.hard), pytest.param("table", marks=pytest.mark.hard)],
)
def test_a_hostile_log_runs_nothing_in_any_view(page: Page, viewer: str, log: Logs, view: str) -> None:
    for text in HOSTILE:
        log.call(text, len(text), client=f"mcp-client-{text}", params={"name": text})
        message = {"jsonrpc": "2.0", "id": text, "method": text, "params": {"__proto__": {"owned": 1}}}
        data = {"message": message, "server": text, "http": {"method": text, "path": text, "headers": {text: text}}}
        log.write(text, level=text, dir="out", peer=text, via=text, exchange=text, trace=text, data=data)
    log.append("mcp-server", HOSTILE[0])
    open_view(page, viewer, f"?view={view}#{HOSTILE[0]}@1")
    rows = page.locator(".arrow, #all .row:visible")
    expect(rows.first).to_be_visible()
    rows.first.click()
    for tab in ("Explain", "JSON", "HTTP", "Timing", "Pair"):
        page.get_by_role("tab", name=tab).click()
    assert page.evaluate("[window.owned, ({}).owned]") == [None, None]
    assert page.locator("#panels img, #inspector img, #panels svg svg").count() == 0


@pytest.mark.hard
def test_fifty_thousand_records_leave_the_sequence_quick(page: Page, viewer: str, log: Logs) -> None:
    open_view(page, viewer)
    for number in range(12_500):
        log.call("tools/call", number, params={"name": "x" * 50})
        if number == 0:
            expect(page.locator("#all .count")).to_have_text("4")
    expect(page.locator("#all .count")).to_have_text("50,000", timeout=60_000)
    assert page.evaluate("document.querySelectorAll('*').length") < 5000
    touched, is_open = page.evaluate(f"""() => {{
      const click = new MouseEvent('click', {{ bubbles: true }});
      const arrow = [...document.querySelectorAll('.arrow')].at(-5);
      return ({TOUCHED})(() => arrow.dispatchEvent(click), () => !document.getElementById('inspector').hidden);
    }}""")
    assert is_open
    assert touched < 2000  # not one for each record
