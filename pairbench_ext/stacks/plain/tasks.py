"""Run a task in plain Python: iterate over its trials and ask any model."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, overload

from pairbench_ext.core import registry
from pairbench_ext.core.benchmark import Benchmark, Group, Request, Task, TaskTrials
from pairbench_ext.core.contents import content, digest
from pairbench_ext.core.files import write_atomically
from pairbench_ext.core.readers import Reward, reward_reply
from pairbench_ext.core.records import Record, RecordError
from pairbench_ext.core.sources import SourceError
from pairbench_ext.harness import hooks
from pairbench_ext.harness.documents import TrialDoc, TrialDocs
from pairbench_ext.harness.rounds import Messages, without_thoughts
from pairbench_ext.runs.samples import read_record
from pairbench_ext.runs.scoring import Run
from pairbench_ext.stacks.plain.messages import (
    TokenReply,
    openai_messages,
    pil_messages,
    shown_parts,
)

#: A reply that says that there was none: the request failed. It counts as the benchmark says.
FAILED = "[LMMS_EVAL_REQUEST_FAILED]"

#: A reply; those of all rounds, in order; None where the request failed.
Reply: TypeAlias = "str | Sequence[str] | None"


class PlainTrial:
    """A trial: what to show to a model, and how to read its reply.

    Args:
        task: as it is declared.
        doc: the same trial, as the harness has it.
    """

    def __init__(self, task: Task, doc: TrialDoc) -> None:
        self.task = task.name
        self.number = doc.number
        self._in_rounds = task.rounds != "once"
        self._doc = doc

    @property
    def scalars(self) -> dict[str, Any]:
        """Return the trial's own fields in the log, such as its data row and the order shown."""
        return dict(self._doc)

    def request(self, replies: Sequence[str] = ()) -> Request | None:
        """Return the trial's next request, given the replies so far; None if there is none.

        Where something cannot be asked or shown, a stand-in is; its reply is not counted.
        """
        return hooks.following(self._doc, [without_thoughts(reply) for reply in replies])

    @property
    def messages(self) -> Messages:
        """Return the first request as OpenAI messages, with pictures as data URLs (PNG)."""
        return openai_messages(self.first_request)

    @property
    def pil_messages(self) -> Messages:
        """Return the first request as messages for `transformers` templates, with PIL pictures."""
        return pil_messages(self.first_request)

    @property
    def first_request(self) -> Request:
        """Return the trial's first request; most tasks have only one request per trial."""
        request = self.request()
        assert request is not None
        return request

    @property
    def key(self) -> str:
        """Return the trial's name, `task:number:digest`; the digest changes with the prompt.

        The digest is of the texts, the pixels of the pictures and their order: an answer under
        another key is to another question. Pictures are decoded, so what is wrong with them is
        known as well.
        """
        request = self.first_request
        hashed = digest(content([request.system, list(shown_parts(request))])).hex()
        return f"{self.task}:{self.number}:{hashed[:12]}"

    def ask(
        self,
        model: Callable[[Messages], str],
        form: Callable[[Request], Messages] = openai_messages,
    ) -> list[str]:
        """Ask a model all of the trial's requests, one after another, and return the replies.

        Args:
            model: answers messages.
            form: what it is given, `openai_messages` or `pil_messages`.
        """
        replies: list[str] = []
        while (request := self.request(replies)) is not None:
            replies.append(model(form(request)))
        return replies

    def reward(self, model: Reward) -> str:
        """Return a reward model's reply: one score for each answer that the trial shows.

        Args:
            model: a function of images, prompt and answer, which is empty for an image by itself.

        Raises:
            ValueError: if the trial asks for neither answers nor images, or a number is not finite.
        """
        candidates = self._doc.docs.trials.candidates(self._doc)
        return reward_reply([model(list(x.images()), x.prompt, x.answer) for x in candidates])

    def _show(self, replies: Sequence[str]) -> None:
        """Look at the images that these replies are to, unless they were shown here.

        The log has their digests, and a trial with a broken one is not counted.
        """
        if self.number in self._doc.docs.shown:
            return
        for number in range(len(replies)):
            request = self.request(replies[:number])
            if request is not None:
                request.images()

    def row(self, replies: Reply) -> dict[str, Any]:
        """Return these replies as a logged sample, which `pairbench score` can read.

        Raises:
            TypeError: if a reply is no text: a coroutine, a number, a whole response.
            ValueError: if there are several replies, and the task asks once.
        """
        given = _as_list(replies)
        for reply in given:
            if not isinstance(reply, str):
                raise TypeError(
                    f"{self.task}, trial {self.number}: a reply must be a text, or None where the "
                    f"request failed, not a value of type {type(reply).__name__}"
                )
        if not self._in_rounds and len(given) != 1:
            raise ValueError(
                f"{self.task}, trial {self.number}: one reply is expected, not {len(given)}"
            )
        self._show(given)
        self._doc.docs.distributions.pop(self.number, None)
        if len(given) == 1 and isinstance(given[0], TokenReply):
            self._doc.docs.find_distribution(self.number, given[0], given[0].path)
        result: Any = given if self._in_rounds else without_thoughts(given[0])
        target = hooks.doc_to_target(self._doc)
        read = hooks.process_results(self._doc, [result])
        logged = {"doc_id": self.number, "target": target, "resps": [given]}
        # `**read` takes its `keys`, which are those of what is logged; its items are not.
        return {**logged, "filtered_resps": given, **read}


class Entry(NamedTuple):
    """A task or group of tasks, with the benchmark to which it belongs."""

    benchmark: Benchmark
    task: Task | Group


