"""The rules of the house, as tests: who may import whom, how long things may be, what must be explained.

Each checker takes a path and a text and returns sentences, one a fault. The first tests feed the checkers
small bad samples, since a rule that can't fail is no rule; the others feed them the project.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CHAPTERS = ("server", "client", "chat_with_tools", "log_viewer")

# ---- Limits ------------------------------------------------------------------------------------------------

CHAPTER_LINES, MODULE_LINES, JS_LINES, FUNCTION_LINES = 450, 300, 200, 40

# "path function": why it may be longer than FUNCTION_LINES. One that is no longer needed fails too.
LONG_FUNCTIONS: dict[str, str] = {
    "server.py file_tools": "a list: each tool in it is a short function of its own, found by its name",
    "server.py create_app": "a list: each route in it is a short function of its own, found by its address",
}
# Files of the core whose public functions need no example in their docstrings: why.
WITHOUT_EXAMPLES: dict[str, str] = {
    "mcp_core/words.py": "each docstring links to its method's specification; tests/test_words.py has the examples",
}

# ---- Who may import whom -----------------------------------------------------------------------------------

ROOMS = ("server", "wire", "host", "viewer", "scripted_model")
ROOM_MAY_USE = {"host": {"wire"}}
WEB_FRAMEWORK = ("flask", "werkzeug", "jinja2")
SERVES_HTTP = ("server.py", "log_viewer.py")
VENDORS = {
    "openai": "playground/host/providers/openai_like.py",
    "anthropic": "playground/host/providers/anthropic.py",
}
# All that a module without I/O can need. jsonschema_rs is a pure function of a schema and a value.
PURE_LIBRARY = """
    __future__ abc base64 binascii bisect codecs collections contextlib copy dataclasses decimal difflib enum
    fractions functools hashlib heapq hmac inspect itertools json keyword math numbers operator re string
    struct textwrap types typing unicodedata urllib.parse jsonschema_rs
