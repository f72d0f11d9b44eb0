"""What a user sees, made from small data and judges that answer by rule: runs, commands, prompts.

`--collect FILE` makes all of it in the working folder; `--write FILE` makes the goldens of that.
"""

import contextlib
import gc
import hashlib
import importlib.metadata
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

GOLDENS = Path(__file__).parent / "goldens" / "runs"
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


def draw(*parts):
    """A number below 2**32 that follows from the parts."""
    text = "\0".join(map(str, parts))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


# --- Data: the files in `data.json`, in which an image is a seed, a size and a colour


def _picture(seed, size=(24, 16), colour=None):
    """A small image: noise around a colour."""
    import numpy as np
    from PIL import Image

    rng = np.random.default_rng(seed)
    middle = np.array(colour or [draw(*seed, k) % 256 for k in range(3)])
    noise = rng.integers(-20, 21, (size[1], size[0], 3))
    return Image.fromarray(np.clip(middle + noise, 0, 255).astype(np.uint8))


def write_data(root):
    """Write all data; return the environment that points tasks at them."""
    import datasets

    datasets.disable_progress_bars()
    files = json.loads((GOLDENS / "data.json").read_text(encoding="utf-8"))
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".png":
            _picture(**content).save(path)
        elif path.suffix == ".parquet":
            rows = [
                {
                    key: _picture(**cell) if isinstance(cell, dict) else cell
                    for key, cell in row.items()
                }
                for row in content
            ]
            datasets.Dataset.from_list(rows).to_parquet(path)
        elif path.suffix == ".jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in content), encoding="utf-8")
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
    return {variable: str(root / name) for variable, name in DATA.items()}


# --- Judges: all that they know is what a model is shown

