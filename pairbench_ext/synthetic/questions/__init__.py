"""Questions about two scenes that differ in one thing: options, answers and captions."""
