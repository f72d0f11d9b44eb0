"""Changes to the harness: they fit the installed one, and its real backends answer as before."""

import importlib.util
import shlex
import shutil
import subprocess
import sys
import traceback
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import lmms_eval
import pytest
from lmms_eval.api import registry
from PIL import Image
from typer.testing import CliRunner

from pairbench_ext.core.outputs import OutputError
from pairbench_ext.show.cli.main import app
from pairbench_ext.statistics import seeds
from pairbench_ext.upstream.changes import PREFETCH, change, pull_request
from tests.checkpoints import make_llava_onevision, make_qwen2_5_vl, make_qwen3_vl
from tests.pairbench_ext.upstream.test_checkout import SECTIONS

INSTALLED = Path(lmms_eval.__file__).parent
BACKENDS = {"qwen2_5_vl": "Qwen2_5_VL", "qwen3_vl": "Qwen3_VL", "llava_hf": "LlavaHf"}
HELPER = "lmms_eval/models/model_utils/prefetch.py"
EXPORTED_TEST = "test/models/test_prefetch.py"
SIZES = ((56, 56), (84, 56), (56, 112), (70, 70))
DOCS = 7


def checkout(folder):
    """What the change touches of the installed harness."""
    chat = folder / "lmms_eval/models/chat"
    chat.mkdir(parents=True)
    for name in BACKENDS:
        shutil.copy(INSTALLED / f"models/chat/{name}.py", chat)
    return folder


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = checkout(tmp_path_factory.mktemp("patched"))
    changed = change(folder, PREFETCH)
    assert sorted(map(str, changed)) == sorted(
        [*(f"lmms_eval/models/chat/{name}.py" for name in BACKENDS), HELPER, EXPORTED_TEST]
    )
    return folder


@pytest.fixture
def patched(root, monkeypatch):
    """Imports modules of the patched harness in place of the installed ones."""
    monkeypatch.setattr(registry, "MODEL_REGISTRY", dict(registry.MODEL_REGISTRY))

    def load(path):
        name = path.removesuffix(".py").replace("/", ".")
        spec = importlib.util.spec_from_file_location(name, root / path)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    load(HELPER)
    return load


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory):
    folder = tmp_path_factory.mktemp("checkpoints")
    return {
        "qwen2_5_vl": make_qwen2_5_vl(folder / "qwen2_5_vl"),
        "qwen3_vl": make_qwen3_vl(folder / "qwen3_vl"),
        "llava_hf": make_llava_onevision(folder / "llava_onevision"),
    }


class Case:
    """A backend as it is installed, to be asked about pictures; and as it is patched."""

    def __init__(self, name, checkpoint, batch):
        self.kind = getattr(import_module(f"lmms_eval.models.chat.{name}"), BACKENDS[name])
        small = {"min_pixels": 1024, "max_pixels": 16384} if name.startswith("qwen") else {}
        self.model = self.kind(
            pretrained=str(checkpoint), device="cpu", device_map="cpu", batch_size=batch, **small
        )
        rng = seeds.generator(0, "pictures")
        docs = [
            Image.fromarray(rng.integers(0, 256, (*SIZES[number % len(SIZES)], 3), dtype="uint8"))
            for number in range(DOCS)
        ]
        self.model.task_dict = {"task": {"test": docs}}
        self.cached = []
        self.model.cache_hook = SimpleNamespace(
            add_partial=lambda _, of, answer: self.cached.append((of[0], answer))
        )

    def ask(self, kind=None, show=None):
        """The answers to requests of two settings, and what was told to the cache."""
        self.cached.clear()
        self.model.__class__ = kind or self.kind
        content = show or self.content
        requests = [
            SimpleNamespace(
                args=(
                    f"request {number * 5 % DOCS}",
                    lambda image: [{"role": "user", "content": content(image)}],
                    {"max_new_tokens": 4 + number % 2, "temperature": 0},
                    number,
                    "task",
                    "test",
                )
            )
            for number in range(DOCS)
        ]
        return [(one.text, one.token_counts) for one in self.model.generate_until(requests)]

    @staticmethod
    def content(image):
        """A picture, and a text of a length of its own."""
        return [
            {"type": "image", "url": image},
            {"type": "text", "text": f"Describe {image.size[0] * 'it '}"},
        ]


