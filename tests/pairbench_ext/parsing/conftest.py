"""Property tests that pass or fail the same on every machine, however slow it is."""

from hypothesis import settings

settings.register_profile("everywhere", deadline=None, derandomize=True)
settings.load_profile("everywhere")
