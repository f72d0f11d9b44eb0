"""A preference benchmark of one's own questions, from models' answers to the judges' run on it."""

import json
import re
import shutil
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from datasets import load_dataset
from PIL import Image

from lmms_eval_tasks.people.events import EventsFile
from lmms_eval_tasks.people.questions import READER
from lmms_eval_tasks.people.session import Session
from lmms_eval_tasks.vl_rewardbench.benchmark import OwnTrials
from lmms_eval_tasks.vl_rewardbench.own.study import PreferenceStudy
from pairbench_ext.judges.blind_judge import BlindJudge
from tests.conftest import REPOSITORY
from tests.files import pairbench, write_lines
from tests.judges import PromptJudge, evaluate, numbers

TASK = "preference_custom"
FIRST, SECOND = "Overall Judgment: Answer 1 is better.", "Overall Judgment: Answer 2 is better."
# Model `good` is right about every question, `bad` never; each question has a word that says what
# becomes of it. `other` is too long to be paired, but for its equal answer to the first question.
QUESTIONS = {
    "hard": "Which bird is hard to see?",
    "hard2": "Which bird is hard to hear?",
    "easy": "Which bird is easy to see?",
    "split": "Which bird is split?",
    "inverted": "Which bird is inverted?",
    "both": "Which bird is both?",
    "wrong": "Which bird is known?",
}
GOOD = "It is a robin, as its red breast shows RIGHT {} again and once more"  # 15 words
BAD = "It is a wren, as its short tail shows {} WRONG again and once more today"  # 16
REFERENCES = {"wrong": "A heron"}


def ask(prompt):
    """The question's word, and whether the first answer shown is the good one."""
    question = re.search("Question: (.*)", prompt)[1]
    [word] = [word for word, text in QUESTIONS.items() if text == question]
    return word, prompt.index("RIGHT") < prompt.index("WRONG")


def knows(prompt):
    return FIRST if ask(prompt)[1] else SECOND


def small(prompt):
    """Takes the worse answer to all questions but the easy one, where it takes the better one."""
    word, good_first = ask(prompt)
    return FIRST if good_first == (word == "easy") else SECOND


def smaller(prompt):
    """The same, and knows the split one."""
    return knows(prompt) if ask(prompt)[0] == "split" else small(prompt)


@pytest.fixture
def asked(tmp_path):
    """Questions, and the logs and rows of three models' answers."""
    rows, answers = [], {"good": [], "bad": []}
    for place, (word, text) in enumerate(QUESTIONS.items()):
        Image.new("RGB", (40, 40), (place * 30, 80, 90)).save(tmp_path / f"{word}.png")
        reference = {"reference": REFERENCES[word]} if word in REFERENCES else {}
        rows.append({"id": word, "question": text, "image": f"{word}.png", **reference})
        for model, form in (("good", GOOD), ("bad", BAD)):
            said = f"The answer is a {model} gull." if reference else form.format(word)
            said += " and sings" if (word, model) == ("hard2", "good") else ""  # 17 words
            sample = {"doc_id": place, "target": "", "filtered_resps": [said], "input": f"{text} ?"}
            answers[model].append(sample)
    for model, samples in answers.items():
        write_lines(tmp_path / "runs" / model / "20261127_000000_samples_birds.jsonl", samples)
    plain = [{"id": "hard", "model": "other", "answer": GOOD.format("hard")}]
    plain.append({"id": "easy", "model": "other", "answer": "RIGHT, but much too short."})
    write_lines(tmp_path / "other.jsonl", plain)
    return write_lines(tmp_path / "questions.jsonl", rows)


def build(asked, out, *more):
    folder = asked.parent
    answers = ("--answers", folder / "runs", "--answers", folder / "other.jsonl")
    done = pairbench("build", "preference", asked, *answers, "--out", folder / out, *more)
    return done, " ".join(done.output.split())


def judged(judge, data, task_manager, monkeypatch, *logs):
    """A judge's numbers on a folder of pairs; logged as the harness does, in these folders."""
    monkeypatch.setenv("VL_REWARDBENCH_DATA", str(data))
    results = evaluate(judge, TASK, task_manager)
    samples = json.loads(json.dumps(results["samples"][TASK], default=str))
    for log in logs:
        write_lines(log / f"20261127_000000_samples_{TASK}.jsonl", samples)
    return numbers(results, TASK)


