"""OpenAI's evals: events of a sample are one judgment."""

from tests.pairbench_ext.stacks.tools.files import scored


def test_events_of_a_sample_are_one_judgment(tmp_path):
    rows = [{"spec": {"eval_name": "fact", "completion_fns": ["judge-x"]}}]
    for i in range(10):
        common = {"run_id": "r", "event_id": i, "sample_id": f"fact.{i}"}
        words = f"Reasoning...\n{'ABCDE'[i % 5]}"
        rows.append({**common, "type": "sampling", "data": {"prompt": "?", "sampled": [words]}})
        rows.append({**common, "type": "metrics", "data": {"choice": "ABCDE"[i % 5], "score": 0}})
    numbers, _ = scored(tmp_path, rows)
    assert numbers["judge-x"]["judgments"] == 10
    assert numbers["judge-x"]["coverage"] == 1
    assert numbers["judge-x"]["as_recorded"] == 1
