"""One function per method a client may call, in the order of the specification's table of contents.

In:   a Call: the request, what is known of the client, and the catalogue.
Out:  the result as an object in its newest form; or a generator of effects that ends with it; or ProtocolError.
Here nobody knows how the request came or how the result travels. serving.py drives the generators and cuts results to
the revision; a function that reads `memory.revision` does so only where the content itself must differ.
"""

from collections.abc import Callable, Generator
from functools import partial
from typing import Any

from mcp_core import content, revisions, strict
from mcp_core.calls import Call, Listen, Object, capabilities, page, param
from mcp_core.catalogue import Completer, NotFound
from mcp_core.effects import Effect, Output, Steps, ToolError
from mcp_core.messages import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    MISSING_CAPABILITY,
    RESOURCE_NOT_FOUND,
    ProtocolError,
)

# ---- Lifecycle and basic words ---------------------------------------------------------------------------------------


def initialize(call: Call) -> Object:
    """https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization"""
    asked = param(call, "protocolVersion", str)
    memory = call.memory
    memory.capabilities = param(call, "capabilities", dict, {})
    memory.client = param(call, "clientInfo", dict, {})
    memory.revision = revisions.negotiate(asked)
    memory.introduced, memory.level = True, None
    memory.subscribed.clear()
    result = {
        "protocolVersion": memory.revision,
        "capabilities": revisions.trim("capabilities", capabilities(call), memory.revision),
        "serverInfo": revisions.trim("implementation", call.catalogue.info, memory.revision),
    }
    return _with_instructions(call, result)


def discover(call: Call) -> Object:
    """https://modelcontextprotocol.io/specification/2026-07-28/server/discover"""
    result = {"supportedVersions": list(revisions.STATELESS), "capabilities": capabilities(call)}
    return {**_with_instructions(call, result), "ttlMs": 3_600_000, "cacheScope": "public"}


def ping(call: Call) -> Object:
    """https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping"""
    return {}


def listen(call: Call) -> Generator[Listen, None, Object]:
    """https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions"""
    if not call.can_push:
        raise ProtocolError(METHOD_NOT_FOUND, "subscriptions/listen needs a stream, and this endpoint only answers.")
    wanted = param(call, "notifications", dict)
    offered = capabilities(call)
    honored: Object = {
        f"{kind}ListChanged": True
        for kind in ("tools", "prompts", "resources")
        if wanted.get(f"{kind}ListChanged") is True and revisions.has_capability(offered, f"{kind}.listChanged")
    }
    uris = wanted.get("resourceSubscriptions")
    if isinstance(uris, list) and revisions.has_capability(offered, "resources.subscribe"):
        honored["resourceSubscriptions"] = [uri for uri in uris if isinstance(uri, str)]
    yield Listen(honored)
    return {}


def _with_instructions(call: Call, result: Object) -> Object:
    text = call.catalogue.instructions
    return result if text is None else {**result, "instructions": text}


# ---- Tools -----------------------------------------------------------------------------------------------------------


def list_tools(call: Call) -> Object:
    """https://modelcontextprotocol.io/specification/2025-11-25/server/tools#listing-tools"""
    listed = (revisions.trim("tool", tool.listed, call.memory.revision) for tool in call.catalogue.tools.values())
    return {**page(call, "tools", listed), "ttlMs": 60_000, "cacheScope": "public"}


def call_tool(call: Call) -> Steps[Object]:
    """https://modelcontextprotocol.io/specification/2025-11-25/server/tools#calling-tools"""
    name = param(call, "name", str)
    arguments = param(call, "arguments", dict, {})
    tool = call.catalogue.tools.get(name)
    if tool is None:
        known = ", ".join(call.catalogue.tools)
        raise ProtocolError(INVALID_PARAMS, f"There is no tool named {name[:80]!r}; the tools are {known}.")
    if lacking := {need: value for need, value in tool.needs.items() if not call.can(need)}:
        text = f"The tool {name} needs a client with the capability {', '.join(lacking)}."
        if not call.is_stateless:  # where this has no code of its own
            return _failed(text)
        raise ProtocolError(MISSING_CAPABILITY, text, {"requiredCapabilities": lacking})
    if complaints := tool.check(arguments):
        # A model can mend its arguments, so it must see what is wrong with them: a result, not a protocol error
        # (2025-11-25, server/tools, Error Handling).
        return _failed(f"The arguments of {name} are not right: {'; '.join(complaints)}.")
    try:
        value = yield from _steps(tool.function(**arguments))
    except ToolError as error:
        return _failed(str(error))
    return _tool_result(value, call.memory.revision)


