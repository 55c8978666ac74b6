"""Requests in OpenAI's shape, read strictly: what the provider refuses is refused here, in its words.

Goes in: the JSON body of POST /chat/completions. Comes out: a `Prompt`. Refuses to know: answers.

The rules are those of https://platform.openai.com/docs/api-reference/chat/create: every call of an assistant
message is answered by exactly one tool message, and these follow at once. Two rules are stricter than the
original: arguments in the history must be the JSON of an object (Ollama demands it), and tool names must be
unique.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from playground.scripted_model import strict
from playground.scripted_model.dialects.openai_parts import call_of, content_of
from playground.scripted_model.dialects.openai_tools import choice_of, tools_of
from playground.scripted_model.strict import Refused
from playground.scripted_model.talk import Call, Outcome, Prompt, Question, Round, asked, tokens_of

_PARAMETERS: Final = [
    "audio",
    "frequency_penalty",
    "function_call",
    "functions",
    "logit_bias",
    "logprobs",
    "max_completion_tokens",
    "max_tokens",
    "messages",
    "metadata",
    "modalities",
    "model",
    "moderation",
    "n",
    "parallel_tool_calls",
    "prediction",
    "presence_penalty",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "reasoning_effort",
    "response_format",
    "safety_identifier",
    "seed",
    "service_tier",
    "stop",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "user",
    "verbosity",
    "web_search_options",
]


_ROLES: Final = ("system", "assistant", "user", "function", "tool", "developer")


_FIELDS: Final = {
    "system": ("role", "content", "name"),
    "developer": ("role", "content", "name"),
    "user": ("role", "content", "name"),
    "tool": ("role", "content", "tool_call_id"),
    "assistant": (
        "role",
        "content",
        "name",
        "refusal",
        "audio",
        "annotations",
        "tool_calls",
        "function_call",
    ),
}


@dataclass
class _Story:
    """The conversation as it is put together from messages."""

    system: list[str] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    open_calls: dict[str, Call] = field(default_factory=dict)

    def ask(self, text: str) -> None:
        """A new question, unless it is only pictures that belong to a result and could not stand there."""
        is_open = bool(self.questions) and bool(self.questions[-1].rounds) and not self.questions[-1].reply
        if asked(text) or not is_open:
            self.questions.append(Question(asked(text)))

    def change(self, **values: Any) -> None:
        if self.questions:
            self.questions[-1] = replace(self.questions[-1], **values)

    def add_round(self, one: Round) -> None:
        if self.questions:
            self.change(rounds=(*self.questions[-1].rounds, one))

    def add_outcome(self, outcome: Outcome) -> None:
        if self.questions and self.questions[-1].rounds:
            *before, last = self.questions[-1].rounds
            self.change(rounds=(*before, replace(last, outcomes=(*last.outcomes, outcome))))


def read(body: Mapping[str, Any], *, is_ollama: bool = False) -> Prompt:
    """The prompt in a request body; raises Refused. Ollama ignores fields it doesn't know."""
    if not is_ollama:
        strict.only(body, _PARAMETERS, "")
    model = _model(body)
    _numbers(body)
    tools = tools_of(body, is_ollama=is_ollama)
    may_call, must_call = choice_of(body, tools, is_ollama=is_ollama)
    story = _messages(body, is_ollama=is_ollama)
    stream = strict.demand(body.get("stream") or False, bool, "stream")
    options = body.get("stream_options")
    if options is not None and not stream and not is_ollama:
        raise Refused(
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.", param="stream_options"
        )
    if options is not None:
        strict.demand(options, dict, "stream_options")
    said = json.dumps([body["messages"], body.get("tools")], ensure_ascii=False, sort_keys=True)
    limit = body.get("max_completion_tokens") if not is_ollama else None
    return Prompt(
        model=model,
        questions=tuple(story.questions),
        tools=tools,
        system="\n".join(story.system),
        is_streamed=stream,
        wants_usage=bool((options or {}).get("include_usage")),
        max_tokens=limit if limit is not None else body.get("max_tokens"),
        may_call=may_call,
        must_call=must_call,
        is_parallel=is_ollama or body.get("parallel_tool_calls") is not False,
        tokens=tokens_of(said),
        digest=hashlib.sha256(f"{model}{said}".encode()).hexdigest(),
    )


def _model(body: Mapping[str, Any]) -> str:
    model = body.get("model")
    if model is None or model == "":
        raise Refused("you must provide a model parameter", param="model")
    return str(strict.demand(model, str, "model"))


