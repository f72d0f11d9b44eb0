"""What a user sees, made from small data and judges that answer by rule: runs, commands, prompts.

`--collect FILE` makes all of it in the working folder; `--write FILE` makes the goldens of that.
Tests make it in shares: what belongs to a benchmark, and the commands that read all logs.
"""

import contextlib
import gc
import importlib.metadata
import io
import json
import os
import sys
from pathlib import Path

if __name__ == "__main__":  # beside this file is what hides installed packages
    sys.path[0] = str(Path(__file__).parent.parent)
    from tests.golden_data import environment

    os.environ.update(environment(Path.cwd()))

from tests.evaluations import shared
from tests.golden_data import DATA, GOLDENS, environment, write_data
from tests.golden_judges import KINDS, Judge
from tests.judges import evaluate


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
            results = self._evaluate(Judge(judge), tasks, evaluation_tracker=tracker)
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
        model = Judge("sharp", chat)
        self._evaluate(model, tasks, limit=2)
        return model.asked

    def _evaluate(self, model, tasks, **options):
        gc.freeze()  # each evaluation ends with a collection, which would walk over all there is
        return evaluate(model, tasks, self.manager, datetime_str="20260101_000000", **options)


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
        raise RuntimeError(f"pairbench {' '.join(map(str, arguments))}: {errors.getvalue()[-999:]}")
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
    best_of_n_knockout best_of_n_both viescore_t2i viescore_tie_authors cast_paper
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
    vl_rewardbench_both multimodal_rewardbench_both mllm_judge_pair_both
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
    "plan detect": (("plan",), (), (PLANNED[0], "--detect", "0.1")),
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
    """Copy the logs of some tasks, out of some folders, into a folder of their own."""
    folder.mkdir(parents=True)
    for file in (file for each in logs for file in each.rglob("*.jsonl")):
        if tasks is None or file.stem.partition("_samples_")[2] in tasks:
            (folder / file.name).write_bytes(file.read_bytes())
    return folder


ALL_LOGS = "commands"  # the share of the commands that read the logs of all benchmarks
SHARES = (*JUDGED, ALL_LOGS)
FOUND = "found.json"  # what a test has collected of a share, in a folder of that name


def share_of(task):
    """The share that a task or group is in."""
    return next((name for name in JUDGED if task.startswith(name)), ALL_LOGS)


def collect(folder, shares=SHARES):
    """All that is compared, or the part of it that is in some shares, as one JSON value.

    The commands read the logs of shares that were collected before, in folders beside this one.
    """
    for variable in (*DATA, "PAIRBENCH_SEED"):
        os.environ.pop(variable, None)
    found = {"tasks": listed()} if ALL_LOGS in shares else {}
    os.environ.update(write_data(folder / "data"))
    harness, out = Harness(folder / "out"), folder / "out"
    read = {*COMPARED.split(), *BLIND, "judge_audit_demo"} if ALL_LOGS in shares else set()
    logged = [share for share in JUDGED if (folder.parent / share / FOUND).exists()]
    read = {task for task in read if share_of(task) not in logged}
    found["harness"] = {}
    for (judge, name), tasks in RUNS.items():
        asked = [task for task in tasks if share_of(task) in shares or task in read]
        found["harness"][name] = harness.run(judge, asked, name) if asked else {}
    shown, in_rounds = (
        [task for task in tasks if share_of(task) in shares]
        for tasks in (SHOWN_TASKS.split(), SHOWN_IN_ROUNDS)
    )
    found["prompts"] = {
        "simple": harness.first_requests([*shown, *in_rounds], False)
        if [*shown, *in_rounds]
        else {},
        "chat": harness.first_requests(shown, True) if shown else {},
    }
    found["score"] = {name: _scores(name, out, folder) for name in JUDGED if name in shares}
    outs = [out, *(folder.parent / share / "out" for share in logged)]
    found["commands"] = _of_all_logs(outs, folder) if ALL_LOGS in shares else {}
    return found


