"""Which model answers: from flags, the environment and .env to a provider.

In:   what the user said, in flags and settings.
Out:  a Provider; ValueError with a sentence where there is none of that name.
Here nobody talks to a model (providers/), nor knows how the scripted one is started: that is handed in.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from playground.host.providers import KNOWN, Provider, provider
from playground.settings import Settings

# For each provider: the settings with the model, the address and the key.
NAMES = {
    "ollama": ("OLLAMA_MODEL", "OLLAMA_BASE_URL", "OLLAMA_API_KEY"),
    "openai": ("OPENAI_MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY"),
    "anthropic": ("ANTHROPIC_MODEL", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"),
}
DEFAULT = "ollama"


@dataclass
class Choice:
    """How this chat finds its models. `start_scripted` starts the scripted model, once, and gives its base URL."""

    settings: Settings
    start_scripted: Callable[[], str]
    temperature: float | None = None
    _scripted: str = field(default="", init=False)

    def provider(self, kind: str = "", model: str = "") -> Provider:
        """The provider of that name, else the one that is set, else Ollama. Raises ValueError."""
        kind = (kind or self.settings.get("PROVIDER", DEFAULT)).strip().lower()
        if kind not in KNOWN:
            raise ValueError(f"There is no provider '{kind[:40]}'; there are {', '.join(KNOWN)}.")
        if kind == "scripted":
            self._scripted = self._scripted or self.start_scripted()
            return provider(kind, model=model, base_url=self._scripted, temperature=self.temperature)
        model_name, base_name, key_name = NAMES[kind]
        return provider(
            kind,
            model=model or self.settings.get(model_name),
            base_url=self.settings.get(base_name),
            api_key=self.settings.get(key_name),
            temperature=self.temperature,
        )
