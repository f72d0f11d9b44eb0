"""Shared by builders of data sets: a resumable repository, its README, embedded photographs."""
