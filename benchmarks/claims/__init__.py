"""Whether what comparisons say is right as often as they say, for judges whose truth is known."""
