"""The server that the official conformance suite examines: its fixtures, on the core and the shell of server.py.

In:   a port. Out: an MCP server over HTTP that offers exactly the tools, resources and prompts the suite asks for.
Here nobody knows the protocol: each fixture is a plain function, as a tool of server.py is, and what one does is
prescribed by the suite's own description of its scenarios.

    python -m tests.conformance.everything --port 5001
"""

from __future__ import annotations

import argparse
import io
import json
import struct
import sys
import time
import wave
import zlib
from typing import Annotated, Any

import server
from mcp_core import content
from mcp_core.catalogue import Catalogue, Change
from mcp_core.content import Block
from mcp_core.effects import Ask, HangUp, Log, Output, Progress, Steps, ToolError
from playground import settings
from playground.logbook import Logbook

PAUSE = 0.05  # seconds between two notifications, as the suite wants them


def everything() -> Catalogue:
    """All fixtures of the suite."""
    catalogue = Catalogue("mcp-playground-fixtures", "1.0.0", title="Fixtures of the conformance suite")
    offer_answers(catalogue)
    offer_reports(catalogue)
    offer_questions(catalogue)
    offer_forms(catalogue)
    offer_rounds(catalogue)
    offer_schemas(catalogue)
    offer_resources(catalogue)
    offer_prompts(catalogue)
    return catalogue


# ---- 1. Tools that answer --------------------------------------------------------------------------------------------


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def red_dot() -> bytes:
    """The smallest PNG there is: one red pixel."""
    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    pixel = zlib.compress(b"\x00\xff\x00\x00")
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", pixel) + _chunk(b"IEND", b"")


def silence() -> bytes:
    """A WAV of eight silent samples."""
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(8000)
        sound.writeframes(b"\x80" * 8)
    return file.getvalue()


def offer_answers(catalogue: Catalogue) -> None:
    """Each kind of content there is, and a failure."""
    tool = catalogue.tool

    @tool()
    def test_simple_text() -> str:
        """Answers with a text."""
        return "This is a simple text response for testing."

    @tool()
    def test_image_content() -> Output:
        """Answers with an image."""
        return Output([content.image(red_dot())])

    @tool()
    def test_audio_content() -> Output:
        """Answers with a sound."""
        return Output([content.audio(silence())])

    @tool()
    def test_embedded_resource() -> Output:
        """Answers with a resource and its contents."""
        body = "This is an embedded resource content."
        return Output([content.embedded("test://embedded-resource", body, "text/plain")])

    @tool()
    def test_multiple_content_types() -> Output:
        """Answers with a text, an image and a resource."""
        data = content.embedded(
            "test://mixed-content-resource", json.dumps({"test": "data", "value": 123}), "application/json"
        )
        return Output([content.text("Multiple content types test:"), content.image(red_dot()), data])

    @tool()
    def test_error_handling() -> str:
        """Always fails."""
        raise ToolError("This tool intentionally returns an error for testing")


# ---- 2. Tools that report --------------------------------------------------------------------------------------------


def offer_reports(catalogue: Catalogue) -> None:
    """What travels besides the answer: log lines, progress, changes, and a stream that ends before its time."""
    tool = catalogue.tool

    @tool()
    def test_tool_with_logging() -> Steps[str]:
        """Logs three lines while it works."""
        yield Log("info", "Tool execution started")
        time.sleep(PAUSE)
        yield Log("info", "Tool processing data")
        time.sleep(PAUSE)
        yield Log("info", "Tool execution completed")
        return "The tool has logged three lines."

    @tool()
    def test_logging_tool() -> Steps[str]:
        """Logs one line."""
        yield Log("info", "This line is for clients that asked for it.")
        return "The tool has logged one line."

    @tool()
    def test_tool_with_progress() -> Steps[str]:
        """Reports its progress three times."""
        yield Progress(0, 100)
        time.sleep(PAUSE)
        yield Progress(50, 100)
        time.sleep(PAUSE)
        yield Progress(100, 100)
        return "The tool has come to its end."

    @tool()
    def test_reconnection() -> Steps[str]:
        """Sends its client away in the middle of the call; the answer waits until it comes back."""
        yield HangUp(retry_ms=500)
        time.sleep(2 * PAUSE)
        return "The client has come back for this answer."

    @tool()
    def test_trigger_tool_change() -> str:
        """Announces that the list of tools has changed."""
        catalogue.announce(Change("tools"))
        return "Announced."

    @tool()
    def test_trigger_prompt_change() -> str:
        """Announces that the list of prompts has changed."""
        catalogue.announce(Change("prompts"))
        return "Announced."