@pytest.mark.parametrize(
    ("name", "batch"),
    [("qwen2_5_vl", 3), ("qwen2_5_vl", 1), ("qwen3_vl", 3), ("llava_hf", 1)],
)
def test_a_patched_backend_answers_as_the_stock_one(name, batch, patched, checkpoints):
    case = Case(name, checkpoints[name], batch)
    expected = case.ask(), list(case.cached)
    kind = getattr(patched(f"lmms_eval/models/chat/{name}.py"), BACKENDS[name])
    assert kind is not case.kind
    assert (case.ask(kind), case.cached) == expected
    assert len({text for text, _ in expected[0]}) > DOCS // 2


def test_an_error_surfaces_where_it_did_and_no_more_than_one_batch_waits(patched, checkpoints):
    case = Case("qwen2_5_vl", checkpoints["qwen2_5_vl"], 1)
    kind = patched("lmms_eval/models/chat/qwen2_5_vl.py").Qwen2_5_VL
    processor, generate = case.model.processor, case.model.model.generate
    events = []

    def failing(**given):
        events.append("prepared")
        if events.count("prepared") == 5:
            raise ValueError("no pixels")
        return processor(**given)

    def generating(**given):
        events.append("generate")
        return generate(**given)

    case.model.processor = Failing(processor, failing)
    case.model.model.generate = generating
    found = []
    for each in (None, kind):
        events.clear()
        with pytest.raises(ValueError, match="no pixels") as caught:
            case.ask(each)
        names = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
        assert names[-1] == "failing"
        assert "generate_until" in names
        found.append((list(case.cached), events.count("generate")))
        waiting = most = 0
        for event in events:
            waiting += 1 if event == "prepared" else -1
            most = max(most, waiting)
        assert most <= (1 if each is None else 2)  # that one is generated from now
    assert found[0] == found[1]
    assert found[0][1] == 4


class Failing:
    """A processor that is called through a function."""

    def __init__(self, processor, call):
        self._processor = processor
        self._call = call

    def __call__(self, **given):
        return self._call(**given)

    def __getattr__(self, name):
        return getattr(self._processor, name)


def test_the_exported_tests_hold(patched, monkeypatch):
    for name in BACKENDS:
        patched(f"lmms_eval/models/chat/{name}.py")
    tests = patched(EXPORTED_TEST)
    tests.test_the_next_batch_is_taken_meanwhile_and_none_after_it()
    tests.test_an_error_is_raised_where_its_batch_would_have_been_yielded()
    for backend in (tests.Qwen2_5_VL, tests.Qwen3_VL, tests.LlavaHf):
        tests.test_a_backend_prepares_while_its_model_works(backend)
    tests.test_it_can_be_switched_off(monkeypatch)


def test_a_change_fits_once_also_below_another_repository(tmp_path):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    folder = checkout(tmp_path / "theirs" / "lmms-eval")
    for path in change(folder, PREFETCH):
        assert (folder / path).is_file()
    before = {path: path.read_bytes() for path in folder.rglob("*.py")}
    with pytest.raises(OutputError, match=r"does not fit \(error: "):
        change(folder, PREFETCH)
    assert {path: path.read_bytes() for path in folder.rglob("*.py")} == before


def test_the_change_and_its_pull_request_are_exported(tmp_path):
    folder = checkout(tmp_path / "lmms-eval")
    text = tmp_path / "pr.md"
    text.write_text("mine")
    line = f"export lmms-eval-prefetch --to {folder} --pull-request {text}"
    refused = CliRunner().invoke(app, shlex.split(line))
    assert refused.exit_code == 1
    assert "is there already" in refused.output
    assert not (folder / HELPER).exists()
    done = CliRunner().invoke(app, shlex.split(f"{line} --overwrite"))
    assert done.exit_code == 0, done.output
    assert HELPER in done.output
    assert (folder / EXPORTED_TEST).is_file()
    assert text.read_text() == pull_request(PREFETCH)
    for section in SECTIONS:
        assert f"## {section}\n" in text.read_text()
