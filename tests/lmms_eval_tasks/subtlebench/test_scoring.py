"""Scores from files of plain rows and of logged samples."""

import json
import math

import pytest
from PIL import Image
from typer.testing import CliRunner

from lmms_eval_tasks.subtlebench.scoring import score_file
from pairbench_ext.cli.main import app
from pairbench_ext.records import RecordError

FAILED = "[LMMS_EVAL_REQUEST_FAILED after 3 retries] boom"
ROW = {"item": "a", "category": "state", "options": ["up", "down"], "truth": "B"}


def row(item, response, truth="B", **others):
    return {**ROW, "item": item, "truth": truth, "response": response, **others}


LINES = [
    row("a", "B", domain="industry", source="mvtec-ad", pair="p"),
    row("b", "The answer is A", domain="industrial", source="mvtec-ad", pair="p"),
    row("c", "down", category="quantity", source="UBC", domain="natural", options=["up", "down"]),
    row("d", "Difference in the cup.", category="attribute", truth="D", options=5),
    row("e", FAILED, category="attribute", truth="A", options=4),
]


def write(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def as_samples(lines):
    for line in lines:
        trial = {key: value for key, value in line.items() if key != "response"}
        yield {"doc_id": 0, "target": "", "filtered_resps": [line["response"]], "trial": trial}


def as_two_steps(lines):
    """The harness's own reply is that of both steps; the one to read is in the trial."""
    for line in lines:
        yield {"doc_id": 0, "filtered_resps": [["Answer: A", line["response"]]], "trial": line}


FORMS = {"plain": list, "samples": as_samples, "two steps": as_two_steps}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_form_of_log_gives_the_same_numbers(form, tmp_path):
    scored = score_file(write(tmp_path / "1_samples_subtlebench.jsonl", form(LINES)))
    assert scored.name == "subtlebench"
    expected = {
        "accuracy": 2 / 5,
        "accuracy_state": 1 / 2,
        "accuracy_quantity": 1,
        "accuracy_attribute": 0,
        "accuracy_action": math.nan,
        "domain_industrial": 1 / 2,
        "domain_natural": 1,
        "coverage": 3 / 5,
        "random_guess": (1 / 2 * 3 + 1 / 5 + 1 / 4) / 5,
        "items": 5,
        "pairs": 4,
        "consistency": math.nan,
    }
    found = {name: scored.scores[name] for name in expected}
    assert found == pytest.approx(expected, nan_ok=True)
    assert {name: share.value for name, share in scored.by_source.items()} == {
        "": 0,
        "UBC": 1,
        "mvtec-ad": 1 / 2,
    }
    assert {name: share.n for name, share in scored.by_domain.items()} == {
        "": 2,
        "aerial": 1,  # UBC, as Table 10 counts it
        "industrial": 2,
    }
    assert scored.failed == 1
    assert scored.cells is None


def test_the_rules_differ(tmp_path):
    """The authors' rule takes the article for a choice, and knows nothing of texts."""
    lines = [row("a", "A dog was added.", truth="A"), row("b", "down")]
    path = write(tmp_path / "a.jsonl", lines)
    assert score_file(path, rule="official").table.right.tolist() == [True, False]
    assert score_file(path).table.right.tolist() == [False, True]


def test_a_letter_that_no_option_has_is_unusable(tmp_path):
    scored = score_file(write(tmp_path / "a.jsonl", [row("a", "E")]), rule="official")
    assert scored.scores["coverage"] == 0


def test_an_option_with_the_text_of_the_right_one_is_right(tmp_path):
    options = ["a cup", "a cat", "a cup"]
    lines = [row("a", "C", truth="A", options=options), row("b", "B", truth="A", options=options)]
    assert score_file(write(tmp_path / "a.jsonl", lines)).table.right.tolist() == [True, False]


def test_both_orders(tmp_path):
    lines = [
        row("a", "A", truth="A"),
        row("a", "B", truth="B", order="rev"),
        row("b", "A", truth="A"),
        row("b", "A", truth="B", order="rev"),
    ]
    scores = score_file(write(tmp_path / "a.jsonl", lines)).scores
    expected = {"accuracy": 3 / 4, "consistency": 1 / 2, "accuracy_both_orders": 1 / 2}
    assert {name: scores[name] for name in expected} == expected
    assert scores["first_option_rate"] == 3 / 4


def controlled():
    for size in (40, 5):
        for hue in (0.1, 0.25):
            for number in range(2):
                reply = "B" if size == 40 or number else "A"
                cell = {"size": size, "hue": hue}
                yield row(f"{size} {hue} {number}", reply, category="attribute", cell=cell)


def test_cells(tmp_path):
    cells = score_file(write(tmp_path / "a.jsonl", controlled())).cells
    assert cells.axes == ("size", "hue")
    assert cells.matrix.tolist() == [[0.5, 0.5], [1, 1]]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], r"a\.jsonl: no samples in it"),
        ([{"item": "a"}], r"line 1: no field 'options', only"),
        ([row("a", "A", category="size")], r"line 1: category 'size' is none of"),
        ([row("a", "A", options=[])], r"'options' must be texts, or how many .*, not \[\]"),
        ([row("a", "A", options=27)], r"'options' must be texts, or .*from 1 to 26, not 27"),
        ([row("a", "A", options=["a", 1])], r"'options' must be texts"),
        ([row("a", "A", truth="C")], r"line 1: truth 'C' is none of \['A', 'B'\]"),
        ([row("a", "A", truth=1)], r"'truth' must be str, not 1"),
        ([row("a", None)], r"line 1: field 'response' must be str, not None"),
        ([row("a", "A", order="swapped")], r"order 'swapped' is none of \['fwd', 'rev'\]"),
        ([row("a", "A", pair=0.5)], r"'pair' must be int or str, not 0\.5"),
        ([row("a", "A"), row("a", "B")], r"a\.jsonl: .*'a'.* answered twice"),
        ([row("a", "A"), row("a", "A", truth="A")], r"a\.jsonl: item 'a' is described in two"),
        ([row("a", "A", cell={"x": [1]})], r"'cell' must have a number or a text for each axis"),
        ([{"bypass": 1}], "--predict_only"),
        (
            [row("a", "A", cell={"x": 1}), row("b", "A", cell={"y": 1})],
            r"a\.jsonl: item 'b' is in a cell of the axes \['y'\]",
        ),
    ],
    ids=lambda value: value[:24] if isinstance(value, str) else "",
)
def test_what_is_missing_or_wrong_is_named(lines, message, tmp_path):
    with pytest.raises(RecordError, match=message):
        score_file(write(tmp_path / "a.jsonl", lines))


