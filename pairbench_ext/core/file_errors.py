"""What is wrong with a file, in one sentence that names it and says what to do."""

from __future__ import annotations

import errno
from pathlib import Path

_READ_REMEDY = {
    errno.ENOENT: "check the name, and the folder that the command runs in",
    errno.ENOTDIR: "a part of the path is a file: check the name",
    errno.EISDIR: "it is a folder: name a file in it",
    errno.EACCES: "you may not read it: change its permissions, or copy it",
    errno.EPERM: "you may not read it: change its permissions, or copy it",
    errno.ENAMETOOLONG: "check the name",
    errno.ELOOP: "it is a link that leads back to itself: name the file itself",
    errno.EMFILE: "too many files are open: raise `ulimit -n`",
    errno.EIO: "the disk reports an error: copy the file from elsewhere",
}
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_STARTS = {
    b"\x1f\x8b": "packed with gzip: unpack it first (gzip -d)",
    b"PK\x03\x04": "a zip archive: unpack it first",
    b"\x28\xb5\x2f\xfd": "packed with zstd: unpack it first (zstd -d)",
    b"BZh": "packed with bzip2: unpack it first (bzip2 -d)",
    b"\xfd7zXZ": "packed with xz: unpack it first (xz -d)",
    b"\xff\xfe": "text in UTF-16: convert it (iconv -f UTF-16 -t UTF-8)",
    b"\xfe\xff": "text in UTF-16: convert it (iconv -f UTF-16 -t UTF-8)",
    b"PAR1": "a Parquet file: JSON lines are expected",
}


def unreadable(path: Path | str, error: OSError) -> str:
    """Why a file cannot be read, and what to do.

    >>> unreadable("x.jsonl", FileNotFoundError(2, "No such file or directory"))[:52]
    'x.jsonl: cannot be read (No such file or directory);'
    """
    reason = error.strerror or str(error)
    remedy = _READ_REMEDY.get(error.errno or 0)
    return f"{path}: cannot be read ({reason})" + (f"; {remedy}" if remedy else "")


def in_words(error: OSError) -> str:
    """An error of the operating system as a sentence: what it is about, what is wrong, what to do.

    >>> in_words(IsADirectoryError(21, "Is a directory", "out"))
    'out: cannot be read (Is a directory); it is a folder: name a file in it'
    """
    if error.errno is None:
        return str(error)
    if error.errno in _NO_ROOM:
        place = error.filename or "standard output"
        return f"{place}: cannot be written ({error.strerror}); make room, or write elsewhere"
    if error.errno == errno.EBADF and error.filename is None:
        return "standard output: closed; open it, or write elsewhere"
    if error.filename is None:
        return error.strerror or str(error)
    return unreadable(error.filename, error)


def not_plain_text(start: bytes) -> str:
    """What a file is that begins so, if it is no text in UTF-8; empty if it may be one.

    >>> not_plain_text(b"{}"), not_plain_text(bytes([31, 139, 8]))
    ('', 'packed with gzip: unpack it first (gzip -d)')
    """
    known = (what for magic, what in _STARTS.items() if start.startswith(magic))
    return next(known, "")
