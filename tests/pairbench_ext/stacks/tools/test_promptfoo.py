"""promptfoo: what a model graded, beside what a person did."""

from tests.pairbench_ext.stacks.tools.files import scored


def test_a_rubric_beside_a_person(tmp_path):
    def graded(kind, passed):
        return {"pass": passed, "score": float(passed), "assertion": {"type": kind, "value": "x"}}

    rows = [
        {"promptIdx": 0, "testIdx": i, "provider": {"id": "m"}, "prompt": {"raw": "p"},
         "response": {"output": "A cat on a mat."}, "success": True, "gradingResult": {
             "componentResults": [graded("llm-rubric", i % 2 == 0), graded("human", i % 4 == 0)]}}
        for i in range(12)
    ]  # fmt: skip
    numbers, _ = scored(tmp_path, {"results": {"results": rows}})
    assert numbers["llm-rubric"]["accuracy"] == 0.75
