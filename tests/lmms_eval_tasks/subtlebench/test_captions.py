"""Caption tasks through the harness's own evaluator: a real sentence model, a real endpoint."""

import math

import numpy as np
import pytest

from lmms_eval_tasks.subtlebench import prompts
from lmms_eval_tasks.subtlebench.captions import CAPTIONS as BENCHMARK
from lmms_eval_tasks.subtlebench.captions import CaptionTrials
from lmms_eval_tasks.subtlebench.choices import ChoiceTrials
from pairbench_ext.resumable import open_shared
from tests.endpoints import Endpoint
from tests.files import score_file, write_lines
from tests.judges import CannedJudge, evaluate, expect, numbers, same
from tests.lmms_eval_tasks.subtlebench.conftest import two, write_data
from tests.sentence_models import cosine, save

TASK = "subtlebench_caption"


def captioned(category, source_id, caption, domain="natural"):
    more = {"has_caption": True, "caption": caption}
    return two(category, domain, "coco", source_id, "first image", **more)


ROWS = (
    captioned("attribute", "0", 'The cup became "blue". {x}'),
    two("state", "natural", "coco", "1", "first image"),
    captioned("state", "2", "The apple was peeled in the second image."),
    captioned("state", "3", "The door is open in the second image."),
    captioned("existence", "4", "A dog appeared.", "game"),
)
CAPTIONS = [row for row in ROWS if row["has_caption"]]
REPLIES = {
    CAPTIONS[0]["caption"]: "<think>A cup.</think>The cup changed from red to blue. ",
    CAPTIONS[1]["caption"]: "In the first image the apple has its peel. {y}",
    CAPTIONS[2]["caption"]: " ",
    CAPTIONS[3]["caption"]: "A cat appeared.",
}
CLEAN = [
    "The cup changed from red to blue.",
    "In the first image the apple has its peel. {y}",
    None,
    "A cat appeared.",
]
CSS = [
    0.0 if clean is None else cosine(row["caption"], clean)
    for row, clean in zip(CAPTIONS, CLEAN, strict=True)
]


@pytest.fixture(scope="session")
def sentence_model(tmp_path_factory):
    return save(tmp_path_factory.mktemp("sentences"))


@pytest.fixture(autouse=True)
def _environment(tmp_path, monkeypatch, sentence_model):
    monkeypatch.setenv("SUBTLEBENCH_DATA", str(write_data(tmp_path / "data", ROWS)))
    monkeypatch.setenv("SUBTLEBENCH_SENTENCE_MODEL", sentence_model)
    monkeypatch.setenv("PAIRBENCH_CACHE", str(tmp_path / "cache"))
    for name in ("SUBTLEBENCH_JUDGE", "API_TYPE", "OPENAI_API_URL"):
        monkeypatch.delenv(name, raising=False)


def reply(doc):
    return REPLIES[doc["reference"]]


def run(task_manager, answer=reply, task=TASK, **options):
    results = evaluate(CannedJudge(answer), task, task_manager, **options)
    return numbers(results, task), results["samples"][task]


def judge_by_words(prompt):
    """Yes to the cup, something else to the apple, no to the dog."""
    if "cup" in prompt:
        return "Yes."
    return "It is hard to say." if "apple" in prompt else "No, a cat is no dog."


@pytest.fixture
def judged(monkeypatch):
    """Turns the judge on, at an endpoint that answers so."""
    with Endpoint(judge_by_words) as endpoint:
        monkeypatch.setenv("SUBTLEBENCH_JUDGE", "gpt-4o")
        monkeypatch.setenv("OPENAI_API_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "secret")
        yield endpoint


def rescored(tmp_path, samples):
    return score_file(BENCHMARK, write_lines(tmp_path / f"1_samples_{TASK}.jsonl", samples))


def test_css_is_the_mean_of_the_sentence_models_cosines(task_manager, said):
    found, samples = run(task_manager)
    expect(found, css=np.mean(CSS), coverage=3 / 4, captions=4, pairs=4)
    expect(found, llm_judge=math.nan, judged=0, judge_unclear=0)
    assert found["css_ci95_low"] < found["css"] < found["css_ci95_high"]
    assert [sample["target"] for sample in samples] == [row["caption"] for row in CAPTIONS]
    [line] = [line for line in said if "css" in line or "judge" in line]
    assert (
        "cannot be compared with the paper's, computed with sentence-transformers/paraphrase"
        in line
    )


def test_the_judge_is_asked_about_every_caption_and_once(judged, task_manager, tmp_path):
    found, samples = run(task_manager)
    expect(found, css=np.mean(CSS), llm_judge=1 / 4, judged=4, judge_unclear=1)
    assert sorted(judged.prompts) == sorted(
        prompts.render_judge(row["caption"], clean)
        for row, clean in zip(CAPTIONS, CLEAN, strict=True)
        if clean is not None  # nothing to ask about
    )
    assert [sample["trial"]["judge"]["reply"] for sample in samples] == [
        "Yes.",
        "It is hard to say.",
        None,
        "No, a cat is no dog.",
    ]
    open_shared.cache_clear()  # as in another process
    again, _ = run(task_manager)
    assert again == found
    later = rescored(tmp_path, samples)
    assert set(found) == set(later.numbers)
    assert all(same(later.numbers[name], value) for name, value in found.items())
    assert len(judged.requests) == 3


def test_without_a_sentence_model_all_else_is_there(
    judged, task_manager, monkeypatch, tmp_path, said, sentence_model
):
    monkeypatch.delenv("SUBTLEBENCH_SENTENCE_MODEL")
    order = []

    def answer(doc):
        order.append(len(said))
        return reply(doc)

    found, samples = run(task_manager, answer)
    expect(found, css=math.nan, css_ci95_low=math.nan, llm_judge=1 / 4, coverage=3 / 4)
    about = [line for line in said if "paraphrase-MiniLM-L6-v2" in line]
    assert len(about) == 2  # before the run, and at its end
    assert "paraphrase-MiniLM-L6-v2" in "".join(said[: order[0]])
    assert all("`pairbench score subtlebench FILE` computes it later" in line for line in about)
    monkeypatch.setenv("SUBTLEBENCH_SENTENCE_MODEL", sentence_model)
    expect(rescored(tmp_path, samples).numbers, css=np.mean(CSS), llm_judge=1 / 4)


def test_a_missing_caption_is_named_by_this_task_alone(tmp_path):
    write_data(tmp_path / "data", [ROWS[0], {**ROWS[1], "has_caption": True, "caption": " "}])
    entry = {"data": str(tmp_path / "data")}
    assert len(ChoiceTrials(entry)) == 2
    captions = CaptionTrials(entry)
    assert len(captions) == 1
    assert "line 2: 'has_caption' is true, but field 'caption'" in captions.left_out[0]
