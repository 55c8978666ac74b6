"""The README as a page: readable, linked, highlighted, and inert whatever it holds."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from playground.viewer.book import diagram, is_safe_link, page, stylesheet
from playground.viewer.diagrams import name_of

HOSTILE = """# Title <script>alert(1)</script>

<script>alert(2)</script>

<img src=x onerror=alert(3)> inline <b onclick=alert(4)>html</b>

[a](javascript:alert(5)) [b](JAVA&#115;cript:alert(6)) [c](java\tscript:alert(7)) [d](data:text/html,x)
[e](vbscript:x) [f](//evil.example/x) [g](https:evil) ![h](javascript:x) ![i](https://evil.example/pixel.png)
<javascript:alert(8)>

```mermaid
graph TD; A["</code><script>alert(9)</script>"]
```

```"><script>alert(10)</script>
code
```
"""


class Page(HTMLParser):
    """Collects tags and attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_nothing_hostile_becomes_more_than_text() -> None:
    tags = Page(page(HOSTILE)).tags
    assert [values["src"] for tag, values in tags if tag == "script"] == ["/web/theme.js"]
    assert not [name for _, values in tags for name in values if name.startswith("on") or name == "style"]
    links = [values["href"] or "" for tag, values in tags if tag == "a"]
    assert [link for link in links if not re.match(r"/|#|https?://", link)] == []
    assert "https://evil.example/pixel.png" in links
    assert not [tag for tag, _ in tags if tag in ("iframe", "object", "embed")]
    assert [
        values["src"] for tag, values in tags if tag == "img" and not str(values["src"]).startswith("/diagrams/")
    ] == []


@pytest.mark.parametrize(
    "url", ["a.md", "#part", "/files", "docs/a.png", "https://example.org/x", "HTTP://example.org", "?q=1", ""]
)
def test_a_link_out_or_inside_is_safe(url: str) -> None:
    assert is_safe_link(url)


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        " javascript:alert(1)",
        "java\nscript:alert(1)",
        "\x01javascript:alert(1)",
        "javascript&colon;alert(1)",
        "data:text/html,x",
        "file:///etc/hostname",
        "ftp://example.org",
        "mailto:a@b",
        "//evil.example",
        "\\\\evil.example",
        "/\\evil.example",
        "https:evil",
        "http://[bad",
    ],
)
def test_any_other_link_is_not(url: str) -> None:
    assert not is_safe_link(url)


def test_code_is_highlighted_by_classes() -> None:
    text = page("```python\ndef f(): return '<'\n```\n\n```nonsense\n<x>\n```\n\n```\n<y>\n```\n")
    assert '<span class="k">def</span>' in text
    assert "&lt;x&gt;" in text
    assert "&lt;y&gt;" in text
    assert ".k {" in stylesheet()
    assert "prefers-color-scheme: dark" in stylesheet()


def test_a_diagram_is_a_picture_with_its_text() -> None:
    source = "sequenceDiagram\n    A->>B: <hello>\n"
    text = page(f"```mermaid\n{source}```")
    name = name_of(source)
    pictures = [values["src"] for tag, values in Page(text).tags if tag == "img"]
    assert pictures == [f"/diagrams/{name}-light.svg", f"/diagrams/{name}-dark.svg"]
    assert 'alt="Sequence diagram; its text follows."' in text
    assert "A-&gt;&gt;B: &lt;hello&gt;" in text
    light, dark = (diagram(f"x\n```mermaid\n{source}```", f"{name}-{theme}") for theme in ("light", "dark"))
    assert light is not None
    assert light != dark
    assert "&lt;hello&gt;" in light
    for wrong in (f"{name}-blue", "0000-light", name, ""):
        assert diagram(f"```mermaid\n{source}```", wrong) is None


def test_a_diagram_that_cannot_be_drawn_is_shown_as_its_text() -> None:
    text = page("```mermaid\nhocus pocus <b>\n```")
    assert "<figcaption>A diagram, in Mermaid</figcaption>" in text
    assert "hocus pocus &lt;b&gt;" in text
    assert "<img" not in text


def test_a_comment_is_left_out_and_other_html_is_text() -> None:
    text = page("a <!-- b --> c <i>d</i>\n\n<!-- e\nf -->\n\n<div onclick=x>\n\n<!-- g --> <script>h</script>\n")
    assert not [word for word in ("b", "e", "f") if f"{word} --" in text]
    assert "a  c &lt;i&gt;d&lt;/i&gt;" in text
    assert "&lt;div onclick=x&gt;" in text
    assert "&lt;script&gt;h" in text


def test_headings_can_be_linked_to() -> None:
    text = page("# What is `MCP`?\n\n## Run it\n\n## Run it\n")
    assert '<h1 id="what-is-mcp">' in text
    assert '<h2 id="run-it">' in text
    assert '<h2 id="run-it-1">' in text
    assert "<title>What is `MCP`?</title>" in text
    assert "<title>README</title>" in page("no heading")


def test_tables_and_own_pictures_are_shown() -> None:
    text = page('| a | b |\n|---|---|\n| 1 | 2 |\n\n![a "view"](docs/view.png)')
    assert "<td>1</td>" in text
    assert '<img src="docs/view.png" alt="a &quot;view&quot;">' in text


def test_the_page_asks_nothing_of_another_machine() -> None:
    sources = [v.get("src") or v.get("href") or "" for tag, v in Page(page("x")).tags if tag in ("link", "script")]
    assert sources
    assert all(source.startswith("/") and not source.startswith("//") for source in sources)
