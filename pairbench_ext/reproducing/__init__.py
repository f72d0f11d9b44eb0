"""From a model that a paper prints numbers of to the commands that measure them again."""
