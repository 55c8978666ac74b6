"""What can go wrong with a model, each in one sentence.

In:   an exception of a vendor's SDK or of its HTTP client, and the exchange in which it happened.
Out:  a Failure: a stable `kind` for programs, a sentence for people (what was tried, what it means, what to
      do).
Here nobody imports an SDK: both name their exceptions alike, and status and body say more than the class
does.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from playground.host.calls import compact
from playground.host.loop import NoAnswer
from playground.host.providers.line import Exchange, is_loopback
from playground.redaction import Redactor
from playground.trust import why_unsafe

MAX_QUOTED = 300

# One row per kind. {label} the provider, {base} its address, {model}, {told} what the provider itself said.
SENTENCES = {
    "not_running": "Nothing answers at {base}: {label} is not running there, or the address is wrong.",
    "unreachable": "{label} can't be reached at {base}: check the network and the address.",
    "unsafe": "No safe connection to {base} came about: {detail}.",
    "proxy": "The proxy for {base} can't be used: check HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY.",
    "no_key": "{label} needs a key: set {key} in the environment or in .env.",
    "bad_key": "The key for {label} has characters that can't be sent: copy it anew.",
    "key_refused": "{label} refuses the key: check its setting, and that it may use '{model}'.{told}",
    "no_credit": "{label} says that the account has no credit or quota left.{told}",
    "model_missing": "{label} has no model named '{model}'.{told}",
    "wrong_address": "There is no chat interface at {url}: check the base address of {label}.",
    "no_tools": "The model '{model}' can't call tools: choose one that can.{told}",
    "rate_limited": "{label} limits the rate of requests: wait{after}, then ask again.{told}",
    "overloaded": "{label} is overloaded: wait a little, then ask again.{told}",
    "too_long": "The conversation is longer than '{model}' can read: start anew, or use fewer tools.{told}",
    "refused": "{label} refuses the request.{told}",
    "server_error": "{label} failed inside: ask again, or look into its own log.{told}",
    "cut": "The answer of {label} broke off in the middle: ask again.{told}",
    "timeout": "{label} didn't finish its answer in time ({total:g} s): ask again, or choose a smaller model.",
    "malformed": "What {base} sent is no answer of a chat model: check the base address of {label}.{told}",
}

HINTS = {
    ("ollama", "not_running"): " Start it with: ollama serve",
    ("ollama", "model_missing"): " Get it with: ollama pull {model}",
    ("ollama", "no_tools"): " One that can: ollama pull granite3.3",
}


@dataclass(frozen=True, slots=True)
class About:
    """What the sentences need to know of a provider."""

    kind: str
    label: str
    base: str
    model: str
    key_setting: str
    key: str
    total: float


class Failure(NoAnswer):
    """A provider couldn't answer; `detail` is what it said itself, `retry_after` in seconds where it said that."""

    def __init__(self, kind: str, about: About, exchange: Exchange | None = None, detail: str = "") -> None:
        exchange = exchange or Exchange()
        # A provider may quote the key that it refuses.
        detail = _shown(Redactor([about.key]).mask_text(detail))
        self.kind = kind
        self.detail = detail
        self.status = exchange.status
        self.exchange = exchange
        after = exchange.headers.get("retry-after", "")
        self.retry_after = float(after) if re.fullmatch(r"\d{1,6}(\.\d+)?", after) else None
        sentence = SENTENCES[kind] + HINTS.get((about.kind, kind), "")
        super().__init__(
            sentence.format(
                label=about.label,
                base=about.base,
                model=about.model,
                key=about.key_setting,
                url=exchange.url or about.base,
                total=about.total,
                detail=detail,
                after=f" {self.retry_after:g} s" if self.retry_after is not None else "",
                told=f" It said: {detail}" if detail else "",
            )
        )


