"""The log of a chat: every round, from the question to the answer, joined by one trace.

In:   what happens in a turn, as it happens.
Out:  records in logs/mcp-client-chat.jsonl; the trace that the messages of a turn carry to the servers.
Here nobody decides anything, and nothing is shown.

    chat_start             which model, which servers
    chat_question          what the user asked                            a new trace begins
    tools_mapped_for_llm   the tools in the provider's words              when they are other than before
    chat_request           the body as it was sent to the provider        in later rounds chat_followup_request
    chat_response          the body as it came                            in later rounds chat_followup_response
    llm_answer             what was understood of it
    llm_tool_call          one call the model wants, and which tool is meant
    chat_approval          what was decided about it, and by whom
    llm_tool_result        what came of it                                or llm_tool_error
    chat_diagnosis         what the host noticed, or left out
    server_question        what a server asked meanwhile, and who answered
    chat_answer            what the user was told                         or chat_stopped

The messages between the host and the servers stand between these, written by playground/wire/recorder.py with the same
trace; so do the servers' own records, in their own files.
"""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from playground.host.approval import Review
from playground.host.calls import Block, Result, strict_json
from playground.host.diagnosis import Diagnosis
from playground.host.loop import Answer
from playground.host.member import Member
from playground.host.providers import Provider, Wire
from playground.host.providers.line import Exchange
from playground.host.providers.offer import Offer
from playground.host.running import Question
from playground.host.tools import Job
from playground.logbook import Logbook

Object = dict[str, Any]

SHOWN = 4000  # characters of a result that are repeated here; the server's answer has all of them


class Story:
    """Writes one chat down."""

    def __init__(self, log: Logbook) -> None:
        self._log = log
        self.trace = secrets.token_hex(16)
        self._offer: Offer | None = None  # the last, and how it was written down
        self._mapped: Object = {}

    def begins(self, provider: Provider, members: Sequence[Member]) -> None:
        servers = [
            {"name": m.name, "at": m.entry.way.shown if m.entry.way else "", "via": m.via, "trusted": m.entry.trusted}
            | ({"revision": m.connection.revision} if m.connection else {})
            | ({"problem": m.problem} if m.problem else {})
            for m in members
        ]
        about = {"provider": provider.kind, "model": provider.model, "base_url": provider.base_url}
        self._log.write("chat_start", {**about, "servers": servers})

    def ends(self) -> None:
        self._log.write("chat_end", {})

    def command(self, line: str) -> None:
        self._write("chat_command", {"line": line}, dir="in", peer="user")

    # ---- A turn ----

    def question(self, blocks: Iterable[Block]) -> None:
        """The user asks: all that follows has this trace."""
        self.trace = secrets.token_hex(16)
        self._write("chat_question", {"content": list(blocks)}, dir="in", peer="user")

    def offers(self, offer: Offer) -> None:
        """The tools as they will be sent."""
        if offer is self._offer:
            return
        self._offer = offer
        tools = [{"name": offer.names[one.alias], "sent_as": one.alias, "schema": one.schema} for one in offer.tools]
        told: Object = {"tools": tools, "changes": list(offer.changes)}
        if told != self._mapped:
            self._mapped = told
            self._write("tools_mapped_for_llm", told)

    def wire(self, round: int) -> Wire:
        """Writes both bodies of one request to the model, as they are on the wire."""
        pair = f"llm:{secrets.token_hex(8)}"
        names = {"sent": "request", "received": "response"}
        prefix = "chat_followup_" if round > 1 else "chat_"

        def note(which: str, seen: Exchange) -> None:
            is_sent = which == "sent"
            body = seen.request if is_sent else seen.response
            http: Object = {"method": seen.method, "path": seen.url}
            if not is_sent:
                http |= {"status": seen.status, "headers": dict(seen.headers)}
            self._log.frame(
                f"{prefix}{names[which]}",
                body,
                _value(body),
                http=http,
                dir="out" if is_sent else "in",
                peer="llm",
                level="INFO" if is_sent or (seen.status or 500) < 400 else "WARNING",
                trace=self.trace,
                exchange=pair,
                ms=None if is_sent else seen.ms,
                round=round,
            )

        return note

    def answered(self, answer: Answer, round: int) -> None:
        said = answer.said
        calls = [{"id": call.id, "name": call.name, "arguments": call.text} for call in said.calls]
        told = {"text": said.text, "calls": calls, "stop": answer.stop, "usage": dict(answer.usage), "round": round}
        self._write("llm_answer", told)

    def called(self, jobs: Iterable[Job], round: int) -> None:
        """The calls that can be run; a name without its server's prefix was routed, and the record says so."""
        for job in jobs:
            told = {"id": job.call.id, "name": job.call.name, "tool": job.tool.original, "server": job.tool.server}
            routed = {"routed_to": job.tool.name} if job.call.name != job.tool.name else {}
            self._write("llm_tool_call", {**told, **routed, "arguments": dict(job.arguments), "round": round})

    def reviewed(self, review: Review, round: int) -> None:
        for decision in review.decisions:
            job = decision.job
            told = {"id": job.call.id, "tool": job.tool.name, "arguments": dict(job.arguments)}
            self._write("chat_approval", {**told, "runs": decision.runs, "why": decision.why, "round": round})

    def resulted(self, results: Iterable[Result], round: int, timings: Mapping[str, float] | None = None) -> None:
        """What came of the calls; only the beginning of a long text, for the server's own answer is in the log too."""
        for result in results:
            text = "\n".join(block["text"] for block in result.content if block["type"] == "text")
            told: Object = {"id": result.call_id, "text": text[:SHOWN], "characters": len(text), "round": round}
            told["content"] = [block["type"] for block in result.content]
            event = "llm_tool_error" if result.is_error else "llm_tool_result"
            level = "WARNING" if result.is_error else "INFO"
            self._write(event, told, level=level, ms=(timings or {}).get(result.call_id))

    def noticed(self, diagnosis: Diagnosis) -> None:
        call = {"call": diagnosis.call.id, "arguments": diagnosis.call.text} if diagnosis.call else {}
        told = {"kind": diagnosis.kind, "sentence": diagnosis.sentence, **call}
        event = "llm_tool_error" if diagnosis.call and diagnosis.kind in _NEVER_RUN else "chat_diagnosis"
        self._write(event, told, level="WARNING")

    def asked(self, question: Question, reply: Any, by: str) -> None:
        """A server asked; `by` says who answered: the user, or the approval of the call that it held up."""
        told = {"server": question.server, "method": question.asked.method, "params": question.asked.params}
        self._write("server_question", {**told, "reply": reply, "by": by})

    def told(self, text: str, by_host: bool) -> None:
        self._write("chat_answer", {"text": text, "by_host": by_host}, dir="out", peer="user")

    def stopped(self, kind: str, sentence: str) -> None:
        self._write("chat_stopped", {"kind": kind, "sentence": sentence}, level="WARNING", dir="out", peer="user")

    def crashed(self, error: BaseException) -> None:
        self._write("chat_crash", {"error": repr(error)}, level="ERROR")

    def _write(self, event: str, data: Mapping[str, Any], **more: Any) -> None:
        self._log.write(event, data, trace=self.trace, **more)


# Of these calls nothing was run, so that nobody else writes about them.
_NEVER_RUN = ("unknown_tool", "wrong_arguments", "invalid_json", "cut_json", "double_encoded", "not_object")


def _value(body: bytes) -> Any:
    """The body as a JSON value; None where it is a stream of events, or nothing that parses."""
    try:
        return strict_json(body.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
