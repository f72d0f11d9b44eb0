"""What servers and engines are asked by the harness's own backends, beside the table of the page.

The backends run as they are installed, bare and in `resumable`. Replaced is what they ask: a real
HTTP server on this machine, or the modules `vllm` and `sglang` (`tests/engines.py`).
"""

import hashlib
import re
from collections import Counter

import pytest
from lmms_eval.models import get_model

from pairbench_ext.resumable.model import Resumable
from pairbench_ext.resumable.requests import as_new, parts_of
from pairbench_ext.stacks.plain import open_task
from tests import engines
from tests.checkpoints import make_qwen2_5_vl
from tests.conftest import REPOSITORY
from tests.endpoints import Endpoint
from tests.judges import CannedChatJudge, CannedJudge, evaluate

# Greedy with 512 tokens; sampled with top-p; with texts around the pictures, which is asked here
# as VLM-SubtleBench's real tasks are: sampled without top-p.
TASKS = ("pairbench_coco_rotate", "vl_rewardbench_k5", "subtlebench_demo")
WITHOUT_TOP_P = {"do_sample": True, "temperature": 0.5}
LIMIT = 6
AT_ONCE = 3
PAGE = (REPOSITORY / "docs" / "servers.md").read_text(encoding="utf-8")
IN_PROCESS = ("vllm", "vllm_generate", "sglang")


