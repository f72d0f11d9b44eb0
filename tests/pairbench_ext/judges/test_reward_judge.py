"""Reward models in the place of judges that write: through the harness, and in plain Python.

TIFA's recorded metrics are not part of ours: `git clone https://github.com/Yushi-Hu/tifa` beside
this repository, or name a copy in TIFA_COPY.
"""

import json
import math
import os
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import datasets
import pytest
from PIL import Image

from pairbench_ext.judges.reward_judge import RewardJudge, of_checkpoint
from pairbench_ext.stacks.plain import open_task
from tests.conftest import REPOSITORY
from tests.endpoints import Endpoint
from tests.files import pairbench, text_of, write_lines
from tests.judges import evaluate, numbers

TIFA = Path(os.environ.get("TIFA_COPY") or REPOSITORY.parent / "tifa")
RECORDED = TIFA / "human_annotations" / "human_annotations_with_scores.json"


def write_pairs(folder, rows):
    """Pairs of images in GenAI-Bench's form; an image is one colour, by its number."""
    made = [
        {"prompt": text, "vote_type": vote}
        | {f"{side}_image": numbered(n) for side, n in zip(("left", "right"), pair, strict=True)}
        for text, pair, vote in rows
    ]
    file = folder / "image_generation" / "test_v1-00000-of-00001.parquet"
    file.parent.mkdir(parents=True)
    datasets.Dataset.from_list(made).to_parquet(str(file))


def numbered(number):
    return Image.new("RGB", (4, 4), (*divmod(number, 256), 0))


def number_of(image):
    high, low, _ = image.getpixel((0, 0))
    return 256 * high + low


@pytest.mark.skipif(not RECORDED.exists(), reason=f"no copy of github.com/Yushi-Hu/tifa in {TIFA}")
def test_recorded_metrics_agree_with_people_as_in_scipy(tmp_path, monkeypatch, task_manager):
    from scipy.stats import somersd

    images = list(json.loads(RECORDED.read_text()).values())
    by_text = defaultdict(list)
    for number, image in enumerate(images):
        by_text[image["text_id"]].append(number)
    rows = []
    for numbers_of_text in by_text.values():
        for one, two in combinations(numbers_of_text, 2):
            less = images[one]["human_avg"] - images[two]["human_avg"]
            vote = "leftvote" if less > 0 else "rightvote" if less else "tievote"
            rows.append((images[one]["text"], (one, two), vote))
    decided = [row for row in rows if row[2] != "tievote"]
    assert (len(rows), len(decided)) == (1600, 1036)
    write_pairs(tmp_path / "data", decided)
    monkeypatch.setenv("GENAI_BENCH_DATA", str(tmp_path / "data"))
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "recorded_rewards.py").write_text(
        "import json\n"
        f"images = list(json.load(open({str(RECORDED)!r})).values())\n"
        "def of(metric):\n"
        "    def reward(shown, prompt, answer):\n"
        "        high, low, _ = shown[0].getpixel((0, 0))\n"
        "        image = images[256 * high + low]\n"
        "        assert prompt == image['text'] and not answer\n"
        "        return image[metric]\n"
        "    return reward\n"
        "clip = of('clipscore_vitb32')\n"
    )
    import recorded_rewards

    task = "genai_bench_authors_image_generation"
    told = numbers(evaluate(RewardJudge("recorded_rewards:clip"), task, task_manager), task)
    assert told["accuracy_without_ties"] == pytest.approx(0.695, abs=5e-4)
    metrics = [name for name in images[0] if name.startswith(("tifa_", "clip"))]
    metrics += ["bleu", "meteor", "rouge", "spice"]
    assert len(metrics) == 10
    plain = open_task(task)
    for metric in metrics:
        made = plain.score([trial.reward(recorded_rewards.of(metric)) for trial in plain]).numbers
        # Somers' D, text by text: right pairs less wrong ones, of those that people decide.
        excess, pairs = 0.0, 0
        for places in by_text.values():
            people = [images[number]["human_avg"] for number in places]
            n = sum(a != b for a, b in combinations(people, 2))
            if n:
                scores = [images[number][metric] for number in places]
                some = len(set(scores)) > 1  # scipy has none for a metric that is the same for all
                excess += n * somersd(people, scores).statistic if some else 0
                pairs += n
        right, tied = made["accuracy_without_ties"], made["tie_rate"]
        assert right - (1 - right - tied) == pytest.approx(excess / pairs, abs=1e-9)


def right(images, prompt, answer):
    """Better answers of the tests' data say RIGHT."""
    assert images
    assert "Answer 1" not in prompt
    return float("RIGHT" in answer)


