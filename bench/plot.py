"""A bar for each contestant, as SVG: medians, and a line from the smallest to the largest of the rounds.

In:   names with (median, smallest, largest).
Out:  the text of an SVG that needs nothing else and reads well on light and dark pages.
"""

from html import escape

WIDTH, ROW, LEFT, RIGHT = 760, 26, 230, 90

Bars = dict[str, tuple[float, float, float]]


def bars(title: str, unit: str, values: Bars) -> str:
    """The plot. Ours are colored."""
    height = 44 + ROW * len(values)
    scale = (WIDTH - LEFT - RIGHT) / (max((most for _, _, most in values.values()), default=1) or 1)
    rows = [_row(44 + ROW * n, name, value, scale, unit) for n, (name, value) in enumerate(values.items())]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"'
            ' font-family="sans-serif" font-size="13">',
            "<style>text{fill:#222}.o{fill:#2f6fdb}.p{fill:#9aa5b1}line{stroke:#222}rect.g{fill:#fff}"
            "@media(prefers-color-scheme:dark){text{fill:#ddd}line{stroke:#ddd}rect.g{fill:#16181d}}</style>",
            f'<rect class="g" width="{WIDTH}" height="{height}"/>',
            f'<text x="10" y="24" font-weight="bold">{escape(title)} ({escape(unit)})</text>',
            *rows,
            "</svg>\n",
        ]
    )


def _row(top: int, name: str, value: tuple[float, float, float], scale: float, unit: str) -> str:
    median, least, most = value
    kind = "o" if name.startswith("ours") else "p"
    middle = top + 9
    return (
        f'<text x="{LEFT - 8}" y="{top + 13}" text-anchor="end">{escape(name)}</text>'
        f'<rect class="{kind}" x="{LEFT}" y="{top}" width="{max(1.0, median * scale):.1f}" height="18" rx="2"/>'
        f'<line x1="{LEFT + least * scale:.1f}" x2="{LEFT + most * scale:.1f}" y1="{middle}" y2="{middle}"/>'
        f'<text x="{LEFT + most * scale + 8:.1f}" y="{top + 13}">{shown(median)}</text>'
    )


def shown(value: float) -> str:
    """A figure with three digits that matter.

    >>> shown(0.01234), shown(12.345), shown(12345.6)
    ('0.0123', '12.3', '12,346')
    """
    return f"{value:,.0f}" if abs(value) >= 999.5 else f"{value:.3g}"
