"""What axe finds by the rules of WCAG 2.2 A and AA, in every state, in two themes and widths: nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import Page, expect

# All that the specification calls A or AA, and what axe counts among good practice.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"]
COLORS = "color-contrast"
RUN = "(options) => axe.run({ ...options, resultTypes: ['violations'] })"
TABS = ("Explain", "JSON", "HTTP", "Timing", "Pair", "Code", "Era twin", "Model", "Console")

Check = Callable[[Page, str], None]

# Width, height, theme, rules. Colors don't change with the width, nor anything but colors with the theme. The pages
# are low, because axe looks at each element.
Look = tuple[int, int, Any, dict[str, Any]]
LIGHT: Look = (1440, 560, "light", {"runOnly": RULES})
DARK: Look = (1440, 560, "dark", {"runOnly": [COLORS]})
NARROW: Look = (800, 640, "light", {"runOnly": RULES, "rules": {COLORS: {"enabled": False}}})


@pytest.fixture(
    params=[pytest.param([LIGHT], id="light"), pytest.param([DARK, NARROW], id="dark", marks=pytest.mark.hard)]
)
def check(request: pytest.FixtureRequest) -> Check:
    """Looks at what the page shows now, which it is told the name of."""
    return lambda page, state: look(page, state, request.param)


def look(page: Page, state: str, looks: list[Look]) -> None:
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text("utf-8"))
    told = []
    for width, height, theme, rules in looks:
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=theme)
        for each in page.evaluate(RUN, rules)["violations"]:
            where = f"{each['id']} ({state}, {width}, {theme})"
            told += [f"{where}: {node['html'][:200]}\n{node['failureSummary']}" for node in each["nodes"]]
    page.set_viewport_size({"width": 1440, "height": 560})
    assert told == [], "\n\n".join(told[:10])


def opened(page: Page, viewer: str, query: str = "", path: str = "/dashboard") -> None:
    page.goto(f"{viewer}{path}{query}")
    expect(page.locator("#status")).to_have_attribute("data-state", "live", timeout=20_000)
    expect(page.locator(".arrow:visible, .row:visible").first).to_be_visible()


def test_every_view(page: Page, story: str, check: Check) -> None:
    for view in ("sequence", "panels", "waterfall", "table"):
        opened(page, story, f"?view={view}")
        check(page, view)
    page.locator("#all input").fill("level=ERROR and ms>soon")
    expect(page.locator("#all .problem")).to_be_visible()
    check(page, "a wrong filter")
    page.locator("#all input").fill("nothing-has-this-word")
    expect(page.locator("#all .empty")).to_be_visible()
    check(page, "nothing matches")


@pytest.mark.parametrize(
    "tabs", [TABS[:3], *(pytest.param(part, marks=pytest.mark.hard) for part in (TABS[3:6], TABS[6:]))], ids=" ".join
)
def test_every_tab_of_the_inspector(page: Page, story: str, check: Check, tabs: tuple[str, ...]) -> None:
    opened(page, story, "?view=panels&all=data.message.params.name%3Dwrite_file%20and%20component~client")
    page.locator("#all .rows").press("Home")
    page.keyboard.press("Enter")
    for tab in tabs:
        page.get_by_role("tab", name=tab, exact=True).click()
        expect(page.get_by_text("Reading …")).to_have_count(0)
        check(page, f"{tab} of a request")


@pytest.mark.hard
def test_the_inspector_of_a_prompt_and_of_an_error(page: Page, story: str, check: Check) -> None:
    opened(page, story, "?view=panels&all=event%3Dchat_request")
    page.locator("#all .row:visible").filter(has_text="chat_request").first.click()
    page.get_by_role("tab", name="Model", exact=True).click()
    page.locator(".forms summary").first.click()
    check(page, "what the model saw")
    page.locator("#all input").fill("data.message.error.code<0")
    page.locator("#all .row:visible").filter(has_text="-3").first.click()
    page.get_by_role("tab", name="Explain", exact=True).click()
    check(page, "an error")


@pytest.mark.hard
def test_every_dialog(page: Page, story: str, check: Check) -> None:
    opened(page, story)
    for key, dialog in (("Control+k", "#palette"), ("?", "#help"), ("s", "#save")):
        page.keyboard.press(key)
        expect(page.locator(dialog)).to_be_visible()
        check(page, dialog)
        page.keyboard.press("Escape")
        expect(page.locator(dialog)).to_be_hidden()


def test_the_basic_view_and_the_readme(page: Page, story: str, check: Check) -> None:
    opened(page, story, path="/")
    check(page, "basic view")
    page.locator("#filter .rows").press("Home")
    page.keyboard.press("Enter")
    check(page, "basic view, a record")
    page.goto(f"{story}/readme")
    check(page, "README")


def test_the_console(page: Page, story: str, check: Check) -> None:
    page.goto(f"{story}/console")
    page.get_by_role("button", name="Not JSON at all").click()
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.locator(".answer")).to_contain_text("-32700")
    check(page, "console, an answer")
    page.get_by_label("Revision").select_option("2026-07-28")
    page.get_by_role("button", name="Say hello").click()
    page.locator("summary", has_text="delete_file").click()
    form = page.locator("details[open]")
    form.get_by_role("button", name="Make the request").click()
    check(page, "console, a field is missing")
    form.get_by_label("filename").fill("hello.txt")
    form.get_by_role("button", name="Make the request").click()
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_role("alert")).to_be_visible()
    check(page, "console, a warning")
    page.get_by_role("button", name="Send it all the same").click()
    expect(page.locator(".answer")).to_contain_text(re.compile("input_required|isError"))
    check(page, "console, the server asks")
    page.keyboard.press("?")
    check(page, "console, help")


@pytest.mark.hard
def test_a_page_without_records(page: Page, start: Callable[..., Any], logs: Any, check: Check) -> None:
    viewer = start("log_viewer.py", "--port", 0, "--logs", logs)
    for path in ("/dashboard", "/"):
        page.goto(f"{viewer.url}{path}")
        expect(page.locator(".empty:visible").first).to_contain_text("make demo")
        check(page, f"{path} without records")
    page.goto(f"{viewer.url}/dashboard")
    viewer.stop()
    expect(page.locator("#status")).to_have_attribute("data-state", "reconnecting")
    check(page, "reconnecting")
