"""A study with people: the questions, their order, and what is recorded with a score."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

from pairbench_ext.statistics import seeds

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from PIL import Image

KeyT = TypeVar("KeyT", bound="DataclassInstance")  # names a thing: frozen, of text and numbers


class Datum(NamedTuple):
    """One of the two pictures or texts that a rater is shown."""

    label: str
    text: str | None = None


class Question(NamedTuple):
    """A question for a rater, with the pictures and texts that are shown.

    Attributes:
        data: the two that are shown, or one image.
        told: what the page is told besides: nothing that tells the right score.
        highest: the highest score; the lowest is 1.
        facts: what is recorded beside a score, and never shown.
    """

    data: tuple[Datum, ...]
    told: Mapping[str, Any]
    highest: int
    facts: Mapping[str, Any] = MappingProxyType({})


class Study(ABC, Generic[KeyT]):
    """Questions drawn at random in rounds, which each rater answers in a different order.

    Args:
        strata: all that can be asked, each stratum in the order in which it is drawn.
        n: how much a round asks of each stratum.
        seed: of the draw and of the raters' orders.
        of: what the draw depends on, besides the seed.

    Attributes:
        page: the package that holds the study's `question.html` and `page.js`.
        title: of the page, the study's name first.
        thing: what is scored, in words.
        given: what a score is called.
        name: digest of the draw: the same name stands for the same rounds.
        total: how much there is to draw from.
        rounds: how many rounds there are until all was drawn; later ones may be shorter.
    """

    page: ClassVar[str]
    title: ClassVar[str]
    thing: ClassVar[str]
    given: ClassVar[str]

    def __init__(
        self, strata: Iterable[Sequence[KeyT]], n: int, seed: int, parts: Iterable[str | int]
    ) -> None:
        self.n, self.seed, self._strata = n, seed, list(strata)
        self.total = sum(map(len, self._strata))
        self.rounds = -(-max(map(len, self._strata)) // n)
        self.name = f"{seeds.stable_hash(seed, *parts):016x}"

    def drawn(self, number: int) -> list[KeyT]:
        """Return the questions of round `number`; each question is in one round only."""
        part = slice(number * self.n, (number + 1) * self.n)
        return [key for keys in self._strata for key in keys[part]]

    @abstractmethod
    def content(self, key: KeyT) -> str:
        """Return a digest of all that a question shows to raters.

        Raises:
            SourceError: if it cannot be read.
        """

    @abstractmethod
    def question(self, key: KeyT) -> Question:
        """Return what a question asks and shows, except the images.

        Raises:
            SourceError: if it cannot be read.
        """

    @abstractmethod
    def picture(self, key: KeyT, side: int) -> Image.Image:
        """Return the first (0) or second (1) image of a question.

        Raises:
            SourceError: if it cannot be read.
        """

    def recorded(self, key: KeyT, score: int) -> Mapping[str, Any]:
        """Return the fields that the log records for a score."""
        return {**self.question(key).facts, "score": score}

    def order(self, rater: str, number: int) -> list[KeyT]:
        """Return the questions of a round in the order in which a rater sees them."""
        keys = self.drawn(number)
        order = seeds.generator(self.seed, "order", rater, number).permutation(len(keys))
        return [keys[place] for place in order]

    def check(self, key: KeyT, score: Any) -> int:
        """Return a score if it is a whole number on the question's scale; else raise ValueError.

        Raises:
            ValueError: if it is none.
        """
        highest = self.question(key).highest
        if not isinstance(score, int) or isinstance(score, bool) or not 1 <= score <= highest:
            raise ValueError(
                f"the {self.given} must be a whole number from 1 to {highest}, not {score!r:.40}"
            )
        return score


def digest_of(parts: Iterable[bytes]) -> str:
    """Return a digest of several byte strings, as 16 hexadecimal digits."""
    digest = hashlib.blake2b(digest_size=8)
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def of_image(image: Image.Image) -> tuple[bytes, bytes]:
    """Return an image's mode, size and pixels as bytes, from which a digest is computed."""
    return f"{image.mode} {image.size}".encode(), image.tobytes()


def of_text(text: str) -> bytes:
    """Return a text as bytes, from which a digest is computed."""
    return text.encode(errors="surrogatepass")
