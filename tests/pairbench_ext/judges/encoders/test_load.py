import subprocess
import sys

import pytest

from pairbench_ext.judges.encoders.classical import ClassicalEncoder
from pairbench_ext.judges.encoders.base import load_encoder
from pairbench_ext.judges.encoders.pretrained import PretrainedEncoder


def test_classical_is_built_in_and_the_default():
    assert isinstance(load_encoder(), ClassicalEncoder)
    assert isinstance(load_encoder("classical", "cpu", 4), ClassicalEncoder)


def test_anything_else_is_a_checkpoint(checkpoints):
    encoder = load_encoder(checkpoints["siglip"], "cpu", 4)
    assert isinstance(encoder, PretrainedEncoder)
    assert encoder.batch_size == 4


def test_misspelt_name_says_what_can_be_given(tmp_path):
    with pytest.raises(ValueError, match=r"clasical.*'classical'"):
        load_encoder(f"{tmp_path}/clasical")


def test_classical_loads_no_neural_library():
    code = (
        "import sys; from pairbench_ext.judges.encoders.base import load_encoder; load_encoder(); "
        "print([m for m in ('torch', 'transformers') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
