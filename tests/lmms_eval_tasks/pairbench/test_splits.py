import itertools

import pytest

from lmms_eval_tasks.pairbench.splits import canonical_feature, find_split
from pairbench_ext.core.sources import SourceError

TRANSFORMS = ("colorjitter", "rotate", "gaussianblur", "perspective", "elastic")
# Ways in which a data set could spell the twelve WhatsUp splits.
SPELLINGS = {
    "short": lambda s, t: f"{s}-SP" + (f"-{SHORT[t]}" if t else ""),
    "subset": lambda s, t: f"subset_{s.upper()}_" + (t or "spatial_position"),
    "whatsup": lambda s, t: (
        {"a": "controlled_images", "b": "controlled_clevr"}[s] + (f"_{LONG[t]}" if t else "")
    ),
}
SHORT = dict(zip(TRANSFORMS, ("CJ", "R", "GB", "PS", "ET"), strict=True))
LONG = dict(
    zip(
        TRANSFORMS,
        ("color_jittering", "rotation", "gaussian_blur", "perspective_shift", "elastic_transform"),
        strict=True,
    )
)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_whatsup_splits_are_found_however_they_are_spelt(spelling):
    spell = SPELLINGS[spelling]
    names = {(s, t): spell(s, t) for s, t in itertools.product("ab", (None, *TRANSFORMS))}
    for (subset, transform), name in names.items():
        features = ["spatial", *([transform] if transform else [])]
        assert find_split(list(names.values()), subset=subset, features=features) == name


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a_sp", "b_sp"], r"no split is rotate \+ spatial of subset 'a'.*\['a_sp', 'b_sp'\]"),
        (["a_sp_rotate", "a_rotation"], r"\['a_sp_rotate', 'a_rotation'\] all seem to be"),
    ],
    ids=["none", "several"],
)
def test_what_is_not_clear_is_said(names, message):
    with pytest.raises(SourceError, match=message):
        find_split(names, subset="a", features=["spatial", "rotate"])


@pytest.mark.parametrize(
    ("name", "feature"),
    [
        ("PerspectiveTransformation", "perspective"),
        ("relative position of objects", "spatial"),
        ("gaussian_noise_blur", "gaussianblur"),
        ("elastic_deformation", "elastic"),
        ("random_color_jitter", "colorjitter"),
        ("rotated_90", "rotate"),
        ("rotation_and_blur", None),
        ("brightness", None),
    ],
)
def test_feature_names(name, feature):
    assert canonical_feature(name) == feature
