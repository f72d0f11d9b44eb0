"""What a request shows is shown once: to the model, whose answer is recorded under what it saw."""

import io

import datasets
import pytest
from PIL import Image, ImageFile

from pairbench_ext.resumable import entries
from pairbench_ext.resumable.model import Resumable
from pairbench_ext.resumable.order import Sizes
from tests.asked_models import Asked, AskedChat
from tests.pairbench_ext.resumable.test_blocks import DRAWN, GREEDY, ask, docs, requests_for

NAMES = "abcdefgh"


class Task:
    """Counts what is shown of its documents, and what the model had been asked by then."""

    def __init__(self, base, table, show=None, **options):
        self.shown = []
        self.table = table

        def of_doc(doc):
            self.shown.append((doc["question"], len(base.calls)))
            return show(doc) if show else doc["images"]

        self.requests = requests_for(table, **options)
        for request in {id(one): one for one in self.requests}.values():
            text, settings, _, *place = request.args
            order = (settings, of_doc) if base.is_simple else (of_doc, settings)
            request.arguments = (text, *order, *place)


def messages(doc):
    content = [{"type": "image", "url": image} for image in doc["images"]]
    return [{"role": "user", "content": [*content, {"type": "text", "text": doc["question"]}]}]


def run(journal, base, table, **options):
    """What was shown when, and the answers."""
    show = options.pop("show", None if base.is_simple else messages)
    arguments = options.pop("arguments", {})
    task = Task(base, table, show, **options)
    return task.shown, ask(base, journal, table, task.requests, arguments=arguments)


KINDS = pytest.mark.parametrize("kind", [Asked, AskedChat], ids=["simple", "chat"])


@KINDS
@pytest.mark.parametrize("settings", [GREEDY, DRAWN], ids=str)
@pytest.mark.parametrize("repeats", [1, 2])
def test_in_a_first_run_only_the_model_has_it_shown(kind, settings, repeats, tmp_path):
    shown, answers = run(tmp_path, kind(), docs(*NAMES), settings=settings, repeats=repeats)
    assert [name for name, _ in shown] == [name for name in NAMES for _ in range(repeats)]
    assert shown[0][1] == 1  # the model was called
    base = kind()
    shown, again = run(tmp_path, base, docs(*NAMES), settings=settings, repeats=repeats)
    assert base.asked == []
    assert again == answers
    assert sorted(name for name, _ in shown) == sorted(NAMES * repeats)


@KINDS
def test_what_goes_on_looks_at_each_once(kind, tmp_path):
    run(tmp_path, kind(), docs(*NAMES[:3]))
    base = kind()
    shown, _ = run(tmp_path, base, docs(*NAMES))
    assert [name for name, calls in shown if calls == 0] == list(NAMES[:3])
    assert [name for name, calls in shown if calls] == list(NAMES[3:])
    assert len(base.asked) == 5


class OwnWay(Asked):
    """Has documents shown in a way that cannot be listened to."""

    def _batch(self, batch):
        batch = [list(args) for args in batch]
        show, table = batch[0][2], self.task_dict["task"]["test"]
        if self.way == "other documents":
            batch[0][2] = lambda doc: show({"question": doc["question"], "images": doc["images"]})
        elif self.way == "no documents":
            batch[0][2] = lambda doc: []
        else:
            batch[0][2] = lambda doc: show(table[0]) and []
        return super()._batch(batch)


@pytest.mark.parametrize("way", ["other documents", "no documents", "always the first"])
def test_a_model_that_looks_in_its_own_way(way, tmp_path):
    table = [
        {"question": "same", "images": [Image.new("RGB", (4, 4), (number, 0, 0))]}
        for number in range(6)
    ]
    base, again = OwnWay(), OwnWay()
    base.way = again.way = way
    _, answers = run(tmp_path, base, table)
    assert run(tmp_path, again, table)[1] == answers
    assert again.asked == []
    table[1]["images"] = [Image.new("RGB", (4, 4), "blue")]
    run(tmp_path, again, table)
    assert [doc for _, doc, _ in again.asked] == [1]


def test_requests_of_one_document_that_show_something_else(tmp_path):
    colours = ["red", "blue", "green"]

    def requests():
        made = [requests_for(docs("a"))[0] for _ in colours]
        for part, (request, colour) in enumerate(zip(made, colours, strict=True)):
            text, settings, _, *place = request.args
            image = Image.new("RGB", (4, 4), colour)
            request.arguments = (text, settings, lambda _, image=image: [image], *place)
            request.idx = part
        return made

    base, again = Asked(batch_size=1), Asked(batch_size=1)
    answers = ask(base, tmp_path, docs("a"), requests())
    assert len(set(answers)) == 3
    assert ask(again, tmp_path, docs("a"), requests()) == answers
    assert again.asked == []
    colours[1] = "white"
    ask(again, tmp_path, docs("a"), requests())
    assert len(again.asked) == 1


def test_tasks_whose_documents_differ_only_in_pictures(tmp_path):
    """Leaves of a benchmark: equal numbers and prompts."""
    red, blue = docs("a", "b"), [{"question": x, "images": [Image.new("L", (3, 3))]} for x in "ab"]
    requests = [*requests_for(red), *requests_for(blue, task="other")]

    def run_both(base, *names):
        base.task_dict = {"task": {"test": red}, "other": {"test": blue}}
        model = Resumable(base, tmp_path, arguments={})
        outputs = model.generate_until([r for r in requests if r.args[-2] in names])
        model.clean()
        return outputs

    answers = run_both(Asked(), "task", "other")
    again = Asked()
    assert run_both(again, "other") == answers[2:]
    assert run_both(again, "other", "task") == answers
    assert again.asked == []
    assert {entry.repeat for entry in entries(tmp_path)} == {0}


def test_sizes_are_read_from_headers(monkeypatch):
    def encoded(side):
        file = io.BytesIO()
        Image.new("RGB", (side, 2)).save(file, "PNG")
        return {"bytes": file.getvalue(), "path": None}

    cells = [encoded(3), encoded(5), {"bytes": b"no picture", "path": None}, None]
    features = datasets.Features({"image": datasets.Image(), "other": datasets.Value("int64")})
    table = datasets.Dataset.from_dict({"image": cells, "other": [0] * 4}, features=features)
    monkeypatch.setattr(ImageFile.ImageFile, "load", lambda _: pytest.fail("decoded"))
    sizes = Sizes()
    assert [sizes.of(table, number) for number in range(4)] == [6, 10, 0, 0]