def explain(error: BaseException, about: About, exchange: Exchange) -> Failure | None:
    """The failure behind an exception; None for one that is no provider's fault but a mistake of ours."""
    if isinstance(error, Failure):
        return error
    causes = list(_causes(error))
    names = {name for cause in causes for name in (base.__name__ for base in type(cause).__mro__)}
    detail = _said(exchange.response) or _said_in_stream(error)
    if exchange.status is not None and exchange.status >= 300:
        return Failure(_by_status(exchange.status, detail, exchange), about, exchange, detail)
    if names & {"UnsupportedProtocol", "InvalidURL"}:
        return Failure("wrong_address", about, exchange)
    if "ProxyError" in names:
        return Failure("proxy", about, exchange, str(causes[-1]))
    if flaw := why_unsafe(error):
        return Failure("unsafe", about, exchange, flaw)
    if names & {"ConnectTimeout", "ConnectError"}:
        return Failure("not_running" if is_loopback(about.base) else "unreachable", about, exchange)
    if names & {"TimeoutException", "APITimeoutError"}:
        return Failure("timeout", about, exchange)
    if names & {"TransportError", "StreamError", "APIConnectionError"}:
        return Failure("cut", about, exchange)
    if names & {"APIError"}:
        return Failure(_by_words(detail) or "server_error", about, exchange, detail)
    if "JSONDecodeError" in names and _broke_off(exchange):
        return Failure("cut", about, exchange)
    if names & {"JSONDecodeError", "UnicodeDecodeError", "APIResponseValidationError"}:
        return Failure("malformed", about, exchange, detail or _start_of(exchange))
    return None


def told(value: Any, about: About, exchange: Exchange) -> Failure | None:
    """The failure in a body that came with status 200; None if it holds no error."""
    detail = _message_in(value)
    return Failure(_by_words(detail) or "server_error", about, exchange, detail) if detail else None


def _by_status(status: int, detail: str, exchange: Exchange) -> str:
    kinds = {401: "key_refused", 402: "no_credit", 403: "key_refused", 407: "proxy", 408: "timeout"}
    kinds |= {413: "too_long", 503: "overloaded", 504: "timeout", 529: "overloaded"}
    words = _by_words(detail)
    if status in kinds:
        return kinds[status]
    if status == 404:
        return "model_missing" if detail and re.search("model", detail, re.IGNORECASE) else "wrong_address"
    if status == 429:
        return words if words == "no_credit" else "rate_limited"
    if status >= 500:
        return words or "server_error"
    if status < 400 or status == 405 or "html" in exchange.headers.get("content-type", ""):
        return "wrong_address"
    return words or "refused"


_WORDS = (
    ("no_tools", r"not support tool|tools? (is|are) not supported|does not support function"),
    (
        "too_long",
        r"context[ _](length|window|size)|prompt is too long|too many (input )?tokens|maximum (context|prompt)"
        r"|exceeds? the (available |model'?s? )?(context|limit)|input is too long|request_too_large",
    ),
    ("no_credit", r"insufficient[ _]quota|credit balance|exceeded your current quota|billing"),
    ("key_refused", r"invalid[ _](x-)?api[ _-]key|incorrect api key|api key not valid|authentication_error"),
    ("model_missing", r"model .{0,200}(not found|does not exist)|model_not_found|no such model"),
    ("rate_limited", r"rate[ _]limit"),
    ("overloaded", r"overloaded|server busy|queue full|maximum pending requests"),
)


def _by_words(detail: str) -> str | None:
    return next((kind for kind, words in _WORDS if re.search(words, detail, re.IGNORECASE)), None)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _said(body: bytes) -> str:
    """The provider's own words in the body of an error; empty when it is none of the usual shapes."""
    try:
        return _message_in(json.loads(body))
    except (ValueError, RecursionError):
        return ""


def _message_in(value: Any) -> str:
    """{"error": {"message", "type", "code"}}, {"error": "…"}, {"message": "…"} or {"detail": "…"}."""
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return ""
    error = value.get("error")
    if isinstance(error, dict):
        parts = [error.get("message"), error.get("code") or error.get("type")]
        told = [part for part in parts if isinstance(part, str) and part]
        return f"{told[0]} ({told[1]})" if len(told) == 2 else told[0] if told else compact(error)
    found = error or value.get("message") or value.get("detail")
    return found if isinstance(found, str) else ""


def _said_in_stream(error: BaseException) -> str:
    """An error that came as an event of a stream: the SDK has its body."""
    body = getattr(error, "body", None)
    return _message_in(body if isinstance(body, dict) and "error" in body else {"error": body}) if body else ""


def _broke_off(exchange: Exchange) -> bool:
    """Whether this is a stream whose last event never ended."""
    streamed = "event-stream" in exchange.headers.get("content-type", "")
    return streamed and not exchange.response.endswith((b"\n\n", b"\r\n\r\n"))


def _start_of(exchange: Exchange) -> str:
    kind = exchange.headers.get("content-type", "no content type")
    return f"{kind}: {exchange.response[:100].decode('utf-8', 'replace')}"


def _shown(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= MAX_QUOTED else text[:MAX_QUOTED] + "…"
