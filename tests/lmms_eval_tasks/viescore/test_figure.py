import json

import numpy as np

from lmms_eval_tasks.viescore.benchmark import BENCHMARK
from lmms_eval_tasks.viescore.figure import save_figure
from lmms_eval_tasks.viescore.numbers import agreement_of, model_means
from pairbench_ext.runs.scoring import score_file

SAMPLES = "abcde"


def run(folder, name, *, raters, scale=10, task="tie"):
    rng = np.random.default_rng(0)
    lines = []
    for model in "AB":
        for sample in SAMPLES:
            rated = (rng.integers(0, 3, (raters, 2)) / 2).tolist()
            for aspect, score in zip(("SC", "PQ"), rng.integers(0, scale + 1, 2), strict=True):
                lines.append({
                    "task": task, "image_model": model, "sample": sample, "aspect": aspect,
                    "ratings": rated or None, "response": json.dumps({"score": [int(score)] * 2}),
                })  # fmt: skip
    file = folder / f"{name}.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    return score_file(BENCHMARK, file, name=name)


def points(axes):
    return [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "o"]


def test_means_and_correlations_are_drawn(figure, tmp_path):
    rated = run(tmp_path, "x", raters=3)
    save_figure([rated], tmp_path / "a.png")
    means, correlations = figure.figure.axes[0], figure.figure.axes[3]
    assert points(means) == [known["SC"] for known in model_means(rated.table).values()]
    known = agreement_of(rated.table)
    average = known.means["fisher"]["tie", "SC", "spearman"]
    rhos = [values["SC"] for values in known.by_image_model().values()]
    assert points(correlations) == [*rhos, average]
    reference = known.human_means["fisher"]["tie", "SC", "spearman"]
    assert any(list(line.get_xdata()) == [reference] * 2 for line in correlations.lines)
    assert [t.get_text() for t in means.get_yticklabels()] == ["A", "B", "average"]
    save_figure([rated, run(tmp_path, "y", raters=0, task="cig")], tmp_path / "b.svg")
    shown = [panel.axison for panel in figure.figure.axes]
    assert shown == [True] * 9 + [False] * 3  # nobody to correlate with
