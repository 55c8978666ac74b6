"""Whatever a log says, wherever it says it: a real browser shows it and runs none of it."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import BrowserContext, Dialog, Page, Request, sync_playwright
from playwright.sync_api import Error as BrowserError

import log_viewer
from playground import serve
from playground.gate import Gate
from playground.viewer import book
from tests.hard.figures import SCALE, note
from tests.hard.payloads import payloads

Start = Callable[..., Any]
PAGES = ("/dashboard", "/", "/dashboard?view=panels", "/dashboard?view=table", "/dashboard?view=waterfall")
EVENTS = ("server_fault", "tool_call_error", "chat_start", "model_request", "http_refused", "user_message")
WATCH = """
window.ran = [];
window.pwn = () => window.ran.push(new Error().stack);
for (const word of ['alert', 'confirm', 'prompt', 'print']) window[word] = () => window.pwn();
const tell = (event) => window.broken(`${event.violatedDirective} ${event.blockedURI}`);
document.addEventListener('securitypolicyviolation', tell);
"""


@dataclass
class Seen:
    """What a browser did that it should not have done, and how much it was shown."""

    executions: list[str] = field(default_factory=list)
    breaches: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def watch(self, context: BrowserContext) -> None:
        context.add_init_script(WATCH)
        context.expose_function("broken", lambda said: self.breaches.append(said))
        context.on("page", self._watch_page)
        context.on("request", self._look)

    def _watch_page(self, page: Page) -> None:
        page.on("dialog", self._dismiss)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", lambda said: self.breaches.append(said.text) if "Content Security" in said.text else None)

    def _dismiss(self, dialog: Dialog) -> None:
        self.executions.append(dialog.message)
        dialog.dismiss()

    def _look(self, request: Request) -> None:
        if urlsplit(request.url).hostname not in ("127.0.0.1", None):
            self.foreign.append(request.url)

    def harvest(self, page: Page) -> None:
        self.executions += page.evaluate("window.ran")


def records(hostile: list[str]) -> list[dict[str, Any]]:
    """Each payload in every field, as name and as value: of a record, of a message in it, of its HTTP."""
    made = []
    for number, text in enumerate(hostile):
        ts = f"2026-11-29T12:00:00.{number:06}+00:00"
        call = {
            "jsonrpc": "2.0",
            "id": text,
            "method": "tools/call",
            "params": {"name": text, "arguments": {text: text}},
        }
        answer = {
            "jsonrpc": "2.0",
            "id": text,
            "result": {"content": [{"type": "text", "text": text}], text: {text: [text]}},
        }
        failure = {"jsonrpc": "2.0", "id": text, "error": {"code": -32602, "message": text, "data": {text: text}}}
        tools = {"tools": [{"name": text, "title": text, "description": text, "inputSchema": {text: text}}]}
        listed = {"jsonrpc": "2.0", "id": text, "result": tools}
        note_ = {"jsonrpc": "2.0", "method": text, "params": {"data": text, "uri": text}}
        http = {"method": text, "path": text, "status": text, "headers": {text: text, "Content-Type": text}}
        common = {"session": text, "exchange": text, "trace": text, "src": text, "host": text, "pid": text, "via": text}
        for component, direction, message in (
            ("mcp-client-simple", "out", call), ("mcp-server", "in", call), ("mcp-server", "out", answer),
            ("mcp-client-simple", "in", failure), ("mcp-client-chat", "in", listed), (text, text, note_),
        ):  # fmt: skip
            data = {"message": message, "http": http, "raw": text, text: text}
            record = {
                "ts": ts,
                "level": text if number % 2 else "INFO",
                "component": component,
                "event": text,
                "data": data,
            }
            made.append(record | common | {"dir": direction, "peer": text, "seq": number, text: {text: text}})
        about = {text: text, "text": text, "reason": text}
        made += [{"ts": ts, "component": "mcp-server", "event": event, "data": about} for event in EVENTS]
        made.append({text: text, "ts": text, "level": text, "event": {text: text}, "data": text, "component": [text]})
    return made


def write(logs: Path, hostile: list[str]) -> None:
    with (logs / "mcp-server.jsonl").open("w", encoding="utf-8") as log:
        for record in records(hostile):
            log.write(json.dumps(record) + "\n")
        for text in hostile:  # and as lines that are no records
            log.write(text.replace("\n", " ") + "\n")
    for text in hostile:
        name = "".join(char for char in text if char not in "/\0\r\n").encode()[:200].decode(errors="ignore") + ".jsonl"
        (logs / name).write_text(
            json.dumps({"event": text, "data": {"message": {"method": text}}}) + "\n", encoding="utf-8"
        )


@pytest.fixture
def book_address() -> Iterator[str]:
    """A README of nothing but payloads, rendered and guarded as the viewer does it."""
    text = "# " + "\n\n".join(f"{t}\n\n> {t}\n\n| {t} |\n|---|\n| {t} |\n\n* {t}" for t in payloads(SCALE.payloads))

    def application(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        start_response("200 OK", [("Content-Type", "text/html; charset=utf-8")])
        return [book.page(text).encode("utf-8", "replace")]

    listener = serve.listen("127.0.0.1", 0)
    gate = Gate(application, port=listener.port, routes={"/readme": ("GET",)}, headers=log_viewer.HEADERS)
    server = serve.Server(gate, listener)
    thread = threading.Thread(target=server.run)
    thread.start()
    yield listener.url
    server.stop()
    thread.join()
    listener.socket.close()


def prove(page: Page, url: str, seen: Seen) -> None:
    """A text that is run, and one that the page's policy stops, would be noticed."""
    page.goto(f"{url}/dashboard")
    page.evaluate("pwn()")
    inline = "Object.assign(document.createElement('script'), {textContent: 'pwn()'})"
    page.evaluate(f"document.body.append({inline})")
    seen.harvest(page)
    assert len(seen.executions) == 1
    page.wait_for_function("() => document.readyState === 'complete'")
    assert seen.breaches
    seen.executions.clear()
    page.goto("about:blank")
    seen.breaches.clear()


