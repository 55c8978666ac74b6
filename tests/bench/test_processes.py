"""bench/processes.py: programs that start, don't start, say nothing, or die in between."""

from __future__ import annotations

import os
import sys
import time

import pytest

from bench.processes import Unavailable, limited, memory, percentile, processor_time, running

READY = "import sys; print('first'); print('ready: 7', flush=True); sys.stdin.read()"


def python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def test_a_process_is_there_when_it_has_said_so_and_is_gone_afterwards() -> None:
    with running(python(READY), "ready: ") as (process, line):
        assert line == "ready: 7\n"
        assert process.poll() is None
    assert process.returncode is not None


def test_what_follows_the_line_is_left_for_others() -> None:
    with running(python("print('ready'); print('more', flush=True); input()"), "ready") as (process, _):
        assert process.stdout is not None
        assert process.stdout.readline() == b"more\n"


def test_a_process_that_ignores_the_wish_to_end_is_killed() -> None:
    stubborn = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True); input()"
    with running(python(stubborn), "ready") as (process, _):
        pass
    assert process.returncode == 0 or process.returncode < 0


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("import sys; sys.exit('no such port')", "python.* did not say 'ready'; its last words: no such port"),
        ("pass", "python.* did not say 'ready'$"),
        ("print('something else')", "did not say 'ready'"),
        ("import time; print('rea', end='', flush=True); time.sleep(60)", "did not say 'ready'"),
    ],
)
def test_who_does_not_get_ready_is_unavailable_with_its_last_words(program: str, why: str) -> None:
    with pytest.raises(Unavailable, match=why), running(python(program), "ready", patience=2):
        pass


def test_a_program_that_is_not_there_is_unavailable() -> None:
    with pytest.raises(Unavailable, match=r"/no/such/program does not start: No such file"):
        running(["/no/such/program"]).__enter__()


def test_who_breaks_off_is_unavailable_with_its_last_words() -> None:
    dies = "import sys; print('ready', flush=True); sys.exit('out of memory')"
    with (  # noqa: PT012 - the process must have died before the pipe is found broken
        pytest.raises(Unavailable, match="broken pipe; its last words: out of memory"),
        running(python(dies), "ready") as (process, _),
    ):
        process.wait()
        raise OSError("broken pipe")


def test_the_costs_of_a_process_are_those_of_its_children_too() -> None:
    child = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"
    busy = (
        "import time\nwhile time.process_time() < 0.2: pass\nx = b'1' * 50_000_000\nprint('ready', flush=True); input()"
    )
    with running([*python(child), busy], "ready") as (process, _):
        assert memory(process) > 50
        assert processor_time(process) >= 0.2


def test_the_costs_of_a_process_that_is_gone_are_unavailable() -> None:
    with running(python("pass")) as (process, _):
        process.wait()
    for cost in (memory, processor_time):
        with pytest.raises(Unavailable, match="on Linux only"):
            cost(process)


def test_what_takes_too_long_is_given_up_and_what_does_not_is_left_alone() -> None:
    with pytest.raises(Unavailable, match=r"given up after 0\.02 s"), limited(0.02):
        os.read(os.pipe()[0], 1)
    with limited(60):
        pass
    with pytest.raises(Unavailable, match="given up"), limited(0.02):
        time.sleep(60)


@pytest.mark.parametrize(("share", "value"), [(0.5, 3), (0.99, 5), (0, 1), (1, 5)])
def test_a_percentile_is_one_of_the_values(share: float, value: float) -> None:
    assert percentile([5, 3, 1, 2, 4], share) == value
