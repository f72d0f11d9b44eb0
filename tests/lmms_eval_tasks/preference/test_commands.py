import json

import pytest

from tests.files import pairbench, write_lines

FIRST, SECOND = "Therefore, Answer 1 is better.", "Therefore, Answer 2 is better."


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
    return lambda name, *rows: write_lines(tmp_path / name, rows)


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


def test_hard_items_are_misjudged_by_every_judge(judges):
    done = pairbench("build", "hard-items", *judges)
    assert done.exit_code == 0, done.output
    assert done.stdout == "a\n"
    assert done.stderr.splitlines() == [
        f"{judges[0]}: 4 items, 3 misjudged, 0 with fewer than 3 votes, 0 requests failed",
        f"{judges[1]}: 5 items, 2 misjudged, 1 with fewer than 3 votes, 0 requests failed",
        "judged by all: 4 items; misjudged by all, hard: 1",
    ]


def test_hard_items_as_json_lines(judges, tmp_path):
    done = pairbench("build", "hard-items", *judges, "--votes", 2, "--out", tmp_path / "hard.jsonl")
    assert done.stdout == ""
    lines = (tmp_path / "hard.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [
        {"item": "a", "id": "a", "source": "mmmu"},
        {"item": "c", "id": "c", "source": "povid"},
    ]


def authors_row(name, mark, query="?"):
    """A row of the authors' log; the better response is the first, shown first."""
    reply = FIRST if mark == "0" else SECOND
    return {
        "id": name,
        "query": query,
        "response": ["a dog", "a cat"],
        "human_ranking": [0, 1],
        "meta": {"filter_choice": reply, "random_number": 0},
    }


def test_items_of_an_authors_log_go_by_their_ids(write, tmp_path):
    rows = [authors_row("a", mark, query) for query in ("?", "Why?") for mark in "111"]
    log = write("log.jsonl", *rows, *(authors_row("b", mark) for mark in "110"))
    done = pairbench("build", "hard-items", log, "--out", tmp_path / "hard.jsonl")
    lines = map(json.loads, (tmp_path / "hard.jsonl").read_text().splitlines())
    assert [(row["item"], row["id"]) for row in lines] == [("a", "a"), ("a#2", "a"), ("b", "b")]
    assert "3 items, 3 misjudged" in done.stderr
    assert pairbench("build", "hard-items", log).stdout == "a\na#2\nb\n"


def best_of_n(pair, reply, worth=(0, 1, 0), **more):
    row = {"question": "q", "worth": list(worth), "pair": list(pair), "order": "fwd", "repeat": 0}
    return {**row, "response": reply, **more}


