"""The kinds of synthetic questions, and a function that returns any pair by kind and number."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from pairbench_ext.statistics.seeds import Key, generator
from pairbench_ext.synthetic.questions import attribute, counts, hue, motions
from pairbench_ext.synthetic.questions.pair import SyntheticPair


class Kind(NamedTuple):
    """A kind of synthetic pair: its settings, and the function that draws it."""

    settings: Callable[..., Any]
    draw: Callable[..., SyntheticPair]


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "attribute": Kind(attribute.AttributeSettings, attribute.draw),
        "spatial": Kind(motions.SpatialSettings, motions.draw_spatial),
        "existence": Kind(counts.ExistenceSettings, counts.draw_existence),
        "quantity": Kind(counts.QuantitySettings, counts.draw_quantity),
        "viewpoint": Kind(motions.ViewpointSettings, motions.draw_viewpoint),
        "hue": Kind(hue.HueSettings, hue.draw),
    }
)


def pair(
    kind: str, index: int, seed: int = 0, settings: Any = None, key: tuple[Key, ...] = ()
) -> SyntheticPair:
    """Return pair number `index` of a kind of questions, the same on every machine.

    Args:
        kind: one of `KINDS`.
        index: which pair.
        seed: of everything that is drawn.
        settings: what to draw from, such as `SpatialSettings(size=(20, 20))`; None is the
            benchmark's own.
        key: tells series of pairs apart that are drawn from other settings.

    Raises:
        KeyError: if there is no such kind.

    >>> pair("quantity", 7).distractors == pair("quantity", 7).distractors
    True
    """
    chosen = KINDS[kind].settings() if settings is None else settings
    return KINDS[kind].draw(generator(seed, "synthetic", kind, *key, index), chosen)
