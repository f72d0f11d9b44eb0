"""Recognise PairBench's splits and transformations under other names.

The hub's WhatsUp split names were not known when this was written, so a split is found by what its
name says (subset, transformations), not by one fixed spelling.
"""

import re
from collections.abc import Iterable, Sequence

from pairbench_ext.core.sources import SourceError

# In a name in small letters, its words apart. Short forms stand alone or not at all.
_FEATURES = {
    "spatial": r"spatial|position|relation|location|placement|\bsp\b",
    "colorjitter": r"jitter|\bcolou?r\b|\bcj\b",
    "rotate": r"rotat|\brot\b|\br\b",
    "gaussianblur": r"gaussian|blur|\bgb\b",
    "perspective": r"perspectiv|\bps\b",
    "elastic": r"elastic|\bet\b",
}
_SUBSETS = {"a": r"\ba\b|controlled ?(images|a\b)", "b": r"\bb\b|controlled ?(clevr|b\b)"}


def canonical_feature(name: str) -> str | None:
    """Return the name that we use for a transformation; None if it is not one of PairBench's.

    >>> canonical_feature("perspective_transform"), canonical_feature("rotated and blurred")
    ('perspective', None)
    """
    features = features_of(name)
    return features[0] if len(features) == 1 else None


def features_of(name: str) -> tuple[str, ...]:
    """Return the transformations that a split's name mentions.

    >>> features_of("Controlled_Images_rotation_spatial_position")
    ('spatial', 'rotate')
    """
    return tuple(feature for feature in _FEATURES if re.search(_FEATURES[feature], _words(name)))


def find_split(names: Sequence[str], *, subset: str | None, features: Iterable[str]) -> str:
    """Return the one name among `names` that fits the data subset and these transformations.

    "spatial" may be left unsaid: every WhatsUp split has it.

    Raises:
        SourceError: if none or several fit; the message lists what there is.
    """
    wanted = set(features)
    fitting = [
        name
        for name in names
        if _subset_of(name) == subset and set(features_of(name)) in (wanted, wanted - {"spatial"})
    ]
    if len(fitting) == 1:
        return fitting[0]
    what = " + ".join(sorted(wanted)) + (f" of subset {subset!r}" if subset else "")
    raise SourceError(
        f"{(f'{fitting} all seem to be' if fitting else 'no split is')} {what}; the splits are "
        f"{sorted(names)}. Write the right one as `split` in the task's settings"
    )


def _subset_of(name: str) -> str | None:
    stated = [subset for subset, form in _SUBSETS.items() if re.search(form, _words(name))]
    return stated[-1] if stated else None


def _words(name: str) -> str:
    """Return a name in lower case, with spaces between its words.

    >>> _words("A_SpatialPosition")
    'a spatial position'
    """
    return re.sub(r"[^0-9a-z]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()).strip()
