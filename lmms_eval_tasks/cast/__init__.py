"""CAST: does a model confirm, in one modality, the statements that it made in another?

Paper: "CAST: Cross-modal Alignment Similarity Test for Vision Language Models". For each pair of
scenes the model states up to five similarities from the descriptions, from the images and from
both; then the same model is asked of each of the first three whether it is true, again from the
descriptions, the images and both, in three wordings.
"""
