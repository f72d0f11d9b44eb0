"""OmniRewardBench: which of two responses better meets a criterion given in free words?"""
