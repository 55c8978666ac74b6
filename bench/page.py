"""The dashboard in headless Chromium: 20,000 records a second for 5 s; then 100,000 rows, scrolled from end to end.

Frames are counted by requestAnimationFrame, long tasks by PerformanceObserver, both in the page itself. The records are
those of a server that answers: each request has an id, a time and an exchange of its own, and its answer follows.
"""

import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.measure import Contestant, Figures, Group, Measure, Target
from bench.processes import ROOT, Unavailable, folder, our_viewer

sys.path.insert(0, str(ROOT / "scripts"))

import equipment

STEPS = 20  # of a second, each with its share of the records

WATCH = """() => {
  window.seen = { frames: 0, longest: 0, rows: 0, began: performance.now() };
  const rows = () => document.querySelectorAll(".row, .arrow").length;
  const frame = () => {
    window.seen.frames++;
    if (window.seen.frames % 10 === 0) window.seen.rows = Math.max(window.seen.rows, rows());
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  new PerformanceObserver((list) => {
    for (const task of list.getEntries()) window.seen.longest = Math.max(window.seen.longest, task.duration);
  }).observe({ type: "longtask" });
}"""
SEEN = "() => ({ ...window.seen, rate: (window.seen.frames * 1000) / (performance.now() - window.seen.began) })"
# Where it should be by now, so that a slow page has as far to go as a quick one.
SCROLL = """async (seconds) => {
  const tall = [...document.querySelectorAll(".rows")].filter((part) => part.scrollHeight > part.clientHeight);
  const began = performance.now();
  for (let share = 0; share < 1; ) {
    share = Math.min(1, (performance.now() - began) / (seconds * 1000));
    for (const part of tall) part.scrollTop = share * (part.scrollHeight - part.clientHeight);
    await new Promise(requestAnimationFrame);
  }
}"""
LAST = b'{"ts":"2026-11-29T12:00:00.000000+00:00","level":"INFO","component":"mcp-server","event":"the_last_one"}\n'
SHOWS = "(count) => document.querySelector('#all .count').textContent === count.toLocaleString('en-US')"


def traffic(count: int) -> list[bytes]:
    """So many lines of a server's log, half of them requests and half their answers."""
    began, lines = datetime(2026, 11, 29, tzinfo=UTC), []
    for number in range(count):
        id, is_answer = divmod(number, 2)
        ts = (began + timedelta(microseconds=50 * number)).isoformat(timespec="microseconds")
        params = {"name": "read_file", "arguments": {"filename": f"notes {id}.txt"}}
        result = {"content": [{"type": "text", "text": "Milk, bread, tea."}], "isError": False}
        message = {"jsonrpc": "2.0", "id": id, **({"result": result} if is_answer else {})}
        message |= {} if is_answer else {"method": "tools/call", "params": params}
        record = {
            "ts": ts,
            "level": "INFO",
            "component": "mcp-server",
            "event": "rpc_response" if is_answer else "rpc_request",
            "data": {"message": message, "http": {"method": "POST", "path": "/mcp"}},
            "pid": 1,
            "host": "bench",
            "seq": number + 1,
            "dir": "out" if is_answer else "in",
            "peer": "client",
            "via": "http",
            "exchange": f"c/client/{id}",
            "mono": 50_000 * number,
            **({"ms": 0.05} if is_answer else {}),
        }
        lines.append(json.dumps(record, separators=(",", ":")).encode() + b"\n")
    return lines


@contextmanager
def _page(url: str) -> Iterator[Any]:
    from playwright.sync_api import Error, sync_playwright

    browser = equipment.chromium()
    if browser is None:
        raise Unavailable("there is no Chromium")
    with sync_playwright() as playwright:
        try:
            chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        except Error as error:
            raise Unavailable(f"Chromium does not start: {error.message.splitlines()[0]}") from None
        try:
            page = chromium.new_page(viewport={"width": 1400, "height": 900})
            page.goto(url)
            yield page
        except Error as error:
            raise Unavailable(f"the page does not do it: {error.message.splitlines()[0]}") from None
        finally:
            chromium.close()


def _append(path: Path, parts: list[bytes]) -> None:
    """Appends one part after the other, in equal steps."""
    began = time.monotonic()
    with path.open("ab", buffering=0) as log:
        for step, part in enumerate(parts, 1):
            log.write(part)
            time.sleep(max(0.0, began + step / STEPS - time.monotonic()))


def _flood(page: Any, path: Path, lines: list[bytes], rate: int) -> dict[str, float]:
    """Also says how much later than the last record was written the page shows it, ms."""
    share = rate // STEPS
    parts = [b"".join(lines[start : start + share]) for start in range(0, len(lines), share)]
    page.evaluate(WATCH)
    writer = threading.Thread(target=_append, args=[path, parts])
    writer.start()
    page.wait_for_timeout(1000 * len(parts) / STEPS)
    writer.join()
    seen = page.evaluate(SEEN)
    written = time.monotonic()
    _append(path, [LAST])
    page.locator("#all").get_by_text("the_last_one").first.wait_for(state="attached")
    return {**seen, "behind": 1000 * (time.monotonic() - written - 1 / STEPS)}


def _scroll(page: Any, file: Path, count: int, seconds: float) -> dict[str, float]:
    """The page keeps fewer live records than these, but of a file that is opened it shows all."""
    page.locator('input[type="file"]').set_input_files(file)
    page.wait_for_function(SHOWS, arg=count)
    page.evaluate(WATCH)
    page.evaluate(SCROLL, seconds)
    return dict(page.evaluate(SEEN))


def _browser(view: str, count: int, rate: int, seconds: float) -> Contestant:
    """`rate` records a second, or none: then they are scrolled."""

    @contextmanager
    def contestant() -> Iterator[Measure]:
        lines = traffic(count)

        def measure() -> Figures:
            with folder() as place:
                file, log = place / "all", place / "logs" / "mcp-server.jsonl"
                log.parent.mkdir()
                file.write_bytes(b"".join(lines))
                log.write_bytes(lines[0])
                with our_viewer(log.parent) as (_, url), _page(f"{url}/dashboard?view={view}") as page:
                    page.wait_for_function(SHOWS, arg=1)
                    if rate:
                        seen = _flood(page, log, lines[1:], rate)
                    else:
                        seen = _scroll(page, file, count, seconds)
            found = {"frames/s": seen["rate"], "longest task, ms": seen["longest"], "row nodes": seen["rows"]}
            return found | ({"newest shown after, ms": seen["behind"]} if rate else {})

        yield measure

    return contestant


def groups(quick: bool) -> list[Group]:
    rate, seconds = 20_000, 1.0 if quick else 5.0
    count = int(rate * seconds)
    contestants = {
        f"{what}, {view}": _browser(view, count, pace, seconds)
        for view in ("panels", "sequence")
        for what, pace in ((f"{rate:,} records/s", rate), (f"{count:,} rows scrolled", 0))
    }
    targets = [
        target
        for name in contestants
        for target in (
            Target(f"{name}: frames/s", "frames/s", 50, more_is_better=True, ours=name),
            Target(f"{name}: longest task, ms", "longest task, ms", 200, ours=name),
            Target(f"{name}: rows in the DOM", "row nodes", 300, ours=name),
        )
    ]
    return [Group("dashboard in Chromium", contestants, targets, "frames/s", "frames/s")]
