"""What threads show ahead is what would have been shown, in any order, and nobody waits for it."""

import random  # noqa: TID251  (which order a model asks in, not what it is asked)
import threading

import pytest
from PIL import Image

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
        if self.order is None:
            return super().generate_until(requests)
        places = sorted(range(len(requests)), key=self.order)
        answers = {k: self._batch([requests[k].args])[0] for k in places}
        return [answers[k] for k in range(len(requests))]


def answers(base, journal, docs, **options):
    block = options.pop("block", 16)
    return ask(base, journal, docs, requests_to(docs, **options), block=block)


ORDERS = {"as given": None, "any": lambda k: random.Random(k).random()}


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