def _numbers(body: Mapping[str, Any]) -> None:
    strict.number(body, "temperature", 0, 2)
    strict.number(body, "top_p", 0, 1)
    for name in ("frequency_penalty", "presence_penalty"):
        strict.number(body, name, -2, 2)
    for name in ("max_tokens", "max_completion_tokens", "n"):
        strict.number(body, name, 1, 10**9, is_whole=True)
    for name in ("parallel_tool_calls", "stream", "logprobs", "store"):
        if body.get(name) is not None:
            strict.demand(body[name], bool, name)


def _messages(body: Mapping[str, Any], *, is_ollama: bool) -> _Story:
    if "messages" not in body:
        raise strict.missing("messages")
    messages = strict.demand(body["messages"], list, "messages")
    if not messages:
        raise Refused(
            (
                "Invalid 'messages': empty array. Expected an array with minimum length 1, but got "
                "an empty array instead."
            ),
            param="messages",
            code="empty_array",
        )
    story = _Story()
    for place, message in enumerate(messages):
        _message(message, f"messages[{place}]", story, is_ollama=is_ollama)
    _all_answered(story, f"messages[{len(messages)}].role")
    return story


def _message(message: Any, where: str, story: _Story, *, is_ollama: bool) -> None:
    strict.demand(message, dict, where)
    role = message.get("role")
    if "role" not in message:
        raise strict.missing(f"{where}.role")
    if role not in _ROLES or role == "function":
        values = "'system', 'assistant', 'user', 'function', 'tool', and 'developer'"
        raise Refused(
            f"Invalid value: '{role}'. Supported values are: {values}.",
            param=f"{where}.role",
            code="invalid_value",
        )
    if not is_ollama:
        strict.only(message, _FIELDS[role], where)
    if role == "tool":
        _tool_message(message, where, story)
        return
    _all_answered(story, f"{where}.role")
    if role == "assistant":
        _assistant(message, where, story, is_ollama=is_ollama)
        return
    text = content_of(message, role, where, is_ollama=is_ollama)
    if role == "user":
        story.ask(text)
    else:
        story.system.append(text)


def _assistant(message: Mapping[str, Any], where: str, story: _Story, *, is_ollama: bool) -> None:
    calls = message.get("tool_calls")
    if calls is not None and calls != []:
        strict.demand(calls, list, f"{where}.tool_calls")
    elif calls == [] and not is_ollama:
        raise Refused(
            (
                f"Invalid '{where}.tool_calls': empty array. Expected an array with minimum length "
                f"1, but got an empty array instead."
            ),
            param=f"{where}.tool_calls",
            code="empty_array",
        )
    has_text = message.get("content") is not None
    if not has_text and not calls and not message.get("refusal"):
        content_of(message, "assistant", where, is_ollama=is_ollama)
    text = content_of(message, "assistant", where, is_ollama=is_ollama) if has_text else ""
    read_calls = [
        call_of(call, f"{where}.tool_calls[{place}]", is_ollama=is_ollama) for place, call in enumerate(calls or [])
    ]
    for call in read_calls:
        if call.id in story.open_calls:
            raise Refused(
                f"Invalid '{where}.tool_calls': the id '{call.id}' is there more than once.",
                param=f"{where}.tool_calls",
            )
        story.open_calls[call.id] = call
    if read_calls:
        story.add_round(Round(tuple(read_calls), text=text))
    else:
        story.change(reply=text)


def _tool_message(message: Mapping[str, Any], where: str, story: _Story) -> None:
    identity = message.get("tool_call_id")
    if identity is None:
        raise Refused(
            (f"Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id' ({where})."),
            param=f"{where}.tool_call_id",
        )
    strict.demand(identity, str, f"{where}.tool_call_id")
    text = content_of(message, "tool", where, is_ollama=False)
    if not story.open_calls:
        raise Refused(
            (
                "Invalid parameter: messages with role 'tool' must be a response to a preceeding "
                "message with 'tool_calls'."
            ),
            param=f"{where}.role",
        )
    call = story.open_calls.pop(identity, None)
    if call is None:
        raise Refused(
            (f"Invalid parameter: 'tool_call_id' of '{identity}' not found in 'tool_calls' of previous message."),
            param=f"{where}.tool_call_id",
        )
    story.add_outcome(Outcome(call, text))


def _all_answered(story: _Story, param: str) -> None:
    if story.open_calls:
        raise Refused(
            "An assistant message with 'tool_calls' must be followed by tool messages "
            "responding to each 'tool_call_id'. "
            f"The following tool_call_ids did not have response messages: {', '.join(story.open_calls)}",
            param=param,
        )
