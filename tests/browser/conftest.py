"""A viewer as a real process, logs as real files, and a real Chromium that tells what went wrong in the page."""

from __future__ import annotations

import functools
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.once import once

if TYPE_CHECKING:
    from tests.conftest import Start

expect.set_options(timeout=30_000)  # ms; a busy machine may take its time
# A function of the page: does something; how many nodes were changed or made by the next frame, and whether it is done.
TOUCHED = """(act, isDone) => new Promise((done) => {
  let touched = 0;
  const count = (changes) => {
    for (const { addedNodes } of changes) {
      touched += 1;
      for (const node of addedNodes) touched += node.querySelectorAll?.('*').length ?? 0;
    }
  };
  const observer = new MutationObserver(count);
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  act();
  requestAnimationFrame(() => setTimeout(() => {
    count(observer.takeRecords());
    observer.disconnect();
    done([touched, isDone()]);
  }));
})"""
NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)


@dataclass
class Logs:
    """Writes records as the scripts would, with times a millisecond apart."""

    folder: Path
    count: int = 0

    def write(self, event: str, component: str = "mcp-server", **fields: Any) -> dict[str, Any]:
        """One record."""
        record = self.record(event, component, **fields)
        self.append(component, json.dumps(record))
        return record

    def record(self, event: str, component: str = "mcp-server", **fields: Any) -> dict[str, Any]:
        self.count += 1
        ts = (NOON + timedelta(milliseconds=self.count)).isoformat(timespec="microseconds")
        head = {"ts": ts, "level": "INFO", "component": component, "event": event, "data": {}, "pid": 1, "host": "h"}
        return head | {"seq": self.count} | fields

    def append(self, name: str, *lines: str) -> None:
        """Lines as they stand."""
        with (self.folder / f"{name}.jsonl").open("a", encoding="utf-8", newline="") as file:
            file.write("".join(f"{line}\n" for line in lines))

    def call(
        self, method: str, number: int, *, client: str = "mcp-client-simple", answered: bool = True, **more: Any
    ) -> None:
        """The records of one call: sent, received, answered, answer received."""
        exchange = f"span:{client}-{number}"
        params = more.get("params", {})
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        outcome = {"error": more["error"]} if "error" in more else {"result": more.get("result", {})}
        answer = {"jsonrpc": "2.0", "id": number} | outcome
        http = {"method": "POST", "path": "/mcp", "headers": {"Content-Type": "application/json"}}
        asked, told = {"message": request, "http": http}, {"message": answer, "http": {"status": 200}}
        at_client: dict[str, Any] = {"component": client, "peer": "server", "exchange": exchange, "via": "http"}
        at_server: dict[str, Any] = {"peer": "client", "exchange": exchange, "via": "http"}
        self.write("client_request", dir="out", data=asked, **at_client)
        self.write("rpc_request", dir="in", data=asked, **at_server)
        if answered:
            self.write("rpc_response", dir="out", data=told, ms=2.0, **at_server)
            self.write("client_response", dir="in", data=told, ms=4.0, **at_client)


@dataclass
class Trouble:
    """What a page should never say."""

    said: list[str] = field(default_factory=list)

    def watch(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        page.on("console", lambda message: self.said.append(message.text) if _is_trouble(message.text) else None)
        page.on("dialog", lambda dialog: self.said.append(f"dialog: {dialog.message}"))


def _is_trouble(text: str) -> bool:
    return "Content Security Policy" in text or "Uncaught" in text


@pytest.fixture
def log(logs: Path) -> Logs:
    return Logs(logs)


@pytest.fixture
def viewer(start: Start, logs: Path) -> str:
    """The address of a viewer over this test's logs."""
    return str(start("log_viewer.py", "--port", 0, "--logs", logs).url)


@pytest.fixture(scope="module")
def story(start_module: Start, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a viewer over the logs of a server, of the client's scenes in both eras, and of a chat turn."""
    folder = tmp_path_factory.mktemp("story")
    shutil.copytree(once(tmp_path_factory, "story", functools.partial(tell, start_module)), folder / "logs")
    server = start_module("server.py", "--port", 0, "--logs", folder / "other", "--files", folder / "files").url
    return str(start_module("log_viewer.py", "--port", 0, "--logs", folder / "logs", "--server", f"{server}/mcp").url)


def tell(start: Start, folder: Path) -> Path:
    """Plays the story, and returns the folder of its logs."""
    logs, servers = folder / "logs", folder / "servers.json"
    server = start("server.py", "--port", 0, "--logs", logs, "--files", folder / "files").url
    client = start("client.py", "--url", f"{server}/mcp", "--logs", logs, "--revision", "both")
    servers.write_text(json.dumps({"mcpServers": {"files": {"url": f"{server}/mcp"}}}))
    assert client.wait(60) == 0, client.text
    question = "Create a file named notes.txt with a TODO line, then count TODOs"
    flags = ("--provider", "scripted", "--servers", servers, "--logs", logs, "--approve", "always")
    chat = start("chat_with_tools.py", *flags, "--once", question)
    assert chat.wait(60) == 0, chat.text
    return logs


# Not for the whole session: its event loop would run on under the tests of other files that this worker gets.
@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--js-flags=--expose-gc", "--enable-precise-memory-info"]
        browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def trouble() -> Iterator[Trouble]:
    trouble = Trouble()
    yield trouble
    assert trouble.said == []


@pytest.fixture(scope="module")
def profile(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(30_000)
    yield context
    context.close()


@pytest.fixture
def context(profile: BrowserContext, trouble: Trouble) -> Iterator[BrowserContext]:
    """A browser profile in which nothing is kept. All tests of a file have the same: a new one takes half a second."""
    profile.on("page", trouble.watch)
    yield profile
    profile.remove_listener("page", trouble.watch)
    forget_all(profile)


def forget_all(profile: BrowserContext) -> None:
    origins = {page.evaluate("origin") for page in profile.pages} - {"null"}
    for page in profile.pages[1:]:
        page.close()
    profile.clear_permissions()
    for page in profile.pages:
        page.goto("about:blank")
        session = profile.new_cdp_session(page)
        for origin in origins:
            session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        page.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()
