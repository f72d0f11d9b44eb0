"""A local copy in the hub's format: nine questions about eight pairs of one-coloured images."""

import json

import pytest
from PIL import Image

from tests.judges import SightedJudge

HUB = "https://huggingface.co/datasets/KRAFTON/VLM-SubtleBench/resolve/main"
SIZES = ((24, 16), (20, 18))
TWO = ("first image", "second image")


def row(category, domain, source, source_id, answer, distractors, **others):
    """A row whose images are called after it: the first by its URL, the second by its path."""
    folder = f"images/{source}_{category}_pairs"
    return {
        "image_1": f"{HUB}/{folder}/{source_id}.png", "image_2": f"{folder}/{source_id}_2.png",
        "question": f"What of {category} {source_id}? {{braces}}", "answer": answer,
        "distractors": list(distractors),
        "has_caption": False, "caption": None, "category": category, "domain": domain,
        "source": source, "source_id": source_id, "raw_folder": f"{source}_{category}_pairs",
        "generation_info": None, **others,
    }  # fmt: skip


def two(category, domain, source, source_id, answer, **others):
    [other] = {*TWO} - {answer}
    return row(category, domain, source, source_id, answer, [other], **others)


ROWS = (
    row("attribute", "natural", "coco", "0", "red cup", ["blue cup", "red plate", "blue plate"]),
    two("attribute", "medical", "mimic", "1", "first image"),
    two("state", "industry", "mvtec-ad", "2", "second image"),
    two("state", "natural", "changeit", "3", "second image", has_caption=True, caption="Peeled."),
    two("temporal", "game", "yt8m", "4", "first image"),
    row("existence", "aerial", "levir-mci", "5", "a house", ["none", "a road", "a car", "a tree"]),
    row("viewpoint", "natural", "camerabench", "6", "left", ["right"]),
    row("viewpoint", "natural", "camerabench", "6", "up", ["down"]),  # the same pair
    two("quantity", "natural", "ubc", "7", "second image"),
)
VAL = (
    two("quality", "natural", "yt8m", "8", "first image"),
    two("action", "game", "yt8m", "9", "second image"),
)
RIGHT = {(each["question"], each["answer"]) for each in (*ROWS, *VAL)}


def colour(each, side):
    return (25 * int(each["source_id"]), 200 * side, 90)


def picture(each, side):
    return Image.new("RGB", SIZES[side], colour(each, side))


def write_data(folder, rows=ROWS, split="test", images=True):
    """A local copy, or more of one."""
    (folder / "data").mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(each) + "\n" for each in rows)
    (folder / "data" / f"{split}.jsonl").write_text(lines, encoding="utf-8")
    for each in rows if images else ():
        for side, name in enumerate(("image_1", "image_2")):
            path = folder / each[name].removeprefix(f"{HUB}/")
            path.parent.mkdir(parents=True, exist_ok=True)
            picture(each, side).save(path)
    return folder


@pytest.fixture(scope="session")
def subtlebench_data(tmp_path_factory):
    return write_data(write_data(tmp_path_factory.mktemp("subtlebench_data")), VAL, "val")


class SystemChatJudge(SightedJudge):
    """A chat backend: answers by system prompt, prompt and images."""

    is_simple = False

    def _simple(self, _, doc_to_messages, __, doc_id, task, split):
        system, user = doc_to_messages(self.task_dict[task][split][doc_id])
        assert (system["role"], user["role"]) == ("system", "user")
        *images, text = user["content"]
        [instruction] = system["content"]
        return f"{instruction['text']}\n\n{text['text']}", [image["url"] for image in images]


def options(prompt):
    """Letter -> text, as a prompt lists them."""
    lines = prompt.split("\n")
    return {line[0]: line[3:] for line in lines if line[1:3] == ". " and line[0] in "ABCDE"}


def question(prompt):
    return next(line.removeprefix("Question: ") for line in prompt.split("\n") if "What of" in line)


def right_letter(prompt):
    """The letter of the right option, found without the code under test."""
    [letter] = [k for k, text in options(prompt).items() if (question(prompt), text) in RIGHT]
    return letter
