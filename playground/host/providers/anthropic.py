"""Anthropic's messages.

In:   a Conversation and an Offer of tools.
Out:  the request body; from the response, streamed or not, what was said.
Here nobody knows the loop, servers or the terminal. https://docs.anthropic.com/en/api/messages

What is different from OpenAI's format: the system prompt stands beside the messages; a message is a list of
blocks, calls (`tool_use`) and results (`tool_result`) among them; all results of a message come in one user
message; blocks without text are refused; arguments are an object; whoever has calls in the history must also
offer tools; and there is no temperature: the current models refuse it, and the SDK has no parameter for it.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from playground.host.calls import Block, Call
from playground.host.conversation import Conversation, Said, Step
from playground.host.providers import content, failure
from playground.host.providers.line import Exchange
from playground.host.providers.offer import Offer, alias
from playground.host.providers.remote import Emit, Remote, Reply

MAX_TOKENS = 8192  # of an answer; this API wants a number
STOPS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "tool_use": "calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
}


class Anthropic(Remote):
    """Anthropic's API, or a server that speaks it."""

    strict_names = True

    def client(self, http: Any, key: str) -> Any:
        from anthropic import Anthropic as SDK

        # The SDK adds /v1 itself.
        base = self.base_url.removesuffix("/v1")
        return SDK(base_url=base, api_key=key or "none", http_client=http, max_retries=0, timeout=self.total)

    def body(self, history: Conversation, offered: Offer, streaming: bool) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": MAX_TOKENS,
            "messages": list(self._messages(history)),
        }
        if history.system:
            body["system"] = history.system
        if offered.tools:
            body["tools"] = [
                {"name": tool.alias, "description": tool.description, "input_schema": tool.schema}
                for tool in offered.tools
            ]
            body["tool_choice"] = {"type": "auto"}
        elif called := sorted({alias(call.name) for call in history.calls()}):
            body["tools"] = [{"name": name, "input_schema": {"type": "object"}} for name in called]
            body["tool_choice"] = {"type": "none"}
        if streaming:
            body["stream"] = True
        cleaned: dict[str, Any] = content.clean(body)
        return cleaned

    def ask(self, client: Any, body: dict[str, Any], offered: Offer, emit: Emit, exchange: Exchange) -> Reply:
        message = Assembly(offered, emit)
        if not body.get("stream"):
            client.messages.with_raw_response.create(**body)
            return self._whole(json.loads(exchange.response), offered, exchange)
        with client.messages.create(**body) as events:
            for event in events:
                message.add(event.to_dict(warnings=False) if hasattr(event, "to_dict") else event)
        if not message.begun and (whole := self.unstreamed(exchange)) is not None:
            return self._whole(whole, offered, exchange)
        if not message.ended:
            raise failure.Failure("cut", self.about, exchange)
        return message.reply(self.kind)

    def _whole(self, reply: Any, offered: Offer, exchange: Exchange) -> Reply:
        """A reply that came in one piece, as the events of a stream."""
        if wrong := failure.told(reply, self.about, exchange):
            raise wrong
        if not isinstance(reply, dict):
            raise failure.Failure("malformed", self.about, exchange, json.dumps(reply)[:100])
        message = Assembly(offered, lambda kind, piece: None)
        message.add({"type": "message_start", "message": reply})
        blocks = reply.get("content")
        for index, block in enumerate(blocks if isinstance(blocks, list) else []):
            message.add({"type": "content_block_start", "index": index, "content_block": block})
        message.add({"type": "message_delta", "delta": reply, "usage": reply.get("usage")})
        return message.reply(self.kind)

    # ---- A history as messages ----

    def _messages(self, history: Conversation) -> Iterator[dict[str, Any]]:
        for turn in history.turns:
            yield {"role": "user", "content": self._blocks(turn.question)}
            for step in turn.steps:
                yield {"role": "assistant", "content": list(self._assistant(step.said))}
                if step.results:
                    yield {"role": "user", "content": list(self._results(step))}

    def _assistant(self, said: Said) -> Iterator[dict[str, Any]]:
        calls = [
            {"type": "tool_use", "id": wire_id(call.id), "name": alias(call.name), "input": call.echo()}
            for call in said.calls
        ]
        own = said.extras.get("blocks") if said.origin == self.kind else None
        if not isinstance(own, list):
            yield from _text(said.text)
            yield from calls
            return
        # Signed reasoning must come back unchanged and in its place among the other blocks.
        remaining = iter(calls)
        for block in own:
            if block.get("type") == "tool_use":
                yield next(remaining)
            elif block.get("type") == "text":
                yield from _text(block.get("text", ""))
            else:
                yield block

    def _results(self, step: Step) -> Iterator[dict[str, Any]]:
        for result in step.results:
            block = {
                "type": "tool_result",
                "tool_use_id": wire_id(result.call_id),
                "content": self._blocks(result.content),
            }
            yield {**block, "is_error": True} if result.is_error else block

    def _blocks(self, blocks: Iterable[Block]) -> list[dict[str, Any]]:
        sent: list[dict[str, Any]] = []
        for block in blocks:
            medium = content.medium(block) if self.images else None
            kind = _MEDIA.get(medium.mime) if medium else None
            if medium and kind:
                source = {"type": "base64", "media_type": medium.mime, "data": medium.data}
                sent.append({"type": kind, "source": source})
            else:
                sent += _text(content.as_text(block))
        return sent or [{"type": "text", "text": "(empty)"}]


