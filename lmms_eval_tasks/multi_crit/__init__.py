"""Multi-Crit: which of two answers is better under one criterion, and the numbers of conflicts."""
