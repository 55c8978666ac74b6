"""The dashboard in Chromium: a real viewer process, real log files."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Request, expect

from tests.browser.conftest import TOUCHED

if TYPE_CHECKING:
    from tests.browser.conftest import Logs

LIVE = "live"


def rows(page: Page, panel: str = "all") -> Locator:
    return page.locator(f"#{panel} .row:visible")


def shown(page: Page, panel: str = "all") -> Locator:
    return page.locator(f"#{panel} .count")


def box(locator: Locator) -> Any:
    """Where it is, and how large."""
    found = locator.bounding_box()
    assert found is not None
    return found


def state(page: Page) -> Locator:
    return page.locator("#status")


def streams_of(context: BrowserContext) -> list[str]:
    """The addresses of all event streams that the tabs open, as they open them."""
    asked: list[str] = []

    def note(request: Request) -> None:
        if urlsplit(request.url).path == "/stream":
            asked.append(request.url)

    context.on("request", note)
    return asked


def open_dashboard(page: Page, viewer: str, query: str = "?view=panels") -> None:
    page.goto(f"{viewer}/dashboard{query}")
    expect(state(page)).to_have_attribute("data-state", LIVE)


# ---- 1. Records arrive -----------------------------------------------------------------------------------------------


def test_the_history_is_there_when_the_page_is_opened_after_the_run(page: Page, viewer: str, log: Logs) -> None:
    log.call("tools/list", 1, result={"tools": [{}, {}]})
    open_dashboard(page, viewer)
    expect(rows(page)).to_have_count(4)
    expect(rows(page, "server")).to_have_count(2)
    expect(rows(page, "clients")).to_have_count(2)
    expect(rows(page).first).to_contain_text("→ server")
    expect(rows(page).first).to_contain_text("tools/list")
    expect(rows(page).first).to_contain_text("4.0 ms")


def test_a_live_record_and_a_file_made_later_appear(page: Page, viewer: str, log: Logs) -> None:
    open_dashboard(page, viewer)
    expect(page.locator("#all .empty")).to_contain_text("make demo")
    log.write("server_start", data={"url": "http://127.0.0.1:5000"})
    expect(rows(page)).to_contain_text(["server_start"])
    expect(page.locator("#all .empty")).to_be_hidden()
    log.write("chat_start", "mcp-client-chat")
    expect(rows(page, "clients")).to_contain_text(["chat_start"])


def test_a_pending_request_is_marked_until_its_answer_comes(page: Page, viewer: str, log: Logs) -> None:
    log.call("tools/call", 7, answered=False, params={"name": "write_file"})
    open_dashboard(page, viewer)
    expect(rows(page, "clients").first).to_contain_text("pending")
    answer = {"message": {"jsonrpc": "2.0", "id": 7, "result": {}}}
    exchange = "span:mcp-client-simple-7"
    log.write("client_response", "mcp-client-simple", dir="in", peer="server", exchange=exchange, data=answer, ms=812.0)
    expect(rows(page, "clients").first).to_contain_text("812 ms")


@pytest.mark.hard
def test_two_clients_with_the_same_ids_are_paired_rightly(page: Page, viewer: str, log: Logs) -> None:
    log.call("tools/list", 1, client="mcp-client-simple")
    log.call("tools/call", 1, client="mcp-client-chat", params={"name": "read_file"})
    open_dashboard(page, viewer)
    rows(page, "clients").nth(3).click()
    page.get_by_role("tab", name="Pair").click()
    pair = page.locator(".pair button")
    expect(pair).to_have_count(4)
    expect(pair.first).to_contain_text("client-chat")
    expect(page.locator(".pair")).not_to_contain_text("tools/list")


def test_the_page_lives_through_a_restart_and_neither_loses_nor_doubles(
    page: Page, start: Callable[..., Any], free_port: int, logs: Path, log: Logs
) -> None:
    viewer = start("log_viewer.py", "--port", free_port, "--logs", logs)
    for number in range(20):
        log.write(f"before-{number:02}")
    open_dashboard(page, viewer.url)
    expect(shown(page)).to_have_text("20")
    viewer.stop()
    expect(state(page)).to_have_attribute("data-state", "reconnecting")
    for number in range(20):
        log.write(f"between-{number:02}")
    viewer = start("log_viewer.py", "--port", free_port, "--logs", logs)
    viewer.wait_for("Dashboard")
    expect(state(page)).to_have_attribute("data-state", LIVE)
    log.write("after")
    expect(rows(page).last).to_contain_text("after")
    expect(shown(page)).to_have_text("41")


@pytest.mark.hard
def test_a_truncated_log_is_told_and_its_new_lines_are_shown(page: Page, viewer: str, log: Logs) -> None:
    line = json.dumps(log.record("same-line"))
    log.append("mcp-server", line)
    open_dashboard(page, viewer)
    expect(rows(page)).to_have_count(1)
    os.truncate(log.folder / "mcp-server.jsonl", 0)
    expect(page.locator('#all .row[data-kind="notice"]')).to_have_count(1)
    log.append("mcp-server", line)
    expect(page.locator("#all .row:visible", has_text="same-line")).to_have_count(2)


# ---- 2. Filters ------------------------------------------------------------------------------------------------------


def test_each_panel_has_its_filter_and_the_address_keeps_it(page: Page, viewer: str, log: Logs) -> None:
    log.write("quiet")
    log.write("loud", level="ERROR")
    open_dashboard(page, viewer)
    page.locator("#all input").fill("level=ERROR")
    expect(rows(page)).to_contain_text(["loud"])
    expect(rows(page)).to_have_count(1)
    expect(rows(page, "server")).to_have_count(2)
    log.write("louder", level="ERROR")
    expect(rows(page)).to_have_count(2)
    expect(page).to_have_url(re.compile("all=level%3DERROR"))
    page.reload()
    expect(rows(page)).to_have_count(2)
    expect(page.locator("#all input")).to_have_value("level=ERROR")


@pytest.mark.hard
def test_each_end_of_a_tap_is_in_the_panel_of_its_side(page: Page, viewer: str, log: Logs) -> None:
    message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    for way, peer in (("in", "client"), ("out", "server")):
        log.write("tap_request", component="mcp-tap", dir=way, peer=peer, via="http", data={"message": message})
    open_dashboard(page, viewer)
    expect(rows(page, "all")).to_have_count(2)
    expect(rows(page, "clients")).to_have_count(1)
    expect(rows(page, "server")).to_have_count(1)


def test_a_wrong_filter_shows_where_and_keeps_what_was_shown(page: Page, viewer: str, log: Logs) -> None:
    log.write("quiet")
    log.write("loud", level="ERROR")
    open_dashboard(page, viewer)
    box = page.locator("#all input")
    box.fill("level=ERROR")
    expect(rows(page)).to_have_count(1)
    box.fill("level=ERROR and ms>soon")
    problem = page.locator("#all .problem")
    expect(problem).to_contain_text("number")
    expect(problem.locator("mark")).to_have_text("s")
    expect(box).to_have_attribute("aria-invalid", "true")
    expect(rows(page)).to_have_count(1)
    box.press("Escape")
    expect(problem).to_be_hidden()
    expect(rows(page)).to_have_count(2)


@pytest.mark.hard
def test_a_filter_also_finds_what_is_older_than_the_history(page: Page, viewer: str, log: Logs) -> None:
    log.write("needle", level="ERROR")
    log.append("mcp-server", *(json.dumps(log.record("hay")) for _ in range(1500)))
    open_dashboard(page, viewer)
    expect(shown(page)).to_have_text("500")
    page.locator("#all input").fill("level=ERROR")
    expect(rows(page)).to_contain_text(["needle"])


@pytest.mark.hard
def test_chips_show_errors_pending_and_slow(page: Page, viewer: str, log: Logs) -> None:
    log.call("tools/list", 1)
    log.call("tools/brew", 2, error={"code": -32601, "message": "Method not found"})
    log.call("tools/call", 3, answered=False)
    open_dashboard(page, viewer)
    chip = page.locator("#clients .chip")
    chip.filter(has_text="errors").click()
    expect(rows(page, "clients")).to_have_count(1)
    expect(rows(page, "clients")).to_contain_text("-32601")
    chip.filter(has_text="errors").click()
    chip.filter(has_text="pending").click()
    expect(rows(page, "clients")).to_contain_text(["tools/call"])
    chip.filter(has_text="pending").click()
    chip.filter(has_text="slow").click()
    expect(page.locator("#clients .empty")).to_contain_text("No record matches")
    page.locator("#clients .empty button").click()
    expect(rows(page, "clients")).to_have_count(5)


def test_the_basic_view_chooses_files_and_finds_new_ones(page: Page, viewer: str, log: Logs) -> None:
    log.write("one")
    log.write("two", "mcp-client-simple")
    page.goto(f"{viewer}/")
    list_ = page.locator("#filter .row:visible")
    expect(list_).to_have_count(2)
    page.get_by_label("mcp-server.jsonl").uncheck()
    expect(list_).to_have_count(1)
    expect(list_).to_contain_text("two")
    page.reload()
    expect(list_).to_have_count(1)
    page.get_by_label("mcp-server.jsonl").check()
    log.write("three", "mcp-client-chat")
    expect(list_).to_have_count(3)
    expect(page.get_by_label("mcp-client-chat.jsonl")).to_be_checked()


@pytest.mark.hard
def test_follow_keeps_the_newest_in_sight_until_the_user_scrolls_up(page: Page, viewer: str, log: Logs) -> None:
    log.append("mcp-server", *(json.dumps(log.record(f"line-{n:03}")) for n in range(200)))
    open_dashboard(page, viewer)
    follow = page.locator("#all .follow")
    expect(rows(page).last).to_contain_text("line-199")
    page.locator("#all .rows").hover()
    page.mouse.wheel(0, -2000)
    expect(follow).to_have_attribute("aria-pressed", "false")
    log.write("newest")
    expect(follow).to_contain_text("1 new")
    expect(rows(page).filter(has_text="newest")).to_have_count(0)
    follow.click()
    expect(rows(page).last).to_contain_text("newest")


@pytest.mark.hard
@pytest.mark.parametrize("view", ["panels", "table", "sequence"])
def test_rows_stand_in_their_order_wherever_one_jumps(page: Page, viewer: str, log: Logs, view: str) -> None:
    log.append("mcp-server", *(json.dumps(log.record(f"line-{n:03}")) for n in range(300)))
    open_dashboard(page, viewer, f"?view={view}")
    where = page.locator("#all").locator(".rows, .sequence, .table").first
    expect(page.locator("#all").get_by_text("line-299").first).to_be_attached()
    for top in (0, 3000, 2974, 3026, 10, 1_000_000, 0):
        where.evaluate("(list, top) => { list.scrollTop = top; }", top)
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        names = page.locator("#all").evaluate(
            """(panel) => [...panel.querySelectorAll(".row:not([hidden]), .arrow")]
              .map((row) => /line-\\d+/.exec(row.textContent)[0])"""
        )
        assert ("line-000" in names, "line-299" in names) == (top <= 10, top == 1_000_000)
        assert names == sorted(names), top


# ---- 3. The inspector ------------------------------------------------------------------------------------------------


def test_the_inspector_explains_and_shows_the_exact_message(page: Page, viewer: str, log: Logs) -> None:
    message = '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"big":12345678901234567890,"_meta":{}}}'
    data = f'{{"message":{message},"http":{{"method":"POST","path":"/mcp","headers":{{"Mcp-Session-Id":"abc"}}}}}}'
    record = json.dumps(log.record("rpc_request", dir="in", peer="client", via="http", exchange="e"))
    log.append("mcp-server", record.replace('"data": {}', f'"data": {data}'))
    open_dashboard(page, viewer)
    rows(page).first.click()
    inspector = page.get_by_role("complementary", name="Inspector")
    expect(inspector).to_contain_text("mcp-server received a request from the client over HTTP.")
    expect(inspector.locator(".told").first).to_contain_text("tools/list")
    expect(inspector.get_by_role("link").first).to_have_attribute(
        "href", re.compile("^https://modelcontextprotocol.io/")
    )
    page.get_by_role("tab", name="JSON").click()
    expect(page.locator(".tree")).to_contain_text("12345678901234567890")
    page.get_by_role("button", name="Raw text").click()
    expect(page.locator("#inspector pre.raw")).to_have_text(message)
    page.get_by_role("tab", name="HTTP").click()
    expect(inspector).to_contain_text("POST /mcp")
    expect(inspector).to_contain_text("Mcp-Session-Id")


@pytest.mark.hard
def test_a_body_that_did_not_parse_is_shown_as_it_was_sent(page: Page, viewer: str, log: Logs) -> None:
    body = '{"jsonrpc": "2.0", <b>oops</b>'
    log.write("rpc_parse_error", dir="in", peer="client", via="http", data={"raw": body}, level="WARNING")
    open_dashboard(page, viewer)
    expect(rows(page).first).to_contain_text("not JSON-RPC")
    rows(page).first.click()
    page.get_by_role("tab", name="JSON").click()
    expect(page.locator("#inspector pre.raw")).to_have_text(body)


def test_the_page_is_walked_by_keyboard(page: Page, viewer: str, log: Logs) -> None:
    log.call("tools/list", 1)
    open_dashboard(page, viewer)
    page.keyboard.press("1")
    page.keyboard.press("Home")
    page.keyboard.press("j")
    expect(rows(page).nth(1)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    expect(page.get_by_role("tab", name="Explain")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="JSON")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(page.locator("#inspector")).to_be_hidden()
    expect(page.locator("#all .rows")).to_be_focused()
    page.keyboard.press("/")
    expect(page.locator("#all input")).to_be_focused()
    page.keyboard.type("?")
    expect(page.locator("#help")).to_be_hidden()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()


@pytest.mark.hard
def test_a_key_finds_what_the_key_before_it_has_selected_however_fast(page: Page, viewer: str, log: Logs) -> None:
    log.call("tools/list", 1)
    open_dashboard(page, viewer)
    page.locator("#all .rows").evaluate(
        """(list) => {
          for (const key of ["Home", "Enter"]) list.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        }"""
    )
    expect(page.get_by_role("tab", name="Explain")).to_be_focused()


@pytest.mark.hard
def test_a_narrow_page_has_the_inspector_below_the_list(page: Page, viewer: str, log: Logs) -> None:
    page.set_viewport_size({"width": 800, "height": 600})
    log.append("mcp-server", *(json.dumps(log.record(f"line-{n:03}")) for n in range(100)))
    open_dashboard(page, viewer)
    page.locator("#server .row:visible").last.click()
    inspector, list_ = page.locator("#inspector"), page.locator("#server .rows")
    expect(page.locator("#all")).to_be_hidden()  # one panel, that in which the record was chosen
    expect(page.locator('#server .row[aria-selected="true"]')).to_be_in_viewport()
    bar = page.get_by_role("separator", name="Size of the inspector")
    expect(bar).to_have_attribute("aria-orientation", "horizontal")
    expect(bar).to_have_attribute("aria-valuenow", "50")
    before = box(inspector)
    assert before["width"] > 700
    bar.press("ArrowDown")
    expect(bar).to_have_attribute("aria-valuenow", "46")
    after, beside = box(inspector), box(list_)
    assert after["height"] < before["height"]
    assert beside["y"] + beside["height"] <= after["y"]
    page.reload()
    expect(bar).to_have_attribute("aria-valuenow", "46")
    page.keyboard.press("Escape")
    expect(page.locator("#all")).to_be_visible()


@pytest.mark.hard
def test_the_theme_is_chosen_and_kept(page: Page, viewer: str) -> None:
    page.emulate_media(color_scheme="light")
    open_dashboard(page, viewer)
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.locator("#theme").select_option("dark")
    dark = page.evaluate(ground)
    assert light != dark
    page.reload()
    assert page.evaluate(ground) == dark
    page.locator("#theme").select_option("system")
    assert page.evaluate(ground) == light
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(ground) == dark


# ---- 4. One stream ---------------------------------------------------------------------------------------------------


def test_three_panels_hold_one_event_stream(context: BrowserContext, page: Page, viewer: str, log: Logs) -> None:
    asked = streams_of(context)
    log.write("one")
    open_dashboard(page, viewer)
    expect(rows(page)).to_have_count(1)
    assert len(asked) == 1


@pytest.mark.hard
def test_seven_tabs_and_the_readme_share_one_stream(context: BrowserContext, viewer: str, log: Logs) -> None:
    asked = streams_of(context)
    log.write("old")
    tabs = [context.new_page() for _ in range(7)]
    for tab in tabs:
        open_dashboard(tab, viewer)
        expect(rows(tab)).to_have_count(1)
    raw = context.new_page()
    assert raw.goto(f"{viewer}/explanations").ok  # type: ignore[union-attr]
    assert len(asked) == 1
    log.write("new")
    for tab in tabs:
        expect(rows(tab).last).to_contain_text("new")


@pytest.mark.hard
def test_when_the_tab_with_the_stream_closes_another_goes_on(context: BrowserContext, viewer: str, log: Logs) -> None:
    first, second = context.new_page(), context.new_page()
    log.write("one")
    for tab in (first, second):
        open_dashboard(tab, viewer)
        expect(rows(tab)).to_have_count(1)
    first.close()
    log.write("two")
    expect(rows(second)).to_have_count(2)
    log.write("three")
    expect(rows(second)).to_have_count(3)


# ---- 5. Hostile and many ---------------------------------------------------------------------------------------------

HOSTILE = [
    '<img src=x onerror="window.owned=1;alert(1)">',
    "</script><script>window.owned=1</script>",
    '"><svg onload="window.owned=1">',
    "javascript:window.owned=1",
    "{{constructor.constructor('window.owned=1')()}}",
]


@pytest.mark.parametrize("path", ["/dashboard", pytest.param("/", marks=pytest.mark.hard)])
def test_a_hostile_log_is_shown_as_text_and_runs_nothing(page: Page, viewer: str, log: Logs, path: str) -> None:
    for text in HOSTILE:
        nested = {text: {text: text, "__proto__": {"owned": 1}}}
        message = {"jsonrpc": "2.0", "id": text, "method": text, "params": nested}
        data = {"message": message, "http": {"method": text, "path": text, "headers": {text: text}}}
        log.write(text, level=text, dir="in", peer=text, via=text, exchange=text, data=data)
    log.append("mcp-server", HOSTILE[0], '{"broken": ' + HOSTILE[1])
    name = "<img src=x onerror=window.owned=1>"
    log.append(name, json.dumps(log.record("from-a-hostile-file")))
    page.goto(f"{viewer}{path}?filter={HOSTILE[0]}&all={HOSTILE[2]}&files=")
    page.goto(f"{viewer}{path}?view=panels#{HOSTILE[0]}")
    panel = "all" if path == "/dashboard" else "filter"
    expect(rows(page, panel)).to_have_count(len(HOSTILE) + 3)
    expect(rows(page, panel).first).to_contain_text(HOSTILE[0][:20])
    if path == "/":
        expect(page.get_by_label(f"{name}.jsonl")).to_be_visible()
    for index in range(len(HOSTILE) + 3):
        rows(page, panel).nth(index).click()
        for tab in ("Explain", "JSON", "HTTP", "Pair"):
            page.get_by_role("tab", name=tab).click()
    page.locator(f"#{panel} input").fill(HOSTILE[0])
    expect(page.locator(f"#{panel} .problem").or_(rows(page, panel).first).first).to_be_visible()
    assert page.evaluate("window.owned") is None
    assert page.evaluate("({}).owned") is None
    assert page.locator("#panels img, #panels svg, #inspector img, #inspector svg, #files img").count() == 0


@pytest.mark.hard
def test_invisible_and_turning_characters_are_shown(page: Page, viewer: str, log: Logs) -> None:
    log.write("a\u202eb\u200bc\u0007d")
    open_dashboard(page, viewer)
    expect(rows(page).first).to_contain_text("a‹U+202E›b‹U+200B›c‹U+0007›d")


@pytest.mark.hard
def test_fifty_thousand_records_leave_few_rows_and_a_quick_page(page: Page, viewer: str, log: Logs) -> None:
    open_dashboard(page, viewer)

    def feed() -> None:
        lines = [json.dumps(log.record(f"event-{log.count}", data={"text": "x" * 200})) for _ in range(50_000)]
        for start in range(0, len(lines), 1000):
            log.append("mcp-server", *lines[start : start + 1000])
        expect(page.locator("#all .row:visible", has_text=f"event-{log.count - 1}")).to_have_count(1, timeout=60_000)

    def heap() -> float:
        # What was read last is held until the turn in which it was read is over.
        page.evaluate("""async () => {
          for (let turn = 0; turn < 3; turn++) {
            gc();
            await new Promise((done) => setTimeout(done, 100));
          }
        }""")
        return float(page.evaluate("performance.memory.usedJSHeapSize")) / 1e6

    feed()
    expect(shown(page)).to_have_text("50,000")
    assert page.locator(".row").count() <= 300
    before = heap()
    touched, is_open = page.evaluate(f"""() => {{
      const row = [...document.querySelectorAll('#all .row:not([hidden])')].at(-3);
      return ({TOUCHED})(() => row.click(), () => !document.getElementById('inspector').hidden);
    }}""")
    assert is_open
    assert touched < 2000  # not one for each record
    page.locator("#all .follow").click()
    feed()
    assert page.locator(".row").count() <= 300
    assert heap() < before * 1.15 + 5