_MEDIA = {**dict.fromkeys(content.IMAGES, "image"), "application/pdf": "document"}


def wire_id(id: str) -> str:
    """An id as this API accepts it: its own ids as they are, those of another provider perhaps as a digest."""
    if re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", id):
        return id
    return "call_" + hashlib.sha256(id.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _text(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}] if text.strip() else []


# ---- A message out of events ------------------------------------------------------------------------------


class Assembly:
    """Events of a stream, put together."""

    def __init__(self, offered: Offer, emit: Emit) -> None:
        self.begun = self.ended = False
        self._offered, self._emit = offered, emit
        self._blocks: dict[Any, dict[str, Any]] = {}
        self._pieces: dict[Any, list[str]] = {}
        self._stop = ""
        self._usage: dict[str, int] = {}

    def add(self, event: Any) -> None:
        if not isinstance(event, Mapping):
            return
        match event.get("type"):
            case "message_start":
                self.begun = True
                self._count(_mapping(event.get("message")).get("usage"))
            case "content_block_start":
                self._start(event.get("index"), dict(_mapping(event.get("content_block"))))
            case "content_block_delta":
                self._delta(event.get("index"), _mapping(event.get("delta")))
            case "message_delta":
                self._count(event.get("usage"))
                self._stop = str(_mapping(event.get("delta")).get("stop_reason") or "")
            case "message_stop":
                self.ended = True

    def reply(self, origin: str) -> Reply:
        blocks, calls, text = list[dict[str, Any]](), list[Call](), list[str]()
        for index, block in self._blocks.items():
            pieces = "".join(self._pieces.get(index, []))
            if block.get("type") == "tool_use":
                # Streamed arguments are kept as the text they came in; whole ones come as an object.
                name = self._offered.name_of(block["name"]) if isinstance(block.get("name"), str) else ""
                calls.append(Call.received(block.get("id"), name, pieces or block.get("input")))
            elif block.get("type") == "text":
                text.append(str(block.get("text", "")))
            blocks.append(block)
        # Other blocks than these two (reasoning, most of all) are sent back as they came.
        kept = any(block.get("type") not in ("text", "tool_use") for block in blocks)
        stop = "calls" if calls and self._stop != "max_tokens" else STOPS.get(self._stop, self._stop or "stop")
        said = Said("".join(text), tuple(calls), {"blocks": blocks} if kept else {}, origin)
        return said, stop if blocks or self._stop else "no_choice", self._usage

    def _start(self, index: Any, block: dict[str, Any]) -> None:
        self._blocks[index] = block
        if block.get("type") == "text" and block.get("text"):
            self._emit("text", str(block["text"]))
        if block.get("type") == "tool_use" and isinstance(block.get("name"), str):
            self._emit("call", self._offered.name_of(block["name"]))

    def _delta(self, index: Any, delta: Mapping[str, Any]) -> None:
        block = self._blocks.setdefault(index, {"type": "text", "text": ""})
        for key, shown in (("text", "text"), ("thinking", "thought"), ("signature", "")):
            if isinstance(piece := delta.get(key), str):
                block[key] = block.get(key, "") + piece
                if shown:
                    self._emit(shown, piece)
        if isinstance(piece := delta.get("partial_json"), str):
            self._pieces.setdefault(index, []).append(piece)

    def _count(self, usage: Any) -> None:
        for key, name in (("input", "input_tokens"), ("output", "output_tokens")):
            if isinstance(count := _mapping(usage).get(name), int):
                self._usage[key] = count


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
