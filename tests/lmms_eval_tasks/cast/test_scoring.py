"""Scores from files of plain rows and of logged samples."""

import json
import math

import pytest

from lmms_eval_tasks.cast.benchmark import BENCHMARK
from lmms_eval_tasks.cast.confirmations import MODALITIES, PROMPTS
from pairbench_ext.core.records import RecordError
from pairbench_ext.replies.yesno import words
from pairbench_ext.runs import scoring
from pairbench_ext.statistics.seeds import draw
from tests.files import pairbench, write_lines

LIST = "Here are three similarities:\n\n1. **Both** are grey.\n2. Both are round.\n3. Both are lit."
FAILED = "[LMMS_EVAL_REQUEST_FAILED after 3 retries] boom"


def score_file(path, **options):
    return scoring.score_file(BENCHMARK, path, **options)


def rows(confirms, pairs=2, swapped=(False, True), reply="{word}."):
    """All rows of a run by a model that confirms a statement, or not."""
    for pair in range(pairs):
        for generated in MODALITIES:
            yield {"step": "generate", "pair": pair, "generated": generated, "response": LIST}
            for position in (1, 2, 3):
                for evaluated in MODALITIES:
                    for prompt in PROMPTS:
                        for other in swapped:
                            row = {"step": "evaluate", "pair": pair, "generated": generated}
                            row |= {"position": position, "evaluated": evaluated, "prompt": prompt}
                            row |= {"swapped": other, "statement": "Both are grey."}
                            word = words(prompt)[1 - int(confirms(row))]
                            yield row | {"response": reply.format(word=word.capitalize())}


def consistent(row):
    return not row["swapped"]


def image_blind(row):
    return row["evaluated"] != "image" or row["generated"] == "image"


def at_random(row):
    return draw(2, 0, *map(str, row.values()))


def as_samples(lines):
    """As a harness task logs that has one request per sample."""
    for row in lines:
        trial = {key: value for key, value in row.items() if key != "response"}
        yield {"doc_id": 0, "target": "", "filtered_resps": [row["response"]], "trial": trial}


def as_sample_per_pair(lines):
    """As a harness task logs whose samples stand for all requests about a pair."""
    by_pair = {}
    for row in lines:
        by_pair.setdefault(row["pair"], []).append(row)
    for all_rows in by_pair.values():
        yield {"doc_id": 0, "target": "", "filtered_resps": ["-"], "trial": {"rows": all_rows}}


FORMS = {"plain": list, "samples": as_samples, "a sample per pair": as_sample_per_pair}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_form_of_log_gives_the_same_numbers(form, tmp_path):
    plain = score_file(write_lines(tmp_path / "plain.jsonl", rows(at_random)))
    scored = score_file(write_lines(tmp_path / "x_samples_cast.jsonl", form(rows(at_random))))
    assert scored.name == "cast"
    assert plain.name == "plain"
    assert scored.numbers == pytest.approx(plain.numbers, nan_ok=True)
    assert 0.3 < scored.numbers["same_modality"] < 0.7


@pytest.mark.parametrize(
    ("confirms", "numbers"),
    [
        pytest.param(
            consistent,
            {"same_modality": 1, "cross_modality": 1, "swapped_rate": 0, "own_minus_swapped": 1},
            id="consistent",
        ),
        pytest.param(
            lambda row: True,
            {"same_modality": 1, "cross_modality": 1, "swapped_rate": 1, "own_minus_swapped": 0},
            id="yes-sayer",
        ),
        pytest.param(
            image_blind,
            {"same_modality": 1, "cross_modality": 4 / 6, "modality_gap": 1 / 3,
             "swapped_rate": 7 / 9, "text_by_image": 0, "both_by_image": 0, "image_by_text": 1},
            id="image-blind",
        ),
    ],
)  # fmt: skip
def test_canned_models(confirms, numbers, tmp_path):
    scores = score_file(write_lines(tmp_path / "a.jsonl", rows(confirms))).numbers
    assert {name: scores[name] for name in numbers} == pytest.approx(numbers)
    assert scores["statements"] == 3
    assert scores["coverage"] == 1
    assert (scores["pairs"], scores["generations"]) == (2, 6)
    assert scores["evaluations"] == scores["evaluations_swapped"] == 2 * 81


def test_the_rule_is_an_option(tmp_path):
    path = write_lines(tmp_path / "a.jsonl", rows(consistent, reply="The answer is '{word}'."))
    assert score_file(path).numbers["coverage"] == 1
    assert score_file(path, rule="paper").numbers["coverage"] == 0


