import subprocess
import sys

from pairbench_ext.statistics import seeds


def test_draws_do_not_depend_on_the_process():
    code = (
        "from pairbench_ext.statistics.seeds import stable_hash; print(stable_hash(7, 'rotate', 3))"
    )
    other = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "1"},
    )
    assert int(other.stdout) == seeds.stable_hash(7, "rotate", 3)
