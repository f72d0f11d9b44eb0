import json
import re

import numpy as np
import pytest

from pairbench_ext.statistics.corrected import Sample
from tests.files import json_of, judges_of, pairbench, read_csv, text_of, write_csv, write_lines
from tests.pairbench_ext.runs.test_compare import ratings, votes
from tests.pairbench_ext.runs.test_people import write_study

DRAWN = sorted(np.random.default_rng(3).permutation(200)[:40].tolist())


def document(*arguments):
    return json_of("correct", *arguments)["corrected"]


def write_labels(file, rows):
    return write_csv(file, [*rows[0]], [[*row.values()] for row in rows])


@pytest.fixture
def judge(tmp_path):
    """A judge of 200 pairs, right on 8 of 10, and people's labels of 40 of them."""
    write_lines(
        tmp_path / "judge" / "samples_t.jsonl", votes(lambda item, _: item % 10 > 1, 1, range(200))
    )
    labels = [{"item": f"i{item}", "label": item % 2} for item in DRAWN]
    return tmp_path / "judge", write_labels(tmp_path / "labels.csv", labels)


def test_choices_are_corrected_to_the_share_of_the_first_option(judge):
    [row] = document(judge[0], "--people", judge[1], "--width", 0.05)
    items = np.arange(200)
    truth = 1.0 - items % 2  # 1 for the first option
    verdicts = np.where(items % 10 > 1, truth, 1 - truth)
    labels = np.where(np.isin(items, DRAWN), truth, np.nan)
    everything = np.full(200, True)
    expected = Sample(labels, verdicts, items, everything, finite=True).prediction_powered_mean()
    assert row["corrected"]["value"] == pytest.approx(expected.value)
    assert row["corrected"]["ci95"] == pytest.approx(list(expected.interval))
    assert (row["items"], row["labelled"], row["unread"]) == (200, 40, 0)
    assert row["people"]["value"] == pytest.approx(np.nanmean(labels))
    assert 40 < row["labels_needed"] < 200
    [future] = document(judge[0], "--people", judge[1], "--width", 0.05, "--future")
    assert (row["population"], future["population"]) == ("these items", "future items")
    assert future["labels_needed"] is None  # more than there are items; JSON has no infinity
    narrow, wide = (np.ptp(made["corrected"]["ci95"]) for made in (row, future))
    assert narrow < 0.9 * wide
    printed = text_of("correct", judge[0], "--people", judge[1])
    assert "share for the first option: people would say" in printed
    assert f"{expected.value:.3f}" in printed


def test_nothing_is_estimated_from_error_rates_where_each_item_has_a_label(judge, tmp_path):
    rows = [{"item": f"i{item}", "label": item % 2 * int(item % 20 != 1)} for item in range(200)]
    labels = write_labels(tmp_path / "all.csv", rows)
    [row], [future] = (document(judge[0], "--people", labels, *o) for o in ((), ("--future",)))
    assert row["corrected"]["ci95"] == pytest.approx([0.55, 0.55])
    assert (row["error_rates"]["value"], row["error_rates"]["ci95"]) == (None, [None, None])
    assert np.ptp(future["error_rates"]["ci95"]) > 0
    assert "By error rates" not in text_of("correct", judge[0], "--people", labels)


