"""The dashboard in headless Chromium: 20,000 records a second for 5 s; then 100,000 rows, scrolled from end to end.

Frames are counted by requestAnimationFrame, long tasks by PerformanceObserver, both in the page itself.
"""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.logs import write_log
from bench.measure import Contestant, Figures, Group, Measure, Target
from bench.processes import ROOT, Unavailable, folder, our_viewer

sys.path.insert(0, str(ROOT / "scripts"))

import equipment

WATCH = """() => {
  window.seen = { frames: 0, longest: 0, rows: 0, began: performance.now() };
  const rows = () => document.querySelectorAll("[data-key], [role=row], .row").length;
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
SCROLL = """async (seconds) => {
  const tall = [...document.querySelectorAll("*")].filter((part) => part.scrollHeight > part.clientHeight + 1000);
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    for (const part of tall) part.scrollTop = (part.scrollTop + 5000) % part.scrollHeight;
    await new Promise(requestAnimationFrame);
  }
}"""


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
        page = chromium.new_page(viewport={"width": 1400, "height": 900})
        page.goto(f"{url}/dashboard")
        yield page
        chromium.close()


def _flood(path: Path, part: bytes, records: int, seconds: float, rate: int) -> None:
    """Appends `rate` records a second, in twenty steps a second."""
    began, steps = time.monotonic(), max(1, rate // 20 // records)
    with path.open("ab", buffering=0) as log:
        for step in range(int(seconds * 20)):
            log.write(part * steps)
            time.sleep(max(0.0, began + (step + 1) / 20 - time.monotonic()))


def _browser(seconds: float, rows: int) -> Contestant:
    @contextmanager
    def contestant() -> Iterator[Measure]:
        def measure() -> Figures:
            with folder() as place:
                write_log(place / "part.jsonl", 1000)
                part = (place / "part.jsonl").read_bytes()
                (place / "part.jsonl").unlink()
                path = place / "mcp-server.jsonl"
                path.write_bytes(part * (rows // 1000))
                with our_viewer(place, "--history", "10000") as (_, url), _page(url) as page:
                    page.wait_for_timeout(1000)
                    page.evaluate(WATCH)
                    if rows:
                        page.evaluate(SCROLL, seconds)
                    else:
                        writer = threading.Thread(target=_flood, args=[path, part, 1000, seconds, 20_000])
                        writer.start()
                        page.wait_for_timeout(seconds * 1000)
                        writer.join()
                    seen = page.evaluate(SEEN)
            return {"frames/s": seen["rate"], "longest task, ms": seen["longest"], "row nodes": seen["rows"]}

        yield measure

    return contestant


def groups(quick: bool) -> list[Group]:
    seconds, rows = (1.0, 10_000) if quick else (5.0, 100_000)
    contestants = {
        "ours, 20,000 records/s": _browser(seconds, 0),
        f"ours, {rows:,} rows scrolled": _browser(seconds, rows),
    }
    targets = [
        target
        for name in contestants
        for target in (
            Target(f"{name.removeprefix('ours, ')}: frames/s", "frames/s", 50, more_is_better=True, ours=name),
            Target(f"{name.removeprefix('ours, ')}: longest task, ms", "longest task, ms", 200, ours=name),
            Target(f"{name.removeprefix('ours, ')}: rows in the DOM", "row nodes", 300, ours=name),
        )
    ]
    return [Group("dashboard in Chromium", contestants, targets, "frames/s", "frames/s", rounds=3)]
