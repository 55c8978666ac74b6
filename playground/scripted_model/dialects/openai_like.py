"""OpenAI's chat completions: the answers, streamed and not, the errors and the list of models.

Goes in: an `Answer` and its `Stamp`. Comes out: JSON values and frames of an event stream. Refuses to know:
how the answer was found, and sockets. `Completions` holds what Ollama shares; the rest is OpenAI's own.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from playground.scripted_model.dialects import Listing, Stamp, openai_messages
from playground.scripted_model.strict import Refused
from playground.scripted_model.talk import ABSENT, FRESH, Answer, Call, Prompt

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz0123456789"


def made_id(stamp: Stamp, place: object, length: int) -> str:
    """Letters and digits that follow from the conversation, so that the same conversation gets the same
    ids."""
    number = int(hashlib.sha256(f"{stamp.prompt.digest}{place}".encode()).hexdigest(), 16)
    letters = []
    for _ in range(length):
        number, rest = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[rest])
    return "".join(letters)


def pieces_of(text: str, size: int = 12) -> list[str]:
    """A text in the pieces it is streamed in."""
    return [text[start : start + size] for start in range(0, len(text), size)]


def frame(value: Any) -> str:
    return (
        f"data: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(',', ':'))}\n\n"
    )


def present(values: Mapping[str, Any]) -> dict[str, Any]:
    """Without the fields that are to be left out."""
    return {name: value for name, value in values.items() if value is not ABSENT}


class OpenAI:
    """The dialect of OpenAI itself."""

    name = "openai"
    prefix = "/v1"
    chat = "/v1/chat/completions"
    window = 128_000

    def authorize(self, headers: Mapping[str, str], key: str | None) -> None:
        word, _, given = headers.get("authorization", "").partition(" ")
        if word.lower() != "bearer" or not given.strip():
            raise Refused(
                "You didn't provide an API key. You need to provide your API key in an "
                "Authorization header using Bearer auth "
                "(i.e. Authorization: Bearer YOUR_KEY).",
                kind="auth",
            )
        if key is not None and given.strip() != key:
            shown = given.strip()[:2] + "*" * 8
            raise Refused(f"Incorrect API key provided: {shown}.", kind="auth", code="invalid_api_key")

    def read(self, body: Any, listing: Listing) -> Prompt:
        if not isinstance(body, dict):
            raise Refused("We could not parse the JSON body of your request: expected an object.")
        prompt = openai_messages.read(body)
        window = listing.window(prompt.model)
        if window is None:
            raise Refused(
                f"The model `{prompt.model}` does not exist or you do not have access to it.",
                kind="not_found",
                code="model_not_found",
            )
        if prompt.tokens > window:
            raise Refused(
                f"This model's maximum context length is {window} tokens. However, your "
                f"messages resulted in {prompt.tokens} tokens. "
                "Please reduce the length of the messages.",
                param="messages",
                code="context_length_exceeded",
            )
        return prompt

    # ---- Answers --------------------------------------------------------------------------------------------

    def whole(self, answer: Answer, stamp: Stamp) -> Any:
        message: dict[str, Any] = {
            "role": "assistant",
            "content": answer.text or (None if answer.calls else ""),
        }
        if answer.calls:
            message["tool_calls"] = [self._call(call, place, stamp) for place, call in enumerate(answer.calls)]
        message |= {"refusal": None, "annotations": []}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": answer.finish}
        return {
            **self._head(stamp, "chat.completion"),
            "choices": [choice],
            "usage": self._usage(answer, stamp),
        }

    def frames(self, answer: Answer, stamp: Stamp) -> Iterator[str]:
        def chunk(delta: dict[str, Any], finish: str | None = None) -> str:
            choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
            return frame({**head, "choices": [choice], **usage})

        head = self._head(stamp, "chat.completion.chunk")
        usage: dict[str, Any] = {"usage": None} if stamp.prompt.wants_usage else {}
        first: dict[str, Any] = {
            "role": "assistant",
            "content": None if answer.calls and not answer.text else "",
            "refusal": None,
        }
        if answer.text or not answer.calls:
            yield chunk(first)
            for piece in pieces_of(answer.text):
                yield chunk({"content": piece})
            first = {}
        for place, call in enumerate(answer.calls):
            sound = self._call(call, place, stamp)
            arguments = sound["function"].get("arguments", ABSENT)
            is_text = isinstance(arguments, str)
            opening = {
                "index": place,
                **sound,
                "function": present({**sound["function"], "arguments": "" if is_text else arguments}),
            }
            yield chunk({**first, "tool_calls": [opening]})
            first = {}
            for piece in pieces_of(arguments) if is_text else ():
                yield chunk({"tool_calls": [{"index": place, "function": {"arguments": piece}}]})
        yield chunk({}, answer.finish)
        if stamp.prompt.wants_usage:
            yield frame({**head, "choices": [], "usage": self._usage(answer, stamp)})
        yield frame("[DONE]")

    def _head(self, stamp: Stamp, kind: str) -> dict[str, Any]:
        return {
            "id": f"chatcmpl-{made_id(stamp, 'answer', 29)}",
            "object": kind,
            "created": stamp.created,
            "model": stamp.prompt.model,
            "service_tier": "default",
            "system_fingerprint": "fp_scripted",
        }

    def _call(self, call: Call, place: int, stamp: Stamp) -> dict[str, Any]:
        identity = f"call_{made_id(stamp, place, 24)}" if call.id is FRESH else call.id
        return present(
            {
                "id": identity,
                "type": "function",
                "function": present({"name": call.name, "arguments": call.arguments}),
            }
        )

    def _usage(self, answer: Answer, stamp: Stamp) -> dict[str, Any]:
        return {
            **usage_of(answer, stamp),
            "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
            "completion_tokens_details": {
                "reasoning_tokens": 0,
                "audio_tokens": 0,
                "accepted_prediction_tokens": 0,
                "rejected_prediction_tokens": 0,
            },
        }

    # ---- Errors and everything else -------------------------------------------------------------------------

    _ERRORS: Final = {
        "invalid": (400, "invalid_request_error", None),
        "context": (400, "invalid_request_error", "context_length_exceeded"),
        "auth": (401, "invalid_request_error", "invalid_api_key"),
        "forbidden": (403, "invalid_request_error", None),
        "not_found": (404, "invalid_request_error", None),
        "method": (405, "invalid_request_error", "method_not_supported"),
        "length": (411, "invalid_request_error", None),
        "too_large": (413, "invalid_request_error", None),
        "media": (400, "invalid_request_error", "unsupported_content_type"),
        "rate": (429, "requests", "rate_limit_exceeded"),
        "server": (500, "server_error", None),
        "overloaded": (503, "server_error", None),
    }

    def error(self, refused: Refused) -> tuple[int, dict[str, Any]]:
        status, kind, code = self._ERRORS[refused.kind]
        return status, {
            "error": {
                "message": refused.message,
                "type": kind,
                "param": refused.param,
                "code": refused.code or code,
            }
        }

    def broken_frame(self, refused: Refused, stamp: Stamp) -> str:
        return frame(self.error(refused)[1])

    def get(self, path: str, listing: Listing) -> Any:
        if path == "/v1/models":
            return {"object": "list", "data": [self._model(name, listing) for name in listing.windows]}
        name = path.removeprefix("/v1/models/")
        if name == path:
            return None
        if name not in listing.windows:
            raise Refused(f"The model '{name}' does not exist", kind="not_found", param="model", code="model_not_found")
        return self._model(name, listing)

    def post(self, path: str, body: Any, listing: Listing) -> Any:
        return None

    def _model(self, name: str, listing: Listing) -> dict[str, Any]:
        return {"id": name, "object": "model", "created": listing.created, "owned_by": "mcp-playground"}


def usage_of(answer: Answer, stamp: Stamp) -> dict[str, int]:
    """Estimated numbers of tokens."""
    asked, written = stamp.prompt.tokens, answer.tokens
    return {"prompt_tokens": asked, "completion_tokens": written, "total_tokens": asked + written}
