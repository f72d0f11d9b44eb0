import json
import signal
import subprocess
import sys
from dataclasses import replace

import datasets
import pytest
import yaml
from PIL import Image

from lmms_eval_tasks.build.common.repository import BuildError
from lmms_eval_tasks.build.pairs import images
from lmms_eval_tasks.build.pairs.images import Settings, build_images
from lmms_eval_tasks.build.pairs.repository_files import Prompts
from lmms_eval_tasks.build.pairs.usable import Selection, Skipped
from lmms_eval_tasks.build.pairs.variants import Variants
from pairbench_ext.synthetic.transforms import TRANSFORMS, Rotate
from tests.lmms_eval_tasks.build.pairs.conftest import tree

TEMPLATE = '{conditions} Rate! "data1" "data2"'
PROMPTS = Prompts("thumbs", [TEMPLATE], {"rotate": {"sens": "Mind.", "inv": "Ignore."}})
TWO = {name: TRANSFORMS[name] for name in ("rotate", "gaussianblur")}
SETTINGS = Settings("thumbs", TWO, licence="cc0-1.0")


@pytest.fixture(scope="module")
def built(selection, tmp_path_factory):
    out = tmp_path_factory.mktemp("built") / "out"
    return out, build_images(selection, out, SETTINGS, PROMPTS)


def test_the_folder_has_what_it_should(built):
    out, checks = built
    assert sorted(tree(out)) == [
        "README.md",
        "build.json",
        "self_check.json",
        "sheets/thumbs_gaussianblur.png",
        "sheets/thumbs_rotate.png",
        "templates/train-00000-of-00001.parquet",
        "thumbs/gaussianblur-00000-of-00001.parquet",
        "thumbs/rotate-00000-of-00001.parquet",
    ]
    assert [found.rows for found in checks.values()] == [10, 10]


def test_datasets_loads_it(built, selection, tmp_path):
    out, _ = built
    loaded = datasets.load_dataset(str(out), cache_dir=str(tmp_path))
    assert list(loaded) == ["rotate", "gaussianblur"]
    for split in loaded:
        assert loaded[split]["name"] == [one.name for one in selection.used]
        params = [json.loads(text) for text in loaded[split]["params"]]
        assert {record["transform"] for record in params} == {split}
        assert len({json.dumps(record["img3"]) for record in params}) == 10  # each its own


def test_originals_are_stored_byte_for_byte(built, selection, tmp_path):
    out, _ = built
    table = datasets.load_dataset(str(out), split="rotate", cache_dir=str(tmp_path))
    stored = table.cast_column("img1", datasets.Image(decode=False))["img1"]
    files = [one.source.path.read_bytes() for one in selection.used]
    assert [cell["bytes"] for cell in stored] == files


def test_the_bytes_are_the_same_for_any_number_of_jobs(built, selection, tmp_path):
    build_images(selection, tmp_path / "again", SETTINGS, PROMPTS, jobs=2)
    assert tree(tmp_path / "again") == tree(built[0])


def test_building_again_changes_nothing(built, selection, monkeypatch):
    out, checks = built
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()}
    monkeypatch.setattr(images, "fill_gallery", None)
    assert build_images(selection, out, SETTINGS, PROMPTS) == checks
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()} == before


def must_not_be_made(variants, usable):
    raise AssertionError(f"made again: {usable.name}")


@pytest.mark.parametrize("at", ["write_split", "_write_sheets", "write_card"])
def test_an_interrupted_build_ends_with_the_same_bytes(built, selection, tmp_path, monkeypatch, at):
    calls = []

    def stop(*arguments, **options):
        calls.append(arguments)
        if at != "write_split" or len(calls) == 2:  # one split is finished
            raise KeyboardInterrupt
        return original(*arguments, **options)

    original = getattr(images, at)
    with monkeypatch.context() as patch:
        patch.setattr(images, at, stop)
        with pytest.raises(KeyboardInterrupt):
            build_images(selection, tmp_path / "out", SETTINGS, PROMPTS)
    finished = tmp_path / "out" / "thumbs" / "rotate-00000-of-00001.parquet"
    before = finished.stat().st_mtime_ns
    monkeypatch.setattr(Variants, "__call__", must_not_be_made)
    build_images(selection, tmp_path / "out", SETTINGS, PROMPTS)
    assert finished.stat().st_mtime_ns == before
    assert tree(tmp_path / "out") == tree(built[0])


