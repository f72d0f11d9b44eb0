"""EditReward-Bench of EditReward (TIGER): pairs of edited images, and groups of three and four."""
