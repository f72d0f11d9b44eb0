"""Two clients of one server."""

import os
import threading
import time
from collections import Counter

from tests.asked_models import fingerprint
from tests.commands import lmms_eval
from tests.endpoints import Endpoint
from tests.evaluations import shared


def numbers(results):
    return {
        task: {name: repr(value) for name, value in found.items() if "_stderr" not in name}
        for task, found in results["results"].items()
    }


def test_two_clients_of_one_server(pairbench_data, tmp_path):
    """All are killed while the server answers and begin again: one client's numbers."""
    going_on = threading.Event()
    going_on.set()

    def answer(content):
        going_on.wait(60)
        return str(int(fingerprint(content), 16) % 10 + 1)

    with Endpoint(answer) as server:

        def command(output, journal):
            output.mkdir()
            base = (
                f"base=openai,model_version=m,base_url={server.url},api_key=none,num_concurrent=2"
            )
            return [
                *("--model", "resumable", "--model_args", f"{base},journal={tmp_path / journal}"),
                *("--tasks", "pairbench_coco_rotate"),
            ]

        data = {"PAIRBENCH_DATA": str(pairbench_data), "OPENAI_API_KEY": "none"}
        one, of_one = lmms_eval(command(tmp_path / "1", "j1"), tmp_path / "1", **data)
        expected = Counter(map(fingerprint, server.prompts))
        server.requests.clear()
        going_on.clear()
        environment = {**os.environ, **data, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
        arguments = command(tmp_path / "killed", "j2")
        (tmp_path / "printed").touch()
        pids = shared().start(
            ranks=2, arguments=arguments, folder=str(tmp_path), environment=environment,
            log=str(tmp_path / "printed"),
        )  # fmt: skip
        deadline = time.monotonic() + 60
        while len(server.requests) < 4:
            assert time.monotonic() < deadline, (tmp_path / "printed").read_text()
            time.sleep(0.01)
        shared().kill(pids)
        going_on.set()
        two, of_two = lmms_eval(command(tmp_path / "2", "j2"), tmp_path / "2", ranks=2, **data)
        asked = Counter(map(fingerprint, server.prompts))
    assert numbers(two) == numbers(one)
    replies = [
        {sample["doc_id"]: sample["filtered_resps"] for sample in samples["pairbench_coco_rotate"]}
        for samples in (of_one, of_two)
    ]
    assert replies[0] == replies[1]
    assert asked.keys() == expected.keys()
    assert (asked - expected).total() <= 4  # two clients with two requests in flight
