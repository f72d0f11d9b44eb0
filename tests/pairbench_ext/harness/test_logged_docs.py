"""Tasks of the harness whose documents are looked up for logged samples."""

from pairbench_ext.harness.logged_docs import LoggedDocs


def test_our_own_tasks_are_known_without_their_folder():
    found = LoggedDocs("vl_rewardbench_demo_both").task
    assert len(found.eval_docs) == 60
