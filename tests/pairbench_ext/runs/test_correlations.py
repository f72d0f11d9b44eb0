"""Correlations of scores of models: those that papers print follow from the papers' tables."""

import math

from pairbench_ext.runs.correlations import correlations, published_scores


def spearman(scores, of):
    return {
        frozenset((pair.x, pair.y)) - set(of): round(pair.relation.value, 4)
        for pair in correlations(scores, of)
        if pair.relation.name == "spearman"
    }


def test_table_5_of_vlm_subtlebench_follows_from_its_table_8():
    scores = published_scores("subtlebench", "Table 8")
    mmad = spearman(scores, ["mmad"])
    assert mmad[frozenset(["accuracy"])] == 0.8424
    assert mmad[frozenset(["mllm_compbench"])] == 0.8110
    qag = spearman(scores, ["qag"])
    assert (qag[frozenset(["accuracy"])], qag[frozenset(["mllm_compbench"])]) == (0.7173, 0.7462)
    scores["qag"]["GPT-5-main"] += 1e-5  # printed like Gemini-2.5-pro's, 36.3%
    qag = spearman(scores, ["qag"])
    assert (qag[frozenset(["accuracy"])], qag[frozenset(["mllm_compbench"])]) == (0.7212, 0.7195)


def test_groups_and_overall_accuracy_of_vl_rewardbench_given_size():
    scores = published_scores("vl_rewardbench", "Table 2")
    sizes = published_scores("vl_rewardbench", "Table 5")["size"]
    given = {
        pair.x if pair.y == "overall_accuracy" else pair.y: (
            pair.relation.sized,
            round(pair.relation.unadjusted, 2),
            round(pair.relation.partial, 2),
        )
        for pair in correlations(scores, ["overall_accuracy"], sizes=sizes)
        if pair.relation.name == "pearson"
    }
    assert given["general"] == (11, 0.78, 0.59)
    assert given["hallucination"] == (11, 0.98, 0.98)
    assert given["reasoning"] == (11, 0.56, 0.40)


def test_models_of_one_family_count_as_one():
    """Twelve models of two families whose scores agree: two means show nothing."""
    names = [f"Qwen2-VL-{n}B" for n in range(6)] + [f"InternVL2-{n}B" for n in range(6)]
    scores = {x: {m: m.startswith("Qwen") + 0.01 * n for n, m in enumerate(names)} for x in "ab"}
    for pair in correlations(scores):
        assert pair.relation.value > 0.6
        assert math.isnan(pair.relation.p)
        assert math.isnan(pair.relation.ci95.low)
    apart = correlations(scores, families={name: name for name in names})
    assert all(pair.relation.p < 0.001 for pair in apart)
    assert all(pair.relation.ci95.low > 0.3 for pair in apart)
