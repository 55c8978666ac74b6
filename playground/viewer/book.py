"""The README as a page.

In:   Markdown.
Out:  a whole HTML page that needs nothing from any other machine, and the stylesheet of its code.
Here nobody knows where the text comes from; it may be hostile, so raw HTML is shown as text, links go to
http, https or inside the project only, and pictures of other machines become links. Diagrams are pictures of
this machine, drawn by diagrams.py; what it can't draw is shown as its text.
"""

import functools
import html
import re
from collections.abc import MutableMapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from playground.viewer.diagrams import THEMES, drawn, name_of

if TYPE_CHECKING:  # loaded when the page is first asked for: the viewer starts without them
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token

_COMMENT = re.compile(r"\s*(<!--(?:(?!-->).)*-->\s*)+", re.DOTALL)

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="/web/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/web/theme.css">
<link rel="stylesheet" href="/readme.css">
<script type="module" src="/web/theme.js" blocking="render"></script>
</head>
<body class="book">
<nav aria-label="Pages">
<a href="/dashboard">Dashboard</a>
<a href="/console">Console</a>
<a href="/">Basic view</a>
<a href="/readme">README</a>
<a href="/raw/README.md">Markdown</a>
</nav>
<main>
{body}
</main>
</body>
</html>
"""

LAYOUT = """
.book {
  max-width: 52rem; margin: 0 auto; padding: 1rem 1.25rem 4rem;
  line-height: 1.6; font-family: system-ui, sans-serif;
  --line: color-mix(in srgb, currentColor 22%, transparent);
}
.book p, .book ul, .book ol, .book table, .book blockquote { margin-block: .8rem; }
.book ul, .book ol { padding-left: 1.5rem; }
.book h1, .book h2, .book h3 { line-height: 1.3; margin: 1.4em 0 .5em; }
.book nav { display: flex; gap: 1rem; padding-bottom: .5rem; }
.book pre {
  overflow-x: auto; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 6px;
  font-size: .875rem; line-height: 1.45;
}
.book code { font-family: ui-monospace, monospace; }
.book table { border-collapse: collapse; display: block; overflow-x: auto; }
.book th, .book td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left; }
.book img { max-width: 100%; }
.book blockquote { margin-inline: 0; padding-left: 1rem; border-left: 3px solid var(--line); }
.book figure { margin: 1rem 0; }
.book figcaption { font-size: .85rem; }
.book .diagram { overflow-x: auto; }
.book .diagram .dark { display: none; }
.book .diagram summary { min-height: 24px; cursor: pointer; }
:root[data-theme="dark"] .book .diagram .dark { display: inline; }
:root[data-theme="dark"] .book .diagram .light { display: none; }
@media (prefers-color-scheme: dark) {
  :root:not([data-theme="light"]) .book .diagram .dark { display: inline; }
  :root:not([data-theme="light"]) .book .diagram .light { display: none; }
}
"""


def page(markdown: str) -> str:
    """The page. Raises only for a fault of ours; the caller shows the Markdown itself then."""
    heading = re.search(r"^#\s+(.+)$", markdown, re.MULTILINE)
    title = heading[1].strip() if heading else "README"
    return PAGE.format(title=html.escape(title), body=_markdown().render(markdown, {}))


@functools.cache
def stylesheet() -> str:
    """The classes that highlighted code uses, light and dark."""
    from pygments.formatters import HtmlFormatter

    light, dark = (
        HtmlFormatter(style=style).get_style_defs(".book pre")  # type: ignore[no-untyped-call]
        for style in ("default", "github-dark")
    )
    return f"{LAYOUT}\n{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n"


@functools.cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    # Raw HTML is read as such, so that a comment can be left out, and never written as such.
    parser = MarkdownIt("commonmark", {"html": True, "linkify": False}).enable(["table", "strikethrough"])
    parser.validateLink = is_safe_link  # type: ignore[method-assign]
    parser.add_render_rule("html_block", _html)
    parser.add_render_rule("html_inline", _html)
    parser.add_render_rule("fence", _fence)
    parser.add_render_rule("heading_open", _heading)
    parser.add_render_rule("image", _image)
    parser.add_render_rule("th_open", _head)
    parser.add_render_rule("th_close", _head)
    return parser


def is_safe_link(url: str) -> bool:
    """Whether a link may be followed: http, https, or inside the project.

    >>> is_safe_link("docs/a.png"), is_safe_link("https://example.org"), is_safe_link("java\\tscript:alert(1)")
    (True, True, False)
    """
    bare = re.sub(r"[\x00-\x20\x7f-\x9f]", "", html.unescape(url))  # browsers skip such characters in a scheme
    try:
        parts = urlsplit(bare)
    except ValueError:
        return False
    if parts.scheme:
        return parts.scheme.lower() in ("http", "https") and bool(parts.netloc)
    return not bare.startswith(("//", "\\", "/\\"))


def _html(
    self: "RendererHTML", tokens: "Sequence[Token]", index: int, options: Any, env: MutableMapping[str, Any]
) -> str:
    """HTML as the text it is; a comment as nothing."""
    text = tokens[index].content
    if _COMMENT.fullmatch(text):
        return ""
    return f"<p>{html.escape(text)}</p>\n" if tokens[index].type == "html_block" else html.escape(text)


def _fence(
    self: "RendererHTML", tokens: "Sequence[Token]", index: int, options: Any, env: MutableMapping[str, Any]
) -> str:
    token = tokens[index]
    language = token.info.strip().split(maxsplit=1)[0].lower() if token.info.strip() else ""
    if language == "mermaid":
        return _diagram(token.content)
    return f'<pre tabindex="0"><code>{_highlighted(token.content, language)}</code></pre>\n'


def _head(
    self: "RendererHTML", tokens: "Sequence[Token]", index: int, options: Any, env: MutableMapping[str, Any]
) -> str:
    """A column's heading; one without words heads nothing, and is a cell like any other (WCAG 2.2, 1.3.1)."""
    token = tokens[index]
    words = tokens[index + 1 if token.nesting == 1 else index - 1].content
    token.tag = "th" if words else "td"
    return self.renderToken(tokens, index, options, env)


