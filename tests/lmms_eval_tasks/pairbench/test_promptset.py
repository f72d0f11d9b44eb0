import hashlib
import json
import re

import pytest

from lmms_eval_tasks.pairbench import prompts, promptset
from lmms_eval_tasks.pairbench.pairs import warn_once
from pairbench_ext.core import sources
from pairbench_ext.core.sources import LeftOut, SourceError
from tests.conftest import REPOSITORY, SHARED, TRANSFORMS, image_rows, template_row, write_split

PAPER = SHARED / "papers" / "pairbench.txt"
TEMPLATES = {"image": prompts.IMAGE_IMAGE_TEMPLATES, "text": prompts.IMAGE_TEXT_TEMPLATES}


@pytest.fixture(autouse=True)
def _fresh_sources():
    for cached in (sources.split_names, sources.open_split):
        cached.cache_clear()


def words(text):
    """The words of a text, without the marks that typesetting and extraction add."""
    text = re.sub(r"(?m)^\s*\d{3,4}\s*$", " ", text)  # line numbers of the submission
    text = re.sub(r"(?m)^(?:\d{4}){1,3}(?=\D)", " ", text)
    text = text.translate({0x201C: '"', 0x201D: '"', 0x2019: "'"})
    return re.sub(r"[\s*\\]+", " ", text)


@pytest.mark.skipif(not PAPER.exists(), reason="the paper's text is not beside the repository")
@pytest.mark.parametrize(
    ("feature", "condition"),
    [
        ("colorjitter", "inv"),
        ("gaussianblur", "inv"),
        ("rotate", "inv"),
        ("gaussianblur", "sens"),
        ("elastic", "sens"),
    ],
)
def test_the_printed_conditions_are_word_for_word_the_papers(feature, condition):
    assert prompts.IMAGE_IMAGE_CONDITIONS[feature][condition] in words(PAPER.read_text())


def notebook(row, template, feature, condition):
    """What the cells "Load Dataset" and "Inference" of the authors' notebook make of a row."""
    templates, conditions = (json.loads(row[f"query_{x}"]) for x in ("templates", "conditions"))
    return list(templates.values())[template].format(conditions=conditions[feature][condition])


def test_the_authors_fill_in_the_conditions_and_nothing_else(tmp_path):
    row = template_row("coco", features=["rotation"])
    conditions = {"rotation": {"variant": "- Mind it.\n", "invariant": " Ignore it. "}}
    row["query_conditions"] = json.dumps(conditions)
    asked = 'Rate.\n{conditions}\n\nScore: <1-10>\n\nYour rating? "data1" "data2".\n'
    as_json = 'Rate. {conditions} Reply as {{"score": 5}} or {{}}. "data1" "data2"'
    row["query_templates"] = json.dumps({"v1": asked, "v2": f" {asked}", "v3": as_json})
    loaded = promptset.load(write_templates(tmp_path, [row]), "coco", image_text=False)
    for template in range(3):
        for ours, theirs in (("sens", "variant"), ("inv", "invariant")):
            sent = loaded.filled(template, ["rotate"], ours)
            assert sent == notebook(row, template, "rotation", theirs)
    assert loaded.render(1, ["rotate"], "inv")[0].startswith("Rate.\n- Ignore it.\n\nScore")


def write_templates(root, rows):
    write_split(root, "coco", "rotate", image_rows(1))
    write_split(root, "templates", "train", rows)
    return str(root)


def test_prompts_of_the_data_set_win(tmp_path):
    features = ["rotation", "color_jittering", "gaussian_blur", "perspective", "elastic"]
    row = template_row("coco", features=features, pairs=[["img1", "img2"], ["img1", "img4"]])
    other = template_row("in100", features=features)
    loaded = promptset.load(write_templates(tmp_path, [other, row]), "coco", image_text=False)
    assert loaded.origin == "data"
    assert set(loaded.conditions) == set(TRANSFORMS)
    assert loaded.pairs == (("img1", "img2"), ("img1", "img4"))
    before, after = loaded.render(2, ["rotate"], "sens")
    assert (before, after) == ("coco template 2: - Mind rotation (coco). Rate!", "")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"query_conditions": "[1]"}, "'query_conditions' must map features to texts"),
        ({"logistics": json.dumps({"data-pairs": ["img1"]})}, "field 'pairs' .* not \\['img1'\\]"),
        (
            {"logistics": json.dumps({"truth": {"identical": {"sens": 11}}})},
            "field 'truth' .* 10, not {'identical': {'sens': 11}}",
        ),
    ],
)
def test_unusable_cells_are_named(tmp_path, change, message):
    row = {**template_row("coco", features=["rotate"]), **change}
    with pytest.raises(SourceError, match=message):
        promptset.load(write_templates(tmp_path, [row]), "coco", image_text=False)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("{not json", "'coco': 'query_templates' is not JSON"),
        ("[1]", "'query_templates' must be JSON strings"),
        ('["Judge under [CONDITIONS]"]', "template 1 must hold {conditions} once"),
        (
            json.dumps(['{conditions} "data1" is compared with "data2"']),
            "template 1 must show data1 and data2 side by side .* but has 'data1'",
        ),
        (
            json.dumps(["{conditions} Rate {left} and {right}."]),
            "no other placeholder than {conditions}, but has '{left}'",
        ),
    ],
)
def test_without_a_usable_template_the_built_in_ones_are_asked_and_it_is_said(
    tmp_path, cell, message, said
):
    warn_once.cache_clear()
    row = {**template_row("coco", features=["rotate"]), "query_templates": cell}
    loaded = promptset.load(write_templates(tmp_path, [row]), "coco", image_text=False)
    assert (loaded.origin, loaded.templates) == ("built-in", prompts.IMAGE_IMAGE_TEMPLATES)
    assert loaded.conditions["rotate"]["sens"] == "Mind rotate (coco)."
    assert re.search(f"{message}.*'coco' is asked with the built-in templates", said[0])


def test_one_broken_template_costs_itself_where_others_are_left(tmp_path):
    row = template_row("coco", features=["rotate"])
    whole = json.loads(row["query_templates"])
    row["query_templates"] = json.dumps([*whole[:2], "Judge under [CONDITIONS]", *whole[2:]])
    data = write_templates(tmp_path, [row])
    with pytest.raises(SourceError, match="template 3 must hold"):
        promptset.load(data, "coco", image_text=False)
    left_out = LeftOut()
    loaded = promptset.load(data, "coco", image_text=False, left_out=left_out)
    assert loaded.templates == tuple(whole)
    assert "template 3 must hold {conditions} once" in left_out[0]


# SHA-256 of the words of Appendix D.3's templates V1 to V5 as the paper prints them, the slot of
# the conditions apart: the paper's text is not part of this repository.
PRINTED = json.loads((REPOSITORY / "tests/goldens/printed_prompts.json").read_text())["pairbench"]


@pytest.mark.parametrize("template", PRINTED)
def test_templates_have_the_papers_words(template):
    kind, number = template.split()
    ours = re.sub(r":? \{conditions\} ", " {conditions}. ", words(TEMPLATES[kind][int(number)]))
    assert hashlib.sha256(ours.encode()).hexdigest() == PRINTED[template]
