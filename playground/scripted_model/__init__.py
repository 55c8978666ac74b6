"""A deterministic model made of rules: no key, no network, no weights. It is not a language model.

It is a real HTTP server on a loopback port that speaks like Ollama (new and old), OpenAI or Anthropic, so a
client takes the same path as with the real thing. And it is strict: what those services refuse, it refuses,
with their statuses and error bodies. So it serves three ends: a tutorial that works offline, lessons with
scenarios and a gallery of misbehaving models, and tests of clients.

    with ScriptedModel() as model:
        base_url = model.start("openai")

The parts, from words to wire:

wording, operations, keywords, contents   what stands in a text: clauses, verbs, keywords, texts to write
reading, slots, writing, understanding    text -> steps
steps                                     what lies between understanding and doing
toolbox, results, asking, tasks, doing    steps -> calls, results -> sentences
deciding                                  a conversation -> the next answer, made anew each time
small_talk, gallery, scenarios            other answers: talk, misbehaving models, what a teacher wrote
strict, dialects                          the wire shapes: requests refused or read, answers written
server, service, model                    a real HTTP server, and the object that starts it
"""

from playground.scripted_model.model import DIALECTS, ScriptedModel
from playground.scripted_model.service import Recorded

__all__ = ["DIALECTS", "Recorded", "ScriptedModel"]
