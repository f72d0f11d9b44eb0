import json

import pytest
from typer.testing import CliRunner

from lmms_eval_tasks.vl_rewardbench.candidates import read_candidates
from lmms_eval_tasks.vl_rewardbench.tools import pair_candidates
from pairbench_ext.cli.main import app
from tests.conftest import SHARED

FIRST, SECOND = "Therefore, Answer 1 is better.", "Therefore, Answer 2 is better."
LOG = SHARED / "data" / "vlrb" / "logs.jsonl"


def votes(marks, item, source="povid", truth=0):
    """Votes on an item; the better response is 0, shown first: 1 is a vote for the worse one."""
    replies = {"0": FIRST, "1": SECOND, "?": "no idea"}
    return [
        {"item": item, "source": source, "repeat": k, "order": "fwd", "truth": truth}
        | {"response": replies[mark]}
        for k, mark in enumerate(marks)
    ]


@pytest.fixture
def write(tmp_path):
    def write(name, *rows):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path

    return write


@pytest.fixture
def judges(write):
    """Two judges' samples of one task, in folders of their own as the harness writes them.

    a is misjudged by both, b by one, c by one for want of a vote, d by nobody, e has one judge.
    """
    one = [*votes("110", "a", "mmmu"), *votes("111", "b"), *votes("111", "c"), *votes("1?0", "d")]
    other = [*votes("111", "a", "mmmu"), *votes("100", "b"), *votes("11", "c"), *votes("000", "d")]
    name = "x_samples_vl_rewardbench_k9.jsonl"
    return [
        write(f"small/{name}", *({"trial": row, "filtered_resps": row["response"]} for row in one)),
        write(f"smaller/{name}", *other, *votes("111", "e")),
    ]


def invoke(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


def test_hard_items_are_misjudged_by_every_judge(judges):
    done = invoke("filter-hard", *judges)
    assert done.exit_code == 0, done.output
    assert done.stdout == "a\n"
    assert done.stderr.splitlines() == [
        f"{judges[0]}: 4 items, 3 misjudged, 0 with fewer than 3 votes, 0 requests failed",
        f"{judges[1]}: 5 items, 2 misjudged, 1 with fewer than 3 votes, 0 requests failed",
        "judged by all: 4 items; misjudged by all, hard: 1",
    ]


def test_hard_items_as_json_lines(judges, tmp_path):
    done = invoke("filter-hard", *judges, "--votes", 2, "--out", tmp_path / "hard.jsonl")
    assert done.stdout == ""
    lines = (tmp_path / "hard.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [
        {"item": "a", "source": "mmmu"},
        {"item": "c", "source": "povid"},
    ]


def test_everything_as_one_json_object(judges):
    document = json.loads(invoke("filter-hard", *judges, "--json").stdout)
    assert document["hard"] == [{"item": "a", "source": "mmmu"}]
    assert (document["rule"], document["votes"], document["shared"]) == ("strict", 3, 4)
    assert document["judges"][1] == {
        "judge": str(judges[1]),
        "items": 5,
        "misjudged": 2,
        "too_few_votes": 1,
        "failed": 0,
    }


def test_failed_requests_are_counted(write):
    rows = votes("111", "a")
    rows[2]["response"] = "[LMMS_EVAL_REQUEST_FAILED after 5 retries] ..."
    done = invoke("filter-hard", write("x.jsonl", *rows))
    assert done.stdout == "a\n"
    assert "1 requests failed" in done.stderr


def test_the_rule_decides_what_can_be_read(write):
    file = write("x.jsonl", {**votes("1", "a")[0], "response": "[[2]]"})
    assert invoke("filter-hard", file, "--votes", 1).stdout == "a\n"
    assert invoke("filter-hard", file, "--votes", 1, "--rule", "official").stdout == ""


@pytest.mark.skipif(not LOG.is_file(), reason="no recorded judgments (../shared/data)")
def test_an_authors_log():
    document = json.loads(invoke("filter-hard", LOG, "--rule", "official", "--json").stdout)
    [judge] = document["judges"]
    assert judge["items"] == 59
    assert 0 < judge["misjudged"] == len(document["hard"])
    printed = invoke("filter-hard", LOG, "--rule", "official").stdout
    assert len(printed.splitlines()) == judge["misjudged"]  # one line each


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.jsonl", "a.jsonl"], "a.jsonl is given twice; a judge's votes count once"),
        (["a.jsonl", "b.jsonl"], "item 'a': response 1 is the better one in the votes of"),
        (["a.jsonl", "empty.jsonl"], "empty.jsonl: no samples in it"),
        (["nowhere.jsonl"], "nowhere.jsonl: cannot be read"),
        (["a.jsonl", "--out", "no/where.jsonl"], "No such file or directory: 'no/where.jsonl'"),
    ],
    ids=["twice", "truth", "empty", "missing", "out"],
)
def test_mistakes_are_one_clear_sentence(arguments, message, write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("a.jsonl", *votes("111", "a"))
    write("b.jsonl", *votes("111", "a", truth=1))
    write("empty.jsonl")
    done = invoke("filter-hard", *arguments)
    assert done.exit_code == 1
    assert message in done.output
    assert "Traceback" not in done.output


def test_an_unknown_rule(write):
    done = invoke("filter-hard", write("a.jsonl", *votes("1", "a")), "--rule", "x")
    assert done.exit_code == 2
    assert "'x' is none of" in done.output


def words(n, word="word"):
    return " ".join([word] * n)


CANDIDATES = (
    {
        "id": "mathverse_1",
        "question": "How long?",
        "image": "1.png",
        # 11 differs from 10 by exactly tau, which is not less; an answer may have no words.
        "candidates": [words(10), words(11), words(10, "other"), "", words(10)],
        "models": ["a", "b", "c", "d", "e"],
    },
    {"id": 2, "query": "Why?", "question": "kept", "candidates": [words(3), words(4)]},
)


def test_pairs_of_alike_length(write, tmp_path):
    out = tmp_path / "pairs.jsonl"
    done = invoke("pair-responses", write("candidates.jsonl", *CANDIDATES), "--out", out)
    assert done.exit_code == 0, done.output
    assert done.stdout == ""
    assert done.stderr == (
        "2 questions with 7 candidates: 3 pairs, 1 of them of identical texts; 1 questions without "
        "a pair, 1 candidates without words\n"
    )
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["candidate_indices"] for row in rows] == [[0, 2], [0, 4], [2, 4]]
    assert rows[0] == {
        "id": "mathverse_1#0-2",
        "query": "How long?",
        "response": [words(10), words(10, "other")],
        "image": "1.png",
        "candidate_indices": [0, 2],
        "models": ["a", "b", "c", "d", "e"],
    }


