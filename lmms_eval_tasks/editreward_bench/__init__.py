"""EditReward-Bench by TIGER-Lab: which of two edited images is better?"""
