"""bench/plot.py: an SVG that is well-formed whatever the names and the figures are."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from bench.plot import LEFT, RIGHT, WIDTH, Bars, bars, shown

NAMESPACE = "{http://www.w3.org/2000/svg}"


def drawn(values: Bars) -> list[dict[str, str]]:
    """The bars: class, x, y, width."""
    root = ElementTree.fromstring(bars("A <title> & more", "ms", values))
    return [rect.attrib for rect in root.iter(f"{NAMESPACE}rect") if rect.get("class") in ("o", "p")]


def test_a_bar_is_as_long_as_its_median_and_the_largest_of_all_just_fits() -> None:
    mine, theirs = drawn({"ours": (5.0, 4.0, 6.0), "a <peer>": (8.0, 2.0, 10.0)})
    room = WIDTH - LEFT - RIGHT
    assert (mine["class"], float(mine["width"])) == ("o", room / 2)
    assert (theirs["class"], float(theirs["width"])) == ("p", room * 0.8)
    assert float(mine["y"]) < float(theirs["y"])


def test_the_line_goes_from_the_smallest_to_the_largest() -> None:
    root = ElementTree.fromstring(bars("t", "ms", {"ours": (5.0, 2.5, 10.0)}))
    (line,) = root.iter(f"{NAMESPACE}line")
    assert (float(line.attrib["x1"]), float(line.attrib["x2"])) == (LEFT + (WIDTH - LEFT - RIGHT) / 4, WIDTH - RIGHT)


@pytest.mark.parametrize("values", [{}, {"ours": (0.0, 0.0, 0.0)}, {"ours": (1e-9, 0.0, 1.0), "p": (1e9, 1e9, 1e9)}])
def test_nothing_and_extremes_are_drawn_too(values: Bars) -> None:
    assert len(drawn(values)) == len(values)


def test_title_and_unit_are_escaped_and_the_figures_written() -> None:
    text = bars("A <title> & more", "calls/s", {"ours": (12345.6, 1.0, 20000.0)})
    assert "A &lt;title&gt; &amp; more (calls/s)" in text
    assert ">12,346<" in text


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (0.01234, "0.0123"), (999.4, "999"), (999.6, "1,000"), (-1500.2, "-1,500")]
)
def test_a_figure_has_three_digits_that_matter(value: float, text: str) -> None:
    assert shown(value) == text
