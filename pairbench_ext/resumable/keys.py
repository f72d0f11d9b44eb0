"""Compute a digest of what determines an answer: model, request, how often it was asked.

Two requests have the same key only if the same model is asked the same and shown the same: the
pixels of the same pictures, in the same order (see `core.contents`).

Of a folder that an argument names, the model reads weights, configuration, and what belongs to
tokenizers and processors. What runs leave there (results, samples, a journal, plots) is not read: a
folder that gets them is still the same checkpoint.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pairbench_ext.core.contents import UnkeyableError, content, digest, file_state
from pairbench_ext.resumable.requests import is_greedy, parts_of

if TYPE_CHECKING:
    from lmms_eval.api.instance import Instance

# Arguments of models that say where, when or how fast to answer, not what. Unknown ones count.
NOT_ANSWERING = frozenset(
    {
        *("batch_size", "batch_size_per_gpu", "max_batch_size", "device", "device_map"),
        *("tensor_parallel_size", "data_parallel_size", "pipeline_parallel_size", "tp_size", "tp"),
        *("gpu_memory_utilization", "mem_fraction_static", "disable_log_stats", "use_cache"),
        *("num_concurrent", "num_cpus", "num_processes", "worker_count", "worker_gpus"),
        *("timeout", "request_timeout", "max_retries", "retry_backoff_s"),
        *("adaptive_concurrency", "adaptive_min_concurrency", "adaptive_max_concurrency"),
        *("adaptive_target_latency_s", "adaptive_increase_step", "adaptive_decrease_factor"),
        *("adaptive_failure_threshold", "prefix_aware_queue", "prefix_hash_chars"),
        *("low_cpu_mem_usage", "cache_dir", "metrics_output_path", "response_persistent_folder"),
    }
)

# Credentials do not change the answer: a renewed key must not ask everything again.
_SECRET = re.compile(
    r"(?:.*_)?(?:api_key|headers?|passw(?:or)?d|credentials?|authorization|cookies?)|"
    r".*secret.*|.*access_key.*|(?:.*(?:auth|access|api|bearer|session|hf|hub)_)?token",
    re.IGNORECASE,
)
_USER = re.compile(r"(?<=://)[^/@\s]*@")  # of a URL, with a password

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
_READ_WHOLE = 1_000_000  # bytes; a longer file counts with its size and time of change

# The harness's own entries in a request's metadata; the others are hints to backends.
_BOOKKEEPING = frozenset({"task", "doc_id", "repeats", "split", "version", "__padding_only__"})


def model_digest(name: str, arguments: Mapping[str, Any], version: str) -> bytes:
    """Return a digest of the model that answers: its class, its arguments, its version.

    Args:
        name: full name of the class that answers.
        arguments: what it is built from; those that do not change answers are left out.
        version: of the harness whose prompts and defaults that class has, and of its package.

    Raises:
        UnkeyableError: for an argument that is neither text, number, list nor dictionary, or a file
            that cannot be read.
    """
    counted = _without_secrets({k: x for k, x in arguments.items() if k not in NOT_ANSWERING})
    return digest([b"model", *content([name, version, counted, files_of(counted)])])


def _without_secrets(value: Any) -> Any:
    if isinstance(value, str):
        return _USER.sub("", value)
    if not isinstance(value, Mapping):
        return value
    named = {name: part for name, part in value.items() if not _SECRET.fullmatch(str(name))}
    return {name: _without_secrets(part) for name, part in named.items()}


def files_of(arguments: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return the digests of the files that a model reads, keyed by argument and file.

    Arguments that name nothing that is read are not in it. A file that an argument names itself is
    called ".", a file of a folder by its path below that.

    Raises:
        UnkeyableError: if a file cannot be read.
    """
    paths = {name: it for name, it in arguments.items() if it and isinstance(it, (str, Path))}
    read = {name: _read_of(Path(path)) for name, path in paths.items()}
    return {name: files for name, files in read.items() if files}


def is_read(name: str) -> bool:
    """Return whether a file with this name holds weights or settings that models read.

    >>> [is_read(name) for name in ("model-1.safetensors", "tokenizer.json", "x_results.json")]
    [True, True, False]
    """
    return name.lower().endswith((*_WEIGHTS, *_TEXTS)) or _SETTINGS.fullmatch(name) is not None


def _read_of(path: Path) -> dict[str, str]:
    try:
        is_file = path.is_file()
    except OSError:  # too long for a path: a prompt, perhaps
        return {}
    try:
        if is_file:
            return {".": _state(path)}
        return {
            file.relative_to(path).as_posix(): _state(file)
            for file in sorted(_inside(path))
            if is_read(file.name) and file.is_file()
        }
    except OSError as error:
        raise UnkeyableError(f"{error.filename} cannot be read ({error.strerror})") from error


def _inside(folder: Path) -> Iterator[Path]:
    for where, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(where, name) for name in names)


def _state(file: Path) -> str:
    return digest([file_state(str(file), file.stat(), _READ_WHOLE)]).hex()


def request_digest(model: bytes, request: Instance, number: int, *, is_simple: bool) -> bytes:
    """Return the digest of a request's model, text, settings and document number (not its images).

    The document's number always counts: of two documents that ask the same each is answered for
    itself, as without a journal. The names of task and split, and the run's seed, count only where
    answers are drawn at random: two tasks that draw must not share a draw, nor runs with two seeds,
    while a renamed task or a second one that asks the same may share what is the same each time.

    Args:
        model: see `model_digest`.
        request: of the harness.
        number: of the round, for tasks that ask in rounds.
        is_simple: whether the model takes media; another one takes messages.

    Raises:
        UnkeyableError: if a setting has no content that could be compared.
    """
    import torch

    parts = parts_of(request, is_simple)
    place: list[Any] = [int(parts.doc), request.idx, number]
    if not is_greedy(parts.settings):
        place += [parts.task, parts.split, torch.initial_seed()]
    hints = {name: value for name, value in request.metadata.items() if name not in _BOOKKEEPING}
    return digest([b"request", model, *content([place, parts.text, parts.settings, hints])])


def draw_digest(request: bytes, draw: int) -> str:
    """Return a request's digest for one of its random answers: 32 hexadecimal digits.

    Args:
        request: see `request_digest`.
        draw: 0 for the first time that a task asks this in a run, 1 for the second, and so on.
    """
    return digest([b"draw", request, b"%d" % draw]).hex()


def answer_key(drawn: str, shown: Any) -> str:
    """Return the key under which a journal stores an answer: 32 hexadecimal digits.

    Args:
        drawn: see `draw_digest`.
        shown: pictures and other media of a simple backend, messages of a chat backend.

    Raises:
        UnkeyableError: if something shown has no content that could be compared.
    """
    return digest([b"answer", drawn.encode(), *content(shown, shown=True)]).hex()
