"""No name and no race leads a file tool out of its folder: ten thousand paths, twenty thousand calls under attack."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from playground.server.sandbox import Sandbox, SandboxError
from tests.cases.oracles import Canary, Peer
from tests.hard.figures import SCALE, note

Operation = Callable[[Sandbox, str, str], object]
# Each takes the sandbox, a name, and a piece of the canary's text to look for.
OPERATIONS: tuple[Operation, ...] = (
    lambda box, name, bait: box.read(name),
    lambda box, name, bait: box.read_bytes(name),
    lambda box, name, bait: box.count(name, bait) and f"CANARY {bait}",
    lambda box, name, bait: box.entry(name).bytes in (49, 4096) and None,
    lambda box, name, bait: box.write(name, "overwritten"),
    lambda box, name, bait: box.append_line(name, "appended"),
    lambda box, name, bait: box.delete(name),
)


def outcome(call: Callable[[], object]) -> str:
    try:
        return str(call())
    except SandboxError as error:
        return str(error)


def contents(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file of a tree: its time of change and its bytes."""
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.rglob("*") if path.is_file()}


# ---- Paths -----------------------------------------------------------------------------------------------------------

UP = (
    "..", "..", ".", "...", "....", "%2e%2e", "%252e%252e", ".%2e", "\uff0e\uff0e", "․․", "..\x00", ".. ", "..;", "~",
    "*",
)  # fmt: skip
SLASHES = (
    "/", "/", "//", "\\", "\\\\", "%2f", "%5c", "\u2215", "\u2044", "\uff0f", "/./", "\x00/", "\n/", ":",
)  # fmt: skip
FIRST = (
    "", "", "/", "./", "\\", "C:", "C:\\", "\\\\?\\", "file://", "file:///", "//", "~/", "$PWD/", "\u202e", " ", "-",
)  # fmt: skip
LAST = (
    "mcp_files_evil/secret.txt", "secret.txt", "link.txt", "linked/secret.txt", "hard.txt", "pipe", "sub/x.txt", "sub",
    "loop", "etc/hostname", "etc/passwd", "proc/self/environ", "dev/zero", "mcp_files", "x.txt", "",
)  # fmt: skip
END = (
    "", "", "", "/", "/.", "\x00", "\x00.txt", " ", ".", "\n", "%00", "::$DATA", "/../../mcp_files_evil/secret.txt",
    "?x", "#x",
)  # fmt: skip


def paths(chance: random.Random, folder: Path, canary: Path) -> Iterator[str]:
    yield from (str(canary), f"../{canary.parent.name}/{canary.name}", str(folder), f"{folder}/link.txt", f"//{canary}")
    while True:
        climb = "".join(chance.choice(UP) + chance.choice(SLASHES) for _ in range(chance.randrange(6)))
        start = chance.choice((*FIRST, str(folder), str(canary.parent)))
        made = f"{start}{climb}{chance.choice(LAST)}{chance.choice(END)}"
        yield made.encode().decode("latin-1") if chance.random() < 0.03 else made


