"""Models and tasks with habits of their own: no answer is lost, or recorded as another."""

import copy
import os
import pickle
import signal

import datasets
import pytest
from PIL import Image

from pairbench_ext.resumable.ahead import Ahead
from pairbench_ext.resumable.asks import Asks, looked_up
from tests.asked_models import Asked
from tests.pairbench_ext.resumable.test_ahead import Docs, answers, requests_to
from tests.pairbench_ext.resumable.test_blocks import ask, requests_for

COLOURS = ["red", "green", "blue", "white"]


def pictures(*colours):
    return [
        {"question": "same", "images": [Image.new("RGB", (4, 4), colour)]} for colour in colours
    ]


class Forking(Asked):
    """Has pictures shown in a forked process, as a loader of data with workers does."""

    def _batch(self, batch):
        if not (child := os.fork()):
            signal.alarm(5)  # or a test that fails would wait for ever
            try:
                super()._batch(batch)
            finally:
                os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        return super()._batch(batch)


def test_a_process_that_was_forked_does_not_wait_for_threads(tmp_path):
    docs = Docs(8)
    again = Forking()
    assert answers(Forking(), tmp_path, docs) == answers(again, tmp_path, docs)
    assert again.asked == []


def test_a_fork_waits_for_no_lock_and_no_thread():
    docs = Docs(8)
    base = Asked()
    base.task_dict = {"task": {"test": docs}}
    asks = Asks(base, b"model").make(requests_to(docs))
    with Ahead(asks, 8) as ahead:
        ahead.expect(asks)
        with ahead._lock:  # as some thread may, at that moment
            child = os.fork()
            if not child:
                signal.alarm(5)
                os._exit(int(ahead.show(asks[1], docs[1])[0].getpixel((0, 0)) != (1, 0, 0)))
        assert os.waitpid(child, 0)[1] == 0


class Bearing(Asked):
    """Asks on when a document cannot be shown."""

    def _batch(self, batch):
        return [self._borne(one) for one in batch]

    def _borne(self, one):
        try:
            return super()._batch([one])[0]
        except OSError:
            return "It shows nothing."


@pytest.mark.parametrize("threads", [False, True])
def test_a_document_that_cannot_be_shown_costs_no_other_answer(threads, tmp_path, said):
    docs = Docs(6)
    docs.shows_in_threads = threads
    broken = {2}

    def show(doc):
        if doc.number in broken:
            raise OSError("no such file")
        return docs.show(doc)

    def asked(base):
        return ask(base, tmp_path, docs, requests_to(docs, show), block=8)

    base = Bearing()
    first = asked(base)
    assert sorted(doc for _, doc, _ in base.asked) == [0, 1, 3, 4, 5]
    assert "document 2 of task shows nothing, but raises OSError (no such file)" in said[0]
    broken.clear()
    again = Bearing()
    assert [a for a in asked(again) if a not in first] == [asked(Bearing())[2]]
    assert [doc for _, doc, _ in again.asked] == [2]


def test_what_could_not_be_shown_for_a_moment_is_recorded(tmp_path):
    docs = Docs(3)
    ask(Asked(), tmp_path, docs, requests_to(docs))
    calls = []

    def show(doc):
        calls.append(doc.number)
        if calls == [0]:
            raise OSError("stale file handle")
        return docs.show(doc)

    docs.shows_in_threads = False
    # The journal has answers to these, but for what they show: so they are looked at first.
    docs.show = lambda doc, inner=docs.show: [inner(doc)[0].rotate(90, expand=True).resize((5, 5))]
    base, again = Asked(), Asked()
    answers = ask(base, tmp_path, docs, requests_to(docs, show))
    assert len(base.asked) == 3
    assert ask(again, tmp_path, docs, requests_to(docs, show)) == answers
    assert again.asked == []


def of_one_document(*parts):
    """Requests about one document that ask and show something else each."""
    made = [requests_for([{"question": text}])[0] for text, _ in parts]
    for part, (request, (_, colour)) in enumerate(zip(made, parts, strict=True)):
        text, settings, _, *place = request.args
        image = Image.new("RGB", (4, 4), colour)
        request.arguments = (text, settings, lambda _, image=image: [image], *place)
        request.idx = part
    return made


def test_a_request_is_not_taken_for_another_one_of_its_document(tmp_path):
    table = [{"question": "", "images": []}]
    ask(Asked(batch_size=1), tmp_path, table, of_one_document(("a", "red"), ("b", "red")))
    # The first is looked at before it is asked; the second only when it is.
    changed = of_one_document(("a", "white"), ("c", "blue"))
    base, again = Asked(batch_size=1), Asked(batch_size=1)
    answers = ask(base, tmp_path, table, changed)
    assert len(base.asked) == 2
    assert ask(again, tmp_path, table, of_one_document(("a", "white"), ("c", "blue"))) == answers
    assert again.asked == []
    ask(again, tmp_path, table, of_one_document(("a", "white"), ("c", "white")))
    assert len(again.asked) == 1


