"""Shared fixtures. Everything runs offline, on small data in the hub's own layout."""

import os

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ.setdefault("OMP_NUM_THREADS", "1")  # tiny models: threads only wait for each other
os.environ.setdefault("OPENAI_API_KEY", "unused")  # the harness asks for one when it is imported

import functools
import gc
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import datasets
import numpy as np
import pytest
import typer.testing
from hypothesis import HealthCheck, settings
from matplotlib.figure import Figure
from PIL import Image

from pairbench_ext.show.cli import app, progress
from tests.evaluations import read_yaml_fast

read_yaml_fast()
sys.modules["wandb"] = None  # sentence-transformers would import it, which takes five seconds
progress.LINE_EVERY = 3600.0  # a slow machine prints what a fast one prints
gc.disable()  # until the tests are collected: hardly anything of what they make is garbage
REPOSITORY = Path(__file__).parent.parent
SHARED = REPOSITORY.parent / "shared"
datasets.disable_progress_bars()
# Property tests pass or fail the same on every machine, however slow it is.
settings.register_profile(
    "everywhere", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("everywhere")
# Its runner builds the whole command line for each call, which takes longer than most commands.
typer.testing._get_command = functools.cache(typer.testing._get_command)
app._made = functools.cache(app._made)
# These fork the process that has imported the harness: they come first, so that the worker that
# gets them is the only one that needs it.
FORKING = (
    "test_goldens.py", "test_servers.py", "test_machines.py", "test_kill.py", "test_backends.py",
    "test_upstream.py", "test_broken_data.py", "test_logprobs.py",
)  # fmt: skip
BROWSING = ("test_page.py", "test_in_browser.py")  # beside each other: they share a browser
TRANSFORMS = ("colorjitter", "rotate", "gaussianblur", "perspective", "elastic")


def pytest_collection_modifyitems(items):
    """Then come tests beside this file: long ones at the end would leave a worker waiting."""
    gc.enable()
    here = Path(__file__).parent
    items.sort(
        key=lambda item: (
            item.path.name not in FORKING,
            item.path.parent != here,
            item.path.name not in BROWSING,
        )
    )


@pytest.fixture(scope="module", autouse=True)
def _garbage_is_collected_among_new_objects():
    """The harness has all garbage collected twice in each evaluation, which takes half a second or
    two where torch and thousands of tests are looked at again every time."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish():
    gc.unfreeze()


@pytest.fixture(scope="session", autouse=True)
def caches(tmp_path_factory):
    """Keep what the tests write out of the user's caches."""
    root = tmp_path_factory.mktemp("caches")
    patch = pytest.MonkeyPatch()
    of_all = root.parents["PYTEST_XDIST_WORKER" in os.environ]  # demos are drawn once
    patch.setenv("PAIRBENCH_CACHE", str(of_all / "pairbench"))
    patch.setenv("HF_DATASETS_CACHE", str(root / "datasets"))
    patch.setenv("LMMS_EVAL_DATASETS_CACHE", str(root / "datasets"))
    patch.setattr(datasets.config, "HF_DATASETS_CACHE", root / "datasets")
    benchmarks = ("PAIRBENCH", "VL_REWARDBENCH", "BEST_OF_N", "CAST", "VIESCORE", "SUBTLEBENCH")
    for benchmark in benchmarks:
        patch.delenv(f"{benchmark}_DATA", raising=False)
    patch.delenv("PAIRBENCH_SEED", raising=False)
    yield root
    patch.undo()


def picture(row, column, size=(24, 16)):
    """A small image that differs by row and column."""
    rng = np.random.default_rng([row, column])
    return Image.fromarray(rng.integers(0, 256, (size[1], size[0], 3), dtype=np.uint8))


def image_rows(n):
    """Rows of the hub's schema: original, identical, transformed, irrelevant."""
    rows = {f"img{k}": [picture(r, k) for r in range(n)] for k in range(1, 5)}
    return datasets.Dataset.from_dict(rows)


def text_rows(n):
    """Image-text rows: an image, its caption, a caption with another relation, another image's."""
    captions = [f"A mug {{}} of plate {row}" for row in range(n)]
    rows = {
        "img1": [picture(row, 1) for row in range(n)],
        "img2": [caption.format("to the left") for caption in captions],
        "img3": [caption.format("to the right") for caption in captions],
        "img4": [captions[(row + 1) % n].format("to the left") for row in range(n)],
    }
    return datasets.Dataset.from_dict(rows)


def template_row(config, *, features, pairs=None):
    """A row of the hub's `templates` config."""
    conditions = {
        name: {"variant": f"Mind {name} ({config}).", "invariant": f"Ignore {name} ({config})."}
        for name in features
    }
    templates = [f'{config} template {k}: {{conditions}} Rate! "data1" "data2"' for k in range(5)]
    return {
        "name": config,
        "query_templates": json.dumps(templates),
        "query_conditions": json.dumps(conditions),
        "logistics": json.dumps({"data-pairs": pairs} if pairs else {}),
    }


def write_split(root, config, split, rows):
    """Write a split as a repository on the hub has it."""
    folder = root / config
    folder.mkdir(parents=True, exist_ok=True)
    table = datasets.Dataset.from_list(rows) if isinstance(rows, list) else rows
    table.to_parquet(folder / f"{split}-00000-of-00001.parquet")


@pytest.fixture(scope="session")
def pairbench_data(tmp_path_factory):
    """All 24 leaves of PairBench, two rows each, without templates of their own."""
    root = tmp_path_factory.mktemp("pairbench_data")
    for config in ("coco", "in100"):
        for split in TRANSFORMS:
            write_split(root, config, split, image_rows(2))
    # The hub's WhatsUp split names are not known: spell them unlike ours.
    for subset in ("Controlled_Images", "controlled-clevr"):
        for transform in ("", *TRANSFORMS):
            name = f"{subset}_spatial_position" + (f"_{transform}" if transform else "")
            write_split(root, "wu_img_img", name, image_rows(2))
        write_split(root, "wu_img_text", f"{subset}_SP", text_rows(2))
    return root


# One item per source prefix and one more, with which response is the better one, and the longer.
PREFERENCES = (
    ("wildvision-battle-1", 0, 0),
    ("svit-2", 1, 0),
    ("RLAIF-V-3", 0, 1),
    ("RLHF-V-4", 1, 1),
    ("hallucination_pair-5", 0, None),
    ("mathverse_6", 1, 0),
    ("mmmu_7", 0, 0),
    ("mmmu_8", 1, 1),
)


def preference_rows(items=PREFERENCES):
    """Rows of VL-RewardBench's schema: the better response says RIGHT, the other WRONG."""
    rows = []
    for number, (name, truth, longer) in enumerate(items):
        words = [f"{{}} about item {number}."] * 2
        if longer is not None:
            words[longer] += " At length."
        responses = [words[k].format("RIGHT" if k == truth else "WRONG") for k in (0, 1)]
        rows.append(
            {
                "id": name, "query": f"What is on picture {number}? {{braces}}",
                "response": responses,
                "image": picture(number, 1),
                "human_ranking": [0, 1] if truth == 0 else [1, 0],
                "models": ["one", "other"],
                "judge": "", "rationale": "", "query_source": "made up", "ground_truth": "",
            }
        )  # fmt: skip
    return datasets.Dataset.from_list(rows)


@pytest.fixture(scope="session")
def vlrb_data(tmp_path_factory):
    """A local copy of VL-RewardBench: the eight items of `PREFERENCES`."""
    root = tmp_path_factory.mktemp("vlrb_data")
    write_split(root, "data", "test", preference_rows())
    return root


@pytest.fixture(scope="session")
def task_manager():
    """The harness's task manager over our task files only (its own take seconds to index)."""
    from lmms_eval.tasks import TaskManager

    from pairbench_ext.harness.task_files import tasks_dir

    return TaskManager(include_defaults=False, include_path=str(tasks_dir()))


@pytest.fixture(scope="session")
def driver(tmp_path_factory):
    """A browser: the one of all tests of this process."""
    from tests.browsers import chrome

    driver = chrome(tmp_path_factory.mktemp("browser"))
    yield driver
    driver.quit()


@pytest.fixture
def figure(monkeypatch):
    """A picture as it is drawn: `figure.figure` is what was written last."""
    seen = SimpleNamespace()
    savefig = Figure.savefig

    def keep(drawn, *arguments, **options):
        seen.figure = drawn
        savefig(drawn, *arguments, **options)

    monkeypatch.setattr(Figure, "savefig", keep)
    return seen


@pytest.fixture
def warned():
    """What is logged at warning level or above."""
    from loguru import logger

    messages = []
    sink = logger.add(messages.append, level="WARNING", format="{message}")
    yield messages
    logger.remove(sink)


@pytest.fixture
def said(request):
    """The same where the harness is imported, which removes every sink."""
    import lmms_eval.models  # noqa: F401

    return request.getfixturevalue("warned")