def rows():
    """Of the page's table: the backend -> its other cells."""
    _, _, table = PAGE.partition("| `--model` |")
    lines = table.partition("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {name.strip("`"): rest for name, *rest in cells}


ROWS = rows()


def kind_of(backend):
    name, _, flag = backend.partition(" ")
    return name, flag == "--force_simple"


class Takes:
    """Takes note of the requests of an evaluation."""

    def generate_until(self, requests):
        self.requests, self.docs = list(requests), dict(self.task_dict)
        return [""] * len(requests)


class TakesSimple(Takes, CannedJudge):
    pass


class TakesChat(Takes, CannedChatJudge):
    pass


class Asked:
    """The requests of three tasks, and what each should show.

    Attributes:
        requests: for a backend of one style.
        shown: the parts of each, as the backend should show them.
        settings: of each, by the task.
    """

    def __init__(self, simple, task_manager):
        judge = (TakesSimple if simple else TakesChat)(None)
        evaluate(judge, TASKS, task_manager, limit=LIMIT)
        self._requests, self.docs = judge.requests, judge.docs
        for request in self._requests:
            if request.args[4] == "subtlebench_demo":
                parts_of(request, simple).settings.update(WITHOUT_TOP_P)
        self.settings = [dict(parts_of(one, simple).settings) for one in self._requests]
        tasks = {name: open_task(name) for name in TASKS}
        messages = [tasks[one.args[4]][one.args[3]].messages for one in self._requests]
        self.shown = [engines.parts_of(one) for one in messages]
        if simple:
            pictures = [[one for one in parts if is_picture(one)] for parts in self.shown]
            prompts = [one.args[0] for one in self._requests]
            self.shown = [[one, *more] for one, more in zip(prompts, pictures, strict=True)]

    @property
    def requests(self):
        return [as_new(one) for one in self._requests]


def is_picture(part):
    return isinstance(part, engines.Picture)


def reply_to(parts):
    """A reply by which what was shown is known again."""
    said = hashlib.sha256()
    for part in parts:
        said.update(repr(part.size if is_picture(part) else part).encode())
        said.update(part.pixels if is_picture(part) else b"")
    return said.hexdigest()[:12]


@pytest.fixture(scope="module")
def data(pairbench_data, vlrb_data):
    patch = pytest.MonkeyPatch()
    patch.setenv("PAIRBENCH_DATA", str(pairbench_data))
    patch.setenv("VL_REWARDBENCH_DATA", str(vlrb_data))
    yield
    patch.undo()


@pytest.fixture(scope="module")
def asked(task_manager, data):
    made = {}

    def of(simple):
        if simple not in made:
            made[simple] = Asked(simple, task_manager)
        return made[simple]

    return of


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """A processor and a template: weights are not read."""
    return make_qwen2_5_vl(tmp_path_factory.mktemp("servers") / "model")


class Served:
    """A server of chat completions, asked as an engine is."""

    def __init__(self, endpoint):
        self.endpoint = endpoint
        self.calls = []

    @property
    def requests(self):
        bodies = [body for _, _, body in self.endpoint.requests]
        return [(engines.parts_of(one["messages"]), said_of(one)) for one in bodies]


def said_of(body):
    return {name: value for name, value in body.items() if name not in ("messages", "model")}


@pytest.fixture
def built(checkpoint):
    """Builds a backend, with what it asks."""
    patch, endpoints = pytest.MonkeyPatch(), []

    def build(backend, arguments="", answer=reply_to, **config):
        name, simple = kind_of(backend)
        if name in IN_PROCESS:
            asked_one = engines.install(patch, answer)
            arguments = f"model={checkpoint},{arguments}"
        else:
            endpoint = Endpoint(lambda messages: answer(engines.parts_of(messages)), whole=True)
            endpoints.append(endpoint)
            asked_one = Served(endpoint)
            arguments = (
                f"model_version=m,base_url={endpoint.url},api_key=none,max_retries=1,{arguments}"
            )
        kind = get_model(name, force_simple=simple)
        return kind.create_from_arg_string(arguments.strip(","), config), asked_one

    yield build
    for endpoint in endpoints:
        endpoint.close()
    engines.forget(patch)


def ask(model, asked, wrapped, folder):
    """The replies to all requests, in their order."""
    model.task_dict = asked.docs
    model.clean = lambda: None  # it would search all memory for what a GPU holds
    outer = Resumable(model, folder, arguments={}, block=None) if wrapped else model
    outputs = outer.generate_until(asked.requests)
    if wrapped:
        outer.clean()
    return [getattr(output, "text", output) for output in outputs]


def limit_of(settings):
    return settings.get("max_tokens", settings.get("max_new_tokens"))


BACKENDS = tuple(ROWS)
WRAPPED = pytest.mark.parametrize("wrapped", [False, True], ids=["bare", "resumable"])


def test_the_page_has_the_backends_that_it_should():
    assert {kind_of(one)[0] for one in BACKENDS} == {"openai", "async_openai", *IN_PROCESS}


@WRAPPED
@pytest.mark.parametrize("backend", BACKENDS)
def test_the_row_of_a_backend(backend, wrapped, built, asked, tmp_path):
    """Order, number, size and format of pictures, and settings, are as the table says."""
    of = asked(kind_of(backend)[1])
    model, engine = built(backend)
    replies = ask(model, of, wrapped, tmp_path)
    sent = engine.requests
    assert replies == [reply_to(parts) for parts in of.shown]
    assert Counter(reply_to(parts) for parts, _ in sent) == Counter(replies)
    by_reply = {reply_to(parts): settings for parts, settings in sent}
    used = [by_reply[reply] for reply in replies]
    order = "text, then pictures" if model.is_simple else "as the task"
    formats = {part.format for parts, _ in sent for part in parts if is_picture(part)}
    [picture] = [one.replace("object", "as they are") for one in formats]
    assert [one["temperature"] for one in used] == [one["temperature"] for one in of.settings]
    assert ROWS[backend][:5] == [order, picture, "yes", top_p(of, used), limit(of, used)]


def top_p(of, used):
    """The cell of a backend's top-p, of requests that are sampled."""
    sampled = [pair for pair in zip(of.settings, used, strict=True) if pair[0]["temperature"]]
    named = {one.get("top_p") == task["top_p"] for task, one in sampled if "top_p" in task}
    [added] = {one.get("top_p") for task, one in sampled if "top_p" not in task}
    if named == {False}:
        return "no"
    assert named == {True}
    return "yes" if added is None else f"yes; {added} where a task names none"


def limit(of, used):
    asked_for = [one["max_new_tokens"] for one in of.settings]
    used = [limit_of(one) for one in used]
    assert len(set(asked_for)) == len(TASKS)
    if used == asked_for:
        return "yes"
    least = min(used)
    assert used == [max(one, least) for one in asked_for]
    return f"at least {least:,}"


@pytest.mark.parametrize("backend", BACKENDS)
def test_with_what_the_page_says_to_pass_limits_and_top_p_are_the_task_s(
    backend, built, asked, tmp_path
):
    of = asked(kind_of(backend)[1])
    to_pass = re.findall(r"`(\w+=\S+?)`", ROWS[backend][6])
    arguments = [one for one in to_pass if not one.startswith(("top_p", "max_tokens"))]
    model, engine = built(backend, ",".join(arguments))
    ask(model, of, False, tmp_path)
    by_reply = {reply_to(parts): settings for parts, settings in engine.requests}
    for parts, task in zip(of.shown, of.settings, strict=True):
        used = by_reply[reply_to(parts)]
        assert limit_of(used) == task["max_new_tokens"]
        if "top_p" in task and task["temperature"] and ROWS[backend][3] != "no":
            assert used["top_p"] == task["top_p"]
        if task["temperature"] and "top_p" not in task:
            assert ("--gen_kwargs top_p=1" in ROWS[backend][6]) == ("top_p" in used)


@WRAPPED
@pytest.mark.parametrize("backend", [one for one in BACKENDS if kind_of(one)[0] in IN_PROCESS])
def test_an_engine_is_given_whole_batches(backend, wrapped, built, asked, tmp_path):
    """With `--batch_size` as large as the task, `resumable` makes one call of it, too."""
    assert ROWS[backend][5] == "`--batch_size`"
    of = asked(kind_of(backend)[1])
    model, engine = built(backend, batch_size=AT_ONCE)
    ask(model, of, wrapped, tmp_path / "small")
    sizes = [len(call) for call in engine.calls]
    tasks = len(TASKS) if wrapped else 1  # a block of `resumable` is of one task
    of_a_task = len(of.shown) // tasks
    assert sizes == [
        min(AT_ONCE, of_a_task - begin) for _ in range(tasks) for begin in range(0, of_a_task, 3)
    ]
    model, engine = built(backend, batch_size=64)
    ask(model, of, wrapped, tmp_path / "large")
    assert [len(call) for call in engine.calls] == [of_a_task] * tasks


@pytest.mark.parametrize("backend", ["vllm", "vllm_generate", "openai"])
def test_resumable_gives_each_sampled_request_a_seed_of_its_own(backend, built, asked, tmp_path):
    of = asked(False)
    model, engine = built(backend)
    ask(model, of, True, tmp_path)
    sampled = [one for _, one in engine.requests if one["temperature"]]
    assert len({one["seed"] for one in sampled}) == len(sampled) == 2 * LIMIT
    assert not [one for _, one in engine.requests if not one["temperature"] and one.get("seed")]


def test_the_recipe_of_the_engine(built):
    """What the page passes reaches the engine as it should."""
    [recipe] = re.findall(r"--model vllm --model_args '([^']+)'", PAGE)
    model, engine = built("vllm", recipe, batch_size="256")
    assert engine.built["limit_mm_per_prompt"] == {"image": 8}
    assert engine.built["model"] == "Qwen/Qwen2.5-VL-7B-Instruct"
    assert (model.max_new_tokens, model.batch_size_per_gpu) == (1, 256)