def test_threads_show_a_document_by_the_function_that_is_asked(tmp_path):
    """Two functions of one document, expected at once: each gets its own."""
    docs = Docs(5)
    requests = [
        *requests_to(docs),
        *requests_to(docs, lambda doc: [Image.new("RGB", (9, 9), (0, doc.number, 0))]),
    ]
    for request in requests[5:]:
        request.idx = 1
    base = Asked(batch_size=1)
    base.task_dict = {"task": {"test": docs}}
    plain = base.generate_until(requests)
    assert ask(Asked(batch_size=1), tmp_path, docs, requests, block=10) == plain
    again = Asked(batch_size=1)
    assert ask(again, tmp_path, docs, requests, block=10) == plain
    assert again.asked == []


class Drawing(Asked):
    """Draws on what it is shown, once it has answered."""

    def _answer(self, task, doc_id, shown):
        answer = super()._answer(task, doc_id, shown)
        for image in shown[-1]:
            image.paste("black", (0, 0, 2, 2))
        return answer


def test_a_model_that_draws_on_pictures(tmp_path):
    """The second of two answers was to another picture, and is not recorded as if it was not."""
    table = pictures(*COLOURS)
    first = ask(Drawing(), tmp_path, table)
    again = Drawing()
    assert ask(again, tmp_path, pictures(*COLOURS)) == first  # of one request there is no doubt
    assert again.asked == []
    table = pictures("pink")
    answers = ask(Drawing(), tmp_path, table, repeats=2)
    assert len(set(answers)) == 2
    ask(again, tmp_path, pictures("pink"), repeats=2)
    assert len(again.asked) == 1


def test_a_film_that_changes_while_the_run_goes_on(tmp_path):
    """It was looked at before the first request was asked, and is another one when it is asked."""
    path = tmp_path / "film.mp4"
    table = [{"question": "a", "images": []}, {"question": "b", "images": [str(path)]}]

    class Changed(Asked):
        new = "green"

        def _answer(self, task, doc_id, shown):
            if self.new and doc_id == 0:
                path.write_text(self.new)
            return super()._answer(task, doc_id, shown)

    path.write_text("red")
    journal = tmp_path / "journal"
    Changed.new = ""
    ask(Changed(), journal, table)
    path.write_text("blue")
    table[0]["images"] = [Image.new("RGB", (4, 4))]
    Changed.new = "green"
    ask(Changed(), journal, table)
    Changed.new = ""
    for colour in ("red", "green", "blue"):
        path.write_text(colour)
        assert ask(Changed(), journal, table) == ask(Changed(), tmp_path / colour, table)


def test_a_task_that_draws_on_the_pictures_of_its_documents(tmp_path):
    """Of two requests about a document each counts with what was drawn for it."""

    def requests(table, *colours):
        made = [requests_for(table)[0] for _ in colours]
        for part, (request, colour) in enumerate(zip(made, colours, strict=True)):

            def show(doc, colour=colour):
                doc["image"].paste(colour, (0, 0, 2, 2))
                return [doc["image"]]

            text, settings, _, *place = request.args
            request.arguments = (text, settings, show, *place)
            request.idx = part
        return made

    def run(*colours):
        base = Asked(batch_size=1)
        table = [{"question": "same", "image": Image.new("RGB", (4, 4))}]
        return ask(base, tmp_path, table, requests(table, *colours)), len(base.asked)

    run("red", "red")
    first, _ = run("white", "blue")
    assert run("white", "blue") == (first, 0)
    assert run("white", "green")[1] == 1


def test_documents_can_be_copied_sent_and_sliced():
    table = datasets.Dataset.from_dict({"question": ["a", "b", "c"]})
    base = Asked()
    base.task_dict = {"task": {"test": table}}
    [ask] = Asks(base, None).make(requests_for([{"question": "a"}]))
    number = ask.through(print, takes_seed=False).args[3]
    with looked_up(base):
        found = base.task_dict["task"]["test"]
        doc = found[number]
        for made in (copy.copy(doc), copy.deepcopy(doc), pickle.loads(pickle.dumps(doc))):
            assert type(made) is dict
            assert made == doc == {"question": "a"}
        assert pickle.loads(pickle.dumps(number)) == 0
        assert found[:2] == {"question": ["a", "b"]}
        assert list(found["question"]) == ["a", "b", "c"]
