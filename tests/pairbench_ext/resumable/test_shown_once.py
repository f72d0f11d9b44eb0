"""What a request shows is shown once: to the model, whose answer is recorded under what it saw."""

import pytest

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
