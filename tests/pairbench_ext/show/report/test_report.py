"""What is in the page: which answers are side by side, what stands out, which items are chosen."""

import base64
import json
import re
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairbench_ext.core.registry import benchmark_of
from pairbench_ext.runs.scoring import score_file
from pairbench_ext.show.report.answers import Answer, Place, SampleFile
from pairbench_ext.show.report.items import Mark, chosen, items_of
from pairbench_ext.show.report.overview import _shown
from pairbench_ext.show.report.pieces import LONGEST, block, cut, packed, utf16
from tests.conftest import REPOSITORY, preference_rows, write_split
from tests.files import pairbench
from tests.judge_logs import TASK, say, write_log, write_rows


def answer(item, order="fwd", said="a", *, group="g", condition="", wrong=False, why=""):
    return Answer(
        place=Place(0, 0, 0),
        item=item,
        group=group,
        condition=condition,
        order=order,
        said=None if why else said,
        score=float(not wrong),
        wrong=wrong,
        verdict=said,
        why=why,
    )


def marks(*judges):
    return [[question.marks for question in item.questions] for item in items_of(list(judges))]


def unpacked(page, name):
    found = re.search(rf'<script type="text/plain" id="{name}">(.*)</script>', page)
    return json.loads(zlib.decompress(base64.b64decode(found[1])))


def test_answers_to_the_same_question_stand_side_by_side():
    one = [answer("i"), answer("i"), answer("j", condition="sens")]
    other = [answer("j", condition="inv"), answer("i", said="b"), answer("i", "rev")]
    items = items_of([one, other])
    assert [item.key for item in items] == ["i", "j"]
    asked = [[a is not None for a in q.answers] for item in items for q in item.questions]
    assert asked == [[True, True], [True, False], [False, True], [True, False], [False, True]]


def test_several_texts_of_one_question_are_told_apart():
    """Judges may have been asked in any of them; votes on one text stay votes."""
    one = [answer("i", condition="sens")._replace(text=text) for text in (7, 8, 8)]
    other = [answer("i", condition="sens")._replace(text=text) for text in (70, 80)]
    [item] = items_of([one, other])
    asked = [(q.condition, [a is not None for a in q.answers]) for q in item.questions]
    assert asked == [
        ("sens, prompt 1", [True, True]),
        ("sens, prompt 2", [True, True]),
        ("sens, prompt 2", [True, False]),
    ]
    [item] = items_of([[answer("i")._replace(text=text) for text in (7, None)]])
    assert [q.condition for q in item.questions] == ["", ""]


def test_samples_say_in_which_text_they_were_asked():
    log = REPOSITORY / "tests/logs_0_1/pairbench/1_samples_pairbench_birds_rotate_all_prompts.jsonl"
    run = score_file(benchmark_of("pairbench"), log)
    items = items_of([list(SampleFile(run.benchmark, log, run.readings).answers())])
    conditions = {question.condition for item in items for question in item.questions}
    assert conditions == {f"{name}, prompt {n}" for name in ("sens", "inv") for n in range(1, 6)}


def test_a_benchmark_without_headline_and_intervals_is_in_the_overview():
    [first] = _shown(benchmark_of("vl_rewardbench_label"))
    assert first.name == "labelled"
    shown = _shown(benchmark_of("vl_rewardbench"))
    assert all(one.ends or one.name == "vote_accuracy" for one in shown)


def test_what_stands_out():
    flipped = [answer("i", "fwd", "a"), answer("i", "rev", "b", wrong=True)]
    steady = [answer("i", "fwd", "a"), answer("i", "rev", why="no verdict")]
    [questions] = marks(flipped, steady)
    asked = Mark.ASKED
    assert questions[0] == [asked | Mark.RIGHT | Mark.FLIPPED, asked | Mark.RIGHT]
    assert questions[1] == [asked | Mark.WRONG | Mark.FLIPPED, asked | Mark.UNREAD]
    [[both]] = marks([answer("i", said="a")], [answer("i", said="b")])
    assert both == [asked | Mark.RIGHT | Mark.DISAGREES] * 2


