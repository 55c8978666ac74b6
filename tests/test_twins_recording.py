"""web/twins.json, the recording that the tab *Era twin* falls back to: what it holds, and that it is still true."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mcp_core.revisions import VERSION_KEY
from tests.conftest import clean_environment

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "web" / "twins.json").read_text("ascii")
RECORDS = json.loads(TEXT)


def test_both_eras_say_the_same_things() -> None:
    said: dict[bool, set[str]] = {True: set(), False: set()}
    for record in RECORDS:
        message = record["data"].get("message", {})
        if record["event"] == "client_request" and isinstance(message, dict) and "method" in message:
            said[VERSION_KEY in message.get("params", {}).get("_meta", {})].add(message["method"])
    both = {"tools/list", "tools/call", "resources/list", "resources/read", "prompts/get", "completion/complete"}
    assert both <= said[True] & said[False]
    assert "initialize" in said[False]
    assert "server/discover" in said[True]


def test_it_tells_nothing_about_the_machine_it_was_made_on() -> None:
    assert {record["host"] for record in RECORDS} == {"recording"}
    assert not re.search(r"/(tmp|home|root|work|Users)/|[A-Z]:\\\\", TEXT)
    assert [record["ts"] for record in RECORDS] == sorted(record["ts"] for record in RECORDS)


@pytest.mark.hard
def test_a_new_recording_would_say_the_same() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "twins"), "--check"]
    done = subprocess.run(command, env=clean_environment(), capture_output=True, text=True, timeout=90, check=False)
    assert done.returncode == 0, f"web/twins.json is out of date; scripts/twins renews it.\n{done.stderr}"
