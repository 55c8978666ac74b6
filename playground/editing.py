"""A message in the user's own editor, before it is sent.

In:   the bytes of a message, and the environment, which names the editor.
Out:  the bytes as the user left them, valid or not: to see what a server says to nonsense is what this is for.
Here nobody knows what the bytes mean, except that JSON may be laid out in lines where the way of traveling allows it.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress


class NotEdited(Exception):
    """The message is as it was; a sentence says why, and what to do."""


def edited(body: bytes, environ: Mapping[str, str], *, one_line_only: bool = False) -> bytes:
    """Opens $VISUAL, $EDITOR or the system's simplest editor on a message; waits until it is closed.

    `one_line_only` leaves the message in one line: in a pipe, a line end ends it. Raises NotEdited.
    """
    shown = body if one_line_only else _in_lines(body)
    command = environ.get("VISUAL") or environ.get("EDITOR") or ("notepad" if sys.platform == "win32" else "vi")
    handle, path = tempfile.mkstemp(suffix=".json", prefix="message-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(shown + b"\n")
        try:
            words = shlex.split(command, posix=sys.platform != "win32")
            code = subprocess.run([*words, path], check=False).returncode
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise NotEdited(f"The editor {command!r} can't be started: {reason}. Set EDITOR to one that can.") from None
        if code != 0:
            raise NotEdited(f"The editor {command!r} ended with {code}, so the message stays as it was.")
        with open(path, "rb") as file:
            now = file.read()
    finally:
        with suppress(OSError):
            os.unlink(path)
    # Editors end the last line; that end was ours, not the user's.
    now = now.removesuffix(b"\n").removesuffix(b"\r")
    return body if now == shown else now


def _in_lines(body: bytes) -> bytes:
    with suppress(ValueError):
        return json.dumps(json.loads(body), indent=2).encode()
    return body
