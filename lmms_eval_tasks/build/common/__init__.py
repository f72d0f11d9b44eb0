"""Data sets built from images: pairs, and the demo set of embedded photographs."""
