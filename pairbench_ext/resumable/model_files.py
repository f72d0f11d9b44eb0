"""What a model reads of the files and folders that its arguments name.

Of a folder that are weights, configuration, and what belongs to tokenizers and processors. What
runs leave there (results, samples, a journal, plots) is not read by the model: a folder that gets
them is still the same checkpoint.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pairbench_ext.core.contents import UnkeyableError, digest, file_state

_WEIGHTS = (
    *(".safetensors", ".bin", ".pt", ".pth", ".ckpt", ".gguf", ".ggml", ".h5", ".msgpack"),
    *(".onnx", ".npz", ".pdparams", ".engine", ".params", ".t7"),
)
_TEXTS = (".model", ".tiktoken", ".jinja", ".py")  # tokenizers, chat templates, code of its own
_SETTINGS = re.compile(
    r"[^/]*(?:config|params|tokenizer|added_tokens|special_tokens|vocab|merges|processor|template|"
    r"model_index|\.index|modules|adapter)[^/]*\.(?:json|ya?ml|txt|toml)",
    re.IGNORECASE,
)
_DEEPEST = 4  # folders below the one that is named
_MOST_FILES = 10_000
_READ_WHOLE = 1_000_000  # bytes; a longer file counts with its size and time of change


def files_of(arguments: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """What a model reads of what its arguments name: argument -> file -> what stands for it.

    Arguments that name nothing that is read are not in it. A file that an argument names itself is
    called "" here, a file of a folder by its path below that.

    Raises:
        UnkeyableError: if a file cannot be read.
    """
    found = {name: dict(_read_of(value)) for name, value in arguments.items()}
    return {name: files for name, files in found.items() if files}


def is_read(name: str) -> bool:
    """Whether a model reads files of such a name.

    >>> [is_read(name) for name in ("model-1.safetensors", "tokenizer.json", "x_results.json")]
    [True, True, False]
    """
    low = name.lower()
    return low.endswith((*_WEIGHTS, *_TEXTS)) or _SETTINGS.fullmatch(name) is not None


def _read_of(value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        value = [value[name] for name in sorted(value, key=str)]
    if isinstance(value, (list, tuple)):
        for number, one in enumerate(value):
            for name, state in _read_of(one):
                yield f"{number}/{name}", state
    elif isinstance(value, (str, Path)) and str(value):
        yield from _named(Path(value))


def _named(path: Path) -> Iterator[tuple[str, str]]:
    try:
        found = path.stat()
    except (OSError, ValueError):  # no path, or none that exists
        return
    try:
        if stat.S_ISREG(found.st_mode):
            yield "", _state(path, found)
        elif stat.S_ISDIR(found.st_mode):
            for file in _inside(path):
                yield file.relative_to(path).as_posix(), _state(file, file.stat())
    except OSError as error:
        raise UnkeyableError(
            f"{error.filename or path} cannot be read ({error.strerror})"
        ) from error


def _inside(folder: Path) -> list[Path]:
    files: list[Path] = []
    for where, folders, names in os.walk(folder):
        inside = Path(where)
        depth = len(inside.relative_to(folder).parts)
        folders[:] = sorted(x for x in folders if not x.startswith(".")) * (depth < _DEEPEST)
        files += [inside / name for name in sorted(names) if is_read(name)]
        if len(files) > _MOST_FILES:
            break
    return [file for file in files[:_MOST_FILES] if file.is_file()]


def _state(path: Path, found: os.stat_result) -> str:
    return digest([file_state(str(path), found, _READ_WHOLE)]).hex()
