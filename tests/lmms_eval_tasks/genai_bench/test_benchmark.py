"""The benchmark through the harness, on rows in the layout of the hub's two configs of images."""

import datasets

from lmms_eval_tasks.genai_bench.benchmark import VotedPairs, prompt
from pairbench_ext.core.outcomes import TIE
from tests.conftest import picture
from tests.judges import PromptChatJudge, PromptJudge, evaluate, numbers

VOTES = ("leftvote", "rightvote", "tievote", "bothbad_vote")
LABELS = ("A>B", "B>A", "A=B=Good", "A=B=Bad")


def write(root):
    """Rows of the benchmark, below a folder."""
    made, edited = [], []
    for number, vote in enumerate(VOTES):
        one, two, source = (picture(number, place) for place in range(3))
        text = f"Draw <x> beside <left_image>: {vote}."
        made.append({"prompt": text, "left_image": one, "right_image": two})
        edited.append({f"{name}_prompt": f"{name} {vote}" for name in ("source", "target")})
        edited[-1] |= {"instruct_prompt": f"Edit {vote}.", "source_image": source}
        edited[-1] |= {"left_output_image": one, "right_output_image": two}
    for part, rows in (("image_generation", made), ("image_edition", edited)):
        votes = [{**row, "vote_type": vote} for row, vote in zip(rows, VOTES, strict=True)]
        (root / part).mkdir()
        file = root / part / "test_v1-00000-of-00001.parquet"
        datasets.Dataset.from_list(votes).to_parquet(str(file))


def as_people(text):
    """People's vote in the order of the data; it is right once of two where they prefer one."""
    return next(
        f"Both show it.\n\n[[{label}]]"
        for vote, label in zip(VOTES, LABELS, strict=True)
        if vote in text
    )


def test_judges_whose_numbers_are_known(data, task_manager):
    results = evaluate(PromptChatJudge(as_people), "genai_bench_authors", task_manager)
    for task in ("genai_bench_authors_image_generation", "genai_bench_authors_image_edition"):
        right = numbers(results, task)
        assert right["accuracy"] == right["accuracy_with_ties"] == right["coverage"] == 1
        assert (right["tie_rate"], right["judgments"]) == (0.5, 4)
    assert numbers(results, "genai_bench_authors")["accuracy"] == 1


def test_both_orders(data, run):
    task = "genai_bench_both_image_generation"
    first = run(PromptJudge(lambda text: "[[A>B]]"), task)
    assert (first["accuracy"], first["accuracy_without_ties"]) == (1 / 4, 1 / 2)
    assert (first["first_position_rate"], first["position_consistency"]) == (1, 0)
    bad = run(PromptJudge(lambda text: "[[A=B=Bad]]"), task)
    assert (bad["accuracy"], bad["accuracy_with_ties"]) == (1 / 4, 1 / 2)
    assert (bad["tie_rate"], bad["position_consistency"]) == (1, 1)


def test_what_is_shown(data):
    """The authors' prompt with each image in its place; the first two swap."""
    trials = VotedPairs({"part": "image_edition", "orders": "both"})
    forward, reverse = (trials.ask(trial).content for trial in list(trials)[:2])
    assert [isinstance(part, str) for part in forward] == [True, False] * 3 + [True]
    text = prompt("image_edition").replace("<source_prompt>", "source leftvote")
    text = text.replace("<target_prompt>", "target leftvote")
    text = text.replace("<instruct_prompt>", "Edit leftvote.")
    for image in ("source_image", "left_output_image", "right_output_image"):
        text = text.replace(f"<{image}>", "|")
    assert "|".join(part for part in forward if isinstance(part, str)) == text

    def shown(content):
        return [part()[0].tobytes() for part in content if not isinstance(part, str)]

    of_text = VotedPairs({"part": "image_generation"})
    generated = of_text.ask(of_text[0]).content
    assert "Text prompt: Draw <x> beside <left_image>: leftvote.\n" in generated[0]
    assert shown(generated) == [picture(0, place).tobytes() for place in (0, 1)]
    assert shown(forward) == [picture(0, place).tobytes() for place in (2, 0, 1)]
    assert shown(reverse) == [picture(0, place).tobytes() for place in (2, 1, 0)]
    first, *_ = trials
    assert (first["item"], first["truth"], first["vote"]) == ("image_edition/0", 0, "leftvote")
    assert [trial["truth"] for trial in trials][-1] == TIE
