"""The operations: how each one is carried out with the tools on offer, and what is said about it.

Goes in: a step, a toolbox and what earlier steps left behind. Comes out: generators that return a sentence
made from results. Refuses to know: other steps.
"""

import re
from collections.abc import Generator
from typing import Final

from playground.scripted_model import results
from playground.scripted_model.asking import (
    MOST_AT_ONCE,
    Doing,
    Memory,
    Trouble,
    listing,
    sound,
    text_in,
    texts_in,
    use,
    whole_text_in,
)
from playground.scripted_model.steps import EVERY, Step
from playground.scripted_model.talk import Call, Outcome
from playground.scripted_model.toolbox import Toolbox

NO_FILES: Final = "There are no files."


def _to_write(step: Step, memory: Memory) -> str:
    if not step.uses_result:
        return step.text
    if memory.value is None:
        raise Trouble(f"I have no whole result to write into {step.file}, so I left it as it is.")
    return memory.value


def _write(step: Step, box: Toolbox, memory: Memory) -> Doing:
    text = _to_write(step, memory)
    outcome = yield from use(box, "write", f"write {step.file}", file=step.file, text=text)
    message = results.value_of(outcome).get("message")
    return f"Done: {message.rstrip('.')}." if isinstance(message, str) else f"I wrote {step.file}."


def _append(step: Step, box: Toolbox, memory: Memory) -> Doing:
    line = _to_write(step, memory)
    if box.find("append") is not None:
        outcome = yield from use(box, "append", f"add to {step.file}", file=step.file, text=line)
        length = results.value_of(outcome).get("length")
        return f"I added a line to {step.file}" + (
            f", which has {length} bytes now." if isinstance(length, int) else "."
        )
    old = yield from whole_text_in(box, step.file)
    ending = "" if not old or old.endswith("\n") else "\n"
    yield from use(box, "write", f"write {step.file}", file=step.file, text=f"{old}{ending}{line}\n")
    return f"I added a line to {step.file}."


def _prepend(step: Step, box: Toolbox, memory: Memory) -> Doing:
    old = yield from whole_text_in(box, step.file)
    yield from use(box, "write", f"write {step.file}", file=step.file, text=f"{step.text}\n{old}")
    return f"I put a line at the top of {step.file}."


def _read(step: Step, box: Toolbox, memory: Memory) -> Doing:
    if step.file == EVERY:
        names = yield from listing(box)
        texts = yield from texts_in(box, names)
        return "\n".join(_quoted(name, text) for name, text in texts) or NO_FILES
    outcome = yield from use(box, "read", f"read {step.file}", file=step.file)
    text = results.text_of(outcome)
    memory.value = None if results.was_cut(outcome) else text
    part = re.match(r"(first|last) (\d+)", step.unit)
    if part:
        lines, many = text.splitlines(), int(part[2])
        chosen = lines[:many] if part[1] == "first" else lines[-many:]
        return (
            f"The {part[1]} {many if many > 1 else ''}{' lines' if many > 1 else 'line'} of {step.file}:\n"
            + "\n".join(chosen)
        )
    return _quoted(step.file, text)


def _quoted(name: str, text: str) -> str:
    return f"{name} says:\n{text.rstrip()}" if text.strip() else f"{name} is empty."


def _list(step: Step, box: Toolbox, memory: Memory) -> Doing:
    names = yield from listing(box)
    memory.names, memory.value = names, "\n".join([*names, ""])
    if step.unit:
        memory.value = str(len(names))
        return f"There {_plural(len(names), 'file')}."
    return f"There {_plural(len(names), 'file')}: {', '.join(names)}." if names else NO_FILES


def _plural(count: int, noun: str) -> str:
    return f"is 1 {noun}" if count == 1 else f"are {count} {noun}s"


def _times(count: int) -> str:
    return f"{count} time" if count == 1 else f"{count} times"