""".split()  # noqa: SIM905 - a list of thirty words reads better as words
IMPURE_BUILTINS = {"open", "print", "input", "exec", "eval", "__import__", "breakpoint"}
# Pure modules outside mcp_core: a chat's turn and what it is made of. Of ours they import only each other.
PURE_HOST = ("calls", "tools", "conversation", "budget", "diagnosis", "loop")
PURE_MODULES = {f"playground/host/{name}.py" for name in PURE_HOST}
STRANGERS = {"mcp_core/serving.py": "mcp_core.calling", "mcp_core/calling.py": "mcp_core.serving"}

# ---- Names and words ---------------------------------------------------------------------------------------

FORBIDDEN_NAMES = {"utils", "util", "types", "constants", "helpers", "errors", "mcp"}
BRITISH = re.compile(
    r"\b\w*(?:behaviour|colour|honour|favour|neighbour|flavour|rumour|labour|harbour|endeavour|grey|centre[ds]?\b"
    r"|defence|offence|licence|artefact|whilst|amongst|learnt|\bspelt\b|fulfil(?:s|ment)?\b|instalment|enrolment"
    r"|labelled(?!by)|labelling|travell(?:ed|ing|er)|modell(?:ed|ing)|signall(?:ed|ing)|programme[sd]?\b"
    r"|(?:anal|catal|paral)ys(?:e[ds]?|ing)\b|(?:organ|recogn|initial|final|normal|serial|summar|minim|maxim|optim"
    r"|custom|author|real|emphas|synchron|special|standard|token|util|visual|capital|categor|prior|sanit|stabil"
    r"|general|character|apolog|critic|familiar|memor|modern|neutral|parametr|random)is(?:e[ds]?|ing|ation\w*)\b)\w*",
    re.IGNORECASE,
)
TEXT_SUFFIXES = {".py", ".md", ".js", ".mjs", ".css", ".html", ".toml", ".json", ".example", ""}

# ---- Web ---------------------------------------------------------------------------------------------------

WEB_PURE = {"store.js", "layout.js", "match.js"}  # and every file whose opening comment says "Pure."
WEB_NETWORK = {"stream.js", "api.js"}
PAGE_WORDS = r"document|window|localStorage|sessionStorage|location|navigator|requestAnimationFrame"
NETWORK_WORDS = r"fetch|EventSource|XMLHttpRequest|WebSocket"


# ---- Reading -----------------------------------------------------------------------------------------------


def python_files() -> list[str]:
    """The product's Python: chapters, rooms, core, tour."""
    chapters = [f"{name}.py" for name in CHAPTERS if (ROOT / f"{name}.py").exists()]
    return chapters + [
        path.relative_to(ROOT).as_posix()
        for folder in ("playground", "mcp_core", "tour")
        for path in sorted((ROOT / folder).rglob("*.py"))
    ]


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def project_files() -> list[str]:
    """All files of the project, committed or not yet; without git (an unpacked archive) all that lie here."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False)
    if listed.returncode == 0:
        return sorted({line for line in listed.stdout.splitlines() if (ROOT / line).is_file()})
    made = re.compile(r"^(\.(?!ci/|env\.example|gitignore)|logs/|mcp_files/|node_modules/|uv\.lock)|__pycache__")
    found = (path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if path.is_file())
    return sorted(path for path in found if not made.search(path))


def imports(path: str, source: str) -> Iterator[tuple[int, str, bool]]:
    """Each import of a module: its line, the full dotted name, and whether it waits inside a function."""
    tree = ast.parse(source)
    inside = {
        child
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for child in ast.walk(node)
    }
    package = path.removesuffix(".py").split("/")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name, node in inside
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node.lineno, f"{module}.{alias.name}", node in inside


def within(name: str, module: str) -> bool:
    """Whether an imported name is that module or something in it."""
    return name == module or name.startswith(module + ".")


def ours(name: str) -> bool:
    return any(within(name, root) for root in (*CHAPTERS, "playground", "mcp_core", "tests", "tour", "bench"))


def strings(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


# ---- Checkers ----------------------------------------------------------------------------------------------


def import_faults(path: str, source: str) -> list[str]:
    return [
        f"{path}:{line}: {name}: {why}"
        for line, name, deferred in imports(path, source)
        for why in objections(path, name, deferred)
    ]


def objections(path: str, name: str, deferred: bool) -> Iterator[str]:
    """Why a module must not import a name."""
    folder = path.split("/")
    if any(within(name, chapter) for chapter in CHAPTERS) and (path, name) != ("tour/stage.py", "server"):
        yield "nobody imports a chapter, but the stage of the tour, which serves other catalogues on the same shell"
    if any(within(name, module) for module in ("tests", "tour", "bench", "mcp")) and folder[0] != "tour":
        yield "only tests and benchmarks use this"
    if folder[0] == "mcp_core" and ours(name) and not within(name, "mcp_core"):
        yield "mcp_core knows nothing above it"
    pure = folder[0] == "mcp_core" or path in PURE_MODULES
    if pure and not ours(name) and not any(within(name, module) for module in PURE_LIBRARY):
        yield "a pure module needs nothing of the world"
    own = [f"playground.host.{module}" for module in PURE_HOST]
    if path in PURE_MODULES and ours(name) and not any(within(name, module) for module in own):
        yield "it imports nothing of ours but its own types"
    if path in STRANGERS and within(name, STRANGERS[path]):
        yield "serving and calling do not know each other"
    if any(within(name, module) for module in WEB_FRAMEWORK) and path not in SERVES_HTTP:
        yield "flask belongs to server.py and log_viewer.py"
    for vendor, home in VENDORS.items():
        if within(name, vendor) and (path != home or not deferred):
            yield f"{vendor} is imported only in {home}, inside the function that needs it"
    if folder[0] == "playground":
        room = folder[1] if folder[1] in ROOMS else ""
        others = set(ROOMS) - {room} - ROOM_MAY_USE.get(room, set())
        if any(within(name, f"playground.{other}") for other in others):
            yield "rooms do not use each other, and shared files use no room"


def purity_faults(path: str, source: str) -> list[str]:
    """Calls of builtins that touch the world."""
    return [
        f"{path}:{node.lineno}: a pure module does not call {node.func.id}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in IMPURE_BUILTINS
    ]


def length_faults(path: str, source: str) -> list[str]:
    lines = len(source.splitlines())
    if path.endswith(".js"):
        limit = JS_LINES
    else:
        limit = MODULE_LINES if "/" in path else CHAPTER_LINES
    return [f"{path} has {lines} lines, and {limit} are allowed"] if lines > limit else []


def long_functions(path: str, source: str) -> dict[str, int]:
    """Functions over the limit, with their lines; the docstring does not count, for it is never too much."""
    found = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            docs = ast.get_docstring(node) is not None
            documented = (first.end_lineno or 0) - first.lineno + 1 if docs else 0
            lines = (node.end_lineno or 0) - node.lineno + 1 - documented
            if lines > FUNCTION_LINES:
                found[f"{path} {node.name}"] = lines
    return found


def docstring_faults(path: str, source: str) -> list[str]:
    """Modules say what they are, chapters end that with what they leave out, the core shows examples."""
    tree = ast.parse(source)
    text = ast.get_docstring(tree)
    if not text:
        return [f"{path} opens without saying what goes in, what comes out and what it refuses to know"]
    faults = []
    if "/" not in path and not re.search(r"\b(leaves? out|left out|leaving out)\b", text.split("\n\n")[-1], re.I):
        faults.append(f"{path} does not end its docstring with what it leaves out")
    if path.startswith("mcp_core/") and path not in WITHOUT_EXAMPLES:
        faults += [
            f"{path}:{node.lineno}: {node.name} has no example in its docstring"
            for node in tree.body
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
            if ">>>" not in (ast.get_docstring(node) or "")
        ]
    return faults


def name_faults(path: str) -> list[str]:
    parts = [part.partition(".")[0] for part in path.split("/")]
    return [
        f"{path}: a thing lives with what it is about, not in {part!r}" for part in parts if part in FORBIDDEN_NAMES
    ]


def spelling_faults(path: str, text: str) -> list[str]:
    return [
        f"{path}:{number}: {found[0]!r} is British; the project writes American English"
        for number, line in enumerate(text.splitlines(), 1)
        for found in BRITISH.finditer(line)
    ]


def skip_faults(path: str, source: str) -> list[str]:
    """Tests that may not run. A test that can't run everywhere is written so that it can."""
    return [
        f"{path}:{node.lineno}: {node.attr}: a skipped test is a hole"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute) and node.attr in ("skip", "skipif", "xfail", "importorskip", "skipTest")
    ]


