"""Langfuse: annotations are people's scores, evals a judge's."""

from tests.pairbench_ext.stacks.tools.files import scored


def test_scores_of_people_and_of_a_judge(tmp_path):
    rows = [
        {"traceId": f"t{i}", "name": "correct", "source": source, "authorUserId": author,
         "value": int(i % 2 == 0) if author else int(i % 4 == 0), "comment": ""}
        for i in range(20)
        for source, author in (("ANNOTATION", "ann"), ("EVAL", None))
    ]  # fmt: skip
    numbers, _ = scored(tmp_path, rows)
    assert numbers["judge"]["accuracy"] == 0.75
