"""Multi-Crit: which of two answers is better under one criterion?"""
