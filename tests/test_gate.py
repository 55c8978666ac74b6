"""The gate: who may ask, from where and with what, as a table; and the headers that every response carries."""

import io
import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playground.gate import API_HEADERS, MAX_BODY, PASSED, Gate, NotAHost, Refusal, Rules, check

ROUTES = {
    "/mcp": ("POST", "GET", "DELETE"),
    "/rpc": ("POST",),
    "/healthz": ("GET",),
    "/": ("GET",),
    "/web/": ("GET", "HEAD"),
}
RULES = Rules(5000, ROUTES, frozenset({"my-laptop", "tunnel.example:8443"}), max_body=100)
GOOD = {"host": "127.0.0.1:5000", "content-type": "application/json"}


def status(method: str = "POST", path: str = "/rpc", rules: Rules = RULES, **headers: str | None) -> int:
    """Return the status of the refusal, or 200. ``None`` takes a header away."""
    sent = GOOD | {name.replace("_", "-"): value for name, value in headers.items() if value is not None}
    for name, value in headers.items():
        if value is None:
            del sent[name.replace("_", "-")]
    refusal = check(method, path, sent, rules)
    return refusal.status if refusal else 200


# ---- 1. Host and Origin ------------------------------------------------------------------------------------

OURS = "127.0.0.1:5000 localhost:5000 LOCALHOST:5000 [::1]:5000 my-laptop my-laptop:1234 My-Laptop tunnel.example:8443"
FOREIGN = """rebind.evil.example:5000 evil.example 127.0.0.1 127.0.0.1:80 127.0.0.1:5001 localhost [::1] localhost:05000
127.0.0.2:5000 0.0.0.0:5000 127.0.0.1.evil.example:5000 evil-localhost:5000 localhost.evil:5000 2130706433:5000
[::ffff:7f00:1]:5000 [0:0:0:0:0:0:0:1]:5000 tunnel.example tunnel.example:1 my-laptop.evil:5000 127.1:5000 127.0.0.1:
localhost.:5000 rebind.evil.example.:5000 [::1%25eth0]:5000 %6cocalhost:5000 * localhost,localhost:5000"""
MALFORMED = [None, "", ":5000", "127.0.0.1:5000, 127.0.0.1:5000", "evil@127.0.0.1:5000", "127.0.0.1:5000@evil"]
MALFORMED += ["127.0.0.1:x", "127.0.0.1:5000:5000", "http://127.0.0.1:5000", "::1:5000", "[::1:5000"]
MALFORMED += [
    "localhost:5000/",
    "localhost:5000\n",
    "localho\u017ft:5000",
    "local host:5000",
    "127.0.0.1:５０００",
]


@pytest.mark.parametrize("host", OURS.split())
def test_our_own_names_are_let_in(host: str) -> None:
    assert status(host=host) == 200


@pytest.mark.parametrize("host", FOREIGN.split())
def test_another_name_is_403(host: str) -> None:
    assert status(host=host) == 403


@pytest.mark.parametrize("host", MALFORMED, ids=ascii)
def test_a_missing_repeated_or_malformed_host_is_400(host: str | None) -> None:
    assert status(host=host) == 400


def test_port_80_need_not_be_said() -> None:
    assert status(rules=Rules(80, ROUTES), host="localhost") == 200


OUR_PAGES = """http://127.0.0.1:5050 https://localhost HTTP://LOCALHOST:1 http://[::1]:9 http://my-laptop:8
http://tunnel.example"""
OTHER_PAGES = """https://attacker.example null file:// http:// http://localhost.attacker.example localhost
http://127.0.0.1@attacker.example http://attacker.example#localhost ftp://localhost http://localhost: http://localhost/
http://127.0.0.1:5050,http://127.0.0.1:5050 http://127.0.0.1:5050/x chrome-extension://abc http://127.0.0.2 *"""


@pytest.mark.parametrize("origin", OUR_PAGES.split())
def test_pages_of_this_machine_are_let_in(origin: str) -> None:
    assert status(origin=origin) == 200


@pytest.mark.parametrize("origin", [*OTHER_PAGES.split(), "", "http://localhost http://evil"])
def test_pages_of_other_origins_are_403(origin: str) -> None:
    assert status(origin=origin) == 403


def test_a_page_elsewhere_may_link_to_us_but_not_load_from_us() -> None:
    assert status("GET", "/", sec_fetch_site="cross-site", sec_fetch_mode="no-cors") == 403
    assert status("GET", "/", sec_fetch_site="cross-site", sec_fetch_mode="navigate") == 200
    assert status("GET", "/", sec_fetch_site="same-origin", sec_fetch_mode="cors") == 200
    # localhost and 127.0.0.1 are two sites to a browser; then Origin decides.
    assert status(sec_fetch_site="cross-site", origin="http://localhost:5050") == 200


