"""Values as a browser sees them, so that the viewer and the page filter alike.

In:   a value out of a parsed record.
Out:  the number or the text that JavaScript would make of it.
Here nobody knows what it is compared with.
"""

from decimal import Decimal
from typing import Any, TypeGuard


def is_number(value: Any) -> TypeGuard[int | float]:
    """Whether it is a JSON number; in Python True is an int."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def double(number: Any) -> float:
    """The nearest double, infinity beyond the range: all that JavaScript keeps of a number."""
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def text_of(value: Any) -> str | None:
    """A scalar as the text that JavaScript would show; None for anything that is no scalar.

    >>> text_of(1e21), text_of(0.1), text_of(5.0), text_of(True), text_of([])
    ('1e+21', '0.1', '5', 'true', None)
    """
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    if not is_number(value):
        return None
    number = double(value)
    if number in (float("inf"), float("-inf")):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0 or (number.is_integer() and abs(number) < 1e16):
        return str(int(number))
    # ECMAScript, Number::toString: the same shortest digits as Python's repr, laid out by other rules.
    sign, figures, exponent = Decimal(repr(number)).normalize().as_tuple()
    digits, point = "".join(map(str, figures)), len(figures) + int(exponent)
    if 0 < point <= 21:
        text = digits.ljust(point, "0")
        text = text[:point] + ("." + text[point:] if text[point:] else "")
    elif -6 < point <= 0:
        text = "0." + "0" * -point + digits
    else:
        text = digits[0] + ("." + digits[1:] if digits[1:] else "") + f"e{point - 1:+d}"
    return "-" + text if sign else text
