"""What threads show ahead is what would have been shown, in any order, and nobody waits for it."""

import random  # noqa: TID251  (which order a model asks in, not what it is asked)
import threading

import pytest
from PIL import Image

from pairbench_ext.resumable import ahead as module
from pairbench_ext.resumable.ahead import Ahead
from pairbench_ext.resumable.order import largest_first, pixels_of
from tests.asked_models import Asked
from tests.pairbench_ext.resumable.test_blocks import DRAWN, GREEDY, ask, requests_for


class Doc(dict):
    def __init__(self, docs, number):
        super().__init__(question=f"Question {number % 3}?")
        self.docs = docs
        self.number = number


class Docs(list):
    """Documents that show a picture of their number, of three sizes."""

    shows_in_threads = True

    def __init__(self, size=40):
        super().__init__(Doc(self, number) for number in range(size))
        self.threads = []

    def pixels(self, number):
        return (8 + number % 3) ** 2

    def show(self, doc):
        self.threads.append(threading.current_thread().name)
        side = 8 + doc.number % 3
        return [Image.new("RGB", (side, side), (doc.number, 0, 0))]


def requests_to(docs, show=None, **options):
    requests = requests_for(docs, **options)
    for request in requests:
        request.arguments = tuple((show or docs.show) if callable(x) else x for x in request.args)
    return requests


class Looking(Asked):
    """Asks for what is shown in an order of its own."""

    def __init__(self, order=None):
        super().__init__()
        self.order = order

    def generate_until(self, requests):
        self.calls.append(len(requests))
        if self.order is None:
            return super().generate_until(requests)
        places = sorted(range(len(requests)), key=lambda k: self.order(k, requests[k].args[0]))
        answers = {k: self._batch([requests[k].args])[0] for k in places}
        return [answers[k] for k in range(len(requests))]


def answers(base, journal, docs, **options):
    block = options.pop("block", 16)
    return ask(base, journal, docs, requests_to(docs, **options), block=block)