def look_through(page: Page, url: str, rows: int, seen: Seen) -> None:
    """Opens a page, and what it has to be opened: rows, tabs, folded things."""
    page.goto(url)
    page.locator(".row:visible").first.wait_for()
    for row in page.locator(".row:visible").all()[:rows]:
        try:
            row.click(timeout=2000)
            for tab in page.get_by_role("tab").all():
                tab.click(timeout=2000)
                seen.counts["views"] += 1
        except BrowserError:  # it has scrolled away
            continue
        seen.counts["rows"] += 1
    seen.harvest(page)


def type_filters(page: Page, url: str, hostile: list[str], seen: Seen) -> None:
    page.goto(url)
    page.locator(".row:visible").first.wait_for()
    box = page.locator("input:visible").first
    for text in hostile:
        box.fill(text.replace("\n", " "))
        box.press("Enter")
        seen.counts["filters"] += 1
    seen.harvest(page)


def test_nothing_that_a_log_says_is_run(launch: Start, logs: Path, book_address: str, chromium: str) -> None:
    hostile, seen = payloads(SCALE.payloads), Seen()
    write(logs, hostile)
    address = launch("log_viewer.py", "--port", 0, "--logs", logs, "--history", 5000).url
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1600, "height": 2000})
        context.set_default_timeout(20_000)
        seen.watch(context)
        page = context.new_page()
        prove(page, address, seen)
        for path in PAGES:
            rows = len(hostile) * 2 // 5 if path == PAGES[0] else len(hostile) // 10
            look_through(page, f"{address}{path}", rows, seen)
        page.goto(f"{book_address}/readme")
        seen.harvest(page)
        type_filters(page, f"{address}/dashboard", hostile, seen)
        for number, text in enumerate(hostile):
            into = PAGES[number % len(PAGES)].partition("?")[0]
            page.goto(
                f"{address}{into}?files={quote(text)}&filter={quote(text)}&all={quote(text)}&view={quote(text)}#{quote(text)}"
            )
            seen.harvest(page)
            seen.counts["addresses"] += 1
            page.goto(f"{address}/{quote(text, safe='')}", wait_until="commit")  # an error page
            seen.harvest(page)
        context.close()
        browser.close()
    print(seen.executions[:3], seen.breaches[:3], seen.foreign[:3], seen.errors[:3], seen.counts, sep="\n")
    shown = ", ".join(f"{count} {what}" for what, count in seen.counts.items())
    figure = (
        f"{len(hostile)} payloads ({shown}): {len(seen.executions)} executions, {len(seen.breaches)} CSP breaches, "
    )
    figure += f"{len(seen.foreign)} foreign requests, {len(seen.errors)} page errors"
    good = not (seen.executions or seen.breaches or seen.foreign or seen.errors)
    note(
        "hostile text in a real browser",
        figure,
        "0 executions, 0 CSP breaches",
        good and seen.counts["rows"] >= len(PAGES),
    )
