"""Where the scripts listen, where they keep things, and which keys they hold.

In: what a script's flags said, the environment, and a file ``.env`` in the project's folder. Out: one frozen
``Settings``. A flag wins over the environment, the environment over ``.env``, ``.env`` over the defaults.
Refuses to know: what the values are used for. Nothing is ever written to ``os.environ``: a key in ``.env``
is for this process, not for the servers that it starts.

Paths: a flag's or the environment's are relative to where the user stands; ``.env``'s and the defaults are
relative to the project, so that server and viewer meet in one folder from wherever they are started.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from playground.addresses import secrets_in

__all__ = ["KEYS", "PROJECT_ROOT", "VARIABLES", "Settings", "SettingsError", "load"]

PROJECT_ROOT = Path(__file__).resolve().parent.parent

# The variables of the four scripts, their defaults, and the flags that win over them.
VARIABLES = {
    "MCP_HOST": ("127.0.0.1", "--host"),
    "MCP_PORT": ("5000", "--port"),
    "MCP_FILES": ("mcp_files", "--files"),
    "MCP_LOGS": ("logs", "--logs"),
    "VIEWER_HOST": ("127.0.0.1", "--host"),
    "VIEWER_PORT": ("5050", "--port"),
}
# The providers' secrets; besides these, whatever is named like one in .env or the environment.
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OLLAMA_API_KEY")

_SECRET_ENDINGS = ("_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
# Shorter ones are placeholders ("ollama", "none"), and masking those would blot out innocent words.
_SHORTEST_SECRET = 8


class SettingsError(Exception):
    """A sentence for the user: which setting is wrong, where it came from, and what it should be."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one process. ``values`` holds .env overlaid by the environment, for ``get``."""

    mcp_host: str
    mcp_port: int
    mcp_files: Path
    mcp_logs: Path
    viewer_host: str
    viewer_port: int
    values: Mapping[str, str] = field(repr=False)  # holds keys: never printed by accident

    def get(self, name: str, default: str = "") -> str:
        """Return a variable's value; one that is set to nothing counts as not set."""
        return self.values.get(name, "").strip() or default

    def secrets(self) -> tuple[str, ...]:
        """Return every value that must not appear in a log, a message or a page, longest first."""
        found = {
            value.strip()
            for name, value in self.values.items()
            if name in KEYS or name.upper().endswith(_SECRET_ENDINGS)
        }
        for value in self.values.values():
            found.update(secrets_in(value) if "://" in value else ())
        return tuple(sorted((v for v in found if len(v) >= _SHORTEST_SECRET), key=lambda v: (-len(v), v)))


def load(
    flags: Mapping[str, str | int | None] | None = None,
    *,
    environ: Mapping[str, str] = os.environ,
    root: Path = PROJECT_ROOT,
) -> Settings:
    """Read the settings. ``flags`` names the variable that each flag stands for: ``{"MCP_PORT": args.port}``.

    Raises SettingsError.
    """
    dotenv = _read_dotenv(root / ".env")
    given = {name: str(value) for name, value in (flags or {}).items() if value is not None}
    layers = _Layers(given, environ, dotenv, root)
    return Settings(
        mcp_host=layers.host("MCP_HOST"),
        mcp_port=layers.port("MCP_PORT"),
        mcp_files=layers.folder("MCP_FILES"),
        mcp_logs=layers.folder("MCP_LOGS"),
        viewer_host=layers.host("VIEWER_HOST"),
        viewer_port=layers.port("VIEWER_PORT"),
        values={**dotenv, **environ},
    )


@dataclass(frozen=True, slots=True)
class _Layers:
    """The four places where a value may stand, strongest first."""

    flags: Mapping[str, str]
    environ: Mapping[str, str]
    dotenv: Mapping[str, str]
    root: Path

    def find(self, name: str) -> tuple[str, str, Path]:
        """Return a value, what the user calls the place where it stood, and what its path is relative to."""
        default, flag = VARIABLES[name]
        here = Path.cwd()
        for layer, place, base in (
            (self.flags, flag, here),
            (self.environ, name, here),
            (self.dotenv, f"{name} in .env", self.root),
        ):
            if name in layer:
                if not layer[name].strip():
                    raise SettingsError(f"{place} is empty; give it a value or leave it out.")
                return layer[name].strip(), place, base
        return default, name, self.root

    def host(self, name: str) -> str:
        return self.find(name)[0].removeprefix("[").removesuffix("]")

    def port(self, name: str) -> int:
        value, place, _ = self.find(name)
        if not (value.isascii() and value.isdigit() and len(value) <= 5 and int(value) <= 65535):
            raise SettingsError(f"{place} must be a port from 0 (any free one) to 65535, not {value[:40]!a}.")
        return int(value)

    def folder(self, name: str) -> Path:
        value, _, base = self.find(name)
        return base / value


def _read_dotenv(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    # Imported here because most users have no .env, and this costs more than all the rest.
    from dotenv import dotenv_values

    try:
        # Without interpolation: a key with a dollar sign means itself.
        values = dotenv_values(path, interpolate=False, encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise SettingsError(f"{path} cannot be read as UTF-8 text; mend or remove it.") from None
    return {name: value for name, value in values.items() if value is not None}
