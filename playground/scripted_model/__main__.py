"""`python -m playground.scripted_model --port 11434 --dialect ollama`: the scripted model as a program of
its own."""

import argparse
import sys
import threading
from collections.abc import Callable, Sequence

from playground.scripted_model.gallery import GALLERY
from playground.scripted_model.model import DIALECTS, ScriptedModel
from playground.scripted_model.scenarios import FOLDER, ScenarioError, load


def main(
    arguments: Sequence[str] | None = None,
    stop: threading.Event | None = None,
    started: Callable[[str], object] = lambda base: None,
) -> int:
    """Serve until Ctrl-C, or until `stop` is set; the exit status. `started` is told the base URL."""
    options = _options(arguments)
    if options.list:
        print("\n".join(_models()))
        return 0
    try:
        model = ScriptedModel(
            names=options.model,
            scenario=options.scenario,
            key=options.key,
            window=options.context,
            pace=options.pace,
        )
        base = model.start(options.dialect, options.port)
    except ScenarioError as error:
        print(error, file=sys.stderr)
        return 2
    except (OSError, OverflowError) as error:
        print(f"Port {options.port} can't be opened ({error}); choose another with --port.", file=sys.stderr)
        return 1
    print(f"The scripted model listens on {base} and speaks like {options.dialect}.", flush=True)
    names = ", ".join(["scripted", *options.model])
    print(f"It is a set of rules, not a language model. Its names: {names};", flush=True)
    print("also those that --list shows. Ctrl-C stops it.", flush=True)
    started(base)
    try:
        (stop or threading.Event()).wait()
    except KeyboardInterrupt:
        print()
    finally:
        model.stop()
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m playground.scripted_model", description=__doc__)
    parser.add_argument(
        "--port", type=int, default=11434, help="port on 127.0.0.1; 0 takes any free one (default: 11434)"
    )
    parser.add_argument(
        "--dialect",
        choices=list(DIALECTS),
        default="ollama",
        help="whose interface to speak (default: ollama)",
    )
    parser.add_argument(
        "--scenario", metavar="FILE|NAME", help="what the model says, from a text file or a shipped scenario"
    )
    parser.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="NAME",
        help="one more name the model answers to; may be repeated",
    )
    parser.add_argument("--key", help="the only API key that is accepted (default: any)")
    parser.add_argument("--context", type=int, metavar="TOKENS", help="size of the context window")
    parser.add_argument(
        "--pace",
        type=float,
        default=0.02,
        metavar="SECONDS",
        help="pause between pieces of a stream (default: 0.02)",
    )
    parser.add_argument("--list", action="store_true", help="show all scenarios and misbehaving models, and leave")
    return parser.parse_args(arguments)


def _models() -> list[str]:
    played = [f"{path.stem:26} {load(path.stem).about}" for path in sorted(FOLDER.glob("*.txt"))]
    shown = [f"{name:26} {exhibit.about}" for name, exhibit in GALLERY.items()]
    return [
        "Scenarios (--scenario NAME, or as the name of a model):",
        *played,
        "",
        "Misbehaving models (as the name of a model):",
        *shown,
    ]


if __name__ == "__main__":
    sys.exit(main())