def _diagram(text: str) -> str:
    code = f'<pre tabindex="0"><code>{html.escape(text)}</code></pre>'
    if drawn(text, "light") is None:
        return f"<figure>{code}<figcaption>A diagram, in Mermaid</figcaption></figure>\n"
    what = "Sequence diagram" if text.lstrip().startswith("sequenceDiagram") else "Diagram"
    pictures = "".join(
        f'<img class="{theme}" src="/diagrams/{name_of(text)}-{theme}.svg" alt="{what}; its text follows.">'
        for theme in THEMES
    )
    caption = f"<figcaption><details><summary>{what} as text, in Mermaid</summary>{code}</details></figcaption>"
    return f'<figure class="diagram">{pictures}{caption}</figure>\n'


def diagram(markdown: str, name: str) -> str | None:
    """A diagram of the page as an SVG: `name` is that of the picture, without its ".svg"."""
    which, _, theme = name.rpartition("-")
    texts = (token.content for token in _markdown().parse(markdown) if token.type == "fence")
    text = next((text for text in texts if name_of(text) == which), None)
    return drawn(text, theme) if text is not None else None


def _highlighted(code: str, language: str) -> str:
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language)
    except ClassNotFound:
        return html.escape(code)
    text: str = highlight(code, lexer, HtmlFormatter(nowrap=True))
    return text


def _heading(
    self: "RendererHTML", tokens: "Sequence[Token]", index: int, options: Any, env: MutableMapping[str, Any]
) -> str:
    """Headings can be linked to, by the same names as on the code hosts: lower case, hyphens for blanks."""
    text = tokens[index + 1].content
    slug = re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")
    used = env.setdefault("slugs", {})
    count = used[slug] = used.get(slug, -1) + 1
    name = f"{slug}-{count}" if count else slug
    return f'<{tokens[index].tag} id="{html.escape(name)}">'


def _image(
    self: "RendererHTML", tokens: "Sequence[Token]", index: int, options: Any, env: MutableMapping[str, Any]
) -> str:
    token = tokens[index]
    source = str(token.attrs["src"])
    words = html.escape(self.renderInlineAsText(token.children or [], options, env))
    if urlsplit(source).scheme:
        return f'<a href="{html.escape(source)}">{words or html.escape(source)}</a>'
    return f'<img src="{html.escape(source)}" alt="{words}">'