def code_faults(path: str, source: str) -> list[str]:
    """Two names for one JSON-RPC code, or a code named outside the one table."""
    named = [
        (target.id, node.lineno, ast.literal_eval(node.value))
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.UnaryOp)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    codes = [(name, line, value) for name, line, value in named if isinstance(value, int) and value <= -32000]
    if path != "mcp_core/messages.py":
        return [f"{path}:{line}: {name}: the codes stand in mcp_core/messages.py" for name, line, _ in codes]
    count = Counter(value for _, _, value in codes)
    return [f"{path}:{line}: {name}: {value} has another name" for name, line, value in codes if count[value] > 1]


def web_faults(path: str, source: str) -> list[str]:
    """A pure file that touches page or network, or imports one that is not pure; a stray network call."""
    name = path.rpartition("/")[2]
    code = re.sub(r"/\*.*?\*/|(?<![:'\"`])//[^\n]*", "", source, flags=re.DOTALL)
    bare = re.sub(r"'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"", "''", code)
    faults = []
    if is_pure(name, source):
        used = re.findall(rf"(?<![\w.$])(?:{PAGE_WORDS}|{NETWORK_WORDS})\b(?=\s*[.(\[])", bare)
        faults += [f"{path} is pure and touches {word}" for word in used]
        for other in re.findall(r"(?:from|import)\s*\(?\s*[\"']\./([\w.-]+)[\"']", code):
            file = ROOT / "web" / other
            if file.exists() and not is_pure(other, file.read_text(encoding="utf-8")):
                faults.append(f"{path} is pure and imports {other}, which is not")
    elif name not in WEB_NETWORK:
        used = re.findall(rf"(?<![\w.$])(?:{NETWORK_WORDS})\b(?=\s*\()", bare)
        faults += [f"{path} uses {word}, which belongs to {' and '.join(sorted(WEB_NETWORK))}" for word in used]
    return faults


def is_pure(name: str, source: str) -> bool:
    return name in WEB_PURE or bool(re.search(r"\bPure\.", source.partition("*/")[0]))


def page_faults(path: str, text: str) -> list[str]:
    """Scripts and styles that stand in the page itself or come from elsewhere."""
    faults = [f"{path} holds a script of its own" for tag in re.findall(r"<script\b[^>]*>", text) if "src=" not in tag]
    faults += [f"{path} holds a style of its own" for _ in re.findall(r"<style\b|\sstyle=", text)]
    faults += [f"{path} holds an event handler" for _ in re.findall(r"<[^>]+\son\w+=", text)]
    faults += [f"{path} loads {url}" for url in re.findall(r"<(?:script|link|img)\b[^>]*(https?:[^\"' >]+)", text)]
    return faults


def untested(modules: list[str], tests: set[str]) -> list[str]:
    """Modules without a test file of their own: test_pipe; for another module named pipe, test_wire_pipe."""
    faults = []
    for name in sorted({Path(module).stem for module in modules}):
        alike = [Path(module) for module in modules if Path(module).stem == name]
        left = [path for path in alike if f"test_{path.parent.name}_{name}" not in tests]
        spare = f"test_{name}" in tests  # the plain name serves one of them
        if len(left) > spare:
            faults += [f"{path.as_posix()} has no tests/test_{name}.py of its own" for path in left]
    return faults


def options(source: str) -> set[str]:
    """The flags that a script defines: a call with a flag and a help is add_argument, by whatever name."""
    return {
        argument.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and any(keyword.arg == "help" for keyword in node.keywords)
        for argument in node.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str) and argument.value.startswith("--")
    }


