"""Blocks are of about half a minute: what a kill loses is little, and batches stay whole."""

from contextlib import suppress

import pytest

from pairbench_ext.resumable.model import Resumable
from tests.asked_models import Asked
from tests.pairbench_ext.resumable.test_blocks import DRAWN, GREEDY, docs, requests_for

TABLE = docs(*map(str, range(60)))


class Dying(Asked):
    """Dies after so many requests, as a server that leaks memory does."""

    def _answer(self, *request):
        if len(self.asked) == 20:
            raise KeyboardInterrupt
        return super()._answer(*request)


@pytest.mark.parametrize("settings", [GREEDY, DRAWN], ids=["greedy", "drawn"])
def test_a_model_that_dies_every_20_requests_gets_on(settings, tmp_path):
    asked, outputs = [], None
    while outputs is None:
        base = Dying(batch_size=1)
        base.task_dict = {"task": {"test": TABLE}}
        model = Resumable(base, tmp_path, arguments={})
        with suppress(KeyboardInterrupt):
            outputs = model.generate_until(requests_for(TABLE, settings))
            model.clean()
        asked.append(len(base.asked))
        assert len(asked) < 6
    assert sum(asked) <= 60 * 4 / 3 + 20
