"""Controls: what a judge gets that does not do what is asked, on the items of a run."""

import itertools
import json
import math

import pytest

from pairbench_ext.core import registry
from pairbench_ext.runs import controls
from pairbench_ext.statistics.ranking import levenshtein
from tests.conftest import REPOSITORY
from tests.files import json_of, pairbench, score_file, text_of, write_lines

KINDS = {"identical": (10, 10), "transformed": (6, 10), "irrelevant": (1, 1)}


def pair_rows(n=4, split="rotate", reply="Score: 7", **more):
    """The plan of PairBench as plain rows: pairs, conditions and both orders."""
    return [
        {"row": row, "pair": pair, "condition": condition, "order": order, "truth": truth}
        | {"config": "coco", "split": split, "response": reply, **more}
        for row in range(n)
        for pair, truths in KINDS.items()
        for condition, truth in zip(("sens", "inv"), truths, strict=True)
        for order in ("fwd", "rev")
    ]


def right_rows(split="rotate"):
    """The same, rated as they should be."""
    return [{**row, "response": f"Score: {row['truth']}"} for row in pair_rows(split=split)]


def run_of(name, tmp_path, rows):
    return score_file(registry.benchmark_of(name), write_lines(tmp_path / "rows.jsonl", rows))


def values(run):
    """Name and value of the highest control of each main number."""
    return {each.number.name: (each.control.name, each.value) for each in run.controls}


def of_control(run, control, name):
    """One number of one control."""
    return controls.of_control(run, control, [run.benchmark.number(name)])[name]


def kendall(x, y):
    """Tau-b, pair by pair."""
    pairs = list(itertools.combinations(range(len(x)), 2))
    sign = [((x[a] > x[b]) - (x[a] < x[b]), (y[a] > y[b]) - (y[a] < y[b])) for a, b in pairs]
    untied = math.prod(sum(s[k] != 0 for s in sign) for k in (0, 1))
    return sum(a * b for a, b in sign) / math.sqrt(untied)


# --- PairBench


def test_traces_alone_score_in_the_papers_pairs_what_enumeration_says(tmp_path):
    rows = pair_rows()
    for number, row in enumerate(rows):  # a judge of another mind, so that its score is defined
        row["response"] = f"Score: {1 + number % 10}"
    run = run_of("pairbench", tmp_path, rows)
    of_condition = {
        condition: kendall(
            [
                5 if row["pair"] != "identical" else 10
                for row in rows
                if row["condition"] == condition
            ],
            [row["truth"] for row in rows if row["condition"] == condition],
        )
        for condition in ("sens", "inv")
    }
    assert of_condition == pytest.approx({"sens": 2 / math.sqrt(6), "inv": 0.5})
    assert values(run)["mmscore"] == ("traces", pytest.approx(sum(of_condition.values()) / 2))
    assert round(values(run)["mmscore"][1], 3) == 0.658
    [traces] = run.benchmark.controls
    by_number = {c: of_control(run, traces, f"mmscore_{c}") for c in of_condition}
    assert by_number == pytest.approx(of_condition)


def test_always_seven_is_the_best_constant_rating(tmp_path):
    run = run_of("pairbench", tmp_path, pair_rows(split="a_sp", config="wu_img_img"))
    assert values(run) == {"closeness": ("constant", pytest.approx(0.593, abs=5e-4))}
    truths = [row["truth"] for row in pair_rows()]
    best = max(sum(1 - abs(c - t) / 9 for t in truths) / len(truths) for c in range(1, 11))
    assert values(run)["closeness"][1] == pytest.approx(best)


@pytest.mark.parametrize(
    ("more", "known"),
    [
        ({"split": "elastic"}, True),
        ({"split": "night sky"}, True),  # of the user's own
        ({"split": ""}, False),
        ({"split": "a_sp_rotate", "config": "wu_img_img"}, True),
        ({"split": "a_sp", "config": "wu_img_img"}, False),
        ({"split": "a", "config": "wu_img_text"}, False),
    ],
)
def test_there_is_a_control_of_traces_where_there_are_traces(tmp_path, more, known):
    run = run_of("pairbench", tmp_path, pair_rows(1, **more))
    [traces] = run.benchmark.controls
    assert math.isnan(of_control(run, traces, "mmscore")) != known


# --- Choices


def vote_rows(truths, longer=None, response="[[A]]"):
    return [
        {"item": f"i{n}", "source": "povid", "order": order, "truth": truth}
        | {"longer": longer and longer[n], "response": response}
        for n, truth in enumerate(truths)
        for order in ("fwd", "rev")
    ]