def test_pairs_of_best_of_n_are_items_if_one_is_worth_more(write):
    rows = [best_of_n((0, 1), FIRST), best_of_n((0, 2), FIRST), best_of_n((1, 2), SECOND)]
    ordinary = write(
        "large/x_samples_best_of_n.jsonl",
        *({"trial": row, "filtered_resps": row["response"]} for row in rows),
    )
    trial = {"question": "q", "worth": [0, 1, 0], "exchanges": [rows[0], rows[1]]}
    knockout = write(
        "small/x_samples_best_of_n_knockout.jsonl", {"trial": trial, "filtered_resps": "..."}
    )
    done = pairbench("build", "hard-items", ordinary, knockout, "--votes", 1)
    assert done.exit_code == 0, done.output
    assert done.stdout == "q#0-1\n"
    assert done.stderr.splitlines() == [
        f"{ordinary}: 2 items, 2 misjudged, 0 with fewer than 1 vote, 0 requests failed, "
        "1 pair of equal worth left out",
        f"{knockout}: 1 item, 1 misjudged, 0 with fewer than 1 vote, 0 requests failed, "
        "1 pair of equal worth left out",
        "judged by all: 1 item; misjudged by all, hard: 1",
    ]
    assert pairbench("build", "hard-items", ordinary, "--votes", 2).stdout == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.jsonl", "a.jsonl"], "a.jsonl is given twice; a judge's votes count once"),
        (["a.jsonl", "b.jsonl"], "item 'a': response 1 is the better one in the votes of"),
        (["a.jsonl", "empty.jsonl"], "empty.jsonl: no samples in it"),
        (["nowhere.jsonl"], "nowhere.jsonl: cannot be read"),
        (
            ["a.jsonl", "--out", "b.jsonl/where.jsonl"],
            "error: b.jsonl/where.jsonl: cannot be written (File exists); what should be its "
            "folder is a file",
        ),
        (
            ["a.jsonl", "other.jsonl"],
            "error: no item was judged by all: a.jsonl has 'a'; other.jsonl has 'x'; give logs of "
            "the same data",
        ),
        (["equal.jsonl"], "no item was judged by all: equal.jsonl has no items"),
        (
            ["broken.jsonl"],
            "broken.jsonl, line 1: question 'q' has 3 candidates; [0, 5] is no pair",
        ),
    ],
    ids=["twice", "truth", "empty", "missing", "out", "nothing shared", "equal worth", "pair"],
)
def test_mistakes_are_one_clear_sentence(arguments, message, write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("a.jsonl", *votes("111", "a"))
    write("b.jsonl", *votes("111", "a", truth=1))
    write("empty.jsonl")
    write("other.jsonl", *votes("111", "x"))
    write("equal.jsonl", best_of_n((0, 2), FIRST))
    write("broken.jsonl", best_of_n((0, 5), FIRST))
    done = pairbench("build", "hard-items", *arguments)
    assert done.exit_code == 1
    assert message in done.output
    assert "Traceback" not in done.output


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
    done = pairbench(
        "build", "response-pairs", write("candidates.jsonl", *CANDIDATES), "--out", out
    )
    assert done.exit_code == 0, done.output
    assert done.stdout == ""
    assert done.stderr == (
        "2 questions with 7 candidates: 3 pairs, 1 of them of identical texts; 1 question without "
        "a pair, 1 candidate without words\n"
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


def sample(number, reply, target="B", **more):
    """A sample as the harness logs it."""
    fields = {"doc_id": number, "target": target, "filtered_resps": reply, "token_counts": [None]}
    return {**fields, "doc_hash": "...", "input": f"Question {number}?", **more}


def test_answers_of_several_models_from_their_logs(write):
    name = "x_samples_mmmu_val.jsonl"
    files = [
        write(f"one/{name}", sample(0, "It is B."), sample(1, "[LMMS_EVAL_REQUEST_FAILED] ...")),
        write(
            f"other/{name}",
            sample(0, "No: A."),
            sample(0, "It is C.", doc_hash="logged by two ranks"),
            sample(0, "It is C."),
            sample(1, "B", input="Question 1? Answer with a letter."),
        ),
    ]
    done = pairbench("build", "response-pairs", *files, "--tau", 0.6)
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["response"] for row in rows] == [
        ["It is B.", "No: A."],
        ["It is B.", "It is C."],
        ["No: A.", "It is C."],
    ]
    one, other = map(str, files)
    assert rows[0] == {
        "id": "0#0-1",
        "query": "Question 0?",
        "response": ["It is B.", "No: A."],
        "candidate_indices": [0, 1],
        "ground_truth": "B",
        "files": [one, other, other],
    }
    assert done.stderr == (
        "2 questions with 4 candidates: 3 pairs, 0 of them of identical texts; 1 question without "
        "a pair, 0 candidates without words; 1 request failed; 1 question was put in several "
        "ways, the first one is written\n"
    )


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"a": [sample(0, "x")], "b": [CANDIDATES[1]]},
            "b.jsonl: no samples logged by the harness",
        ),
        ({"a": [CANDIDATES[1]], "b": [CANDIDATES[1]]}, "a.jsonl: no samples logged by"),
        (
            {"a": [sample(0, "x")], "b": [sample(0, "x", target="C")]},
            "b.jsonl, line 1: the target of question 0 is 'C', but 'B' in",
        ),
        (
            {"a_samples_one": [sample(0, "x")], "a_samples_two": [sample(0, "x")]},
            "a_samples_two.jsonl are of different tasks",
        ),
        ({"a": [sample(0, [[-1.5, True]])]}, "line 1: field 'filtered_resps' must be a text or"),
        ({"a": [sample(0, "x", input={})]}, "line 1: field 'input' must be str, not {}"),
        ({"a": [sample(None, "x")]}, "line 1: field 'doc_id' must be int or str, not None"),
        ({"a": [sample(0, "x", input=0, doc={})]}, "line 1, doc: no field 'query' or 'question'"),
    ],
    ids=["mixed", "two files", "target", "tasks", "no text", "input", "doc_id", "document"],
)
def test_logs_that_do_not_go_together(files, message, write):
    done = pairbench(
        "build", "response-pairs", *(write(f"{name}.jsonl", *rows) for name, rows in files.items())
    )
    assert done.exit_code == 1
    assert done.stdout == ""
    assert message in done.output


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
    done = pairbench("build", "response-pairs", write("x.jsonl", CANDIDATES[1], row))
    assert done.exit_code == 1
    assert done.stdout == ""
    assert message in done.output
