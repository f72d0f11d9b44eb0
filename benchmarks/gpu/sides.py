"""Every way of asking, and what else is measured: a function each, which yields lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice, product
from typing import Any

from benchmarks import data
from benchmarks.common import Line, say, two_digits
from benchmarks.gpu import (
    backends,
    encoders,
    loops,
    order,
    pairs,
    processes,
    ranks,
    stages,
)
from benchmarks.gpu.bench import Bench
from benchmarks.gpu.models import to_order
from benchmarks.gpu.speed import Speed

ATTENTION = ("sdpa", "flash_attention_2")
PROCESSES = 2
_ORDERED = 400  # prompts whose order is looked at, which takes the processor's time


def _notebook(bench: Bench) -> Iterator[Line]:
    backend, docs = bench.backend(), bench.docs()
    ask = partial(loops.notebook, backend.model, _processor(backend))
    numbers = range(len(bench.asked(docs, bench.size.slow)))
    ask(docs, numbers[:2], bench.size.tokens)  # to warm up
    work = partial(ask, bench.docs(), numbers, bench.size.tokens)
    yield bench.line("a loop as the authors' notebook's", len(numbers), work)


def _stock1(bench: Bench) -> Iterator[Line]:
    yield bench.stock("stock backend, batch 1", 1, bench.size.slow)


def _batched(bench: Bench) -> Iterator[Line]:
    """The best of the batches, found on a part of the prompts, then all prompts with it."""
    rates: dict[int, float] = {}
    reason = ""
    for batch in bench.size.batches if bench.model.batches else ():
        try:
            rates[batch] = bench.stock(f"tried: batch {batch}", batch, 2 * batch).rate
        except RuntimeError as error:
            reason = processes.why(error)
            if not processes.is_out_of_memory(str(error)) or not rates:
                raise
        if reason:  # the error is gone here, and what it held of the device
            say(f"batch {batch} {reason}")
            backends.free(bench.size.device)
            break
        say(f"batch {batch}: {two_digits(rates[batch])} prompts/s")
    best = max(rates, key=rates.__getitem__, default=1)
    yield bench.stock(f"stock backend, best batch: {best}", best, bench.most(best))


def _bare(bench: Bench) -> Iterator[Line]:
    backend, docs = bench.backend(), bench.docs()
    asked = bench.asked(docs, max(bench.size.slow, 4 * bench.batch))
    batches = list(loops.prepared(_processor(backend), asked, docs, bench.batch))
    ask = partial(loops.bare, backend.model, _processor(backend))
    ask(batches[:1], bench.size.tokens)
    what = f"the model's own generate on inputs that are ready, batch {bench.batch}"
    yield bench.line(what, len(asked), partial(ask, batches, bench.size.tokens), bench.batch)


def _resumable(bench: Bench) -> Iterator[Line]:
    backend, docs = bench.backend(), bench.docs()
    loops.show_to(backend, docs)
    first = bench.asked(docs, bench.batch)
    loops.stock(backend, first, bench.batch, bench.size.tokens)  # to warm up
    docs = bench.docs()
    loops.show_to(backend, docs)
    asked = bench.asked(docs, bench.most(bench.batch))
    work = partial(loops.resumable, backend, asked, bench.batch, bench.size.tokens, bench.journal())
    yield bench.line(f"resumable around it, batch {bench.batch}", len(asked), work, bench.batch)


def _attention(bench: Bench) -> Iterator[Line]:
    most = max(bench.size.slow, 8 * bench.batch)
    for kind in ATTENTION:
        what = f"stock backend, {kind}, batch {bench.batch}"
        why = backends.why_no_attention(kind, bench.size.device)
        if why:
            yield Speed(what, 0, None, why)
            continue
        bench.load(kind)
        yield bench.stock(what, bench.batch, most)
    bench.drop()


def _processes(bench: Bench) -> Iterator[Line]:
    shares = [bench.told(share=(number, PROCESSES)) for number in range(PROCESSES)]
    yield bench.in_processes(f"{PROCESSES} processes, stock, batch {bench.batch}", shares)[0]


def _vllm(bench: Bench) -> Iterator[Line]:
    why = backends.why_no_vllm(bench.size.device)
    if why:
        yield Speed("vLLM", 0, None, why)
        return
    arguments = {
        "model": str(bench.path),
        "batch_size": 256,
        "gpu_memory_utilization": 0.85,
        "max_model_len": 8192,
    }
    asked = bench.told(name="vllm", arguments=arguments, batch=256, pairs=bench.size.pairs)
    yield bench.in_processes("vLLM, 256 requests at a time", [asked])[0]


def _stages(bench: Bench) -> Iterator[Line]:
    """Where the time goes, for as many prompts as the slow ways of asking get."""
    backend, docs = bench.backend(), bench.docs()
    asked = bench.asked(docs, max(bench.size.slow, 2 * bench.batch))
    yield from stages.stages(
        backend.model, _processor(backend), asked, docs, bench.batch, bench.size.tokens
    )


def _order(bench: Bench) -> Iterator[Line]:
    """Of the real processor's tokens; the model is not asked."""
    if not bench.model.batches:
        yield Speed("order of requests", 0, None, "asked one by one: nothing is filled up")
        return
    batch = bench.batch
    backend = backends.load(bench.model.backend, to_order(bench.model, bench.folder))
    ways: dict[str, Callable[[list[Any]], int]] = {
        "stock": lambda asked: loops.stock(backend, asked, batch, bench.size.tokens),
        "resumable": lambda asked: loops.resumable(
            backend, asked, batch, bench.size.tokens, bench.journal()
        ),
    }
    for name, ask in ways.items():
        docs = bench.docs()
        loops.show_to(backend, docs)
        yield order.seen(name, backend, batch, partial(ask, bench.asked(docs, _ORDERED)))


def _ranks(bench: Bench) -> Iterator[Line]:
    bench.drop()
    rows = max(2, bench.size.slow // ranks.ROW)
    prompts = min(len(bench.asked(bench.docs())), rows * ranks.ROW)
    asked = ranks.Evaluation(
        bench.model.backend,
        bench.arguments(),
        bench.root,
        prompts,
        bench.size.tokens,
        bench.size.device,
    )
    yield from ranks.lines(asked, bench.scratch / "ranks", bench.size.ranks)


def _encoders(bench: Bench) -> Iterator[Line]:
    bench.drop()
    images = bench.docs().trials.images
    rows = range(-(-bench.size.pairs // pairs.PAIRS_PER_ROW))
    # All of them differ: what an encoder has seen it need not see again.
    shown = islice(product(rows, data.COLUMNS), bench.size.images)
    yield from encoders.rows(
        [images.get(row, name) for row, name in shown],
        bench.folder,
        bench.size.device,
        bench.size.batches[-1],
        1 if bench.size.tiny else 3,
        tiny=bench.size.tiny,
    )


def _processor(backend: Any) -> Any:
    return getattr(backend, "processor", None) or backend._image_processor


# In the order in which they are measured.
SIDES: Mapping[str, Callable[[Bench], Iterator[Line]]] = {
    "notebook": _notebook,
    "stock1": _stock1,
    "stock": _batched,
    "bare": _bare,
    "resumable": _resumable,
    "attention": _attention,
    "stages": _stages,
    "processes": _processes,
    "vllm": _vllm,
    "ranks": _ranks,
    "encoders": _encoders,
    "order": _order,
}
