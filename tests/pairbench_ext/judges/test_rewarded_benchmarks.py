"""A reward model on every benchmark of pairs, ratings and rankings, beside a judge that writes."""

import hashlib
import json
import math
import shutil

import pytest

from pairbench_ext.core import registry
from pairbench_ext.core.outcomes import TIE
from pairbench_ext.core.readers import NOT_OF_REWARDS
from pairbench_ext.judges.reward_judge import RewardJudge
from pairbench_ext.stacks.plain import open_task
from tests.files import json_of, pairbench, text_of, write_lines
from tests.golden_data import write_data
from tests.judges import evaluate, numbers
from tests.lmms_eval_tasks.editreward_bench import test_benchmark as editreward
from tests.lmms_eval_tasks.editscore_bench import test_benchmark as editscore
from tests.lmms_eval_tasks.genai_bench import test_benchmark as genai
from tests.lmms_eval_tasks.mm_rlhf_rewardbench import test_benchmark as mm_rlhf
from tests.lmms_eval_tasks.mmrb2 import test_benchmark as mmrb2

DATA = {
    "EDITREWARD_BENCH_DATA": editreward,
    "EDITSCORE_BENCH_DATA": editscore,
    "GENAI_BENCH_DATA": genai,
    "MM_RLHF_REWARDBENCH_DATA": mm_rlhf,
    "MMRB2_DATA": mmrb2,
}
PAIRS = {  # task -> accuracy over all judgments
    "vl_rewardbench_both": "vote_accuracy",
    "preference_custom": "vote_accuracy",
    "multimodal_rewardbench_both": "vote_accuracy",
    "judge_audit_demo_preferences": "vote_accuracy",
    "judge_audit_blind_preferences": "vote_accuracy",
    "mllm_judge_pair_both": "accuracy_with_ties",
    "mmrb2_t2i_both": "accuracy",
    "mmrb2_reasoning_both": "accuracy",
    "editreward_bench_both": "accuracy_with_ties",
    "mm_rlhf_rewardbench_both": "accuracy",
    "genai_bench_both_image_edition": "accuracy_with_ties",
}
OTHERS = """
    best_of_n vl_rewardbench_pointwise editscore_bench_pointwise mllm_judge_score mllm_judge_batch
    viescore_tie pairbench_coco_rotate judge_audit_demo_ratings judge_audit_blind_ratings
"""
TASKS = [*PAIRS, *OTHERS.split()]
#: Tasks on which a judge that writes stands beside it, and what that one says.
SIDE_BY_SIDE = {
    "vl_rewardbench_both": "Overall Judgment: Answer 1 is better.",
    "mllm_judge_pair_both": "[[A]]",
    "mllm_judge_score": "[[3]]",
    "pairbench_coco_rotate": "Score: 5",
}
#: Choose one of several options, describe, or ask in rounds; or are judged in tests of their own.
NOT_JUDGED = {
    *("multi_crit", "omni_rewardbench"),
    *("cast", "subtlebench", "subtlebench_caption"),
    *("judge_audit_differences", "judge_audit_blind_differences"),
}


def reward(images, prompt, answer):
    """A number that follows from what is shown, below 0 or above, for some the same."""
    shown = hashlib.sha256(repr((prompt, answer)).encode())
    for image in images:
        shown.update(image.tobytes())
    return shown.digest()[0] % 5 - 2.0


def scaled(images, prompt, answer):
    return 50 + 2 * reward(images, prompt, answer)


def benchmark_of(task):
    every = registry.every_benchmark()
    [found] = [each for each in every if any(task == known.name for known in each.tasks)]
    return found


def right(trial):
    """Whether the answer with the higher reward is the right one."""
    one, two = trial["said"]
    place = TIE if one == two else int(one < two)
    return trial["truth"] == (place if place == TIE or trial["order"] == "fwd" else 1 - place)