def test_from_questions_to_a_judges_accuracy(asked, task_manager, monkeypatch):
    folder = asked.parent
    _, said = build(asked, "candidates")
    # Of good and bad 7 pairs, where "other" says the same as "good" none, one easy question more.
    assert "7 questions, 16 answers, 0 of them failed - 9 pairs of different answers" in said
    assert "7 pairs with answers of similar length" in said
    assert "6 pairs whose answers are not both wrong by the reference" in said
    for answer, logs in (
        (small, [folder / "small" / name for name in ("one", "two", "three")]),
        (smaller, [folder / "small" / "four"]),
        (knows, [folder / "strong"]),
    ):
        judged(PromptJudge(answer), folder / "candidates", task_manager, monkeypatch, *logs)
    logs = ("--small", folder / "small", "--strong", folder / "strong")
    _, said = build(asked, "drafts", *logs)
    assert "draft labels: 0 by the reference, 6 by strong" in said
    assert "4 pairs that 4 or more of these 4 judges get wrong" in said  # not easy, not split
    _, said = build(asked, "more", *logs, "--wrong", "3")
    assert "5 pairs that 3 or more of these 4 judges get wrong" in said
    people = check(folder / "drafts", monkeypatch)
    _, said = build(asked, "birds", *logs, "--people", people)
    rows = sorted(map(json.loads, people.open()), key=lambda row: (row["rater"], row["item"]))
    said_by = np.reshape(["ABCD".index(row["choice"]) for row in rows], (2, 4))
    alpha = krippendorff.alpha(said_by, level_of_measurement="nominal")
    assert "4 pairs that people looked at - people: anna (4), ben (4); all agree on 3" in said
    assert f"of 4 pairs that two or more judged, Krippendorff's alpha {alpha:.3f} - people" in said
    assert "people confirm 2 draft labels and invert 1 - 3 pairs with a label" in said
    # Small judges took the worse answer by the draft: by people's label they were right.
    assert "2 pairs that 4 or more of these 4 judges get wrong" in said
    assert "2 pairs that 4 or more" in (folder / "birds" / "README.md").read_text()
    found = judged(PromptJudge(knows), folder / "birds", task_manager, monkeypatch)
    assert (found["items"], found["overall_accuracy"]) == (2, 1)
    blind = folder / "blind"
    found = judged(BlindJudge("longer"), folder / "birds", task_manager, monkeypatch, blind)
    longer = found["overall_accuracy"]
    assert f"in which the longer answer is better: {longer:.3f} (" in said
    assert longer == 0.5
    scored = pairbench("score", "vl_rewardbench", blind)
    assert (scored.exit_code, "accuracy by source" in scored.stdout) == (0, True), scored.output
    for row in load_dataset(str(folder / "birds"), split="test"):
        word, better = row["id"].partition("#")[0], row["human_ranking"].index(0)
        assert word in ("hard", "hard2")
        assert "RIGHT" in row["response"][better]
        assert (row["models"][1 - better], row["judge"]) == ("bad", "people")
        with Image.open(folder / f"{word}.png") as image:
            assert image.tobytes() == row["image"].tobytes()


def check(data, monkeypatch):
    """Two people answer in the sessions of the page; the questions say what."""
    monkeypatch.setenv("VL_REWARDBENCH_DATA", str(data))
    path = data.parent / "answers.jsonl"
    study = PreferenceStudy(TASK, OwnTrials({"k": 5}), 100, 0)
    with EventsFile(path, READER) as file:
        for rater in ("anna", "ben"):
            session = Session(rater, study, file)
            for question in session.state()["questions"]:
                assert set(question) == {"id", "score", "question", "options", "note", "data"}
                [image] = question["data"]
                assert session.image(question["id"], 0).size == (40, 40), image
                word = question["question"].removesuffix(" Which answer is better?")
                word = next(name for name, text in QUESTIONS.items() if text == word)
                right = next(n for n, text in enumerate(question["options"]) if "RIGHT" in text)
                chosen = {"inverted": 1 - right, "both": 2 if rater == "anna" else 3}
                session.rate(question["id"], chosen.get(word, right) + 1)
    return path


