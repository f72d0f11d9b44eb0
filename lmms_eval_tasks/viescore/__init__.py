"""VIEScore: a model rates generated and edited images; README.md says what is measured.

source        what a task asks: one entry of `sources.json`
prompts       Appendix A, and what the paper describes without printing it
examples      rated examples for the 1-shot tasks
rating_trials trials: (sample, image model) x SC or PQ
samples       from a reply to a judgment
scoring       numbers from replies that are already there
hooks         what the task files name
leaves        writes the task files
build         `pairbench build viescore`
cli           `pairbench score viescore`
"""
