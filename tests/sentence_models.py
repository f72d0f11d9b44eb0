"""A real sentence model that needs no download: its weights are in the wheel of wordllama."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer


def parts():
    """The model's tokenizer and its token embeddings, shape (32000, 256)."""
    package = Path(find_spec("wordllama").origin).parent
    tokenizer = Tokenizer.from_file(str(package / "tokenizers/l2_supercat_tokenizer_config.json"))
    [weights] = load_file(package / "weights/l2_supercat_256.safetensors").values()
    return tokenizer, weights.astype(np.float32)


def save(folder):
    """Write it as the library saves a model; the folder's name."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    tokenizer, weights = parts()
    module = StaticEmbedding(tokenizer, embedding_weights=weights)
    SentenceTransformer(modules=[module], device="cpu").save(str(folder))
    return str(folder)


def cosine(first, second):
    """Cosine of two texts' mean token embeddings, without the library."""
    tokenizer, weights = parts()
    one, other = (
        weights[tokenizer.encode(text, add_special_tokens=False).ids].mean(axis=0)
        for text in (first, second)
    )
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))
