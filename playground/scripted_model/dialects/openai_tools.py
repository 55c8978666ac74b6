"""The tools of a request in OpenAI's shape, and what the client says about their use.

Goes in: the JSON body of a request. Comes out: `Tool`s, whether the model may or must call. Refuses to know:
messages.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from playground.scripted_model import strict
from playground.scripted_model.strict import Refused
from playground.scripted_model.talk import Tool

MOST_DESCRIPTION: Final = 1024


def tools_of(body: Mapping[str, Any], *, is_ollama: bool) -> tuple[Tool, ...]:
    offered = body.get("tools")
    if offered is None or (is_ollama and offered == []):
        return ()
    strict.tools_number(strict.demand(offered, list, "tools"))
    tools = tuple(_tool(tool, f"tools[{place}]", is_ollama=is_ollama) for place, tool in enumerate(offered))
    strict.distinct(tools)
    return tools


def _tool(tool: Any, where: str, *, is_ollama: bool) -> Tool:
    strict.demand(tool, dict, where)
    if "type" not in tool:
        raise strict.missing(f"{where}.type")
    if tool["type"] != "function":
        raise Refused(
            f"Invalid value: '{tool['type']}'. Supported values are: 'function' and 'custom'.",
            param=f"{where}.type",
            code="invalid_value",
        )
    if "function" not in tool:
        raise strict.missing(f"{where}.function")
    function = strict.demand(tool["function"], dict, f"{where}.function")
    if not is_ollama:
        strict.only(tool, ("type", "function"), where)
        strict.only(function, ("name", "description", "parameters", "strict"), f"{where}.function")
    name = strict.tool_name(function.get("name"), f"{where}.function.name")
    description = _description(function, f"{where}.function.description", is_ollama=is_ollama)
    schema = function.get("parameters")
    complaint = strict.schema_complaint(schema) if schema is not None else None
    if complaint:
        raise Refused(
            f"Invalid schema for function '{name}': {complaint}",
            param=f"{where}.function.parameters",
            code="invalid_function_parameters",
        )
    return Tool(name, description, schema or {})


def _description(function: Mapping[str, Any], where: str, *, is_ollama: bool) -> str:
    description = strict.demand(function.get("description") or "", str, where)
    if len(description) > MOST_DESCRIPTION and not is_ollama:
        raise Refused(
            f"Invalid '{where}': string too long. Expected a string with maximum length {MOST_DESCRIPTION}, "
            f"but got a string with length {len(description)} instead.",
            param=where,
            code="string_above_max_length",
        )
    return str(description)


def choice_of(body: Mapping[str, Any], tools: Sequence[Tool], *, is_ollama: bool) -> tuple[bool, str | None]:
    """Whether the model may call, and what it must call. Ollama has no such field and ignores it."""
    choice = body.get("tool_choice")
    if is_ollama or choice is None:
        if not is_ollama and not tools and body.get("parallel_tool_calls") is not None:
            raise Refused(
                (
                    "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only "
                    "allowed when 'tools' are specified."
                ),
                param="parallel_tool_calls",
            )
        return True, None
    if not tools:
        raise Refused(
            "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
            param="tool_choice",
        )
    if isinstance(choice, str):
        if choice not in ("none", "auto", "required"):
            raise Refused(
                f"Invalid value: '{choice}'. Supported values are: 'none', 'auto', and 'required'.",
                param="tool_choice",
                code="invalid_value",
            )
        return choice != "none", "" if choice == "required" else None
    strict.demand(choice, (str, dict), "tool_choice")
    function = choice.get("function")
    name = function.get("name") if isinstance(function, dict) else None
    if name not in [tool.name for tool in tools]:
        raise Refused(f"Tool choice function '{name}' not found in 'tools' parameter.", param="tool_choice")
    return True, name
