"""What servers ask of the user or of the model, while a call runs; nobody answers for the user but the user.

In:   a question of a server; the person at the terminal, if there is one.
Out:  the reply, in the protocol's shape; Declined where somebody said no.
Here nobody knows how a question got here (running.py) or how the reply travels (wire/answering.py).

Theory of operation
    A form (elicitation) is filled in field by field, and checked before it is sent. An address is shown and never
    opened: whoever sent it may want exactly that. Sampling lends a server the user's model; the user sees what will be
    asked, and then what would be sent back, and may say no both times (client/sampling, User Interaction Model).

    A server's yes-or-no about a call that the user has just allowed would be the same question twice: the first yes
    counts, and the log says so. That holds for this one call, and only where the yes was the user's own.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from mcp_core import forms
from playground.host.approval import Approval
from playground.host.calls import Block, compact
from playground.host.conversation import Conversation, Said
from playground.host.loop import NoAnswer
from playground.host.providers import Provider
from playground.host.providers.content import all_text
from playground.host.running import Question
from playground.host.story import Story
from playground.host.tools import Job
from playground.terminal import one_line
from playground.wire.connection import Declined

Object = dict[str, Any]

YES_NO = {"y": "yes", "n": "no"}
CAPABILITIES: Object = {"elicitation": {"form": {}, "url": {}}, "sampling": {}}


class Person(Protocol):
    """Who sits at the terminal."""

    def line(self, prompt: str, default: str = "") -> str: ...
    def choose(self, prompt: str, choices: Mapping[str, str]) -> str: ...


class Inquiries:
    """Answers for one chat. Without a `person`, servers are told that nobody can be asked."""

    def __init__(
        self,
        person: Person | None,
        approval: Approval,
        provider: Callable[[], Provider],
        story: Story,
        show: Callable[[str], None],
    ) -> None:
        self._person, self._approval, self._provider, self._story, self._show = person, approval, provider, story, show

    @property
    def capabilities(self) -> Object:
        """What servers may ask."""
        return CAPABILITIES if self._person is not None else {}

    def answer(self, question: Question) -> Object | None:
        """The reply; None for what nobody here knows. Raises Declined, and lets Ctrl-C through."""
        if self._person is None:
            return None
        by = "user"
        try:
            match question.asked.method:
                case "elicitation/create" if (agreed := self._agreed_already(question)) is not None:
                    by, reply = "approval", agreed
                case "elicitation/create":
                    reply = self._elicit(question, self._person)
                case "sampling/createMessage":
                    reply = self._sample(question, self._person)
                case _:
                    return None
        except EOFError:  # the end of input is a no
            reply = {"action": "decline"}
            if question.asked.method != "elicitation/create":
                self._story.asked(question, "declined", by)
                raise Declined("The user said no.") from None
        except Declined as no:
            self._story.asked(question, str(no), by)
            raise
        self._story.asked(question, reply, by)
        return reply

    # ---- Forms ----

    def _agreed_already(self, question: Question) -> Object | None:
        """The yes that the user gave to this very call a moment ago, where that is all the server wants to know."""
        job, params = question.work, question.asked.params
        schema = params.get("requestedSchema")
        if not isinstance(job, Job) or not self._approval.just_approved(job.call.id) or not isinstance(schema, dict):
            return None
        lines = forms.fields(schema)
        if len(lines) != 1 or lines[0].kind != "boolean" or lines[0].is_multiple or params.get("mode") == "url":
            return None
        self._show(f"{question.server} asks: {one_line(str(params.get('message')), 300)} You have just said yes to it.")
        return {"action": "accept", "content": {lines[0].name: True}}

    def _elicit(self, question: Question, person: Person) -> Object:
        params = question.asked.params
        self._show(f"The server '{question.server}' asks: {params.get('message', '')}")
        if params.get("mode") == "url":
            self._show(f"It wants you to open this address, which is not opened for you:\n{params.get('url')}")
            return {"action": "accept" if person.choose("Will you?", YES_NO) == "y" else "decline"}
        schema = params.get("requestedSchema")
        schema = schema if isinstance(schema, dict) else {}
        lines = forms.fields(schema)
        if len(lines) == 1 and lines[0].kind == "boolean" and not lines[0].is_multiple:
            key = person.choose(lines[0].title or lines[0].name, {**YES_NO, "c": "cancel"})
            content = {lines[0].name: key == "y"}
            return {"action": "cancel"} if key == "c" else {"action": "accept", "content": content}
        key = person.choose("Answer it?", {**YES_NO, "c": "cancel"})
        if key != "y":
            return {"action": "cancel" if key == "c" else "decline"}
        return {"action": "accept", "content": self._filled(schema, lines, person)}

    def _filled(self, schema: Object, lines: list[forms.Field], person: Person) -> Object:
        """The content of a form; what is wrong is asked for again."""
        while True:
            given = {line.name: value for line in lines if (value := self._value(line, person)) is not None}
            content, complaints = forms.fill(schema, given)
            if not complaints:
                return content
            self._show(f"That can't be sent: {'; '.join(complaints)}.")

    def _value(self, line: forms.Field, person: Person) -> Any:
        about = [line.description] if line.description else []
        about += [f"one of {', '.join(shown for _, shown in line.choices)}"] if line.choices else []
        about += ["several, with commas between"] if line.is_multiple else []
        about += [] if line.is_required else ["may be left empty"]
        default = line.default if isinstance(line.default, str | None) else compact(line.default)
        prompt = f"{line.title} ({'; '.join(about)}):" if about else f"{line.title}:"
        while True:
            typed = person.line(prompt, default or "")
            if not typed.strip() and not (line.is_required and line.kind == "string" and not line.choices):
                return None
            try:
                return forms.read(line, typed)
            except ValueError as error:
                self._show(f"{error}.")

    # ---- Sampling ----

    def _sample(self, question: Question, person: Person) -> Object:
        params, provider = question.asked.params, self._provider()
        conversation = conversation_of(params)
        self._show(f"The server '{question.server}' wants to ask your model ({provider.model}):")
        self._show("\n".join(all_text(turn.question) for turn in conversation.turns))
        if person.choose("Ask it?", YES_NO) != "y":
            raise Declined("The user said no.")
        try:
            answer = provider.complete(conversation, (), wire=self._story.wire(0))
        except NoAnswer as failure:
            raise Declined(f"The model could not be asked: {failure}") from None
        self._show(f"It answered:\n{answer.said.text}")
        if person.choose("Send that to the server?", YES_NO) != "y":
            raise Declined("The user said no.")
        stop = {"length": "maxTokens"}.get(answer.stop, "endTurn")
        content = {"type": "text", "text": answer.said.text}
        return {"role": "assistant", "content": content, "model": provider.model, "stopReason": stop}


def conversation_of(params: Object) -> Conversation:
    """The messages of a sampling request, as a conversation that waits for the model. Raises Declined where they are
    none."""
    system = params.get("systemPrompt")
    conversation = Conversation(system.strip() if isinstance(system, str) else "")
    waiting: list[Block] = []  # several messages of the user's in a row are one question
    try:
        for message in params["messages"]:
            content = message["content"]
            blocks = content if isinstance(content, list) else [content]
            if message["role"] == "user":
                waiting += blocks
            elif waiting:
                conversation, waiting = conversation.ask(waiting).say(Said(all_text(blocks))), []
        return conversation.ask(waiting)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise Declined("The messages can't be understood: they must end with one of the user's.") from None
