"""Judges that need no download, and encoders that turn images into vectors.

Other rooms use:

    encoders    images to unit vectors

The judges are models of lmms-eval's command line (`--model blind_judge`).
"""