def in_two_sources(folder):
    """Part the judge's rows in two sources."""
    file = folder / "samples_t.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    for number, row in enumerate(rows):
        row["trial"]["source"] = ("wildvision", "povid")[number % 4 // 2]
    write_lines(file, rows)


def test_systems_and_their_difference(judge):
    folder, labels = judge
    in_two_sources(folder)
    first, second, difference = document(folder, "--people", labels, "--by", "source")
    assert (first["system"], second["system"]) == ("wildvision", "povid")
    assert difference["system"] == "wildvision - povid"
    values = [row["corrected"]["value"] for row in (first, second, difference)]
    assert values[0] - values[1] == pytest.approx(values[2])
    [whole] = document(folder, "--people", labels, "--strata", "source")
    assert whole["corrected"]["value"] == pytest.approx((values[0] + values[1]) / 2)


def test_ratings_are_corrected_by_a_rating_study_and_by_csv(tmp_path):
    file = tmp_path / "ratings.jsonl"
    _, people = write_study(tmp_path / "judges", "j", file)
    rated = document(tmp_path / "judges" / "j", "--people", file)
    assert [row["part"] for row in rated] == ["inv", "sens"]
    write_lines(tmp_path / "k" / "samples_t.jsonl", ratings(1, 0))
    labels = [
        {"item": f"{row}, identical", "label": 9 + row % 2, "condition": "inv", "probability": 0.1}
        for row in range(10)
    ]
    rows = document(tmp_path / "k", "--people", write_labels(tmp_path / "labels.csv", labels))
    assert {row["part"]: row["labelled"] for row in rows} == {"sens": 0, "inv": 10}
    assert people


CODES = {"0": ("first", "A", "aya", 0.0, " 0 "), "1": ("second", "b", "BART", 1.0, "1 ")}


@pytest.mark.parametrize(
    ("code", "suffix"), [*((code, ".csv") for code in range(5)), (0, ".jsonl"), (3, ".jsonl")]
)
def test_all_ways_to_write_a_label_mean_the_same(judge, tmp_path, code, suffix):
    folder, labels = judge
    names = {"first": "Aya", "second": "Bart"}
    rows = [
        {"item": f" {row['item']} ", "label": CODES[row["label"]][code], **names}
        for row in read_csv(labels)
    ]
    rows[0]["label"] = "Tie"
    file = tmp_path / f"coded{suffix}"
    (write_lines if suffix == ".jsonl" else write_labels)(file, rows)
    ties = tmp_path / "ties.csv"
    first, _, rest = labels.read_text().partition("\n")
    ties.write_text(f"{first}\n{rest[: rest.index(',')]},tie{rest[rest.index(chr(10)) :]}")
    assert document(folder, "--people", file) == document(folder, "--people", ties)


def reversed_labels(file, labels, codes=("1", "0")):
    rows = [{**row, "label": codes[int(row["label"])]} for row in read_csv(labels)]
    return write_labels(file, rows)


def test_labels_the_other_way_round_stop(judge, tmp_path):
    folder, labels = judge
    turned = reversed_labels(tmp_path / "reversed.csv", labels)
    said = text_of("correct", folder, "--people", turned, status=1)
    assert "agree on 7 of 40 items" in said
    assert "1 means that the second option is better" in said
    item, label, preferred = re.search(
        r"item 'i(\d+)', label (.); the judge says that the (\w+) option", said
    ).groups()
    assert preferred == ("first", "second")[int(item) % 2]  # the judge is right
    assert label == ("1", "0")[int(item) % 2]
    words = reversed_labels(tmp_path / "words.csv", labels, ("second", "first"))
    [row] = document(folder, "--people", words)  # words can only mean one thing
    assert "contradict" in " ".join(row["remarks"])
    wrong = tmp_path / "wrong"  # it is this judge that is wrong: another one agrees
    write_lines(wrong / "samples_t.jsonl", votes(lambda item, _: item % 10 < 2, 1, range(200)))
    rows = {row["judge"]: row for row in document(folder, wrong, "--people", labels)}
    assert not rows["judge"]["remarks"]
    assert "contradict" in " ".join(rows["wrong"]["remarks"])
    pairbench("correct", wrong, "--people", labels, status=1)


def test_ratings_the_other_way_round_stop(tmp_path):
    write_lines(tmp_path / "k" / "samples_t.jsonl", ratings(1, 0))
    said = {
        (tuple(x.item), x.condition): x.said
        for x in judges_of(tmp_path / "k")[0].runs["t"].outcomes
    }
    rows = [
        {"item": f"{row}, {pair}", "label": 11 - said[(row, pair), "sens"], "condition": "sens"}
        for (row, pair), condition in said
        if condition == "sens"
    ]
    labels = write_labels(tmp_path / "labels.csv", rows)
    said = text_of("correct", tmp_path / "k", "--people", labels, status=1)
    assert "items with higher labels have lower verdicts" in said


def test_labels_drawn_by_verdict_stop(judge, tmp_path):
    folder, labels = judge
    assert document(folder, "--people", labels)[0]["remarks"] == []
    likely = [item for item in range(200) if (item % 10 > 1) == (item % 2 == 0)]  # says first
    rows = [{"item": f"i{item}", "label": item % 2} for item in (*likely[:40], 1, 3, 5, 7, 9)]
    file = write_labels(tmp_path / "drawn.csv", rows)
    said = text_of("correct", folder, "--people", file, status=1)
    assert "t, judge: labelled items differ from the others: the judge's verdict is" in said
    assert "--strata FIELD" in said
    for row in rows:
        row["probability"] = 0.4 if int(row["item"][1:]) in likely else 0.05
    assert document(folder, "--people", write_labels(file, rows))[0]["remarks"] == []


def test_labels_of_one_part_of_the_data_stop(judge, tmp_path):
    folder, _ = judge
    in_two_sources(folder)
    of_one = [{"item": f"i{n}", "label": n % 2} for n in range(0, 200, 4) for n in (n, n + 1)]
    labels = write_labels(tmp_path / "one.csv", of_one[:60])
    said = text_of("correct", folder, "--people", labels)
    assert "source is" in said
    assert "--strata source" in said
    both = [*of_one[:60], *({"item": f"i{n}", "label": n % 2} for n in (2, 3, 50, 82, 83, 150))]
    labels = write_labels(tmp_path / "both.csv", both)
    pairbench("correct", folder, "--people", labels, status=1)
    said = text_of("correct", folder, "--people", labels, "--strata", "source")
    assert "the position in the file" in said  # these are of the first half alone
    both[:60] = [of_one[place] for place in np.random.default_rng(1).permutation(len(of_one))[:60]]
    labels = write_labels(tmp_path / "spread.csv", both)
    pairbench("correct", folder, "--people", labels, status=1)
    assert document(folder, "--people", labels, "--strata", "source")[0]["labelled"] == 66


@pytest.mark.parametrize(
    ("labels", "value", "remark"),
    [
        ([0, 0, 0, 0], 1.0, ""),
        (["tie"] * 4, 0.5, ""),
        ([1], None, "1 label for 200 items. An estimate needs at least 2 labels"),
    ],
)
def test_few_labels_have_a_wide_interval_or_say_what_lacks(judge, tmp_path, labels, value, remark):
    rows = [{"item": f"i{2 * n}", "label": label} for n, label in enumerate(labels)]
    [row] = document(judge[0], "--people", write_labels(tmp_path / "few.csv", rows))
    low, high = row["corrected"]["ci95"]
    assert row["corrected"]["value"] == value
    assert remark in " ".join(row["remarks"])
    if value is not None:
        assert 0 <= low < value <= high <= 1
        assert high - low > 0.4
    assert row["error_rates"]["ci95"] == [None, None]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"item": "i999", "label": 1}, "line 2: no item 'i999'"),
        ({"item": "i1", "label": 1, "label ": 0}, "two columns have the name 'label'"),
        ({"item": "i1", "label": "better"}, "'better' (1 time"),
        ({"item": "i1", "label": ""}, "no label belongs to an item of these judgments"),
        ({"item": "", "label": 1}, "'item' is empty"),
        (
            {"item": "i1", "label": 1, "probability": 2},
            "probability must be a number from 0 to 1, not '2'",
        ),
    ],
)
def test_wrong_labels_are_named(judge, tmp_path, row, problem):
    labels = write_labels(tmp_path / "wrong.csv", [row])
    status = 1 + ("better" in problem)
    assert problem in text_of("correct", judge[0], "--people", labels, status=status)