def settings(source: str) -> set[str]:
    """The environment variables that a module names."""
    pattern = r"(?:(?:MCP|VIEWER|OLLAMA|OPENAI|ANTHROPIC)_[A-Z]+(?:_[A-Z]+)*|PROVIDER)"
    return {text for text in strings(source) if re.fullmatch(pattern, text)}


# ---- The checkers can fail ---------------------------------------------------------------------------------

BAD_IMPORTS = [
    ("server.py", "import client"),
    ("playground/logbook.py", "from log_viewer import app"),
    ("playground/logbook.py", "from flask import Flask"),
    ("playground/server/pipe.py", "def serve():\n    import flask"),
    ("client.py", "import flask"),
    ("client.py", "from tour import ping"),
    ("tour/ping.py", "import server"),
    ("tour/stage.py", "import client"),
    ("mcp_core/words.py", "import socket"),
    ("mcp_core/words.py", "import os.path"),
    ("mcp_core/words.py", "from time import monotonic"),
    ("mcp_core/words.py", "import threading, json"),
    ("mcp_core/words.py", "import random"),
    ("mcp_core/words.py", "import secrets"),
    ("mcp_core/words.py", "from pathlib import Path"),
    ("mcp_core/words.py", "import urllib.request"),
    ("mcp_core/words.py", "import datetime"),
    ("mcp_core/words.py", "import requests"),
    ("mcp_core/words.py", "from playground import logbook"),
    ("mcp_core/serving.py", "from mcp_core import calling"),
    ("mcp_core/calling.py", "from .serving import Session"),
    ("playground/server/streams.py", "from playground.viewer import hub"),
    ("playground/viewer/hub.py", "from playground.host.router import Router"),
    ("playground/host/router.py", "import playground.server.sandbox"),
    ("playground/wire/connection.py", "from ..host import loop"),
    ("playground/logbook.py", "from playground.viewer import hub"),
    ("playground/logbook.py", "from .viewer.hub import Hub"),
    ("playground/host/loop.py", "from playground.host import router"),
    ("playground/host/loop.py", "import time"),
    ("playground/host/conversation.py", "from playground.host.approval import Rules"),
    ("playground/host/providers/openai_like.py", "import openai"),
    ("playground/host/router.py", "def ask():\n    import openai"),
    ("chat_with_tools.py", "from anthropic import Anthropic"),
    ("playground/explainer.py", "from mcp import ClientSession"),
    ("playground/explainer.py", "from tests import conftest"),
]
GOOD_IMPORTS = [
    ("server.py", "import flask\nfrom playground.server import sandbox\nfrom mcp_core import serving"),
    ("mcp_core/serving.py", "import json\nfrom urllib.parse import quote\nfrom . import messages"),
    ("playground/host/router.py", "from playground.wire import connection\nfrom playground import logbook"),
    (
        "playground/host/loop.py",
        "from playground.host.conversation import Turn\nfrom dataclasses import dataclass",
    ),
    ("playground/host/providers/openai_like.py", "def ask():\n    import openai"),
    ("tour/stage.py", "def serve():\n    import server"),
    (
        "playground/viewer/hub.py",
        "from . import filters\nfrom ..logbook import Logbook\nimport mcp_core.messages",
    ),
]
BAD_SAMPLES: list[tuple[Callable[[str, str], list[str]], str, str]] = [
    (purity_faults, "mcp_core/words.py", "def f():\n    return open('x')"),
    (length_faults, "server.py", "\n" * 451),
    (length_faults, "playground/gate.py", "\n" * 301),
    (length_faults, "web/app.js", "\n" * 201),
    (docstring_faults, "playground/gate.py", "x = 1"),
    (docstring_faults, "server.py", '"""A server.\n\nIt leaves out much.\n\nThe end."""'),
    (docstring_faults, "mcp_core/sse.py", '"""In, out."""\n\ndef encode(x):\n    """Encodes."""'),
    (lambda path, _: name_faults(path), "playground/utils.py", ""),
    (lambda path, _: name_faults(path), "playground/mcp/gate.py", ""),
    (spelling_faults, "README.md", "the behav" + "iour of organ" + "ised colo" + "urs"),
    (skip_faults, "tests/test_x.py", "import pytest\n@pytest.mark.skip\ndef test(): ..."),
    (code_faults, "mcp_core/messages.py", "A = -32600\nB = -32600"),
    (code_faults, "mcp_core/words.py", "A = -32600"),
    (web_faults, "web/store.js", "document.title = 'x'"),
    (web_faults, "web/tape.js", "/** A list. Pure. */\nfetch('/files')"),
    (web_faults, "web/panels.js", "const source = new EventSource('/stream')"),
    (page_faults, "web/index.html", "<script>alert(1)</script>"),
    (page_faults, "web/index.html", '<script src="https://cdn.example/x.js"></script>'),
    (page_faults, "web/index.html", '<p style="color: red">'),
    (page_faults, "web/index.html", '<button type="button" onclick="go()">'),
]
GOOD_SAMPLES: list[tuple[Callable[[str, str], list[str]], str, str]] = [
    (length_faults, "server.py", "\n" * 450),
    (docstring_faults, "server.py", '"""A server.\n\nIt leaves out TLS, on purpose."""'),
    (
        docstring_faults,
        "mcp_core/sse.py",
        '"""In, out."""\n\ndef encode(x):\n    """\n    >>> 1\n    1\n    """',
    ),
    (
        spelling_faults,
        "README.md",
        "otherwise, a promise: the behavior of the size of an exercise is precise",
    ),
    (code_faults, "mcp_core/messages.py", "A = -32600\nB = -32601\nLIMIT = -1"),
    (
        web_faults,
        "web/store.js",
        "// document.title\nconst a = 'fetch(1)'; this.window.push(a); view.document = a",
    ),
    (web_faults, "web/api.js", "fetch('/files')"),
    (
        page_faults,
        "web/index.html",
        '<link rel="stylesheet" href="/web/app.css"><script src="/web/app.js"></script>',
    ),
]