def test_a_coin_gets_exactly_a_half_and_the_longer_answer_what_the_data_give(tmp_path):
    reply = "Overall Judgment: Answer 1 is better."
    run = run_of("vl_rewardbench", tmp_path, vote_rows([0, 1, 1], response=reply))
    assert values(run)["vote_accuracy"] == ("coin", 0.5)
    coin, place, *_ = run.benchmark.every_control
    assert of_control(run, coin, "overall_accuracy") == 0.5
    assert math.isnan(of_control(run, place, "overall_accuracy"))  # no item is decided
    rows = vote_rows([0, 1, 1], longer=[0, 1, 0], response=reply)
    rows[0]["response"] = rows[2]["response"] = "Overall Judgment: Answer 2 is better."
    longer = run_of("vl_rewardbench", tmp_path, rows)
    assert values(longer)["overall_accuracy"] == ("longer", pytest.approx(2 / 3))


def test_options_are_guessed_as_often_as_there_are(tmp_path):
    rows = [
        {"item": n, "category": "state", "options": k, "truth": t, "response": "A"}
        for n, (k, t) in enumerate([(4, "A"), (4, "B"), (2, "B"), (2, "A")])
    ]
    run = run_of("subtlebench", tmp_path, rows)
    coin, place, *_ = run.benchmark.every_control
    assert of_control(run, coin, "accuracy") == pytest.approx((2 / 4 + 2 / 2) / 4)
    assert values(run)["accuracy"] == (place.name, 0.5)


def test_ties_and_the_best_of_four_votes(tmp_path):
    votes = ["leftvote", "rightvote", "rightvote", "bothbad_vote", "tievote", "bothbad_vote"]
    places = {"leftvote": 0, "rightvote": 1}
    rows = [
        {"item": n, "source": "image_generation", "truth": places.get(vote, -1), "vote": vote}
        | {"order": "fwd", "response": "[[A>B]]"}
        for n, vote in enumerate(votes)
    ]
    run = run_of("genai_bench", tmp_path, rows)
    assert values(run)["accuracy"] == ("vote", pytest.approx(2 / 6))
    tie = next(c for c in run.benchmark.every_control if c.name == "tie")
    assert of_control(run, tie, "accuracy_with_ties") == pytest.approx(3 / 6)


@pytest.mark.parametrize(("answers", "expected"), [(3, 0.556), (4, 0.656), (5, 0.693)])
def test_a_constant_ranking_is_as_far_as_a_random_one(tmp_path, answers, expected):
    labels = "ABCDE"[:answers]
    truths = ["".join(order) for order in itertools.permutations(labels)]
    rows = [
        {"row": n, "source": "x", "image": "i", "truth": truth}
        | {"labels": labels, "response": labels}
        for n, truth in enumerate(truths)
    ]
    name, value = values(run_of("mllm_judge_batch", tmp_path, rows))["levenshtein"]
    mean = sum(levenshtein(labels, truth) / answers for truth in truths) / len(truths)
    assert (name, round(value, 3)) == ("as_shown", expected)
    assert value == pytest.approx(mean)


# --- Ratings of images that people rated


def test_how_hard_an_instruction_is_predicts_people(tmp_path):
    """The other model's images of an instruction are rated alike: rank correlation 1."""
    rows = [
        {"task": "t2i", "image_model": model, "sample": f"s{n}", "aspect": aspect}
        | {"ratings": [[hard, hard]]}
        | {"response": json.dumps({"score": [1 + n, 9][: 1 + (aspect == "PQ")], "reasoning": "r"})}
        for n, hard in enumerate((0.0, 0.5, 1.0))
        for model in ("A", "B")
        for aspect in ("SC", "PQ")
    ]
    run = run_of("viescore", tmp_path, rows)
    assert values(run)["spearman_sc"] == ("instruction", pytest.approx(1))


# --- Where it is shown


def test_it_stands_beside_the_main_number_everywhere(tmp_path):
    rows = right_rows()
    file = write_lines(tmp_path / "judge" / "1_samples_pairbench_mine_rotate.jsonl", [
        {"doc_id": n, "filtered_resps": row.pop("response"), "target": "", "input": "",
         "trial": {"benchmark": "pairbench", "features": ["rotate"], "rule": "careful", **row}}
        for n, row in enumerate(rows)
    ])  # fmt: skip
    says = "looks for traces of the transformation in each image and compares nothing"
    scored = pairbench("score", "pairbench", file, status=0).stdout
    assert "Scores of judges that ignore the question" in scored
    assert f"a judge that {says}: 0.658)" in " ".join(scored.split())
    mmscore = json_of("score", "pairbench", file)["runs"][0]["controls"][0]
    assert (mmscore["number"], round(mmscore["value"], 3), mmscore["way"]) == ("mmscore", 0.658, 1)
    card = text_of("card", file.parent)
    assert f"mmscore 1.000; on these items a judge that {says} reaches 0.658" in card
    assert "100% of the way from 0.658 to 1" in card
    page = tmp_path / "page.html"
    pairbench("report", file.parent, "--out", page, status=0)
    assert f"a judge that {says} reaches 0.658" in page.read_text()