KILLED = """
import sys
from pathlib import Path
from lmms_eval_tasks.build.pairs import variants
from lmms_eval_tasks.build.pairs.images import Settings, build_images
from lmms_eval_tasks.build.pairs.picture_sources import find_sources
from lmms_eval_tasks.build.pairs.usable import select
from lmms_eval_tasks.build.pairs.repository_files import Prompts
from pairbench_ext.synthetic.transforms import TRANSFORMS

encode = variants.encode
def slowly(image, **options):
    print("working", flush=True)
    return encode(image, **options)

variants.encode = slowly
transforms = {name: TRANSFORMS[name] for name in ("rotate", "gaussianblur")}
settings = Settings("thumbs", transforms, licence="cc0-1.0")
prompts = Prompts("thumbs", [sys.argv[3]], {"rotate": {"sens": "Mind.", "inv": "Ignore."}})
build_images(select(find_sources(sys.argv[1])), Path(sys.argv[2]), settings, prompts)
"""


def test_a_killed_build_ends_with_the_same_bytes(built, selection, photo_folder, tmp_path):
    out = tmp_path / "out"
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(photo_folder), str(out), TEMPLATE],
        stdout=subprocess.PIPE,
        text=True,
    )
    for _ in range(3 * 2 + 2):  # the third picture is begun
        assert process.stdout.readline() == "working\n"
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    kept = {path.name for path in (out / ".building" / "gallery").glob("*.zip")}
    assert {"00000000.zip", "00000001.zip"} <= kept
    assert len(kept) < len(selection.used)
    build_images(selection, out, SETTINGS, PROMPTS)
    assert tree(out) == tree(built[0])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 1}, "begun with seed 0, not 1"),
        ({"size": 48}, "begun with size null, not 48"),
        ({"transforms": {"rotate": TRANSFORMS["rotate"]}}, "begun with transforms gaussianblur"),
        ({"name": "other"}, 'begun with name "thumbs", not "other"'),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_other_settings_are_refused(built, selection, change, message):
    with pytest.raises(BuildError, match=message):
        build_images(selection, built[0], replace(SETTINGS, **change), PROMPTS)


def test_other_pictures_are_refused(built, selection):
    fewer = selection._replace(used=selection.used[:-1])
    with pytest.raises(BuildError, match="begun with number of pictures 10, not 9"):
        build_images(fewer, built[0], SETTINGS, PROMPTS)


def test_the_check_names_what_is_not_in_order(selection, tmp_path):
    """Pictures that are not turned at all are nearer than their smaller copies."""
    few = selection._replace(used=selection.used[:3])
    settings = Settings("n", {"rotate": Rotate(degrees=(0, 0))})
    checks = build_images(few, tmp_path / "out", settings, PROMPTS)
    assert [name for name, _ in checks["rotate"].wrong] == [one.name for one in few.used]
    text = (tmp_path / "out" / "README.md").read_text()
    assert "rotate: 0.0% of 3 rows, **not passed**." in text
    assert f"\n- `{few.used[0].name}` (" in text


def test_the_card_says_what_was_made_and_what_was_not(built, selection, tmp_path):
    skipped = [Skipped("a`b |.png", "damaged", "no\nend"), Skipped("t.txt", "not an image", "")]
    found = Selection(selection.used, skipped, 99)
    build_images(found, tmp_path / "out", SETTINGS, PROMPTS)
    text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    _, head, body = text.split("---\n", 2)
    assert [c["config_name"] for c in yaml.safe_load(head)["configs"]] == ["thumbs", "templates"]
    assert yaml.safe_load(head)["license"] == "cc0-1.0"
    for part in (
        "10 pictures, 2 transformations, 60 pairs",
        "--tasks pairbench_thumbs_rotate",
        "| rotate | 10 | ",
        "(sheets/thumbs_rotate.png)",
        "| rotate | degrees | [20.0, 45.0] |",
        "99 images were found, 10 are used: 10 originals are stored byte for byte, 0 were",
        "Looked at and left out: 1 damaged, 1 not an image.",
        "- `` a`b |.png ``: damaged (no end)\n- `t.txt`: not an image",
        "Licence of the pictures, as stated by who built this: cc0-1.0.",
    ):
        assert part in body
    assert "did not state it" not in body


def test_sheets_show_eight_rows(built):
    sheets = [Image.open(path) for path in sorted((built[0] / "sheets").iterdir())]
    assert [sheet.size for sheet in sheets] == [sheets[0].size] * 2
    assert sheets[0].height > 8 * 174
    assert sheets[0].tobytes() != sheets[1].tobytes()
