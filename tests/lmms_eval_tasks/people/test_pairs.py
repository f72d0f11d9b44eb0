import datasets
import pytest

from lmms_eval_tasks.pairbench.rating_pool import PairPool, find_leaves
from lmms_eval_tasks.people.pairs.study import Key
from pairbench_ext.core.sources import SourceError
from tests.conftest import image_rows, template_row, write_split


def pool(data, *configs):
    return PairPool(find_leaves(str(data), configs))


def test_a_question_is_asked_as_in_figure_16(pairbench_data):
    question = pool(pairbench_data, "coco").question(Key("coco", "rotate", 1, "irrelevant", "inv"))
    assert question.data == (("Image 1", None), ("Image 2", None))
    assert question.told["summary"] == [
        "A difference in rotation DOES NOT decrease the score.",
        "If the images are different, decrease the score regardless.",
    ]
    [condition] = question.told["conditions"]
    assert condition.startswith("Be invariant to rotations while evaluating images. For example")
    assert question.told["task"].endswith(
        "on a scale of 1 (least similar) to 10 (completely similar), given the condition."
    )
    assert question.facts == {"kind": "irrelevant", "features": ["rotate"]}


def test_a_transformation_of_ones_own_needs_its_condition(tmp_path):
    write_split(tmp_path, "birds", "sharpen", image_rows(1))
    with pytest.raises(SourceError, match="no 'sens' condition for 'sharpen'"):
        pool(tmp_path)
    row = template_row("birds", features=["sharpen"])
    write_split(tmp_path, "templates", "train", datasets.Dataset.from_list([row]))
    from pairbench_ext.core import sources

    sources.split_names.cache_clear()
    question = pool(tmp_path).question(Key("birds", "sharpen", 0, "identical", "inv"))
    assert question.told["summary"][0] == "A difference in sharpen DOES NOT decrease the score."