def _count(step: Step, box: Toolbox, memory: Memory) -> Doing:
    if step.file == EVERY:
        return (yield from _search(step, box, memory))
    if step.unit == "line" or box.find("search") is None:
        text = yield from text_in(box, step.file)
        lines = sum(step.keyword in line for line in text.splitlines())
        count = lines if step.unit == "line" else text.count(step.keyword)
    else:
        count = yield from _occurrences(box, step)
    memory.value = str(count)
    if step.unit == "line":
        return f"In {step.file}, {count} {'line contains' if count == 1 else 'lines contain'} {step.keyword}."
    return f"{step.keyword} occurs {_times(count)} in {step.file}."


def _occurrences(box: Toolbox, step: Step) -> Generator[list[Call], list[Outcome], int]:
    outcome = yield from use(
        box, "search", f"count {step.keyword} in {step.file}", file=step.file, keyword=step.keyword
    )
    count = results.count_of(outcome)
    if count is None:
        raise Trouble(f"I could not count {step.keyword} in {step.file}: the result held no number.")
    return count


def _search(step: Step, box: Toolbox, memory: Memory) -> Doing:
    if step.file != EVERY:
        if box.find("search") is None:
            return (yield from _count(step, box, memory))
        count = yield from _occurrences(box, step)
        memory.value = str(count)
        return f"{'Yes' if count else 'No'}: {step.keyword} occurs {_times(count)} in {step.file}."
    hits = yield from _everywhere(step.keyword, box)
    total = sum(count for _, count in hits)
    memory.value = str(len(hits) if step.unit == "file" else total)
    if not hits:
        return f"No file contains {step.keyword}: it occurs 0 times."
    listed = ", ".join(f"{name} ({count})" for name, count in hits)
    return f"{step.keyword} occurs {_times(total)} in {len(hits)} {'file' if len(hits) == 1 else 'files'}: {listed}."


def _everywhere(keyword: str, box: Toolbox) -> Generator[list[Call], list[Outcome], list[tuple[str, int]]]:
    if box.find("search_all") is not None:
        outcome = yield from use(box, "search_all", f"search the files for {keyword}", keyword=keyword)
        return [hit for hit in results.hits_of(outcome) if hit[1] > 0]
    texts = yield from texts_in(box, (yield from listing(box)))
    return [(name, count) for name, text in texts if (count := text.count(keyword))]


def _lines(step: Step, box: Toolbox, memory: Memory) -> Doing:
    names = (yield from listing(box)) if step.file == EVERY else [step.file]
    texts = (
        (yield from texts_in(box, names)) if step.file == EVERY else [(step.file, (yield from text_in(box, step.file)))]
    )
    found = [
        f"{name}:{number}: {line}"
        for name, text in texts
        for number, line in enumerate(text.splitlines(), 1)
        if step.keyword in line
    ]
    memory.value = "\n".join(found)
    place = "any file" if step.file == EVERY else step.file
    return (
        f"{len(found)} {'line' if len(found) == 1 else 'lines'} with {step.keyword}:\n{memory.value}"
        if found
        else f"No line in {place} contains {step.keyword}."
    )


def _measure(step: Step, box: Toolbox, memory: Memory) -> Doing:
    names = (yield from listing(box)) if step.file == EVERY else [step.file]
    texts = (
        (yield from texts_in(box, names)) if step.file == EVERY else [(step.file, (yield from text_in(box, step.file)))]
    )
    said = []
    total = 0
    for name, text in texts:
        sizes = {
            "line": len(text.splitlines()),
            "word": len(text.split()),
            "byte": len(text.encode()),
            "character": len(text),
        }
        count = sizes.get(step.unit, len(text.split("\n\n")))
        total += count
        said.append(f"{name} has {count} {step.unit}{'' if count == 1 else 's'}.")
    memory.value = str(total)
    return "\n".join(said) or NO_FILES


def _exists(step: Step, box: Toolbox, memory: Memory) -> Doing:
    names = yield from listing(box)
    return (
        f"Yes, there is a file named {step.file}." if step.file in names else f"No, there is no file named {step.file}."
    )


