"""What `resumable` tells a journal, for tests that have no model."""


def announce(journal, task, keys):
    """Requests of a run: how many, how many are answered, and the keys of the others."""
    left = [key for key in keys if key not in journal]
    journal.expect(task, len(keys), len(keys) - len(left))
    journal.tell(task, left)
