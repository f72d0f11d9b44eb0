"""The page on training: its callback logs numbers with intervals, and writes its samples."""

import math
import re

from datasets import Dataset

from pairbench_ext.core import registry
from tests.checkpoints import make_qwen2_5_vl
from tests.conftest import REPOSITORY
from tests.files import pairbench

TASKS = ("judge_audit_preferences", "judge_audit_differences")


def test_the_callback_logs_headlines_with_intervals(tmp_path, monkeypatch):
    from transformers import (
        AutoProcessor,
        Qwen2_5_VLForConditionalGeneration,
        Trainer,
        TrainingArguments,
    )

    monkeypatch.setenv("PAIRBENCH_LIMIT_ITEMS", "2")
    page = (REPOSITORY / "docs" / "while_training.md").read_text(encoding="utf-8")
    [code] = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
    assert len(code.splitlines()) <= 40
    known = {}
    exec(code, known)
    folder = make_qwen2_5_vl(tmp_path / "model")
    processor = AutoProcessor.from_pretrained(folder)
    model = Qwen2_5_VLForConditionalGeneration.from_pretrained(folder)
    tokens = processor.tokenizer("Answer 1 is better.")["input_ids"]
    arguments = TrainingArguments(
        str(tmp_path / "out"), max_steps=3, use_cpu=True, report_to=[], save_strategy="no",
        per_device_train_batch_size=1,
    )  # fmt: skip
    rows = Dataset.from_list([{"input_ids": tokens, "labels": tokens}] * 4)
    trainer = Trainer(model, arguments, train_dataset=rows)
    trainer.add_callback(known["JudgeSignal"](trainer, processor, TASKS, every=2))
    trainer.train()
    [logged] = [line for line in trainer.state.log_history if any("judge/" in key for key in line)]
    assert logged["step"] == 2
    for task in TASKS:
        benchmark = registry.benchmark_of(task)
        headline = benchmark.number(benchmark.headline)
        names = (f"judge/{task}/{name}" for name in (headline.name, *headline.ends))
        value, low, high = (logged[name] for name in names)
        assert math.isnan(value) or low <= value <= high
    done = pairbench("card", tmp_path / "out" / "judge" / "2", "--json")
    assert all(task in done.stdout for task in TASKS), done.output
