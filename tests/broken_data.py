"""Small copies of every benchmark's data in the format they come in, with surprises in them.

`write(root)` writes all of them; `environment(root)` names them; `LEFT_OUT` says what of each task
cannot be asked about.
"""

import json

import datasets

from pairbench_ext.core.visual import encoded
from tests.conftest import (
    TRANSFORMS,
    image_rows,
    picture,
    preference_rows,
    template_row,
    text_rows,
    write_split,
)
from tests.files import write_lines
from tests.museums import write_ratings, write_task

FEATURES = {
    "rotation": "rotate",
    "color_jittering": "colorjitter",
    "gaussian_blurring": "gaussianblur",
    "perspective_transform": "perspective",
    "elastic_deformation": "elastic",
    "spatial_relation": "spatial",
}

# How many rows, columns or files of each task are left out; the leaf is not there at all.
NOT_BUILT = "pairbench_coco_elastic"
LEFT_OUT = {
    "pairbench_coco_rotate": 0, "pairbench_coco_elastic": 1, "pairbench_in100_rotate": 2,
    "pairbench_in100_gaussianblur": 1, "pairbench_wu_ii_a_sp": 0, "pairbench_wu_it_a": 1,
    "vl_rewardbench_both": 4, "multimodal_rewardbench_both": 3, "mllm_judge_pair": 4,
    "subtlebench": 4, "viescore_tie": 4, "cast": 3, "best_of_n": 3,
}  # fmt: skip


def write(root):
    """Write all data below a folder."""
    for name in ("PAIRBENCH", "VL_REWARDBENCH", "MULTIMODAL_REWARDBENCH", "MLLM_JUDGE",
                 "SUBTLEBENCH", "VIESCORE", "CAST"):  # fmt: skip
        (root / name).mkdir(parents=True)
    _pairbench(root / "PAIRBENCH")
    _vl_rewardbench(root / "VL_REWARDBENCH")
    _multimodal_rewardbench(root / "MULTIMODAL_REWARDBENCH")
    _mllm_judge(root / "MLLM_JUDGE")
    _subtlebench(root / "SUBTLEBENCH")
    _viescore(root / "VIESCORE")
    _cast(root / "CAST")
    _best_of_n(root / "BEST_OF_N")
    return root


def environment(root):
    """The variables that name the data."""
    names = {f"{folder.name}_DATA": str(folder) for folder in root.iterdir()}
    return {**names, "BEST_OF_N_DATA": str(root / "BEST_OF_N" / "candidates.jsonl")}