def test_a_mean_over_tasks_has_the_mean_of_their_controls(tmp_path):
    runs = [run_of("pairbench", tmp_path, right_rows(split)) for split in ("rotate", "elastic")]
    [mmscore, closeness] = controls.mean_of([run.controls for run in runs])
    assert (mmscore.number.name, closeness.number.name) == ("mmscore", "closeness")
    assert mmscore.value == pytest.approx(runs[0].controls[0].value)
    assert mmscore.score == 1


def test_printed_models_stand_beside_the_control(tmp_path):
    """Table 8: of 15 models on COCO, all are above what a judge of traces reaches."""
    for split in ("colorjitter", "rotate", "gaussianblur", "perspective", "elastic"):
        write_lines(tmp_path / f"1_samples_pairbench_coco_{split}.jsonl", right_rows(split))
    assert (
        "the best control reaches 0.658 on this run's items; 0 of the 15 published models "
        "are not better than the control" in text_of("score", "pairbench", tmp_path)
    )


@pytest.mark.parametrize("size", [3, 4])
def test_a_random_ranking_gets_one_group_of_so_many_right(tmp_path, size):
    """All rankings of a group's images, each a judge: 1/6 and 1/24 of them are right throughout."""
    images, sides = "ABCD"[:size], {True: "[[Left>Right]]", False: "[[Right>Left]]"}
    pairs = list(itertools.combinations(images, 2))
    rows = [
        {"item": f"{n}{one}{other}", "group": f"g{n}", "source": f"{size}pair", "truth": 0}
        | {"comparison": f"{one}vs{other}"}
        | {"response": sides[order.index(one) < order.index(other)]}
        for n, order in enumerate(itertools.permutations(images))
        for one, other in pairs
    ]
    run = run_of("editreward_bench", tmp_path, rows)
    assert run.numbers["group_accuracy"] == pytest.approx(1 / math.factorial(size))


def test_a_model_that_always_says_yes_tells_no_scene_from_another(tmp_path):
    lists = [
        {"step": "generate", "pair": p, "generated": "text", "response": "1. A dog\n2. A tree"}
        for p in ("p", "q")
    ]
    asked = [
        {"step": "evaluate", "pair": pair, "generated": "text", "position": 1}
        | {"evaluated": evaluated, "prompt": "yes/no", "swapped": swapped}
        | {"response": "Answer: yes" if not swapped else "Answer: no"}
        for pair in ("p", "q")
        for evaluated in ("text", "image", "both")
        for swapped in (False, True)
    ]
    run = run_of("cast", tmp_path, [*lists, *asked])
    assert run.numbers["own_minus_swapped"] == 1
    assert values(run) == {"own_minus_swapped": ("constant", 0)}


def test_the_page_counts_printed_models_that_are_no_better_than_a_control():
    page = (REPOSITORY / "docs/controls.md").read_text(encoding="utf-8")
    for line, benchmark, task, number, control in (
        ("Table 8, COCO", "pairbench", "pairbench_coco_all_prompts", "mmscore", 0.658),
        ("Table 8, IN100", "pairbench", "pairbench_in100_all_prompts", "mmscore", 0.658),
        ("VL-RewardBench, Table 2", "vl_rewardbench", "vl_rewardbench_k5", "macro_accuracy", 0.5),
        ("Multimodal RewardBench, l", "multimodal_rewardbench", "multimodal_rewardbench_authors",
         "overall_accuracy", 0.5),
        ("VLM-SubtleBench, Table 2", "subtlebench", "subtlebench", "accuracy", 0.433),
        ("VIEScore, Table 1", "viescore", "viescore", "spearman_pq", 0.280),
    ):  # fmt: skip
        kept = registry.benchmark_of(benchmark).published
        [cells] = [
            [c for c in kept.at(table, place) if c.number == number]
            for table in kept.tables for place in table.places
            if place.task == task and number in place.numbers
        ]  # fmt: skip
        models = [cell for cell in cells if cell.model not in kept.not_models]
        below = sum(cell.middle <= control for cell in models)
        [said] = [text for text in page.splitlines() if text.startswith("| ") and line in text]
        assert f"{below} of {len(models)}" in said
