"""The command line of chapter 3: which model, which servers, what may run.

In:   the arguments.
Out:  a namespace of options, checked.
Here nobody knows what is done with them.
"""

import argparse
from collections.abc import Sequence

PROVIDERS = ("ollama", "openai", "anthropic", "scripted")


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """The options. Ends the process where they make no sense."""
    parser = argparse.ArgumentParser(
        description="Talk to a language model that may use the tools of MCP servers.",
        epilog="A flag wins over the environment, the environment over .env. Inside, /help lists the commands.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--provider", choices=PROVIDERS, help="who answers (PROVIDER, else ollama); scripted needs no model and no key")
    add("--model", metavar="NAME", help="which of its models (OLLAMA_MODEL, OPENAI_MODEL, ANTHROPIC_MODEL)")
    add("--system", default="", metavar="TEXT", help="the system prompt; a short one serves small models best")
    add("--temperature", type=float, metavar="NUMBER", help="0 to 2; left to the provider unless given")
    add("--servers", metavar="FILE", help="a servers.json (servers.json in the project's folder, else our own server)")
    add("--logs", metavar="FOLDER", help="where to write mcp-client-chat.jsonl, and saved conversations (logs)")
    add("--approve", default="ask", choices=("ask", "always", "never"), help="tools that change things (%(default)s)")
    add("--max-rounds", type=int, default=10, metavar="N", help="rounds of tool calls in one turn (%(default)s)")
    add("--once", metavar="TEXT", help="ask this, print the answer, and leave; - reads it from standard input")
    add("--json", action="store_true", help="print one JSON object per question, for programs")
    add("--no-stream", action="store_true", help="wait for the whole answer instead of showing it as it comes")
    options = parser.parse_args(argv)
    if options.temperature is not None and not 0 <= options.temperature <= 2:
        parser.error("--temperature is a number from 0 to 2")
    if not 1 <= options.max_rounds <= 100:
        parser.error("--max-rounds is a number from 1 to 100")
    if options.once is not None and not options.once.strip():
        parser.error("--once needs a question")
    return options
