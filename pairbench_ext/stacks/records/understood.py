"""Report the recorded values that are not understood, and the options to explain them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations

from pairbench_ext.core.texts import listed
from pairbench_ext.stacks.records.columns import MEANINGS, Columns, QuestionError
from pairbench_ext.stacks.records.converter import VALUE
from pairbench_ext.stacks.records.readings import command, options_of


def not_understood(
    what: str,
    share: float,
    unknown: Mapping[str, int],
    kind: str,
    given: Columns,
    typed: Sequence[str],
) -> QuestionError:
    """Return a question to the user about values that are not understood: what do they mean?

    Args:
        what: the values, as the question begins with them.
        share: of them that is understood.
        unknown: those that are not, with how often each stands there.
        kind: of the judgments.
        given: what is known of the columns.
        typed: the command, without what says which column is what.
    """
    most = Counter(unknown).most_common(3)
    shown = listed([f"{text[:40]!r} ({count:,} times)" for text, count in most], 3)
    return QuestionError(
        f"{what}: {share:.0%} of the recorded values are understood, fewer than 95%. Not "
        f"understood: {shown}. Name another column, or paste one of these commands:\n"
        + "\n".join(_answers(kind, given, [text for text, _ in most], typed))
    )


def _answers(kind: str, given: Columns, texts: Sequence[str], typed: Sequence[str]) -> list[str]:
    """Return what values that are not understood may mean, each with its command."""
    sayable = all(len(text) <= VALUE and not {*text} & {*",=\n"} for text in texts)
    lines = []
    for meant in permutations(MEANINGS.get(kind, ()), len(texts)) if sayable else ():
        if len(texts) == 1 or "tie" not in meant:
            new = dict(zip(texts, meant, strict=True))
            answered = replace(given, values={**given.values, **new})
            lines += [
                ", ".join(f"{text!r} is {of}" for text, of in new.items()) + ":",
                f"   {command(typed, options_of(answered, answered))}",
            ]
    same = options_of(given, given)
    return [
        *lines,
        "count these values as unreadable:",
        f"   {command(typed, [*same, '--accept'])}",
    ]
