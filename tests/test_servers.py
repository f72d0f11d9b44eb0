"""What servers are asked by the harness's own backends, beside the table of the page.

The backends run as they are installed, in `resumable`; they ask a real HTTP server on this machine.
"""

import base64
import hashlib
import io
import os
import re
import shlex
import shutil

import pytest
import yaml
from lmms_eval.models import get_model
from PIL import Image

from pairbench_ext.resumable.model import Resumable
from pairbench_ext.resumable.requests import as_new, parts_of, takes_seed
from pairbench_ext.stacks.plain import open_task
from tests.conftest import REPOSITORY, preference_rows, write_split
from tests.endpoints import Endpoint
from tests.evaluations import shared
from tests.files import pairbench
from tests.judges import CannedChatJudge, CannedJudge, evaluate

# Greedy with 512 tokens; sampled with top-p; with texts around the pictures, which is asked here
# as VLM-SubtleBench's real tasks are: sampled without top-p.
TASKS = ("pairbench_coco_rotate", "vl_rewardbench_k5", "subtlebench_demo")
WITHOUT_TOP_P = {"do_sample": True, "temperature": 0.5}
LIMIT = 6
PAGE = (REPOSITORY / "docs" / "servers.md").read_text(encoding="utf-8")
BACKENDS = ("openai", "openai --force_simple", "async_openai")


def row_of(backend):
    """The cells of a backend in the page's table."""
    [line] = [line for line in PAGE.splitlines() if line.startswith(f"| `{backend}` |")]
    return [cell.strip() for cell in line.strip("|").split("|")][1:]


class Takes:
    """Takes note of the requests of an evaluation."""

    def generate_until(self, requests):
        self.requests, self.docs = list(requests), dict(self.task_dict)
        return [""] * len(requests)


class TakesSimple(Takes, CannedJudge):
    pass


class TakesChat(Takes, CannedChatJudge):
    pass


def shown(message):
    """The texts of an OpenAI message, and the pixels of its pictures."""
    for part in message["content"]:
        if part["type"] == "text":
            yield part["text"]
        else:
            header, _, data = part["image_url"]["url"].partition(",")
            assert header == "data:image/png;base64"
            image = Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")
            yield image.size, image.tobytes()


def reply_to(messages):
    """A reply by which what was shown is known again."""
    *system, message = messages
    told = [part["text"] for one in system for part in one["content"]]
    return hashlib.sha256(repr([*told, *shown(message)]).encode()).hexdigest()[:12]