def _steps(value: Any) -> Generator[Effect, Any, Any]:
    """A plain value at once, or what a generator returns after its effects."""
    return (yield from value) if isinstance(value, Generator) else value


def _failed(text: str) -> Object:
    return {"content": [content.text(text)], "isError": True}


def _tool_result(value: Any, revision: str) -> Object:
    if isinstance(value, Output):
        result: Object = {
            "content": revisions.trim_content(value.content, revision),
            "isError": value.is_error,
        }
        if value.structured is not None:
            result["structuredContent"] = value.structured
        return result if value.meta is None else {**result, "_meta": value.meta}
    if isinstance(value, dict):
        # Repeated as text for clients and models that don't look at structuredContent (2025-06-18, server/tools).
        return {"content": [content.text(strict.dumps(value))], "structuredContent": value, "isError": False}
    return {
        "content": [content.text(value if isinstance(value, str) else strict.dumps(value))],
        "isError": False,
    }


# ---- Resources -------------------------------------------------------------------------------------------------------


def list_resources(call: Call) -> Object:
    """https://modelcontextprotocol.io/specification/2025-11-25/server/resources#listing-resources"""
    fixed = (resource.listed for resource in call.catalogue.resources.values())
    found = (entry for template in call.catalogue.templates.values() for entry in template.listing())
    listed = (revisions.trim("resource", entry, call.memory.revision) for entry in (*fixed, *found))
    return {**page(call, "resources", listed), "ttlMs": 0, "cacheScope": "private"}


def list_templates(call: Call) -> Object:
    """https://modelcontextprotocol.io/specification/2025-11-25/server/resources#resource-templates"""
    templates = call.catalogue.templates.values()
    listed = (revisions.trim("resource", template.listed, call.memory.revision) for template in templates)
    return {**page(call, "resourceTemplates", listed), "ttlMs": 60_000, "cacheScope": "public"}


def read_resource(call: Call) -> Steps[Object]:
    """https://modelcontextprotocol.io/specification/2025-11-25/server/resources#reading-resources"""
    uri = param(call, "uri", str)
    try:
        found, mime_type = _resource(call, uri)
        value = yield from _steps(found())
    except (NotFound, ToolError) as error:
        reason = str(error) or f"There is no resource {uri[:200]!r}; resources/list shows what there is."
        code = INVALID_PARAMS if call.is_stateless else RESOURCE_NOT_FOUND
        raise ProtocolError(code, reason, {"uri": uri}) from None
    contents = value if isinstance(value, list) else [content.contents(uri, value, mime_type)]
    return {"contents": contents, "ttlMs": 0, "cacheScope": "private"}


def subscribe(call: Call) -> Object:
    """https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions"""
    call.memory.subscribed.add(param(call, "uri", str))
    return {}


def unsubscribe(call: Call) -> Object:
    """https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions"""
    call.memory.subscribed.discard(param(call, "uri", str))
    return {}


def _resource(call: Call, uri: str) -> tuple[Callable[[], Any], str | None]:
    """The function that reads a resource, and the MIME type it was declared with."""
    if (fixed := call.catalogue.resources.get(uri)) is not None:
        return fixed.function, fixed.listed.get("mimeType")
    for template in call.catalogue.templates.values():
        if (variables := template.match(uri)) is not None:
            return partial(template.function, **variables), template.listed.get("mimeType")
    raise NotFound


# ---- Prompts ---------------------------------------------------------------------------------------------------------


