"""JSON-RPC 2.0, the envelope of every MCP message.

In:   the text or bytes of one message, exactly as it traveled.
Out:  a Request, a Notification, a Result or a Failure; or a ProtocolError that says why it is none of them.
Here nobody knows what a method means, which revision of MCP is spoken, or how the bytes got here.

decode() has two halves, parse() for the text and read() for the shape, because revision 2025-03-26 may send an array
of messages (a batch), which is one JSON value but several messages. Errors carry the id of the offending request
wherever one could be read: an error with another id is an answer nobody is waiting for (JSON-RPC 2.0 section 5).
"""

from dataclasses import dataclass, field
from typing import Any, assert_never

from mcp_core import strict

# ---- The one table of error codes ------------------------------------------------------------------------------------

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RESOURCE_NOT_FOUND = -32002  # handshake revisions only; 2026-07-28 uses INVALID_PARAMS
URL_ELICITATION_REQUIRED = -32042  # 2025-11-25 only
HEADER_MISMATCH = -32020  # this and the next two: 2026-07-28
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022

CODES: dict[int, str] = {
    PARSE_ERROR: "Parse error",
    INVALID_REQUEST: "Invalid Request",
    METHOD_NOT_FOUND: "Method not found",
    INVALID_PARAMS: "Invalid params",
    INTERNAL_ERROR: "Internal error",
    RESOURCE_NOT_FOUND: "Resource not found",
    URL_ELICITATION_REQUIRED: "URL elicitation required",
    HEADER_MISMATCH: "Header mismatch",
    MISSING_CAPABILITY: "Missing required client capability",
    UNSUPPORTED_VERSION: "Unsupported protocol version",
}

# ---- The four messages -----------------------------------------------------------------------------------------------

Id = str | int


@dataclass(frozen=True, slots=True)
class Request:
    """Asks for something and expects exactly one answer with the same id."""

    id: Id
    method: str
    params: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Notification:
    """Tells something; nobody may answer it, not even with an error (JSON-RPC 2.0 section 4.1)."""

    method: str
    params: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Result:
    """The good answer to the request with this id."""

    id: Id
    result: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Failure:
    """The bad answer; its id is None only where the id of the request could not be read."""

    id: Id | None
    code: int
    message: str
    data: Any = None


Message = Request | Notification | Result | Failure


