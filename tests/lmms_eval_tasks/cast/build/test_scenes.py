import pytest
from PIL import Image

from lmms_eval_tasks.cast.build.scenes import Scene, open_image, read_scenes
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.sources import SourceError
from tests.files import write_lines

ROWS = [("b.png", "A blue square."), ("sub/a.png", 'A red square, "quoted",\nin two lines.')]


def images(folder, names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (4, 3), "blue").save(path)


def jsonl(path, rows):
    write_lines(path, rows)


def docci(folder, rows):
    """A DOCCI download: its own names of files and fields."""
    fields = ("example_id", "split", "image_file", "description")
    images(folder / "images", [row[2] for row in rows])
    jsonl(
        folder / "docci_descriptions.jsonlines", [dict(zip(fields, r, strict=True)) for r in rows]
    )
    return folder


def test_a_docci_download(tmp_path):
    rows = [
        ("train_00001", "train", "train_00001.jpg", "One."),
        ("test_00000", "test", "test_00000.jpg", "Two."),
        ("train_00000", "train", "train_00000.jpg", "Three."),
    ]
    docci(tmp_path, rows)
    read = read_scenes(tmp_path)
    assert [(scene.id, scene.description) for scene in read] == [
        ("train_00000", "Three."),
        ("train_00001", "One."),
    ]
    assert read[0].image == tmp_path / "images" / "train_00000.jpg"
    assert [scene.id for scene in read_scenes(tmp_path, "test")] == ["test_00000"]
    with pytest.raises(SourceError, match=r"no split 'qual', only \['test', 'train'\]"):
        read_scenes(tmp_path, "qual")


def test_docci_without_its_images_says_what_to_do(tmp_path):
    jsonl(tmp_path / "docci_descriptions.jsonlines", [])
    with pytest.raises(SourceError, match="no folder 'images': unpack DOCCI's images there"):
        read_scenes(tmp_path)


@pytest.mark.parametrize("field", ["image", "file_name", "image_file"])
@pytest.mark.parametrize("name", ["descriptions", "metadata"])
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_folder_with_a_table(tmp_path, kind, name, field):
    images(tmp_path, [image for image, _ in ROWS])
    if kind == "jsonl":
        jsonl(tmp_path / f"{name}.jsonl", [{field: i, "description": d} for i, d in ROWS])
    else:
        lines = [f"{field},description", "b.png,A blue square."]
        lines.append('sub/a.png,"A red square, ""quoted"",\nin two lines."')
        (tmp_path / f"{name}.csv").write_text("\n".join(lines), encoding="utf-8-sig")
    expected = [Scene(image, tmp_path / image, text) for image, text in ROWS]
    assert read_scenes(tmp_path) == expected


def test_scenes_may_have_ids(tmp_path):
    images(tmp_path, ["b.png", "a.png"])
    rows = [("b.png", 7), ("a.png", "nine")]
    jsonl(tmp_path / "metadata.jsonl", [{"image": i, "id": n, "description": "x"} for i, n in rows])
    assert [scene.id for scene in read_scenes(tmp_path)] == ["7", "nine"]


def test_a_scene_without_an_id_in_a_table_with_some_is_called_by_its_image(tmp_path):
    images(tmp_path, ["b.png", "a.png", "c.png"])
    lines = ["id,image,description", "seven,b.png,x", ",a.png,x", ",c.png,x"]
    (tmp_path / "metadata.csv").write_text("\n".join(lines), encoding="utf-8")
    assert [scene.id for scene in read_scenes(tmp_path)] == ["a.png", "c.png", "seven"]


def test_images_are_upright_and_rgb(tmp_path):
    path = tmp_path / "a.jpg"
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by 90 degrees
    Image.new("L", (8, 4)).save(path, exif=exif)
    opened = open_image(Scene("a", path, ""))
    assert (opened.mode, opened.size) == ("RGB", (4, 8))


def test_a_file_that_is_no_image_is_named(tmp_path):
    path = tmp_path / "a.png"
    path.write_text("no image")
    with pytest.raises(SourceError, match=r"a\.png is not a readable image"):
        open_image(Scene("a", path, ""))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"image": "none.png", "description": "x"}], r"no image .*none\.png"),
        ([{"image": "b.png"}], r"line 1: no field 'description', only \['image'\]"),
        ([{"description": "x"}], "line 1: no field 'image'"),
        ([{"image": "b.png", "description": 3}], "'description' must be str, not 3"),
        ([{"image": "b.png", "description": "x"}] * 2, "two scenes are called 'b.png'"),
    ],
)
def test_what_is_missing_or_wrong_is_named(tmp_path, rows, message):
    images(tmp_path, ["b.png"])
    jsonl(tmp_path / "descriptions.jsonl", rows)
    with pytest.raises((SourceError, RecordError), match=message):
        read_scenes(tmp_path)


def test_a_csv_without_its_columns_is_named(tmp_path):
    images(tmp_path, ["b.png"])
    (tmp_path / "metadata.csv").write_text("image,caption\nb.png,x\n")
    with pytest.raises(RecordError, match=r"metadata.csv, line 2: no field 'description'"):
        read_scenes(tmp_path)


def test_a_csv_in_another_encoding_is_named(tmp_path):
    (tmp_path / "metadata.csv").write_bytes(
        "image,description\nb.png,caf\u00e9\n".encode("latin-1")
    )
    with pytest.raises(SourceError, match=r"metadata.csv cannot be read.*UTF-8"):
        read_scenes(tmp_path)


def test_the_folder_must_be_there_and_have_one_table(tmp_path):
    with pytest.raises(SourceError, match=r"no folder '.*nowhere' with images"):
        read_scenes(tmp_path / "nowhere")
    with pytest.raises(SourceError, match=r"must have one table .*it has none of them"):
        read_scenes(tmp_path)
    for name in ("metadata.csv", "descriptions.jsonl"):
        (tmp_path / name).touch()
    with pytest.raises(SourceError, match=r"it has descriptions\.jsonl and metadata\.csv"):
        read_scenes(tmp_path)
