"""Our tasks as data sets of VLMEvalKit: its `run.py` asks, `pairbench score` counts.

    python -m pairbench_ext.stacks.vlmevalkit --data vl_rewardbench_both --model Qwen2.5-VL-7B

`questions` is what VLMEvalKit is shown, `predictions` reads the files that it writes, `dataset` is
its class of data sets, `command` is the command line. Nothing here needs lmms-eval.
"""