def test_pairs_whose_better_answer_is_known(vlrb_data, tmp_path, monkeypatch, task_manager):
    monkeypatch.setenv("VL_REWARDBENCH_DATA", str(vlrb_data))
    candidates = {"id": "q", "query": "Q?", "image": str(tmp_path / "a.png")}
    Image.new("RGB", (8, 8)).save(tmp_path / "a.png")
    candidates |= {"candidates": ["WRONG", "RIGHT", "WRONG too"], "correct": [False, True, False]}
    write_lines(tmp_path / "c.jsonl", [candidates, candidates | {"id": "r"}])
    monkeypatch.setenv("BEST_OF_N_DATA", str(tmp_path / "c.jsonl"))
    write_pairs(tmp_path / "pairs", [("a", (1, 2), "rightvote"), ("b", (5, 5), "tievote")])
    monkeypatch.setenv("GENAI_BENCH_DATA", str(tmp_path / "pairs"))
    judge = RewardJudge(f"{__name__}:right")
    told = numbers(evaluate(judge, "vl_rewardbench_both", task_manager), "vl_rewardbench_both")
    assert (told["overall_accuracy"], told["vote_accuracy"]) == (1, 1)
    for name in ("coverage", "first_position_rate", "position_consistency"):
        assert math.isnan(told[name])
    told = numbers(evaluate(judge, "best_of_n", task_manager), "best_of_n")
    assert (told["vote_accuracy"], math.isnan(told["coverage"])) == (1, True)
    task = open_task("genai_bench_both_image_generation")
    told = task.score([trial.reward(lambda shown, *_: number_of(shown[0])) for trial in task])
    assert (told.numbers["accuracy"], told.numbers["tie_rate"]) == (1, 0.5)
    task = open_task("vl_rewardbench_pointwise")
    assert task.score([trial.reward(right) for trial in task]).numbers["overall_accuracy"] == 1
    task = open_task("vl_rewardbench_both")
    file = task.write(tmp_path / "out", [trial.reward(right) for trial in task])
    row = json.loads(file.read_text().splitlines()[0])
    assert sorted(row["trial"]["said"]) == [0, 1]  # the margin follows from the log
    card = text_of("card", file.parent)
    assert "Position bias: not measured: does not apply to a reward model" in card
    scored = pairbench("score", "vl_rewardbench", file).output
    said = "numbers about position bias, unreadable replies and instructions do not apply"
    assert said in " ".join(scored.split())


def test_what_is_no_reward(task_manager, warned):
    with pytest.raises(ValueError, match="cannot be imported as module:function"):
        RewardJudge("math:nothing")
    with pytest.raises(ValueError, match="give one of"):
        RewardJudge()
    [trial, *_] = open_task("vl_rewardbench_demo")
    with pytest.raises(ValueError, match="finite numbers, not \\[nan"):
        trial.reward(lambda *_: math.nan)
    assert trial.row('{"pairbench_rewards": [0.5]}')["trial"]["unusable"] is not None
    told = numbers(
        evaluate(RewardJudge(f"{__name__}:right"), "subtlebench_demo", task_manager, limit=8),
        "subtlebench_demo",
    )
    assert told["coverage"] == 0
    assert "cannot choose an option" in "".join(warned)


def at_times(images, prompt, answer):
    if "item 3" in answer:
        raise OSError("the server is down")
    return right(images, prompt, answer)


def test_a_reward_that_fails_costs_its_pair_alone(vlrb_data, monkeypatch, task_manager, warned):
    monkeypatch.setenv("VL_REWARDBENCH_DATA", str(vlrb_data))
    task = "vl_rewardbench_both"
    results = evaluate(RewardJudge(f"{__name__}:at_times"), task, task_manager)
    told = numbers(results, task)
    assert (told["overall_accuracy"], told["items_decided"], told["items"]) == (1, 7, 8)
    trials = [sample["trial"] for sample in results["samples"][task]]
    assert [t["unusable"] for t in trials if t["unusable"]] == ["the request failed"] * 2
    assert sum("the server is down" in message for message in warned) == 2


def test_a_server_and_a_checkpoint(tmp_path):
    seen = []

    def classify(messages):
        seen.append(messages)
        good = messages[-1]["content"][0]["text"] == "good"
        return json.dumps({"data": [{"probs": [0.9 if good else -3.5]}]}).encode()

    with Endpoint(classify, whole=True) as server:
        judge = RewardJudge(url=server.url, model="m")
        picture = [Image.new("RGB", (4, 4))]
        assert [judge._reward(picture, "Q?", text) for text in ("good", "bad")] == [0.9, -3.5]
    path, _, body = server.requests[0]
    assert (path, body["model"], body["use_activation"]) == ("/v1/classify", "m", False)
    assert [part["type"] for part in seen[0][0]["content"]] == ["image_url", "text"]

    import torch
    from transformers import Qwen2Config, Qwen2ForSequenceClassification

    from tests.checkpoints import QWEN_SPECIAL, _byte_tokenizer, _chat_template, _text_config

    tokenizer = _byte_tokenizer(QWEN_SPECIAL)
    tokenizer.chat_template = _chat_template("")
    torch.manual_seed(0)
    model = Qwen2ForSequenceClassification(Qwen2Config(**_text_config(tokenizer), num_labels=1))
    model.eval().save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    text = "<|im_start|>user\nQ?<|im_end|>\n<|im_start|>assistant\ngood<|im_end|>\n"
    with torch.inference_mode():
        expected = float(model(**tokenizer(text, return_tensors="pt")).logits)
    assert of_checkpoint(str(tmp_path), "cpu")([], "Q?", "good") == pytest.approx(expected)


def test_a_checkpoint_that_sees(tmp_path):
    import torch
    from transformers import AutoConfig, Gemma3ForSequenceClassification

    from tests.checkpoints import make_gemma3

    config = AutoConfig.from_pretrained(make_gemma3(tmp_path))
    config.num_labels = config.text_config.num_labels = 1
    model = Gemma3ForSequenceClassification(config)
    generator = torch.Generator().manual_seed(0)
    for parameter in model.parameters():
        parameter.data.normal_(std=0.2, generator=generator)
    model.save_pretrained(tmp_path)
    reward = of_checkpoint(str(tmp_path), "cpu")
    shown = [numbered(0)], [numbered(65_000)], [numbered(0), numbered(65_000)]
    assert len({reward(images, "Q?", "good") for images in shown}) == 3
