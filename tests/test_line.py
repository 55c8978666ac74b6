"""The HTTP client under the SDKs: it shows the bytes, it can be cut, it goes past proxies to loopback."""

import contextlib
import threading

import httpx2
import pytest

from playground.host.providers.line import Line, is_loopback
from tests.impostors import STREAM, Impostor, Seen, http


def base(server: Impostor) -> str:
    return server.url.removesuffix("/mcp")


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:11434/v1",
        "http://localhost/",
        "http://LOCALHOST.:80",
        "http://a.localhost",
        "http://[::1]:5000",
        "http://127.8.8.8",
    ],
)
def test_loopback_is_this_machine(url: str) -> None:
    assert is_loopback(url)


@pytest.mark.parametrize(
    "url", ["https://api.openai.com", "http://10.0.0.1", "http://[::1", "", "localhost:80", "http://"]
)
def test_everything_else_is_not(url: str) -> None:
    assert not is_loopback(url)


def test_the_bodies_are_kept_as_they_were_on_the_wire_and_headers_only_where_they_tell_something() -> None:
    answer = http(body=b'{"a": 1}', x_request_id="r1", set_cookie="secret=1")
    with Impostor(lambda seen: answer) as server:
        line = Line(base(server), 5, 5)
        exchange = line.begin()
        sent = threading.Event()
        line.on_sent = sent.set
        response = line.http.post(base(server) + "/x", content=b"hello", headers={"authorization": "Bearer sk"})
        line.cut()
    assert response.content == exchange.response == b'{"a": 1}'
    assert sent.is_set()
    assert (exchange.method, exchange.request, exchange.status) == ("POST", b"hello", 200)
    assert exchange.url == base(server) + "/x"
    assert exchange.headers == {"content-type": "application/json", "x-request-id": "r1"}
    assert exchange.ms > 0
    assert server.seen[0].headers["accept-encoding"] == "identity"
    assert "sk" not in repr(exchange)


def test_certificates_are_checked_where_there_are_any() -> None:
    import ssl

    for url, mode in (("https://127.0.0.1:1", ssl.CERT_REQUIRED), ("http://127.0.0.1:1", ssl.CERT_NONE)):
        line = Line(url, 5, 5)
        assert line.http._transport._pool._ssl_context.verify_mode == mode  # type: ignore[attr-defined]
        line.cut()


def test_a_redirect_is_not_followed() -> None:
    with Impostor(lambda seen: http("302 Found", location="http://127.0.0.1:1/")) as server:
        line = Line(base(server), 5, 5)
        assert line.http.get(base(server)).status_code == 302
        line.cut()


def test_proxy_variables_do_not_catch_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.delenv("NO_PROXY", raising=False)
    with Impostor(lambda seen: http(body=b"direct")) as server:
        line = Line(base(server), 5, 5)
        assert line.http.get(base(server)).content == b"direct"
        line.cut()
    other = Line("http://192.0.2.1", 5, 5)
    with pytest.raises(httpx2.ConnectError):
        other.http.get("http://192.0.2.1/")
    other.cut()


@pytest.mark.parametrize("begun", [False, True])
def test_a_read_that_blocks_is_ended_from_another_thread(begun: bool) -> None:
    arrived = threading.Event()
    hold = threading.Event()

    def silent(seen: Seen) -> object:
        if begun:
            yield STREAM + b"data: 1\n\n"
        arrived.set()
        hold.wait(20)

    with Impostor(silent) as server:  # type: ignore[arg-type]
        line = Line(base(server), 5, 60)
        ended = threading.Event()

        def read() -> None:
            # An error, or none: to a body of unknown length the cut looks like its end.
            with contextlib.suppress(Exception), line.http.stream("GET", base(server)) as response:
                response.read()
            ended.set()

        thread = threading.Thread(target=read)
        thread.start()
        assert arrived.wait(10)
        line.cut()
        assert ended.wait(10)
        thread.join(10)
        hold.set()


def test_a_connection_that_opens_after_the_cut_is_shut_at_once() -> None:
    with Impostor(lambda seen: http()) as server:
        line = Line(base(server), 5, 5)
        line._is_cut = True  # as if cut() came while the socket was being opened
        with pytest.raises(httpx2.TransportError):
            line.http.get(base(server))
        line.cut()