def test_what_cannot_be_built_gets_a_sentence_and_leaves_nothing(asked):
    folder = asked.parent
    rows = [json.loads(line) for line in asked.read_text().splitlines()]
    rows[-1]["reference"] = "a good gull"  # the one pair with a label
    write_lines(asked, rows)
    build(asked, "candidates")
    pairs = load_dataset(str(folder / "candidates"), split="test")
    [known] = [row for row in pairs if row["judge"] == "the reference"]
    best = known["human_ranking"].index(0)
    assert known["response"][best] == "The answer is a good gull."

    def log(name, item, response):
        vote = {"item": item, "source": "own", "order": "fwd", "truth": 0, "response": response}
        return write_lines(folder / name, [{**vote, "repeat": repeat} for repeat in range(3)])

    right = log("right.jsonl", known["id"], (FIRST, SECOND)[best])
    late = write_lines(folder / "late.jsonl", [{"id": "crow", "model": "m", "answer": "x"}])
    people = {"rater": "anna", "task": TASK, "item": "x", "order": "fwd", "choice": "A"}
    people = write_lines(folder / "people.jsonl", [people])
    small = ("--small", right)
    for more, message in (
        (
            ("--length", "0"),
            "with answers of similar length (difference below 0 of the shorter answer): 0 of",
        ),
        (("--answers", late), "late.jsonl, line 1: no question has the id 'crow'"),
        (("--people", people), "that people looked at: 0 of 7 pairs; give answers about these"),
        (small, "--small has logs of right, but --ensemble asks for 4"),
        ((*small, "--ensemble", 1, "--votes", 4), "judged 4 times by each of right: 0 of 1 pair"),
        ((*small, "--ensemble", 1), "get wrong: 0 of 1 pair; the judges are right: give a lower"),
    ):
        done, said = build(asked, "out", *more)
        assert done.exit_code == 1, done.output
        assert message in said
        assert not list(folder.glob("*out*"))
    write_lines(asked, [rows[0] | {"question": "Else?"}, *rows[1:]])
    done, said = build(asked, "out")
    assert (done.exit_code, "document 0 does not ask question 0" in said) == (1, True), said


def test_the_example_of_the_page(tmp_path, monkeypatch):
    page = (REPOSITORY / "docs" / "own_preferences.md").read_text()
    shutil.copytree(REPOSITORY / "docs" / "preference", tmp_path / "made")
    monkeypatch.chdir(tmp_path / "made")
    commands = re.findall(r"^\$ pairbench (build preference .*)$", page, re.M)
    assert len(commands) == 3
    for command in commands:
        done = pairbench(*command.split(), status=0)
    [printed] = re.findall(r"^```text\n(.*?)^```", page, re.M | re.S)
    assert printed in done.output
    # Labels are people's texts, whatever the seed, and in whichever order people saw them.
    said = [json.loads(line) for line in Path("people.jsonl").read_text().splitlines()]
    texts = {(row["item"], row["options"]["ABCD".index(row["choice"])]) for row in said}
    swapped = [row | {"options": [row["options"][n] for n in (1, 0, 2, 3)]} for row in said]
    swapped = [row | {"choice": "BACD"["ABCD".index(row["choice"])]} for row in swapped]
    write_lines(Path("swapped.jsonl"), swapped)
    shuffled = command.replace("people.jsonl", "swapped.jsonl")
    for seed, line in enumerate((command, command, shuffled)):
        pairbench(*line.replace("shapes", f"seed{seed}").split(), "--seed", seed, status=0)
        rows = load_dataset(f"./seed{seed}", split="test").to_list()
        assert len(rows) == 4
        for row in rows:
            assert (row["id"], row["response"][row["human_ranking"].index(0)]) in texts, row
    # Votes on other texts are refused: those of 0.3, whose order depended on a seed, among them.
    other = swapped[0] | {"options": ["Another text.", *swapped[0]["options"][1:]]}
    write_lines(Path("swapped.jsonl"), [other])
    done = pairbench(*shuffled.replace("shapes", "out").split(), status=1)
    assert "line 1: the first two 'options' are not the answers of pair" in done.output
    strong = Path("strong.jsonl")
    strong.write_text(strong.read_text().replace("#", "#0"))
    done = pairbench(*command.replace("shapes", "out").split(), status=1)
    assert re.search(
        r"strong.jsonl: the judge voted on none of these .* pairs such as "
        r"'\w+#0\w{8}'",
        done.output,
    )
