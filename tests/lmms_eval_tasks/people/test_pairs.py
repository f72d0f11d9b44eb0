from lmms_eval_tasks.pairbench.rating_pool import PairPool, find_leaves
from lmms_eval_tasks.people.pairs.study import Key


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