@pytest.mark.parametrize(("path", "source"), BAD_IMPORTS)
def test_a_bad_import_is_found(path: str, source: str) -> None:
    assert import_faults(path, source)


@pytest.mark.parametrize(("path", "source"), GOOD_IMPORTS)
def test_a_good_import_is_left_alone(path: str, source: str) -> None:
    assert import_faults(path, source) == []


@pytest.mark.parametrize(("checker", "path", "text"), BAD_SAMPLES)
def test_a_bad_sample_is_found(checker: Callable[[str, str], list[str]], path: str, text: str) -> None:
    assert checker(path, text)


@pytest.mark.parametrize(("checker", "path", "text"), GOOD_SAMPLES)
def test_a_good_sample_is_left_alone(checker: Callable[[str, str], list[str]], path: str, text: str) -> None:
    assert checker(path, text) == []


def test_a_long_function_is_found_and_its_docstring_does_not_count() -> None:
    long = "def f():\n" + "    x = 1\n" * 40
    documented = 'def f():\n    """' + "Why.\n" * 40 + '    """\n    return 1\n'
    assert long_functions("a.py", long) == {"a.py f": 41}
    assert long_functions("a.py", documented) == {}


def test_a_module_without_a_test_is_found() -> None:
    modules = ["playground/server/pipe.py", "playground/wire/pipe.py", "server.py"]
    assert untested(modules, {"test_pipe", "test_wire_pipe", "test_server"}) == []
    assert len(untested(modules, {"test_pipe", "test_server"})) == 2


