"""`pairbench trust`, as a user runs it."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest

import pairbench_ext as pb
from pairbench_ext.show.report.items import Mark
from tests.files import json_of, pairbench, read_csv, text_of, write_lines
from tests.pairbench_ext.runs.test_compare import ratings, votes
from tests.pairbench_ext.runs.test_correct import write_labels
from tests.pairbench_ext.show.report.test_report import unpacked

ITEMS = 300
DRAWN = np.random.default_rng(0).permutation(ITEMS)[:120]


def document(*arguments):
    [made] = json_of("trust", *arguments)["trust"]
    return made


def labels_of(file, items, flipped=()):
    """People prefer option `item % 2`, or the other one of flipped items."""
    rows = [{"item": f"i{item}", "label": (item + (item in flipped)) % 2} for item in items]
    return write_labels(file, [{**row, "label": ("first", "second")[row["label"]]} for row in rows])


@pytest.fixture
def runs(tmp_path):
    """Two judges that are right, but for every third item, on which the second one disagrees."""
    every = range(ITEMS)
    write_lines(tmp_path / "a" / "samples_t.jsonl", votes(lambda item, _: True, 2, every))
    write_lines(tmp_path / "b" / "samples_t.jsonl", votes(lambda item, _: item % 3 > 0, 2, every))
    return tmp_path / "a", tmp_path / "b"


def test_a_recorded_confidence_counts_in_place_of_the_share_of_answers(tmp_path):
    rows = [{"id": i, "verdict": "AB"[i % 3 == 0], "confidence": 0.6 if i % 3 == 0 else 0.9}
            | {"human": "A"} for i in range(ITEMS)]  # fmt: skip
    made = document(write_labels(tmp_path / "file.csv", rows), "--agree", 0.9)
    assert [level["confidence"] for level in made["levels"]] == [0.9, 0.6]
    assert (made["items"], made["trusted"]) == (300, 200)


def test_verdicts_on_which_judges_agree_are_trusted_and_others_are_not(runs, tmp_path):
    people = labels_of(tmp_path / "labels.csv", DRAWN, flipped=range(0, ITEMS, 3))
    made = document(*runs, "--people", people, "--agree", 0.9)
    assert (made["items"], made["trusted"], made["without_verdict"]) == (300, 200, 0)
    assert [level["confidence"] for level in made["levels"]] == [1.0, 0.5]
    assert [level["promised"] for level in made["levels"]] == [True, False]
    assert made["levels"][0]["agreement"] == 1
    printed = text_of("trust", *runs, "--people", people, "--agree", 0.9, "--cost", "people=300")
    assert "On 200 of these 300 items (67%), a agrees with these raters in at least 90%" in printed
    assert "77 labels, if they were drawn at random; 100% of them agree" in printed
    assert "For the other 100 items, ask people, or b first: 100%" in printed
    assert "1,000 verdicts cost 100.00 in all, if people give 33% of them" in printed


def test_the_file_has_a_row_for_every_item_and_is_checked_later(runs, tmp_path):
    people = labels_of(tmp_path / "labels.csv", DRAWN, flipped=range(0, ITEMS, 3))
    out = tmp_path / "verdicts.csv"
    pairbench("trust", *runs, "--people", people, "--out", out, status=0)
    trusted = {row["item"]: row["trusted"] for row in read_csv(out)}
    assert trusted == {f"i{n}": "yes" if n % 3 else "no" for n in range(ITEMS)}
    again = labels_of(tmp_path / "again.csv", DRAWN[:60], flipped=range(0, ITEMS, 3))
    holds = text_of("trust", *runs, "--people", again, "--check", out, status=0)
    assert "no sign that the judge agrees" in holds
    assert pb.trust(pb.read(*runs), again, check=out).says[0] in holds
    changed = labels_of(tmp_path / "changed.csv", DRAWN[:60], flipped=range(ITEMS))
    broken = text_of("trust", *runs, "--people", changed, "--check", out, status=1)
    assert "less often than promised. 0% of" in broken


def test_too_few_labels_promise_nothing_and_say_how_many_are_missing(runs, tmp_path):
    people = labels_of(tmp_path / "labels.csv", DRAWN[:8])
    made = document(runs[0], "--people", people)
    assert made["trusted"] == 0
    assert 1 <= made["labels_needed"] <= 20
    printed = text_of("trust", runs[0], "--people", people)
    assert "No agreement can be promised for these items yet: 100% of 8 labels" in printed
    assert "more would be enough, if they agree as often as these (power 80%)" in printed


def test_ratings_agree_within_a_distance(tmp_path):
    write_lines(tmp_path / "a" / "samples_pairbench_coco_rotate.jsonl", ratings(0, 0))
    labels = {"identical": 9, "transformed": 6, "different": 1}
    rows = [
        {"item": f"{row}, {pair}", "label": label}
        for row in range(40)
        for pair, label in labels.items()
    ]
    people = write_labels(tmp_path / "labels.csv", rows)
    near = document(tmp_path / "a", "--people", people, "--within", 1)
    far = document(tmp_path / "a", "--people", people, "--within", 0.5)
    # Rated 10, 6 and 1 under one condition, 10, 10 and 1 under the other.
    assert near["levels"][0]["agreement"] == pytest.approx(5 / 6)
    assert far["levels"][0]["agreement"] == pytest.approx(3 / 6)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--cost", "gpt"], "write JUDGE=COST"),
        (["--strata", "colour"], "items have no field 'colour'"),
        (["--check", "labels.csv"], "not made by `pairbench trust --out`"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(runs, tmp_path, monkeypatch, arguments, says):
    monkeypatch.chdir(tmp_path)
    people = labels_of(tmp_path / "labels.csv", DRAWN)
    done = pairbench("trust", runs[0], "--people", people, *arguments)
    assert done.exit_code not in (0, None)
    assert says in " ".join(done.output.split())
    assert "Traceback" not in done.output


def test_why_labels_are_refused_is_said_in_place_of_a_figure(runs, tmp_path):
    rows = [{"item": f"i{i}", "label": "first", "probability": (0.2, 0.5)[i % 2]} for i in DRAWN]
    people, picture = write_labels(tmp_path / "labels.csv", rows), tmp_path / "curve.svg"
    said = text_of("trust", runs[0], "--people", people, "--plot", picture, status=1)
    assert "items were drawn with different probabilities" in said
    assert not picture.exists()


def test_the_report_says_what_is_promised_and_marks_what_is_not(runs, tmp_path):
    people = labels_of(tmp_path / "labels.csv", DRAWN, flipped=range(0, ITEMS, 3))
    out, picture = tmp_path / "page.html", tmp_path / "curve.svg"
    labels = ("--people", people, "--agree", 0.9)
    pairbench("report", *runs, *labels, "--out", out, status=0)
    page = out.read_text()
    assert "On 200 of these 300 items (67%), a agrees with these raters" in page
    first, second = unpacked(page, "index-0")["marks"]
    marked = [bool(mark & Mark.NOT_TRUSTED) for mark in first]
    names = unpacked(page, "index-0")["names"]
    assert marked == [int(name[1:]) % 3 == 0 for name in names for _ in range(2)]  # both orders
    assert not any(mark & Mark.NOT_TRUSTED for mark in second)  # the first judge is trusted
    pairbench("trust", *runs, *labels, "--plot", picture, status=0)
    assert "promised: 90%" in picture.read_text()
    pairbench("report", *runs, "--out", out, "--overwrite", status=0)
    assert "not trusted" not in out.read_text().split("<!-- data -->")[0].split("<script>")[0]


def test_the_number_of_labels_to_plan_promises_as_often_as_it_says():
    assert "75 labels (each" in text_of("plan", "vl_rewardbench_demo", "--trust", 0.9)
    least = min(n for n in range(76) if binomtest(n, 75, 0.8, "greater").pvalue <= 0.1)
    assert binom.sf(least - 1, 75, 0.9) >= 0.8
    assert "no number of labels (each" in text_of("plan", "vl_rewardbench_demo", "--trust", 0.8)


def test_plain_rows_have_the_filter_and_name_their_benchmark(tmp_path):
    """Rows that two benchmarks share; on every third item the judge follows the position."""
    rows = [
        {
            "item": f"p{item}",
            "source": "wildvision-battle",
            "order": order,
            "truth": item % 2,
            "response": f"Overall Judgment: Answer {shown + 1} is better.",
        }
        for item in range(90)
        for order in ("fwd", "rev")
        for shown in [(item % 2) ^ (order == "rev") if item % 3 else 0]
    ]
    judge = tmp_path / "judge.jsonl"
    write_lines(judge, rows)
    labels = [{"item": f"p{n}", "label": ("first", "second")[n % 2]} for n in DRAWN if n < 90]
    people = write_labels(tmp_path / "labels.csv", labels)
    words = (judge, "--people", people, "--benchmark", "vl_rewardbench")
    made = document(*words)
    assert (made["trusted"], made["without_verdict"]) == (60, 30)
    out = tmp_path / "page.html"
    pairbench("report", *words, "--out", out, "--images", "none", status=0)
    index = unpacked(out.read_text(), "index-0")
    marked = [bool(mark & Mark.NOT_TRUSTED) for mark in index["marks"][0]]
    assert marked == [int(name[1:]) % 3 == 0 for name in index["names"] for _ in range(2)]
