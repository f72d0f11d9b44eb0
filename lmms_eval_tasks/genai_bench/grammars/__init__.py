"""How replies to GenAI-Bench are read."""
