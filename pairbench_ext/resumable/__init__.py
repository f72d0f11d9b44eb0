"""Wrap any model of lmms-eval so that each answer is saved before the next request.

Other rooms use the names below; the wrapper itself is `resumable.model.Resumable`, which needs the
harness.
"""

from pairbench_ext.resumable.journal import Journal, drop_task, entries, open_shared, summarise
from pairbench_ext.resumable.journal_file import Answer, Entry, JournalError
from pairbench_ext.resumable.task_managers import remember

__all__ = [
    "Answer",
    "Entry",
    "Journal",
    "JournalError",
    "drop_task",
    "entries",
    "open_shared",
    "remember",
    "summarise",
]
