"""The page of a run in progress, from the journal that it writes; nothing is ever written."""