@pytest.fixture
def requests(pairbench_data, vlrb_data, task_manager, monkeypatch):
    """Takes a style; gives the requests of three tasks, their documents, and the replies."""
    monkeypatch.setenv("PAIRBENCH_DATA", str(pairbench_data))
    monkeypatch.setenv("VL_REWARDBENCH_DATA", str(vlrb_data))

    def take(simple):
        judge = (TakesSimple if simple else TakesChat)(None)
        evaluate(judge, TASKS, task_manager, limit=LIMIT)
        tasks, replies = {name: open_task(name) for name in TASKS}, []
        for request in judge.requests:
            if request.args[4] == "subtlebench_demo":
                parts_of(request, simple).settings.update(WITHOUT_TOP_P)
            messages = tasks[request.args[4]][request.args[3]].messages
            if simple:
                pictures = [p for p in messages[-1]["content"] if p["type"] != "text"]
                text = {"type": "text", "text": request.args[0]}
                messages = [{"role": "user", "content": [text, *pictures]}]
            replies.append(reply_to(messages))
        return judge.requests, judge.docs, replies

    return take


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_row_of_a_backend(backend, requests, tmp_path):
    """Order, number, size and format of pictures, and settings, are as the table says."""
    name, _, flag = backend.partition(" ")
    asked, docs, expected = requests(bool(flag))
    with Endpoint(reply_to, whole=True) as endpoint:
        model = get_model(name, force_simple=bool(flag)).create_from_arg_string(
            f"model_version=m,base_url={endpoint.url},api_key=none,max_retries=1", {}
        )
        model.task_dict = docs
        model.clean = lambda: None  # it would search all memory for what a GPU holds
        outer = Resumable(model, tmp_path, arguments={}, block=None)
        outputs = outer.generate_until([as_new(one) for one in asked])
        outer.clean()
        bodies = [body for _, _, body in endpoint.requests]
    sent = {reply_to(body["messages"]): body for body in bodies}
    assert [getattr(output, "text", output) for output in outputs] == expected
    used = [sent[reply] for reply in expected]
    settings = [parts_of(one, bool(flag)).settings for one in asked]
    assert [one["temperature"] for one in used] == [one["temperature"] for one in settings]
    limits = [one.get("max_tokens", one.get("max_completion_tokens")) for one in used]
    assert limits == [one["max_new_tokens"] for one in settings]
    named = [
        body.get("top_p") == one["top_p"]
        for body, one in zip(used, settings, strict=True)
        if one["temperature"] and "top_p" in one
    ]
    assert len(set(named)) == 1
    order = "text, then pictures" if flag else "as the task"
    assert row_of(backend)[:5] == [order, "PNG", "yes", "yes" if named[0] else "no", "yes"]
    if backend == "openai":  # and `resumable` gives each sampled request a seed of its own
        seeds = [body.get("seed") for body in bodies if body["temperature"]]
        assert len(set(seeds)) == len(seeds) == 2 * LIMIT
        assert not [body for body in bodies if not body["temperature"] and body.get("seed")]


def test_backends_that_take_a_seed_per_request_are_known():
    for name in ("vllm", "openai"):
        assert takes_seed(object.__new__(get_model(name))), name
    assert not takes_seed(CannedJudge(None))


def test_the_recipe_for_ci_runs_as_it_stands(tmp_path, monkeypatch):
    """Against a server: too few items tell nothing, and a judge that answers no longer fails."""
    page = (REPOSITORY / "docs" / "gate.md").read_text(encoding="utf-8")
    [recipe] = map(yaml.safe_load, re.findall(r"^```yaml\n(.*?)^```", page, re.M | re.S))
    install, ask, gate = (step["run"] for step in recipe["judge"]["steps"] if "run" in step)
    assert (
        install == 'pip install "$PAIRBENCH"'
    )  # of this package, not of the repository it checks out
    assert recipe["judge"]["env"].pop("PAIRBENCH").startswith("pairbench-ext[lmms-eval] @ git")
    items = [(f"RLAIF-V-{n}", n % 2, None) for n in range(12)]
    write_split(tmp_path / "data_of", "data", "test", preference_rows(items))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VL_REWARDBENCH_DATA", str(tmp_path / "data_of"))
    with Endpoint(lambda _: "Overall Judgment: Answer 1 is better.") as server:
        mine = {"MODEL": "stub", "OPENAI_API_BASE": server.url, "OPENAI_API_KEY": "key"}
        assert {*mine} == {*recipe["judge"]["env"]}
        for name, value in mine.items():
            monkeypatch.setenv(name, value)
        program, *words = shlex.split(os.path.expandvars(ask))
        ended = shared().command(words, str(tmp_path), dict(os.environ))
    assert (program, ended[0]) == ("lmms-eval", [0]), ended
    assert server.requests[0][1]["authorization"] == "Bearer key"
    shutil.copytree(tmp_path / "out" / "new", tmp_path / "baseline")
    program, *words = shlex.split(gate)
    assert program == "pairbench"
    assert pairbench(*words, status=3).stdout.startswith("cannot tell: ")
    for log in (tmp_path / "out").rglob("*_samples_*.jsonl"):
        log.write_text(log.read_text().replace("Overall Judgment: Answer 1 is better.", "Hm."))
    assert pairbench(*words, status=1).stdout.startswith("failed: ")
