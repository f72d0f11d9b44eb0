"""Several ranks on one device: whether they find what one finds, and how fast.

Each is the stock command, `lmms-eval`, with the harness's own evaluation of a leaf of PairBench.
Two things are unlike a machine with a device for every rank. NCCL refuses two ranks on one GPU, so
the process group is gloo's; it is made before the command begins, which then keeps it, as it does
under other launchers. And the harness's classes take the device whose number is the local rank,
which is therefore 0 in every process.

The model has random weights and would rate nothing: what it generates is turned into a rating, and
equal ratings and words need equal tokens. It is asked one by one, because what fills up a batch
changes a model's arithmetic, and ranks make other batches.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from benchmarks.common import as_time, say, two_digits
from benchmarks.gpu import processes
from benchmarks.gpu.pairs import TASK

WAYS = ((1, "stock"), (2, "stock"), (4, "stock"), (2, "resumable"))
ROW = 12  # prompts: three pairs, both orders, both conditions
_MOST = max(number for number, _ in WAYS)
_LIMIT = 900  # seconds for one evaluation, from start to end
_LETTERS = str.maketrans("0123456789", "ghijklmnop")


@dataclass(frozen=True)
class Agreement:
    """A line of the table.

    Attributes:
        what: how many ranks, of what.
        prompts: that were asked.
        asking: seconds from the first request to the last reply of any rank.
        whole: seconds of the command, with imports and loading.
        numbers: how many of the results are equal to those of one rank, and of how many; to nine
            digits, because sums are in another order. Of none, if one rank gave no results.
        replies: the same of samples, exactly: reply and what was read from it.
        distinct: how many replies differ from each other; one would show nothing.
        differ: names of numbers that are not equal.
        why: it was not run.
    """

    HEADER: ClassVar[tuple[str, ...]] = (
        "ranks on one device",
        "prompts",
        "prompts/s",
        "asking, of the command's time",
        "numbers as with one rank",
        "replies as with one rank",
        "distinct replies",
    )

    what: str
    prompts: int
    asking: float = 0.0
    whole: float = 0.0
    numbers: tuple[int, int] = (0, 0)
    replies: tuple[int, int] = (0, 0)
    distinct: int = 0
    differ: tuple[str, ...] = ()
    why: str = ""

    def cells(self) -> tuple[str, ...]:
        """The line, as the header says."""
        if self.why:
            return self.what, str(self.prompts), "not run", self.why, "", "", ""
        times = f"{as_time(self.asking)} of {as_time(self.whole)}"
        numbers, replies = (
            f"{same} of {of} equal" if of else "one rank has none"
            for same, of in (self.numbers, self.replies)
        )
        if self.differ:
            numbers += f" (not {', '.join(self.differ)})"
        rate = two_digits(self.prompts / self.asking)
        return self.what, str(self.prompts), rate, times, numbers, replies, str(self.distinct)


class Evaluation(NamedTuple):
    """What is evaluated: the harness's name of a backend, its arguments, folder of the pairs."""

    backend: str
    arguments: Mapping[str, Any]
    root: Path
    prompts: int
    tokens: int
    device: str


class _Outcome(NamedTuple):
    numbers: dict[str, Any]
    replies: dict[int, str]
    asking: float
    whole: float


def lines(
    evaluation: Evaluation, scratch: Path, ways: Sequence[tuple[int, str]]
) -> Iterator[Agreement]:
    """A line for each number of ranks, of the backend alone or in `resumable`."""
    scratch.mkdir(parents=True, exist_ok=True)
    one: _Outcome | None = None
    for number, name in ways:
        what = f"{number}, {name}, batch 1"
        try:
            outcome = _evaluate(evaluation, number, name, scratch)
        except Exception as error:  # noqa: BLE001  (the others are still worth knowing)
            say(f"{what}: {error}")
            yield Agreement(what, evaluation.prompts, why=processes.why(error))
            continue
        one = outcome if number == 1 else one
        yield _line(what, evaluation.prompts, outcome, one)


def _line(what: str, prompts: int, outcome: _Outcome, one: _Outcome | None) -> Agreement:
    distinct = len(set(outcome.replies.values()))
    line = Agreement(what, prompts, outcome.asking, outcome.whole, distinct=distinct)
    if one is None:
        return line
    differ, names = _differing(outcome.numbers, one.numbers)
    replies, docs = _differing(outcome.replies, one.replies)
    return replace(
        line,
        numbers=(names - len(differ), names),
        replies=(docs - len(replies), docs),
        differ=tuple(differ),
    )


def _differing(found: Mapping[Any, Any], expected: Mapping[Any, Any]) -> tuple[list[Any], int]:
    """Names of what is not the same on both sides, and how many names there are."""
    names = sorted(found.keys() | expected.keys())
    return [name for name in names if not _same(found.get(name), expected.get(name))], len(names)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9) or (math.isnan(one) and math.isnan(other))
    return bool(one == other)


