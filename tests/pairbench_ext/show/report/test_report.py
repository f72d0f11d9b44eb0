"""What is in the page: which answers are side by side, what stands out, which items are chosen."""

import base64
import json
import re
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairbench_ext.show.report import page
from pairbench_ext.show.report.data import utf16
from tests.conftest import preference_rows, write_split
from tests.files import pairbench
from tests.judge_logs import TASK, say, write_log


def unpacked(page, name):
    match = re.search(rf'<script type="text/plain" id="{name}">(.*)</script>', page)
    return json.loads(zlib.decompress(base64.b64decode(match[1])))


@given(st.text(), st.integers(0, 50))
def test_places_as_the_browser_counts_them(text, place):
    place = min(place, len(text))
    assert utf16(text, place) == len(text[:place].encode("utf-16-le", "surrogatepass")) // 2
    assert text.isascii() <= (utf16(text, place) == place)


@pytest.fixture(scope="module")
def right(tmp_path_factory):
    folder = tmp_path_factory.mktemp("judge")
    write_split(folder / "data_of", "data", "test", preference_rows())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VL_REWARDBENCH_DATA", str(folder / "data_of"))
        yield write_log(folder / "right", lambda trial, better: say(better))


def report(*arguments):
    done = pairbench("report", *arguments)
    return done.exit_code, done.output


def test_images_are_there_once_or_not_at_all(right, tmp_path):
    for images, number in (("thumb", 8), ("full", 8), ("none", 0)):
        out = tmp_path / f"{images}.html"
        code, output = report(right, "--out", out, "--images", images)
        assert (code, f"{number} images)" in output) == (0, True), output
        page = out.read_text()
        assert len(re.findall(r'id="picture-\d+"', page)) == number
        [first, *_] = unpacked(page, "detail-0-0")
        parts = first["questions"][0]["parts"]
        assert [not isinstance(part, str) for part in parts] == [True, False][not number :]
        reply = first["questions"][0]["replies"][0]["exchanges"][0]
        assert reply["text"] == say(1)
        places = slice(2 * reply["start"], 2 * reply["end"])
        assert reply["text"].encode("utf-16-le")[places].decode("utf-16-le") == "Answer 1 is better"


def test_a_last_line_that_is_cut_off_costs_that_line_alone(right, tmp_path):
    text = (right / f"1_samples_{TASK}.jsonl").read_text()
    (tmp_path / "cut").mkdir()
    (tmp_path / "cut" / f"1_samples_{TASK}.jsonl").write_text(text[:-20])
    code, output = report(tmp_path / "cut", "--out", tmp_path / "cut.html", "--images", "none")
    assert code == 0, output
    assert unpacked((tmp_path / "cut.html").read_text(), "page")["tasks"][0]["shown"] == 8


def test_a_field_of_another_kind_costs_the_table_of_its_sample_alone(tmp_path):
    trial = {
        "benchmark": "viescore", "aspect": "PQ", "task": "tie", "image_model": "A", "n": 2,
        "ratings": [[0.5, 1.0]], "rule": "careful", "asking": "paper", "kind": "judged",
    }  # fmt: skip
    samples = [
        {
            "trial": trial | {"row": row, "sample": f"{row}.jpg", "sub_scores": scores},
            "filtered_resps": '{"score": [4, 5]}',
        }
        for row, scores in enumerate(([4, 5], {"score": 4}))
    ]
    file = tmp_path / "1_samples_viescore_tie.jsonl"
    file.write_text("".join(json.dumps(sample) + "\n" for sample in samples))
    code, output = report(tmp_path, "--out", tmp_path / "page.html", "--images", "none")
    assert code == 0, output
    shown = unpacked((tmp_path / "page.html").read_text(), "detail-0-0")
    assert len([item["questions"][0]["replies"][0]["exchanges"][0] for item in shown]) == 2
    assert "the table in a sample" in output


def test_data_that_are_gone_cost_images_alone(right, tmp_path, monkeypatch):
    assert report(right, "--out", tmp_path / "there.html", "--images", "none")[0] == 0
    there = unpacked((tmp_path / "there.html").read_text(), "detail-0-0")
    monkeypatch.setenv("VL_REWARDBENCH_DATA", str(tmp_path))
    out = tmp_path / "gone.html"
    code, output = report(right, "--out", out)
    assert code == 0
    assert "images could not be loaded: 16 trials of" in output
    gone = unpacked(out.read_text(), "detail-0-0")
    targets = [
        [asked["target"] for item in page for asked in item["questions"]] for page in (there, gone)
    ]
    assert set(targets[0]) == {"1", "2"}
    assert targets[0] == targets[1]
    shown = [question["parts"][0] for item in gone for question in item["questions"]]
    assert any("RIGHT about item 0" in text for text in shown)  # as it is logged


