"""What a user sees of version 0.2, made again: small data, judges that answer by rule, runs.

Only public entry points are used (the harness by task names, `pairbench`, environment variables),
so the same file runs against any version: that of the Python which runs it. `--collect FILE` makes
all of it in the working folder; `--write FILE` makes the goldens of that.
"""

import contextlib
import fnmatch
import hashlib
import importlib.metadata
import io
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "OMP_NUM_THREADS": "1",
    "CUDA_VISIBLE_DEVICES": "",
    "OPENAI_API_KEY": "unused",
    "COLUMNS": "200",
}
DATA = {
    "PAIRBENCH_DATA": "pairbench",
    "VL_REWARDBENCH_DATA": "vl_rewardbench",
    "MULTIMODAL_REWARDBENCH_DATA": "multimodal_rewardbench",
    "MLLM_JUDGE_DATA": "mllm_judge",
    "BEST_OF_N_DATA": "best_of_n/candidates.jsonl",
    "VIESCORE_DATA": "viescore",
    "CAST_DATA": "cast",
    "SUBTLEBENCH_DATA": "subtlebench",
}
TRANSFORMS = ("colorjitter", "rotate", "gaussianblur", "perspective", "elastic")


def draw(*parts):
    """A number below 2**32 that follows from the parts."""
    text = "\0".join(map(str, parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


# --- Data, in the layouts that the pages of the benchmarks describe


def _picture(*seed, size=(24, 16), base=None):
    """A small image: noise around a colour."""
    import numpy as np
    from PIL import Image

    rng = np.random.default_rng(list(seed))
    middle = np.array(base if base is not None else [draw(*seed, k) % 256 for k in range(3)])
    noise = rng.integers(-20, 21, (size[1], size[0], 3))
    return Image.fromarray(np.clip(middle + noise, 0, 255).astype(np.uint8))


def _split(root, config, split, rows, images):
    import datasets

    kinds = {
        key: datasets.Image()
        if key in images
        else datasets.Sequence(datasets.Value("string"))
        if isinstance(value, list) and isinstance(value[0], str)
        else datasets.Sequence(datasets.Value("int64"))
        if isinstance(value, list)
        else datasets.Value("float32")
        if isinstance(value, float)
        else datasets.Value("string")
        for key, value in rows[0].items()
    }
    table = datasets.Dataset.from_list(rows, features=datasets.Features(kinds))
    (root / config).mkdir(parents=True, exist_ok=True)
    table.to_parquet(root / config / f"{split}-00000-of-00001.parquet")


def _lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _save(image, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path)


def write_pairbench(root, rows=4):
    def colour(leaf, row):
        return [40 + draw(leaf, row % rows, k) % 170 for k in range(3)]

    def images(leaf):
        columns = []
        for row in range(rows):
            base = colour(leaf, row)
            original = _picture(draw(leaf), row, 1, base=base)
            moved = _picture(draw(leaf), row, 3, base=base)
            other = _picture(draw(leaf), row, 4, base=colour(leaf, row + 1))
            columns.append({"img1": original, "img2": original, "img3": moved, "img4": other})
        return columns

    def texts(leaf):
        caption = "A mug {} of plate %s"
        return [
            {
                "img1": _picture(draw(leaf), row, 1),
                "img2": (caption % row).format("to the left"),
                "img3": (caption % row).format("to the right"),
                "img4": (caption % ((row + 1) % rows)).format("to the left"),
            }
            for row in range(rows)
        ]

    shown = ("img1", "img2", "img3", "img4")
    for config in ("coco", "in100"):
        for name in TRANSFORMS:
            _split(root, config, name, images(config + name), shown)
    for subset in ("Controlled_Images", "controlled-clevr"):
        for transform in ("", *TRANSFORMS):
            name = f"{subset}_spatial_position" + (f"_{transform}" if transform else "")
            _split(root, "wu_img_img", name, images(name), shown)
        _split(root, "wu_img_text", f"{subset}_SP", texts(subset), ("img1",))


# Which response is the better one, and the longer.
PREFERENCES = (
    ("wildvision-battle-1", 0, 0),
    ("svit-2", 1, 0),
    ("RLAIF-V-3", 0, 1),
    ("RLHF-V-4", 1, 1),
    ("hallucination_pair-5", 0, None),
    ("mathverse_6", 1, 0),
    ("mmmu_7", 0, 0),
    ("mmmu_8", 1, 1),
    ("wildvision-battle-9", 1, 0),
    ("RLAIF-V-10", 1, 1),
    ("mathverse_11", 0, 1),
    ("svit-12", 0, None),
)


def write_vl_rewardbench(root):
    rows = []
    for number, (name, truth, longer) in enumerate(PREFERENCES + PREFERENCES[:8]):
        name, truth = f"{name}{number}", (truth + number // len(PREFERENCES)) % 2
        words = [f"{{}} about item {number}."] * 2
        if longer is not None:
            words[longer] += " At length, with a second sentence."
        rows.append(
            {
                "id": name,
                "query": f"What is on picture {number}? {{braces}}",
                "response": [words[k].format("RIGHT" if k == truth else "WRONG") for k in (0, 1)],
                "image": _picture(number, 1),
                "human_ranking": [0, 1] if truth == 0 else [1, 0],
                "models": ["one", "other"],
                "judge": "",
                "rationale": "",
                "query_source": "made up",
                "ground_truth": f"The truth {number}." if number % 12 in (5, 6, 7) else "",
            }
        )
    _split(root, "data", "test", rows, ("image",))


CATEGORIES = (
    ("nocaps_1", "open_generation/correctness_task"),
    ("visitbench_2", "open_generation/preference_task"),
    ("mmmu-s_3", "knowledge"),
    ("mathvista_4", "reasoning"),
    ("EMMA-Coding_5", "reasoning"),
    ("PAIRS_6", "safety"),
    ("SEED-Bench_7", "vqa"),
    ("unheard_8", "something new"),
    ("nocaps_9", "open_generation/correctness_task"),
    ("mathvista_10", "reasoning"),
    ("PAIRS_11", "safety"),
    ("SEED-Bench_12", "vqa"),
)


def write_multimodal_rewardbench(root):
    rows = []
    for number, (name, category) in enumerate(CATEGORIES * 2):
        name = f"{name}{number}"
        _save(_picture(number, 2), root / f"images/{number}.png")
        answers = [f"RIGHT, item {number}", f"WRONG, item {number}, and more of it"]
        rows.append(
            {
                "ID": name,
                "Category": category,
                "Text": f"Question {number}?",
                "Image": f"images/{number}.png",
                "Output1": answers[number % 2],
                "Output2": answers[1 - number % 2],
                "Better": "Output2" if number % 2 else "Output1",
            }
        )
    (root / "all_data.json").write_text(json.dumps(rows))


QUALITY = ("good", "fair", "poor", "bad")


def write_mllm_judge(root):
    base = {"instruction": "What is shown?"}

    def named(text, number):
        return {"name": ("llava", "gemini")[number % 2], "answer": f"A {text} answer {number}."}

    pairs, scores, batch = [], [], []
    for number in range(12):
        sourced = {**base, "original_dataset": ("coco", "chart", "math")[number % 3]}
        _save(_picture(number, 3), root / f"Dataset/image/{number}.png")
        one, other = number % 4, (number * 2 + number // 4) % 4
        human = "C" if one == other else "A" if one < other else "B"
        pairs.append(
            {**sourced, "id": number, "pair_id": number, "image_path": f"{number}.png"}
            | {"answer1": named(QUALITY[one], number), "answer2": named(QUALITY[other], number + 1)}
            | {"human_answer": human}
        )
        scores.append(
            {**sourced, "id": number, "score_id": number, "image_path": f"{number}.png"}
            | {"answer": f"A {QUALITY[one]} answer {number}.", "human": (5, "4", 2, 1)[one]}
        )
        if number < 6:
            order = sorted(range(4), key=lambda k: draw("batch", number, k))[: 3 + number % 2]
            ranked = "".join("ABCD"[order.index(k)] for k in sorted(order))
            batch.append(
                {**sourced, "id": number, "image_path": f"image/{number}.png"}
                | {"answers": [named(QUALITY[k], number) for k in order], "human_answer": ranked}
            )
    _lines(root / "Dataset/Benchmark/pair.jsonl", pairs)
    _lines(root / "Dataset/Benchmark/score.jsonl", scores)
    _lines(root / "Dataset/Benchmark/batch.jsonl", batch)


def write_best_of_n(root):
    rows = [
        {
            "id": "colour",
            "query": "Which colour? {braces}",
            "image": "images/0.png",
            "candidates": ["WRONG, I am quite sure.", "RIGHT, red.", "WRONG, not red.", "WRONG."],
            "correct": [False, True, False, False],
        },
        {
            "id": 2,
            "query": "What differs?",
            "image": ["images/1.png", "images/0.png"],
            "candidates": ["RIGHT: the small mug.", "WRONG: nothing.", "RIGHT."],
            "correct": [1, 0, 1.0],
        },
        {
            "id": "choice",
            "query": "A or B?",
            "image": "images/2.png",
            "candidates": ["Answer: (A) WRONG, and at length", "**Answer:** (B) RIGHT"],
            "reference": "B",
        },
        *(
            {
                "id": f"more{n}",
                "query": f"Question {n}?",
                "image": f"images/{n}.png",
                "candidates": [
                    f"{'RIGHT' if k == n % 4 else 'WRONG'} candidate {k}" + " word" * (k * n % 5)
                    for k in range(4)
                ],
                "correct": [k == n % 4 for k in range(4)],
            }
            for n in range(3, 7)
        ),
    ]
    for number in range(7):
        _save(_picture(number, 4), root / f"images/{number}.png")
    _lines(root / "candidates.jsonl", rows)


MUSEUM = {
    "t2i": ("ImagenHub_Text-Guided_IG", "prompt"),
    "tie": ("ImagenHub_Text-Guided_IE", "instruction"),
    "mie": ("ImagenHub_Mask-Guided_IE", "instruction"),
    "cig": ("ImagenHub_Control-Guided_IG", "prompt"),
    "sdig": ("ImagenHub_Subject-Driven_IG", "prompt"),
    "sdie": ("ImagenHub_Subject-Driven_IE", "subject"),
    "mcic": ("ImagenHub_Multi-Concept_IC", "prompt"),
}


def write_viescore(root, samples=6, models=("A", "B", "C")):
    for place, (task, (name, field)) in enumerate(MUSEUM.items()):
        folder = root / name
        inputs = {"t2i": (), "sdie": ("input", "token")}.get(task, ("input",))
        for sample in range(samples):
            for column, shown in enumerate((*inputs, *models)):
                _save(
                    _picture(place, column, sample, size=(8, 6)),
                    folder / shown / f"sample_{sample}.png",
                )
        uids = [f"sample_{sample}.jpg" for sample in range(samples)]
        prompts = {uid: {field: f"{task} text {uid} {{braces}} <prompt>"} for uid in uids}
        (folder / "dataset_lookup.json").write_text(json.dumps(prompts))
        if task not in ("tie", "cig"):
            continue
        for rater in range(1, 4):
            rows = ["\t".join(("uid", *models))]
            for uid in uids:
                cells = []
                for model in models:
                    seen = draw("worth", task, uid, model) % 3
                    sc, pq = (
                        (0, 0.5, 1)[
                            seen
                            if draw(k, rater, task, uid, model) % 2
                            else draw(k, rater, uid, model) % 3
                        ]
                        for k in ("sc", "pq")
                    )
                    cells.append(f"[{sc}, {pq}]")
                rows.append("\t".join((uid, *cells)))
            (folder / f"rater{rater}.tsv").write_text("\n".join(rows))


def write_cast(root):
    rows = [
        {
            "pair": pair,
            "id_1": f"{pair} left",
            "id_2": f"{pair} right",
            "image_1": _picture(number, 0, 5),
            "image_2": _picture(number, 1, 5, size=(20, 10)),
            "description_1": f"The left scene of {pair}. 1. Not a statement.",
            "description_2": f"The right scene of {pair}.",
            "similarity": 0.8,
        }
        for number, pair in enumerate(("p0", "p1", "p2", "p3"))
    ]
    _split(root, "cast", "test", rows, ("image_1", "image_2"))


HUB = "https://huggingface.co/datasets/KRAFTON/VLM-SubtleBench/resolve/main"
TWO = ("first image", "second image")
QUESTIONS = (
    ("attribute", "natural", "coco", 0, ["red cup", "blue cup", "red plate", "blue plate"]),
    ("attribute", "medical", "mimic", 1, TWO),
    ("state", "industry", "mvtec-ad", 2, TWO[::-1]),
    ("state", "natural", "changeit", 3, TWO[::-1]),
    ("temporal", "game", "yt8m", 4, TWO),
    ("existence", "aerial", "levir-mci", 5, ["a house", "none", "a road", "a car", "a tree"]),
    ("viewpoint", "natural", "camerabench", 6, ["left", "right"]),
    ("viewpoint", "natural", "camerabench", 6, ["up", "down"]),
    ("quantity", "natural", "ubc", 7, TWO[::-1]),
    ("spatial", "natural", "coco", 8, TWO),
    ("emotion", "natural", "coco", 9, TWO),
    ("action", "game", "yt8m", 10, TWO[::-1]),
    ("quality", "natural", "coco", 11, TWO),
)


def write_subtlebench(root):
    rows = []
    for place, (category, domain, source, number, options) in enumerate(QUESTIONS):
        folder = f"images/{source}_{category}_pairs"
        captioned = place % 3 == 0
        rows.append(
            {
                "image_1": f"{HUB}/{folder}/{number}.png",
                "image_2": f"{folder}/{number}_2.png",
                "question": f"What of {category} {number}? {{braces}} (right: {options[0]})",
                "answer": options[0],
                "distractors": list(options[1:]),
                "has_caption": captioned,
                "caption": f"The {category} is another." if captioned else None,
                "category": category,
                "domain": domain,
                "source": source,
                "source_id": str(number),
                "raw_folder": f"{source}_{category}_pairs",
                "generation_info": None,
            }
        )
        _save(_picture(number, 6, size=(24, 16)), root / folder / f"{number}.png")
        _save(_picture(number, 7, size=(24, 16)), root / folder / f"{number}_2.png")
    _lines(root / "data/test.jsonl", rows)
    _lines(root / "data/val.jsonl", rows[-2:])


def write_data(root):
    """All data; the environment that points tasks at them."""
    for write, name in (
        (write_pairbench, "pairbench"),
        (write_vl_rewardbench, "vl_rewardbench"),
        (write_multimodal_rewardbench, "multimodal_rewardbench"),
        (write_mllm_judge, "mllm_judge"),
        (write_best_of_n, "best_of_n"),
        (write_viescore, "viescore"),
        (write_cast, "cast"),
        (write_subtlebench, "subtlebench"),
    ):
        (root / name).mkdir(parents=True, exist_ok=True)
        write(root / name)
    return {variable: str(root / name) for variable, name in DATA.items()}


# --- Judges: all that they know is what a model is shown

INTENTIONS = ("right", "wrong", "first", "tie", "unreadable")
KINDS = {  # of 100 replies, how many are meant so
    "sharp": (72, 12, 5, 6, 5),
    "noisy": (42, 30, 6, 12, 10),
    "biased": (30, 8, 42, 6, 14),
}
UNREADABLE = (
    "I'm sorry, but I cannot judge these images.",
    "",
    "It depends.",
    "Hm, (the image) shows 2 cats.",
    "Both have their merits; a verdict needs more context.",
)


def _mean(image):
    import numpy as np

    return np.asarray(image.convert("RGB"), dtype=float).mean(axis=(0, 1))


class Replies:
    """What a judge of a kind replies to a prompt and images."""

    def __init__(self, kind):
        self.kind = kind
        self.shares = KINDS[kind]
        self._asked = {}

    def __call__(self, scope, prompt, images):
        key = " ".join(prompt.split())
        seen = [hashlib.sha256(image.convert("RGB").tobytes()).hexdigest() for image in images]
        place = (scope, key, *seen)
        before = self._asked.get(place, 0)  # asked again, it may say another thing
        self._asked[place] = before + 1
        self._key = (self.kind, before, key, *seen)
        place, at = self.draw("meant") % 100, 0
        while place >= self.shares[at]:
            place, at = place - self.shares[at], at + 1
        return self._reply(INTENTIONS[at], prompt, images)

    def draw(self, *what):
        return draw(*what, *self._key)

    def pick(self, options, *what):
        return options[self.draw(*what) % len(options)]

    def _reply(self, meant, prompt, images):
        form = kind_of_prompt(prompt)
        if form == "list":
            if meant == "unreadable":
                return "Both are alike."
            bullet = self.pick(("{}. ", "{}) ", "- ", "{}. **Topic:** "), "bullet")
            number = 3 + self.draw("number") % 3
            return "\n".join(
                bullet.format(n) + f"Both show side {self.draw(n) % 50}."
                for n in range(1, number + 1)
            )
        if form == "free":
            return f"The second image has {self.draw('free') % 9} cups more than the first one."
        if meant == "unreadable":
            return self.pick(UNREADABLE, "unreadable")
        return getattr(self, f"_{form}")(meant, prompt, images)

    def _winner(self, meant, first_is_right):
        """0 or 1, or None for a tie; a coin decides where nothing tells."""
        if meant == "tie" or meant == "first":
            return None if meant == "tie" else 0
        if first_is_right is None:
            first_is_right = self.draw("coin") % 2 == 0
        return 0 if first_is_right == (meant == "right") else 1

    def _verdict(self, meant, prompt, images):
        shown = re.findall(r"\b(RIGHT|WRONG)\b", prompt.partition("nswer 1: ")[2] or prompt)
        first = shown[0] == "RIGHT" if len(set(shown)) == 2 else None
        winner = self._winner(meant, first)
        if winner is None:
            tie = ("Overall Judgment: Both answers are equally good.", "It is a tie.")
            return self.pick(tie, "words")
        words = (
            "Both show a mug.\n\nOverall Judgment: Answer {0} is better.",
            "Both show a mug.\n\nOverall Judgment: Answer {0} is better.",
            "**Overall Judgment:** Answer {0} is superior.",
            "Overall Judgment: **Answer {0}** is better than Answer {1}.",
            "Answer {0} is better.",
            "I prefer Answer {0}, since Answer {1} is wrong.",
        )
        return self.pick(words, "words").format(winner + 1, 2 - winner)

    def _critic(self, meant, prompt, images):
        winner = self._winner(meant, prompt.find("RIGHT") < prompt.find("WRONG"))
        if winner is None:
            return "The two responses are equally good."
        one, other = ("first", "second") if winner == 0 else ("second", "first")
        words = (
            "The {0} response is better.",
            "The {1} response errs. So the {0} response is better than the {1}.",
            "The {0} response describes the image well. {0} response.",
        )
        return self.pick(words, "words").format(one, other)

    def _points(self, meant, prompt, images):
        top = 70 if ("RIGHT" in prompt) == (meant == "right") else 20
        points = 50 if meant == "tie" else top + self.draw("points") % 30
        words = ("Score: {}", "{}", "I would score it {} out of 100.", "Score: {}/100. Fine.")
        return self.pick(words, "words").format(points)

    def _bracket(self, meant, prompt, images):
        shown = re.findall(r"\b(RIGHT|WRONG|good|fair|poor|bad) ?(?:,|answer \d)", _input(prompt))
        worth = [("RIGHT", "good", "fair", "poor", "bad", "WRONG").index(word) for word in shown]
        if len(worth) > 1 and worth[0] == worth[1] and meant == "right":
            meant = "tie"
        winner = self._winner(meant, worth[0] < worth[1] if len(worth) > 1 else None)
        letter = "C" if winner is None else "AB"[winner]
        words = (
            "[[{}]]",
            '{{"Analysis": "Fine.", "Judgement": "[[{}]]"}}',
            "One is more thorough. My final verdict is: [[{}]]",
            "Assistant {} is better.",
        )
        return self.pick(words, "words").format(letter)

    def _stars(self, meant, prompt, images):
        word = re.search(r"A (good|fair|poor|bad) answer", _input(prompt))
        right = (5, 4, 2, 1)[QUALITY.index(word.group(1))] if word else 3
        stars = {"right": right, "wrong": 1 + self.draw("stars") % 5, "first": 4, "tie": 3}[meant]
        words = ('{{"Analysis": "Fine.", "Judgement": "[[{}]]"}}', "[[{}]]", "Judgement: {}")
        return self.pick(words, "words").format(stars)

    def _rank(self, meant, prompt, images):
        shown = re.findall(r"A (good|fair|poor|bad) answer", _input(prompt))
        places = list(range(len(shown)))
        if meant == "right":
            places.sort(key=lambda place: QUALITY.index(shown[place]))
        elif meant != "first":
            places.sort(key=lambda place: self.draw(place))
        if meant == "tie":
            places.pop()
        return ", ".join(f"[[{'ABCDEFGH'[place]}]]" for place in places)

    def _letter(self, meant, prompt, images):
        options = dict(re.findall(r"^([A-H])[.)] (.*)$", prompt, re.MULTILINE))
        told = re.search(r"\(right: (.*?)\)", prompt)
        right = [key for key, text in options.items() if told and text == told.group(1)]
        letter = "A" if meant == "first" else self.pick(sorted(options), "letter")
        if meant == "right" and right:
            letter = right[0]
        if "### Reasoning" in prompt:
            return f"### Reasoning\nNot this one.\n\n### Answer\n{letter}"
        words = ("{0}", "{0}", "({0})", "**{0}. {1}**", "The answer is {0}.", "{1}", "Answer: {0}")
        return self.pick(words, "words").format(letter, options[letter])

    def _yesno(self, meant, prompt, images):
        plain = prompt.replace("\u2018", "'").replace("\u2019", "'")
        pairs = (("yes", "no"), ("both", "one"), ("true", "false"))
        labels = next(pair for pair in pairs if all(f"'{word}'" in plain for word in pair))
        word = labels[0 if meant == "first" else self.draw("label") % 5 // 3]
        words = ("{}", "{}.", "**{}**", "{}, as far as I can see.", "'{}'")
        return self.pick(words, "words").format(word.capitalize())

    def _subscores(self, meant, prompt, images):
        listed = re.findall(r"output (?:score )?= ?\[([^\]]*)\]", prompt)[-1]
        number = listed.count(",") + 1
        told = re.search(r"(\w+ text sample_\d+\.jpg)", prompt)
        worth = draw(told.group(1) if told else "", *self._key[3:]) % 11
        spread = {"right": 2, "wrong": 11, "first": 1, "tie": 1}[meant]
        scores = [
            8
            if meant == "first"
            else 5
            if meant == "tie"
            else min(10, worth + self.draw(k) % spread)
            for k in range(number)
        ]
        if self.draw("over") % 23 == 0:
            scores[0] = 12
        words = (
            '{{"score": {}, "reasoning": "as I see it"}}',
            '```json\n{{\n"score" : {},\n"reasoning" : "as I see it"\n}}\n```',
            '||V^=^V||\n{{\n"score" : {},\n"reasoning" : "fine"\n}}\n||V^=^V||',
            "Output score = {}",
        )
        return self.pick(words, "words").format(scores)

    def _rating(self, meant, prompt, images):
        base = 4 + draw("text", " ".join(prompt.split())) % 3
        if len(images) == 2:
            one, other = map(_mean, images)
            far = float(abs(one - other).mean())
            base = 9 if images[0].tobytes() == images[1].tobytes() else 7 if far < 10 else 2
        score = {
            "right": max(1, min(10, base + self.draw("near") % 3 - 1)),
            "wrong": 1 + self.draw("far") % 10,
            "first": 8,
            "tie": 5,
        }[meant]
        words = (
            "Score: {}\nReason: because.",
            "Score: {}\nReason: because.",
            "Score: {}\nReason: because.",
            "{}",
            "**Score:** {}/10",
            "I would give these a {}.",
            "Score: {}.5\nReason: in between.",
            "Score: 1{}\nReason: off the scale.",
        )
        return self.pick(words, "words").format(score)


def _input(prompt):
    """What follows the rules of a prompt: the question and the answers."""
    return re.split(r"Here is the input:|\[User Question\]", prompt)[-1]


def kind_of_prompt(prompt):
    """What a prompt asks for."""
    for form, pattern in (
        ("list", r"Output each similarity in a numbered list"),
        ("yesno", r"following statement.*['\u2018](?:no|one|false)['\u2019]"),
        ("subscores", r"output (?:score )?= ?\["),
        ("stars", r"\[The Start of Assistant.s Answer\]"),
        ("rank", r"RANK the responses from best to worst"),
        ("bracket", r"\[The Start of Assistant A.s Answer\]"),
        ("critic", r"The second response: \["),
        ("points", r"out of 100"),
        ("verdict", r"Answer 2: "),
        ("letter", r"(?m)^A[.)] "),
        ("rating", r"<1-10>|[Ss]core"),
    ):
        if re.search(pattern, prompt, re.DOTALL if form == "yesno" else 0):
            return form
    return "free"


def judge_class():  # noqa: C901
    """The judge as a model of the harness (which is imported here, since that takes seconds)."""
    from lmms_eval.api.model import lmms

    class Judge(lmms):
        is_simple = True

        def __init__(self, kind, chat=False):
            super().__init__()
            self.is_simple = not chat
            self.replies = Replies(kind)
            self.asked = {}  # task -> (prompt, images) of its first requests
            self.forms = {}

        def _answer(self, task, prompt, images):
            first = self.asked.setdefault(task, [])
            if len(first) < 2:
                told = _digest(prompt) if first else prompt
                first.append([told, [_fingerprint(image) for image in images]])
            self.forms.setdefault(task, set()).add(kind_of_prompt(prompt))
            return self.replies(task, prompt, images)

        def generate_until(self, requests):
            replies = []
            for request in requests:
                if not self.is_simple:
                    replies.append(self._chat(*request.args))
                    continue
                prompt, _, doc_to_visual, doc_id, task, split = request.args
                images = doc_to_visual(self.task_dict[task][split][doc_id])
                replies.append(self._answer(task, prompt, images))
            return replies

        def _chat(self, _, doc_to_messages, __, doc_id, task, split):
            content = [
                (message["role"], item["type"], item.get("text", item.get("url")))
                for message in doc_to_messages(self.task_dict[task][split][doc_id])
                for item in message["content"]
            ]
            self.asked.setdefault(task, []).append(
                [
                    [role, kind, _digest(what) if kind == "text" else _fingerprint(what)]
                    for role, kind, what in content
                ]
            )
            texts = [what for _, kind, what in content if kind == "text"]
            images = [what for _, kind, what in content if kind == "image"]
            return self.replies(task, "\n".join(texts), images)

        def generate_until_multi_round(self, requests):
            return [tuple(self._rounds(*request.args)) for request in requests]

        def _rounds(self, prompt, _, doc_to_visual, doc_to_text, doc_id, task, split):
            doc = self.task_dict[task][split][doc_id]
            images, replies, over, told = doc_to_visual(doc), [], False, None
            while not over:
                replies.append(self._answer(task, prompt, images))
                images, prompt, over, replies, told = doc_to_text(
                    doc, previous_output=replies, round_idx=len(replies), previous_round_info=told
                )
            return replies

        def loglikelihood(self, requests):
            raise NotImplementedError

    return Judge


def _digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _fingerprint(image):
    pixels = hashlib.sha256(image.convert("RGB").tobytes()).hexdigest()[:12]
    return f"{image.width}x{image.height} {pixels}"


# --- Runs


@contextlib.contextmanager
def environment(values):
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _read_yaml_fast():
    """The harness reads 3,000 task files: libyaml does that in a fifth of the time."""
    import yaml

    class Loader(yaml.CFullLoader):
        def __init__(self, stream):
            super().__init__(stream)
            self.name = getattr(stream, "name", None)  # functions are looked up beside the file

    yaml.FullLoader = yaml.loader.FullLoader = Loader


class Harness:
    """The harness, imported once; `out` is where runs are logged."""

    def __init__(self, out):
        import datasets
        import lmms_eval.models  # noqa: F401  (finds our plugin)
        from lmms_eval.tasks import TaskManager

        datasets.disable_progress_bars()
        _read_yaml_fast()
        self.out = Path(out)
        self.manager = TaskManager()

    def run(self, judge, tasks, folder=None):
        """Numbers by task and group; samples are logged under `out / judge`.

        Args:
            judge: one of `KINDS`, or "NAME:ARGUMENTS" of a judge that the harness knows.
            tasks: their names; those that there are none of are left out.
            folder: where to log, if not in a folder named after the judge.
        """
        from lmms_eval.loggers.evaluation_tracker import EvaluationTracker

        name, _, arguments = judge.partition(":")
        tracker = EvaluationTracker(output_path=str(self.out / (folder or folder_of(judge))))
        if judge in KINDS:
            results = self._evaluate(judge_class()(judge), tasks, evaluation_tracker=tracker)
        else:
            options = {"model_args": arguments, "batch_size": 16}
            results = self._evaluate(name, tasks, evaluation_tracker=tracker, **options)
        tracker.date_id = "20260101_000000"
        for task, logged in results["samples"].items():
            tracker.save_results_samples(task, logged)
        return {
            task: {
                key.removesuffix(",none"): float(value)
                for key, value in found.items()
                if isinstance(value, (int, float)) and not isinstance(value, bool)
            }
            for task, found in results["results"].items()
        }

    def first_requests(self, tasks, chat):
        """What a model is shown of the first trials of tasks."""
        model = judge_class()("sharp", chat)
        self._evaluate(model, tasks, limit=2)
        return model.asked

    def _evaluate(self, model, tasks, **options):
        from lmms_eval import evaluator

        return evaluator.simple_evaluate(
            model=model,
            tasks=[task for task in tasks if task in self.manager.all_tasks],
            task_manager=self.manager,
            cli_args=SimpleNamespace(
                process_with_media=False, reasoning_tags=None, model="golden", output_path=None
            ),
            bootstrap_iters=0,
            log_samples=True,
            datetime_str="20260101_000000",
            **options,
        )


def folder_of(judge):
    return judge.replace(":", "_").replace("=", "_")


def pairbench(*arguments):
    """What the command `pairbench` prints; it runs in this process."""
    [entry] = importlib.metadata.entry_points(group="console_scripts", name="pairbench")
    app = entry.load()
    out, errors, argv = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = ["pairbench", *map(str, arguments)]
    status = 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            app()
    except SystemExit as ended:
        status = ended.code or 0
    finally:
        sys.argv = argv
    if status:
        raise RuntimeError(
            f"pairbench {' '.join(map(str, arguments))}: {errors.getvalue()[-2000:]}"
        )
    return out.getvalue()


# --- What is collected

CANNED = (
    "pairbench_coco",
    "pairbench_wu_it",
    "vl_rewardbench_both",
    "vl_rewardbench_k5",
    "vl_rewardbench_pointwise",
    "multimodal_rewardbench_both",
    "multimodal_rewardbench_authors",
    "mllm_judge_pair_both",
    "mllm_judge_score",
    "mllm_judge_batch",
    "best_of_n",
    "viescore_tie",
    "viescore_cig",
    "cast",
    "subtlebench",
    "subtlebench_swapped",
    "judge_audit_demo",
)
ONCE = (  # by one judge
    "pairbench_wu_ii",
    "pairbench_coco_rotate_authors",
    "pairbench_coco_rotate_all_prompts",
    "vl_rewardbench_critic",
    "vl_rewardbench_ground_truth",
    "multimodal_rewardbench_k5",
    "mllm_judge_pair",
    "best_of_n_knockout",
    "best_of_n_both",
    "viescore_t2i",
    "viescore_tie_authors",
    "cast_demo",
    "cast_paper",
    "subtlebench_authors",
    "subtlebench_two_step",
    "subtlebench_language_only",
)
WITHOUT_DOWNLOAD = {
    "pair_encoder:": ("pairbench_demo", "pairbench_demo_wu_ii", "judge_audit_demo_ratings"),
    "pixel_judge:": ("viescore_demo",),
    **{
        f"blind_judge:policy={policy}": (
            "vl_rewardbench_demo",
            "vl_rewardbench_demo_both",
            "judge_audit_demo",
        )
        for policy in ("first", "longer", "random")
    },
}
SHOWN = (  # first requests, to chat backends and to simple ones
    *(f"pairbench_{name}" for name in ("coco_rotate", "coco_rotate_authors", "wu_it_a")),
    *(f"vl_rewardbench_{name}" for name in ("both", "authors", "critic", "ground_truth", "label")),
    "vl_rewardbench_pointwise",
    "multimodal_rewardbench_both",
    *(f"mllm_judge_{name}" for name in ("pair_both", "score", "batch")),
    "best_of_n",
    *(f"viescore_{task}" for task in MUSEUM),
    *(f"viescore_{name}" for name in ("tie_authors", "sdie_authors", "tie_pq_with_inputs")),
    "subtlebench",
    *(
        f"subtlebench_{name}"
        for name in ("concat", "grid", "highlight", "overlap", "reasoning", "subtract", "swapped")
    ),
    *(f"subtlebench_authors{name}" for name in ("", "_grid", "_camera_augmented")),
    "subtlebench_caption",
    *(f"judge_audit_{name}" for name in ("preferences", "blind_preferences")),
)
SHOWN_IN_ROUNDS = ("cast", "cast_paper", "subtlebench_two_step", "best_of_n_knockout")
RULES = ("strict", "authors")  # and careful, as runs are read
POOLS = ("paper", "readable", "authors")
BENCHMARKS = (
    "pairbench",
    "vl_rewardbench",
    "multimodal_rewardbench",
    "mllm_judge",
    "best_of_n",
    "viescore",
    "cast",
    "subtlebench",
    "judge_audit",
)
NO_POOL = {("mllm_judge", "authors"), ("best_of_n", "authors")}
IDENTITY = ("aspect", "task", "title", "part", "number", "judge", "panel", "a", "b", "name")
UNTOLD = ("options", "seconds", "version")  # no numbers of the run


def named(value):
    """The numbers of a JSON value (None where there is none), without what is none.

    Entries of lists go by what they say they are about, not by their place.
    """
    if isinstance(value, dict):
        found = {
            str(key): float(bool(inner)) if key == "flag" else named(inner)
            for key, inner in value.items()
            if key not in UNTOLD
        }
        return {key: inner for key, inner in found.items() if inner is not NOTHING} or NOTHING
    if isinstance(value, list):
        found, times = {}, {}
        for place, inner in enumerate(value):
            name = str(place)
            if isinstance(inner, dict):
                told = [inner[key] for key in IDENTITY if isinstance(inner.get(key), str)]
                name = " ".join(filter(None, told)) or name
            times[name] = times.get(name, 0) + 1
            found[f"{name}#{times[name]}" if times[name] > 1 else name] = inner
        return named(found)
    if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        return value
    return NOTHING


NOTHING = object()


def scored(benchmark, runs, *options):
    """`pairbench score --json`: task -> its numbers."""
    told = json.loads(pairbench("score", benchmark, runs, "--json", *options))
    for run in told["runs"]:  # by reason, in words: their number alone
        run["unusable"] = sum(run.get("unusable", {}).values())
    return {run["name"]: named(run) for run in told["runs"]}


def chosen(out, judge, tasks, name="compared"):
    """A folder with the logs of these tasks alone."""
    folder = out.parent / "chosen" / name / judge
    folder.mkdir(parents=True, exist_ok=True)
    for file in (out / judge).rglob("*.jsonl"):
        if file.stem.partition("_samples_")[2] in tasks:
            (folder / file.name).write_bytes(file.read_bytes())
    return folder


class Collected:
    """What was found, and what failed; one failure does not end the others."""

    def __init__(self):
        self.found, self.errors, self.seconds, self.skipped = {}, {}, {}, []

    def add(self, path, make, *arguments):
        began = time.process_time()
        place = self.found
        for name in path[:-1]:
            place = place.setdefault(name, {})
        try:
            place[path[-1]] = make(*arguments)
        except (Exception, SystemExit) as error:  # noqa: BLE001  (told by the test)
            self.errors["/".join(path)] = repr(error)[:2000]
        self.seconds["/".join(path)] = round(time.process_time() - began, 2)


def collect(folder):
    """All that is compared, as one JSON value; slow."""
    folder = Path(folder)
    found = Collected()
    values = {
        "PAIRBENCH_CACHE": str(folder / "cache"),
        "HF_DATASETS_CACHE": str(folder / "datasets"),
        "LMMS_EVAL_DATASETS_CACHE": str(folder / "datasets"),
    }
    for variable in (*DATA, "PAIRBENCH_SEED"):
        os.environ.pop(variable, None)
    os.environ.update(ENVIRONMENT | values)
    found.add(("tasks",), _listed)
    os.environ.update(write_data(folder / "data"))
    out = folder / "out"
    harness = Harness(out)
    _freeze()
    for judge in KINDS:
        found.add(("harness", judge), harness.run, judge, CANNED)
    # Tasks that only one judge is asked are logged elsewhere, as a judge of its own.
    found.add(("harness", "noisy, once"), harness.run, "noisy", ONCE, "once")
    quick = os.environ.get("GOLDENS_QUICK", "") not in ("", "0")
    for judge, tasks in WITHOUT_DOWNLOAD.items():
        if quick and judge in SLOW:
            found.skipped.append(f"harness/{judge}/")
            continue
        found.add(("harness", judge), harness.run, judge, tasks)
    found.add(("prompts", "simple"), harness.first_requests, (*SHOWN, *SHOWN_IN_ROUNDS), False)
    found.add(("prompts", "chat"), harness.first_requests, SHOWN, True)
    for benchmark in BENCHMARKS:
        runs = chosen(out, "biased", SCORED[benchmark], benchmark)
        settings = [
            (),
            *(("--rule", rule) for rule in RULES),
            *(("--pool", pool) for pool in POOLS),
        ]
        for setting in settings:
            path = ("score", benchmark, " ".join(setting) or AS_RUN)
            if quick and setting not in QUICK:
                found.skipped.append("/".join(path) + "/")
            elif (benchmark, *setting[1:]) not in NO_POOL:
                found.add(path, scored, benchmark, runs, *setting)
    judges = [chosen(out, kind, COMPARED) for kind in KINDS]
    blind = [out / folder_of(f"blind_judge:policy={policy}") for policy in ("first", "longer")]
    for name, arguments in {
        "compare": ("compare", *judges),
        "compare blind": ("compare", *blind),
        "panel": ("panel", *judges),
        "card": ("card", *judges[1:]),
        "card blind": ("card", *blind),
        "people": ("people", "compare", *judges[:2]),
        "plan": ("plan", *PLANNED),
        "plan detect": ("plan", *PLANNED[:1], "--detect", "0.1", "--accuracy", "0.8"),
    }.items():
        found.add(("commands", name), _command, arguments)
    return {
        **found.found,
        "errors": found.errors,
        "seconds": found.seconds,
        "skipped": found.skipped,
    }


def _command(arguments):
    told = json.loads(pairbench(*arguments, "--json"))
    return named({key: inner for key, inner in told.items() if key not in ("asked", "reference")})


def _listed():
    """Task -> what `pairbench tasks` says of it."""
    lines = map(str.split, pairbench("tasks").splitlines())
    return {words[0]: " ".join(words[1:]) for words in lines if words}


AS_RUN = "as run"
SLOW = ("pair_encoder:",)  # what GOLDENS_QUICK=1 leaves out, and all but:
QUICK = ((), ("--rule", "strict"), ("--pool", "readable"))
SCORED = {  # by all rules and pools
    "pairbench": ("pairbench_coco_rotate", "pairbench_wu_it_a"),
    "vl_rewardbench": ("vl_rewardbench_both", "vl_rewardbench_k5", "vl_rewardbench_pointwise"),
    "multimodal_rewardbench": (
        "multimodal_rewardbench_both",
        "multimodal_rewardbench_authors",
    ),
    "mllm_judge": ("mllm_judge_pair_both", "mllm_judge_score", "mllm_judge_batch"),
    "best_of_n": ("best_of_n",),
    "viescore": ("viescore_tie", "viescore_cig"),
    "cast": ("cast",),
    "subtlebench": ("subtlebench", "subtlebench_swapped"),
    "judge_audit": (
        "judge_audit_demo_differences",
        "judge_audit_demo_preferences",
        "judge_audit_demo_ratings",
    ),
}
COMPARED = (
    "pairbench_coco_rotate",
    "vl_rewardbench_both",
    "multimodal_rewardbench_both",
    "mllm_judge_pair_both",
    "mllm_judge_score",
    "best_of_n",
    "viescore_tie",
    "cast",
    "subtlebench_swapped",
    "judge_audit_demo_ratings",
    "judge_audit_demo_preferences",
)
PLANNED = ("vl_rewardbench_both", "subtlebench", "pairbench_coco", "mllm_judge_score")


def _freeze():
    """The harness has all garbage collected twice in each evaluation."""
    import gc

    gc.collect()
    gc.freeze()


# --- Goldens: what was found, kept, and compared

GOLDENS = Path(__file__).parent / "goldens_v02"
PARTS = ("harness", "score", "commands", "prompts", "tasks")


def _plain(value):
    """A JSON value in which numbers are as in the files: 15 digits, None for nan."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, float):
        value = float(f"{value:.15g}")
        return None if value != value else int(value) if value == int(value) else value
    return value


def _differences(scores, default):
    """What a setting changes: nested numbers that are not as by default."""
    if not isinstance(scores, dict) or not isinstance(default, dict):
        return scores
    return {
        key: _differences(inner, default.get(key))
        for key, inner in scores.items()
        if key not in default or inner != default[key]
    }


def _with_differences(default, changed):
    if not isinstance(default, dict) or not isinstance(changed, dict):
        return changed
    return default | {
        key: _with_differences(default.get(key), inner) for key, inner in changed.items()
    }


def flat(value, path=""):
    """Path -> number or text; lists are texts of their own."""
    if not isinstance(value, dict):
        return {path: value}
    return {
        inner: number
        for key, told in value.items()
        for inner, number in flat(told, f"{path}/{key}" if path else key).items()
    }


def write(found):
    """Make the goldens of what was collected."""
    found = _plain(found)
    for benchmark, told in found["score"].items():
        default = told[AS_RUN]
        found["score"][benchmark] = {
            setting: numbers if setting == AS_RUN else _differences(numbers, default)
            for setting, numbers in told.items()
        }
    GOLDENS.mkdir(exist_ok=True)
    for part in PARTS:
        (GOLDENS / f"{part}.json").write_text(_dumped(found[part]) + "\n", encoding="utf-8")


def _dumped(value, depth=2):
    if not isinstance(value, dict) or not depth or not value:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    lines = ",\n".join(f"{json.dumps(key)}:{_dumped(value[key], depth - 1)}" for key in value)
    return "{\n" + lines + "\n}"


def read():
    """The goldens as they were collected."""
    told = {
        part: json.loads((GOLDENS / f"{part}.json").read_text(encoding="utf-8")) for part in PARTS
    }
    for benchmark, settings in told["score"].items():
        default = settings[AS_RUN]
        told["score"][benchmark] = {
            setting: numbers if setting == AS_RUN else _with_differences(default, numbers)
            for setting, numbers in settings.items()
        }
    return told


def allowed():
    """Patterns of paths -> reason: of what may be "missing", and of what may be "changed"."""
    return json.loads((GOLDENS / "dropped.json").read_text(encoding="utf-8"))


def _fits(path, patterns):
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)


def same(one, other):
    """Whether two numbers are the same to 1e-12, of their size where they are large."""
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return abs(one - other) <= 1e-12 * max(1, abs(one))
    return one == other


def compare(found, part):
    """What is amiss in a part: (lines of what is missing, lines of what differs)."""
    expected, actual = flat(read()[part], part), flat(_plain(found.get(part, {})), part)
    patterns = allowed()
    missing = [
        path
        for path in expected
        if path not in actual
        and not path.startswith(tuple(found.get("skipped", ())))
        and not _fits(path, patterns["missing"])
    ]
    differs = [
        f"{path}: {expected[path]!r} was, {actual[path]!r} is"
        for path in expected
        if path in actual
        and not same(expected[path], actual[path])
        and not _fits(path, patterns["changed"])
    ]
    return missing, differs


def run_here(folder):
    """Collect in a process of its own, with this Python; what was found."""
    target = Path(folder) / "found.json"
    done = subprocess.run(
        [sys.executable, __file__, "--collect", str(target)],
        cwd=folder,
        env={**os.environ, **ENVIRONMENT},
        capture_output=True,
        text=True,
    )
    if not target.exists():
        raise RuntimeError(done.stdout[-3000:] + done.stderr[-6000:])
    return json.loads(target.read_text(encoding="utf-8"))


def main():
    """`--collect FILE` (in the working folder), or `--write FILE`: goldens of what it has."""
    here = str(Path(__file__).parent)  # beside this file may be what hides installed packages
    sys.path[:] = [path for path in sys.path if path != here]
    what, file = sys.argv[1:]
    if what == "--write":
        write(json.loads(Path(file).read_text(encoding="utf-8")))
    else:
        Path(file).write_text(json.dumps(collect(Path.cwd())), encoding="utf-8")


if __name__ == "__main__":
    main()
