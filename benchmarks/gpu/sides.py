"""The ways of asking, and where the time goes: a function each, which yields lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from benchmarks.common import Line, say, two_digits
from benchmarks.gpu import loops, stages
from benchmarks.gpu.bench import Bench, Speed


def _notebook(bench: Bench) -> Iterator[Line]:
    docs = bench.docs()
    ask = partial(loops.notebook, bench.backend.model, bench.processor)
    numbers = range(len(bench.asked(docs, bench.size.slow)))
    ask(docs, numbers[:2], bench.size.tokens)  # to warm up
    work = partial(ask, bench.docs(), numbers, bench.size.tokens)
    yield bench.line("a loop as the authors' notebook's", len(numbers), work)


def _stock(bench: Bench, what: str, batch: int, most: int | None) -> Speed:
    """The backend alone; a first batch is not timed."""
    ask = partial(loops.stock, bench.backend)
    ask(bench.asked(bench.docs(), batch), batch, bench.size.tokens)
    asked = bench.asked(bench.docs(), most)
    return bench.line(what, len(asked), partial(ask, asked, batch, bench.size.tokens))


def _one_by_one(bench: Bench) -> Iterator[Line]:
    yield _stock(bench, "stock backend, batch 1", 1, bench.size.slow)


def _batched(bench: Bench) -> Iterator[Line]:
    """The best of the batches, found on a part of the prompts, then all prompts with it."""
    import torch

    rates: dict[int, float] = {}
    for batch in bench.size.batches if bench.model.batches else (1,):
        try:
            rates[batch] = _stock(bench, f"tried: batch {batch}", batch, 2 * batch).rate
        except torch.cuda.OutOfMemoryError:
            say(f"batch {batch}: out of the device's memory")
            break
        say(f"batch {batch}: {two_digits(rates[batch])} prompts/s")
    bench.batch = max(rates, key=rates.__getitem__)
    yield _stock(bench, f"stock backend, best batch: {bench.batch}", bench.batch, None)


def _bare(bench: Bench) -> Iterator[Line]:
    docs = bench.docs()
    asked = bench.asked(docs, max(bench.size.slow, 4 * bench.batch))
    batches = list(loops.prepared(bench.processor, asked, docs, bench.batch))
    ask = partial(loops.bare, bench.backend.model, bench.processor)
    ask(batches[:1], bench.size.tokens)
    what = f"the model's own generate on inputs that are ready, batch {bench.batch}"
    yield bench.line(what, len(asked), partial(ask, batches, bench.size.tokens))


def _resumable(bench: Bench) -> Iterator[Line]:
    loops.stock(
        bench.backend, bench.asked(bench.docs(), bench.batch), bench.batch, bench.size.tokens
    )
    asked = bench.asked(bench.docs())
    journal = bench.scratch / "journal"
    ask = partial(loops.resumable, bench.backend, asked, bench.batch, bench.size.tokens, journal)
    yield bench.line(f"resumable around it, batch {bench.batch}", len(asked), ask)


def _stages(bench: Bench) -> Iterator[Line]:
    docs = bench.docs()
    asked = bench.asked(docs, max(bench.size.slow, 2 * bench.batch))
    model = bench.backend.model
    yield from stages.stages(model, bench.processor, asked, docs, bench.batch, bench.size.tokens)


#: In the order in which they are measured.
SIDES: Mapping[str, Callable[[Bench], Iterator[Line]]] = {
    "notebook": _notebook,
    "stock1": _one_by_one,
    "stock": _batched,
    "bare": _bare,
    "resumable": _resumable,
    "stages": _stages,
}
