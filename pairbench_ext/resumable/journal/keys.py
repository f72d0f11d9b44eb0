"""What determines an answer, as one key: the model, the request, and which draw of it this is.

Two requests have the same key only if the same model is asked the same and shown the same: the
pixels of the same pictures, in the same order (see `contents`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from pairbench_ext.core.contents import PictureDigest, content, digest, hashed, image_digest
from pairbench_ext.resumable.journal.model_files import files_of

if TYPE_CHECKING:
    from hashlib import blake2b

# Arguments of models that say where, when or how fast to answer, not what. Unknown ones count.
NOT_ANSWERING = frozenset(
    {
        *("batch_size", "batch_size_per_gpu", "max_batch_size", "device", "device_map"),
        *("tensor_parallel_size", "data_parallel_size", "pipeline_parallel_size", "tp_size", "tp"),
        *("gpu_memory_utilization", "mem_fraction_static", "disable_log_stats", "use_cache"),
        *("num_concurrent", "num_cpus", "num_processes", "worker_count", "worker_gpus"),
        *("timeout", "request_timeout", "max_retries", "retry_backoff_s", "api_key"),
        *("adaptive_concurrency", "adaptive_min_concurrency", "adaptive_max_concurrency"),
        *("adaptive_target_latency_s", "adaptive_increase_step", "adaptive_decrease_factor"),
        *("adaptive_failure_threshold", "prefix_aware_queue", "prefix_hash_chars"),
        *("low_cpu_mem_usage", "cache_dir", "metrics_output_path", "response_persistent_folder"),
    }
)


class Origin(NamedTuple):
    """Whose request it is.

    Attributes:
        task: name of the task.
        split: of its data.
        doc: number of the document in the split.
        part: which of the document's requests, for tasks that make several.
        seed: of the run's random numbers.
    """

    task: str
    split: str
    doc: int
    part: int = 0
    seed: int = 0


class ModelFacts(NamedTuple):
    """What is compared of a model, see `model_digest`.

    Attributes:
        name: full name of the class that answers.
        version: of the harness whose prompts and defaults that class has, and of its package.
        arguments: what it is built from, without what does not change answers.
        files: what it reads of what they name, see `files_of`.
    """

    name: str
    version: str
    arguments: Mapping[str, Any]
    files: Mapping[str, Mapping[str, str]]


def model_facts(name: str, arguments: Mapping[str, Any], version: str) -> ModelFacts:
    """What is compared of a model: arguments that do not change answers are left out.

    Raises:
        UnkeyableError: if a file that an argument names cannot be read.
    """
    counted = {name: value for name, value in arguments.items() if name not in NOT_ANSWERING}
    return ModelFacts(name, version, counted, files_of(counted))


def model_digest(model: ModelFacts) -> bytes:
    """Digest of the model that answers.

    Raises:
        UnkeyableError: for an argument that is neither text, number, list nor dictionary.
    """
    parts = [b"model", *content([model.name, model.version]), *content(model.arguments)]
    return digest([*parts, *(content(model.files) if model.files else ())])


def is_greedy(settings: Mapping[str, Any]) -> bool:
    """Whether generation settings say that the answer is not drawn at random.

    They have to say so: what a model does without a temperature is its own affair.

    >>> is_greedy({"temperature": 0}), is_greedy({"do_sample": False}), is_greedy({})
    (True, True, False)
    """
    temperature, do_sample = settings.get("temperature"), settings.get("do_sample")
    if do_sample:
        return False
    if temperature is None:
        return do_sample is False
    return bool(temperature == 0)


class RequestFacts(NamedTuple):
    """What is compared of a request, each part in the form of `contents.content`.

    The document's number always counts: of two documents that ask the same each is answered for
    itself, as without a journal. The names of task and split, and the run's seed, count only where
    answers are drawn at random: two tasks that draw must not share a draw, nor runs with two seeds,
    while a renamed task or a second one that asks the same may share what is the same each time.
    """

    place: bytes
    text: bytes
    settings: bytes
    hints: bytes
    shown: bytes


def request_facts(
    origin: Origin,
    text: str,
    settings: Mapping[str, Any],
    shown: Any,
    hints: Mapping[str, Any],
    picture: PictureDigest = image_digest,
) -> RequestFacts:
    """What is compared of a request.

    Args:
        origin: whose request it is.
        text: the prompt's text.
        settings: of the generation.
        shown: pictures and other media of a simple backend, messages of a chat backend.
        hints: what else backends look at.
        picture: digest of a picture.

    Raises:
        UnkeyableError: if something shown has no content that could be compared.
    """
    place = (origin.doc, origin.part) if is_greedy(settings) else tuple(origin)
    parts = [content(part) for part in (place, text, settings, hints)]
    return RequestFacts(*map(b"".join, (*parts, content(shown, shown=True, picture=picture))))


def before_shown(model: bytes, request: RequestFacts) -> blake2b:
    """The hash of a request to which only what it shows (`RequestFacts.shown`) is to be added.

    Its digest is equal for requests that are answered alike.

    Args:
        model: see `model_digest`.
        request: see `request_facts`.
    """
    return hashed([b"request", model, *request[:-1]])


def answer_key(request: bytes, draw: int) -> str:
    """The key of an answer: 32 hexadecimal digits.

    Args:
        request: digest of the request, see `before_shown`.
        draw: 0 for the first time that a run asks this, 1 for the second, and so on.
    """
    return digest([b"answer", request, b"%d" % draw]).hex()