def truncated(image):
    """The file of an image, cut off in the middle."""
    file = encoded(image)
    return file[: len(file) // 2]


def with_cells(table, column, cells):
    """A table with other image cells: bytes, or None."""
    raw = table.cast_column(column, datasets.Image(decode=False))
    changed = [
        {**row, column: (cells[number] and {"bytes": cells[number], "path": None})}
        if number in cells
        else row
        for number, row in enumerate(raw)
    ]
    return datasets.Dataset.from_list(changed, features=raw.features).cast(table.features)


def _whatsup(n):
    """Five images a row: the original, itself, another place, an unrelated one, a third place."""
    rows = {f"img{k}": [picture(r, k) for r in range(n)] for k in range(1, 6)}
    return datasets.Dataset.from_dict(rows)


def _pairbench(root):
    for config in ("coco", "in100"):
        for split in TRANSFORMS:
            write_split(root, config, split, image_rows(3))
    (root / "coco" / "elastic-00000-of-00001.parquet").write_bytes(b"no parquet")
    cells = {0: truncated(picture(0, 3)), 2: None}
    write_split(root, "in100", "rotate", with_cells(image_rows(3), "img3", cells))
    write_split(root, "in100", "gaussianblur", image_rows(3).remove_columns("img2"))
    four = [["img1", f"img{k}"] for k in range(2, 6)]
    for subset in ("A", "B"):
        for transform in ("", *TRANSFORMS):
            name = f"subset_{subset}_spatial" + (f"_{transform}" if transform else "")
            write_split(root, "wu_img_img", name, _whatsup(2))
        texts = text_rows(3).map(
            lambda row, n, hole=subset == "A": {"img3": None if hole and n == 1 else row["img3"]},
            with_indices=True,
        )
        write_split(root, "wu_img_text", f"{subset}_spatial_relation", texts)
    rows = [
        template_row(config, features=list(FEATURES), pairs=pairs)
        for config, pairs in (("coco", None), ("in100", None), ("wu_image_image", four))
    ]
    write_split(root, "templates", "train", rows)


def _vl_rewardbench(root):
    table = preference_rows()
    changes = {
        1: {"human_ranking": [0, 0]},
        2: {"response": ["one only"]},
        3: {"query": None},
        4: {"id": "wildvision-battle-1"},  # as row 0: an item of its own
    }
    rows = [{**row, **changes.get(number, {})} for number, row in enumerate(table)]
    broken = datasets.Dataset.from_list(rows, features=table.features)
    write_split(root, "data", "test", with_cells(broken, "image", {5: truncated(picture(5, 1))}))


def _multimodal_rewardbench(root):
    (root / "images").mkdir()
    rows = []
    for number in range(6):
        picture(number, 0).save(root / f"images/{number}.png")
        row = {"ID": f"nocaps_{number}", "Category": "knowledge", "Text": f"Question {number}?"}
        row |= {"Image": f"images/{number}.png", "Output1": "right", "Output2": "wrong"}
        rows.append({**row, "Better": "Output1"})
    rows[1]["Better"] = "neither"
    rows[2] = ["not", "an", "object"]
    (root / "images/3.png").unlink()
    (root / "all_data.json").write_text(json.dumps(rows))


def _mllm_judge(root):
    (root / "Dataset/image").mkdir(parents=True)
    folder = root / "Dataset/Benchmark"
    folder.mkdir()
    lines = []
    for number in range(6):
        picture(number, 0).save(root / f"Dataset/image/{number}.jpg")
        row = {"pair_id": number, "image_path": f"{number}.jpg", "instruction": "What is shown?"}
        row |= {"original_dataset": "coco", "human_answer": "A"}
        row |= {"answer1": {"answer": "good"}, "answer2": {"answer": "bad"}}
        lines.append(row)
    lines[1]["instruction"] = 7
    lines[2]["answer2"] = {"answer": None}
    (root / "Dataset/image/4.jpg").write_bytes(b"\xff\xd8 no image")
    text = [json.dumps(line) for line in lines]
    text[3] = text[3][:40]
    (folder / "pair.jsonl").write_text("\n".join(text) + "\n")


def _subtlebench(root):
    folder = root / "images"
    folder.mkdir(parents=True)
    (root / "data").mkdir()
    lines = []
    for number in range(7):
        names = [f"images/{number}_{side}.png" for side in (1, 2)]
        for side, name in enumerate(names):
            picture(number, side).save(root / name)
        row = {"image_1": names[0], "image_2": names[1], "question": "What differs?"}
        row |= {"answer": "the cup", "distractors": ["the plate"], "category": "attribute"}
        lines.append({**row, "domain": "natural", "source": "coco", "source_id": str(number)})
    lines[1]["distractors"] = "the plate"
    lines[2]["image_2"] = "../elsewhere.png"
    (root / "images/3_2.png").unlink()
    (root / "images/4_1.png").write_bytes(truncated(picture(4, 0)))
    write_lines(root / "data/test.jsonl", lines)


def _viescore(root):
    folder = write_task(root, "tie")
    write_ratings(folder)
    file = folder / "rater2.tsv"
    file.write_text(file.read_text().replace("sample_3.jpg\t[1, 1]", "sample_3.jpg\t[1, 1"))
    prompts = json.loads((folder / "dataset_lookup.json").read_text())
    prompts["sample_0.jpg"] = {}
    (folder / "dataset_lookup.json").write_text(json.dumps(prompts))
    (folder / "input" / "sample_1.png").unlink()
    (folder / "A" / "sample_2.png").write_text("<html>not found</html>")


def _cast(root):
    rows = [
        {"pair": f"pair {n}", "description_1": f"Left {n}.", "description_2": f"Right {n}."}
        for n in range(5)
    ]
    rows[1]["description_2"] = None
    rows[2]["pair"] = "pair 0"
    for number, row in enumerate(rows):
        row |= {f"image_{side}": picture(number, side) for side in (1, 2)}
    table = datasets.Dataset.from_list(rows)
    write_split(root, "cast", "test", with_cells(table, "image_1", {3: b"no image"}))


def _best_of_n(root):
    (root / "images").mkdir(parents=True)
    lines = []
    for number in range(5):
        picture(number, 1).save(root / f"images/{number}.png")
        row = {"id": number, "query": "What?", "image": f"images/{number}.png"}
        lines.append({**row, "candidates": ["RIGHT.", "WRONG, no."], "correct": [1, 0]})
    lines[1]["correct"] = [1]
    lines[2]["id"] = 0
    (root / "images/3.png").write_bytes(truncated(picture(3, 1)))
    (root / "candidates.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