ORDERS = {
    "as given": None,
    "by text": lambda k, text: text,
    "backwards": lambda k, text: -k,
    "any": lambda k, text: random.Random(k).random(),
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("settings", [GREEDY, DRAWN], ids=str)
def test_answers_are_those_without_threads(order, settings, tmp_path):
    plain = Docs()
    plain.shows_in_threads = False
    expected = answers(Looking(ORDERS[order]), tmp_path / "a", plain, settings=settings)
    assert set(plain.threads) == {"MainThread"}
    docs, again = Docs(), Docs()
    base = Looking(ORDERS[order])
    assert answers(base, tmp_path / "b", docs, settings=settings) == expected
    assert sorted(doc for _, doc, _ in base.asked) == list(range(40))
    assert any(name.startswith("ahead") for name in docs.threads)
    # A journal without threads is one with them, and the other way round.
    nobody = Looking()
    assert answers(nobody, tmp_path / "a", again, settings=settings) == expected
    assert nobody.asked == []


def test_the_order_that_a_base_keeps_to_is_found_out(tmp_path):
    docs = Docs(120)
    base = Looking(ORDERS["by text"])
    base.task_dict = {"task": {"test": docs}}
    requests = requests_to(docs)
    with Ahead(base, 8) as ahead:
        for start in (0, 60):
            block = requests[start : start + 60]
            ahead.expect(block)
            base.generate_until([ahead.through(one) for one in block])
            handed, ahead._handed = ahead._handed, 0
    assert handed > 50  # of the 60 of the second call


def test_what_was_asked_is_not_gone_through_again():
    class Counted(list):
        looks = 0

        def __getitem__(self, place):
            self.looks += 1
            return super().__getitem__(place)

        def __iter__(self):
            for one in super().__iter__():
                self.looks += 1
                yield one

    requests = Counted(module._Expected((0, number), print, ()) for number in range(500))
    order = module._Order(requests, 0.0)
    requests.looks = 0
    for number in range(499):
        order.take((0, number))
        assert next(order.following()).key == (0, number + 1)
    assert requests.looks <= 2 * 500


def test_an_error_is_raised_where_the_document_is_asked_for():
    docs = Docs(6)
    base = Asked()
    base.task_dict = {"task": {"test": docs}}

    def show(doc):
        if doc.number == 3:
            raise OSError("a bad file")
        return docs.show(doc)

    with Ahead(base, 4) as ahead:
        ahead.expect(requests_to(docs, show))
        for doc in docs:
            if doc.number == 3:
                with pytest.raises(OSError, match="a bad file"):
                    ahead.show(show, doc)
            else:
                assert ahead.show(show, doc)[0].getpixel((0, 0)) == (doc.number, 0, 0)


def test_no_more_waits_than_fits(monkeypatch):
    monkeypatch.setattr(module, "MAX_BYTES", 3 * 4 * 10 * 10)
    docs = Docs(60)
    base = Asked()
    base.task_dict = {"task": {"test": docs}}
    with Ahead(base, 32) as ahead:
        for doc in docs[:3]:  # now it knows how large they are
            ahead.show(docs.show, doc)
        ahead.expect(requests_to(docs))
        assert len(ahead._waiting) == 3
        for doc in docs:
            ahead.show(docs.show, doc)
            assert len(ahead._waiting) <= 3


def test_after_an_exception_nothing_goes_on(tmp_path):
    class Breaks(Asked):
        def generate_until(self, requests):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        answers(Breaks(), tmp_path, Docs())
    assert not any(thread.name.startswith("ahead") for thread in threading.enumerate())


def test_pictures_of_one_size_are_asked_together(tmp_path):
    base = Looking()
    replies = answers(base, tmp_path, Docs(), block=8)
    asked = [doc for _, doc, _ in base.asked]
    assert asked == sorted(range(40), key=lambda number: -(number % 3))
    plain = Looking()
    assert replies == answers(plain, tmp_path / "one by one", Docs(), block=40)


def test_drawn_answers_keep_their_order(tmp_path):
    base = Looking()
    answers(base, tmp_path, Docs(), settings=DRAWN, block=8)
    assert [doc for _, doc, _ in base.asked] == list(range(40))


def test_tasks_stay_together():
    class Some:
        def __init__(self, task, pixels):
            self.task, self.pixels = task, pixels

    def pixels(ask):
        return ask.pixels

    asks = [Some("a", 1), Some("a", 2), Some("b", 1), Some("b", 9), Some("a", 5)]
    places = [place for place, _ in largest_first(asks, lambda ask: False, pixels)]
    assert places == [1, 0, 3, 2, 4]
    assert [place for place, _ in largest_first(asks, lambda ask: True, pixels)] == [0, 1, 2, 3, 4]


def test_pixels_of_messages():
    image = Image.new("L", (5, 2))
    messages = [
        {"role": "user", "content": [{"type": "image", "url": image}, {"type": "text", "text": ""}]}
    ]
    assert pixels_of(messages) == 10
    assert pixels_of(None) == pixels_of("a.png") == pixels_of([3.5, b"ab"]) == 0


def test_threads_show_no_task_that_may_ask_the_model(tmp_path):
    """Whether a model can be asked without an image is found out by asking it: not by threads."""
    from types import SimpleNamespace

    from pairbench_ext.harness.documents import TrialDocs

    class Trials(list):
        text_only, entry, where = False, SimpleNamespace(rule=None), "here"

    benchmark = SimpleNamespace(rule_name=lambda rule: rule)
    docs = TrialDocs(benchmark, Trials([{}]))
    assert docs.shows_in_threads
    docs.trials.text_only = True
    assert not docs.shows_in_threads
    assert not TrialDocs(benchmark, Trials()).shows_in_threads  # a stand-in is asked
