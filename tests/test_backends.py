"""Real architectures through the harness's own loaders, by their normal names, on CPU.

The checkpoints are tiny and random: what is tested is that images, texts and their order reach the
model and that numbers come back, not what the numbers are.
"""

import math

import pytest

from tests.checkpoints import make_llava_onevision, make_qwen2_5_vl
from tests.commands import lmms_eval
from tests.conftest import preference_rows, write_split

TASKS = ("pairbench_coco_rotate", "pairbench_wu_it_a")
PREFERENCES = "vl_rewardbench_both"
ROUNDS = ("cast_rounds_demo", "cast_rounds")  # the second has no data, either


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory):
    root = tmp_path_factory.mktemp("checkpoints")
    return {
        "qwen2_5_vl": make_qwen2_5_vl(root / "qwen2_5_vl"),
        "llava_hf": make_llava_onevision(root / "llava_onevision"),
    }


@pytest.fixture(scope="module")
def marked_data(tmp_path_factory):
    """Texts with marks for images: LLaVA takes each for an image, of which there are too few."""
    folder = tmp_path_factory.mktemp("marked")
    marked = preference_rows().map(
        lambda row: {"query": f"<image>\n{row['query']} <image>", "response": ["<image> A", "B"]}
    )
    write_split(folder, "data", "test", marked)
    return folder


def by_order(samples):
    """Pairs of replies to the two orders of the same pair."""
    replies = {}
    for sample in samples:
        trial = sample["trial"]
        key = (trial["row"], trial["pair"], trial["condition"])
        replies.setdefault(key, {})[trial["order"]] = sample["filtered_resps"]
    return [(pair["fwd"], pair["rev"]) for pair in replies.values()]


@pytest.mark.parametrize(("model", "kind"), [("qwen2_5_vl", "chat"), ("llava_hf", "simple")])
def test_a_real_backend(model, kind, checkpoints, pairbench_data, marked_data, tmp_path):
    arguments = f"pretrained={checkpoints[model]},device=cpu,device_map=cpu"
    if model == "qwen2_5_vl":
        arguments += ",min_pixels=784"
    results, samples = lmms_eval(
        ["--model", model, "--model_args", arguments]
        + ["--tasks", ",".join((*ROUNDS, *TASKS, PREFERENCES))]
        + ["--batch_size", 1, "--gen_kwargs", "max_new_tokens=8"]
        + (["--force_simple"] if kind == "simple" else []),
        tmp_path,
        PAIRBENCH_DATA=str(pairbench_data),
        VL_REWARDBENCH_DATA=str(marked_data),
    )
    assert f"({kind})" in results["config"]["model_backend"]
    for task in TASKS:
        assert results["results"][task]["coverage,none"] == 0  # random characters hold no score
        assert [sample["doc_id"] for sample in samples[task]] == list(range(24))
        assert all(sample["filtered_resps"] for sample in samples[task])
    images, texts = (by_order(samples[task]) for task in TASKS)
    # A reply depends on the order of what is shown, unless the backend cannot show it.
    assert any(one != other for one, other in images)
    relaxsym = results["results"]["pairbench_wu_it_a"]["relaxsym,none"]
    if kind == "chat":
        assert any(one != other for one, other in texts)
        assert relaxsym == 0
    else:
        assert all(one == other for one, other in texts)
        assert math.isnan(relaxsym)
    for task in ROUNDS:  # which neither can be asked: they alone are left out
        assert math.isnan(results["results"][task]["same_modality,none"])
        assert results["results"][task]["left_out,none"] == 1
    assert "cannot answer several rounds" in str(samples[ROUNDS[0]][0]["trial"]["left_out"])
    assert (len(samples[PREFERENCES]), results["results"][PREFERENCES]["coverage,none"]) == (16, 0)
    replies = [sample["filtered_resps"] for sample in samples[PREFERENCES]]
    assert any(one != other for one, other in zip(replies[::2], replies[1::2], strict=True))


def test_a_chat_backend_that_moves_images_to_the_front(pairbench_data, tmp_path):
    """Its template undoes the order: both orders are one prompt, and must not look symmetric."""
    checkpoint = make_llava_onevision(tmp_path / "llava", images_first=True)
    results, samples = lmms_eval(
        [
            *("--model", "llava_hf", "--tasks", "pairbench_wu_it_a"),
            *("--model_args", f"pretrained={checkpoint},device=cpu,device_map=cpu"),
            *("--gen_kwargs", "max_new_tokens=8"),
        ],
        tmp_path,
        PAIRBENCH_DATA=str(pairbench_data),
    )
    assert "(chat)" in results["config"]["model_backend"]
    assert all(one == other for one, other in by_order(samples["pairbench_wu_it_a"]))
    assert math.isnan(results["results"]["pairbench_wu_it_a"]["relaxsym,none"])
