"""Names of PairBench's splits and transformations, whichever way a data set spells them.

The hub's WhatsUp split names were not known when this was written, so a split is found by what its
name says (subset, transformations), not by one fixed spelling.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pairbench_ext.core.sources import SourceError

FEATURE_ALIASES: dict[str, tuple[str, ...]] = {
    "colorjitter": ("colorjitter", "colorjittering", "colourjitter", "cj", "color", "colour"),
    "rotate": ("rotate", "rotation", "rot"),
    "gaussianblur": ("gaussianblur", "gaussianblurring", "blur", "gb"),
    "perspective": ("perspective", "perspectiveshift", "ps"),
    "elastic": ("elastic", "elastictransform", "elastictransformation", "et"),
    "spatial": ("spatial", "spatialposition", "spatialpositions", "sp", "position"),
}
_SUBSET_ALIASES: dict[str, tuple[str, ...]] = {
    "a": ("a", "subseta", "controlledimages", "controlledimagesa", "controlleda"),
    "b": ("b", "subsetb", "controlledclevr", "controlledclevrb", "controlledb"),
}
# One letter is too short to look for inside other text: "r" stands alone or not at all.
_SINGLE = {"r": "rotate"}
# What a longer name ("perspective_transform", "spatial_relation") is about, wherever it says so.
_STEMS: dict[str, tuple[str, ...]] = {
    "colorjitter": ("jitter",),
    "rotate": ("rotat",),
    "gaussianblur": ("gaussian", "blur"),
    "perspective": ("perspectiv",),
    "elastic": ("elastic",),
    "spatial": ("spatial", "position", "relation", "location", "placement"),
}


def canonical_feature(name: str) -> str | None:
    """Our name of a transformation that a data set calls `name`; None if it is none of ours.

    >>> canonical_feature("perspective_transform"), canonical_feature("rotated and blurred")
    ('perspective', None)
    """
    text = _squeeze(name)
    known = _called(text)
    if known is not None:
        return known
    meant = [feature for feature, stems in _STEMS.items() if any(stem in text for stem in stems)]
    return meant[0] if len(meant) == 1 else None


def _called(text: str) -> str | None:
    for feature, aliases in FEATURE_ALIASES.items():
        if text in aliases:
            return feature
    return _SINGLE.get(text)


def find_split(names: Sequence[str], *, subset: str | None, features: Iterable[str]) -> str:
    """The one split of `names` that holds `subset` with exactly these `features`.

    "spatial" may be left unsaid: every WhatsUp split has it.

    Raises:
        SourceError: if none or several fit; the message lists what there is.
    """
    wanted = set(features)
    fitting = [name for name in names if _describe(name) in _readings(subset, wanted)]
    if len(fitting) == 1:
        return fitting[0]
    what = " + ".join(sorted(wanted)) + (f" of subset {subset!r}" if subset else "")
    raise SourceError(
        f"{'no split is' if not fitting else f'{fitting} all seem to be'} {what}; the splits are "
        f"{sorted(names)}. Name the right one as `split` in the task's source"
    )


def features_of(name: str) -> tuple[str, ...]:
    """The transformations that a split's name states, the position first as in our sources.

    >>> features_of("Controlled_Images_rotation_spatial_position")
    ('spatial', 'rotate')
    """
    stated = _describe(name)[1]
    order = dict.fromkeys(["spatial", *FEATURE_ALIASES])
    return tuple(feature for feature in order if feature in stated)


def _readings(subset: str | None, wanted: set[str]) -> list[tuple[str | None, frozenset[str]]]:
    exact = frozenset(wanted)
    return [(subset, exact), (subset, exact - {"spatial"})]


def _describe(name: str) -> tuple[str | None, frozenset[str]]:
    """(subset, features) that a split name states; unknown words are ignored."""
    tokens = [token for token in re.split(r"[^0-9a-z]+", _uncamel(name).lower()) if token]
    subset: str | None = None
    features: set[str] = set()
    start = 0
    while start < len(tokens):
        # The longest run of words that means something: "spatial position" before "spatial".
        for end in range(min(len(tokens), start + 3), start, -1):
            word = "".join(tokens[start:end])
            feature = canonical_feature(word) if end == start + 1 else _called(word)
            part = next((s for s, aliases in _SUBSET_ALIASES.items() if word in aliases), None)
            if feature or part:
                features |= {feature} if feature else set()
                subset = part or subset
                start = end
                break
        else:
            start += 1
    return subset, frozenset(features)


def _uncamel(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)


def _squeeze(name: str) -> str:
    return re.sub(r"[^0-9a-z]+", "", name.lower())
