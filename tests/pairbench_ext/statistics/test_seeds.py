from pairbench_ext.statistics import seeds


def test_draws_depend_on_neither_process_nor_version():
    assert seeds.stable_hash(7, "rotate", 3) == 6386309276009207140