@pytest.mark.parametrize(
    ("rule", "pool", "rate"),
    [
        ("authors", None, 0.8),
        ("authors", "paper", 1),
        ("authors", "authors", 0.8),
        ("careful", None, 1),
        ("careful", "authors", 0.8),
        ("paper", None, 1),
    ],
)
def test_reading_and_pooling_are_two_choices(rule, pool, rate, tmp_path):
    """One reply in five is unusable by every rule; pooling decides whether it counts."""
    lines = list(rows(lambda row: True, pairs=5, swapped=[False]))
    for line in lines:
        if line["step"] == "evaluate" and line["pair"] == 0:
            line["response"] = "It depends."
    path = write_lines(tmp_path / "a.jsonl", lines)
    run = score_file(path, rule=rule, pool=pool)
    assert run.numbers["own_rate"] == pytest.approx(rate)
    assert run.numbers["coverage"] == pytest.approx(0.8)
    assert run.unusable.total() == 81
    theirs = rate < 1
    assert any("pooled as in the authors' code" in line for line in run.remarks()) == theirs
    chosen = ["--pool", pool] if pool else []
    done = json.loads(invoke(path, "--rule", rule, *chosen, "--json").output)
    assert done["runs"][0]["numbers"]["own_rate"] == pytest.approx(rate)


def test_lists_are_read_as_the_prompts_asked_for_them(tmp_path):
    begun = {"step": "generate", "pair": 0, "generated": "text", "response": " Lit.\n2. Grey."}
    for prompts, count in (("authors", 2), ("paper", 2), (None, 2)):
        trial = {"rows": [begun], **({"prompts": prompts} if prompts else {})}
        path = write_lines(tmp_path / "a.jsonl", [{"trial": trial}])
        assert score_file(path).numbers["statements_text"] == count
    path = write_lines(tmp_path / "a.jsonl", [{"trial": {"rows": [begun], "prompts": "mine"}}])
    with pytest.raises(RecordError, match="prompts 'mine' is none of"):
        score_file(path)


def test_a_failed_request_is_unusable_and_counted(tmp_path):
    lines = list(rows(consistent, swapped=[False]))
    lines[0]["response"] = lines[1]["response"] = FAILED
    scored = score_file(write_lines(tmp_path / "a.jsonl", lines))
    assert scored.failed == 2
    # A generation without a reply is not one without statements.
    assert (scored.numbers["generations"], scored.numbers["no_statements"]) == (5, 0)
    assert scored.numbers["coverage"] == pytest.approx(161 / 162)


def test_a_generation_without_statements_is_counted(tmp_path):
    lines = list(rows(consistent, pairs=1))
    lines[0]["response"] = "I see no similarities."
    scores = score_file(write_lines(tmp_path / "a.jsonl", lines)).numbers
    assert scores["no_statements"] == 1
    assert [scores[f"statements_{m}"] for m in MODALITIES] == [0, 3, 3]


def test_swapped_is_optional(tmp_path):
    lines = [
        {k: v for k, v in row.items() if k != "swapped"}
        for row in rows(consistent, swapped=[False])
    ]
    assert math.isnan(score_file(write_lines(tmp_path / "a.jsonl", lines)).numbers["swapped_rate"])


def test_a_trial_says_which_rule_reads_it(tmp_path):
    lines = [
        {"trial": {"rule": "paper", "rows": [{**row}]}}
        for row in rows(consistent, reply="The answer is '{word}'.")
    ]
    path = write_lines(tmp_path / "a.jsonl", lines)
    assert score_file(path).numbers["coverage"] == 0
    assert score_file(path, rule="careful").numbers["coverage"] == 1


def test_an_incomplete_document_is_said_in_a_log_too(tmp_path):
    document = {"pair": 0, "generated": "text", "swapped": False, "complete": False}
    lines = [{"trial": {**document, "rows": [EVALUATION]}}, {"trial": {"rows": []}}]
    run = score_file(write_lines(tmp_path / "a.jsonl", lines))
    assert run.numbers["evaluations"] == 1
    assert run.remarks()[0].startswith("1 documents have replies to some of their requests only")


EVALUATION = {"step": "evaluate", "pair": 0, "generated": "text", "position": 1}
EVALUATION |= {"evaluated": "image", "prompt": "yes/no", "response": "Yes"}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        pytest.param([], r"a\.jsonl: no samples in it", id="empty"),
        pytest.param([{"pair": 0, "response": ""}], r"line 1: no field 'step', only", id="no step"),
        pytest.param([EVALUATION | {"step": "check"}], r"step 'check' is none of", id="step"),
        pytest.param([EVALUATION | {"prompt": "yes"}], r"line 1: field 'prompt'", id="prompt"),
        pytest.param([EVALUATION | {"generated": 1}], r"'generated' must be .* not 1", id="type"),
        pytest.param([EVALUATION | {"position": 0}], r"'position' must be .* not 0", id="position"),
        pytest.param([EVALUATION | {"swapped": 1}], r"'swapped' must be .* not 1", id="swapped"),
        pytest.param([EVALUATION | {"response": None}], r"'response' must be str", id="response"),
        pytest.param([EVALUATION, EVALUATION | {"response": "No"}], "occurs twice", id="twice"),
        pytest.param([{"bypass": 1}], "--predict_only", id="predict only"),
        pytest.param([EVALUATION | {"rule": "mine"}], "line 1: unknown rule 'mine'", id="rule"),
        pytest.param(
            [{"trial": {"rows": [EVALUATION, {**EVALUATION, "pair": None}]}}],
            r"line 1, trial, rows 1: no field 'pair'",
            id="row of a sample",
        ),
        pytest.param(
            [{"trial": {"rows": [{**EVALUATION, "response": 3}]}}],
            r"line 1, trial, rows 0: field 'response' must be str",
            id="reply of a row",
        ),
        pytest.param([{"trial": {"rows": [3]}}], r"rows 0: a JSON object is expected", id="no row"),
        pytest.param([{"trial": {"rows": 3}}], r"'rows' must be list, not 3", id="no list"),
    ],
)  # fmt: skip
def test_what_is_missing_or_wrong_is_named(lines, message, tmp_path):
    with pytest.raises(RecordError, match=message):
        score_file(write_lines(tmp_path / "a.jsonl", lines))


