"""Models and tasks with habits of their own: no answer is lost, or recorded as another."""

import pytest
from PIL import Image

from tests.asked_models import Asked
from tests.pairbench_ext.resumable.test_blocks import ask, requests_for


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


@pytest.mark.parametrize(
    "arguments",
    [
        {"api_key": "SECRET"},
        {"base_url": "https://host/v1?api_key=SECRET"},
        {"extra_body": {"nested": [{"authorization": "Bearer SECRET"}]}},
    ],
    ids=lambda arguments: " ".join(arguments),
)
def test_no_file_of_a_journal_holds_an_argument_of_the_model(arguments, tmp_path, said):
    ask(Asked(), tmp_path, [{"question": "a", "images": []}], arguments=arguments)
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert any(b"task" in file.read_bytes() for file in files)
    assert not any(b"SECRET" in file.read_bytes() for file in files)
    assert not any("SECRET" in line for line in said)
