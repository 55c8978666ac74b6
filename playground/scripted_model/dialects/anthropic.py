"""Anthropic's messages: the answers, streamed and not, the errors and the list of models.

Goes in: an `Answer` and its `Stamp`. Comes out: JSON values and frames of an event stream. Refuses to know:
how the answer was found, and sockets. A call's arguments are an object here, not a text; so arguments that
are no JSON at all can only be shown in a stream, and stand as a bare text otherwise.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from playground.scripted_model.dialects import Listing, Stamp, anthropic_messages
from playground.scripted_model.dialects.openai_like import made_id, pieces_of, present
from playground.scripted_model.strict import Refused
from playground.scripted_model.talk import ABSENT, FRESH, Answer, Call, Prompt

_STOP: Final = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}


class Anthropic:
    """The dialect of Anthropic's Messages API."""

    name = "anthropic"
    prefix = ""
    chat = "/v1/messages"
    window = 200_000

    def authorize(self, headers: Mapping[str, str], key: str | None) -> None:
        given = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ").strip()
        if not given:
            raise Refused("x-api-key header is required", kind="auth")
        if key is not None and given != key:
            raise Refused("invalid x-api-key", kind="auth")
        if not headers.get("anthropic-version"):
            raise Refused("anthropic-version: header is required")

    def read(self, body: Any, listing: Listing) -> Prompt:
        if not isinstance(body, dict):
            raise Refused("Input should be a valid dictionary or object to extract fields from")
        prompt = anthropic_messages.read(body)
        window = listing.window(prompt.model)
        if window is None:
            raise Refused(f"model: {prompt.model}", kind="not_found")
        if prompt.tokens > window:
            raise Refused(f"prompt is too long: {prompt.tokens} tokens > {window} maximum")
        return prompt

    # ---- Answers --------------------------------------------------------------------------------------------

    def whole(self, answer: Answer, stamp: Stamp) -> Any:
        content: list[dict[str, Any]] = []
        if answer.thinking:
            content.append(
                {"type": "thinking", "thinking": answer.thinking, "signature": made_id(stamp, "thinking", 32)}
            )
        if answer.text:
            content.append({"type": "text", "text": answer.text})
        for place, call in enumerate(answer.calls):
            content.append({**self._use(call, place, stamp), **present({"input": _input(call, answer)})})
        return {
            **self._message(stamp),
            "content": content,
            "stop_reason": _STOP[answer.finish],
            "stop_sequence": None,
            "usage": {**self._usage(stamp), "output_tokens": answer.tokens},
        }

    def frames(self, answer: Answer, stamp: Stamp) -> Iterator[str]:
        opening = {
            **self._message(stamp),
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {**self._usage(stamp), "output_tokens": 1},
        }
        yield _event("message_start", {"message": opening})
        yield _event("ping", {})
        for index, (block, deltas) in enumerate(self._blocks(answer, stamp)):
            yield _event("content_block_start", {"index": index, "content_block": block})
            for delta in deltas:
                yield _event("content_block_delta", {"index": index, "delta": delta})
            yield _event("content_block_stop", {"index": index})
        yield _event(
            "message_delta",
            {
                "delta": {"stop_reason": _STOP[answer.finish], "stop_sequence": None},
                "usage": {"output_tokens": answer.tokens},
            },
        )
        yield _event("message_stop", {})

    def _blocks(self, answer: Answer, stamp: Stamp) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]]]]:
        """Each block as it starts, and the pieces that fill it."""
        if answer.thinking:
            deltas = [{"type": "thinking_delta", "thinking": piece} for piece in pieces_of(answer.thinking)]
            signature = {"type": "signature_delta", "signature": made_id(stamp, "thinking", 32)}
            yield {"type": "thinking", "thinking": "", "signature": ""}, [*deltas, signature]
        if answer.text:
            yield (
                {"type": "text", "text": ""},
                [{"type": "text_delta", "text": piece} for piece in pieces_of(answer.text)],
            )
        for place, call in enumerate(answer.calls):
            written = (
                call.arguments
                if isinstance(call.arguments, str)
                else ""
                if call.arguments is ABSENT
                else json.dumps(call.arguments)
            )
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ["", *pieces_of(written)]]
            yield {**self._use(call, place, stamp), "input": {}}, deltas

    def _message(self, stamp: Stamp) -> dict[str, Any]:
        return {
            "id": f"msg_{made_id(stamp, 'answer', 24)}",
            "type": "message",
            "role": "assistant",
            "model": stamp.prompt.model,
        }

    def _use(self, call: Call, place: int, stamp: Stamp) -> dict[str, Any]:
        identity = f"toolu_{made_id(stamp, place, 24)}" if call.id is FRESH else call.id
        return present({"type": "tool_use", "id": identity, "name": call.name})

    def _usage(self, stamp: Stamp) -> dict[str, Any]:
        return {
            "input_tokens": stamp.prompt.tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        }

    # ---- Errors and everything else -------------------------------------------------------------------------

    _ERRORS: Final = {
        "invalid": (400, "invalid_request_error"),
        "context": (400, "invalid_request_error"),
        "auth": (401, "authentication_error"),
        "forbidden": (403, "permission_error"),
        "not_found": (404, "not_found_error"),
        "method": (405, "invalid_request_error"),
        "length": (411, "invalid_request_error"),
        "too_large": (413, "request_too_large"),
        "media": (400, "invalid_request_error"),
        "rate": (429, "rate_limit_error"),
        "server": (500, "api_error"),
        "overloaded": (529, "overloaded_error"),
    }

    def error(self, refused: Refused) -> tuple[int, dict[str, Any]]:
        status, kind = self._ERRORS[refused.kind]
        return status, {
            "type": "error",
            "error": {"type": kind, "message": refused.message},
            "request_id": "req_scripted",
        }

    def broken_frame(self, refused: Refused, stamp: Stamp) -> str:
        body = self.error(refused)[1]
        return _event("error", {"error": body["error"], "request_id": body["request_id"]})

    def get(self, path: str, listing: Listing) -> Any:
        if path == "/v1/models":
            names = list(listing.windows)
            edges = {
                "has_more": False,
                "first_id": names[0] if names else None,
                "last_id": names[-1] if names else None,
            }
            return {"data": [_model(name, listing) for name in names], **edges}
        name = path.removeprefix("/v1/models/")
        if name == path:
            return None
        if name not in listing.windows:
            raise Refused(f"model: {name}", kind="not_found")
        return _model(name, listing)

    def post(self, path: str, body: Any, listing: Listing) -> Any:
        if path != "/v1/messages/count_tokens":
            return None
        whole = {"max_tokens": 1, **body} if isinstance(body, dict) else body
        return {"input_tokens": self.read(whole, listing).tokens}


def _input(call: Call, answer: Answer) -> Any:
    """The arguments as the value they stand for. Cut short by the limit they become an empty object, as in
    the original; a text that is no JSON stays a text."""
    if not isinstance(call.arguments, str):
        return call.arguments
    try:
        return json.loads(call.arguments)
    except ValueError:
        return {} if answer.finish == "length" else call.arguments


def _event(name: str, data: Mapping[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps({'type': name, **data}, ensure_ascii=False, separators=(',', ':'))}\n\n"


def _model(name: str, listing: Listing) -> dict[str, Any]:
    return {
        "type": "model",
        "id": name,
        "display_name": f"{name} (a scripted model)",
        "created_at": datetime.fromtimestamp(listing.created, UTC).isoformat().replace("+00:00", "Z"),
        "lifecycle": "active",
        "max_input_tokens": listing.windows[name],
        "max_tokens": 8192,
    }
