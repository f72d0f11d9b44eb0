"""The functions that lmms-eval calls for each of our tasks, to show documents and read replies.

Only the functions that depend on the benchmark and its numbers are made per benchmark:

    __getattr__ = task_functions(BENCHMARK)  # of the package `harness`; or of several benchmarks

No hook raises: stand-ins take the place of requests and images that cannot be asked or shown. An
image that cannot be decoded is found when the model is asked about it, since images are decoded one
by one as they are shown. A blank image is shown in its place; the reply is not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

from loguru import logger
from PIL.Image import Image

from pairbench_ext.core.benchmark import Benchmark, Pictures, Reading, Request, Rounds, dialogue
from pairbench_ext.core.distributions import DISTRIBUTION, Distribution, with_distribution
from pairbench_ext.core.limit_items import Sampled
from pairbench_ext.core.requests import Dialogue, changed_rounds
from pairbench_ext.core.sources import why
from pairbench_ext.core.texts import encodable
from pairbench_ext.harness import rounds
from pairbench_ext.harness.documents import TrialDoc, TrialDocs
from pairbench_ext.harness.numbers import Aggregations, SampleResults, group_metrics, sample_results
from pairbench_ext.harness.on_import import report
from pairbench_ext.harness.probes import accepts_text_only, blank_image
from pairbench_ext.harness.rounds import ChatStep, Messages, Step
from pairbench_ext.runs.samples import EXCHANGES, LEFT_OUT, TRIALS

Note = Callable[[str], Any]
NoteShown = Callable[[Sequence[Image]], Any]

#: Asked in place of what cannot be asked. It shows an image, which many backends need.
NOTHING_ASKED = Request((lambda: [blank_image()], "There is no question here. Reply with OK."))


def guarded(
    ask: Callable[[], Request | Rounds], note: Note, shown: NoteShown, *, at_once: bool
) -> Request | Rounds:
    """Return the request of a trial. If this fails, note the error and return a placeholder.

    Args:
        ask: gives a request, or a generator of them.
        note: takes the reason.
        shown: takes the images that were shown.
        at_once: look at the images now, not when they are shown.
    """

    def adapted(request: Request) -> Request:
        content = tuple(
            part if isinstance(part, str) else _or_blank(part, note, shown)
            for part in request.content
        )
        if at_once:
            for part in content:
                if not isinstance(part, str):
                    part()
        return replace(request, content=content)

    try:
        asked = ask()
        return adapted(asked) if isinstance(asked, Request) else _ending_early(asked, adapted, note)
    except Exception as error:  # noqa: BLE001  (the harness would lose every finished task)
        note(why(error))
        return NOTHING_ASKED


def _ending_early(rounds: Rounds, adapted: Callable[[Request], Request], note: Note) -> Rounds:
    """Return the adapted rounds; an error in them ends them, and is noted."""
    asked: list[Request] = []

    def noted(request: Request) -> Request:
        asked.append(request)
        return adapted(request)

    try:
        yield from changed_rounds(rounds, noted)
    except Exception as error:  # noqa: BLE001
        note(why(error))
    if not asked:
        note("a trial without a question")
        yield NOTHING_ASKED


def _or_blank(part: Pictures, note: Note, shown: NoteShown) -> Pictures:
    def pictures() -> list[Image]:
        try:
            images = list(part())
        except Exception as error:  # noqa: BLE001  (a picture may be broken in any way)
            note(why(error))
            return [blank_image()]
        shown(images)
        return images

    return pictures


def named_functions(*benchmarks: Benchmark) -> dict[str, Any]:
    """Return the functions and metric lists that a benchmark's task files refer to, by name.

    `docs` returns the trials that a source entry describes; `metric_list` has the benchmark's
    numbers as a task's file has them, and `group_metric_list` as a group's file. Those of the first
    benchmark are called so, those of the others `<benchmark>_docs` and so on.
    """
    named: dict[str, Any] = {}
    for benchmark in benchmarks:
        start = f"{benchmark.name}_" if named else ""
        named[f"{start}docs"] = _docs(benchmark)
        named[f"{start}metric_list"] = Aggregations(benchmark).metric_list()
        named[f"{start}group_metric_list"] = group_metrics(benchmark)
    return named


def _docs(benchmark: Benchmark) -> Callable[[Any], TrialDocs]:
    def docs(source: Any) -> TrialDocs:
        """Return the trials that a task's settings describe."""
        return TrialDocs(benchmark, benchmark.trials(source[0]))

    return docs


