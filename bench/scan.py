"""How the viewer's history filters a log, all of it: `python -m bench.scan LOG FILTER` prints how many records pass.

And the most memory that it held, in MB of PSS.
"""

import os
import sys
from pathlib import Path

from playground.viewer import filters
from playground.viewer.history import sifted
from playground.viewer.sieve import sieve


def main(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    size = os.fstat(descriptor).st_size
    count, pss = 0, 0.0
    for count, _ in enumerate(sifted(descriptor, size, sieve(filters.compile(filters.parse(text)))), start=1):
        if count % 20_000 == 0:
            pss = max(pss, _pss())
    print(count, round(max(pss, _pss()), 1))


def _pss() -> float:
    try:
        return int(Path("/proc/self/smaps_rollup").read_text().split("Pss:")[1].split()[0]) / 1024
    except OSError:
        return 0.0


main(sys.argv[1], sys.argv[2])