def test_flags_and_settings_are_found() -> None:
    assert options("add('-p', '--port', help='which')\nother('--host')") == {"--port"}
    assert settings("os.environ.get('MCP_PORT'); 'MCP'; 'the MCP_HOST'") == {"MCP_PORT"}


# ---- The project keeps the rules ---------------------------------------------------------------------------


def none(faults: list[str]) -> None:
    """Fails with all faults, one a line."""
    if faults:
        pytest.fail("\n".join(faults), pytrace=False)


def test_everything_imports_only_what_it_may() -> None:
    none([fault for path in python_files() for fault in import_faults(path, read(path))])


def test_the_core_does_not_touch_the_world() -> None:
    pure = [path for path in python_files() if path.startswith("mcp_core/") or path in PURE_MODULES]
    assert pure
    none([fault for path in pure for fault in purity_faults(path, read(path))])


def test_no_file_is_too_long() -> None:
    scripts = [path.relative_to(ROOT).as_posix() for path in (ROOT / "web").glob("**/*.js")]
    none([fault for path in python_files() + scripts for fault in length_faults(path, read(path))])


def test_no_function_is_too_long_without_a_reason() -> None:
    found = {name: lines for path in python_files() for name, lines in long_functions(path, read(path)).items()}
    faults = [f"{name} has {lines} lines" for name, lines in found.items() if name not in LONG_FUNCTIONS]
    none(faults + [f"{name} needs its exception no more" for name in LONG_FUNCTIONS if name not in found])


def test_every_module_opens_with_what_it_is_for() -> None:
    none([fault for path in python_files() for fault in docstring_faults(path, read(path)) if read(path).strip()])


