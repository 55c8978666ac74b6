"""`make bench`: ours and every peer, measured in the same run; the last line says how many targets are met.

    python -m bench.run [--quick] [--group NAME …] [--rounds N] [--out FOLDER]

Only a whole run writes bench/RESULTS.md and the plots; a part of one, or --quick, which shows in a few minutes that all
of it runs and whose figures mean nothing, goes to a temporary folder. The exit code is 1 when a target is missed.
"""

import argparse
import importlib
import signal
import sys
import tempfile
from pathlib import Path
from types import FrameType

from bench import report
from bench.measure import Outcome, hold

GROUPS = ("calls_http", "calls_stdio", "startup", "streams", "logs", "chat", "growth", "page")
ROUNDS = 5


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.run", description="Measures ours and the peers.")
    parser.add_argument("--quick", action="store_true", help="2 short rounds: does everything run?")
    parser.add_argument("--group", action="append", choices=GROUPS, help="only this; may be repeated")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"how often each is measured ({ROUNDS})")
    parser.add_argument("--out", type=Path, help="where the results go")
    options = parser.parse_args()
    is_whole = not options.quick and not options.group and options.rounds >= ROUNDS
    where = options.out or (report.HERE if is_whole else Path(tempfile.mkdtemp(prefix="bench-results-")))
    where.mkdir(parents=True, exist_ok=True)
    rounds, busy = 2 if options.quick else max(1, options.rounds), report.load_now()
    outcomes: list[Outcome] = []
    for name in options.group or GROUPS:
        for group in importlib.import_module(f"bench.{name}").groups(options.quick):
            outcomes.append(hold(group, rounds))
            met, total = report.write(outcomes, where, busy=busy)  # as far as it is: a run takes long
    for outcome in outcomes:
        print(f"{outcome.seconds:6.0f} s  {outcome.group.title}")
        missed = [target for target in outcome.group.targets if not report.is_met(outcome, target)]
        print("".join(f"          missed: {target.what}, {target.wanted}\n" for target in missed), end="")
    print(where / "RESULTS.md")
    print(f"{met} of {total} targets met")
    return 0 if met == total else 1


def stop(number: int, frame: FrameType | None) -> None:
    """A wish to end is Ctrl-C, whoever has it: then every program that was started is ended too."""
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, stop)
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("Stopped before the end; the results are as far as it came.")
