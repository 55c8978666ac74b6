"""The console in Chromium: real server, real viewer, and a page that sends what one writes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.impostors import Impostor


@dataclass
class Desk:
    """The page, with a server behind it."""

    page: Page
    logs: Path
    files: Path

    def send(self) -> None:
        self.page.get_by_role("button", name="Send", exact=True).click()

    def body(self) -> Locator:
        return self.page.get_by_label("Body, sent exactly as it stands")

    def answer(self) -> Locator:
        return self.page.get_by_role("region", name="Answer")

    def tool(self, name: str) -> Locator:
        self.page.locator("summary", has_text=name).click()
        return self.page.locator("details[open]")

    def hello(self, revision: str = "2025-11-25") -> None:
        self.page.get_by_label("Revision").select_option(revision)
        self.page.get_by_role("button", name="Say hello").click()
        expect(self.page.locator("#standing")).to_contain_text(f"revision {revision}")

    def records(self) -> list[dict[str, Any]]:
        path = self.logs / "mcp-viewer.jsonl"
        return [json.loads(line) for line in path.read_text("ascii").splitlines()] if path.exists() else []


@pytest.fixture
def desk(page: Page, start: Callable[..., Any], logs: Path, files: Path) -> Desk:
    server = start("server.py", "--port", 0, "--files", files, "--logs", logs)
    viewer = start("log_viewer.py", "--port", 0, "--logs", logs, "--server", f"{server.url}/mcp")
    page.goto(f"{viewer.url}/console")
    expect(page.locator("#presets button").first).to_be_visible()
    return Desk(page, logs, files)


def test_a_usual_mistake_is_sent_and_the_broken_rule_is_named(desk: Desk) -> None:
    desk.page.get_by_role("button", name="Not JSON at all").click()
    expect(desk.page.get_by_text("This is not JSON")).to_be_visible()
    desk.send()
    expect(desk.answer()).to_contain_text("HTTP 400")
    expect(desk.answer()).to_contain_text("-32700")
    expect(desk.answer()).to_contain_text("Parse error")
    link = desk.answer().get_by_role("link", name="In the specification").first.get_attribute("href") or ""
    assert link.startswith("https://modelcontextprotocol.io/specification/")
    sent, got = desk.records()
    assert sent["data"]["raw"] == '{"jsonrpc":"2.0","id":1,"method":"tools/list"'
    assert got["data"]["message"]["error"]["code"] == -32700


def test_the_handshake_is_run_and_the_session_stays_visible(desk: Desk) -> None:
    desk.hello()
    session = desk.page.locator("#standing code").text_content() or ""
    assert len(session) == 32
    desk.page.get_by_role("button", name="A method nobody has").click()
    expect(desk.body()).to_have_value(re.compile("tools/dance"))
    headers = desk.page.get_by_label("Headers, one a line")
    assert f"Mcp-Session-Id: {session}" in headers.input_value()
    desk.send()
    expect(desk.answer()).to_contain_text("-32601")
    desk.page.get_by_role("button", name="End the session").click()
    expect(desk.page.locator("#standing")).to_contain_text("no session")


def test_a_tool_has_a_form_and_untouched_fields_are_left_out(desk: Desk) -> None:
    (desk.files / "a.txt").write_text("TODO TODO")
    desk.hello("2026-07-28")
    form = desk.tool("search_file")
    form.get_by_role("button", name="Make the request").click()
    expect(form).to_contain_text("filename is required.")
    form.get_by_label("filename").fill("a.txt")
    form.get_by_label("keyword").fill("TODO")
    desk.body().fill("before")
    desk.hello("2026-07-28")  # anew, and what was typed into the form stays
    expect(desk.body()).to_have_value(re.compile("ping"))
    form.get_by_role("button", name="Make the request").click()
    sent = json.loads(desk.body().input_value())
    assert sent["params"]["arguments"] == {"filename": "a.txt", "keyword": "TODO"}
    assert sent["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
    assert "Mcp-Name: search_file" in desk.page.get_by_label("Headers, one a line").input_value()
    desk.send()
    expect(desk.answer()).to_contain_text('"count": 2')


def test_what_may_destroy_something_is_asked_about_first(desk: Desk) -> None:
    (desk.files / "a.txt").write_text("x")
    desk.page.get_by_label("ask the user").uncheck()
    desk.hello()
    form = desk.tool("delete_file")
    form.get_by_label("filename").fill("a.txt")
    form.get_by_role("button", name="Make the request").click()
    desk.send()
    expect(desk.page.get_by_role("alert")).to_contain_text("delete_file may change or delete things")
    assert (desk.files / "a.txt").exists()
    desk.page.get_by_role("button", name="Send it all the same").click()
    expect(desk.answer()).to_contain_text('"deleted": true')
    assert not (desk.files / "a.txt").exists()


def test_the_server_asks_in_mid_call_and_a_human_answers(desk: Desk) -> None:
    (desk.files / "a.txt").write_text("x")
    desk.hello()
    form = desk.tool("delete_file")
    form.get_by_label("filename").fill("a.txt")
    form.get_by_role("button", name="Make the request").click()
    desk.send()
    desk.page.get_by_role("button", name="Send it all the same").click()
    reply = desk.page.get_by_role("region", name="The server asks")
    text = reply.get_by_label("Your answer, sent exactly as it stands")
    expect(text).to_have_value(re.compile('"sure": false'))
    text.fill(text.input_value().replace("false", "true"))
    reply.get_by_role("button", name="Send this answer").click()
    expect(reply).to_contain_text("HTTP 202")
    expect(desk.answer()).to_contain_text('"deleted": true')
    assert not (desk.files / "a.txt").exists()


def test_a_result_that_asks_is_answered_by_the_call_once_more(desk: Desk) -> None:
    (desk.files / "a.txt").write_text("x")
    desk.hello("2026-07-28")
    form = desk.tool("delete_file")
    form.get_by_label("filename").fill("a.txt")
    form.get_by_role("button", name="Make the request").click()
    desk.send()
    desk.page.get_by_role("button", name="Send it all the same").click()
    desk.page.get_by_role("button", name="Put the answers into the request").click()
    again = desk.body().input_value()
    assert json.loads(again)["params"]["inputResponses"] == {"sure": {"action": "accept", "content": {"sure": False}}}
    desk.body().fill(again.replace('"sure": false', '"sure": true'))
    desk.send()
    desk.page.get_by_role("button", name="Send it all the same").click()
    expect(desk.answer()).to_contain_text('"deleted": true')


@pytest.mark.hard
def test_progress_is_shown_when_it_comes_and_all_of_it_is_in_the_log(desk: Desk) -> None:
    for number in range(3):
        (desk.files / f"{number}.txt").write_text("word")
    desk.hello()
    message = json.loads(desk.body().input_value())
    message |= {"method": "tools/call", "params": {"name": "search_all", "arguments": {"keyword": "word"}}}
    message["params"]["_meta"] = {"progressToken": "p"}
    desk.body().fill(json.dumps(message))
    desk.send()
    expect(desk.answer()).to_contain_text("notifications/progress")
    expect(desk.answer()).to_contain_text('"total": 3')
    assert "notifications/progress" in [r["data"].get("message", {}).get("method") for r in desk.records()]


@pytest.mark.hard
def test_a_hostile_answer_stays_text(page: Page, start: Callable[..., Any], logs: Path) -> None:
    hostile = "<img src=x onerror=alert(1)></pre><script>alert(2)</script>"
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "error": {"code": hostile, "message": hostile}}).encode()
    head = f"HTTP/1.1 200 {hostile}\r\nContent-Type: application/json\r\nMcp-Session-Id: {hostile}\r\n"
    with Impostor(lambda seen: f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body) as server:
        viewer = start("log_viewer.py", "--port", 0, "--logs", logs, "--server", server.url)
        page.goto(f"{viewer.url}/console")
        page.get_by_role("button", name="Not JSON at all").click()
        page.get_by_role("button", name="Send", exact=True).click()
        expect(page.get_by_role("region", name="Answer")).to_contain_text("onerror=alert(1)")
        assert page.locator("img[src=x]").count() == 0
        page.get_by_role("button", name="Say hello").click()
        expect(page.locator("#standing")).to_contain_text("The server refused initialize")


@pytest.mark.hard
def test_nobody_there_is_said_in_a_sentence(page: Page, start: Callable[..., Any], logs: Path, free_port: int) -> None:
    viewer = start("log_viewer.py", "--port", 0, "--logs", logs, "--server", f"http://127.0.0.1:{free_port}/mcp")
    page.goto(f"{viewer.url}/console")
    page.get_by_role("button", name="Say hello").click()
    expect(page.locator("#standing")).to_contain_text("start the server")
