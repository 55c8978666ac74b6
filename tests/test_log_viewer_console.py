"""The viewer's questions about one record and its way to the server: through the gate, and as real processes."""

from __future__ import annotations

import http.client
import json
import re
import tomllib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mcp_core.revisions import CLIENT_CAPABILITIES_KEY, VERSION_KEY
from playground.viewer.diagrams import POLICY
from tests.talks import OLD, Log

ROOT = Path(__file__).resolve().parent.parent
JSON = {"Content-Type": "application/json"}
BOTH = {**JSON, "Accept": "application/json, text/event-stream"}
PRESETS = tomllib.loads((ROOT / "playground" / "viewer" / "presets.toml").read_text("utf-8"))
Json = dict[str, Any]


@dataclass
class Site:
    """A viewer that runs, and its server."""

    port: int
    logs: Path

    def ask(self, path: str, value: Any = None, method: str = "", **headers: str) -> tuple[int, dict[str, str], str]:
        body = value if isinstance(value, bytes) else None if value is None else json.dumps(value).encode()
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)) as connection:
            sent = {**(JSON if body is not None else {}), **{k.replace("_", "-"): v for k, v in headers.items()}}
            connection.request(method or ("GET" if body is None else "POST"), path, body=body, headers=sent)
            answer = connection.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read().decode()

    def send(self, **order: Any) -> list[Json]:
        status, headers, body = self.ask("/relay", {"path": "/mcp", "headers": BOTH, **order})
        assert (status, headers["content-type"]) == (200, "application/x-ndjson"), body
        return [json.loads(line) for line in body.splitlines()]


@pytest.fixture(scope="module")
def site(start_module: Any, tmp_path_factory: pytest.TempPathFactory) -> Site:
    folder = tmp_path_factory.mktemp("site")
    server = start_module("server.py", "--port", 0, "--files", folder / "files", "--logs", folder / "logs")
    address = f"{server.url}/mcp"
    viewer = start_module("log_viewer.py", "--port", 0, "--logs", folder / "logs", "--server", address)
    return Site(int(viewer.url.rpartition(":")[2]), folder / "logs")


# ---- Why now, and which code -----------------------------------------------------------------------------------------


def test_a_record_in_a_log_is_explained_by_what_came_before(site: Site) -> None:
    records = Log(OLD).hello().ask("tools/list")
    lines = [json.dumps(record) for record in records]
    (site.logs / "told.jsonl").write_text("".join(line + "\n" for line in lines))
    at = sum(len(line) + 1 for line in lines[:-1])
    status, _, body = site.ask(f"/explain?file=told.jsonl&at={at}")
    told = json.loads(body)
    assert (status, told["situation"], told["is_whole"]) == (200, "list-first", True)
    assert told["next"]
    assert told["never"]
    assert told["twin"]
    assert told["spec"].startswith("https://modelcontextprotocol.io/specification/2025-11-25/")
    assert {"kind", "name", "title", "text", "spec", "todo"} == set(told["paragraphs"][0])


def test_records_that_stand_in_no_log_are_explained_too(site: Site) -> None:
    status, _, body = site.ask("/explain", {"records": Log(OLD).hello().ask("tools/list")})
    assert (status, json.loads(body)["situation"]) == (200, "list-first")


@pytest.mark.parametrize(
    ("path", "value", "status"),
    [
        ("/explain?file=../x.jsonl&at=0", None, 400), ("/explain?file=none.jsonl&at=0", None, 404),
        ("/explain?file=none.jsonl&at=x", None, 400), ("/explain?file=none.jsonl&at=-1", None, 400),
        ("/explain?at=0", None, 400), ("/explain", None, 400),
        ("/explain", {}, 400), ("/explain", {"records": []}, 400), ("/explain", {"records": [5]}, 400),
        ("/explain", {"records": "x"}, 400), ("/explain", [], 400), ("/explain", b"{", 400),
        ("/source?src=../x.py:1", None, 404), ("/source?src=.env:1", None, 404), ("/source", None, 404),
        ("/source?src=README.md:1", None, 404), ("/source?src=tests/conftest.py:1", None, 404),
        ("/relay", b"{", 400), ("/relay", [], 400), ("/relay", {}, 400), ("/relay", {"path": "http://a.example/"}, 400),
        ("/relay", None, 405), ("/presets?x", {}, 405),
    ],
)  # fmt: skip
def test_a_wrong_question_is_answered_with_a_sentence(site: Site, path: str, value: Any, status: int) -> None:
    found, headers, body = site.ask(path, value)
    assert (found, headers["content-type"]) == (status, "application/json"), body
    assert json.loads(body)["error"].endswith((".", "all."))


def test_the_code_behind_a_record_is_shown(site: Site) -> None:
    status, _, body = site.ask("/source?src=mcp_core/words.py:60%20whatever")
    found = json.loads(body)
    assert (status, found["path"]) == (200, "mcp_core/words.py")
    assert found["first"] <= 60 < found["first"] + len(found["lines"])


