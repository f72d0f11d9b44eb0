import pytest

from tests.museums import write_museum


@pytest.fixture(scope="session")
def museum(tmp_path_factory):
    """All seven tasks: two image models, four samples, ratings of tie and cig."""
    return write_museum(tmp_path_factory.mktemp("museum"))


@pytest.fixture
def viescore_data(museum, monkeypatch):
    monkeypatch.setenv("VIESCORE_DATA", str(museum))
    return museum
