"""EditReward-Bench by EditScore: the judge scores one edited image at a time."""