# ---- The way to the server -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://evil.example"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Host": "evil.example"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
    ],
)
def test_no_page_elsewhere_can_send_through_us(site: Site, headers: dict[str, str], status: int) -> None:
    assert site.ask("/relay", {"path": "/mcp", "body": "{}"}, **headers)[0] == status
    assert site.ask("/relay", method="OPTIONS", Origin="http://localhost:3000")[0] == 405


def test_what_is_sent_is_logged_like_any_clients(site: Site) -> None:
    told = site.send(path="/rpc", body='{"jsonrpc":"2.0","id":"mine","method":"tools/list"}')
    assert [one["kind"] for one in told] == ["head", "frame", "end"]
    records = [json.loads(line) for line in (site.logs / "mcp-viewer.jsonl").read_text("ascii").splitlines()]
    mine = [record for record in records if record["data"].get("message", {}).get("id") == "mine"]
    assert [(record["dir"], record["peer"], record["via"]) for record in mine] == [
        ("out", "server", "http"),
        ("in", "server", "http"),
    ]
    assert mine[0]["exchange"] == mine[1]["exchange"]
    assert mine[0]["src"].startswith("playground/viewer/relay.py:")


@pytest.fixture(scope="module")
def session(site: Site) -> Iterator[dict[str, str]]:
    about = {"protocolVersion": OLD, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    head, *_ = site.send(body=json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about}))
    own = {"Mcp-Session-Id": head["headers"]["Mcp-Session-Id"], "MCP-Protocol-Version": OLD}
    site.send(headers={**BOTH, **own}, body='{"jsonrpc":"2.0","method":"notifications/initialized"}')
    yield own
    site.send(method="DELETE", headers=own)


@pytest.mark.parametrize("preset", PRESETS["preset"], ids=lambda preset: str(preset["title"]))
def test_each_preset_gets_the_answer_that_it_announces(site: Site, session: dict[str, str], preset: Json) -> None:
    meta = {VERSION_KEY: "2026-07-28", CLIENT_CAPABILITIES_KEY: {}}
    body = preset["body"].replace("{meta}", json.dumps(meta))
    own: dict[str, str] = session if preset["needs"] == "session" else {}
    if preset["needs"] == "stateless":
        message = json.loads(body)
        own = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": message["method"]}
        own |= {"Mcp-Name": message["params"]["name"]} if "name" in message["params"] else {}
    headers = {name: text for name, text in {**BOTH, **own, **preset.get("headers", {})}.items() if text}
    told = site.send(method=preset.get("method", "POST"), headers=headers, body=body)
    frames = [json.loads(one["text"]) for one in told if one["kind"] == "frame"]
    code = frames[0].get("error", {}).get("code") if frames else None
    assert (told[0]["status"], code) == (preset["status"], preset.get("code"))
    assert str(preset["status"]) in PRESETS["status"]
    assert preset["teaches"].endswith(".")


def test_presets_and_statuses_have_all_they_need(site: Site) -> None:
    told = json.loads(site.ask("/presets")[2])
    assert told["server"].startswith("http://127.0.0.1:")
    assert told["path"] == "/mcp"
    assert len({preset["title"] for preset in told["preset"]}) == len(told["preset"]) >= 20
    assert {preset["needs"] for preset in told["preset"]} == {"", "session", "stateless"}
    assert all({"title", "text", "spec"} == set(entry) for entry in told["status"].values())


def test_the_console_is_a_page_without_anything_foreign(site: Site) -> None:
    status, headers, body = site.ask("/console")
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert "default-src 'self'" in headers["content-security-policy"]
    assert "consolepage.js" in body


@pytest.mark.parametrize("url", ["http://example.org/mcp", "https://127.0.0.1/mcp", "nonsense"])
def test_a_server_elsewhere_is_refused_at_the_start(start: Callable[..., Any], logs: Path, url: str) -> None:
    viewer = start("log_viewer.py", "--port", 0, "--logs", logs, "--server", url)
    assert viewer.wait() == 1
    viewer.wait_for("no address on this machine")


# ---- The README's diagrams -------------------------------------------------------------------------------------------


def test_the_readme_has_its_diagrams_as_pictures_in_which_nothing_runs(site: Site) -> None:
    status, _, page = site.ask("/readme")
    names = re.findall(r'<img class="(?:light|dark)" src="(/diagrams/[0-9a-f]{12}-(?:light|dark)\.svg)"', page)
    assert status == 200
    assert len(names) >= 8
    for name in names[:2]:
        status, headers, svg = site.ask(name)
        assert (status, headers["content-type"]) == (200, "image/svg+xml")
        assert headers["content-security-policy"] == POLICY
        assert svg.startswith("<svg")
    for name in ("/diagrams/000000000000-light.svg", "/diagrams/x.svg", "/diagrams/..%2fREADME.md", "/diagrams/"):
        status, headers, body = site.ask(name)
        assert (status, headers["content-type"]) == (404, "application/json"), name
        assert json.loads(body)["error"].endswith(".")
