"""OmniRewardBench: which of two responses is better under a criterion in free words?"""
