"""OpenAI's chat completions: spoken by OpenAI, Ollama, LM Studio, llama.cpp, vLLM, OpenRouter and many more.

In:   a Conversation and an Offer of tools.
Out:  the request body; from the response, streamed or not, what was said.
Here nobody knows the loop, servers or the terminal. https://platform.openai.com/docs/api-reference/chat

Theory of operation
    In a stream a tool call comes in pieces, and the field `index` is meant to say which pieces belong
    together. It can't be trusted: older Ollama sends every call whole and with index 0, and who goes by the
    index alone glues two calls into one. A piece belongs to the call before it only if nothing speaks against
    that: its id, if it has one, is that call's; its index is; and it doesn't bring a second name or a second
    complete set of arguments.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from playground.host.calls import Block, Call, Result, compact
from playground.host.conversation import Conversation, Said, Step
from playground.host.providers import content, failure
from playground.host.providers.line import Exchange
from playground.host.providers.offer import Offer, alias
from playground.host.providers.remote import Emit, Remote, Reply

LONGEST_ID = 40  # characters of a call's id, by OpenAI's own rule
STOPS = {"tool_calls": "calls", "function_call": "calls", "content_filter": "refusal"}


class OpenAILike(Remote):
    """Any server that speaks OpenAI's chat completions."""

    def client(self, http: Any, key: str) -> Any:
        from openai import OpenAI

        # Some key must be sent; servers without accounts ignore it.
        client = OpenAI(base_url=self.base_url, api_key=key or "none", http_client=http, max_retries=0)
        if "api.openai.com" not in self.base_url:
            # The environment names these for OpenAI; they are nobody else's business.
            client.organization = client.project = None
        return client

    def body(self, history: Conversation, offered: Offer, streaming: bool) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self.model, "messages": list(self._messages(history))}
        if offered.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {"name": tool.alias, "description": tool.description, "parameters": tool.schema},
                }
                for tool in offered.tools
            ]
            body["tool_choice"] = "auto"
        if self.temperature is not None:
            body["temperature"] = self.temperature
        if streaming:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        cleaned: dict[str, Any] = content.clean(body)
        return cleaned

    def ask(self, client: Any, body: dict[str, Any], offered: Offer, emit: Emit, exchange: Exchange) -> Reply:
        if not body.get("stream"):
            client.chat.completions.with_raw_response.create(**body)
            return self._whole(json.loads(exchange.response), offered, exchange)
        message = Assembly(offered, emit)
        with client.chat.completions.create(**body) as chunks:
            for chunk in chunks:
                message.add(chunk.to_dict(warnings=False) if hasattr(chunk, "to_dict") else chunk)
        if not message.begun and (whole := self.unstreamed(exchange)) is not None:
            return self._whole(whole, offered, exchange)
        if not message.stop and b"[DONE]" not in exchange.received[-100:]:
            raise failure.Failure("cut", self.about, exchange)
        return message.reply(self.kind)

    def _whole(self, reply: Any, offered: Offer, exchange: Exchange) -> Reply:
        """A reply that came in one piece is a stream of one piece."""
        if wrong := failure.told(reply, self.about, exchange):
            raise wrong
        if not isinstance(reply, dict):
            raise failure.Failure("malformed", self.about, exchange, compact(reply)[:100])
        message = Assembly(offered, lambda kind, piece: None)
        message.add({**reply, "choices": [_as_chunk(choice) for choice in _dicts(reply.get("choices"))]})
        return message.reply(self.kind)

    # ---- A history as messages ----

    def _messages(self, history: Conversation) -> Iterator[dict[str, Any]]:
        if history.system:
            yield {"role": "system", "content": history.system}
        for turn in history.turns:
            yield {"role": "user", "content": self._content(turn.question)}
            for step in turn.steps:
                yield self._assistant(step.said)
                yield from self._results(step)

    def _assistant(self, said: Said) -> dict[str, Any]:
        if not said.calls:
            return {"role": "assistant", "content": said.text}
        calls = []
        for call in said.calls:
            text = call.text if call.arguments is not None and call.text else compact(call.echo())
            function = {"name": alias(call.name), "arguments": text}
            echo = {"id": wire_id(call.id), "type": "function", "function": function}
            calls.append({**call.extras, **echo} if said.origin == self.kind else echo)
        return {"role": "assistant", "content": said.text or None, "tool_calls": calls}

    def _results(self, step: Step) -> Iterator[dict[str, Any]]:
        """One message per result. Pictures can't stand in it: they follow as a message of the user's."""
        pictures: list[dict[str, Any]] = []
        names = {call.id: call.name for call in step.said.calls}
        for result in step.results:
            yield {"role": "tool", "tool_call_id": wire_id(result.call_id), "content": self._result(result)}
            for block in result.content:
                if picture := self._picture(block):
                    pictures += [{"type": "text", "text": f"[From the result of {names[result.call_id]}]"}, picture]
        if pictures:
            yield {"role": "user", "content": pictures}

    def _result(self, result: Result) -> str:
        texts = [
            "[An image; it follows.]" if self._picture(block) else content.as_text(block) for block in result.content
        ]
        text = "\n".join(texts)
        # This format has no field that says so.
        return f"Error: {text}" if result.is_error and not text.lower().startswith("error") else text

    def _content(self, blocks: Iterable[Block]) -> str | list[dict[str, Any]]:
        parts = [self._picture(block) or {"type": "text", "text": content.as_text(block)} for block in blocks]
        if all(part["type"] == "text" for part in parts):
            return "\n".join(part["text"] for part in parts)
        return parts

    def _picture(self, block: Block) -> dict[str, Any] | None:
        medium = content.medium(block) if self.images else None
        if medium is None or medium.mime not in content.IMAGES:
            return None
        return {"type": "image_url", "image_url": {"url": f"data:{medium.mime};base64,{medium.data}"}}


