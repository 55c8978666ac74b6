"""Steps become calls, results become sentences: how each operation is carried out with the tools on offer.

Goes in: steps and a toolbox. Comes out: a generator that yields lists of calls, is sent their outcomes, and
returns what to say. Refuses to know: the wire, and where outcomes come from.

*Theory of operation.* Each operation is a small generator: yield calls, look at what came back, return a
sentence. Steps that don't touch the same files run side by side, their calls in one round, as real models do
when calls don't depend on each other. Every sentence is made from a result: nothing is claimed that no
tool has confirmed. When something fails, later steps on that file are left out and named as such; a
declined call is never asked for again.
"""

from collections.abc import Generator, Sequence

from playground.scripted_model.asking import Doing, Memory, Trouble, listing
from playground.scripted_model.steps import EVERY, NUMBERED, Step
from playground.scripted_model.talk import Call, Outcome
from playground.scripted_model.tasks import TASKS
from playground.scripted_model.toolbox import Toolbox


def carry_out(steps: Sequence[Step], box: Toolbox) -> Doing:
    """All steps of a question, as many at once as don't depend on each other."""
    memory, said = Memory(), list[str]()
    for group in _groups(steps):
        said += yield from _together([_guarded(step, box, memory) for step in group])
    return "\n".join(sentence for sentence in said if sentence)


def _groups(steps: Sequence[Step]) -> list[list[Step]]:
    groups: list[list[Step]] = []
    for step in steps:
        if groups and not step.uses_result and not any(_depends(step, other) for other in groups[-1]):
            groups[-1].append(step)
        else:
            groups.append([step])
    return groups


def _depends(step: Step, other: Step) -> bool:
    """Whether two steps must not run side by side."""
    mine, its = _touched(step), _touched(other)
    shares = bool(mine & its) or EVERY in mine | its
    return (shares and (_changes(step) or _changes(other))) or (other.do == "list" and step.file.startswith(NUMBERED))


def _touched(step: Step) -> set[str]:
    everything = {EVERY} if step.do == "list" or step.when or step.do == "exists" else set()
    return {name for name in (step.file, step.to, *step.files) if name} | everything


def _changes(step: Step) -> bool:
    return step.do in ("write", "append", "prepend", "delete", "copy", "rename", "replace", "cut", "merge")


def _together(running: Sequence[Doing]) -> Generator[list[Call], list[Outcome], list[str]]:
    """Several generators side by side: their calls become one list, the outcomes are handed back to each."""
    said = [""] * len(running)
    waiting: dict[int, list[Call]] = {}

    def advance(index: int, outcomes: list[Outcome] | None) -> None:
        try:
            waiting[index] = next(running[index]) if outcomes is None else running[index].send(outcomes)
        except StopIteration as stop:
            waiting.pop(index, None)
            said[index] = stop.value

    for index in range(len(running)):
        advance(index, None)
    while waiting:
        order = sorted(waiting)
        outcomes = yield [call for index in order for call in waiting[index]]
        for index in order:
            mine, outcomes = outcomes[: len(waiting[index])], outcomes[len(waiting[index]) :]
            advance(index, mine)
    return said


def _guarded(step: Step, box: Toolbox, memory: Memory) -> Doing:
    """One step with its condition, and without those that can't work any more."""
    if step.file.startswith(NUMBERED) and memory.names:
        index = int(step.file[1:]) - 1
        step = step.on(memory.names[index if index < len(memory.names) else -1])
    spoiled = next((name for name in (step.file, *step.files) if name in memory.spoiled), None)
    if spoiled is not None:
        return f"So I left out the step after it: {step.described()}."
    try:
        if step.when:
            names = yield from listing(box)
            if (step.file in names) != (step.when == "exists"):
                there = "There is no" if step.when == "exists" else "There is already a"
                return f"{there} file named {step.file}, so there was nothing to do."
        return (yield from TASKS[step.do](step, box, memory))
    except Trouble as trouble:
        memory.value = None
        if _changes(step):
            memory.spoiled[step.file or step.to] = str(trouble)
        return str(trouble)