# ---- 3. Tools that ask -----------------------------------------------------------------------------------------------


def form(required: list[str] | None = None, **properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of a form; by default each of its fields is required."""
    return {"type": "object", "properties": properties, "required": list(properties) if required is None else required}


def told(answer: dict[str, Any] | None) -> dict[str, Any]:
    """The answer to a question, which this tool can't do without."""
    if answer is None:
        raise ToolError("This client does not offer what the tool needs to ask it.")
    return answer


def said(answer: dict[str, Any]) -> str:
    """The text in a model's answer."""
    blocks = answer["content"] if isinstance(answer["content"], list) else [answer["content"]]
    return "\n".join(block["text"] for block in blocks if block.get("type") == "text")


def filled(answer: dict[str, Any], field: str) -> str:
    """What the user wrote into a field of a form."""
    return str((answer.get("content") or {}).get(field, answer["action"]))


def outcome(answer: dict[str, Any]) -> str:
    return f"action={answer['action']}, content={json.dumps(answer.get('content', {}))}"


TEXT = {"type": "string"}


def offer_questions(catalogue: Catalogue) -> None:
    """Questions to the client's model and to its user."""
    tool = catalogue.tool

    @tool()
    def test_sampling(prompt: Annotated[str, "What to ask the model."]) -> Steps[str]:
        """Asks the client's model."""
        answer = told((yield Ask.model("reply", prompt, max_tokens=100)))
        return f"LLM response: {said(answer)}"

    @tool()
    def test_elicitation(message: Annotated[str, "What to ask the user."]) -> Steps[str]:
        """Asks the user for a name and an address."""
        username = {**TEXT, "description": "User's response"}
        email = {**TEXT, "description": "User's email address"}
        answer = told((yield Ask.form("user", message, form(username=username, email=email))))
        return f"User response: {outcome(answer)}"

    @tool()
    def test_streaming_elicitation() -> Steps[str]:
        """Reports its progress, then asks the user."""
        yield Progress(1, 2)
        answer = told((yield Ask.form("user_name", "What is your name?", form(name=TEXT))))
        return f"Hello, {filled(answer, 'name')}!"

    @tool(needs={"sampling": {}})
    def test_missing_capability() -> Steps[str]:
        """Runs only for clients that offer sampling."""
        answer = told((yield Ask.model("greeting", "Say hello.", max_tokens=50)))
        return said(answer)


def offer_forms(catalogue: Catalogue) -> None:
    """Forms with each kind of field there is."""

    @catalogue.tool()
    def test_elicitation_sep1034_defaults() -> Steps[str]:
        """Asks with a default in each field."""
        schema = form(
            [],
            name={"type": "string", "default": "John Doe"},
            age={"type": "integer", "default": 30},
            score={"type": "number", "default": 95.5},
            status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
            verified={"type": "boolean", "default": True},
        )
        answer = told((yield Ask.form("profile", "Please check your profile.", schema)))
        return f"Elicitation completed: {outcome(answer)}"

    @catalogue.tool()
    def test_elicitation_sep1330_enums() -> Steps[str]:
        """Asks with each kind of choice."""
        options = ["option1", "option2", "option3"]
        first, second, third = ({"const": f"value{n}", "title": f"Choice {n}"} for n in (1, 2, 3))
        schema = form(
            [],
            untitledSingle={"type": "string", "enum": options},
            titledSingle={"type": "string", "oneOf": [first, second, third]},
            legacyEnum={"type": "string", "enum": ["opt1", "opt2"], "enumNames": ["Option One", "Option Two"]},
            untitledMulti={"type": "array", "items": {"type": "string", "enum": options}},
            titledMulti={"type": "array", "items": {"anyOf": [first, second, third]}},
        )
        answer = told((yield Ask.form("choices", "Please choose.", schema)))
        return f"Elicitation completed: {outcome(answer)}"


# ---- 4. Tools that are called again with the answers (in 2026-07-28) -------------------------------------------------


def offer_rounds(catalogue: Catalogue) -> None:
    """One question, several at once, several in a row."""
    tool = catalogue.tool
    name = Ask.form("user_name", "What is your name?", form(name=TEXT))
    confirm = Ask.form("confirm", "Please confirm.", form(ok={"type": "boolean"}))

    @tool()
    def test_input_required_result_elicitation() -> Steps[str]:
        """Asks the user's name."""
        return f"Hello, {filled(told((yield name)), 'name')}!"

    @tool()
    def test_input_required_result_sampling() -> Steps[str]:
        """Asks the client's model."""
        return said(told((yield Ask.model("capital_question", "What is the capital of France?", max_tokens=100))))

    @tool()
    def test_input_required_result_list_roots() -> Steps[str]:
        """Asks for the client's folders."""
        roots = told((yield Ask.roots("client_roots")))["roots"]
        return f"The roots are {', '.join(root['uri'] for root in roots)}."

    @tool()
    def test_input_required_result_request_state() -> Steps[str]:
        """Answers only when the state that went out with the question has come back unharmed."""
        return f"state-ok, and the user said {filled(told((yield confirm)), 'ok')}."

    @tool()
    def test_input_required_result_tampered_state() -> Steps[str]:
        """Asks for a confirmation; a state that was changed on the way is refused."""
        return f"The user said {filled(told((yield confirm)), 'ok')}."

    @tool()
    def test_input_required_result_multiple_inputs() -> Steps[str]:
        """Asks the user, the model and for the folders, all at once."""
        model = Ask.model("greeting", "Generate a greeting", max_tokens=50)
        user, greeting, roots = yield (name, model, Ask.roots("client_roots"))
        return f"{said(told(greeting))} {filled(told(user), 'name')} has {len(told(roots)['roots'])} roots."

    @tool()
    def test_input_required_result_multi_round() -> Steps[str]:
        """Asks one question after the other."""
        step1 = told((yield Ask.form("step1", "Step 1: What is your name?", form(name=TEXT))))
        step2 = told((yield Ask.form("step2", "Step 2: What is your favorite color?", form(color=TEXT))))
        return f"{filled(step1, 'name')} likes {filled(step2, 'color')}."

    @tool()
    def test_input_required_result_capabilities() -> Steps[str]:
        """Asks whom it can: the user, or the model, or both."""
        user, reply = yield (name, Ask.model("greeting", "Generate a greeting", max_tokens=50))
        parts = [filled(user, "name")] if user is not None else []
        return " and ".join([*parts, said(reply)] if reply is not None else parts) or "There was nobody to ask."


# ---- 5. Tools with schemas of their own ------------------------------------------------------------------------------


def offer_schemas(catalogue: Catalogue) -> None:
    """An argument that travels in a header too, and a schema with whatever JSON Schema 2020-12 has."""
    region = {"type": "string", "description": "Where to run.", "x-mcp-header": "Region"}

    @catalogue.tool(inputSchema=form(region=region))
    def test_x_mcp_header(region: str) -> str:
        """Says in which region it was called."""
        return f"Called in {region}."

    phone: dict[str, Any] = {"required": ["phone"]}
    email: dict[str, Any] = {"required": ["email"]}
    address = {
        "$anchor": "addressDef",
        "type": "object",
        "properties": {"street": TEXT, "city": TEXT},
    }
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": address},
        "properties": {
            "name": TEXT,
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": TEXT,
            "email": TEXT,
        },
        "allOf": [{"anyOf": [phone, email]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": phone,
        "else": email,
        "additionalProperties": False,
    }

    @catalogue.tool(inputSchema=schema)
    def json_schema_2020_12_tool(**arguments: Any) -> str:
        """Tool with JSON Schema 2020-12 features"""
        return json.dumps(arguments)


# ---- 6. Resources and prompts ----------------------------------------------------------------------------------------


def offer_resources(catalogue: Catalogue) -> None:
    """A text, an image, one to be watched, and a family of them."""

    @catalogue.resource("test://static-text", name="static-text", mimeType="text/plain")
    def static_text() -> str:
        """A text."""
        return "This is the content of the static text resource."

    @catalogue.resource("test://static-binary", name="static-binary", mimeType="image/png")
    def static_binary() -> bytes:
        """An image."""
        return red_dot()

    @catalogue.resource("test://watched-resource", name="watched-resource", mimeType="text/plain")
    def watched_resource() -> str:
        """A text that a client may subscribe to."""
        return "This is the content of the watched resource."

    @catalogue.template("test://template/{id}/data", name="template-data", mimeType="application/json")
    def template_data(id: str) -> str:
        """Data that depends on the id."""
        return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})