def number_of(key: str) -> int:
    """Return a trial's number in its task, read from `PlainTrial.key`."""
    return int(key.split(":")[-2])


class PlainTask(Sequence[PlainTrial]):
    """The trials of a task in order; a trial is made only when it is accessed.

    Raises:
        SourceError: if it cannot be asked, for example because its data are not there.
    """

    def __init__(self, benchmark: Benchmark, task: Task) -> None:
        self.benchmark = benchmark
        self.name = task.name
        self._task = task
        #: Whether a trial is one request.
        self.asks_once = task.rounds == "once"
        #: How replies are to be generated: `tokens`, `temperature`, `top_p`, ...
        self.decoding = task.decoding
        self._docs = TrialDocs(benchmark, benchmark.trials(task.entry))
        self._docs.protocol = "chat"
        if self._docs.failure:
            raise SourceError(f"{task.name}: {self._docs.failure}")

    def __len__(self) -> int:
        return len(self._docs)

    @overload
    def __getitem__(self, index: int) -> PlainTrial: ...
    @overload
    def __getitem__(self, index: slice) -> list[PlainTrial]: ...
    def __getitem__(self, index: int | slice) -> PlainTrial | list[PlainTrial]:
        if isinstance(index, slice):
            return [PlainTrial(self._task, doc) for doc in self._docs[index]]
        return PlainTrial(self._task, self._docs[index])

    def __iter__(self) -> Iterator[PlainTrial]:
        return (PlainTrial(self._task, doc) for doc in self._docs)

    def rows(self, replies: Iterable[Reply]) -> Iterator[dict[str, Any]]:
        """Yield one logged sample per reply; reply i belongs to trial i.

        Args:
            replies: in the order of the trials.

        Raises:
            ValueError: if there are more replies than trials.
        """
        asked = iter(self)
        for number, reply in enumerate(replies):
            trial = next(asked, None)
            if trial is None:
                raise ValueError(f"{self.name} has {number} trials, but there are more replies")
            yield trial.row(reply)

    def score(self, replies: Iterable[Reply], rule: str | None = None) -> Run:
        """Return the scored run, whose metrics are computed from these replies.

        Args:
            replies: in the order of the trials; those of the first trials suffice.
            rule: how they are read; None for the default.

        Raises:
            RecordError: if no number follows from them.
            ValueError: if there are more replies than trials, or no such rule.
        """
        where = Path(f"samples_{self.name}.jsonl")
        used = rule and self.benchmark.read.rule_name(rule)
        readings = [
            read_record(self.benchmark, Record(f"{where}, line {number}", row), used)
            for number, row in enumerate(self.rows(replies), start=1)
        ]
        if not readings:
            raise RecordError(f"{self.name}: there is no reply to score")
        return Run(self.benchmark, where, tuple(readings), self.name).scored()

    def write(self, folder: Path | str, replies: Iterable[Reply]) -> Path:
        """Write replies to a file of logged samples, which every `pairbench` command reads.

        Args:
            folder: gets `samples_<task>.jsonl`; made if needed.
            replies: as for `rows`.
        """
        path = Path(folder) / f"samples_{self.name}.jsonl"
        write_atomically(path, (as_line(row) for row in self.rows(replies)))
        return path


def as_line(row: dict[str, Any]) -> bytes:
    """Return a logged sample as one line of a JSON lines file."""
    return json.dumps(row, ensure_ascii=False).encode() + b"\n"


def open_task(name: str) -> PlainTask:
    """Return the task with this name, as `pairbench tasks` lists it.

    Raises:
        SourceError: as `find_task`, or if it cannot be asked.
    """
    return PlainTask(*find_task(name))


def trials_of(name: str) -> TaskTrials[Any]:
    """Return the trials of the task with this name.

    Raises:
        SourceError: as `find_task`.
    """
    benchmark, task = find_task(name)
    return benchmark.trials(task.entry)


def find_task(name: str) -> tuple[Benchmark, Task]:
    """Return the task with this name, and the benchmark that it belongs to.

    Raises:
        SourceError: if there is no such task, naming those whose names are like it; or if it is a
            group, naming its tasks.
    """
    entry = _entry(name)
    if isinstance(entry.task, Group):
        tasks = ", ".join(task_names(name))
        raise SourceError(f"{name} is a group; name one of its tasks: {tasks}")
    return entry.benchmark, entry.task


def task_names(name: str) -> list[str]:
    """Return the names of a group's tasks, including those in its subgroups.

    Raises:
        SourceError: if there is no such task or group.
    """
    entry = _entry(name)
    if isinstance(entry.task, Task):
        return [name]
    inner = (task for member in entry.task.members for task in task_names(member))
    return list(dict.fromkeys(inner))


def _entry(name: str) -> Entry:
    entries = declared()
    if name not in entries:
        near = get_close_matches(name, entries, n=5)
        hint = f"did you mean {' or '.join(near)}?" if near else "`pairbench tasks` lists them"
        raise SourceError(f"no task {name!r}; {hint}")
    return entries[name]


def declared() -> dict[str, Entry]:
    """Return all tasks and groups by name; those that use the user's own data come last."""
    entries = {
        task.name: Entry(benchmark, task)
        for benchmark in registry.every_benchmark()
        for task in benchmark.tasks
    }
    for module in registry.modules("local_tasks").values():
        for benchmark, task in module.local_tasks():
            entries.setdefault(task.name, Entry(benchmark, task))
    return entries


def _as_list(replies: Reply) -> list[str]:
    if replies is None:
        return [FAILED]
    return list(replies) if isinstance(replies, (list, tuple)) else [replies]  # type: ignore[list-item]