def test_what_can_be_read_in_part_is_right_or_wrong_and_unread():
    """As in CAST, whose trials have many replies: one that cannot be read does not undo them."""
    part = answer("i", why="no answer")._replace(unread=2, replies=9)
    lost = answer("j", why="no answer", wrong=True)._replace(unread=9, replies=9)
    [[[both]], [[none]]] = marks([part, lost])
    assert both == Mark.ASKED | Mark.RIGHT | Mark.UNREAD
    assert none == Mark.ASKED | Mark.UNREAD


@pytest.mark.parametrize(
    ("fwd", "rev", "flips"),
    [("aab", "bba", True), ("aab", "baa", False), ("ab", "bb", False), ("a", "", False)],
)
def test_votes_flip_by_what_is_said_most(fwd, rev, flips):
    votes = [answer("i", "fwd", said) for said in fwd] + [answer("i", "rev", said) for said in rev]
    assert all(
        bool(mark & Mark.FLIPPED) == flips for [[mark], *_] in marks(votes) for mark in [mark]
    )


def test_conditions_do_not_flip_each_other():
    votes = [answer("i", "fwd", "a", condition="x"), answer("i", "rev", "b", condition="y")]
    assert not any(mark & Mark.FLIPPED for item in marks(votes) for [mark] in item)


def test_flipped_and_unread_items_come_first_then_every_group():
    judge = [answer(f"i{n}", group="ab"[n > 20]) for n in range(30)]
    judge += [answer("odd", "fwd", "a"), answer("odd", "rev", "b"), answer("un", why="none")]
    items = items_of([judge])
    taken = chosen(items, 8)
    assert [item.key for item in taken][-2:] == ["odd", "un"]
    groups = [item.group for item in taken[:-2]]
    assert (groups.count("a"), groups.count("b")) == (3, 3)
    assert chosen(items, None) == items
    assert {item.key for item in chosen(items, 2)} == {"odd", "un"}


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans())), st.integers(1, 20))
def test_as_many_items_as_are_wanted(kinds, most):
    judge = [answer(n, group=g, why="x" * unread) for n, (g, unread) in enumerate(kinds)]
    items = items_of([judge])
    taken = chosen(items, most)
    assert len(taken) == min(most, len(items))
    assert [item.key for item in taken] == sorted(item.key for item in taken)


@given(st.text(), st.integers(0, 50))
def test_places_as_the_browser_counts_them(text, place):
    place = min(place, len(text))
    assert utf16(text, place) == len(text[:place].encode("utf-16-le", "surrogatepass")) // 2
    assert text.isascii() <= (utf16(text, place) == place)


def test_long_texts_keep_both_ends():
    text = "a" * LONGEST + "bc"
    shown = cut(text)
    assert shown.startswith("aaa")
    assert shown.endswith("bc")
    assert "[... 2 characters are left out here ...]" in shown
    assert cut("a" * LONGEST) == "a" * LONGEST


@given(st.recursive(st.text(st.characters()), st.lists))
def test_no_text_ends_its_block(value):
    inside = block("x", packed(value))[
        len('<script type="text/plain" id="x">') : -len("</script>\n")
    ]
    assert re.fullmatch(r"[A-Za-z0-9+/=]*", inside)


@pytest.fixture(scope="module")
def right(tmp_path_factory):
    folder = tmp_path_factory.mktemp("judge")
    write_split(folder / "data_of", "data", "test", preference_rows())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VL_REWARDBENCH_DATA", str(folder / "data_of"))
        yield write_log(folder / "right", lambda trial, better: say(better))


def report(*arguments):
    found = pairbench("report", *arguments)
    return found.exit_code, found.output


def test_images_are_there_once_or_not_at_all(right, tmp_path):
    for images, number in (("thumb", 8), ("full", 8), ("none", 0)):
        out = tmp_path / f"{images}.html"
        code, said = report(right, "--out", out, "--images", images)
        assert (code, f"{number} images)" in said) == (0, True), said
        page = out.read_text()
        assert len(re.findall(r'id="picture-\d+"', page)) == number
        [first, *_] = unpacked(page, "detail-0-0")
        parts = first["questions"][0]["parts"]
        assert [not isinstance(part, str) for part in parts] == [True, False][not number :]
        reply = first["questions"][0]["replies"][0]["exchanges"][0]
        assert reply["text"] == say(1)
        places = slice(2 * reply["start"], 2 * reply["end"])
        marked = reply["text"].encode("utf-16-le")[places].decode("utf-16-le")
        assert marked == "Answer 1 is better"


