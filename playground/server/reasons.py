"""How the sandbox says what went wrong.

In: an ``OSError``. Out: the end of a sentence for a ``SandboxError``, never the exception's own text, which
names paths and depends on the system and its language. Knows nothing of files in particular.
"""

import errno

from mcp_core.effects import ToolError

__all__ = ["SandboxError", "reason_of"]


class SandboxError(ToolError):
    """A sentence for the model: what was refused or went wrong, and where there is one, the way out."""


_REASONS = {
    errno.ELOOP: "it is not a regular file (but a link, a folder, a pipe or a device)",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the system does not allow a file that large",
    errno.EACCES: "the system does not permit it",
    errno.EROFS: "the disk can only be read",
    errno.EIO: "the disk reported an error",
    errno.EMFILE: "too many files are open; try again in a moment",
    errno.ENOMEM: "the system is out of memory; try again in a moment",
    errno.EAGAIN: "another program keeps the folder busy; try again in a moment",
    errno.ENAMETOOLONG: "the name is too long for this disk",
    errno.EEXIST: "something else has that name",
    errno.ENOTDIR: "a part of the path is a file",
}
# BSD says EMLINK for a link, Linux ENXIO for a socket, and opening a folder for writing says EISDIR.
_SAME = {
    errno.EMLINK: errno.ELOOP,
    errno.ENXIO: errno.ELOOP,
    errno.EISDIR: errno.ELOOP,
    errno.EPERM: errno.EACCES,
    errno.ENFILE: errno.EMFILE,
}


def reason_of(error: OSError) -> str:
    """Put an error into words.

    >>> reason_of(OSError(errno.ENOSPC, "No space left on device"))
    'the disk is full'
    """
    number = _SAME.get(error.errno or 0, error.errno or 0)
    return _REASONS.get(number) or f"the system said {errno.errorcode.get(number, 'no more than that')}"
