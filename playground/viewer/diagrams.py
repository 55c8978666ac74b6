"""Mermaid, drawn without a browser and without a network.

In:   the text of a diagram.
Out:  an SVG, light or dark, or None for what can't be drawn; the page shows the text then.
Here nobody knows where the text comes from; it may be hostile.

The package merm draws, in Python. What it makes is never put into a page: the page has an <img>, and in
an image browsers run no script and load nothing from anywhere. POLICY says the same to whoever opens it by itself.
"""

import functools
import hashlib
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST = 20_000  # characters
POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

# The colors of web/theme.css.
THEMES: "Mapping[str, Mapping[str, Any]]" = {
    "light": {
        "node_fill": "#e9ebfb", "node_stroke": "#3743a8", "node_text_color": "#1b1c1f", "text_color": "#1b1c1f",
        "edge_stroke": "#5c6068", "edge_label_bg": "#ffffff", "subgraph_fill": "#f6f6f4", "subgraph_stroke": "#8a8d92",
        "background_color": "#ffffff",
    },
    "dark": {
        "node_fill": "#262a45", "node_stroke": "#a3adff", "node_text_color": "#e8e8e4", "text_color": "#e8e8e4",
        "edge_stroke": "#a0a4ac", "edge_label_bg": "#191a1d", "subgraph_fill": "#222428", "subgraph_stroke": "#6f747c",
        "background_color": "#191a1d",
    },
}  # fmt: skip
_FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif'
_QUOTED_TITLE = re.compile(r'^(\s*subgraph\s+\w+)\["([^"\]]*)"\]', re.MULTILINE)


def name_of(text: str) -> str:
    """What a diagram is called: it changes when the text does, so that a browser may keep the picture.

    >>> name_of("flowchart LR")
    '35bb46310458'
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


@functools.lru_cache(maxsize=64)
def drawn(text: str, theme: str) -> str | None:
    """The diagram as an SVG in one of THEMES; None if it is too long, or of a kind or in words that aren't known."""
    if len(text) > LONGEST or theme not in THEMES:
        return None
    try:
        import merm  # type: ignore[import-untyped]

        # merm shows the quotes around the title of a group; Mermaid itself does not.
        text = _QUOTED_TITLE.sub(r"\1[\2]", text)
        svg: str = merm.render_diagram(text, theme=merm.Theme(font_family=_FONT, **THEMES[theme]))
    except Exception:  # whatever it can't read, the text itself can be shown
        return None
    # It leaves the words on the arrows in the browser's own font and color, which no dark ground can have.
    words = f".edge-label text {{ fill: {THEMES[theme]['text_color']}; font: 12px {_FONT}; }}"
    return svg.replace("<style>", f"<style>{words}\n", 1) if svg.startswith("<svg") else None
