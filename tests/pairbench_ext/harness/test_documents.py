"""What the harness takes for a dataset."""

from pairbench_ext.harness import hooks
from pairbench_ext.harness.documents import TrialDocs
from tests.toy_benchmark import TOY, Trials


class Four(Trials):
    """Four trials that are read from nowhere."""

    requests = tuple({"row": row, "wording": "plain"} for row in range(4))

    def describe(self, request):
        return {**request, "item": "a", "truth": "yes", "rule": None}


def test_docs_look_trials_up_when_asked():
    docs = TrialDocs(TOY, Four({}))
    assert len(docs) == 4
    assert docs[2] == {"row": 2, "wording": "plain", "item": "a", "truth": "yes", "rule": None}
    assert [doc["row"] for doc in docs] == [0, 1, 2, 3]
    assert [doc["row"] for doc in docs[1:3]] == [1, 2]
    assert not dict(docs.features)  # no image column for the harness to remove


def test_nothing_is_read_before_the_first_document():
    class Failing(Four):
        @property
        def requests(self):
            raise ValueError("the source's own message")

    docs = TrialDocs(TOY, Failing({}))
    assert docs.failure == "ValueError: the source's own message"


def test_a_document_knows_which_kind_of_backend_asks(tmp_path, monkeypatch):
    class Silent(Four):
        def ask(self, trial):
            from pairbench_ext.core.benchmark import Request

            return Request(("Is it?",))

    docs = TrialDocs(TOY, Silent({}))
    assert docs.protocol is None
    hooks.doc_to_messages(docs[0])
    assert docs.protocol == "chat"
    hooks.doc_to_visual(docs[0])
    assert docs.protocol == "simple"