def test_changed_images_are_noticed(right, tmp_path):
    lines = (right / f"1_samples_{TASK}.jsonl").read_text().splitlines()
    samples = [json.loads(line) for line in lines]
    for number, sample in enumerate(samples):
        sample["trial"]["images"] = ["0" * 16] if number < 2 else None
    folder = tmp_path / "judge"
    folder.mkdir()
    text = "".join(json.dumps(sample) + "\n" for sample in samples)
    (folder / f"1_samples_{TASK}.jsonl").write_text(text)
    _, output = report(folder, "--out", tmp_path / "changed.html")
    assert f"{TASK}: the images of 2 replies have changed since" in output


def test_a_page_that_has_appeared_meanwhile_is_not_replaced(right, tmp_path, monkeypatch):
    out = tmp_path / "page.html"
    fewer = page.fewer_images_kept

    def another_page_appears(most):
        out.write_text("another judge's page")
        return fewer(most)

    monkeypatch.setattr(page, "fewer_images_kept", another_page_appears)
    code, output = report(right, "--out", out, "--images", "none")
    assert code == 1
    assert f"{out} is there already" in output
    assert out.read_text() == "another judge's page"


def test_a_report_of_records_asks_the_hub_for_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("pairbench_ext.show.cli.report.offline_unless_reached", lambda: True)
    rows = [f"q{i},{'AB'[i % 2]},{'AB'[i // 2 % 2]}" for i in range(24)]
    (tmp_path / "judge.csv").write_text("\n".join(["id,judge_verdict,human_label", *rows]))
    code, output = report(tmp_path / "judge.csv", "--out", tmp_path / "page.html")
    assert code == 0, output
    assert "hub" not in output


@pytest.fixture(scope="module")
def decided(tmp_path_factory):
    """A page of two judges on 40 pairs of two systems, labelled by two people, with remarks."""
    folder = tmp_path_factory.mktemp("decided")
    lines = ["question,judge,model_a,model_b,prompt,verdict,ann,ben,note"]
    common = (
        "Which answer is better for the picture? Consider whether it is right, complete and short."
    )
    for n in range(40):
        for judge, wrong in (("better", 10), ("worse", 4)):
            verdict, note = "BA"[n % wrong > 0], f"seen by {judge}" if n == 3 else ""
            row = (f"q{n}", judge, "red", "blue", f'"{common}\nQuestion {n}"', verdict)
            lines.append(",".join([*row, "A", "AB"[n % 9 == 1], note]))
    (folder / "rows.csv").write_text("\n".join(lines))
    columns = "item=question,judge=judge,first=model_a,second=model_b,verdict=verdict,prompt=prompt"
    columns += ",people=ann+ben,remark=note,kind=pair"
    pairbench("import", "judgments", folder / "rows.csv", "--out", folder / "j",
              "--columns", columns, status=0)  # fmt: skip
    pairbench("report", *sorted((folder / "j").iterdir()), "--out", folder / "r.html", status=0)
    return (folder / "r.html").read_text()


def test_findings_of_labels_are_of_the_best_judge_and_by_choice_of_the_others(decided):
    """In 0.3, they were of the alphabetically first judge alone."""
    for part in ("trust", "correct"):
        section = decided[decided.index(f'id="part-{part}"') :].split("</section>\n")[0]
        assert re.findall(r"<option>(\w+)</option>", section) == ["better", "worse"]
        assert re.findall(r'class="pb" data-judge="(\w+)"( hidden)?', section)[:2] == [
            ("better", ""),
            ("worse", " hidden"),
        ]
    assert 'data-state="unlike" data-judge="better"' in decided
    assert "agreement with each person" in decided


def test_samples_have_names_for_options_and_what_every_item_was_asked_once(decided):
    index = unpacked(decided, "index-0")
    assert index["common"].startswith("Which answer is better for the picture?")
    assert "Question" not in index["common"]
    items = unpacked(decided, "detail-0-0")
    [question] = items[0]["questions"]
    assert question["target"] == "red"
    assert question["fields"]["people"] == "ann red, ben red"
    better, worse = question["replies"]
    assert (better["verdict"], worse["verdict"]) == ("blue", "blue")
    assert "said" not in better["log"]
    [noted] = [item for item in [*items, *unpacked(decided, "detail-0-1")] if item["name"] == "q3"]
    replies = noted["questions"][0]["replies"]
    assert [reply["log"]["remark"] for reply in replies] == ["seen by better", "seen by worse"]
    unlike = [bool(marks & 128) for marks in index["marks"][0]]
    # Of q10, one person says what the judge says.
    unlike = [name for name, other in zip(index["names"], unlike, strict=True) if other]
    assert unlike == ["q0", "q20", "q30"]
