"""playground/host/servers.py: servers.json and the default."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from playground.host import servers
from playground.host.servers import Entry, filled, ours, read, wanted
from playground.settings import Settings, SettingsError, load


def settings(tmp_path: Path, **environ: str) -> Settings:
    places = {"MCP_FILES": str(tmp_path / "files"), "MCP_LOGS": str(tmp_path / "logs")}
    return load(environ={**places, **environ}, root=tmp_path)


def written(tmp_path: Path, value: Any) -> Path:
    path = tmp_path / "servers.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def one(tmp_path: Path, entry: Any, **environ: str) -> Entry:
    (found,) = read(written(tmp_path, {"mcpServers": {"it": entry}}), settings(tmp_path, **environ)).entries
    return found


def test_without_a_file_there_is_our_own_server_and_a_way_to_start_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "PROJECT_ROOT", tmp_path)
    found = wanted(settings(tmp_path, MCP_PORT="5001"))
    (entry,) = found.entries
    assert (entry.name, entry.trusted, found.secrets) == ("files", True, ())
    assert entry.way is not None
    assert entry.way.url == "http://127.0.0.1:5001/mcp"
    assert entry.instead is not None
    assert entry.instead.command[0] == sys.executable
    assert entry.instead.command[2:] == (
        "--stdio", "--files", str(tmp_path / "files"), "--logs", str(tmp_path / "logs"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("host", "shown"), [("0.0.0.0", "127.0.0.1"), ("::", "[::1]"), ("::1", "[::1]"), ("localhost", "localhost")]
)
def test_our_server_is_asked_where_it_can_be_reached(tmp_path: Path, host: str, shown: str) -> None:
    way = ours(settings(tmp_path, MCP_HOST=host)).way
    assert way is not None
    assert way.url == f"http://{shown}:5000/mcp"


def test_a_file_in_the_project_is_found_and_a_named_one_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "PROJECT_ROOT", tmp_path)
    written(tmp_path, {"mcpServers": {"usual": {"command": "a"}}})
    other = tmp_path / "other.json"
    other.write_text('{"servers": {"named": {"url": "http://127.0.0.1:1/mcp"}}}', encoding="utf-8")
    assert [entry.name for entry in wanted(settings(tmp_path)).entries] == ["usual"]
    assert [entry.name for entry in wanted(settings(tmp_path), str(other)).entries] == ["named"]


def test_entries_keep_their_order_and_a_disabled_one_is_left_out(tmp_path: Path) -> None:
    entries = {"z": {"command": "z"}, "off": {"command": "o", "disabled": True}, "a": {"url": "https://a.example/mcp"}}
    found = read(written(tmp_path, {"mcpServers": entries}), settings(tmp_path)).entries
    assert [entry.name for entry in found] == ["z", "a"]
    assert not any(entry.trusted for entry in found)


def test_an_entry_says_how_trust_and_roots(tmp_path: Path) -> None:
    entry = one(tmp_path, {"command": "c", "args": ["x"], "cwd": "/w", "trust": True, "roots": ["data"]})
    assert entry.way is not None
    assert (entry.way.kind, entry.way.command, entry.way.cwd) == ("stdio", ("c", "x"), "/w")
    assert (entry.trusted, entry.roots) == (True, ((tmp_path / "data").resolve(),))
    assert one(tmp_path, {"command": "c", "trust": "yes"}).trusted is False


def test_variables_come_from_the_environment_and_keys_among_them_are_secrets(tmp_path: Path) -> None:
    entry = {
        "url": "https://${HOST}/mcp",
        "headers": {"Authorization": "Bearer ${MY_TOKEN}", "X-Api-Key": "written-out", "X-Other": "harmless words"},
    }
    environ = {"HOST": "example.org", "MY_TOKEN": "tok-123456789"}
    found = read(written(tmp_path, {"mcpServers": {"it": entry}}), settings(tmp_path, **environ))
    way = found.entries[0].way
    assert way is not None
    assert (way.url, way.headers["Authorization"]) == ("https://example.org/mcp", "Bearer tok-123456789")
    assert set(found.secrets) == {"tok-123456789", "Bearer tok-123456789", "written-out"}


def test_the_passwords_and_tokens_of_addresses_are_secrets(tmp_path: Path) -> None:
    entries = {
        "a": {"url": "https://ann:open-sesame@example.org/mcp?token=t0p-s3cret"},
        "b": {"command": "npx", "args": ["some-server", "postgres://ann:sesame-open@host/db"]},
    }
    found = read(written(tmp_path, {"mcpServers": entries}), settings(tmp_path))
    assert set(found.secrets) == {"open-sesame", "t0p-s3cret", "sesame-open"}


def test_a_variable_has_a_default_and_an_unknown_one_is_the_entrys_problem(tmp_path: Path) -> None:
    assert filled({"a": ["${X:-1}${Y}"], "n": 5}, {"Y": "2"}, []) == {"a": ["12"], "n": 5}
    entry = one(tmp_path, {"command": "c", "env": {"A": "${NOWHERE}"}})
    assert entry.way is None
    assert "${NOWHERE}, which is not set" in entry.problem


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (5, "no object"),
        ({}, "either a command to start or a url"),
        ({"command": "c", "url": "http://x/"}, "not both"),
        ({"command": ""}, "not the name of a program"),
        ({"url": "ftp://x"}, "http:// or https://"),
        ({"command": "c", "roots": "here"}, "roots are not a list"),
        ({"command": "c", "type": "carrier pigeon"}, "none of stdio, http and sse"),
    ],
)
def test_what_is_wrong_with_an_entry_is_its_own_problem(tmp_path: Path, entry: Any, words: str) -> None:
    found = one(tmp_path, entry)
    assert found.way is None
    assert words in found.problem


def test_an_entry_needs_a_name(tmp_path: Path) -> None:
    (entry,) = read(written(tmp_path, {"mcpServers": {" ": {"command": "c"}}}), settings(tmp_path)).entries
    assert "no name" in entry.problem


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ("[]", 'no object "mcpServers"'),
        ('{"mcpServers": []}', 'no object "mcpServers"'),
        ('{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}', "stands twice"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_sentence(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        read(written(tmp_path, text), settings(tmp_path))


def test_a_file_that_is_not_there_names_the_flag(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="--servers FILE"):
        wanted(settings(tmp_path), str(tmp_path / "none.json"))
