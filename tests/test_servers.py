"""What a server is sent by lmms-eval's `openai`, which the pages recommend for all servers."""

import base64
import io

import pytest
from PIL import Image

from pairbench_ext.plain import open_task
from tests.endpoints import Endpoint
from tests.judges import evaluate


@pytest.mark.parametrize("name", ["vl_rewardbench_demo", "pairbench_demo_rotate"])
def test_a_server_gets_the_pictures_in_order_and_the_task_s_decoding(name, task_manager):
    from lmms_eval.models import get_model

    with Endpoint(lambda content: "Answer 1 is better.") as endpoint:
        model = get_model("openai").create_from_arg_string(
            f"model_version=m,base_url={endpoint.url},api_key=none,num_concurrent=1,max_retries=1",
            {"batch_size": 1},
        )
        evaluate(model, name, task_manager, limit=4)
        bodies = [body for _, _, body in endpoint.requests]
    task = open_task(name)
    assert len(bodies) == 4
    by_text = {said(body["messages"]): body for body in bodies}
    for trial in task[:4]:
        body = by_text[said(trial.messages)]
        assert spoken(body["messages"]) == spoken(trial.messages)
        assert body["temperature"] == task.decoding.temperature
        assert body.get("top_p") == task.decoding.top_p
        limits = [body.get(key) for key in ("max_tokens", "max_completion_tokens")]
        assert task.decoding.tokens in limits


def content(messages):
    return messages[-1]["content"]


def said(messages):
    """All that is in a message, pictures by their pixels."""
    return repr(spoken(messages))


def spoken(messages):
    return [
        part["text"] if part["type"] == "text" else pixels(part["image_url"]["url"])
        for part in content(messages)
    ]


def pixels(url):
    image = Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).convert("RGB")
    return image.size, image.tobytes()
