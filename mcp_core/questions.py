"""Questions of a running tool to its client: how they are worded, brought back, checked and handed to the tool.

In:   the Asks a tool yields, and the client's answers so far.
Out:  what the tool gets; the `input_required` result of the stateless era; complaints about answers.
Here nobody knows when an answer comes. The rules are client/elicitation's and, for the stateless era, Multi Round-Trip
Requests' (2026-07-28): an answer that is missing or wrong is asked for again; one that nobody asked for is ignored.
"""

from typing import Any

from mcp_core import revisions, schemas
from mcp_core.calls import Memory
from mcp_core.effects import Ask, ToolError
from mcp_core.messages import INVALID_PARAMS, ProtocolError, Request, kind_of
from mcp_core.sealing import Seal

MAY_ASK = (
    "tools/call",
    "prompts/get",
    "resources/read",
)  # the only methods whose result may be `input_required`


def settle(
    asked: Ask | tuple[Ask, ...], answers: dict[str, Any], memory: Memory, can_ask: bool
) -> tuple[Any, list[Ask]]:
    """What the tool gets for its question (or questions), and those that must still be put to the client.

    A question that this client can't be asked has the answer None.

    >>> settle(Ask.roots("where"), {}, Memory("2025-11-25"), True)
    (None, [])
    >>> settle(Ask.roots("where"), {"where": {"roots": []}}, Memory("2025-11-25", capabilities={"roots": {}}), True)
    ({'roots': []}, [])
    """
    asks = (asked,) if isinstance(asked, Ask) else asked
    possible = [ask for ask in asks if can_ask and _is_possible(ask, memory)]
    still_open = [ask for ask in possible if ask.key not in answers or complaint_about(ask, answers[ask.key])]
    given = [answers.get(ask.key) if ask in possible else None for ask in asks]
    return given[0] if isinstance(asked, Ask) else given, still_open


def outcome(asked: Ask | tuple[Ask, ...], answers: dict[str, Any], memory: Memory, complaint: str | None) -> Any:
    """What a sleeping tool gets when it wakes: the answers, or a ToolError where one of them is none.

    `complaint` says why an answer did not come at all.

    >>> memory = Memory("2025-11-25", capabilities={"roots": {}})
    >>> outcome(Ask.roots("where"), {"where": {"roots": "here"}}, memory, None)
    ToolError('The answer to roots/list holds no list of roots.')
    """
    reply, wrong = settle(asked, answers, memory, can_ask=True)
    if complaint is None and wrong:
        complaint = complaint_about(wrong[0], answers.get(wrong[0].key))
    return reply if complaint is None else ToolError(complaint)


def is_asking(effect: Any) -> bool:
    """Whether what a tool yielded is a question, or several at once.

    >>> is_asking(Ask.roots("where")), is_asking([Ask.roots("where")]), is_asking("where")
    (True, True, False)
    """
    asks = effect if isinstance(effect, (list, tuple)) else [effect]
    return all(isinstance(ask, Ask) for ask in asks)


def brought_back(request: Request, seal: Seal | None) -> dict[str, Any]:
    """The answers that a repeated call brings: the new ones, and the earlier ones out of its requestState.

    Methods that can't ask bring none back, whatever their params say.

    Raises ProtocolError -32602 for a state that isn't ours or answers that aren't an object.

    >>> brought_back(Request(5, "tools/call", {"inputResponses": {"name": {"action": "decline"}}}), None)
    {'name': {'action': 'decline'}}
    """
    if request.method not in MAY_ASK:
        return {}
    earlier, state = {}, request.params.get("requestState")
    if state is not None and seal is not None:
        earlier = seal.open(state, _identity(request))
    new = request.params.get("inputResponses")
    if new is not None and not isinstance(new, dict):
        raise ProtocolError(INVALID_PARAMS, f"inputResponses is an object, key by key, and this is {kind_of(new)}.")
    return {**earlier, **(new or {})}


def input_required(request: Request, asks: list[Ask], answers: dict[str, Any], seal: Seal) -> dict[str, Any]:
    """The result that asks instead of answering.

    >>> result = input_required(Request(4, "tools/call"), [Ask.roots("where")], {}, Seal(b"secret", lambda: 0.0))
    >>> result["resultType"], result["inputRequests"]
    ('input_required', {'where': {'method': 'roots/list'}})
    """
    requests: dict[str, Any] = {}
    for ask in asks:
        params = worded(ask, revisions.LATEST)
        requests[ask.key] = {"method": ask.method, "params": params} if params else {"method": ask.method}
    known = {key: answer for key, answer in answers.items() if key not in requests}
    state = seal.close(known, _identity(request))
    return {"resultType": "input_required", "inputRequests": requests, "requestState": state}


def worded(ask: Ask, revision: str) -> dict[str, Any]:
    """A question's params as a revision knows them: before 2025-11-25 there was one mode, and it had no name.

    >>> sorted(worded(Ask.form("ok", "Really?", {}), "2025-06-18"))
    ['message', 'requestedSchema']
    """
    hidden = {"mode"} if ask.params.get("mode") == "form" and revision < "2025-11-25" else set()
    if revisions.is_stateless(revision):
        hidden |= {"elicitationId"}  # it was for notifications/elicitation/complete, which is gone
    return {name: value for name, value in ask.params.items() if name not in hidden}


def complaint_about(ask: Ask, answer: Any) -> str | None:
    """Why an answer is none, in a sentence; None if it is fine.

    >>> complaint_about(Ask.roots("where"), {"roots": "here"})
    'The answer to roots/list holds no list of roots.'
    """
    if not isinstance(answer, dict):
        return f"The answer to {ask.method} is an object, and this is {kind_of(answer)}."
    if ask.method == "roots/list":
        return None if isinstance(answer.get("roots"), list) else "The answer to roots/list holds no list of roots."
    if ask.method == "sampling/createMessage":
        fits = isinstance(answer.get("content"), (dict, list)) and isinstance(answer.get("role"), str)
        return None if fits else "The answer to sampling/createMessage holds no message of a model."
    return _complaint_about_form(ask, answer)


def _complaint_about_form(ask: Ask, answer: dict[str, Any]) -> str | None:
    action = answer.get("action")
    if action not in ("accept", "decline", "cancel"):
        return "The answer to elicitation/create says accept, decline or cancel, and this one does not."
    if action != "accept" or "requestedSchema" not in ask.params:
        return None
    faults = schemas.checker(ask.params["requestedSchema"])(answer.get("content"))
    return f"The form that came back is not right: {'; '.join(faults)}." if faults else None


def _is_possible(ask: Ask, memory: Memory) -> bool:
    exists = revisions.word(ask.method, memory.revision) is not None
    return exists and revisions.has_capability(memory.capabilities, ask.needs)


def _identity(request: Request) -> list[Any]:
    """What a state is bound to: the method and everything the client asked for, without what a retry adds."""
    added = ("_meta", "inputResponses", "requestState")
    return [request.method, {name: value for name, value in request.params.items() if name not in added}]
