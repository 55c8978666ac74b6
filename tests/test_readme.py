"""The README keeps its word: its quotes are the code, its commands work, its links lead somewhere.

A command block (bash, sh, console, powershell) is checked line by line: make targets, scripts and flags
must exist. A block after `<!-- run -->` runs for real, with a server and a viewer up; in it `127.0.0.1:5000`
and `127.0.0.1:5050` become the addresses of those. What can't be judged needs `<!-- not run: the reason -->`.
"""

from __future__ import annotations

import functools
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import quoting

ROOT = Path(__file__).resolve().parent.parent
BOOKS = sorted(path.name for path in ROOT.glob("*.md"))
FENCE = re.compile(
    r"(?:<!-- (?P<mark>run|not run: [^>]+?) -->\n+)?"
    r"^(?P<indent> *)```(?:bash|sh|console|powershell)\n"
    r"(?P<text>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
# Programs that come from elsewhere, whose behavior is not ours to prove.
ELSEWHERE = {"git", "cd", "cp", "copy", "ollama"}
PYTHON = r"(?:uv run (?:--[\w-]+(?: dev)? )*)?(?:python3?|py|\.venv/bin/python)"
SCRIPT = re.compile(PYTHON + r" (?P<script>[\w/.-]+)(?P<rest>.*)")


@dataclass(frozen=True)
class Block:
    """Commands in a Markdown file, and what the comment before them says about them."""

    book: str
    line: int
    mark: str | None
    text: str

    def commands(self) -> list[str]:
        """The commands one by one, without prompts, comments and line continuations."""
        joined = re.sub(r"\s*\\\n\s*", " ", self.text)
        lines = [re.sub(r"^(\$|PS>|>) ", "", line.strip()) for line in joined.splitlines()]
        bare = [re.sub(r"(^|\s)#.*$", "", line).strip() for line in lines]
        return [part.strip() for line in bare if line for part in re.split(r"\s(?:&&|;)\s", line) if part.strip()]


def blocks(book: str, markdown: str) -> list[Block]:
    return [
        Block(book, markdown[: found.start()].count("\n") + 1, found["mark"], found["text"])
        for found in FENCE.finditer(markdown)
    ]


def fault(command: str) -> str | None:
    """What is wrong with a command of the README, if anything."""
    command = re.sub(r"^(?:[A-Z_]+=\S* )+", "", command)
    words = command.split()
    if words[0] == "make":
        missing = [word for word in words[1:] if "=" not in word and word not in targets()]
        return f"there is no target {missing[0]}" if missing else None
    if found := SCRIPT.fullmatch(command):
        return script_fault(found["script"], found["rest"])
    if (words[:2] == ["uv", "run"] and "pytest" in words) or words[0].startswith("scripts/"):
        missing = [word for word in words if "/" in word and not (ROOT / word.partition("::")[0]).exists()]
        return f"there is no {missing[0]}" if missing else None
    return None if words[0] in ELSEWHERE else "nothing proves this; mark its block with run or not run"


def script_fault(script: str, rest: str) -> str | None:
    """Whether that script exists and knows the flags it is given."""
    if not (ROOT / script).is_file():
        return f"there is no {script}"
    given = [word.partition("=")[0] for word in shlex.split(rest, comments=True) if word.startswith("--")]
    unknown = [flag for flag in given if not re.search(rf"(?<![\w-]){flag}(?![\w-])", help_of(script))]
    return f"{script} does not know {unknown[0]}" if unknown else None


@functools.cache
def help_of(script: str) -> str:
    done = subprocess.run(
        [sys.executable, str(ROOT / script), "--help"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=30,
    )
    assert done.returncode == 0, f"{script} --help: {done.stderr}"
    return done.stdout


@functools.cache
def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def link_faults(book: str, markdown: str) -> list[str]:
    """Local links and images that lead nowhere; an anchor must be a heading."""
    prose = re.sub(r"^( *)```.*?^\1```$|`[^`\n]+`", "", markdown, flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r"!?\[[^\]]*\]\(<?([^)\s>]+)", prose) + re.findall(r"(?:src|href)=\"([^\"]+)\"", prose)
    links += re.findall(r"^\[[^\]]+\]:\s*(\S+)", prose, re.MULTILINE)
    faults = []
    for link in links:
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = ROOT / path if path else ROOT / book
        if not target.exists():
            faults.append(f"{book}: {link}: there is no such file")
        elif anchor and target.suffix == ".md":
            text = markdown if target == ROOT / book else target.read_text(encoding="utf-8")
            if anchor not in anchors(text):
                faults.append(f"{book}: {link}: there is no such heading")
    return faults


def anchors(markdown: str) -> set[str]:
    """The anchors that GitHub gives to a file's headings."""
    prose = re.sub(r"^( *)```.*?^\1```$", "", markdown, flags=re.MULTILINE | re.DOTALL)
    found: list[str] = []
    for heading in re.findall(r"^#{1,6} +(.+?) *#*$", prose, re.MULTILINE):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        found.append(f"{slug}-{found.count(slug)}" if slug in found else slug)
    return set(found) | set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", markdown))


# ---- The checks can fail -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        "make nonsense",
        "uv run python nowhere.py",
        "uv run python scripts/demo --nonsense",
        "python scripts/demo --onc",
        "uv run pytest tests/test_nowhere.py",
        "curl http://127.0.0.1:5000/healthz",
        "scripts/nonsense",
    ],
)
def test_a_command_that_does_not_work_is_found(command: str) -> None:
    assert fault(command)


