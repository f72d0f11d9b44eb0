"""EditReward-Bench of EditScore: edited images are scored one by one, and pairs follow."""
