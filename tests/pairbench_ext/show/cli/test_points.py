"""`pairbench papers points`: what a paper prints, a user's scores, a folder of pairs."""

import json

from tests.files import json_of, pairbench


def pairs(*words):
    return {(p["x"], p["y"], p["name"]): p for p in json_of("papers", "points", *words)["pairs"]}


def test_table_5_of_subtlebench_from_its_table_8(tmp_path):
    printed = ("--published", "subtlebench: Table 8", "--of", "mmad")
    known = pairs(*printed, "--plot", tmp_path / "points.png")
    values = {pair[0]: p["value"] for pair, p in known.items() if pair[2] == "spearman"}
    assert round(values["accuracy"], 4) == 0.8424
    assert round(values["mllm_compbench"], 4) == 0.8110
    assert (tmp_path / "points.png").stat().st_size > 10_000
    assert "0.842" in pairbench("papers", "points", *printed).output


def test_scores_of_ones_own_beside_a_printed_table(tmp_path):
    mine = tmp_path / "mine.csv"
    mine.write_text("model,gain\nGPT-4o (2024-08-06),4\nMolmo-7B,1\nInternVL2-8B,2\nQwen2-VL-7B,\n")
    table = ("--published", "vl_rewardbench: Table 2", "--of", "gain")
    assert (
        "no two scores have four models in common"
        in pairbench("papers", "points", mine, *table).output
    )
    with mine.open("a") as file:
        file.write("Qwen2-VL-72B,3\n")
    known = pairs(mine, *table)
    assert known["macro_accuracy", "gain", "pearson"]["points"]["Molmo-7B"] == [0.397, 1]
    mine.write_text("model,gain\nMolmo-7B,much\n")
    assert (
        "line 2: 'gain' must be a number, not 'much'"
        in pairbench("papers", "points", mine, *table).output
    )


def test_a_folder_of_pairs_as_in_casts_repository(tmp_path):
    for number, image in enumerate((0.7, 0.8, 0.9, 0.95)):
        row = {"id": number, "img_pair_similarity": image, "desc_pair_similarity": image**2}
        (tmp_path / f"{number}.json").write_text(json.dumps(row))
    [x, y] = {name for pair in pairs(tmp_path) for name in pair[:2]}
    assert {x, y} == {"img_pair_similarity", "desc_pair_similarity"}
    assert pairs(tmp_path)["img_pair_similarity", "desc_pair_similarity", "spearman"]["value"] == 1