# ---- 2. Method, path, content --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("GET", "/mcp", 200),
        ("DELETE", "/mcp", 200),
        ("PUT", "/mcp", 405),
        ("GET", "/rpc", 405),
        ("OPTIONS", "/rpc", 405),
        ("OPTIONS", "/nowhere", 405),
        ("OPTIONS", "*", 405),
        ("post", "/rpc", 405),
        ("HEAD", "/healthz", 405),
        ("HEAD", "/web/app.js", 200),
        ("GET", "/web/app.js", 200),
        ("GET", "/web", 404),
        ("GET", "/nowhere", 404),
        ("GET", "", 404),
        ("POST", "/rpc/", 404),
        ("GET", "/", 200),
    ],
)
def test_each_path_has_its_methods(method: str, path: str, expected: int) -> None:
    assert status(method, path) == expected


def test_a_refused_method_is_told_the_right_ones() -> None:
    refusal = check("PUT", "/mcp", GOOD, RULES)
    assert refusal
    assert refusal.headers == (("Allow", "POST, GET, DELETE"),)


JSON = ["application/json", "APPLICATION/JSON", "application/json; charset=utf-8", "application/json;charset=UTF-8"]
JSON += ["application/json;", "application/json ; "]
JSON += ['application/json ; charset="utf-8"']
NOT_JSON = [None, "", "text/plain", "text/plain; application/json", "text/plain, application/json", "json", "*/*"]
NOT_JSON += ["application/json, application/json", "application/jsonp", "application/json; charset=latin-1"]
NOT_JSON += ["application/json; charset=utf-8; x=y", "application/json\n", "application/x-www-form-urlencoded"]
NOT_JSON += ["application/json; charset=\u017f", 'application/json; charset="utf-8', "application/vnd.api+json"]
NOT_JSON += ["application/json;;", "multipart/form-data"]


@pytest.mark.parametrize("kind", JSON)
def test_json_in_utf_8_is_taken(kind: str) -> None:
    assert status(content_type=kind) == 200


@pytest.mark.parametrize("kind", NOT_JSON, ids=ascii)
def test_any_other_content_type_is_415(kind: str | None) -> None:
    assert status(content_type=kind) == 415


def test_a_content_type_is_asked_only_of_a_post() -> None:
    assert status("GET", "/mcp", content_type=None) == 200


def test_a_compressed_body_is_415() -> None:
    assert status(content_encoding="gzip") == 415
    assert status(content_encoding="Identity") == 200


LENGTHS = {"0": 200, "100": 200, "0000100": 200, "": 200, "101": 413, "9" * 18: 413, "9" * 5000: 413, "-1": 400}
LENGTHS |= dict.fromkeys(["+1", "1.0", "0x10", "10, 10", " 10", "1_0", "١"], 400)


@pytest.mark.parametrize(("length", "expected"), LENGTHS.items())
def test_a_length_is_one_number_within_the_limit(length: str, expected: int) -> None:
    assert status(content_length=length) == expected
    assert status("GET", "/mcp", content_length=length) == expected


@given(
    st.text(max_size=30),
    st.text(max_size=30),
    st.dictionaries(st.sampled_from([*GOOD, "origin"]), st.text(max_size=40)),
)
def test_nothing_makes_the_check_raise(method: str, path: str, headers: dict[str, str]) -> None:
    refusal = check(method, path, headers, RULES)
    assert refusal is None or (400 <= refusal.status < 500 and refusal.sentence.isascii())


# ---- 3. Around an application ----------------------------------------------------------------------------------


class Recorder:
    """An application that says what it got."""

    def __init__(self, headers: Iterable[tuple[str, str]] = ()) -> None:
        self.headers, self.calls = list(headers), 0

    def __call__(self, environ: dict[str, Any], start_response: Any) -> list[bytes]:
        self.calls += 1
        start_response("200 OK", [("Content-Type", "application/json"), *self.headers])
        return [json.dumps(len(environ["wsgi.input"].read())).encode()]


def call(
    gate: Gate, method: str = "POST", path: str = "/rpc", body: bytes = b"{}", **more: Any
) -> tuple[str, dict[str, str], Any]:
    environ = {
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "HTTP_HOST": "localhost:5000",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body),
    } | more
    got: list[Any] = []
    out = b"".join(gate(environ, lambda *args: got.extend(args[:2])))  # type: ignore[arg-type]
    assert len({name.lower() for name, _ in got[1]}) == len(got[1])
    return got[0], dict(got[1]), json.loads(out) if out else None


def gate(app: Any = None, **options: Any) -> Gate:
    settings: dict[str, Any] = {"port": 5000, "routes": ROUTES} | options
    return Gate(app or Recorder(), **settings)


def test_what_may_go_on_reaches_the_application_and_gets_the_headers() -> None:
    line, headers, value = call(gate())
    assert (line, value) == ("200 OK", 2)
    assert API_HEADERS.items() <= headers.items()


