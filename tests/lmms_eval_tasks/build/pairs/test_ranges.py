import numpy as np
import pytest

from lmms_eval_tasks.build.pairs.ranges import choose_transforms, ranges
from pairbench_ext.core.sources import SourceError
from pairbench_ext.synthetic.transforms import TRANSFORMS


@pytest.fixture
def write(tmp_path):
    def write(text):
        path = tmp_path / "ranges.yaml"
        path.write_text(text)
        return path

    return write


def test_without_a_file_the_defaults():
    assert choose_transforms() == TRANSFORMS
    assert choose_transforms(["rotate"]) == {"rotate": TRANSFORMS["rotate"]}


def test_a_file_changes_what_it_names(write):
    text = "rotate: {degrees: [5, 10]}\ncolorjitter: {brightness: [[0.9, 0.9], [1.5, 1.6]]}\n"
    chosen = choose_transforms(file=write(text))
    assert ranges(chosen["rotate"]) == {"degrees": [5.0, 10.0]}
    before = ranges(TRANSFORMS["colorjitter"])
    assert ranges(chosen["colorjitter"]) == {**before, "brightness": [[0.9, 0.9], [1.5, 1.6]]}
    assert chosen["elastic"] == TRANSFORMS["elastic"]
    angles = [chosen["rotate"].draw(np.random.default_rng(k), (9, 9))["angle"] for k in range(50)]
    assert 5 <= min(map(abs, angles)) < 6
    assert 9 < max(map(abs, angles)) <= 10


def test_every_field_of_every_transformation_can_be_given(write):
    import yaml

    text = yaml.safe_dump({name: ranges(value) for name, value in TRANSFORMS.items()})
    assert choose_transforms(file=write(text)) == TRANSFORMS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("spin: {degrees: [1, 2]}", "ranges.yaml: unknown transformation 'spin'; known are color"),
        ("rotate: {angle: [1, 2]}", "ranges.yaml: rotate has no field 'angle'; it has degrees"),
        ("rotate: {name: [1, 2]}", "rotate has no field 'name'"),
        ("rotate: [1, 2]", r"ranges.yaml: rotate must map fields to ranges, not be \[1, 2\]"),
        ("rotate: {degrees: 7}", r"ranges.yaml: rotate.degrees must be \[low, high\].*, not 7"),
        ("rotate: {degrees: [9, 7]}", r"rotate.degrees must be .* low <= high, not \[9, 7\]"),
        ("rotate: {degrees: [a, 7]}", r"rotate.degrees must be .*, not \['a', 7\]"),
        ("rotate: {degrees: [true, 7]}", "rotate.degrees must be"),
        ("rotate: {degrees: [.nan, 7]}", "rotate.degrees must be"),
        ("rotate: {degrees: [1, 2, 3]}", "rotate.degrees must be"),
        ("rotate: {degrees: [0, 190]}", r"rotate.degrees must be within \[0, 180\], not \[0, 190"),
        ("colorjitter: {hue: [-1, 0]}", r"colorjitter.hue must be within \[0, 0.5\]"),
        ("colorjitter: {contrast: [1, 2]}", r"colorjitter.contrast must be .*low <= high|two"),
        ("colorjitter: {contrast: [[1, 2]]}", "colorjitter.contrast must be two ranges"),
        ("- rotate", r"ranges.yaml must map transformations to their ranges, not be \['rotate'\]"),
        ("", "ranges.yaml must map transformations to their ranges, not be None"),
        ("rotate: {", "cannot read .*ranges.yaml"),
    ],
)
def test_a_mistake_is_named(write, text, message):
    with pytest.raises(SourceError, match=message):
        choose_transforms(file=write(text))


def test_a_mistake_is_named_whatever_the_splits_are(write):
    with pytest.raises(SourceError, match=r"elastic has no field 'size'"):
        choose_transforms(["rotate"], write("elastic: {size: [1, 2]}"))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(SourceError, match=r"cannot read .*none\.yaml"):
        choose_transforms(file=tmp_path / "none.yaml")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["rotate", "spin"], "unknown transformation 'spin': choose from colorjitter, rotate"),
        ([], "no transformation: choose from"),
        ([""], "unknown transformation ''"),
        (["rotate", "rotate"], "named twice in rotate,rotate"),
    ],
    ids=["unknown", "none", "empty", "twice"],
)
def test_splits_are_known_and_there_once(names, message):
    with pytest.raises(SourceError, match=message):
        choose_transforms(names)
