"""Ask a judge behind a local server one question of each demo task, from plain Python.

Tests run it where packages are missing. The job without torch runs `python -m tests.ask_demos`:
with `--drawn` where the photographs are not installed.
"""

import json
import sys
from urllib import request

from pairbench_ext.stacks.plain import open_task, task_names
from tests.endpoints import Endpoint

#: Demos of drawn pictures need no package; photographs are installed by those of the extra `demo`.
DRAWN = ("judge_audit", "judge_audit_demo", "pairbench_demo_wu_ii", "pairbench_demo_wu_it")
DRAWN += ("subtlebench_demo",)
PHOTOGRAPHS = ("cast_demo", "pairbench_demo", "pairbench_demo_balanced", "viescore_demo")
PHOTOGRAPHS += ("vl_rewardbench_demo",)
#: By a word in a task's name, a reply that can be read; of the others it is the last.
REPLIES = {
    "differences": "A", "preferences": "Answer 1 is better.", "repeats": "A", "subtlebench": "A",
    "viescore": '{"score": [8, 8], "reasoning": "It is done."}',
    "vl_rewardbench": "Answer 1 is better.", "": "Score: 7",
}  # fmt: skip


def ask_all(groups):
    """Ask the first question of each task, and score the reply."""
    for name in dict.fromkeys(name for group in groups for name in task_names(group)):
        task = open_task(name)
        reply = next(text for word, text in REPLIES.items() if word in name)
        with Endpoint(lambda _, reply=reply: reply) as server:
            answer = task[0].ask(lambda messages, url=server.url: ask(url, messages))
        numbers = task.score([answer, *[None] * (len(task) - 1)]).numbers
        assert numbers["coverage"] != 0, f"{name}: the reply {reply!r} was not read"


def ask(url, messages):
    """Send chat messages as an API of OpenAI's kind takes them; return the reply."""
    body = json.dumps({"model": "judge", "messages": messages}).encode()
    with request.urlopen(request.Request(f"{url}/chat/completions", body)) as answer:
        return json.load(answer)["choices"][0]["message"]["content"]


if __name__ == "__main__":
    ask_all(DRAWN if "--drawn" in sys.argv else (*DRAWN, *PHOTOGRAPHS))
