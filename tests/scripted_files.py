"""What the tests of the scripted model share: file tools over a dict, a talk without a wire, a raw client."""

from __future__ import annotations

import http.client
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from playground.scripted_model.deciding import decide
from playground.scripted_model.talk import Answer, Call, Outcome, Prompt, Question, Round, Tool

Play = Callable[[Prompt], Answer]
ARGUMENTS = {
    "list_files": [],
    "read_file": ["filename"],
    "write_file": ["filename", "text"],
    "append_line": ["filename", "line"],
    "delete_file": ["filename"],
    "search_file": ["filename", "keyword"],
    "search_all": ["keyword"],
}
TUTORIAL = "Create a file named notes.txt with a TODO line, then count TODOs"


def schema(names: Iterable[str]) -> dict[str, Any]:
    listed = list(names)
    return {"type": "object", "properties": {name: {"type": "string"} for name in listed}, "required": listed}


TOOLS = tuple(Tool(f"files__{name}", name, schema(names)) for name, names in ARGUMENTS.items())
OPENAI_TOOLS = [
    {"type": "function", "function": {"name": tool.name, "description": tool.description, "parameters": tool.schema}}
    for tool in TOOLS
]
ANTHROPIC_TOOLS = [{"name": tool.name, "description": tool.description, "input_schema": tool.schema} for tool in TOOLS]


class Disk(dict[str, str]):
    """Files in memory, and the tools over them: JSON for a result, a sentence for an error."""

    def run(self, name: str, arguments: dict[str, Any]) -> str:
        try:
            return json.dumps(getattr(self, name.rpartition("__")[2])(**arguments))
        except AttributeError:
            return f"Error: There is no tool named {name!r}."
        except TypeError as error:
            return f"Error: The arguments don't fit: {error}"
        except KeyError as error:
            return f"Error: There is no file named {error}; list_files shows what there is."

    def list_files(self) -> dict[str, Any]:
        return {"files": sorted(self)}

    def read_file(self, filename: str) -> dict[str, Any]:
        return {"content": self[filename]}

    def write_file(self, filename: str, text: str) -> dict[str, Any]:
        self[filename] = text
        return {"message": f"Wrote {len(text.encode())} bytes to {filename}"}

    def append_line(self, filename: str, line: str) -> dict[str, Any]:
        old = self.get(filename, "")
        self[filename] = f"{old}{'' if not old or old.endswith(chr(10)) else chr(10)}{line}\n"
        return {"length": len(self[filename].encode())}

    def delete_file(self, filename: str) -> dict[str, Any]:
        return {"deleted": self.pop(filename, None) is not None}

    def search_file(self, filename: str, keyword: str) -> dict[str, Any]:
        return {"count": self[filename].count(keyword)}

    def search_all(self, keyword: str) -> dict[str, Any]:
        hits = [{"name": name, "count": text.count(keyword)} for name, text in sorted(self.items()) if keyword in text]
        return {"files": hits, "total": sum(hit["count"] for hit in hits)}


@dataclass
class Talk:
    """A conversation with a model, without a wire. `told` answers a call instead of the disk when it gives a text."""

    disk: Disk = field(default_factory=Disk)
    tools: tuple[Tool, ...] = TOOLS
    play: Play = decide
    told: Callable[[Call], str | None] = lambda call: None
    questions: tuple[Question, ...] = ()
    calls: list[Call] = field(default_factory=list)
    is_parallel: bool = True

    def ask(self, text: str, rounds: int = 15) -> str:
        """The answer to a question, after as many rounds of calls as the model wants."""
        self.questions = (*self.questions, Question(text))
        for _ in range(rounds):
            answer = self.play(Prompt("scripted", self.questions, self.tools, is_parallel=self.is_parallel))
            question = self.questions[-1]
            if not answer.calls:
                self.questions = (*self.questions[:-1], replace(question, reply=answer.text))
                return answer.text
            self.calls += answer.calls
            done = Round(answer.calls, tuple(map(self._run, answer.calls)), answer.text)
            self.questions = (*self.questions[:-1], replace(question, rounds=(*question.rounds, done)))
        return "(still calling)"

    def _run(self, call: Call) -> Outcome:
        told = self.told(call)
        return Outcome(call, self.disk.run(call.name, call.parsed) if told is None else told)

    @property
    def names(self) -> list[str]:
        return [str(call.name).removeprefix("files__") for call in self.calls]


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()


def send(base: str, path: str, body: Any = None, method: str = "", **headers: str) -> Reply:
    """One raw request; `body` is sent as it is if it is bytes, else as JSON. A header of "" is left out."""
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    sent = {"Content-Type": "application/json", "Authorization": "Bearer x", "anthropic-version": "2023-06-01"}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection = http.client.HTTPConnection("127.0.0.1", urlsplit(base).port or 0, timeout=20)
    try:
        connection.request(
            method or ("GET" if body is None else "POST"), path, data, {k: v for k, v in sent.items() if v}
        )
        answer = connection.getresponse()
        return Reply(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
    finally:
        connection.close()


def user(text: Any) -> dict[str, Any]:
    return {"role": "user", "content": text}
