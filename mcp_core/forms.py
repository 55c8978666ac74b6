"""Forms: what a server asks the user for with an elicitation, and whether what came back is right.

In:   a `requestedSchema`, and what the user gave.
Out:  the fields to show; the content to send, with defaults where the user left a field alone; complaints in sentences.
Here nobody knows who is asked, or how a form is drawn (client/elicitation, Supported Schema Types).

A form is flat: each property is a text, a number, a boolean, one choice, or several. A choice is spelled in five ways,
by revision and by taste: `enum`, `enum` with `enumNames`, `oneOf` with `const` and `title`; for several, `enum` or
`anyOf` in `items`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from mcp_core import schemas

Object = dict[str, Any]

KINDS = ("string", "number", "integer", "boolean")
YES, NO = ("y", "yes", "true", "1"), ("n", "no", "false", "0")


@dataclass(frozen=True, slots=True)
class Field:
    """One line of a form. `choices` are (value, what to show); `default` is None where the form has none."""

    name: str
    kind: str  # one of KINDS; of each item, where `is_multiple`
    title: str = ""
    description: str = ""
    is_required: bool = False
    default: Any = None
    choices: tuple[tuple[Any, str], ...] = ()
    is_multiple: bool = False
    rules: Mapping[str, Any] = field(default_factory=dict)  # the property's schema as it came


def fields(schema: Mapping[str, Any]) -> list[Field]:
    """The lines of a form, in its order.

    >>> [size] = fields({"type": "object", "properties": {"size": {"oneOf": [{"const": "s", "title": "Small"}]}}})
    >>> size.kind, size.choices
    ('string', (('s', 'Small'),))
    """
    properties, required = schema.get("properties"), schema.get("required")
    names = required if isinstance(required, list) else []
    found = properties.items() if isinstance(properties, Mapping) else ()
    return [_field(name, rules, name in names) for name, rules in found if isinstance(rules, Mapping)]


def read(line: Field, text: str) -> Any:
    """The value of what a user typed into a field; several choices are separated by commas. Raises ValueError.

    >>> read(Field("age", "integer"), " 42 "), read(Field("sure", "boolean"), "y")
    (42, True)
    >>> read(Field("sizes", "string", choices=(("s", "Small"), ("m", "Medium")), is_multiple=True), "medium, s")
    ['m', 's']
    """
    if line.is_multiple:
        return [_one(line, part.strip()) for part in text.split(",") if part.strip()]
    return _one(line, text)


def fill(schema: Mapping[str, Any], given: Mapping[str, Any]) -> tuple[Object, list[str]]:
    """The content of an accepted form, and what is wrong with it: nothing, or a sentence for each fault.

    >>> form = {"type": "object", "properties": {"name": {"type": "string"}, "age": {"type": "integer", "default": 30}}}
    >>> fill(form, {"name": "Ana"})
    ({'name': 'Ana', 'age': 30}, [])
    >>> fill({**form, "required": ["name"]}, {"age": "old"})[1]
    ["'name' is missing", "'age' must be of type integer, and 'old' is not"]
    """
    lines = fields(schema)
    known = {line.name for line in lines}
    complaints = [f"'{schemas.shortened(name)}' is not in the form" for name in given if name not in known]
    content: Object = {}
    for line in lines:
        value = given.get(line.name, line.default)
        if value is None:  # left alone; a form has no null
            complaints += [f"'{line.name}' is missing"] if line.is_required else []
            continue
        content[line.name] = value
        complaints += _faults(line, value)
    return content, complaints


# ---- How a field is spelled ------------------------------------------------------------------------------------------


def _field(name: str, rules: Mapping[str, Any], is_required: bool) -> Field:
    items = rules.get("items")
    is_multiple = rules.get("type") == "array"
    inner = items if is_multiple and isinstance(items, Mapping) else rules
    choices = _choices(inner)
    kind = inner.get("type")
    if kind not in KINDS:
        kind = "string"
    title, description = (rules.get(key) for key in ("title", "description"))
    return Field(
        name,
        kind,
        title if isinstance(title, str) else name,
        description if isinstance(description, str) else "",
        is_required,
        rules.get("default"),
        choices,
        is_multiple,
        rules,
    )


def _choices(rules: Mapping[str, Any]) -> tuple[tuple[Any, str], ...]:
    titled = rules.get("oneOf", rules.get("anyOf"))
    if isinstance(titled, list):
        options = [option for option in titled if isinstance(option, Mapping) and "const" in option]
        return tuple((option["const"], str(option.get("title", option["const"]))) for option in options)
    values, names = rules.get("enum"), rules.get("enumNames")
    if not isinstance(values, list):
        return ()
    shown = names if isinstance(names, list) and len(names) == len(values) else values
    return tuple(zip(values, map(str, shown), strict=True))


# ---- From text to values ---------------------------------------------------------------------------------------------


def _one(line: Field, text: str) -> Any:
    if line.choices:
        wanted = text.strip().lower()
        for value, shown in line.choices:
            if wanted in (str(value).lower(), shown.lower()):
                return value
        raise ValueError(f"'{line.name}' is one of {_listed(line)}")
    if line.kind == "string":
        return text
    word = text.strip().lower()
    if line.kind == "boolean":
        if word not in YES + NO:
            raise ValueError(f"'{line.name}' is yes or no")
        return word in YES
    try:
        return int(word) if line.kind == "integer" else float(word)
    except ValueError:
        raise ValueError(f"'{line.name}' is {'a whole' if line.kind == 'integer' else 'a'} number") from None


# ---- Whether a value is right ----------------------------------------------------------------------------------------


def _faults(line: Field, value: Any) -> list[str]:
    if line.choices:
        return _faults_of_choice(line, value)
    one = {"type": "object", "properties": {line.name: dict(line.rules)}}
    try:
        faults = schemas.checker(one)({line.name: value})
    except ValueError as error:
        return [f"'{line.name}' can't be checked: {error}"]
    is_right = FORMATS.get(str(line.rules.get("format")))
    if not faults and is_right is not None and isinstance(value, str) and not is_right(value):
        faults = [f"'{line.name}' must be of the format {line.rules['format']}"]
    return faults


def _faults_of_choice(line: Field, value: Any) -> list[str]:
    allowed = [choice for choice, _ in line.choices]
    if not line.is_multiple:
        return [] if value in allowed else [f"'{line.name}' is one of {_listed(line)}"]
    if not isinstance(value, list):
        return [f"'{line.name}' is a list of choices"]
    least, most = line.rules.get("minItems", 0), line.rules.get("maxItems", len(value))
    if isinstance(least, int) and len(value) < least:
        return [f"'{line.name}' wants at least {least} choices"]
    if isinstance(most, int) and len(value) > most:
        return [f"'{line.name}' wants at most {most} choices"]
    return [] if all(part in allowed for part in value) else [f"'{line.name}' holds only {_listed(line)}"]


def _listed(line: Field) -> str:
    return schemas.shortened(", ".join(f"'{value}'" for value, _ in line.choices), 200)


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return bool(parts.scheme) and bool(parts.netloc or parts.path) and not re.search(r"\s", text)


_DATE = r"\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|[12]\d))"
_TIME = r"(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)"

# The four that a form may name. JSON Schema itself takes formats for remarks, so the validator does not look at them.
FORMATS: dict[str, Callable[[str], bool]] = {
    "email": lambda text: re.fullmatch(r"[^@\s]+@[^@\s]+", text) is not None,
    "uri": _is_address,
    "date": lambda text: re.fullmatch(_DATE, text, re.ASCII) is not None,
    "date-time": lambda text: re.fullmatch(f"{_DATE}[Tt ]{_TIME}", text, re.ASCII) is not None,
}
