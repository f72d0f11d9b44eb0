"""GenAI-Bench: pairs of generated images and pairs of edited images, with people's votes."""