def invoke(*arguments):
    return pairbench("score", "cast", *arguments)


def printed(*arguments):
    done = invoke(*arguments)
    assert done.exit_code == 0, done.output
    return done.output, [line.split() for line in done.output.splitlines() if line.strip()]


def test_the_command_prints_the_papers_tables(tmp_path):
    output, lines = printed(write_lines(tmp_path / "mine.jsonl", rows(image_blind)))
    [means, *_] = [line for line in lines if line[0] == "mine"]
    assert [means[1 + 4 * k] for k in range(3)] == ["1.000", "0.667", "0.333"]
    # Generated from text: evaluated in text, image, both. Table 1, and Table 3, a line per prompt.
    blind = ["1.000", "0.000", "1.000"]
    assert lines.count(["mine", "text", *blind]) == 2
    assert lines.count(["mine", "both/one,", "text", *blind]) == 2
    assert lines.count(["mine", "image", *["1.000"] * 3]) == 2
    assert ["mine", "3", *["1.000"] * 3] in lines
    assert "…" not in output


def test_the_command_says_what_is_missing(tmp_path):
    lines = list(rows(consistent, pairs=1, swapped=[False]))
    lines[1]["response"] = FAILED
    lines[0]["response"] = "None."
    output, _ = printed(write_lines(tmp_path / "mine.jsonl", lines))
    said = " ".join(output.split())
    assert "1 of 3 lists have no statement" in said
    assert "no statements of other pairs: a model that always says yes is not exposed" in said
    assert "1 request failed; it counts as unusable replies" in said
    assert "the request failed 1" in said
    assert "statements of another pair" not in said


def test_failed_requests_alone_are_no_numbers(tmp_path):
    lines = [row | {"response": FAILED} for row in rows(consistent) if row["step"] == "generate"]
    run = score_file(write_lines(tmp_path / "mine.jsonl", lines))
    assert (run.failed, run.numbers["pairs"], run.numbers["evaluations"]) == (6, 0, 0)
    assert run.breakdowns() == {}
    assert "6 requests failed" in " ".join(printed(tmp_path / "mine.jsonl")[0].split())


def test_the_command_prints_json_with_null_for_undefined(tmp_path):
    done = invoke(
        write_lines(tmp_path / "mine.jsonl", rows(image_blind, swapped=[False])), "--json"
    )
    document = json.loads(done.output, parse_constant=lambda name: pytest.fail(name))
    [run] = document["runs"]
    assert run["name"] == "mine"
    assert run["numbers"]["swapped_rate"] is None
    blind = {"text": 1, "image": 0, "both": 1}
    assert run["matrix"]["text"] == run["by_prompt"]["both/one, text"] == blind
    assert not {"swapped_matrix", "swapped_by_prompt"} & set(run)
    assert run["by_position"]["3"] == {"text": 1, "image": 1, "both": 1}
    assert run["coverage_by_prompt"]["true/false"] == {"text": 1, "image": 1, "both": 1}
    assert run["failed"] == 0


def test_the_control_has_matrices_of_its_own(tmp_path):
    run = score_file(write_lines(tmp_path / "mine.jsonl", rows(consistent)))
    parts = run.breakdowns()
    for generated in MODALITIES:
        assert set(parts["matrix"][generated].values()) == {1}
        assert set(parts["swapped_matrix"][generated].values()) == {0}
        for prompt in PROMPTS:
            assert set(parts["swapped_by_prompt"][f"{prompt}, {generated}"].values()) == {0}


def test_two_runs_of_one_task_are_told_apart(tmp_path):
    paths = []
    for name, confirms in (("a", consistent), ("b", image_blind)):
        (tmp_path / name).mkdir()
        paths.append(write_lines(tmp_path / name / "x_samples_cast.jsonl", rows(confirms)))
    document = json.loads(invoke(*paths, "--json").output)
    assert [run["name"] for run in document["runs"]] == ["a/cast", "b/cast"]
    assert "mean" not in document


def test_the_command_draws(tmp_path):
    path = write_lines(tmp_path / "mine.jsonl", rows(image_blind))
    done = invoke(path, "--plot", tmp_path / "a.png")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "a.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["missing.jsonl"], 1, "missing.jsonl: no such file"),
        (["missing.jsonl", "--rule", "mine"], 2, "'mine' is none of"),
    ],
)
def test_mistakes_are_one_clear_sentence(arguments, status, message):
    done = invoke(*arguments)
    assert done.exit_code == status
    assert message in done.output
    assert "Traceback" not in done.output
