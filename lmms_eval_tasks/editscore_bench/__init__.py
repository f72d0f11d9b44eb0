"""EditReward-Bench by EditScore: edited images are scored one by one."""
