"""playground/viewer/diagrams.py: Mermaid becomes a picture in which nothing runs, or nothing at all."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from playground.viewer.diagrams import LONGEST, THEMES, drawn

README = (Path(__file__).resolve().parent.parent / "README.md").read_text("utf-8")
DIAGRAMS = re.findall(r"^```mermaid\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("number", range(len(DIAGRAMS)))
def test_each_diagram_of_the_readme_is_drawn(number: int, theme: str) -> None:
    svg = drawn(DIAGRAMS[number], theme)
    assert svg is not None
    tree = ElementTree.fromstring(svg)
    texts = " ".join("".join(tree.itertext()).split())
    for word in ("client.py", "server.py") if "client.py" in DIAGRAMS[number] else ():
        assert word in texts
    assert '"' not in re.sub(r"\{.*?\}", "", texts.rpartition("}")[2])
    assert THEMES[theme]["background_color"] in svg


@pytest.mark.parametrize(
    "text",
    [
        'flowchart LR\n A["</text><script>alert(1)</script>"] --> B["<img src=x onerror=alert(2)>"]',
        'sequenceDiagram\n participant A as <script>alert(1)</script>\n A->>B: "</svg><script>alert(2)</script>',
        'flowchart LR\n A --> B\n click A "javascript:alert(1)"\n click B href "https://evil.example"',
    ],
)
def test_hostile_text_stays_text(text: str) -> None:
    svg = drawn(text, "light")
    assert svg is None or not re.search(
        r"<script|<img|<a\b|\son\w+=|foreignObject|javascript:", svg.replace("&lt;", "&")
    )


@pytest.mark.parametrize("text", ["", " ", "hocus pocus", "flowchart LR\n A[[[[", "sequenceDiagram\n" + "x" * LONGEST])
def test_what_cannot_be_drawn_is_none(text: str) -> None:
    drawn(text, "light")  # whatever comes of it, nothing is raised
    assert drawn("hocus pocus", "light") is None
    assert drawn(text, "no such theme") is None