def offer_prompts(catalogue: Catalogue) -> None:
    """Prompts with and without arguments, with each kind of content, and one that asks."""
    cities = ("paris", "park", "party", "porto")

    def starting(typed: str, _: dict[str, str]) -> list[str]:
        return [city for city in cities if city.startswith(typed)]

    @catalogue.prompt()
    def test_simple_prompt() -> str:
        """A text."""
        return "This is a simple prompt for testing."

    @catalogue.prompt(complete={"arg1": starting, "arg2": starting})
    def test_prompt_with_arguments(
        arg1: Annotated[str, "First test argument"], arg2: Annotated[str, "Second test argument"]
    ) -> str:
        """A text with two arguments in it."""
        return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"

    @catalogue.prompt()
    def test_prompt_with_embedded_resource(
        resourceUri: Annotated[str, "URI of the resource to embed"],
    ) -> list[Block]:
        """A resource with its contents."""
        resource = content.embedded(resourceUri, "Embedded resource content for testing.", "text/plain")
        return [
            content.message("user", resource),
            content.message("user", "Please process the embedded resource above."),
        ]

    @catalogue.prompt()
    def test_prompt_with_image() -> list[Block]:
        """An image."""
        return [
            content.message("user", content.image(red_dot())),
            content.message("user", "Please analyze the image above."),
        ]

    @catalogue.prompt()
    def test_input_required_result_prompt() -> Steps[str]:
        """A text that depends on what the user says."""
        question = "What context should the prompt use?"
        answer = told((yield Ask.form("user_context", question, form(context=TEXT))))
        return f"Answer in this context: {filled(answer, 'context')}"


# ---- 7. Starting -----------------------------------------------------------------------------------------------------


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="The fixture server of the official conformance suite.")
    parser.add_argument("--port", help="port to listen on, 0 for any free one (default 5000)")
    parser.add_argument("--logs", help="the folder of the log (default logs)")
    args = parser.parse_args(argv)
    try:
        where = settings.load({"MCP_HOST": "127.0.0.1", "MCP_PORT": args.port, "MCP_LOGS": args.logs})
    except settings.SettingsError as error:
        parser.error(str(error))
    log = Logbook(where.mcp_logs, "mcp-server", secrets=where.secrets())
    return server.serve_http(everything(), log, where, [], page_size=100)


if __name__ == "__main__":
    sys.exit(main())
