"""The parts that pairwise preference benchmarks share: votes, accuracies, position bias."""
