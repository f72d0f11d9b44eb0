"""How replies of EditReward's EditReward-Bench are read."""
