"""What can go wrong with a model, and what people are told."""

import json
from typing import Any

import pytest

from playground.host.providers import failure
from playground.host.providers.failure import SENTENCES, About, Failure, explain, told
from playground.host.providers.line import Exchange

ABOUT = About("openai", "OpenAI", "https://api.openai.com/v1", "gpt", "OPENAI_API_KEY", "sk-secret-1", 30.0)
LOCAL = About("ollama", "Ollama", "http://127.0.0.1:11434/v1", "granite3.3", "", "", 30.0)


def answered(status: int, body: Any = None, **headers: str) -> Exchange:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Exchange("POST", "http://x/v1/chat/completions", b"", status, names, bytearray(data))


def wrong(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, **more}}


class APIError(Exception):
    body: Any = None


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (401, wrong("Incorrect API key provided"), "key_refused"),
        (403, wrong("Country not supported"), "key_refused"),
        (402, wrong("Insufficient Balance"), "no_credit"),
        (404, wrong("model 'granite3.3' not found"), "model_missing"),
        (404, b"404 page not found", "wrong_address"),
        (405, {}, "wrong_address"),
        (301, {}, "wrong_address"),
        (407, b"", "proxy"),
        (408, b"", "timeout"),
        (413, wrong("Request too large"), "too_long"),
        (400, wrong("registry.ollama.ai/library/gemma3:4b does not support tools"), "no_tools"),
        (400, wrong("This model's maximum context length is 8192 tokens."), "too_long"),
        (400, wrong("prompt is too long: 300 tokens > 200 maximum"), "too_long"),
        (400, wrong("the request exceeds the available context size"), "too_long"),
        (400, wrong("API key not valid. Please pass a valid API key."), "key_refused"),
        (400, {"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}, "refused"),
        (400, [wrong("first of a list")], "refused"),
        (422, {"detail": "unprocessable"}, "refused"),
        (400, {"error": "does not support tools"}, "no_tools"),
        (400, {"error": {}}, "refused"),
        (400, {"error": {"odd": 1}}, "refused"),
        (400, 5, "refused"),
        (429, wrong("Rate limit reached", code="rate_limit_exceeded"), "rate_limited"),
        (429, wrong("You exceeded your current quota", code="insufficient_quota"), "no_credit"),
        (500, wrong("boom"), "server_error"),
        (500, b"<html>", "server_error"),
        (502, b"", "server_error"),
        (503, wrong("server busy, please try again. maximum pending requests exceeded"), "overloaded"),
        (500, wrong("Overloaded"), "overloaded"),
        (504, b"", "timeout"),
        (529, wrong("Overloaded", type="overloaded_error"), "overloaded"),
    ],
)
def test_a_status_and_the_words_with_it_name_the_failure(status: int, body: Any, kind: str) -> None:
    found = explain(APIError("x"), ABOUT, answered(status, body))
    assert found is not None
    assert (found.kind, found.status) == (kind, status)
    assert "\n" not in str(found)


def test_an_error_without_words_is_shown_as_the_json_that_it_is() -> None:
    found = explain(APIError("x"), ABOUT, answered(400, {"error": {"message": None, "odd": True}}))
    assert found is not None
    assert '{"message":null,"odd":true}' in str(found)


def test_a_web_page_in_place_of_an_error_means_a_wrong_address() -> None:
    found = explain(APIError(), ABOUT, answered(400, b"<html>", content_type="text/html"))
    assert found is not None
    assert found.kind == "wrong_address"


def fault(*names: str) -> Exception:
    """An exception whose causes have these class names, as the SDKs' and httpx2's have."""
    error: Exception | None = None
    for name in reversed(names):
        inner = type(name, (Exception,), {})(name)
        inner.__cause__ = error
        error = inner
    assert error is not None
    return error


@pytest.mark.parametrize(
    ("error", "about", "kind"),
    [
        (fault("APIConnectionError", "ConnectError"), LOCAL, "not_running"),
        (fault("APIConnectionError", "ConnectError"), ABOUT, "unreachable"),
        (fault("APITimeoutError", "ConnectTimeout"), ABOUT, "unreachable"),
        (fault("APIConnectionError", "ProxyError"), ABOUT, "proxy"),
        (fault("APITimeoutError", "ReadTimeout"), ABOUT, "timeout"),
        (fault("APIConnectionError", "UnsupportedProtocol", "TransportError"), ABOUT, "wrong_address"),
        (fault("APIConnectionError", "RemoteProtocolError"), ABOUT, "cut"),
        (fault("JSONDecodeError"), ABOUT, "malformed"),
        (fault("APIResponseValidationError"), ABOUT, "malformed"),
    ],
)
def test_without_a_status_the_exception_names_the_failure(error: Exception, about: About, kind: str) -> None:
    found = explain(error, about, Exchange())
    assert found is not None
    assert found.kind == kind


def test_a_stream_that_ends_inside_an_event_broke_off() -> None:
    for body, kind in ((b"data: {\n\n", "malformed"), (b'data: {"a"', "cut")):
        found = explain(fault("JSONDecodeError"), ABOUT, answered(200, body, content_type="text/event-stream"))
        assert found is not None
        assert found.kind == kind


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"type": "overloaded_error", "message": "Overloaded"}, "overloaded"),
        ({"type": "error", "error": {"message": "rate limit hit"}}, "rate_limited"),
        ("strange", "server_error"),
        (None, "server_error"),
    ],
)
def test_an_error_in_mid_stream_is_read_from_the_body_that_the_sdk_has(body: Any, kind: str) -> None:
    error = APIError("x")
    error.body = body
    found = explain(error, ABOUT, answered(200, b"data: {}\n\n"))
    assert found is not None
    assert found.kind == kind


def test_an_error_with_status_200_is_an_error() -> None:
    found = told(wrong("model 'x' not found"), ABOUT, answered(200, {}))
    assert found is not None
    assert found.kind == "model_missing"
    assert told({"choices": []}, ABOUT, answered(200, {})) is None


def test_our_own_mistakes_are_not_explained_away() -> None:
    assert explain(ZeroDivisionError(), ABOUT, Exchange()) is None


def test_a_failure_stays_what_it_is() -> None:
    found = Failure("cut", ABOUT)
    assert explain(found, ABOUT, Exchange()) is found


def test_every_kind_has_one_sentence_without_holes() -> None:
    for kind in SENTENCES:
        for about in (ABOUT, LOCAL):
            sentence = str(Failure(kind, about, answered(400, {}, retry_after="7"), "its own words"))
            assert "{" not in sentence
            assert sentence.count("\n") == 0
    assert "ollama serve" in str(Failure("not_running", LOCAL))
    assert "ollama pull granite3.3" in str(Failure("model_missing", LOCAL))


def test_how_long_to_wait_is_read_from_the_header() -> None:
    limited = Failure("rate_limited", ABOUT, answered(429, {}, retry_after="20"))
    assert limited.retry_after == 20
    assert "wait 20 s" in str(limited)
    assert Failure("rate_limited", ABOUT, answered(429, {}, retry_after="soon")).retry_after is None


def test_a_key_that_is_quoted_back_is_masked_and_long_words_are_cut() -> None:
    found = Failure("key_refused", ABOUT, None, "Incorrect: sk-secret-1 " + "x " * 500)
    assert "sk-secret" not in str(found) + found.detail
    assert "***" in found.detail
    assert len(found.detail) <= failure.MAX_QUOTED + 1
