"""GenAI-Bench: pairs of generated and of edited images, with people's votes."""