def doc_to_visual(doc: TrialDoc) -> list[Image]:
    """Return the images of a trial's first request, for simple backends."""
    doc.docs.protocol = "simple"
    return _first(doc).images()


def doc_to_text(
    doc: TrialDoc,
    lmms_eval_specific_kwargs: Mapping[str, Any] | None = None,  # noqa: ARG001
    previous_output: Sequence[str] | None = None,
    round_idx: int | None = None,
    previous_round_info: Any = None,  # noqa: ARG001
) -> str | Step:
    """Return the text of a trial's next request, for simple backends."""
    if round_idx is None:
        if _may_show_no_image(doc.docs):
            _needs_image(doc.docs)  # tried now, before the model generates
        return rounds.one_text(_first(doc))
    replies = list(previous_output or ())
    return rounds.step(following(doc, rounds.unpack(replies)), replies)


def doc_to_text_agentic(
    doc: TrialDoc,
    lmms_eval_specific_kwargs: Mapping[str, Any] | None = None,
    previous_output: Sequence[str] | None = None,
    round_idx: int | None = None,
    previous_round_info: Any = None,
) -> str | Step:
    """Return the text of a trial's next request, for backends that keep only the last reply."""
    given = doc_to_text(
        doc, lmms_eval_specific_kwargs, previous_output, round_idx, previous_round_info
    )
    if isinstance(given, str):
        return given
    if not given[2]:
        return *given[:4], None  # the harness takes what a round is told for an agent's state
    return None, None, True, [rounds.pack(given[3])], None


def doc_to_messages(
    doc: TrialDoc,
    previous_output: Sequence[str] | None = None,
    round_idx: int | None = None,
    previous_round_info: Any = None,  # noqa: ARG001
) -> Messages | ChatStep:
    """Return the messages of a trial's next request, for chat backends."""
    if doc.docs.protocol is None:
        doc.docs.protocol = "chat"
    if round_idx is None:
        return rounds.messages(_first(doc))
    replies = list(previous_output or ())
    return rounds.chat_step(following(doc, rounds.unpack(replies)), replies)


def doc_to_target(doc: TrialDoc) -> str:
    """Return the right answer to a document as text; empty if there is no right answer."""
    try:
        return "" if _unasked(doc) else doc.docs.trials.target(doc)
    except Exception as error:  # noqa: BLE001  (the harness would lose every finished task)
        logger.warning(
            f"{doc.docs.benchmark.title}: the right answer of a sample is not logged ({error!r})"
        )
        return ""


def process_results(doc: TrialDoc, results: Sequence[Any]) -> SampleResults:
    """Read a document's replies, and log under `trial` the fields that later scoring needs.

    It never raises: what cannot be read is no outcome, and an error in the log says so.
    """
    try:
        return _results(doc, results)
    except Exception as error:  # noqa: BLE001  (the harness would lose every finished task)
        benchmark = doc.docs.benchmark
        logger.error(
            f"{benchmark.title}: a sample is left out of the numbers, because its reply could not "
            f"be read ({error!r})"
        )
        unread = Reading((), unusable=(f"not read: {error!r}",))
        trial = {"benchmark": benchmark.name, **doc, "error": repr(error)}
        logged = encodable({"trial": trial, "resps": [results], "filtered_resps": list(results)})
        return sample_results(benchmark, doc.docs.trials, unread, logged)


