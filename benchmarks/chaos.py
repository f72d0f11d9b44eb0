"""Faults on purpose: what the wrapper `resumable` survives, and what it loses.

Every start is a process of its own, with a model that answers by what it is shown; faults come at
random times from a fixed seed. A try survives if the run that ends returns what a run without any
fault returns. Lost are answers that were on disk before a start and were asked again by it.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from loguru import logger
from PIL import Image

from benchmarks.answering import Answering, request, show_image
from benchmarks.common import Line, say, undisturbed
from pairbench_ext.resumable import JournalError, entries
from pairbench_ext.resumable.model import Resumable
from pairbench_ext.statistics import seeds

_REFUSED = 3  # exit status
_KILLS = 3  # in a try


class Model(Answering):
    """Answers with the prompt, the picture's colour and, if it draws, a number."""

    def __init__(self, run: Run, log: Path) -> None:
        super().__init__()
        self._run = run
        self._log = log
        self._asked = 0

    def answer(self, text: str, settings: Any, show: Any, doc: int, task: str, split: str) -> str:
        """The answer to a request, unless it dies before."""
        if self._asked == self._run.dies_after:
            os._exit(1)
        self._asked += 1
        with self._log.open("a") as log:
            log.write(f"{doc}\n")
        time.sleep(self._run.seconds)
        [image] = show(self.task_dict[task][split][doc])
        drawn = f" {torch.rand(1).item()}" if settings["temperature"] else ""
        return f"{text} {image.getpixel((0, 0))} {self._run.argument}{drawn}"


@dataclass(frozen=True)
class Run:
    """What a start asks, and of whom.

    Attributes:
        requests: how many.
        seconds: that the model takes for one.
        temperature: of the requests.
        argument: of the model.
        question: the prompts' beginning.
        colour: of the pictures.
        dies_after: so many requests the model ends its process; -1 for never.
        rank: of the process.
        ranks: how many there are.
        room: bytes that are left on the disk; None for enough.
        in_step: whether ranks call the model equally often.
    """

    requests: int = 100
    seconds: float = 0.002
    temperature: float = 0
    argument: int = 0
    question: str = "What is"
    colour: int = 0
    dies_after: int = -1
    rank: int = 0
    ranks: int = 1
    room: int | None = None
    in_step: bool = False


class Trial:
    """One try: a journal, and what its starts asked."""

    def __init__(self, folder: Path, journal: Path | None = None) -> None:
        folder.mkdir()
        self.folder = folder
        self.journal = journal or folder / "journal"
        self.asked: list[int] = []
        self.lost = 0

    def start(self, run: Run) -> BaseProcess:
        """Begin a run in a process of its own."""
        (self.folder / f"asked-{run.rank}").unlink(missing_ok=True)
        context = multiprocessing.get_context("fork")
        child = context.Process(target=_work, args=(run, self.journal, self.folder))
        child.start()
        return child

    def wait(self, run: Run, rng: Any) -> None:
        """Some time: one in four while the run begins, else after its first request."""
        log = self.folder / f"asked-{run.rank}"
        if rng.uniform() < 0.25:
            time.sleep(float(rng.uniform(0, 0.05)))
            return
        late = time.monotonic() + 2  # it may have nothing left to ask
        while not log.exists() and time.monotonic() < late:
            time.sleep(0.0002)
        time.sleep(float(rng.uniform(0, 0.7 * run.requests * run.seconds / run.ranks)))

    def by(self, rank: int) -> list[int]:
        """The documents that a rank was asked about since it began."""
        log = self.folder / f"asked-{rank}"
        return [int(line) for line in log.read_text().split()] if log.exists() else []

    def ended(
        self, child: BaseProcess, rank: int = 0, known: frozenset[int] = frozenset()
    ) -> int | None:
        """Wait for a run; takes note of what it asked, and of what it needed not have asked."""
        child.join()
        self.asked += self.by(rank)
        self.lost += len(known & set(self.by(rank)))
        return child.exitcode

    def known(self) -> frozenset[int]:
        """The documents whose answers are on disk."""
        with suppress(JournalError):
            return frozenset(int(entry.doc or 0) for entry in entries(self.journal))
        return frozenset()

    def to_end(self, run: Run) -> list[str] | None:
        """Run without any fault: what it returns."""
        known = self.known()
        return None if self.ended(self.start(run), run.rank, known) else self.out(run.rank)

    def out(self, rank: int) -> list[str]:
        """What a rank's run returned."""
        return list(json.loads((self.folder / f"out-{rank}").read_text()))


