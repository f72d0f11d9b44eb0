"""Tasks without lmms-eval: in plain Python, as batches, in VLMEvalKit and in inspect."""