def test_pairs_on_standard_output_by_another_tau(write):
    done = invoke("pair-responses", write("candidates.jsonl", *CANDIDATES), "--tau", 0.34)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["id"] for row in rows] == [
        *(f"mathverse_1#{pair}" for pair in ("0-1", "0-2", "0-4", "1-2", "1-4", "2-4")),
        "2#0-1",
    ]
    assert rows[-1]["question"] == "kept"


def test_pairs_of_no_questions(write):
    paired = pair_candidates(read_candidates(write("empty.jsonl")))
    assert paired == ([], 0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "x", "query": "?"}, "x.jsonl, line 2: no field 'candidates'"),
        ({"id": "x", "candidates": []}, "line 2: no field 'query' or 'question', only"),
        ({"query": "?", "candidates": []}, "line 2: no field 'id'"),
        ({"id": "x", "query": "?", "candidates": ["a", None]}, "but number 1 (from 0) is None"),
        ({"id": 2, "query": "?", "candidates": []}, "field 'id' is '2' again, as in"),
    ],
)
def test_mistakes_in_candidates_name_line_and_field(row, message, write):
    done = invoke("pair-responses", write("x.jsonl", CANDIDATES[1], row))
    assert done.exit_code == 1
    assert done.stdout == ""
    assert message in done.output


@pytest.mark.parametrize("tau", ["0", "-1", "nan"])
def test_tau_must_be_positive(tau, write):
    done = invoke("pair-responses", write("x.jsonl", *CANDIDATES), "--tau", tau)
    assert done.exit_code == 1
    assert "tau must be positive, got" in done.output


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("filter-hard", '{"item", "source"}'),
        ("pair-responses", "{id, query (or question), image, candidates}"),
        ("pair-responses", "{id, query, response, image, candidate_indices}"),
    ],
)
def test_help_documents_the_formats(command, words):
    assert words in " ".join(invoke(command, "--help").output.split())