def list_prompts(call: Call) -> Object:
    """https://modelcontextprotocol.io/specification/2025-11-25/server/prompts#listing-prompts"""

    def trimmed(entry: Object) -> Object:
        entry = revisions.trim("prompt", entry, call.memory.revision)
        if "arguments" not in entry:
            return entry
        arguments = [revisions.trim("argument", part, call.memory.revision) for part in entry["arguments"]]
        return {**entry, "arguments": arguments}

    listed = (trimmed(prompt.listed) for prompt in call.catalogue.prompts.values())
    return {**page(call, "prompts", listed), "ttlMs": 60_000, "cacheScope": "public"}


def get_prompt(call: Call) -> Steps[Object]:
    """https://modelcontextprotocol.io/specification/2025-11-25/server/prompts#getting-a-prompt"""
    name = param(call, "name", str)
    arguments = param(call, "arguments", dict, {})
    prompt = call.catalogue.prompts.get(name)
    if prompt is None:
        known = ", ".join(call.catalogue.prompts)
        raise ProtocolError(INVALID_PARAMS, f"There is no prompt named {name[:80]!r}; the prompts are {known}.")
    if complaints := prompt.check(arguments):
        raise ProtocolError(INVALID_PARAMS, f"The arguments of {name} are not right: {'; '.join(complaints)}.")
    try:
        value = yield from _steps(prompt.function(**arguments))
    except ToolError as error:
        raise ProtocolError(INVALID_PARAMS, str(error)) from None
    messages = [
        {**part, "content": revisions.trim_content([part["content"]], call.memory.revision)[0]}
        for part in ([content.message("user", value)] if isinstance(value, str) else value)
    ]
    about = prompt.listed.get("description")
    return {"messages": messages} if about is None else {"description": about, "messages": messages}


# ---- Utilities -------------------------------------------------------------------------------------------------------


def complete(call: Call) -> Object:
    """https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/completion"""
    ref, argument = param(call, "ref", dict), param(call, "argument", dict)
    name, typed = argument.get("name"), argument.get("value")
    if not isinstance(name, str) or not isinstance(typed, str):
        raise ProtocolError(INVALID_PARAMS, "The argument to complete has a name and a value, both strings.")
    context = param(call, "context", dict, {}).get("arguments", {})
    others = (
        {key: value for key, value in context.items() if isinstance(value, str)} if isinstance(context, dict) else {}
    )
    completer = _completers(call, ref).get(name)
    values = completer(typed, others) if completer is not None else []
    # At most a hundred are sent, and the client is told how many there were.
    return {"completion": {"values": values[:100], "total": len(values), "hasMore": len(values) > 100}}


def set_level(call: Call) -> Object:
    """https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging#setting-log-level"""
    call.memory.level = log_level(call.params.get("level"))
    return {}


def log_level(value: Any) -> str:
    """A log level, or ProtocolError -32602.

    >>> log_level("warning")
    'warning'
    """
    if value not in revisions.LOG_LEVELS:
        levels = ", ".join(revisions.LOG_LEVELS)
        raise ProtocolError(INVALID_PARAMS, f"{str(value)[:40]!r} is no log level; the levels are {levels}.")
    return str(value)


def _completers(call: Call, ref: Object) -> dict[str, Completer]:
    kind = ref.get("type")
    if kind == "ref/prompt":
        prompt = call.catalogue.prompts.get(str(ref.get("name")))
        if prompt is not None:
            return prompt.complete
    elif kind == "ref/resource":
        template = call.catalogue.templates.get(str(ref.get("uri")))
        if template is not None:
            return template.complete
    raise ProtocolError(INVALID_PARAMS, "There is no such prompt or template of resources to complete an argument of.")


# ---- The table of contents -------------------------------------------------------------------------------------------

HANDLERS: dict[str, Callable[[Call], Object | Generator[Any, Any, Object]]] = {
    "initialize": initialize,
    "server/discover": discover,
    "ping": ping,
    "subscriptions/listen": listen,
    "tools/list": list_tools,
    "tools/call": call_tool,
    "resources/list": list_resources,
    "resources/templates/list": list_templates,
    "resources/read": read_resource,
    "resources/subscribe": subscribe,
    "resources/unsubscribe": unsubscribe,
    "prompts/list": list_prompts,
    "prompts/get": get_prompt,
    "completion/complete": complete,
    "logging/setLevel": set_level,
}
