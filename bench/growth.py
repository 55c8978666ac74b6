"""Cost grows with the work: a call for one file among ever more files; following a log that is ever larger."""

from collections.abc import Iterator
from contextlib import contextmanager

from bench import load
from bench.logs import write_log
from bench.measure import Contestant, Figures, Group, Measure, Target
from bench.processes import folder, our_server, our_viewer, percentile, some_files
from bench.streams import Appender, open_stream


def _files(count: int, calls: int) -> Contestant:
    @contextmanager
    def contestant() -> Iterator[Measure]:
        with folder() as place:
            files = some_files(place / "files")
            for number in range(count - 1):
                (files / f"other{number}.txt").write_text("something else")
            with our_server(files, place / "logs") as (_, url):

                def measure() -> Figures:
                    client = load.Client(url, "2026-07-28")
                    took = load.drive([client], calls)
                    client.socket.close()
                    return {"p50": percentile(took, 0.5) * 1e6}

                yield measure

    return contestant


def _log(size: int, count: int) -> Contestant:
    @contextmanager
    def contestant() -> Iterator[Measure]:
        with folder() as place:
            path = place / "a.jsonl"
            write_log(path, 4000)
            part = path.read_bytes()
            with path.open("ab") as log:
                while log.tell() < size:
                    log.write(part)
            with our_viewer(place) as (_, url):
                stream = open_stream(url, "/stream?history=0", b"live")
                appender = Appender(path, [stream.fileno()])
                yield lambda: {"p50": percentile(appender.many(count), 0.5) * 1e6}
                appender.close()
                stream.close()

    return contestant


def groups(quick: bool) -> list[Group]:
    calls, count, many, large = (200, 10, 1000, 10**7) if quick else (6000, 100, 10_000, 10**9)
    files = {f"ours, {number:,} files": _files(number, calls) for number in (1, 100, many)}
    logs = {f"ours, {size // 10**6:,} MB": _log(size, count) for size in (10**6, large)}
    return [
        Group(
            "read_file, by the number of files",
            files,
            [Target("one file among ever more", "p50", 1.15, ("ours, 1 files",), ours=f"ours, {many:,}")],
            "p50",
            "µs",
        ),
        Group(
            "append to event stream, by the size of the log",
            logs,
            [Target("following an ever larger log", "p50", 1.15, ("ours, 1 MB",), ours=f"ours, {large // 10**6:,}")],
            "p50",
            "µs",
        ),
    ]
