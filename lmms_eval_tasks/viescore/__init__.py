"""VIEScore: a model rates generated and edited images; its ratings are compared with people's.

benchmark     the declaration: tasks, numbers, pools
trials        (sample, image model) x SC or PQ, over a museum; the images and the prompt of each
prompts       the paper's and the authors' prompts (data), with rated examples for 1-shot
museum        synthetic images in a folder (tasks), with human ratings; demo; build
outcomes      from a reply to an outcome
scores        SC, PQ and O by task and image model, of a judge or of raters
correlations  agreement with raters, averages, rankings; intervals; numbers
recorded      judgments that the authors published; commands: compares them with human ratings
"""
