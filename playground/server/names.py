"""Which file names the sandbox takes.

In: a name as a model, a person or the disk wrote it. Out: None, or why the name is refused.
Knows nothing of any disk: the rule is the same text on every system, so that a file written on
Linux can be opened on Windows and no name means two things.

*The rule.* A name is one component of 1 to 255 bytes of UTF-8, in Unicode's composed form (NFC).
It never holds a separator, a control character, an override of the writing direction or one of
``< > : " | ? *``; it neither starts with a dot or a space nor ends with one, and it isn't a device
name of Windows, whatever its extension. Nothing is decoded: ``%2e%2e`` and ``~`` are plain names.
A leading dot is refused because hidden files are settings, not content, and because the sandbox's
own temporary files start with one; so ``./ok.txt`` is refused as well (it has a separator).
"""

import re
import unicodedata

__all__ = ["LONGEST_NAME", "flaw_of", "shown"]

# ext4, APFS and NTFS all stop at 255 units; bytes of UTF-8 are the smallest of the three.
LONGEST_NAME = 255

_LONGEST_SHOWN = 60
_PLAIN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*")
_SEPARATORS = re.compile(r"[/\\]")
# C0, DEL, C1, and the two separators that some programs take for a line's end.
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
# Unicode TR36: a name that reads other than it is stored ("exe.txt" for "txt.exe").
_DIRECTIONS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# learn.microsoft.com: Naming Files, Paths, and Namespaces. A colon opens an alternate data stream.
_RESERVED = re.compile(r'[<>:"|?*]')
_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3]) *(?:\..*)?", re.DOTALL
)


def flaw_of(name: str) -> str | None:
    """Say what is wrong with a name, as the end of a sentence, or None if the sandbox takes it.

    >>> flaw_of("notes.txt"), flaw_of("../notes.txt")
    (None, 'it holds a path separator, and the folder is flat')
    """
    if not name:
        return "it is empty"
    try:
        length = len(name) if name.isascii() else len(name.encode())
    except UnicodeEncodeError:
        return "it is not valid Unicode"
    if length > LONGEST_NAME:
        return f"it is longer than {LONGEST_NAME} bytes"
    if not _PLAIN.fullmatch(name) and (flaw := _flaw_of_characters(name)):
        return flaw
    if _DEVICE.fullmatch(name.lower()):
        return "it is a device name on Windows"
    return None


def _flaw_of_characters(name: str) -> str | None:
    if _SEPARATORS.search(name):
        return "it holds a path separator, and the folder is flat"
    if _CONTROLS.search(name):
        return "it holds a control character"
    if _DIRECTIONS.search(name):
        return "it holds a mark that changes the direction of writing"
    if _RESERVED.search(name):
        return 'it holds one of < > : " | ? *'
    if name.startswith("."):
        return "it starts with a dot"
    if name.endswith(".") or name != name.strip():
        return "it starts or ends with a space, or ends with a dot"
    if not unicodedata.is_normalized("NFC", name):
        return "it is not in Unicode's composed form (NFC)"
    return None


def shown(name: str) -> str:
    """Quote a name for a message: everything unprintable escaped, and cut to a sensible length.

    >>> print(shown("a\\x1b[2Jb"))
    'a\\x1b[2Jb'
    """
    return repr(name if len(name) <= _LONGEST_SHOWN else name[: _LONGEST_SHOWN - 1] + "…")
