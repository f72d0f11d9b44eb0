"""What a card says of a judge in which no defect was found."""

from pairbench_ext.core.registry import benchmark_of
from pairbench_ext.runs.scoring import Judge
from pairbench_ext.show.report import cards
from tests.judges import score_file
from tests.pairbench_ext.runs.test_compare import votes, write


def test_published_numbers_stand_on_the_card(tmp_path):
    log = tmp_path / "Qwen2-VL-7B/1_samples_vl_rewardbench_k5.jsonl"
    write(log, votes(lambda item, repeat: item % 3 > 0, repeats=5))
    run = score_file(benchmark_of("vl_rewardbench"), log)
    [made] = cards.cards_of([Judge("Qwen2-VL-7B", {run.name: run})])
    assert any("of 17 in Table 2" in line for line in made.published)
    assert any("Qwen2-VL-7B is printed with 0.283" in line for line in made.published)
    assert any("rule careful, paper authors" in line for line in made.published)
