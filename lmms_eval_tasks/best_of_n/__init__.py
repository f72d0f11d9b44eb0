"""Best of N: how good are the answers that a judge picks?"""