@pytest.fixture(scope="module")
def ran(tmp_path_factory, task_manager):
    """The harness's results, and the folder of its logs and of those of a judge that writes."""
    root = tmp_path_factory.mktemp("rewarded")
    with pytest.MonkeyPatch.context() as patch:
        for name, folder in write_data(root / "data").items():
            patch.setenv(name, folder)
        for name, of_benchmark in DATA.items():
            (root / name).mkdir()
            of_benchmark.write(root / name)
            patch.setenv(name, str(root / name))
        results = evaluate(RewardJudge(f"{__name__}:reward"), TASKS, task_manager)
        for task, samples in results["samples"].items():
            write_lines(root / "logs" / "rewards" / f"samples_{task}.jsonl", samples)
        for name, reply in SIDE_BY_SIDE.items():
            task = open_task(name)
            task.write(root / "logs" / "writes", [reply] * len(task))
        yield results, root / "logs"


def test_every_benchmark_is_judged_or_cannot_be():
    asked = {benchmark.name for benchmark in registry.every_benchmark() if benchmark.tasks}
    assert asked - {benchmark_of(task).name for task in TASKS} == NOT_JUDGED


@pytest.mark.parametrize("name", TASKS)
def test_a_benchmark(name, ran):
    results, logs = ran
    told, task, samples = numbers(results, name), open_task(name), results["samples"][name]
    plain = task.score([trial.reward(reward) for trial in task]).numbers
    assert told == pytest.approx({**told, **plain}, nan_ok=True)
    # Of ratings, ranks count: rewards on another scale, none of which is below 0, say the same.
    other = task.score([trial.reward(scaled) for trial in task]).numbers
    of_ranks = {n: value for n, value in plain.items() if not n.startswith(("mean_", "score_"))}
    assert {**other, **of_ranks} == pytest.approx(other, nan_ok=True)
    for number in NOT_OF_REWARDS & plain.keys():
        assert math.isnan(plain[number]), number
        assert number not in samples[0]
        assert results["results"][name].get(f"{number}_stderr_clustered,none") in (None, "N/A")
    if name in PAIRS:
        trials = [s["trial"] for s in samples for _ in s["trial"].get("repeats", "1")]
        assert plain[PAIRS[name]] == pytest.approx(sum(map(right, trials)) / len(trials))
    file = logs / "rewards" / f"samples_{name}.jsonl"
    [run] = json_of("score", registry.folder_of(benchmark_of(name).name), file)["runs"]
    assert "do not apply" in "".join(run["remarks"])
    assert "no reply could be read" not in "".join(run["remarks"])


def test_a_missing_reward_ranks_below_all():
    task = open_task("pairbench_demo_rotate")

    def scored(least):
        rewards = [trial.reward(lambda *shown: reward(*shown) + least) for trial in task]
        return task.score(["" if n % 3 else given for n, given in enumerate(rewards)]).numbers

    assert scored(-20)["mmscore"] == pytest.approx(scored(20)["mmscore"])


def test_judges_side_by_side(ran, tmp_path):
    _, logs = ran
    judges = tmp_path / "rewards", tmp_path / "writes"
    for judge in judges:
        judge.mkdir()
        for task in SIDE_BY_SIDE:
            shutil.copy(logs / judge.name / f"samples_{task}.jsonl", judge)
    made = json_of("compare", *judges)
    assert {*SIDE_BY_SIDE} <= {each["task"] for each in made["comparisons"]}
    assert not NOT_OF_REWARDS & {each["number"] for each in made["comparisons"]}
    card = text_of("card", judges[0])
    for column in ("Position bias", "Unreadable replies", "Use of the scale"):
        assert f"{column}: not measured: does not apply to a reward model" in card
    out = tmp_path / "page.html"
    pairbench("report", *judges, "--out", out, "--images", "none", status=0)
    assert "do not apply" in out.read_text()
    panel = text_of("panel", *judges)
    assert "No panel on mllm_judge_score: a reward model's scores are on another scale" in panel
    people = text_of("people", *judges)
    assert "rewards, mllm_judge_score: a reward model's scores are on another scale" in people
    file = judges[0] / "samples_mllm_judge_pair_both.jsonl"
    rows = [json.loads(line)["trial"] for line in file.read_text().splitlines()]
    labels = tmp_path / "labels.csv"
    labels.write_text(
        "item,label\n" + "".join(f"{r['row']},{'ABC'[r['truth']]}\n" for r in rows[::2])
    )
    pairbench("trust", file, "--people", labels, status=0)
