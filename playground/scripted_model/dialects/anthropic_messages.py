"""Requests in Anthropic's shape, read strictly: what the provider refuses is refused here, in its words.

Goes in: the JSON body of POST /v1/messages. Comes out: a `Prompt`. Refuses to know: answers.

The rules are those of https://docs.claude.com/en/api/messages: roles alternate and the user begins; every
tool_use is answered by one tool_result in the very next message, before any text; no text is empty.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from playground.scripted_model.dialects.anthropic_parts import check, choice_of, text_of, tools_of, typed
from playground.scripted_model.strict import Refused
from playground.scripted_model.talk import Call, Outcome, Prompt, Question, Round, asked, tokens_of

_PARAMETERS: Final = [
    "max_tokens",
    "messages",
    "model",
    "cache_control",
    "container",
    "diagnostics",
    "inference_geo",
    "metadata",
    "output_config",
    "service_tier",
    "speed",
    "stop_sequences",
    "stream",
    "system",
    "temperature",
    "thinking",
    "tool_choice",
    "tools",
    "top_k",
    "top_p",
]


def read(body: Mapping[str, Any]) -> Prompt:
    """The prompt in a request body; raises Refused."""
    for name in ("model", "max_tokens", "messages"):
        if body.get(name) is None:
            raise Refused(f"{name}: Field required")
    for name in body:
        if name not in _PARAMETERS:
            raise Refused(f"{name}: Extra inputs are not permitted")
    model = typed(body["model"], str, "model")
    if not model:
        raise Refused("model: String should have at least 1 character")
    limit = typed(body["max_tokens"], int, "max_tokens")
    if limit < 1:
        raise Refused("max_tokens: must be greater than or equal to 1")
    temperature = body.get("temperature")
    if temperature is not None and not 0 <= typed(temperature, (int, float), "temperature") <= 1:
        raise Refused("temperature: range: 0..1")
    stream = typed(body.get("stream") or False, bool, "stream")
    tools = tools_of(body.get("tools"))
    may_call, must_call, is_parallel = choice_of(body.get("tool_choice"), tools)
    questions = _questions(typed(body["messages"], list, "messages"))
    said = json.dumps([body["messages"], body.get("tools"), body.get("system")], ensure_ascii=False, sort_keys=True)
    return Prompt(
        model=model,
        questions=questions,
        tools=tools,
        system=_system(body.get("system")),
        is_streamed=stream,
        wants_usage=True,
        max_tokens=limit,
        may_call=may_call,
        must_call=must_call,
        is_parallel=is_parallel,
        tokens=tokens_of(said),
        digest=hashlib.sha256(f"{model}{said}".encode()).hexdigest(),
    )


def _system(system: Any) -> str:
    if system is None or isinstance(system, str):
        return system or ""
    texts = []
    for place, block in enumerate(typed(system, list, "system")):
        where = f"system.{place}"
        if typed(block, dict, where).get("type") != "text":
            raise Refused(f"{where}.type: Input should be 'text'")
        texts.append(text_of(block, where, "system"))
    return "\n".join(texts)


def _questions(messages: Sequence[Any]) -> tuple[Question, ...]:
    if not messages:
        raise Refused("messages: at least one message is required")
    questions: list[Question] = []
    open_calls: dict[str, Call] = {}
    before = ""
    for place, message in enumerate(messages):
        where = f"messages.{place}"
        role = _role(message, where, before)
        before = role
        content = message.get("content")
        if content is None:
            raise Refused(f"{where}.content: Field required")
        blocks = (
            [{"type": "text", "text": content}]
            if isinstance(content, str)
            else typed(content, list, f"{where}.content")
        )
        if content in ("", []):
            raise Refused(f"{where}: {role} messages must have non-empty content")
        for number, block in enumerate(blocks):
            check(block, role, f"{where}.content.{number}")
        if role == "user":
            _user(blocks, where, open_calls, questions)
            open_calls = {}
        else:
            open_calls = _assistant(blocks, where, questions)
    if before == "assistant":
        if open_calls:
            _unanswered(f"messages.{len(messages) - 1}", open_calls)
        raise Refused(
            "This model does not support assistant message prefill. The conversation must end with a user message."
        )
    return tuple(questions)


def _role(message: Any, where: str, before: str) -> str:
    role = typed(message, dict, where).get("role")
    if role == "system":
        raise Refused(
            'messages: Unexpected role "system". The Messages API accepts a top-level `system` '
            'parameter, not "system" as an input message role.'
        )
    if role not in ("user", "assistant"):
        raise Refused(f"{where}.role: Input should be 'user' or 'assistant'")
    for name in message:
        if name not in ("role", "content"):
            raise Refused(f"{where}.{name}: Extra inputs are not permitted")
    if not before and role != "user":
        raise Refused('messages: first message must use the "user" role')
    if role == before:
        raise Refused(
            f'messages: roles must alternate between "user" and "assistant", but found multiple "{role}" roles in a row'
        )
    return str(role)


def _assistant(blocks: Sequence[Mapping[str, Any]], where: str, questions: list[Question]) -> dict[str, Call]:
    calls: dict[str, Call] = {}
    for number, block in enumerate(blocks):
        if block["type"] == "tool_use":
            if block["id"] in calls:
                raise Refused(f"{where}.content.{number}: `tool_use` ids must be unique")
            calls[block["id"]] = replace(Call.of(block["name"], block["input"]), id=block["id"])
    text = "".join(block["text"] for block in blocks if block["type"] == "text")
    last = questions[-1]
    questions[-1] = (
        replace(last, rounds=(*last.rounds, Round(tuple(calls.values()), text=text)))
        if calls
        else replace(last, reply=text)
    )
    return calls


def _unanswered(where: str, calls: Mapping[str, Call]) -> None:
    raise Refused(
        f"{where}: `tool_use` ids were found without `tool_result` blocks immediately "
        f"after: {', '.join(calls)}. "
        "Each `tool_use` block must have a corresponding `tool_result` block in the next message."
    )


def _user(blocks: Sequence[Mapping[str, Any]], where: str, calls: dict[str, Call], questions: list[Question]) -> None:
    answered: dict[str, Outcome] = {}
    for number, block in enumerate(blocks):
        if block["type"] != "tool_result":
            continue
        identity = block["tool_use_id"]
        here = f"{where}.content.{number}"
        if identity in answered:
            raise Refused(
                f"{here}: each tool_use must have a single result. Found multiple "
                f"`tool_result` blocks with id: {identity}"
            )
        if identity not in calls:
            raise Refused(
                f"{here}: unexpected `tool_use_id` found in `tool_result` blocks: {identity}. "
                "Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
            )
        if number != len(answered):
            raise Refused(f"{here}: `tool_result` blocks must come before any other content of a message")
        answered[identity] = Outcome(calls[identity], _flat(block.get("content")), block.get("is_error") is True)
    missing = {identity: call for identity, call in calls.items() if identity not in answered}
    if missing:
        _unanswered(f"messages.{int(where.split('.')[1]) - 1}", missing)
    text = asked("\n".join(block["text"] for block in blocks if block["type"] == "text"))
    if answered:
        *before, last = questions[-1].rounds
        ordered = tuple(answered[identity] for identity in calls)
        questions[-1] = replace(questions[-1], rounds=(*before, replace(last, outcomes=ordered)))
    if text or not answered:
        questions.append(Question(text))


def _flat(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(block.get("text", "") for block in content if block.get("type") == "text")
    return content or ""
