"""What VLM-SubtleBench's paper prints, beside which results are shown."""
