import numpy as np

from pairbench_ext.judges.encoders.base import unit_rows


def test_unit_rows_leaves_its_input_alone():
    rows = np.array([[2.0, 0.0]])
    unit_rows(rows)
    assert rows.tolist() == [[2.0, 0.0]]


def test_unit_rows_scales_every_row_by_itself():
    rows = unit_rows(np.array([[0.0, 5.0], [-3.0, 4.0], [0.0, 0.0]]))
    np.testing.assert_allclose(rows, [[0, 1], [-0.6, 0.8], [0, 0]], rtol=1e-6)
    assert rows.dtype == np.float32