class ProtocolError(Exception):
    """What the peer's program did wrong. It travels back as a Failure, never as a traceback."""

    # Drawn once: this is all that mcp_core raises about a peer; effects.ToolError is what a tool tells a model.

    def __init__(self, code: int, message: str, data: Any = None, id: Id | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data, self.id = code, message, data, id

    def as_failure(self, id: Id | None = None) -> Failure:
        """The error as the message to send, for the request with this id.

        >>> ProtocolError(METHOD_NOT_FOUND, "There is no method 'tools/dance'.").as_failure(7)
        Failure(id=7, code=-32601, message="There is no method 'tools/dance'.", data=None)
        """
        return Failure(self.id if id is None else id, self.code, self.message, self.data)


# ---- From text to messages -------------------------------------------------------------------------------------------


def decode(data: str | bytes, limit: int = strict.MAX_BYTES) -> Message:
    """Reads one message of at most `limit` bytes. Raises ProtocolError for anything else.

    >>> decode('{"jsonrpc":"2.0","id":1,"method":"ping"}')
    Request(id=1, method='ping', params={})
    >>> decode(b'[1]')
    Traceback (most recent call last):
    mcp_core.messages.ProtocolError: A message must be a JSON object, and this is an array.
    """
    return read(parse(data, limit))


def parse(data: str | bytes, limit: int = strict.MAX_BYTES) -> Any:
    """Reads one strict JSON value (RFC 8259) of at most `limit` bytes, or raises ProtocolError -32700.

    >>> parse('{"a": [1, 2.5, null]}')
    {'a': [1, 2.5, None]}
    >>> parse('{"a": NaN}')
    Traceback (most recent call last):
    mcp_core.messages.ProtocolError: This is not JSON: NaN is not a JSON number.
    """
    try:
        return strict.loads(data, limit)
    except strict.NotJSON as reason:
        raise ProtocolError(PARSE_ERROR, f"This is not JSON: {reason}.") from None


def read(value: Any) -> Message:
    """Sees which of the four messages a JSON value is, or raises ProtocolError -32600 (-32602 for params by position).

    >>> read({"jsonrpc": "2.0", "method": "notifications/initialized"})
    Notification(method='notifications/initialized', params={})
    >>> read({"jsonrpc": "2.0", "id": 1, "result": {}})
    Result(id=1, result={})
    """
    if not isinstance(value, dict):
        raise ProtocolError(INVALID_REQUEST, f"A message must be a JSON object, and this is {kind_of(value)}.")
    id = value.get("id")
    # MCP narrows JSON-RPC here: an id is a string or an integer, never null (basic, Requests). An answer to a request
    # that could not be read is the one message that has none to give.
    has_none_to_give = id is None and "error" in value and "method" not in value
    if "id" in value and not is_id(id) and not has_none_to_give:
        text = f"The id of a message is a string or an integer, and this one is {kind_of(id)}."
        raise ProtocolError(INVALID_REQUEST, text)
    if value.get("jsonrpc") != "2.0":
        raise ProtocolError(INVALID_REQUEST, 'A message says "jsonrpc": "2.0", and this one does not.', id=id)
    if "method" in value:
        return _read_call(value, id)
    if "result" in value or "error" in value:
        return _read_answer(value, id)
    raise ProtocolError(INVALID_REQUEST, "A message has a method, a result or an error, and this has none.", id=id)


def _read_call(value: dict[str, Any], id: Id | None) -> Request | Notification:
    method, params = value["method"], value.get("params")
    if "result" in value or "error" in value:
        raise ProtocolError(INVALID_REQUEST, "A message with a method can't also be an answer.", id=id)
    if not isinstance(method, str):
        raise ProtocolError(INVALID_REQUEST, f"The method is a string, and this is {kind_of(method)}.", id=id)
    if params is None:  # absent; null counts as absent, as early clients send it
        params = {}
    elif isinstance(params, list):  # JSON-RPC allows it, MCP names every parameter
        if id is not None:
            raise ProtocolError(INVALID_PARAMS, "MCP passes params by name: an object, not an array.", id=id)
        params = {}  # good JSON-RPC all the same, so this may not be answered; without names it says nothing to MCP
    elif not isinstance(params, dict):
        raise ProtocolError(INVALID_REQUEST, f"The params are an object, and this is {kind_of(params)}.", id=id)
    return Request(id, method, params) if id is not None else Notification(method, params)


def _read_answer(value: dict[str, Any], id: Id | None) -> Result | Failure:
    if "result" in value and "error" in value:
        raise ProtocolError(INVALID_REQUEST, "An answer is a result or an error, and this is both.", id=id)
    if "result" in value:
        if id is None:
            raise ProtocolError(INVALID_REQUEST, "A result has the id of its request, and this has none.")
        if not isinstance(value["result"], dict):
            raise ProtocolError(
                INVALID_REQUEST, f"A result is an object, and this is {kind_of(value['result'])}.", id=id
            )
        return Result(id, value["result"])
    error = value["error"]
    if not isinstance(error, dict):
        raise ProtocolError(INVALID_REQUEST, f"An error is an object, and this is {kind_of(error)}.", id=id)
    code, message = error.get("code"), error.get("message")
    if not isinstance(code, int) or isinstance(code, bool) or not isinstance(message, str):
        raise ProtocolError(INVALID_REQUEST, "An error has an integer code and a message, and this has not.", id=id)
    return Failure(id, code, message, error.get("data"))


def is_id(value: Any) -> bool:
    """Whether a JSON value can be a request's id. In Python True is an int; on the wire it is none.

    >>> [is_id(v) for v in (0, "", "a", True, 1.0, None)]
    [True, True, True, False, False, False]
    """
    return isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool))


def kind_of(value: Any) -> str:
    """What a JSON value is, in the words of a sentence.

    >>> kind_of([1]), kind_of(None), kind_of(True), kind_of(2)
    ('an array', 'null', 'a boolean', 'an integer')
    """
    if value is None:
        return "null"
    names = {bool: "a boolean", int: "an integer", float: "a number", str: "a string", list: "an array"}
    return names.get(type(value), "an object")


# ---- From messages to text -------------------------------------------------------------------------------------------


def encode(message: Message) -> str:
    """Writes a message as one line of ASCII.

    >>> encode(Result(1, {"text": "naïve"}))
    '{"jsonrpc":"2.0","id":1,"result":{"text":"na\\\\u00efve"}}'
    """
    return strict.dumps(as_json(message))


def as_json(message: Message) -> dict[str, Any]:
    """A message as the JSON object that travels. Empty params are left out.

    >>> as_json(Failure(None, -32700, "This is not JSON."))
    {'jsonrpc': '2.0', 'id': None, 'error': {'code': -32700, 'message': 'This is not JSON.'}}
    """
    match message:
        case Result(id, result):
            return {"jsonrpc": "2.0", "id": id, "result": result}
        case Request(id, method, params):
            head: dict[str, Any] = {"jsonrpc": "2.0", "id": id, "method": method}
            return {**head, "params": params} if params else head
        case Notification(method, params):
            head = {"jsonrpc": "2.0", "method": method}
            return {**head, "params": params} if params else head
        case Failure(id, code, text, data):
            error = {"code": code, "message": text}
            return {"jsonrpc": "2.0", "id": id, "error": error if data is None else {**error, "data": data}}
        case _:
            assert_never(message)