def wire_id(id: str) -> str:
    """An id as this API accepts it: as it is, or where another provider made a longer one, its digest."""
    if len(id) <= LONGEST_ID:
        return id
    return "call_" + hashlib.sha256(id.encode("utf-8", "surrogatepass")).hexdigest()[:24]


# ---- A message out of pieces ------------------------------------------------------------------------------


class Assembly:
    """Chunks of a stream, put together."""

    def __init__(self, offered: Offer, emit: Emit) -> None:
        self.stop = ""
        self.begun = False  # whether any chunk was one of this format
        self._offered, self._emit = offered, emit
        self._text: list[str] = []
        self._thought: list[str] = []
        self._calls: list[_Pieces] = []
        self._usage: dict[str, int] = {}
        self._choices = 0

    def add(self, chunk: Any) -> None:
        if not isinstance(chunk, Mapping):
            return
        self.begun = self.begun or "choices" in chunk
        if isinstance(usage := chunk.get("usage"), Mapping):
            counts = {"input": usage.get("prompt_tokens"), "output": usage.get("completion_tokens")}
            self._usage = {key: count for key, count in counts.items() if isinstance(count, int)}
        for choice in _dicts(chunk.get("choices"))[:1]:
            self._choices += 1
            delta = choice.get("delta")
            self._delta(delta if isinstance(delta, Mapping) else {})
            if isinstance(stop := choice.get("finish_reason"), str):
                self.stop = stop

    def reply(self, origin: str) -> Reply:
        calls = tuple(pieces.call(self._offered) for pieces in self._calls)
        extras = {"reasoning": "".join(self._thought)} if self._thought else {}
        stop = "calls" if calls and self.stop != "length" else STOPS.get(self.stop, self.stop or "stop")
        said = Said("".join(self._text), calls, extras, origin)
        return said, stop if self._choices else "no_choice", self._usage

    def _delta(self, delta: Mapping[str, Any]) -> None:
        for thought in (delta.get("reasoning") or delta.get("reasoning_content"), *_parts(delta, "thinking")):
            if isinstance(thought, str) and thought:
                self._thought.append(thought)
                self._emit("thought", thought)
        for text in (delta.get("content"), *_parts(delta, "text"), delta.get("refusal")):
            if isinstance(text, str) and text:
                self._text.append(text)
                self._emit("text", text)
        if delta.get("refusal"):
            self.stop = "content_filter"
        for piece in _dicts(delta.get("tool_calls")):
            self._call(piece)
        if isinstance(old := delta.get("function_call"), Mapping):
            self._call({"index": 0, "function": old})

    def _call(self, piece: Mapping[str, Any]) -> None:
        function = piece.get("function")
        function = function if isinstance(function, Mapping) else {}
        known = next((call for call in reversed(self._calls) if call.continued_by(piece, function)), None)
        if known is None:
            known = _Pieces(piece)
            self._calls.append(known)
        if known.add(function):
            self._emit("call", self._offered.name_of(known.name))


class _Pieces:
    """One call of a stream."""

    def __init__(self, first: Mapping[str, Any]) -> None:
        self.id, self.index = first.get("id"), first.get("index")
        self.extras = {key: first[key] for key in first if key not in ("id", "index", "type", "function")}
        self.name: str = ""
        self.arguments: Any = None

    def continued_by(self, piece: Mapping[str, Any], function: Mapping[str, Any]) -> bool:
        if piece.get("id") and piece.get("id") != self.id:
            return False
        if "index" in piece and piece.get("index") != self.index:
            return False
        if not piece.get("id") and function.get("name") and self.name:
            return False
        brings = function.get("arguments") not in (None, "")
        return not (function.get("name") and brings and self._complete())

    def add(self, function: Mapping[str, Any]) -> bool:
        """Add a piece; whether it brought the name."""
        if named := not self.name and isinstance(function.get("name"), str):
            self.name = function["name"]
        more = function.get("arguments")
        if isinstance(more, str) and isinstance(self.arguments, str):
            self.arguments += more
        elif more is not None:
            self.arguments = more
        return named

    def call(self, offered: Offer) -> Call:
        return Call.received(self.id, offered.name_of(self.name), self.arguments, self.extras)

    def _complete(self) -> bool:
        if not isinstance(self.arguments, str):
            return self.arguments is not None
        try:
            return isinstance(json.loads(self.arguments), dict)
        except (ValueError, RecursionError):
            return False


def _as_chunk(choice: Mapping[str, Any]) -> dict[str, Any]:
    """A whole choice as a chunk; its calls are whole, so each gets an index of its own."""
    message = choice.get("message")
    message = message if isinstance(message, Mapping) else {}
    calls = [{**call, "index": number} for number, call in enumerate(_dicts(message.get("tool_calls")))]
    return {**choice, "delta": {**message, "tool_calls": calls}}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _parts(delta: Mapping[str, Any], kind: str) -> Iterator[Any]:
    """Some servers send content as a list of typed parts."""
    for part in _dicts(delta.get("content")):
        if part.get("type") == kind:
            inner = part.get(kind)
            yield from (_parts({"content": inner}, "text") if isinstance(inner, list) else (inner,))
