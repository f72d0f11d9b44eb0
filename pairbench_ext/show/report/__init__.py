"""The judge card: one self-contained page of what judges measured, and every sample behind it."""