def _evaluate(evaluation: Evaluation, ranks: int, name: str, scratch: Path) -> _Outcome:
    folder = scratch / f"{ranks}-{name}"
    folder.mkdir()
    arguments = [str(folder), evaluation.backend, *_command(evaluation, name, folder)]
    logs = [folder / f"log-{rank}" for rank in range(ranks)]
    begun = time.perf_counter()
    started: list[subprocess.Popen[str]] = []
    try:
        for log, environment in zip(logs, _environments(evaluation, ranks), strict=True):
            with log.open("w") as file:
                begin = partial(processes.start, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
                started.append(begin(__spec__.name, arguments, environment))
        _wait(started, logs)
    finally:
        processes.end(started)
    return _read(folder, time.perf_counter() - begun, logs)


def _command(evaluation: Evaluation, name: str, folder: Path) -> list[str]:
    model, told = evaluation.backend, dict(evaluation.arguments)
    told.pop("batch_size", None)
    if evaluation.device.startswith("cuda"):
        told |= {"device": "cuda:0", "device_map": "cuda:0"}  # the only one that it sees
    if name == "resumable":
        told = {"base": model, "journal": folder / "journal", **told}
        model = name
    return [
        *("--model", model, "--model_args", ",".join(f"{key}={it}" for key, it in told.items())),
        *("--tasks", TASK, "--limit", str(evaluation.prompts), "--batch_size", "1"),
        *("--gen_kwargs", f"max_new_tokens={evaluation.tokens}"),
        *("--output_path", str(folder), "--log_samples"),
        *("--verbosity", "DEBUG"),  # else it goes on after an error, and other ranks wait
    ]


def _environments(evaluation: Evaluation, ranks: int) -> list[dict[str, str]]:
    """What each rank finds in its environment; equal threads, so that arithmetic is equal."""
    shared = {
        "PAIRBENCH_DATA": str(evaluation.root),
        "OMP_NUM_THREADS": str(max(1, (os.cpu_count() or 1) // _MOST)),
        "PYTHONUNBUFFERED": "1",
        **_sees(evaluation.device),
    }
    if ranks == 1:
        return [shared]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    if Path("/sys/class/net/lo").exists():
        shared["GLOO_SOCKET_IFNAME"] = "lo"  # a machine's name may lead nowhere
    shared |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "LOCAL_RANK": "0"}
    return [{**shared, "WORLD_SIZE": str(ranks), "RANK": str(rank)} for rank in range(ranks)]


def _sees(device: str) -> dict[str, str]:
    """Only this CUDA device, which is number 0 then; it may be named by number or UUID."""
    if not device.startswith("cuda"):
        return {"CUDA_VISIBLE_DEVICES": ""}
    number = int(device.partition(":")[2] or 0)
    visible = [name.strip() for name in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")]
    return {"CUDA_VISIBLE_DEVICES": visible[number] if visible != [""] else str(number)}


def _wait(started: Sequence[subprocess.Popen[str]], logs: Sequence[Path]) -> None:
    """Until all have ended well; the others wait for ever for one that has not."""
    deadline = time.monotonic() + _LIMIT
    while True:
        statuses = [process.poll() for process in started]
        for rank, status in enumerate(statuses):
            if status:
                log = logs[rank].read_text(errors="replace")
                say(log[-4000:])
                raise RuntimeError(f"rank {rank}: {processes.last_error(log)}")
        if None not in statuses:
            return
        if time.monotonic() > deadline:
            raise RuntimeError(f"not done after {_LIMIT} s")
        time.sleep(0.1)


def _read(folder: Path, whole: float, logs: Sequence[Path]) -> _Outcome:
    results = list(folder.rglob("*_results.json"))
    samples = list(folder.rglob(f"*_samples_{TASK}.jsonl"))
    if len(results) != 1 or len(samples) != 1:  # the command exits with 0 all the same
        raise RuntimeError(
            f"no results: {processes.last_error(logs[0].read_text(errors='replace'))}"
        )
    found = json.loads(results[0].read_text())["results"][TASK]
    rows = [json.loads(line) for line in samples[0].open(encoding="utf-8")]
    asked = [json.loads(file.read_text()) for file in folder.glob("asked-*.json")]
    return _Outcome(
        {key: it for key, it in found.items() if "," in key},
        {row["doc_id"]: json.dumps([row["filtered_resps"], row["trial"]]) for row in rows},
        max(end for _, end in asked) - min(begin for begin, _ in asked),
        whole,
    )


def work(folder: str, backend: str, *arguments: str) -> None:
    """What one rank does."""
    import torch
    from lmms_eval.models import get_model

    several = int(os.environ.get("WORLD_SIZE", "1")) > 1
    if several:
        torch.distributed.init_process_group("gloo", timeout=timedelta(seconds=_LIMIT))
    kind = get_model(backend)
    kind.generate_until = _rating(
        kind.generate_until, Path(folder) / f"asked-{os.environ.get('RANK', '0')}.json"
    )
    sys.argv = ["lmms-eval", *arguments]
    from lmms_eval.cli.dispatch import main

    main()
    if several:  # a rank that ends while gloo's threads still run may be aborted by them
        torch.distributed.barrier()
        torch.distributed.destroy_process_group()


def _rating(generate: Callable[..., list[Any]], file: Path) -> Callable[..., list[Any]]:
    """The same, with ratings made of what is generated; from when to when is kept in a file."""

    def rated(self: Any, requests: Sequence[Any]) -> list[Any]:
        begun = json.loads(file.read_text())[0] if file.exists() else time.time()
        results = generate(self, requests)
        file.write_text(json.dumps([begun, time.time()]))
        return [replace(result, text=_as_rating(result.text)) for result in results]

    return rated


def _as_rating(text: str) -> str:
    """A reply as PairBench asks for, which tells texts apart.

    >>> _as_rating("a")
    'Score: 3\\nReason: opejplbmmkiif'
    """
    digest = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    return f"Score: {int(digest[:4], 16) % 10 + 1}\nReason: {digest[3:].translate(_LETTERS)}"


if __name__ == "__main__":
    work(*sys.argv[1:])
