"""The model `resumable`: it wraps any model of lmms-eval, and records each answer on disk.

    lmms-eval --model resumable --model_args base=qwen2_5_vl,journal=DIR,pretrained=... --tasks ...

The arguments of the base follow unchanged. What the wrapper does not know itself it takes from the
base, so the harness and the tasks see no difference.
"""

from __future__ import annotations

import functools
import os
from contextlib import contextmanager
from difflib import get_close_matches
from importlib.metadata import packages_distributions, version
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from lmms_eval.api.model import lmms
from lmms_eval.models import get_model
from lmms_eval.utils import simple_parse_args_string
from loguru import logger

from pairbench_ext.core.texts import counted
from pairbench_ext.resumable.blocks import Asker, Tally, silent_remark
from pairbench_ext.resumable.dealing import ask_dealt
from pairbench_ext.resumable.journal import Journal
from pairbench_ext.resumable.keys import model_digest
from pairbench_ext.resumable.rounds import hold_conversations
from pairbench_ext.resumable.schedule import BlockSize, Ranks, at_once
from pairbench_ext.resumable.streaming import stream_of
from pairbench_ext.resumable.task_managers import rename_model

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lmms_eval.api.instance import Instance

NAME = "resumable"
_SETTINGS = ("block", "lockstep", "distributions")
_ARGUMENTS = ("base", "journal", *_SETTINGS)
_OWN = frozenset({"is_simple", "_base", "_asker", "_folder", "_deals"})


