"""How replies of Multi-Crit are read."""