def _delete(step: Step, box: Toolbox, memory: Memory) -> Doing:
    if step.file != EVERY:
        outcome = yield from use(box, "delete", f"delete {step.file}", file=step.file)
        if results.value_of(outcome).get("deleted") is False:
            return f"Nothing was deleted: there was no file named {step.file}."
        return f"I deleted {step.file}."
    names = yield from listing(box)
    said = []
    for start in range(0, len(names), MOST_AT_ONCE):
        part = names[start : start + MOST_AT_ONCE]
        calls = [call for name in part if (call := box.call("delete", file=name))]
        if len(calls) < len(part):
            raise Trouble("None of the tools I was offered can delete files.")
        outcomes = yield calls
        for name, outcome in zip(part, outcomes, strict=True):
            try:
                sound(outcome, f"delete {name}")
                said.append(f"I deleted {name}.")
            except Trouble as trouble:
                said.append(str(trouble))
    return "\n".join(said) or NO_FILES


def _copy(step: Step, box: Toolbox, memory: Memory) -> Doing:
    text = yield from whole_text_in(box, step.file)
    yield from use(box, "write", f"write {step.to}", file=step.to, text=text)
    return f"I copied {step.file} to {step.to}."


def _rename(step: Step, box: Toolbox, memory: Memory) -> Doing:
    yield from _copy(step, box, memory)
    yield from use(box, "delete", f"delete {step.file} after copying it to {step.to}", file=step.file)
    return f"I renamed {step.file} to {step.to}."


def _merge(step: Step, box: Toolbox, memory: Memory) -> Doing:
    parts = []
    for name in step.files:
        text = yield from whole_text_in(box, name)
        parts.append(text if text.endswith("\n") or not text else f"{text}\n")
    yield from use(box, "write", f"write {step.to}", file=step.to, text="".join(parts))
    return f"I put {' and '.join(step.files)} together in {step.to}."


def _compare(step: Step, box: Toolbox, memory: Memory) -> Doing:
    texts = []
    for name in step.files:
        texts.append((yield from text_in(box, name)))  # noqa: PERF401  (yield from has no place in a comprehension)
    is_same = len(set(texts)) == 1
    return f"{' and '.join(step.files)} are {'the same' if is_same else 'different'}."


def _replace(step: Step, box: Toolbox, memory: Memory) -> Doing:
    old = yield from whole_text_in(box, step.file)
    count = old.count(step.keyword)
    if not count:
        return f"{step.keyword} doesn't occur in {step.file}, so I changed nothing."
    yield from use(box, "write", f"write {step.file}", file=step.file, text=old.replace(step.keyword, step.text))
    return f"I replaced {step.keyword} by {step.text} {_times(count)} in {step.file}."


def _cut(step: Step, box: Toolbox, memory: Memory) -> Doing:
    old = yield from whole_text_in(box, step.file)
    kept = [line for line in old.splitlines(keepends=True) if step.keyword not in line]
    new = "".join(kept) if step.unit == "line" else old.replace(step.keyword, "")
    if new == old:
        return f"{step.keyword} doesn't occur in {step.file}, so I changed nothing."
    yield from use(box, "write", f"write {step.file}", file=step.file, text=new)
    return f"I removed {step.keyword} from {step.file}."


def _ask(step: Step, box: Toolbox, memory: Memory) -> Doing:
    yield from ()
    if step.keyword == "text":
        return f"What should I write into {step.file}?"
    return "What should the file be called?" if step.keyword == "write" else "Which file do you mean?"


TASKS: Final = {
    "write": _write,
    "append": _append,
    "prepend": _prepend,
    "read": _read,
    "list": _list,
    "count": _count,
    "search": _search,
    "lines": _lines,
    "measure": _measure,
    "exists": _exists,
    "delete": _delete,
    "copy": _copy,
    "rename": _rename,
    "merge": _merge,
    "compare": _compare,
    "replace": _replace,
    "cut": _cut,
    "ask": _ask,
}