def test_who_has_passed_by_the_same_rules_is_not_checked_again() -> None:
    mine, other = gate(), gate()

    def status(**more: Any) -> str:
        return call(mine, HTTP_HOST="evil.example:5000", **more)[0]

    assert status(**{PASSED: mine.rules}) == "200 OK"
    assert status(**{PASSED: other.rules}) == "403 Forbidden"
    assert status(HTTP_PLAYGROUND_PASSED=mine.rules) == "403 Forbidden"


@pytest.mark.parametrize(("path", "is_rpc"), [("/rpc", True), ("/mcp", True), ("/healthz", False), ("/nowhere", False)])
def test_a_refusal_is_json_of_the_paths_kind_and_runs_nothing(path: str, is_rpc: bool) -> None:
    app = Recorder()
    line, headers, value = call(gate(app), path=path, HTTP_HOST="evil.example:5000")
    assert line == "403 Forbidden"
    assert app.calls == 0
    assert API_HEADERS.items() <= headers.items()
    assert headers["Content-Type"] == "application/json"
    if is_rpc:
        assert value.keys() == {"jsonrpc", "id", "error"}
        assert (value["jsonrpc"], value["id"], value["error"]["code"]) == ("2.0", None, -32600)
    else:
        assert value.keys() == {"error"}


def test_a_request_without_a_readable_path_is_answered_as_the_server_speaks() -> None:
    assert b"jsonrpc" in gate().answer(Refusal(400, "x"), None)[2]
    assert b"jsonrpc" not in gate(routes={"/": ("GET",)}).answer(Refusal(400, "x"), None)[2]


def test_the_observer_is_told_of_each_refusal() -> None:
    told: list[tuple[int, str]] = []
    watched = gate(on_refusal=lambda refusal, environ: told.append((refusal.status, environ["PATH_INFO"])))
    call(watched)
    call(watched, CONTENT_TYPE="text/plain")
    assert told == [(415, "/rpc")]


def test_a_refused_head_has_no_body() -> None:
    line, headers, value = call(gate(), method="HEAD")
    assert line == "405 Method Not Allowed"
    assert (headers["Allow"], value) == ("POST", None)


def test_no_response_ever_grants_anything_to_other_sites() -> None:
    generous = Recorder([("Access-Control-Allow-Origin", "*"), ("access-control-allow-methods", "POST")])
    for headers in (call(gate(generous))[1], call(gate(), method="OPTIONS", HTTP_ORIGIN="https://evil.example")[1]):
        assert not [name for name in headers if name.lower().startswith("access-control")]


def test_an_applications_own_headers_and_the_servers_win_over_the_defaults() -> None:
    own = Recorder([("cache-control", "max-age=60")])
    _, headers, _ = call(gate(own, headers={"Content-Security-Policy": "default-src 'self'", "X-More": "1"}))
    assert headers["cache-control"] == "max-age=60"
    assert (headers["Content-Security-Policy"], headers["X-More"]) == ("default-src 'self'", "1")


@pytest.mark.parametrize(("size", "expected"), [(0, "200 OK"), (50, "200 OK"), (51, "413 Request Entity Too Large")])
def test_a_chunked_body_is_counted(size: int, expected: str) -> None:
    app = Recorder()
    more: dict[str, Any] = {"CONTENT_LENGTH": "", "wsgi.input_terminated": True}
    line, _, value = call(gate(app, max_body=50), body=b"x" * size, **more)
    assert line == expected
    assert app.calls == (size <= 50)
    assert size > 50 or value == size


def test_a_body_without_length_or_end_is_no_body_and_left_alone() -> None:
    assert call(gate(), CONTENT_LENGTH="")[0] == "200 OK"


def test_an_offer_of_another_protocol_never_reaches_the_application() -> None:
    seen: list[dict[str, Any]] = []

    def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        seen.append(environ)
        start_response("200 OK", [])
        return []

    call(gate(app), HTTP_CONNECTION="Upgrade", HTTP_UPGRADE="websocket")
    assert "HTTP_UPGRADE" not in seen[0]


def test_allowed_hosts_are_names_with_or_without_a_port() -> None:
    found = gate(allow_hosts=["My-Laptop", "tunnel.example:8443", "fe80::1", "[::2]:8"]).rules.hosts
    assert found == {"my-laptop", "tunnel.example:8443", "[fe80::1]", "[::2]:8"}


@pytest.mark.parametrize("name", ["", "*", "http://x", "a b", "x/y", "a:b"])
def test_what_is_no_host_is_not_allowed_silently(name: str) -> None:
    with pytest.raises(NotAHost, match="is not a host name"):
        gate(allow_hosts=[name])


def test_the_limit_has_room_for_a_megabyte_of_any_writing() -> None:
    assert len(json.dumps("🙂" * (2**20 // 4))) < MAX_BODY
