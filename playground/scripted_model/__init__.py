"""A deterministic model made of rules: no key, no network, no weights. It is not a language model.

It is a real HTTP server on a loopback port that speaks like Ollama (new and old), OpenAI or Anthropic, so a
client takes the same path as with the real thing. And it is strict: what those services refuse, it refuses,
with their statuses and error bodies. So it serves three ends: a tutorial that works offline, lessons with
scenarios and a gallery of misbehaving models, and tests of clients.

    with ScriptedModel() as model:
        base_url = model.start("openai")

The parts, from words to wire: `wording`, `operations`, `keywords`, `contents`, `understanding` (text ->
`steps`) · `toolbox`, `results`, `doing`, `deciding` (steps and results -> the next answer) · `gallery`,
`scenarios`, `small_talk` (other answers) · `strict`, `dialects` (the wire shapes) · `server`.
"""

from playground.scripted_model.model import DIALECTS, ScriptedModel
from playground.scripted_model.service import Recorded

__all__ = ["DIALECTS", "Recorded", "ScriptedModel"]
