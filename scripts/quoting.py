"""Code quoted in a Markdown file by its name, kept identical to the source.

In: Markdown in which `<!-- quote: server.py read_file -->` stands before a fenced block of Python.
Out: the same Markdown with each such block holding the source of that function, class or assignment.
The name may have dots (`Session.receive`); decorators belong to the quote.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

QUOTE = re.compile(
    r"<!-- quote: (?P<path>\S+) (?P<name>\S+) -->\n+```python\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL
)
MARK = "<!-- quote:"
Named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign


def refreshed(markdown: str, root: Path) -> str:
    """The Markdown with every quote as the files under `root` have it; LookupError for a name not there."""

    def renew(found: re.Match[str]) -> str:
        code = source_of((root / found["path"]).read_text(encoding="utf-8"), found["name"])
        return found[0].replace(f"```python\n{found['code']}```", f"```python\n{code}```")

    if markdown.count(MARK) != len(QUOTE.findall(markdown)):
        raise LookupError(f"a '{MARK} FILE NAME -->' is not followed by a ```python block")
    return QUOTE.sub(renew, markdown)


def source_of(source: str, name: str) -> str:
    r"""The source of the one thing of that name, wherever it stands, dedented.

    >>> source_of("def outer():\n    @mark\n    def inner(): return 1\n", "inner")
    '@mark\ndef inner(): return 1\n'
    """
    found = [node for path, node in named(ast.parse(source), "") if path == name or path.endswith("." + name)]
    if len(found) != 1:
        raise LookupError(f"{name!r} stands {len(found)} times in the file, and must stand once")
    node = found[0]
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
    lines = source.splitlines()[first - 1 : node.end_lineno]
    return textwrap.dedent("\n".join(lines)) + "\n"


def named(tree: ast.AST, above: str) -> Iterator[tuple[str, Named]]:
    """Everything that has a name, with its dotted path."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            path = f"{above}.{node.name}".lstrip(".")
            yield path, node
            yield from named(node, path)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    yield f"{above}.{target.id}".lstrip("."), node
        else:
            yield from named(node, above)
