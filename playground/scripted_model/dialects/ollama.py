"""Ollama: OpenAI's shape with differences, in a new and an old version, and the paths of its own interface.

Goes in: an `Answer` and its `Stamp`. Comes out: JSON values and frames. Refuses to know: how the answer was
found.

The differences, from its source (v0.33): content is never null; a tool call arrives whole in one piece of a
stream; ids are short; a prompt that is too long is cut in silence, tools first; a failure in the middle of a
stream leaves no trace but the missing end. Before v0.32.6 every piece of a stream repeated the role, the
last one carried the reason to finish, and every call had the index 0.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from playground.scripted_model.dialects import Listing, Stamp, openai_messages
from playground.scripted_model.dialects.openai_like import frame, made_id, pieces_of, present, usage_of
from playground.scripted_model.strict import Refused, demand
from playground.scripted_model.talk import FRESH, Answer, Call, Prompt

VERSION: Final = "0.33.0"
OLD_VERSION: Final = "0.17.0"


class Ollama:
    """The dialect of Ollama from v0.32.6 on."""

    name = "ollama"
    prefix = "/v1"
    chat = "/v1/chat/completions"
    window = 32_768
    version = VERSION
    _KINDS: Final = {
        "invalid": (400, "invalid_request_error"),
        "context": (400, "invalid_request_error"),
        "auth": (401, "invalid_request_error"),
        "forbidden": (403, "invalid_request_error"),
        "not_found": (404, "not_found_error"),
        "method": (405, "invalid_request_error"),
        "length": (411, "invalid_request_error"),
        "too_large": (413, "invalid_request_error"),
        "media": (400, "invalid_request_error"),
        "rate": (429, "api_error"),
        "server": (500, "api_error"),
        "overloaded": (503, "api_error"),
    }

    def authorize(self, headers: Mapping[str, str], key: str | None) -> None:
        """Ollama takes any key or none; only a proxy before it asks for one."""
        if key is not None and headers.get("authorization", "") != f"Bearer {key}":
            raise Refused("unauthorized", kind="auth")

    def read(self, body: Any, listing: Listing) -> Prompt:
        if not isinstance(body, dict):
            raise Refused("json: cannot unmarshal into Go value of type openai.ChatCompletionRequest")
        if body.get("messages") == []:
            raise Refused("[] is too short - 'messages'")
        if body.get("model") in (None, ""):
            raise Refused("model is required")
        prompt = openai_messages.read(body, is_ollama=True)
        window = listing.window(prompt.model)
        if window is None:
            raise Refused(f"model '{prompt.model}' not found", kind="not_found")
        return cut(prompt, window)

    # ---- Answers --------------------------------------------------------------------------------------------

    def whole(self, answer: Answer, stamp: Stamp) -> Any:
        message: dict[str, Any] = {"role": "assistant", "content": answer.text}
        if answer.thinking:
            message["reasoning"] = answer.thinking
        if answer.calls:
            message["tool_calls"] = [self._call(call, place, stamp) for place, call in enumerate(answer.calls)]
        choice = {"index": 0, "message": message, "finish_reason": answer.finish}
        return {**self._head(stamp, "chat.completion"), "choices": [choice], "usage": usage_of(answer, stamp)}

    def frames(self, answer: Answer, stamp: Stamp) -> Iterator[str]:
        head = self._head(stamp, "chat.completion.chunk")

        def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
            return frame({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

        role: dict[str, Any] = {"role": "assistant"}
        for delta in self._deltas(answer, stamp):
            yield chunk({**role, **delta})
            role = {}
        yield chunk({}, answer.finish)
        if stamp.prompt.wants_usage:
            yield frame({**head, "choices": [], "usage": usage_of(answer, stamp)})
        yield frame("[DONE]")

    def _deltas(self, answer: Answer, stamp: Stamp) -> Iterator[dict[str, Any]]:
        for piece in pieces_of(answer.thinking):
            yield {"content": "", "reasoning": piece}
        for piece in pieces_of(answer.text) or ([] if answer.calls else [""]):
            yield {"content": piece}
        for place, call in enumerate(answer.calls):
            yield {"content": "", "tool_calls": [self._call(call, place, stamp)]}

    def _head(self, stamp: Stamp, kind: str) -> dict[str, Any]:
        number = int(stamp.prompt.digest[:8] or "0", 16) % 999
        return {
            "id": f"chatcmpl-{number}",
            "object": kind,
            "created": stamp.created,
            "model": stamp.prompt.model,
            "system_fingerprint": "fp_ollama",
        }

    def _index(self, place: int) -> int:
        return place

    def _call(self, call: Call, place: int, stamp: Stamp) -> dict[str, Any]:
        identity = f"call_{made_id(stamp, place, 8)}" if call.id is FRESH else call.id
        arguments = call.arguments
        if isinstance(arguments, str):  # Go's encoder escapes these three
            for sign in "<>&":
                arguments = arguments.replace(sign, f"\\u{ord(sign):04x}")
        function = present({"name": call.name, "arguments": arguments})
        return present({"id": identity, "index": self._index(place), "type": "function", "function": function})

    # ---- Errors and Ollama's own paths ----------------------------------------------------------------------

    def error(self, refused: Refused) -> tuple[int, dict[str, Any]]:
        status, kind = self._KINDS[refused.kind]
        return status, {"error": {"message": refused.message, "type": kind, "param": None, "code": None}}

    def broken_frame(self, refused: Refused, stamp: Stamp) -> str:
        """The line with the error is taken for an empty piece; then nothing follows."""
        empty = {"index": 0, "delta": {"content": ""}, "finish_reason": None}
        return frame({**self._head(stamp, "chat.completion.chunk"), "choices": [empty]})

    def get(self, path: str, listing: Listing) -> Any:
        if path == "/":
            return "Ollama is running"
        if path == "/api/version":
            return {"version": self.version}
        if path == "/api/tags":
            return {"models": [_native_model(name, listing) for name in listing.windows]}
        if path == "/api/ps":
            return {"models": []}
        if path == "/v1/models":
            return {"object": "list", "data": [_model(name, listing) for name in listing.windows] or None}
        name = path.removeprefix("/v1/models/")
        if name == path:
            return None
        if listing.window(name) is None:
            raise Refused(f"model '{name}' not found", kind="not_found")
        return _model(name.removesuffix(":latest"), listing)

    def post(self, path: str, body: Any, listing: Listing) -> Any:
        if path != "/api/show":
            return None
        name = demand(body, dict, "body").get("model") or body.get("name")
        if not name:
            raise Refused("model is required")
        window = listing.window(str(name))
        if window is None:
            raise Refused(f"model '{name}' not found", kind="not_found")
        return {
            "modelfile": "# The playground's scripted model: rules, not a language model.",
            "template": "",
            "details": _details(),
            "model_info": {
                "general.architecture": "scripted",
                "general.parameter_count": 0,
                "scripted.context_length": window,
            },
            "capabilities": ["completion"] + ["tools"] * (name != "no-tool-support"),
            "modified_at": _moment(listing),
        }


class OldOllama(Ollama):
    """The dialect of Ollama before v0.32.6, at its worst: every call has the index 0."""

    name = "ollama-old"
    version = OLD_VERSION

    def error(self, refused: Refused) -> tuple[int, dict[str, Any]]:
        status, body = super().error(refused)
        return status, {"error": {**body["error"], "type": "api_error"}}

    def frames(self, answer: Answer, stamp: Stamp) -> Iterator[str]:
        head = self._head(stamp, "chat.completion.chunk")

        def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
            return frame(
                {
                    **head,
                    "choices": [{"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": finish}],
                }
            )

        for delta in self._deltas(answer, stamp):
            yield chunk(delta)
        yield chunk({"content": ""}, answer.finish)
        if stamp.prompt.wants_usage:
            yield frame({**head, "choices": [], "usage": usage_of(answer, stamp)})
        yield frame("[DONE]")

    def _index(self, place: int) -> int:
        return 0


def cut(prompt: Prompt, window: int) -> Prompt:
    """What is left of a prompt that is too long: Ollama drops the tools and all but the last question, and
    says nothing. Only the number of tokens, which stops at the window, betrays it."""
    if prompt.tokens <= window:
        return prompt
    last = prompt.question
    return replace(
        prompt, tools=(), system="", questions=(replace(last, text=last.text[-4 * window :]),), tokens=window
    )


def _model(name: str, listing: Listing) -> dict[str, Any]:
    return {"id": _tagged(name), "object": "model", "created": listing.created, "owned_by": "library"}


def _tagged(name: str) -> str:
    return name if ":" in name else f"{name}:latest"


def _details() -> dict[str, Any]:
    return {
        "parent_model": "",
        "format": "rules",
        "family": "scripted",
        "families": ["scripted"],
        "parameter_size": "0",
        "quantization_level": "",
    }


def _moment(listing: Listing) -> str:
    return datetime.fromtimestamp(listing.created, UTC).isoformat()


def _native_model(name: str, listing: Listing) -> dict[str, Any]:
    return {
        "name": _tagged(name),
        "model": _tagged(name),
        "modified_at": _moment(listing),
        "size": 0,
        "digest": "0" * 64,
        "details": _details(),
    }
