"""The keys of a chat: providers and tools that repeat what they were sent, wherever they may, and it comes out nowhere.

A key leaves this machine in one header of a request to its own provider. Here that provider answers with it: in
refusals, in a model's list, in an error inside a stream. What the chat printed, logged and saved, what the viewer shows
of it, and what a browser exports from there, is searched.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, sync_playwright

from tests.cases.oracles import strict
from tests.chats import environment, odd, servers, tool
from tests.conftest import ROOT
from tests.hard.canaries import search
from tests.hard.conftest import KEYS, SEED
from tests.hard.figures import note
from tests.impostors import STREAM, Impostor, Seen, http

Start = Callable[..., Any]
Json = dict[str, Any]
PROVIDERS = {"ollama": "/v1", "openai": "/v1", "anthropic": ""}
QUESTIONS = [f"Question {number}?" for number in range(8)]
COMMANDS = ["/tools", "/servers", "/history", "/model", "/provider", "/save kept", "/load kept", "/prompt", "/nosuch"]
EXPORTS = ("jsonl", "html", "mermaid")


def key_of(seen: Seen) -> str:
    """What a provider is sent as proof of who asks."""
    return seen.headers.get("x-api-key") or seen.headers.get("authorization", "").removeprefix("Bearer ")


def whole(kind: str, text: str, calls: list[Json] | None = None) -> Json:
    """A complete answer of a model, as that provider writes it."""
    if kind == "anthropic":
        used = [{"type": "tool_use", "id": "c1", "name": call["name"], "input": call["input"]} for call in calls or ()]
        said = {"id": "m", "type": "message", "role": "assistant", "model": "m", "usage": {"input_tokens": 1}}
        return {
            **said,
            "content": [{"type": "text", "text": text}, *used],
            "stop_reason": "tool_use" if used else "end_turn",
        }
    asked = [
        {
            "id": "c1",
            "type": "function",
            "function": {"name": call["name"], "arguments": json.dumps(call["input"])},
        }
        for call in calls or ()
    ]
    message = {"role": "assistant", "content": text} | ({"tool_calls": asked} if asked else {})
    return {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if asked else "stop"}]}


class Repeating:
    """A provider that repeats the key it was sent."""

    def __init__(self, kind: str) -> None:
        self.kind, self.keys, self._turns = kind, set[str](), 0
        self._plans = self._answers()

    def __call__(self, seen: Seen) -> Any:
        key = key_of(seen)
        if key:
            self.keys.add(key)
        if seen.method == "GET" or seen.path.startswith("/api/"):
            about = {"data": [{"id": "m"}, {"id": f"echo {key}"}], "models": [{"name": "m"}, {"name": key}], "x": key}
            return http(body=json.dumps(about).encode(), X_Echo=key.encode("ascii", "ignore").decode())
        answer = next(self._plans, None)
        return answer(key) if answer else http(body=json.dumps(whole(self.kind, "Done.")).encode())

    def _answers(self) -> Iterator[Callable[[str], Any]]:
        kind = self.kind
        wrong = "Incorrect API key provided: {}. Find yours in your account."
        yield lambda key: http("401 Unauthorized", json.dumps({"error": {"message": wrong.format(key)}}).encode())
        yield lambda key: http("403 Forbidden", f"<html>{key} may not</html>".encode(), "text/html")
        yield lambda key: http("400 Bad Request", json.dumps({"error": f"Bearer {key}", "headers": [key]}).encode())
        yield lambda key: http(body=json.dumps({"error": {"message": key, "type": key, "code": key}}).encode())
        yield lambda key: http("422 x", base64.b64encode(f"Bearer {key}".encode()), "text/plain")
        yield lambda key: STREAM + b"event: error\ndata: " + json.dumps({"error": {"message": key}}).encode() + b"\n\n"
        yield lambda key: http("302 Found", kind="", Location="http://127.0.0.1:9/?" + key.encode().hex())
        call = {"name": "odd__read", "input": {"filename": "a.txt"}}
        yield lambda key: http(body=json.dumps(whole(kind, "Let me see.", [call])).encode())


def chatted(folder: Path, kind: str, *arguments: str) -> bytes:
    """One chat with a provider of that kind; all that it printed."""
    plan = odd(folder, [tool("read")], results={"read": {"content": [{"type": "text", "text": "nothing"}]}})
    with_key = {**plan, "env": {"TOKEN": f"${{{kind.upper()}_API_KEY}}"}, "trust": True}
    provider = Repeating(kind)
    with Impostor(provider) as fake:
        base = {f"{kind.upper()}_BASE_URL": fake.url.removesuffix("/mcp") + PROVIDERS[kind]}
        command = [sys.executable, str(ROOT / "chat_with_tools.py"), "--provider", kind, "--model", "m"]
        command += ["--servers", str(servers(folder, odd=with_key)), "--approve", "always", *arguments]
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment(folder) | KEYS | base,
            input="\n".join([*QUESTIONS, *COMMANDS, ""]).encode(),
            capture_output=True,
            timeout=120,
            check=False,
        )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    assert provider.keys == {KEYS[f"{kind.upper()}_API_KEY"]}  # its own key, and no other's
    return done.stdout + b"\n----\n" + done.stderr


def export(page: Page, kind: str, folder: Path) -> None:
    page.keyboard.press("s")
    page.locator(f'#save input[value="{kind}"]').check()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save", exact=True).last.click()
    download.value.save_as(folder / f"export.{kind}")


@pytest.mark.parametrize("kind", PROVIDERS)
def test_no_key_of_a_chat_turns_up_anywhere(kind: str, launch: Start, chromium: str, tmp_path: Path) -> None:
    for number, arguments in enumerate(([], ["--no-stream", "--json"])):
        (tmp_path / f"printed{number}.txt").write_bytes(chatted(tmp_path, kind, *arguments))
    logs = tmp_path / "logs"
    lines = (logs / "mcp-client-chat.jsonl").read_bytes().splitlines()
    assert sum(strict(line)["event"] == "chat_request" for line in lines) >= 2 * len(QUESTIONS) - 2
    assert any(b"***" in line for line in lines)  # it was there to be masked
    viewer = launch("log_viewer.py", "--port", 0, "--logs", logs)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1600, "height": 2000})
        page.goto(f"{viewer.url}/dashboard")
        page.locator(".row:visible").first.wait_for()
        for form in EXPORTS:
            export(page, form, tmp_path)
        (tmp_path / "page.html").write_text(page.content(), encoding="utf-8")
        browser.close()
    hits, files, size = search(tmp_path, SEED)
    print(hits)
    figure = f"2 chats of {len(QUESTIONS)} turns with a provider that repeats the key, {len(EXPORTS)} exports: "
    note(
        f"secrets: a chat with {kind}",
        f"{figure}in {len(hits)} of {files} files ({size // 1024} kB)",
        "0 files",
        not hits,
    )