QUALITY = ("good", "fair", "poor", "bad")
INTENTIONS = ("right", "wrong", "first", "tie", "unreadable")
KINDS = {  # of 100 replies, how many are meant so
    "sharp": (72, 12, 5, 6, 5),
    "noisy": (42, 30, 6, 12, 10),
    "biased": (30, 8, 42, 6, 14),
}
WORDS = json.loads((GOLDENS / "replies.json").read_text(encoding="utf-8"))  # by form


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

    def say(self, form):
        return self.pick(WORDS[form], "words")

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
            return self.pick(WORDS["unreadable"], "unreadable")
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
            return self.say("tie")
        return self.say("verdict").format(winner + 1, 2 - winner)

    def _critic(self, meant, prompt, images):
        winner = self._winner(meant, prompt.find("RIGHT") < prompt.find("WRONG"))
        if winner is None:
            return "The two responses are equally good."
        one, other = ("first", "second") if winner == 0 else ("second", "first")
        return self.say("critic").format(one, other)

    def _points(self, meant, prompt, images):
        top = 70 if ("RIGHT" in prompt) == (meant == "right") else 20
        points = 50 if meant == "tie" else top + self.draw("points") % 30
        return self.say("points").format(points)

    def _bracket(self, meant, prompt, images):
        shown = re.findall(r"\b(RIGHT|WRONG|good|fair|poor|bad) ?(?:,|answer \d)", _input(prompt))
        worth = [("RIGHT", "good", "fair", "poor", "bad", "WRONG").index(word) for word in shown]
        if len(worth) > 1 and worth[0] == worth[1] and meant == "right":
            meant = "tie"
        winner = self._winner(meant, worth[0] < worth[1] if len(worth) > 1 else None)
        letter = "C" if winner is None else "AB"[winner]
        return self.say("bracket").format(letter)

    def _stars(self, meant, prompt, images):
        word = re.search(r"A (good|fair|poor|bad) answer", _input(prompt))
        right = (5, 4, 2, 1)[QUALITY.index(word.group(1))] if word else 3
        stars = {"right": right, "wrong": 1 + self.draw("stars") % 5, "first": 4, "tie": 3}[meant]
        return self.say("stars").format(stars)

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
        return self.say("letter").format(letter, options[letter])

    def _yesno(self, meant, prompt, images):
        plain = prompt.replace("\u2018", "'").replace("\u2019", "'")
        pairs = (("yes", "no"), ("both", "one"), ("true", "false"))
        labels = next(pair for pair in pairs if all(f"'{word}'" in plain for word in pair))
        word = labels[0 if meant == "first" else self.draw("label") % 5 // 3]
        return self.say("yesno").format(word.capitalize())

    def _subscores(self, meant, prompt, images):
        listed = re.findall(r"output (?:score )?= ?\[([^\]]*)\]", prompt)[-1]
        number = listed.count(",") + 1
        told = re.search(r"(\w+ text sample_\d+\.jpg)", prompt)
        worth = draw(told.group(1) if told else "", *self._key[3:]) % 11
        spread = 2 if meant == "right" else 11
        fixed = {"first": 8, "tie": 5}.get(meant)
        scores = [fixed or min(10, worth + self.draw(k) % spread) for k in range(number)]
        if self.draw("over") % 23 == 0:
            scores[0] = 12
        return self.say("subscores").format(scores)

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
        return self.say("rating").format(score)


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

        def _answer(self, task, prompt, images):
            first = self.asked.setdefault(task, [])
            if len(first) < 2:
                told = _digest(prompt) if first else prompt
                first.append([told, [_fingerprint(image) for image in images]])
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


class Harness:
    """The harness, imported once; `out` is where runs are logged."""

    def __init__(self, out):
        import lmms_eval.models  # noqa: F401  (finds our plugin)
        from lmms_eval.tasks import TaskManager

        from pairbench_ext.harness.task_files import tasks_dir

        self.out = out
        self.manager = TaskManager(include_path=str(tasks_dir()), include_defaults=False)

    def run(self, judge, tasks, name):
        """Numbers by task and group; samples are logged under `out / folder_of(name)`.

        Args:
            judge: one of `KINDS`, or "NAME:ARGUMENTS" of a judge that the harness knows.
            tasks: their names.
            name: of the run.
        """
        from lmms_eval.loggers.evaluation_tracker import EvaluationTracker

        model, _, arguments = judge.partition(":")
        tracker = EvaluationTracker(output_path=str(self.out / folder_of(name)))
        if judge in KINDS:
            results = self._evaluate(judge_class()(judge), tasks, evaluation_tracker=tracker)
        else:
            options = {"model_args": arguments, "batch_size": 16}
            results = self._evaluate(model, tasks, evaluation_tracker=tracker, **options)
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

        gc.freeze()  # each evaluation ends with a collection, which would walk over all there is
        return evaluator.simple_evaluate(
            model=model,
            tasks=list(tasks),
            task_manager=self.manager,
            cli_args=SimpleNamespace(
                process_with_media=False, reasoning_tags=None, model="golden", output_path=None
            ),
            bootstrap_iters=0,
            log_samples=True,
            datetime_str="20260101_000000",
            **options,
        )


def folder_of(run):
    return run.replace(":", "_").replace("=", "_")


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


# --- What is collected: a table of runs, and one of commands

JUDGED = {  # tasks that every canned judge is asked, by benchmark; `score` reads them
    "pairbench": ("pairbench_coco", "pairbench_wu_it"),
    "vl_rewardbench": ("vl_rewardbench_both", "vl_rewardbench_k5", "vl_rewardbench_pointwise"),
    "multimodal_rewardbench": ("multimodal_rewardbench_both", "multimodal_rewardbench_authors"),
    "mllm_judge": ("mllm_judge_pair_both", "mllm_judge_score", "mllm_judge_batch"),
    "best_of_n": ("best_of_n",),
    "viescore": ("viescore_tie", "viescore_cig"),
    "cast": ("cast",),
    "subtlebench": ("subtlebench", "subtlebench_swapped"),
    "judge_audit": ("judge_audit_demo",),
}
LEAVES = {  # of groups, those that `score` reads
    "pairbench": ("pairbench_coco_rotate", "pairbench_wu_it_a"),
    "judge_audit": tuple(
        f"judge_audit_demo_{kind}" for kind in ("differences", "preferences", "ratings")
    ),
}
ONCE = """
    pairbench_wu_ii pairbench_coco_rotate_authors pairbench_coco_rotate_all_prompts
    vl_rewardbench_critic vl_rewardbench_ground_truth multimodal_rewardbench_k5 mllm_judge_pair
    best_of_n_knockout best_of_n_both viescore_t2i viescore_tie_authors cast_demo cast_paper
    subtlebench_authors subtlebench_two_step subtlebench_language_only
"""  # asked of one judge
BLIND = ("vl_rewardbench_demo", "vl_rewardbench_demo_both", "judge_audit_demo")
RUNS = {  # judge and where it is logged -> tasks
    **{(kind, kind): tuple(task for tasks in JUDGED.values() for task in tasks) for kind in KINDS},
    ("noisy", "noisy, once"): ONCE.split(),
    ("pixel_judge:", "pixel_judge:"): ("viescore_demo",),
    **{
        (f"blind_judge:policy={policy}", f"blind_judge:policy={policy}"): BLIND
        for policy in ("first", "longer", "random")
    },
}
SHOWN_TASKS = """
    pairbench_coco_rotate pairbench_coco_rotate_authors pairbench_wu_it_a
    vl_rewardbench_both vl_rewardbench_authors vl_rewardbench_critic vl_rewardbench_ground_truth
    vl_rewardbench_pointwise multimodal_rewardbench_both
    mllm_judge_pair_both mllm_judge_score mllm_judge_batch best_of_n
    viescore_t2i viescore_tie viescore_mie viescore_cig viescore_sdig viescore_sdie viescore_mcic
    viescore_tie_authors viescore_sdie_authors viescore_tie_pq_with_inputs
    subtlebench subtlebench_concat subtlebench_grid subtlebench_highlight subtlebench_overlap
    subtlebench_reasoning subtlebench_subtract subtlebench_swapped subtlebench_authors
    subtlebench_authors_grid subtlebench_authors_camera_augmented subtlebench_caption
    judge_audit_preferences judge_audit_blind_preferences
"""  # whose first requests are kept, of chat backends and of simple ones
SHOWN_IN_ROUNDS = ("cast", "cast_paper", "subtlebench_two_step", "best_of_n_knockout")
SETTINGS = {  # how `score` reads and counts
    "as run": (),
    "--rule strict": ("--rule", "strict"),
    "--rule authors": ("--rule", "authors"),
    "--pool paper": ("--pool", "paper"),
    "--pool readable": ("--pool", "readable"),
    "--pool authors": ("--pool", "authors"),
}
NOT_KNOWN = {("mllm_judge", "authors"), ("best_of_n", "authors")}  # rules, pools
COMPARED = """
    pairbench_coco_rotate vl_rewardbench_both multimodal_rewardbench_both mllm_judge_pair_both
    mllm_judge_score best_of_n viescore_tie cast subtlebench_swapped judge_audit_demo_ratings
    judge_audit_demo_preferences
"""
PLANNED = ("vl_rewardbench_both", "subtlebench", "pairbench_coco", "mllm_judge_score")
ALL, TWO = tuple(KINDS), ("blind_judge:policy=first", "blind_judge:policy=longer")
COMMANDS = {  # name -> command, judges whose logs it reads, other arguments
    "compare": (("compare",), ALL, ()),
    "compare blind": (("compare",), TWO, ()),
    "panel": (("panel",), ALL, ()),
    "card": (("card",), ALL[1:], ()),
    "card blind": (("card",), TWO, ()),
    "people": (("people",), ALL[:2], ()),
    "plan": (("plan",), (), PLANNED),
    "plan detect": (("plan",), (), (PLANNED[0], "--detect", "0.1", "--accuracy", "0.8")),
}
IDENTITY = ("aspect", "task", "title", "part", "number", "judge", "panel", "a", "b", "name")
UNTOLD = ("options", "seconds", "version")  # no numbers of the run
NOTHING = object()


def named(value):
    """The numbers of a JSON value (None where there is none), without what is none.

    Entries of lists go by what they say they are about, not by their place.
    """
    if isinstance(value, dict):
        numbers = {
            str(key): float(bool(inner)) if key == "flag" else named(inner)
            for key, inner in value.items()
            if key not in UNTOLD
        }
        return {key: inner for key, inner in numbers.items() if inner is not NOTHING} or NOTHING
    if isinstance(value, list):
        entries, times = {}, {}
        for place, inner in enumerate(value):
            name = str(place)
            if isinstance(inner, dict):
                about = [inner[key] for key in IDENTITY if isinstance(inner.get(key), str)]
                name = " ".join(filter(None, about)) or name
            times[name] = times.get(name, 0) + 1
            entries[f"{name}#{times[name]}" if times[name] > 1 else name] = inner
        return named(entries)
    if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        return value
    return NOTHING


def scored(benchmark, logs, options):
    """`pairbench score --json`: task -> its numbers."""
    runs = json.loads(pairbench("score", benchmark, logs, "--json", *options))["runs"]
    for run in runs:  # by reason, in words: their number alone
        run["unusable"] = sum(run.get("unusable", {}).values())
    return {run["name"]: named(run) for run in runs}


def printed(command, logs, arguments):
    """The numbers that a command prints as JSON."""
    document = json.loads(pairbench(*command, *logs, *arguments, "--json"))
    return named({key: each for key, each in document.items() if key not in ("asked", "reference")})


def listed():
    """Task -> what `pairbench tasks` says of it."""
    lines = map(str.split, pairbench("tasks", "--find", "").splitlines())
    return {words[0]: " ".join(words[1:]) for words in lines if words}


def chosen(logs, tasks, folder):
    """Copy the logs of some tasks into a folder of their own."""
    folder.mkdir(parents=True)
    for file in logs.rglob("*.jsonl"):
        if file.stem.partition("_samples_")[2] in tasks:
            (folder / file.name).write_bytes(file.read_bytes())
    return folder


def collect(folder):
    """All that is compared, as one JSON value."""
    os.environ.update(ENVIRONMENT)
    os.environ["PAIRBENCH_CACHE"] = str(folder / "cache")
    os.environ["HF_DATASETS_CACHE"] = str(folder / "datasets")
    os.environ["LMMS_EVAL_DATASETS_CACHE"] = str(folder / "datasets")
    for variable in (*DATA, "PAIRBENCH_SEED"):
        os.environ.pop(variable, None)
    found = {"tasks": listed(), "harness": {}, "score": {}, "commands": {}}
    os.environ.update(write_data(folder / "data"))
    harness, out = Harness(folder / "out"), folder / "out"
    for (judge, name), tasks in RUNS.items():
        found["harness"][name] = harness.run(judge, tasks, name)
    found["prompts"] = {
        "simple": harness.first_requests((*SHOWN_TASKS.split(), *SHOWN_IN_ROUNDS), False),
        "chat": harness.first_requests(SHOWN_TASKS.split(), True),
    }
    for benchmark, tasks in JUDGED.items():
        logs = chosen(out / "biased", LEAVES.get(benchmark, tasks), folder / "scored" / benchmark)
        found["score"][benchmark] = {
            name: scored(benchmark, logs, options)
            for name, options in SETTINGS.items()
            if (benchmark, *options[1:]) not in NOT_KNOWN
        }
    logs = {
        kind: chosen(out / kind, COMPARED.split(), folder / "compared" / kind) for kind in KINDS
    }
    logs |= {policy: out / folder_of(policy) for policy in TWO}
    for name, (command, judges, arguments) in COMMANDS.items():
        found["commands"][name] = printed(command, [logs[judge] for judge in judges], arguments)
    return found


# --- Goldens: what was found, kept, and compared

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
    for part in PARTS:
        text = _dumped(_plain(found[part])) + "\n"
        (GOLDENS / f"{part}.json").write_text(text, encoding="utf-8")


def _dumped(value, depth=3):
    if not isinstance(value, dict) or not depth or not value:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    lines = ",\n".join(f"{json.dumps(key)}:{_dumped(value[key], depth - 1)}" for key in value)
    return "{\n" + lines + "\n}"


def same(golden, number):
    """Whether two numbers are the same to 1e-12, of their size where they are large."""
    if isinstance(golden, (int, float)) and isinstance(number, (int, float)):
        return abs(golden - number) <= 1e-12 * max(1, abs(golden))
    return golden == number


def compare(found, part):
    """What is amiss in a part: (lines of what is missing, lines of what differs)."""
    goldens = flat(json.loads((GOLDENS / f"{part}.json").read_text(encoding="utf-8")), part)
    numbers = flat(_plain(found[part]), part)
    missing = [path for path in goldens if path not in numbers]
    differs = [
        f"{path}: {golden!r} was, {numbers[path]!r} is"
        for path, golden in goldens.items()
        if path in numbers and not same(golden, numbers[path])
    ]
    return missing, differs


def run_here(folder):
    """Collect in a process of its own, with this Python; what was found."""
    target = Path(folder) / "found.json"
    done = subprocess.run(
        [sys.executable, __file__, "--collect", str(target)],
        cwd=folder,
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
