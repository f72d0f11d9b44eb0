"""The benchmarks that `pairbench` declares: one folder for each."""