def _work(run: Run, journal: Path, folder: Path) -> None:
    """A whole run, in a process of its own."""
    logger.remove()
    (folder / f"process-{run.rank}").write_text(str(os.getpid()))
    os.environ |= {"RANK": str(run.rank), "WORLD_SIZE": str(run.ranks), "TQDM_DISABLE": "1"}
    torch.manual_seed(1234)
    base = Model(run, folder / f"asked-{run.rank}")
    colours = [(k % 256, k // 256, run.colour) for k in range(run.requests)]  # all unlike
    docs = [{"image": Image.new("RGB", (8, 8), colour)} for colour in colours]
    base.task_dict = {"task": {"test": docs}}
    try:
        model = Resumable(base, journal, arguments={"x": run.argument}, lockstep=run.in_step)
    except JournalError:
        sys.exit(_REFUSED)
    if run.room is not None:  # a file-size limit acts as a full disk does
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        [file] = journal.glob(f"rank-{run.rank:05}.sqlite")
        limit = file.stat().st_size + run.room
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    asked = [
        request(f"{run.question} {k}?", k, show_image, temperature=run.temperature)
        for k in range(run.rank, run.requests, run.ranks)
    ]
    answers = model.generate_until(asked)
    model.clean()
    if run.room is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    (folder / f"out-{run.rank}").write_text(json.dumps(answers))


Try = Callable[[Trial, Run, Any], bool]


def _killed(number: int, starts: Sequence[int], trial: Trial, run: Run, rng: Any) -> bool:
    """Kill starts of so many ranks by a signal, then run to the end."""
    for ranks in starts:
        known = trial.known()
        children = [trial.start(replace(run, rank=k, ranks=ranks)) for k in range(ranks)]
        trial.wait(replace(run, ranks=ranks), rng)
        for rank, child in enumerate(children):
            os.kill(child.pid or 0, number)
            trial.ended(child, rank, known)
    return trial.to_end(run) == _expected(run)


def _torchrun(trial: Trial, run: Run, rng: Any) -> bool:
    """Two ranks by torchrun, which begins again with both when the worker of one is killed."""
    job = trial.folder / "job"
    job.write_text(json.dumps([asdict(run), str(trial.journal)]))
    launcher = "-m torch.distributed.run --standalone --nproc_per_node 2 --max_restarts 9"
    launched = subprocess.Popen(
        [sys.executable, *launcher.split(), "-m", "benchmarks.chaos", str(job)],
        # Without it, workers that begin again may wait for each other for ever.
        env={**os.environ, "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"},
        stdout=subprocess.DEVNULL,
        stderr=(trial.folder / "printed").open("w"),
    )
    known, before = trial.known(), [0, 0]
    for kill in range(_KILLS):
        until = int((kill + rng.uniform(0.2, 0.8)) * run.requests / (_KILLS + 1))
        while len(trial.by(0) + trial.by(1)) < until and launched.poll() is None:
            time.sleep(0.01)
        known, before = trial.known(), [len(trial.by(rank)) for rank in (0, 1)]
        worker = (trial.folder / f"process-{rng.integers(2)}").read_text()
        with suppress(OSError):  # it ended by itself
            if str(job) in Path("/proc", worker, "cmdline").read_text():
                os.kill(int(worker), signal.SIGKILL)
    status = launched.wait()
    for rank, first in enumerate(before):
        asked = trial.by(rank)
        trial.asked += asked
        trial.lost += len(known & set(asked[first:]) - {rank})  # its first one keeps it in step
    if status:
        say(f"chaos: torchrun ended with {status}: {(trial.folder / 'printed').read_text()}")
        return False
    expected = _expected(replace(run, in_step=False)) or []
    return [trial.out(0), trial.out(1)] == [expected[0::2], expected[1::2]]


def _worker(job: Path) -> None:
    """A rank that torchrun started."""
    fields, journal = json.loads(job.read_text())
    rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    torch.distributed.init_process_group("gloo")
    _work(replace(Run(**fields), rank=rank, ranks=ranks), Path(journal), job.parent)


def _disk_full(trial: Trial, run: Run, rng: Any) -> bool:
    full = replace(run, room=int(rng.integers(4_000, 40_000)))
    first = trial.to_end(full)
    return first == trial.to_end(run) == _expected(run)


def _damaged(damage: Callable[[Path, Any], None], trial: Trial, run: Run, rng: Any) -> bool:
    trial.to_end(run)
    for _ in range(3):
        [file] = trial.journal.glob("rank-*.sqlite")
        damage(file, rng)
        if trial.to_end(run) != _expected(run):
            return False
    return True


def _truncate(file: Path, rng: Any) -> None:
    os.truncate(file, int(rng.integers(0, file.stat().st_size)))


def _flip(most: int, within: int | None, file: Path, rng: Any) -> None:
    """Change fewer than `most` bytes, anywhere or among the first ones."""
    data = bytearray(file.read_bytes())
    for place in rng.integers(0, within or len(data), size=int(rng.integers(1, most))):
        data[place] ^= int(rng.integers(1, 256))
    file.write_bytes(data)


def _pages(file: Path, rng: Any) -> None:
    """Overwrite a page by another one, swap the two, or fill it with zeros."""
    data = bytearray(file.read_bytes())
    one, other = (4096 * int(n) for n in rng.choice(len(data) // 4096, 2, replace=False))
    before = bytes(data)
    data[one : one + 4096] = before[other : other + 4096]
    match rng.integers(3):
        case 0:
            data[other : other + 4096] = before[one : one + 4096]
        case 1:
            data[one : one + 4096] = bytes(4096)
    file.write_bytes(data)


def _dies(every: int, trial: Trial, run: Run, rng: Any) -> bool:  # noqa: ARG001
    dying = replace(run, dies_after=every)
    for _ in range(2 * run.requests):
        answers = trial.to_end(dying)
        if answers is not None:
            return answers == _expected(run)
    return False


def _two_at_once(trial: Trial, run: Run, rng: Any) -> bool:
    first = trial.start(run)
    time.sleep(float(rng.uniform(0, 0.02)))
    second = Trial(trial.folder / "second", trial.journal)
    refused = second.start(run)
    statuses = [trial.ended(first), second.ended(refused)]
    trial.asked += second.asked
    return set(statuses) == {0, _REFUSED} and trial.to_end(run) == _expected(run)


def _changed(change: dict[str, Any], trial: Trial, run: Run, rng: Any) -> bool:  # noqa: ARG001
    first = trial.to_end(run)
    other = replace(run, **change)
    trial.asked.clear()  # all of it has to be asked anew
    trial.lost = 0
    changed = Trial(trial.folder / "changed", trial.journal)
    is_new = changed.to_end(other) == _expected(other) and len(changed.asked) == run.requests
    trial.asked += changed.asked
    return is_new and trial.to_end(run) == first == _expected(run)


@lru_cache
def _expected(run: Run) -> list[str] | None:
    """What a run without faults returns, on a journal of its own."""
    with TemporaryDirectory() as folder:
        return Trial(Path(folder) / "plain").to_end(run)


def faults(plain: Run) -> list[tuple[str, Try, Run]]:
    """All faults: what is said of each, what does it, and to which run."""
    drawn = replace(plain, temperature=1)
    alone = [1] * _KILLS
    flip, in_header = partial(_flip, 20, None), partial(_flip, 4, 60)  # not the format's version
    in_step = replace(plain, seconds=max(0.02, plain.seconds), in_step=True)
    return [
        ("SIGKILL at random times, 3 in a run", partial(_killed, 9, alone), plain),
        ("the same, sampled answers", partial(_killed, 9, alone), drawn),
        ("SIGTERM at random times, 3 in a run", partial(_killed, 15, alone), plain),
        ("ranks (2, 3, 2, then 1) killed at random times", partial(_killed, 9, [2, 3, 2]), plain),
        ("torchrun, 2 ranks in step: a worker killed by its id, 3 in a run", _torchrun, in_step),
        ("disk full after 4 to 40 kB, then room again", _disk_full, plain),
        ("journal cut off at a random byte, 3 in a row", partial(_damaged, _truncate), plain),
        ("1 to 19 random bytes changed, 3 in a row", partial(_damaged, flip), plain),
        ("a page overwritten, swapped or zeroed, 3 in a row", partial(_damaged, _pages), plain),
        ("1 to 3 bytes of the header changed, 3 in a row", partial(_damaged, in_header), plain),
        ("model that dies after every 7 requests", partial(_dies, 7), plain),
        ("model that dies after every 20 requests", partial(_dies, 20), plain),
        ("the same every 20, sampled answers", partial(_dies, 20), drawn),
        ("two starts at once: one is refused", _two_at_once, plain),
        ("every image changed: no old answer", partial(_changed, {"colour": 9}), plain),
        ("every prompt changed", partial(_changed, {"question": "Where is"}), plain),
        ("an argument of the model changed", partial(_changed, {"argument": 1}), plain),
    ]


def run(scratch: Path, plain: Run = Run(), tries: int = 10, only: Sequence[str] = ()) -> list[Line]:
    """Every fault, or some, so many times."""
    # What is read once is read before processes fork, and each collects its own garbage only.
    Resumable(Model(plain, scratch / "nothing"))
    with undisturbed():
        return [
            _line(what, fault, run, -(-tries // 2) if run.in_step else tries, scratch)
            for what, fault, run in faults(plain)
            if not only or any(part in what for part in only)
        ]


def _line(what: str, fault: Try, run: Run, tries: int, scratch: Path) -> Line:
    say(f"chaos: {what}")
    survived = lost = again = 0
    for number in range(tries):
        trial = Trial(scratch / f"chaos-{seeds.stable_hash(0, what)}-{number}")
        survived += fault(trial, run, seeds.generator(number, "chaos", what))
        lost += trial.lost
        again += len(trial.asked) - len(set(trial.asked))
    return {
        "fault": what,
        "tried": str(tries),
        "survived": str(survived),
        "lost": str(lost),
        "asked again": f"{again:,} of {tries * run.requests:,}",
    }


if __name__ == "__main__":
    _worker(Path(sys.argv[1]))
