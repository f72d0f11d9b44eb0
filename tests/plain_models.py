"""A model that answers messages by their words, the same in every process."""

import zlib

REPLIES = ("Answer 1 is better.", "Overall judgment: Answer 2 is better.", "I cannot say.")


def by_words(text):
    """A reply that follows from what is read."""
    if "similarities" in text:
        return "1. Both show somebody."
    return REPLIES[zlib.crc32(text.encode()) % len(REPLIES)]


def model(messages):
    texts = [part["text"] for part in messages[-1]["content"] if part["type"] == "text"]
    return by_words("\n".join(texts))
