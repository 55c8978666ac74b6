"""`make bench`: ours and every peer, measured in the same run; the last line says how many targets are met.

    python -m bench.run [--quick] [--group NAME …] [--rounds N] [--out FOLDER]

Without --out it writes bench/RESULTS.md and the plots. --quick shows in a few minutes that all of it runs; its figures
mean nothing, so it writes to a temporary folder. The exit code is 1 when a target is missed.
"""

import argparse
import importlib
import sys
import tempfile
from pathlib import Path

from bench import report
from bench.measure import hold

GROUPS = ("calls_http", "calls_stdio", "startup", "streams", "logs", "chat", "growth", "page")
ROUNDS = 5


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.run", description="Measures ours and the peers.")
    parser.add_argument("--quick", action="store_true", help="2 short rounds: does everything run?")
    parser.add_argument("--group", action="append", choices=GROUPS, help="only this; may be repeated")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"how often each is measured ({ROUNDS})")
    parser.add_argument("--out", type=Path, help="where the results go")
    options = parser.parse_args()
    where = options.out or (Path(tempfile.mkdtemp(prefix="bench-")) if options.quick else report.HERE)
    where.mkdir(parents=True, exist_ok=True)
    rounds = 2 if options.quick else options.rounds
    outcomes = [
        hold(group, rounds)
        for name in options.group or GROUPS
        for group in importlib.import_module(f"bench.{name}").groups(options.quick)
    ]
    met, total = report.write(outcomes, where)
    print(where / "RESULTS.md")
    print(f"{met} of {total} targets met")
    return 0 if met == total else 1


if __name__ == "__main__":
    sys.exit(main())