class Resumable(lmms):
    """A wrapper of any model of lmms-eval that records each answer in a journal.

    Every answer is recorded when its block of requests is done, and a later run asks only what is
    missing (see `pairbench_ext.resumable.keys` for when two requests are the same, and
    `pairbench_ext.replies.failures` for what is no answer). Without a journal only
    `generate_until_multi_round` differs from the base.
    """

    # What the harness requires of a class for chat models. An instance is as its base is.
    is_simple = False

    _base: lmms
    _asker: Asker
    _folder: Path | None
    _deals: bool

    def __init__(
        self,
        base: lmms,
        journal: Journal | Path | str | None = None,
        *,
        arguments: Mapping[str, Any] | None = None,
        block: int | None = None,
        lockstep: bool = True,
        distributions: bool = False,
    ) -> None:
        """Wrap a base model, whose answers are then recorded.

        Args:
            base: the model.
            journal: folder of the journal, or the open journal; None to record nothing.
            arguments: what the base was built from, apart from its class: models with equal
                arguments are taken to answer alike.
            block: how many requests the base is given at a time; at most so many are lost when the
                run is killed. None: as many as it answers in about half a minute.
            lockstep: whether all ranks call the base equally often. False says that each rank has
                a base of its own: missing requests are dealt out again over ranks (`dealing`).
            distributions: whether to listen to the log probabilities behind replies to our tasks.

        Raises:
            JournalError: if the journal cannot be written or another run is using it.
            ValueError: if an argument cannot be compared, or there is a journal but nothing is said
                of the arguments (`{}`, if there are none).
        """
        if journal is not None and arguments is None:
            raise ValueError(
                "a journal needs the base model's `arguments`; without them, two models of one "
                "class would share a journal"
            )
        if isinstance(journal, (str, Path)):
            journal = _open(Path(journal))
        kind = type(base)
        name = f"{kind.__module__}.{kind.__qualname__}"
        if distributions:  # a reply without one is no answer to what is asked now
            arguments = {**(arguments or {}), "distributions": True}
        model = model_digest(name, arguments or {}, f"{version('lmms_eval')} {_version_of(kind)}")
        self._base = base
        base.asked_in_single_rounds = True  # whatever it can do itself; see `harness.probes`
        self._folder = None if journal is None else journal.folder
        self.is_simple = base.is_simple
        size = BlockSize(at_once(base), block)
        # Who asks a server needs no step, and the requests that keep it may cost money. Listening
        # asks single requests again, on each rank others.
        ranks = Ranks(lockstep and stream_of(base) is None and not distributions)
        self._asker = Asker(base, size, ranks, journal, model, distributions=bool(distributions))
        self._deals = not lockstep and not distributions

    @classmethod
    def create_from_arg_string(
        cls, arg_string: str, additional_config: Mapping[str, Any] | None = None
    ) -> Resumable:
        """Build the base model from `--model_args`, as the harness does, and wrap it.

        Args:
            arg_string: `base=NAME`, optionally `journal=DIR`, `block=N`, `lockstep=true|false` and
                `distributions=true|false`, and the arguments of the base.
            additional_config: batch size and device of the command line, for the base.

        Raises:
            JournalError: if the journal cannot be written or another run is using it.
            ValueError: if there is no such base, or an argument of ours is wrong.
        """
        arguments = simple_parse_args_string(arg_string or "")
        ours = {name: arguments.pop(name, None) for name in _ARGUMENTS}
        _check(ours, arguments)
        for earlier in list(_built):  # an evaluation of this process may have ended with an error
            earlier._end()
        # First of all: a large model takes minutes to load.
        journal = None if ours["journal"] is None else _open(Path(ours["journal"]).expanduser())
        try:
            config = {key: it for key, it in (additional_config or {}).items() if it is not None}
            rename_model(NAME, ours["base"])
            base = get_model(ours["base"], force_simple=cls.is_simple)(**arguments, **config)
            ours["lockstep"] = ours["lockstep"] is not False
            settings = {name: ours[name] for name in _SETTINGS}
            wrapped = cls(base, journal, arguments=arguments, **settings)
        except BaseException:
            if journal is not None:  # another evaluation of this process may want it
                journal.close()
            raise
        _built.add(wrapped)
        return wrapped

    def __getattr__(self, name: str) -> Any:
        if name in _OWN:  # not wrapped yet
            raise AttributeError(name)
        return getattr(self._base, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _OWN:
            super().__setattr__(name, value)
        else:
            setattr(self._base, name, value)

    @property
    def rank(self) -> int:
        """Return the number (rank) of the base model's process."""
        return int(self._base.rank)

    @property
    def world_size(self) -> int:
        """Return how many processes (ranks) the base model runs in."""
        return int(self._base.world_size)

    def generate_until(self, requests: Sequence[Instance]) -> list[Any]:
        """Return an answer to each request; the model is not asked for answers in the journal."""
        if self._folder is None and self._asker.listener is None:
            outputs: list[Any] = self._base.generate_until(requests)
            return outputs
        # Tasks of the type generate_until_agentic ask one by one, each rank as often as it takes:
        # to wait for the others there would be to wait for ever.
        in_step = len(requests) != 1
        with self._asking() as asker:
            if self._deals and in_step:
                return ask_dealt(asker, asker.plan(requests))
            spare = requests[0] if requests else None
            return asker.ask(asker.plan(requests), spare, in_step=in_step)

    def generate_until_multi_round(self, requests: Sequence[Instance]) -> list[Any]:
        """Return, for each request, its answers in all rounds; each round is one batch."""
        with self._asking() as asker:
            return hold_conversations(asker, requests)

    def loglikelihood(self, requests: Sequence[Instance]) -> Any:
        """Return the base model's log likelihoods, which are not recorded in the journal."""
        return self._base.loglikelihood(requests)

    def generate_visual_cot(self, requests: Sequence[Instance]) -> Any:
        """Return the base model's replies, not recorded because they come with pictures."""
        return self._base.generate_visual_cot(requests)

    def set_cache_hook(self, cache_hook: Any) -> None:
        """Give the harness's response cache to the base model."""
        self._base.set_cache_hook(cache_hook)

    def clean(self) -> None:
        """Free the base model's memory, and report how many answers are not in the journal."""
        self._base.clean()
        self._end()

    @contextmanager
    def _asking(self) -> Iterator[Asker]:
        """The asker, with the journal open: the harness may evaluate a second time.

        If the base raises, the run is over: what is recorded is said, and others may go on.
        """
        if self._asker.journal is None and self._folder is not None:
            self._asker.journal = _open(self._folder)
        try:
            yield self._asker
        except BaseException:
            self._end()
            raise

    def _end(self) -> None:
        journal, self._asker.journal = self._asker.journal, None
        if journal is not None:
            journal.close()
            _report(self._asker.tally, journal)
        self._asker.forget()


class ResumableSimple(Resumable):
    """A wrapper for simple models of the harness (see `--force_simple`)."""

    is_simple = True


# Those that the harness had built: it evaluates one after the other, in one process with --config.
_built: WeakSet[Resumable] = WeakSet()


_distributions = functools.cache(packages_distributions)  # it reads all that is installed


def _version_of(kind: type) -> str:
    """Return version of the distribution that a class is installed by; empty if by none."""
    owners = _distributions().get(kind.__module__.partition(".")[0], [])
    return ", ".join(sorted({f"{owner} {version(owner)}" for owner in owners}))


def _check(ours: Mapping[str, Any], others: Mapping[str, Any]) -> None:
    """Say what is wrong with our arguments before a model is loaded.

    A misspelt one would go to the base, which may take any, and no answer would be recorded.

    Raises:
        ValueError: if the base is not named, the journal is no folder, or a name is misspelt.
    """
    if ours["base"] is None:
        raise ValueError(f"{NAME} needs a model to wrap: --model_args base=NAME,journal=DIR,...")
    if ours["journal"] in (True, ""):
        raise ValueError("journal= is empty: give a folder (is a shell variable unset?)")
    for name in others:
        near = get_close_matches(name, _ARGUMENTS, n=1, cutoff=0.8)
        if near:
            raise ValueError(f"{NAME} has no argument {name!r}; did you mean {near[0]}?")


def _open(folder: Path) -> Journal:
    rank = int(os.environ.get("RANK", "0"))
    return Journal.open(folder, rank=rank, ranks=int(os.environ.get("WORLD_SIZE", "1")))


def _report(tally: Tally, journal: Journal) -> None:
    """Say at the end of a run what was asked, and what the next run will have to ask again."""
    if tally.reused or tally.asked:
        logger.info(f"journal: {tally.reused} answers reused, {tally.asked} requests asked")
    lost = [
        *((f"failed ({cause})", number) for cause, number in tally.failed.items()),
        (f"could not be recorded ({journal.problem})", journal.unrecorded),
        ("could not be recorded (for reasons named above)", tally.unrecorded),
        ("showed content that cannot be compared with an earlier run's", tally.unkeyable),
    ]
    for what, number in lost:
        if number:
            logger.warning(
                f"journal: {counted(number, 'request')} {what}. The next run asks them again"
            )
    if tally.silent:
        logger.warning(f"journal: {silent_remark(tally.silent)}")
