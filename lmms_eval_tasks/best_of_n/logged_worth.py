"""What logged replies are worth, by the score that their own task gave them.

The harness logs a sample with what the task's `process_results` made of it: a number
("exact_match": 1.0), numbers of all its replies, or what the number is made of later on
({"parsed_pred": "B", "answer": "B"}). So a worth is a field of the sample, or that two fields are
equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lmms_eval_tasks.preference.candidates import Origin
from pairbench_ext.core.records import Record, RecordError

#: What the harness and the model wrapper log of every sample, whatever its task.
_EVERY = {"doc_id", "doc", "target", "input", "arguments", "resps", "filtered_resps", "trial"}
_EVERY |= {"token_counts", "doc_hash", "input_media", "cluster", "agentic_trace"}


class Field(NamedTuple):
    """A field of a sample, or of what is in it: "exact_match", "mmmu_acc.answer"."""

    path: str

    def value(self, record: Record) -> Any:
        """What is there.

        Raises:
            RecordError: naming the part of the path that is not.
        """
        value: Any = record.fields
        for place, name in enumerate(parts := self.path.split(".")):
            if not isinstance(value, Mapping) or name not in value:
                within = ".".join(parts[:place]) or "the sample"
                known = sorted(set(value) - _EVERY) if isinstance(value, Mapping) else repr(value)
                raise RecordError(f"{record.where}: no {name!r} in {within}, only {known!s:.200}")
            value = value[name]
        return value


def scores_of(record: Record) -> list[str]:
    """The fields of a sample that are a score by themselves: numbers in [0, 1], or lists of them.

    >>> scores_of(Record("", {"doc_id": 0, "acc": 1.0, "average": {"score": 0.5}, "id": "a"}))
    ['acc', 'average.score']
    """
    found = []
    for name, value in record.fields.items():
        if name in _EVERY:
            continue
        if isinstance(value, Mapping) and _are_scores(value.get("score")):
            found.append(f"{name}.score")
        elif _are_scores(value):
            found.append(name)
    return found


def _are_scores(value: Any) -> bool:
    values = value if isinstance(value, list) and value else [value]
    return all(isinstance(one, (bool, int, float)) and 0 <= one <= 1 for one in values)


def chosen_score(records: Sequence[Record]) -> Field:
    """The only score that samples have.

    Raises:
        RecordError: if they have none, or several, naming them.
    """
    first = records[0]
    found = scores_of(first)
    if len(found) == 1:
        return Field(found[0])
    fields = sorted(set(first.fields) - _EVERY)
    if found:
        raise RecordError(f"{first.where}: several scores, {found}; say which one: --score NAME")
    raise RecordError(
        f"{first.where}: none of its fields {fields} is a number from 0 to 1; name one of them "
        "(--score average.score), or two whose equality is the score (--equal one,other)"
    )


def worth_by_score(origin: Origin, score: Field) -> float:
    """What a reply is worth, from 0 to 1.

    Args:
        origin: the reply.
        score: the field of its sample: a number, or as many as there are replies.

    Raises:
        RecordError: naming the sample and the field that is no such number.
    """
    value = _of_reply(origin, score)
    if not isinstance(value, (bool, int, float)) or not 0 <= value <= 1:
        raise RecordError(
            f"{origin.record.where}: {score.path!r} must be true, false or a number from 0 to 1, "
            f"not {value!r:.60}"
        )
    return float(value)


def worth_by_equality(origin: Origin, given: Field, expected: Field) -> float:
    """1 if two fields of a reply's sample are the same text, else 0.

    White space at the ends and letter case do not count.

    Raises:
        RecordError: naming the sample and the field that is not there.
    """
    answer, right = _of_reply(origin, given), expected.value(origin.record)
    return float(_text(answer) == _text(right))


def _text(value: Any) -> str:
    return str(value).strip().casefold()


def _of_reply(origin: Origin, field: Field) -> Any:
    """The value of a field for one reply."""
    value = field.value(origin.record)
    if isinstance(value, list) and len(value) == origin.of:
        return value[origin.number]
    if origin.of > 1:
        raise RecordError(
            f"{origin.record.where}: one {field.path!r} of {origin.of} replies; the harness does "
            "not log what each is worth"
        )
    return value
