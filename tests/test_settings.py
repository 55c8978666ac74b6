"""Flags, environment and .env: who wins, what is refused, and what is kept secret."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from playground import settings
from playground.settings import PROJECT_ROOT, SettingsError, load


def dotenv(folder: Path, text: str | bytes) -> Path:
    (folder / ".env").write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def test_without_anything_the_defaults_count(tmp_path: Path) -> None:
    found = load(environ={}, root=tmp_path)
    assert (found.mcp_host, found.mcp_port, found.viewer_host, found.viewer_port) == (
        "127.0.0.1",
        5000,
        "127.0.0.1",
        5050,
    )
    assert (found.mcp_files, found.mcp_logs) == (tmp_path / "mcp_files", tmp_path / "logs")


def test_the_project_root_is_the_folder_of_the_project() -> None:
    assert (PROJECT_ROOT / "playground" / "settings.py").samefile(settings.__file__)


def test_a_flag_wins_over_the_environment_and_that_over_dotenv(tmp_path: Path) -> None:
    root = dotenv(tmp_path, "MCP_PORT=1\nMCP_HOST=host-of-dotenv\nVIEWER_PORT=4\n")
    found = load({"MCP_PORT": 3, "MCP_HOST": None}, environ={"MCP_PORT": "2", "MCP_HOST": "host-of-environ"}, root=root)
    assert (found.mcp_port, found.mcp_host, found.viewer_port) == (3, "host-of-environ", 4)


def test_paths_are_relative_to_where_they_were_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    root = dotenv(tmp_path, "MCP_LOGS=from-dotenv")
    found = load({"MCP_FILES": "from-flag"}, environ={}, root=root)
    assert (found.mcp_files, found.mcp_logs) == (here / "from-flag", tmp_path / "from-dotenv")
    assert load(environ={"MCP_FILES": "from-environ"}, root=root).mcp_files == here / "from-environ"
    assert load({"MCP_FILES": "/absolute"}, environ={}, root=root).mcp_files == Path("/absolute")


@pytest.mark.parametrize("value", ["", "x", "-1", "65536", "5000.0", "٥٠٠٠", "0x10", "99999999999999999999", "1 2"])
def test_a_bad_port_is_one_clear_line(value: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as said:
        load({"MCP_PORT": value}, environ={}, root=tmp_path)
    assert "--port" in str(said.value)
    assert "\n" not in str(said.value)
    with pytest.raises(SettingsError, match="VIEWER_PORT"):
        load(environ={"VIEWER_PORT": value}, root=tmp_path)
    with pytest.raises(SettingsError, match=r"VIEWER_PORT in \.env"):
        load(environ={}, root=dotenv(tmp_path, f"VIEWER_PORT='{value}'"))


def test_port_0_is_allowed(tmp_path: Path) -> None:
    assert load({"MCP_PORT": 0}, environ={}, root=tmp_path).mcp_port == 0


def test_an_empty_folder_is_refused_and_never_the_default(tmp_path: Path) -> None:
    for flags, environ in (({"MCP_FILES": ""}, {}), ({}, {"MCP_FILES": "  "})):
        with pytest.raises(SettingsError, match="is empty"):
            load(flags, environ=environ, root=tmp_path)


def test_an_ipv6_address_may_wear_its_brackets(tmp_path: Path) -> None:
    assert load({"MCP_HOST": "[::1]"}, environ={}, root=tmp_path).mcp_host == "::1"


def test_secrets_come_from_everywhere_and_short_ones_are_no_secrets(tmp_path: Path) -> None:
    root = dotenv(
        tmp_path, "OPENAI_API_KEY=sk-from-dotenv\nOLLAMA_API_KEY=ollama\nANTHROPIC_API_KEY=\nSHARED=same-value\n"
    )
    found = load(environ={"GITHUB_TOKEN": "ghp_from_environ", "HOME": "/home/somebody"}, root=root)
    assert found.secrets() == ("ghp_from_environ", "sk-from-dotenv")
    assert "sk-from-dotenv" not in repr(found)


def test_get_takes_nothing_for_not_set(tmp_path: Path) -> None:
    found = load(environ={"PROVIDER": " openai ", "OPENAI_MODEL": ""}, root=tmp_path)
    assert (found.get("PROVIDER"), found.get("OPENAI_MODEL", "m"), found.get("NONE")) == ("openai", "m", "")


def test_dotenv_is_taken_as_it_stands_and_never_exported(tmp_path: Path) -> None:
    root = dotenv(tmp_path, b'\xef\xbb\xbfOPENAI_API_KEY="pa$$word${HOME}"\r\nNAME_WITHOUT_VALUE\n')
    found = load(environ={}, root=root)
    assert found.get("OPENAI_API_KEY") == "pa$$word${HOME}"
    assert "NAME_WITHOUT_VALUE" not in found.values
    assert "OPENAI_API_KEY" not in os.environ


def test_a_dotenv_that_is_no_text_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"\.env cannot be read as UTF-8"):
        load(environ={}, root=dotenv(tmp_path, b"A=\xff\n"))


def test_nothing_heavy_is_imported_without_a_dotenv() -> None:
    code = "import sys, playground.settings as s; s.load(root=s.Path('/nonexistent')); print('dotenv' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT_ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_the_password_in_an_address_is_a_secret(tmp_path: Path) -> None:
    environ = {"OPENAI_BASE_URL": "http://ann:open-sesame@host/v1", "X": "http://host/?token=t0p-s3cret"}
    assert load({}, environ=environ, root=tmp_path).secrets() == ("open-sesame", "t0p-s3cret")
