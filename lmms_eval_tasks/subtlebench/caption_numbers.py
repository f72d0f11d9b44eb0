"""How close captions of differences come to a person's: CSS and LLM-as-a-judge.

Paper: VLM-SubtleBench, Section 4.1, Table 3 and Appendix B.3. CSS is the cosine similarity of two
sentence embeddings, of the reference and of the candidate. The judge is a language model that is
asked whether the candidate matches the reference; its number is the share of "Yes". A reply of the
judge that is neither "Yes" nor "No" is no "Yes".

An unusable caption (empty, or the request failed) has CSS 0, and its verdict is "no".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from lmms_eval_tasks.subtlebench.items import TYPES
from pairbench_ext.core.outcome_table import Name, OutcomeTable
from pairbench_ext.replies import yesno
from pairbench_ext.statistics.shares import Share, mean_with_interval, share_with_interval

FloatArray: TypeAlias = npt.NDArray[np.float64]

YES, NO, UNCLEAR, UNJUDGED = "yes", "no", "unclear", "unjudged"


class Caption(NamedTuple):
    """One caption, and what was found of it.

    Attributes:
        item: which caption was asked for.
        pair: of which pair of images: captions of one pair are not independent.
        category: the type of difference, such as `"attribute"`.
        domain: where the images are from.
        reference: a person's caption.
        candidate: the model's; None if it is empty or the request failed.
        judge: the judge's name; None if there is none.
        said: the judge's reply; None if it was not asked or has failed.
        css: in [-1, 1]; None if it was not computed.
    """

    item: Name
    pair: Name
    category: str
    domain: str
    reference: str
    candidate: str | None
    judge: str | None = None
    said: str | None = None
    css: float | None = None

    @property
    def usable(self) -> bool:
        """Whether there is a caption."""
        return self.candidate is not None

    @property
    def to_be_judged(self) -> bool:
        """Whether there is something to ask the judge, if there is one."""
        return self.usable and self.said is None

    @property
    def verdict(self) -> str:
        """The judge's: `YES`, `NO`, `UNCLEAR` (a reply that says neither), or `UNJUDGED`."""
        if self.judge is None or self.to_be_judged:
            return UNJUDGED
        if self.candidate is None or self.said is None:
            return NO
        value = yesno.read(self.said).value
        return UNCLEAR if value is None else (YES if value else NO)

    @property
    def judged(self) -> bool:
        """Whether there is a verdict, unclear ones included."""
        return self.verdict != UNJUDGED

    @property
    def matches(self) -> bool:
        """Whether the judge says that the caption matches the reference."""
        return self.verdict == YES


class CaptionTable(OutcomeTable[Caption]):
    """Captions, sorted by item, each once.

    Args:
        captions: in any order.

    Raises:
        ValueError: naming the item, if it occurs twice with different content.
    """

    def __init__(self, captions: Iterable[Caption]) -> None:
        super().__init__(captions, ("item",))

    def by_type(self) -> dict[str, CaptionTable]:
        """The captions of each type of difference that occurs."""
        parts = {
            name: self.where(lambda caption, name=name: caption.category == name)  # type: ignore[misc]
            for name in TYPES
        }
        return {name: part for name, part in parts.items() if len(part)}


def cosine_similarity(first: npt.ArrayLike, second: npt.ArrayLike) -> FloatArray:
    """Cosine similarity of embeddings, row by row.

    Args:
        first: shape (n, d).
        second: shape (n, d).

    Returns:
        Shape (n,), in [-1, 1]; 0 where one of the two is a row of zeros.

    Raises:
        ValueError: if the shapes differ.

    >>> cosine_similarity([[1, 0], [0, 2], [0, 0]], [[3, 4], [0, 1], [1, 1]]).tolist()
    [0.6, 1.0, 0.0]
    """
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.shape != other.shape or one.ndim != 2:
        raise ValueError(f"embeddings of shapes {one.shape} and {other.shape} are not paired rows")
    norms = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    products = np.einsum("ij,ij->i", one, other)
    cosines: FloatArray = np.clip(products / np.where(norms > 0, norms, 1), -1, 1)
    return cosines


def mean_css(table: CaptionTable) -> Share:
    """Mean CSS with its interval by cluster bootstrap over the pairs of images.

    Returns:
        NaN without captions, and if a caption has no CSS; the interval needs two pairs.
    """
    css = np.array([np.nan if one.css is None else one.css for one in table.rows], np.float64)
    return mean_with_interval(css, table.codes("pair"), lowest=-1)


def judge_accuracy(table: CaptionTable) -> Share:
    """Share of "Yes" among the captions with a verdict, with its interval as for `mean_css`."""
    judged = table.where(lambda caption: caption.judged)
    return share_with_interval(judged.column("matches"), judged.codes("pair"))
