"""Write sentences about drawings and about the spatial relations of two objects.

The subsets are those of WhatsUp (Kamath et al. 2023): "a" shows a small object and a piece of
furniture, "b" two small objects on a table top.
"""

from collections.abc import Mapping
from typing import NamedTuple

SUBSETS: Mapping[str, tuple[str, ...]] = {
    "a": ("left", "right", "on", "under"),
    "b": ("left", "right", "front", "behind"),
}


class Relation(NamedTuple):
    """A spatial relation of one object to another, such as left of or behind."""

    opposite: str
    phrase: str


RELATIONS: Mapping[str, Relation] = {
    "left": Relation("right", "to the left of"),
    "right": Relation("left", "to the right of"),
    "on": Relation("under", "on"),
    "under": Relation("on", "under"),
    "front": Relation("behind", "in front of"),
    "behind": Relation("front", "behind"),
}


def article(name: str) -> str:
    """Return a name with its indefinite article.

    >>> article("orange square"), article("red circle")
    ('an orange square', 'a red circle')
    """
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def capitalised(text: str) -> str:
    """Return words with a capital first letter."""
    return f"{text[0].upper()}{text[1:]}"


def sentence(text: str) -> str:
    """Return words as a sentence, with a capital and a full stop.

    >>> sentence("the red circle moved up")
    'The red circle moved up.'
    """
    return f"{capitalised(text)}."


def write_caption(first: str, relation: str, second: str) -> str:
    """Return a caption that states how two objects are placed, in WhatsUp's wording.

    >>> write_caption("apple", "left", "box")
    'An apple to the left of a box'
    """
    return capitalised(f"{article(first)} {RELATIONS[relation].phrase} {article(second)}")