def _scores(benchmark, out, folder):
    tasks = LEAVES.get(benchmark, JUDGED[benchmark])
    logs = chosen([out / "biased"], tasks, folder / "scored" / benchmark)
    return {
        name: scored(benchmark, logs, options)
        for name, options in SETTINGS.items()
        if (benchmark, *options[1:]) not in NOT_KNOWN
    }


def _of_all_logs(outs, folder):
    read = dict.fromkeys(KINDS, COMPARED.split()) | dict.fromkeys(TWO)
    logs = {
        judge: chosen(
            [out / folder_of(judge) for out in outs], tasks, folder / "read" / folder_of(judge)
        )
        for judge, tasks in read.items()
    }
    return {
        name: printed(command, [logs[judge] for judge in judges], arguments)
        for name, (command, judges, arguments) in COMMANDS.items()
    }


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
        (GOLDENS / f"{part}.json").write_text(_dumped(_plain(found[part])) + "\n", encoding="utf-8")


def _dumped(value, depth=3):
    if not isinstance(value, dict) or not depth or not value:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    lines = ",\n".join(f"{json.dumps(key)}:{_dumped(value[key], depth - 1)}" for key in value)
    return "{\n" + lines + "\n}"


def same(golden, number, path=""):
    """Whether two numbers are the same to 1e-12, of their size where they are large.

    What a backend was asked before its tasks depends on these; texts that were shown are hashes.
    """
    if path.endswith("/pairbench_ext_probe"):
        return {str(images) for _, images in number} <= {str(images) for _, images in golden}
    if isinstance(golden, (int, float)) and isinstance(number, (int, float)):
        return abs(golden - number) <= 1e-12 * max(1, abs(golden))
    return golden == number


def compare(found, share):
    """What is amiss in a share: (lines of what is missing, lines of what differs)."""
    numbers = flat(_plain(found))
    goldens = {path: golden for path, golden in _goldens().items() if _is_in(path, share)}
    missing = [path for path in goldens if path not in numbers]
    differs = [
        f"{path}: {golden!r} was, {numbers[path]!r} is"
        for path, golden in goldens.items()
        if path in numbers and not same(golden, numbers[path], path)
    ]
    return missing, differs


def _goldens():
    """Path -> golden, of all parts."""
    files = {part: GOLDENS / f"{part}.json" for part in PARTS}
    return flat({part: json.loads(file.read_text("utf-8")) for part, file in files.items()})


def _is_in(path, share):
    """Whether a golden is in a share: by the name of its task, where its part has tasks."""
    part, *names = path.split("/")
    if part in ("tasks", "commands"):
        return share == ALL_LOGS
    return share_of(names[0] if part == "score" else names[1]) == share


def in_no_share():
    """The goldens that no test would look at."""
    return [path for path in _goldens() if not any(_is_in(path, share) for share in SHARES)]


def run_here(folder, share):
    """Collect a share in a fork of the process that has imported the harness; what was found."""
    folder.mkdir(parents=True)
    target = folder / FOUND
    status, printed = shared().command(
        ["--collect", str(target), share],
        str(folder),
        {**os.environ, **environment(folder), "PAIRBENCH_CACHE": os.environ["PAIRBENCH_CACHE"]},
        call="tests.golden_runs:main",
    )
    assert status == [0], printed[-6000:]
    return json.loads(target.read_text(encoding="utf-8"))


def main(what, file, *shares):
    """`--collect FILE` (in the working folder), or `--write FILE`: goldens of what it has."""
    if what == "--write":
        write(json.loads(Path(file).read_text(encoding="utf-8")))
        return
    import datasets

    datasets.config.HF_DATASETS_CACHE = Path.cwd() / "datasets"  # imported before in a fork
    sys.modules["sentence_transformers"] = None  # seconds to import, and there is no model
    Path(file).write_text(json.dumps(collect(Path.cwd(), shares or SHARES)), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
