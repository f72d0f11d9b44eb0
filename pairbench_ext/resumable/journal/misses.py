"""Why the answers of a journal do not fit what is asked now."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pairbench_ext.resumable.journal.answers import EXPECT, RUN, Expectation, decode_expectation
from pairbench_ext.resumable.journal.facts import PARTS, PLACE, UNKNOWN, Facts
from pairbench_ext.resumable.journal.files import existing, failing, read
from pairbench_ext.resumable.journal.frames import Damage

_SAYS = {
    "prompt": "the prompt",
    "shown": "images, videos or other files that are shown",
    "hints": "what the task's file says of its documents (metadata)",
    "draw": "the run's seed, or the name of task or split",
}
_MOST_NAMED = 5


class Miss(NamedTuple):
    """Why a run asked what seemed to be answered.

    Attributes:
        task: whose documents.
        run: when the run began; Unix time.
        reasons: what differed from answers that were there, see `explain`.
    """

    task: str
    run: float
    reasons: list[str]


def misses(folder: Path) -> list[Miss]:
    """What the runs of a journal asked though it had answers to the same documents, and why.

    Raises:
        JournalError: if there is no journal, or it cannot be read.
    """
    answered: set[str] = set()
    expected: dict[str, list[Expectation]] = defaultdict(list)
    with failing(folder, "cannot be read"):
        for path in existing(folder).values():
            for frame in read(path):
                if isinstance(frame, Damage) or frame.name == RUN:
                    continue
                if frame.name == EXPECT:
                    expectation = decode_expectation(frame)
                    expected[expectation.task].append(expectation)
                else:
                    answered.add(frame.name)
    found = [
        Miss(task, run, reasons)
        for task, expectations in sorted(expected.items())
        for run in sorted({one.run for one in expectations})
        if (reasons := _of_run(run, expectations, answered))
    ]
    return sorted(found, key=lambda miss: miss.run)


def _of_run(run: float, expectations: Iterable[Expectation], answered: set[str]) -> list[str]:
    sets = {one.digest: one.keys for one in expectations if one.keys is not None}
    earlier = [one for one in expectations if one.run < run]
    own = [one for one in expectations if one.run == run]
    known = set().union(*(one.keys or () for one in earlier))
    fits = set().union(*(sets.get(one.digest, ()) for one in own))
    new = {key: facts for one in own for key, facts in one.facts.items() if key not in known}
    described = {digest: words for one in own for digest, words in one.described.items()}
    return explain(new, described, earlier, (answered - fits).__contains__)


def explain(
    missing: Mapping[Any, Facts],
    described: Mapping[str, Any],
    earlier: Iterable[Expectation],
    is_left: Callable[[str], bool],
) -> list[str]:
    """What differs from answers to the same documents of the same task, most frequent first.

    Args:
        missing: what is asked now and has no answer, by key or by any other name; of parts that are
            `UNKNOWN` nothing is said.
        described: models and settings of it in words, by digest.
        earlier: what earlier runs of the task expected.
        is_left: whether a key has an answer that fits nothing of what is asked now.

    Returns:
        Sentences; none where nothing is known of these documents, or all that is new is a further
        draw of the same.
    """
    words = dict(described)
    known: dict[tuple[Any, ...], set[Facts]] = defaultdict(set)
    unknown = 0
    for expectation in earlier:
        words |= expectation.described
        unknown += sum(map(is_left, () if expectation.facts else expectation.keys or ()))
        for key, facts in expectation.facts.items():
            if is_left(key):
                known[facts[:PLACE]].add(facts)
    found = Counter(
        _differences(facts, known[facts[:PLACE]])
        for facts in missing.values()
        if facts[:PLACE] in known
    )
    found.pop((), None)  # another draw of the same
    said = [
        f"{number} of {len(missing)}: {'; '.join(_in_words(differences, words))}"
        for differences, number in found.most_common(_MOST_NAMED)
    ]
    if missing and not known and unknown:
        said.append(f"{unknown} answers are of a version that did not note what they are to")
    return said


def _differences(facts: Facts, others: Iterable[Facts]) -> tuple[tuple[str, bytes, bytes], ...]:
    """What differs from the most similar one: part, then, now. Only models and settings vary."""

    def against(other: Facts) -> tuple[tuple[str, bytes, bytes], ...]:
        return tuple(
            (part, was, now) if part in ("model", "settings") else (part, b"", b"")
            for part in PARTS
            for was, now in [(getattr(other, part), getattr(facts, part))]
            # Whether task and seed count follows from the settings.
            if now not in (was, UNKNOWN)
            and not (part == "draw" and other.settings != facts.settings)
        )

    return min(map(against, others), key=lambda found: (len(found), found))


def _in_words(
    differences: Iterable[tuple[str, bytes, bytes]], words: Mapping[str, Any]
) -> Iterator[str]:
    for part, was, now in differences:
        if part in _SAYS:
            yield f"{_SAYS[part]} changed"
        else:
            before, after = (words.get(one.hex(), {}) for one in (was, now))
            said = list(_changes(before, after, "" if part == "model" else "generation setting "))
            yield from said[:_MOST_NAMED] or [f"{part} changed"]


def _changes(before: Mapping[str, Any], after: Mapping[str, Any], what: str) -> Iterator[str]:
    """How two descriptions differ: `argument pretrained: 'a' -> 'b'`."""
    for name in dict.fromkeys((*before, *after)):
        was, now = before.get(name), after.get(name)
        if was == now:
            continue
        if isinstance(was, Mapping) or isinstance(now, Mapping):
            yield from _changes(was or {}, now or {}, f"{what}{name} ")
        elif what.startswith("file "):
            kind = "is new" if was is None else "is gone" if now is None else "changed"
            yield f"{what}{name} {kind}".replace("  ", " ")
        else:
            shown = ["not given" if one is None else str(one) for one in (was, now)]
            yield f"{what}{name}: {shown[0]} -> {shown[1]}"
