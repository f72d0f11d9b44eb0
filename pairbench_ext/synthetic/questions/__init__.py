"""Questions about two scenes with one difference: options, answers and captions."""