def _results(doc: TrialDoc, results: Sequence[Any]) -> SampleResults:
    benchmark = doc.docs.benchmark
    if _unasked(doc):
        return _left_out(doc, results)
    logged_reply = results[0] if results else None
    reply = encodable(logged_reply)
    asked = _asked(doc, at_once=True)
    in_rounds = not isinstance(asked, Request)
    if in_rounds:
        held = dialogue(asked, rounds.unpack(reply))
    else:
        held = dialogue(asked, [reply if isinstance(reply, str) else ""])
    if _unasked(doc):
        return _left_out(doc, results)
    rule = benchmark.read.rule_name(doc.get("rule"))
    distribution = doc.docs.distributions.get(doc.number)
    trial = _logged_trial(doc, held, rule, distribution)
    reading = replace(
        with_distribution(benchmark.read, trial, held.exchanges, rule, distribution),
        left_out=tuple(doc.get(LEFT_OUT, ())),
        sampled=Sampled.logged(doc),
    )
    trial |= reading.log
    if in_rounds:
        rows = reading.rows or ({},) * len(held.exchanges)
        trial[EXCHANGES] = [
            {**exchange.log, "response": exchange.reply, **row}
            for exchange, row in zip(held.exchanges, rows, strict=True)
        ]
    shown = doc.docs.shown.get(doc.number)
    if shown:
        trial["images"] = shown
    trial = {"benchmark": benchmark.name, TRIALS: len(doc.docs), **trial}
    logged = encodable({"trial": trial})
    if reply != logged_reply:  # the harness could not write its own log
        logged |= {"resps": [[reply]], "filtered_resps": [reply]}
    return sample_results(benchmark, doc.docs.trials, reading, logged)


def _logged_trial(
    doc: TrialDoc, held: Dialogue, rule: str, distribution: Distribution | None
) -> dict[str, Any]:
    """A document with all that the log says of how it was asked."""
    trial = {**doc, "protocol": doc.docs.protocol, **({"rule": rule} if rule else {})}
    if any(exchange.log.get(rounds.BLANK) for exchange in held.exchanges):
        trial[rounds.BLANK] = True
    if not held.complete:
        trial["complete"] = False
    trial |= doc.docs.trials.examine(trial, held.exchanges)
    if distribution is not None:
        trial[DISTRIBUTION] = distribution.to_dict()
    return trial


def _unasked(doc: TrialDoc) -> str:
    """Return why a document could not be asked; empty if it could."""
    return doc.docs.failure or doc.docs.unasked.get(doc.number, "")


def _left_out(doc: TrialDoc, results: Sequence[Any]) -> SampleResults:
    """Return what a document that could not be asked logs: the reason, and no outcome."""
    docs = doc.docs
    reasons = (*doc.get(LEFT_OUT, ()), _unasked(doc))
    reading = Reading((), left_out=reasons, built=not docs.failure)
    trial = {"benchmark": docs.benchmark.name, **doc, LEFT_OUT: list(reasons), "asked": False}
    if docs.failure:
        trial["built"] = False
    else:
        trial[TRIALS] = len(docs)
    trials = None if docs.failure else docs.trials
    logged = {"trial": trial, "resps": [list(results)], "filtered_resps": list(results)}
    return sample_results(docs.benchmark, trials, reading, encodable(logged))


def following(doc: TrialDoc, replies: Sequence[str]) -> Request | None:
    """Return the request that follows a trial's replies so far; None if the trial is finished."""
    if replies and _unasked(doc):  # whatever else it would ask is not counted either
        return None
    return dialogue(_asked(doc), replies).following


def _first(doc: TrialDoc) -> Request:
    return following(doc, []) or NOTHING_ASKED


def _asked(doc: TrialDoc, *, at_once: bool = False) -> Request | Rounds:
    """Return what a document asks; with a blank image where its model cannot be asked without one.

    What cannot be asked or shown is noted, and something else replaces it.
    """
    docs, number = doc.docs, doc.number
    if docs.failure or (number in docs.unasked and not dict(doc)):
        return NOTHING_ASKED
    asked = guarded(
        lambda: docs.trials.ask(doc),
        partial(docs.unasked.setdefault, number),
        partial(docs.note_shown, number),
        # A reply from the harness's cache may have been given to a stand-in.
        at_once=at_once and docs.cached and number not in docs.shown,
    )
    return rounds.with_blank_images(asked, cache(partial(_needs_image, docs)), blank_image)


def _may_show_no_image(docs: TrialDocs) -> bool:
    try:
        return not docs.failure and docs.trials.text_only
    except Exception:  # noqa: BLE001  (it is said where it is asked)
        return False


def _needs_image(docs: TrialDocs) -> bool:
    """Return whether the model that is evaluated cannot be asked without an image."""
    try:
        return not accepts_text_only(docs)
    except Exception as error:  # noqa: BLE001  (the harness would lose every finished task)
        report(
            "lmms_eval.api.model",
            repr(error),
            "a model that needs an image in every request may fail",
        )
        return False