def test_every_module_has_a_test_file_of_its_name() -> None:
    tests = {path.stem for path in (ROOT / "tests").rglob("test_*.py")}
    tested_together = re.compile(r"^tour/|/__init__\.py$")  # tests/test_tour.py runs each file of the tour
    none(untested([path for path in python_files() if not tested_together.search(path)], tests))


def test_names_say_what_a_thing_is_about() -> None:
    none([fault for path in project_files() for fault in name_faults(path)])


def test_the_project_writes_american_english() -> None:
    own = Path(__file__).relative_to(ROOT).as_posix()  # names the words it looks for
    texts = [path for path in project_files() if Path(path).suffix in TEXT_SUFFIXES and path != own]
    none([fault for path in texts for fault in spelling_faults(path, read(path))])


def test_no_test_may_be_skipped() -> None:
    paths = [path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("*.py")]
    none([fault for path in paths for fault in skip_faults(path, read(path))])


def test_an_error_code_has_one_name_in_one_place() -> None:
    none([fault for path in python_files() for fault in code_faults(path, read(path))])


def test_the_page_keeps_its_layers() -> None:
    paths = [path.relative_to(ROOT).as_posix() for path in (ROOT / "web").rglob("*.js")]
    assert paths
    none([fault for path in paths for fault in web_faults(path, read(path))])


def test_the_page_holds_no_script_and_loads_nothing_from_elsewhere() -> None:
    paths = [path for path in project_files() if path.endswith(".html")]
    none([fault for path in paths for fault in page_faults(path, read(path))])


def test_every_flag_is_in_the_readme() -> None:
    readme = read("README.md")
    flags = {(path, flag) for path in python_files() for flag in options(read(path))}
    assert flags
    none([f"{path} {flag} is not in README.md" for path, flag in sorted(flags) if f"{flag}" not in readme])


def test_every_setting_is_in_the_readme_and_in_the_example() -> None:
    named = {name for path in python_files() for name in settings(read(path))}
    example = set(re.findall(r"^#? ?([A-Z_]+)=", read(".env.example"), re.MULTILINE))
    readme = read("README.md")
    faults = [f"{name} is not in README.md" for name in sorted(named) if name not in readme]
    faults += [f"{name} is not in .env.example" for name in sorted(named - example)]
    none(faults + [f".env.example sets {name}, which nothing reads" for name in sorted(example - named)])


def test_everything_spoken_is_explained() -> None:
    from mcp_core import messages, revisions

    explained = tomllib.loads(read("playground/explanations.toml"))
    faults = [f"no [method.{word.method!r}]" for word in revisions.WORDS if word.method not in explained["method"]]
    faults += [f"no [code.{code}]" for code in messages.CODES if str(code) not in explained["code"]]
    spoken = {
        text.lower()
        for path in python_files()
        for text in strings(read(path))
        if re.fullmatch(r"mcp-(session-id|protocol-version|method|name)", text, re.IGNORECASE)
    }
    headers = {name.lower() for name in explained["header"]}
    faults += [f"no [header.{name}]" for name in sorted(spoken - headers)]
    for kind, entries in explained.items():
        faults += [f"[{kind}.{name!r}] has no text" for name, entry in entries.items() if not entry.get("text")]
    none(faults)


def test_the_codes_of_the_table_are_those_that_have_names() -> None:
    from mcp_core import messages

    assert len(set(messages.CODES.values())) == len(messages.CODES)
    for code, name in messages.CODES.items():
        assert isinstance(code, int)
        assert name


def test_a_server_on_a_pipe_never_loads_flask() -> None:
    command = [sys.executable, "-X", "importtime", str(ROOT / "server.py"), "--stdio"]
    done = subprocess.run(command, input=b"", capture_output=True, timeout=30, check=False)
    loaded = {line.rpartition(b"|")[2].strip().decode() for line in done.stderr.splitlines()}
    assert "mcp_core.serving" in loaded
    none([f"server.py --stdio loads {name}" for name in (*WEB_FRAMEWORK, "requests", "rich") if name in loaded])
