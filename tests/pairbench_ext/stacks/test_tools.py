"""What files of known tools give: who is the judge, who are people, and what follows."""

import json

import pytest

from tests.files import json_of, judge_of, pairbench


def mlflow(kind, who, value):
    return {"assessment_name": "ok", "source": {"source_type": kind, "source_id": who},
            "feedback": {"value": value}}  # fmt: skip


def studio(side):
    return [{"type": "pairwise", "from_name": "cmp", "value": {"selected": side}}]


def promptfoo(kind, passed):
    return {"pass": passed, "score": float(passed), "assertion": {"type": kind, "value": "x"}}


def mmrb2(letter):
    return [{"judgement": letter, "evaluator": "judge-x", "metadata": {}}]


def openai_evals():
    yield {"spec": {"eval_name": "fact", "completion_fns": ["judge-x"]}}
    for i in range(10):
        common = {"run_id": "r", "event_id": i, "sample_id": f"fact.{i}"}
        words = f"Reasoning...\n{'ABCDE'[i % 5]}"
        yield {**common, "type": "sampling", "data": {"prompt": "?", "sampled": [words]}}
        yield {**common, "type": "metrics", "data": {"choice": "ABCDE"[i % 5], "score": 0}}


def rankings(name):
    return [
        {"id": f"RLHF-V-{i}", "query": "?", "response": ["one", "two more"], name: [0, 1],
         "meta": {"filtering model": "judge-x", "random_number": turned,
                  "filter_choice": f"Answer {1 + (turned ^ (i % 4 == 0))} is better."}}
        for i in range(12) for turned in (0, 1)
    ]  # fmt: skip