@pytest.mark.parametrize(
    "command",
    [
        "make test",
        "make demo ONCE=1",
        "uv run python scripts/demo --once",
        "MCP_PORT=5001 python scripts/demo",
        "uv run --group dev pytest tests/test_readme.py",
        "git clone https://example.org/x.git",
        "scripts/quotes",
    ],
)
def test_a_command_that_works_is_left_alone(command: str) -> None:
    assert fault(command) is None


def test_blocks_are_taken_apart_into_commands() -> None:
    commands = "$ cd x && make test  # all\n\n# only words\npython a.py \\\n  --b\n"
    text = f"Text\n\n<!-- run -->\n```bash\n{commands}```\n"
    (block,) = blocks("README.md", text)
    assert block.mark == "run"
    assert block.commands() == ["cd x", "make test", "python a.py --b"]


def test_a_link_that_leads_nowhere_is_found() -> None:
    links = "[a](nowhere.md) ![b](nowhere.png) [c](#nowhere) [d](#one-two-three) [e](LICENSE)"
    text = f"# One `two` three\n{links}\n"
    found = [fault.split(": ")[1] for fault in link_faults("README.md", text)]
    assert found == ["nowhere.md", "nowhere.png", "#nowhere"]


def test_a_quote_that_is_not_the_code_is_renewed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("class A:\n    @staticmethod\n    def f():\n        return 1\n", encoding="utf-8")
    stale = "<!-- quote: a.py A.f -->\n```python\nold\n```\n"
    true = "<!-- quote: a.py A.f -->\n```python\n@staticmethod\ndef f():\n    return 1\n```\n"
    assert quoting.refreshed(stale, tmp_path) == true
    assert quoting.refreshed(true, tmp_path) == true
    with pytest.raises(LookupError, match="stands 0 times"):
        quoting.refreshed(stale.replace("A.f", "A.g"), tmp_path)
    with pytest.raises(LookupError, match="not followed"):
        quoting.refreshed("<!-- quote: a.py A.f -->\ntext\n", tmp_path)


# ---- The books keep their word -----------------------------------------------------------------------------


def test_every_quote_is_the_code() -> None:
    before = (ROOT / "README.md").read_text(encoding="utf-8")
    assert quoting.QUOTE.search(before), "README.md quotes no code"
    assert quoting.refreshed(before, ROOT) == before, "a quote is out of date; scripts/quotes renews it"


@pytest.mark.parametrize("book", BOOKS)
def test_every_link_leads_somewhere(book: str) -> None:
    assert link_faults(book, (ROOT / book).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("book", BOOKS)
def test_every_command_exists(book: str) -> None:
    faults = [
        f"{book}:{block.line}: {command}: {problem}"
        for block in blocks(book, (ROOT / book).read_text(encoding="utf-8"))
        if block.mark is None
        for command in block.commands()
        if (problem := fault(command))
    ]
    assert faults == []


def test_the_readme_names_the_two_commands() -> None:
    commands = {command for block in blocks("README.md", read("README.md")) for command in block.commands()}
    assert {"make demo", "make test"} <= commands


def test_every_marked_block_runs(start: Any, free_port: int, other_port: int, tmp_path: Path) -> None:
    marked = [block for block in blocks("README.md", read("README.md")) if block.mark == "run"]
    settings = {"MCP_LOGS": str(tmp_path / "logs"), "MCP_FILES": str(tmp_path / "files")}
    server = start("server.py", "--port", free_port, **settings).url.rpartition("/")[2]
    viewer = start("log_viewer.py", "--port", other_port, **settings).url.rpartition("/")[2]
    bash = shutil.which("bash")
    assert bash, "the README's commands are for bash"
    for block in marked:
        text = "\n".join(block.commands()).replace("uv run python", shlex.quote(sys.executable))
        text = re.sub(r"(127\.0\.0\.1|localhost):5000", server, text)
        text = re.sub(r"(127\.0\.0\.1|localhost):5050", viewer, text)
        done = subprocess.run(
            [bash, "-euo", "pipefail", "-c", text],
            cwd=ROOT,
            env=os.environ | settings,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
        )
        assert done.returncode == 0, f"README.md:{block.line}: {text}\n{done.stdout}{done.stderr}"


def test_every_dependency_has_its_reason_and_an_exact_version() -> None:
    project = tomllib.loads(read("pyproject.toml"))
    direct = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    pinned = [*direct, *project["tool"]["uv"]["constraint-dependencies"]]
    assert [entry for entry in pinned if not re.fullmatch(r"[\w.-]+==[\w.]+(?: ; .+)?", entry)] == []
    explained = re.findall(r"^\| `([\w.-]+)` \|", read("CONTRIBUTING.md"), re.MULTILINE)
    assert sorted(explained) == sorted(entry.partition("==")[0] for entry in direct)


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")