def test_some_items_are_said_to_be_some(right, tmp_path):
    out = tmp_path / "some.html"
    code, said = report(right, "--out", out, "--max-items", 3)
    assert code == 0
    assert f"{TASK}: the page has 3 of 8 items" in said
    assert unpacked(out.read_text(), "page")["tasks"][0]["shown"] == 3


def test_a_last_line_that_is_cut_off_costs_that_line_alone(right, tmp_path):
    text = (right / f"1_samples_{TASK}.jsonl").read_text()
    (tmp_path / "cut").mkdir()
    (tmp_path / "cut" / f"1_samples_{TASK}.jsonl").write_text(text[:-20])
    code, said = report(tmp_path / "cut", "--out", tmp_path / "cut.html", "--images", "none")
    assert code == 0, said
    page = unpacked((tmp_path / "cut.html").read_text(), "page")
    assert page["tasks"][0]["shown"] == 8


def test_data_that_are_gone_cost_images_alone(right, tmp_path, monkeypatch):
    monkeypatch.setenv("VL_REWARDBENCH_DATA", str(tmp_path))
    out = tmp_path / "gone.html"
    code, said = report(right, "--out", out)
    assert code == 0
    assert "images of 16 trials could not be loaded" in said
    [first, *_] = unpacked(out.read_text(), "detail-0-0")
    [question, _] = first["questions"]
    assert "RIGHT about item 0" in question["parts"][0]  # as it is logged


def test_changed_images_are_noticed(right, tmp_path):
    lines = (right / f"1_samples_{TASK}.jsonl").read_text().splitlines()
    samples = [json.loads(line) for line in lines]
    for number, sample in enumerate(samples):
        sample["trial"]["images"] = ["0" * 16] if number < 2 else None
    folder = tmp_path / "judge"
    folder.mkdir()
    text = "".join(json.dumps(sample) + "\n" for sample in samples)
    (folder / f"1_samples_{TASK}.jsonl").write_text(text)
    _, said = report(folder, "--out", tmp_path / "changed.html")
    assert f"{TASK}: the images of 2 replies have changed since" in said


def test_a_page_that_cannot_be_made_is_one_sentence(tmp_path):
    code, said = report(tmp_path / "no", "--out", tmp_path / "x.html")
    assert (code, said.strip().startswith("error: ")) == (1, True)
    rows = write_rows(tmp_path / "judge.jsonl", ["Answer 1 is better."])
    (tmp_path / "folder").mkdir()
    code, said = report(rows, "--out", tmp_path / "folder")
    assert code == 1
    assert "is a folder: name a file to write to" in said


def test_only_pages_of_its_own_are_written_anew(tmp_path):
    rows = write_rows(tmp_path / "rows.jsonl", ["Answer 1 is better."])
    page = tmp_path / "page.html"
    assert report(rows, "--out", page)[0] == 0
    assert report(rows, "--out", page)[0] == 0
    other = tmp_path / "thesis.html"
    other.write_text("<html>mine</html>")
    code, said = report(rows, "--out", other)
    assert (code, "give --overwrite" in " ".join(said.split())) == (1, True)
    assert other.read_text() == "<html>mine</html>"
    assert report(rows, "--out", other, "--overwrite")[0] == 0
    before = rows.read_text()
    code, said = report(rows, "--out", rows, "--overwrite")
    assert (code, "is what this command reads" in " ".join(said.split())) == (1, True)
    assert rows.read_text() == before
    folder = tmp_path / "run"
    write_rows(folder / "1_samples_a.jsonl", ["Answer 1 is better."])
    for _ in range(2):  # beside what it reads, twice
        assert report(folder, "--out", folder / "page.html")[0] == 0


def test_names_are_no_markup(tmp_path):
    rows = write_rows(tmp_path / "<script>x" / "a&b.jsonl", ["Answer 1 is better."] * 2)
    done = report(rows, "--out", tmp_path / "x.html", "--title", "</title><b>")
    assert done[0] == 0, done
    page = (tmp_path / "x.html").read_text()
    assert "<script>x" not in page
    assert "<title>&lt;/title&gt;&lt;b&gt;</title>" in page