#: Content, the judge, its numbers, and words that are said of the file.
CASES = {
    "Argilla: responses are people's, suggestions a model's": ([
        {"id": f"r{i}", "fields": {"prompt": "p"},
         "suggestions": {"preference": {"value": "response-1", "agent": "judge-x"}},
         "responses": {"preference": [{"value": f"response-{1 + (i % 4 == 0)}", "user_id": "u1"}]}}
        for i in range(12)
    ], "judge-x", {"accuracy": 0.75}, ""),
    "Argilla, flat records": ([
        {"id": f"r{i}", "status": "completed", "prompt": "p", "quality.responses": [i % 5 + 1, 3],
         "quality.responses.users": ["u1", "u2"], "quality.suggestion": i % 5 + 1,
         "quality.suggestion.agent": "judge-x"}
        for i in range(12)
    ], "judge-x", {"pearson": 1}, "people: u1, u2"),
    "deepeval: each metric of a case is a criterion": ([
        {"name": f"case {i}", "input": "?", "metricsData": [
            {"name": "Faithfulness", "score": i / 10, "evaluationModel": "gpt-4o"},
            {"name": "Relevancy", "score": 1.0, "evaluationModel": "gpt-4o"}]}
        for i in range(10)
    ], "gpt-4o", {"judgments": 10}, "criteria Faithfulness, Relevancy"),
    "HELM: annotations of an instance are a judge's ratings": ([
        {"instance": {"id": f"id{i}", "input": {"text": "?"}}, "request": {},
         "annotations": {"gpt": {"score": i % 5 + 1, "prompt_text": "..."}}}
        for i in range(10)
    ], "gpt", {"rating": 3, "judgments": 10}, ""),
    "inspect: what a model graded, beside what a person did": ({
        "version": 2, "eval": {"model": "m"}, "samples": [
            {"id": i, "epoch": 1, "input": "?", "target": "a bicycle",
             "output": {"completion": "Two."},
             "scores": {"model_graded_qa": {"value": "CI"[i % 2]},
                        "human_review": {"value": "CI"[i % 4 > 0]}}}
            for i in range(12)]
    }, "model_graded_qa", {"accuracy": 0.75}, ""),
    "Label Studio: annotations are people's, predictions a model's": ([
        {"id": i, "data": {"prompt": "Which is sharper?"},
         "annotations": [{"completed_by": 7, "result": studio("left")}],
         "predictions": [{"model_version": "judge-x", "score": 0.7,
                          "result": studio("left" if i % 4 else "right")}]}
        for i in range(12)
    ], "judge-x", {"accuracy": 0.75}, "read as tasks of Label Studio"),
    "Langfuse: annotations are people's scores, evals a judge's": ([
        {"traceId": f"t{i}", "name": "correct", "source": source, "authorUserId": author,
         "value": int(i % 2 == 0) if author else int(i % 4 == 0), "comment": ""}
        for i in range(20) for source, author in (("ANNOTATION", "ann"), ("EVAL", None))
    ], "judge", {"accuracy": 0.75}, ""),
    "lmms-eval, a task that is none of ours": ([
        {"doc_id": i, "target": "A" if i % 4 else "B", "input": "?", "filtered_resps": ["A"]}
        for i in range(12)
    ], "file", {"accuracy": 0.75}, ""),
    "MLflow: assessments of a trace are of people or of judges": ([
        {"trace_id": f"t{i}", "assessments": [
            mlflow("HUMAN", "ann", "yes" if i % 2 else "no"),
            mlflow("LLM_JUDGE", "gpt-4o", "yes" if i % 4 else "no")]}
        for i in range(20)
    ], "gpt-4o", {"accuracy": 0.75}, ""),
    "MMRB2: the place that was chosen, in both orders": ({
        f"pair{i}": {"forward": mmrb2("A"), "reverse": mmrb2("A" if i % 4 == 0 else "B")}
        for i in range(12)
    }, "judge-x", {"position_consistency": 0.75, "first_position_rate": (12 + 3) / 24}, ""),
    "OmniRewardBench: the preference is people's, the reply the judge's": ([
        {"id": i, "criteria": "shape", "criteria_preference": "A", "model1": "a", "model2": "b",
         "predicted": None, "gpt-4o_raw_response": "[[A]]" if i % 4 else "[[B]]"}
        for i in range(12)
    ], "gpt-4o", {"accuracy": 0.75}, ""),
    "OpenAI's evals: events of a sample are one judgment": (
        [*openai_evals()], "judge-x", {"judgments": 10, "coverage": 1, "as_recorded": 1}, ""),
    "promptfoo: what a model graded, beside what a person did": ({"results": {"results": [
        {"promptIdx": 0, "testIdx": i, "provider": {"id": "m"}, "prompt": {"raw": "p"},
         "response": {"output": "A cat on a mat."}, "success": True, "gradingResult": {
             "componentResults": [promptfoo("llm-rubric", i % 2 == 0),
                                  promptfoo("human", i % 4 == 0)]}}
        for i in range(12)
    ]}}, "llm-rubric", {"accuracy": 0.75}, ""),
    "VL-RewardBench: `ranking` is people's": (
        rankings("ranking"), "judge-x", {"accuracy": 0.75, "first_position_rate": 0.5}, ""),
    "VL-RewardBench, `human_ranking`": (
        rankings("human_ranking"), "judge-x", {"accuracy": 0.75, "first_position_rate": 0.5}, ""),
    "VLMEvalKit: a file that a judge scored has its ratings": ([
        {"index": i, "question": f"q{i}", "answer": "two cats", "prediction": "cats",
         "log": "Succeed", "score": i % 5 / 4}
        for i in range(10)
    ], "file", {"rating": 0.5, "judgments": 10}, ""),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_who_is_the_judge_of_a_file_of_a_tool(case, tmp_path):
    content, judge, expected, words = CASES[case]
    file = tmp_path / "file.json"
    file.write_text(json.dumps(content))
    said = pairbench("import", "judgments", file, "--out", tmp_path / "out", status=0).output
    runs = json_of("score", "judgments", tmp_path / "out")["runs"]
    [numbers] = [run["numbers"] for run in runs if judge_of(run) == judge][-1:]  # of one criterion
    assert {name: numbers[name] for name in expected} == pytest.approx(expected)
    assert words in said
