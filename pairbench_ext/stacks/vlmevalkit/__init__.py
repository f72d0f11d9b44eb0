"""Run our tasks in VLMEvalKit: its `run.py` asks the model, `pairbench score` computes metrics.

    python -m pairbench_ext.stacks.vlmevalkit --data vl_rewardbench_both --model Qwen2.5-VL-7B

`dataset` is what VLMEvalKit is shown, its class of data sets, and what becomes of the files that it
writes. Nothing here needs lmms-eval.
"""