def with_traps(folder: Path, canary: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sub").mkdir()
    (folder / "sub" / "x.txt").write_text("in a folder", encoding="utf-8")
    (folder / "link.txt").symlink_to(canary)
    (folder / "linked").symlink_to(canary.parent)
    (folder / "loop").symlink_to("loop")
    os.link(canary, folder / "hard.txt")
    os.mkfifo(folder / "pipe")


def test_no_path_leads_out(peer: Peer) -> None:
    canary, folder = peer.canary, peer.files
    with_traps(folder, canary.path)
    sandbox = Sandbox(folder)
    watched = (canary.path.parent, folder / "sub")
    before = [contents(path) for path in watched]
    chance, results = random.Random(), Counter[str]()
    for number, name in enumerate(itertools.islice(paths(chance, folder, canary.path), SCALE.paths)):
        for operation in OPERATIONS:
            said = outcome(partial(operation, sandbox, name, canary.text[:8]))
            assert canary.text not in said, name
            assert not said.startswith("CANARY"), name
            results["refused" if "." in said and not said.isdigit() else "done"] += 1
        if number % 10 == 0:
            over_http(peer, name)
        for left in os.listdir(folder):  # what was made is a plain file, directly in the folder
            if left not in ("sub", "link.txt", "linked", "loop", "hard.txt", "pipe"):
                os.unlink(folder / left)
        if not (folder / "hard.txt").exists():  # replaced, which is no harm to the other name of the file
            os.link(canary.path, folder / "hard.txt")
    assert [contents(path) for path in watched] == before
    assert os.readlink(folder / "link.txt") == str(canary.path)
    canary.check()
    assert sum(1 for _ in peer.fresh_records()) >= SCALE.paths // 10  # the log holds nothing of it either
    figure = (
        f"{SCALE.paths} paths, {results.total()} calls: 0 bytes out, 0 changes outside ({results['refused']} refused)"
    )
    note("sandbox: paths", figure, "0 canary bytes, 0 changes", True)
    sandbox.close()


def over_http(peer: Peer, name: str) -> None:
    for tool, more in (
        ("read_file", {}),
        ("write_file", {"text": "x"}),
        ("search_file", {"keyword": peer.canary.text[:8]}),
    ):
        answer = peer.rpc("tools/call", {"name": tool, "arguments": {"filename": name, **more}})
        assert answer["result"].get("structuredContent", {}).get("count", 0) == 0, name
    peer.rpc("resources/read", {"uri": f"playground://files/{name}"})


# ---- The adversary ---------------------------------------------------------------------------------------------------


@contextmanager
def attacked(folder: Path, canary: Path, done: list[int]) -> Iterator[None]:
    command = [sys.executable, str(Path(__file__).parent / "adversary.py"), str(folder), str(canary)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            yield
        finally:
            process.stdin.close()
            with suppress(ValueError):
                done.append(int(process.stdout.readline()))


def together(work: Callable[[int], None], threads: int) -> list[BaseException]:
    """Runs the work in several threads; what they raised."""
    raised: list[BaseException] = []

    def run(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            raised.append(error)

    workers = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return raised


def test_the_racing_adversary_never_wins(peer: Peer) -> None:
    canary, folder, threads, tricks = peer.canary, peer.files, 4, list[int]()
    sandbox, results = Sandbox(folder), Counter[str]()

    def play(number: int) -> None:
        chance = random.Random()
        for _ in range(SCALE.races * 9 // 10 // threads):
            operation, name = chance.choice(OPERATIONS), chance.choice(("a.txt", "b.txt"))
            said = outcome(lambda: operation(sandbox, name, canary.text[:8]))  # noqa: B023 - called at once
            assert canary.text not in said
            assert not said.startswith("CANARY")
            results["refused" if "." in said and not said.isdigit() else "done"] += 1

    def ask(number: int) -> None:
        chance = random.Random()
        for _ in range(SCALE.races // 10 // 2):
            name = chance.choice(("read_file", "write_file", "append_line", "search_file", "delete_file"))
            more = {
                "write_file": {"text": "x"},
                "append_line": {"line": "x"},
                "search_file": {"keyword": canary.text[:8]},
            }
            result = peer.tool(name, filename=chance.choice(("a.txt", "b.txt")), **more.get(name, {}))
            assert result.get("structuredContent", {}).get("count", 0) == 0
            results["over HTTP"] += 1

    with attacked(folder, canary.path, tricks):
        raised = together(play, threads) + together(ask, 2)
    canary.check()
    assert sorted(os.listdir(canary.path.parent)) == ["secret.txt"]
    assert sum(1 for _ in peer.fresh_records()) >= SCALE.races // 10
    sandbox.close()
    figure = f"{results.total()} calls ({results['done']} took effect), {tricks[0]} tricks: {len(raised)} escapes"
    print(raised[:3])
    note("sandbox: adversary", figure, "0 canary bytes, 0 changes", not raised)


def test_the_adversary_beats_a_wall_that_looks_first_and_opens_then(tmp_path: Path) -> None:
    canary, folder = Canary(tmp_path / "evil"), tmp_path / "files"
    folder.mkdir()

    def naive(name: str) -> str:
        path = folder / name
        try:
            is_fine = path.is_file() and not path.is_symlink() and path.stat().st_nlink == 1
            return path.read_text(encoding="utf-8") if is_fine else ""
        except OSError:
            return ""

    with attacked(folder, canary.path, []):
        calls = next((call for call in range(1, 1_000_001) if canary.text in naive("a.txt")), 0)
    note("sandbox: adversary, the same against a check", f"it wins at call {calls}", "it does win", calls > 0)