def invoke(*arguments):
    return CliRunner().invoke(app, ["score", "subtlebench", *map(str, arguments)])


def lines_of(output):
    return [line.split() for line in output.splitlines() if line.strip()]


def test_the_command_prints_the_papers_tables(tmp_path):
    done = invoke(write(tmp_path / "mine.jsonl", LINES))
    assert done.exit_code == 0, done.output
    lines = lines_of(done.output)
    types = ["AT", "ST", "EM", "TM", "SP", "EX", "QN", "QL", "VP", "AC", "AVG"]
    assert [*types, "95%", "interval"] in lines
    printed = {
        "random": [35.9, 50.0, 50.0, 50.0, 36.6, 23.2, 48.9, 50.0, 42.1, 50.0, 43.3],
        "human": [92.0, 93.0, 93.0, 93.0, 95.0, 97.0, 97.0, 99.0, 98.0, 98.0, 95.5],
    }
    assert [line[-11:] for line in lines if "(paper)" in line] == [
        list(map(str, values)) for values in printed.values()
    ]
    [own] = [line for line in lines if line[:2] == ["mine", "0.0"]]
    assert own[1:12] == ["0.0", "50.0", *"-" * 4, "100.0", *"-" * 3, "40.0"]
    assert ["industrial", "0.500", "-", "2"] in lines
    assert "2 replies name no option; they count as wrong answers" in done.output
    assert "1 of these are requests that failed" in done.output
    assert "both orders" not in done.output
    assert "…" not in done.output


def test_the_command_prints_cells_and_no_reference_for_scenes(tmp_path):
    lines = [{**line, "source": "synthetic", "domain": "synthetic"} for line in controlled()]
    done = invoke(write(tmp_path / "scenes.jsonl", lines))
    found = lines_of(done.output)
    assert ["size", "hue", "0.1", "hue", "0.25"] in found
    assert found[-2:] == [["5", "50", "50"], ["40", "100", "100"]]
    assert "(paper)" not in done.output


def test_the_command_prints_what_swapped_options_tell(tmp_path):
    lines = [row(k, "A", t, order=o) for k in "ab" for o, t in (("fwd", "A"), ("rev", "B"))]
    done = invoke(write(tmp_path / "mine.jsonl", lines))
    assert "options in both orders" in done.output
    [own] = [line for line in lines_of(done.output) if line[:2] == ["mine", "0.000"]]
    assert own[-3:] == ["0.000", "1.000", "2"]


def test_the_command_prints_json_with_null_for_undefined(tmp_path):
    (tmp_path / "x").mkdir()
    paths = [write(tmp_path / "a.jsonl", LINES), write(tmp_path / "x" / "a.jsonl", controlled())]
    done = invoke(*paths, "--json", "--rule", "official")
    document = json.loads(done.output, parse_constant=lambda name: pytest.fail(name))
    assert document["rule"] == "official"
    first, second = document["files"]
    assert (first["file"], first["failed"], first["cells"]) == (str(paths[0]), 1, None)
    assert first["scores"]["consistency"] is None
    assert first["by_source"]["UBC"] == {"accuracy": 0, "ci95_low": None, "ci95_high": None, "n": 1}
    assert first["letters"][1] == {"letter": "B", "truth": 2, "chosen": 1, "right": 1}
    assert second["name"] != first["name"]
    assert second["cells"][0]["cell"] == {"size": 40, "hue": 0.1}
    assert {cell["n"] for cell in second["cells"]} == {2}


def test_the_command_draws(tmp_path):
    paths = [write(tmp_path / "a.jsonl", LINES), write(tmp_path / "b.jsonl", controlled())]
    done = invoke(*paths, "--plot", tmp_path / "picture.png")
    assert done.exit_code == 0, done.output
    with Image.open(tmp_path / "picture.png") as picture:
        assert min(picture.size) > 100


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["missing.jsonl"], 1, "missing.jsonl: cannot be read"),
        (["missing.jsonl", "--rule", "loose"], 2, "'loose' is none of"),
    ],
)
def test_mistakes_are_one_clear_sentence(arguments, status, message):
    done = invoke(*arguments)
    assert done.exit_code == status
    assert message in done.output
    assert "Traceback" not in done.output
