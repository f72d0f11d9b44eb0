"""Ask a language model to judge texts, through the harness's interface `lmms_eval.llm_judge`.

`API_TYPE` says which of the harness's providers, and with it which variables say where and by which
key: `openai` (the default; any endpoint that speaks its protocol: `OPENAI_API_URL`,
`OPENAI_API_KEY`), `azure` (`AZURE_ENDPOINT`, `AZURE_API_KEY`, `API_VERSION`), `bedrock`, or `local`
(`LLM_JUDGE_URL`, no key). `async_openai` and `async_azure` are asked as `openai` and `azure`: there
are threads already.

A prompt that was answered is not asked again: answers are on disk before they are used (`judgments`
in the cache folder), by the model, where it is, and the prompt. A failure is not recorded.
"""

import os
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from loguru import logger

from pairbench_ext.core.contents import content, digest
from pairbench_ext.core.user_cache import cache_folder
from pairbench_ext.resumable import Answer, Entry, Journal, JournalError, open_shared

THREADS = 8  # of `ask_all`; the harness itself uses 4
_SYNCHRONOUS = {"async_openai": "openai", "async_azure": "azure"}
_PLACES = ("base_url", "api_url", "api_endpoint", "api_version")
_TEMPERATURE = 0.0
_MAX_TOKENS = 4096  # a word is enough, but reasoning models think first
_TIMEOUT = 60.0  # seconds
_RETRIES = 4  # by the provider's client, which waits longer each time, or as long as it is told
_GIVE_UP = 8  # failures without a success between them


class Judge:
    """A language model that judges texts. Several threads may ask it; asking never raises."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.problem: str | None = None
        self._lock = threading.Lock()
        self._failures = 0
        named = os.environ.get("API_TYPE", "openai").lower()
        api = _SYNCHRONOUS.get(named, named)
        try:  # providers raise what their clients raise
            self._server = _connect(model, api)
            if not self._server.is_available():
                self.problem = "the judge's server is not reachable, or its API key is not set"
        except Exception as error:  # noqa: BLE001  (whatever it is: nothing but the judge is lost)
            self._server = None
            self.problem = _sentence(error)
        self._settings = [model, api, *(getattr(self._server, name, None) for name in _PLACES)]
        self._answers = _open_answers()

    def ask(self, prompt: str, task: str) -> str | None:
        """Return the judge's reply; an earlier reply to the same prompt is reused.

        Returns:
            The reply; None if there is none: the endpoint failed, or has failed so often in a row
            that it is not asked any more.
        """
        key = self._key(prompt)
        earlier = self._answers.get(key) if self._answers is not None else None
        if earlier is not None:
            return earlier.text
        reply = self._request(prompt)
        if reply is not None and self._answers is not None:
            self._answers.append([Entry(key, task, Answer(reply))])
        return reply

    def ask_all(self, prompts: Iterable[str], task: str) -> Iterator[str | None]:
        """Yield the judge's replies in the order of the prompts, several of them asked at once."""
        with ThreadPoolExecutor(THREADS, thread_name_prefix="judge") as threads:
            yield from threads.map(lambda prompt: self.ask(prompt, task), prompts)

    def _key(self, prompt: str) -> str:
        settings = [self._settings, _TEMPERATURE, _MAX_TOKENS, prompt]
        return digest([b"judge", *content(settings)]).hex()

    def _request(self, prompt: str) -> str | None:
        from lmms_eval.llm_judge import Request

        if self._server is None or self._failures >= _GIVE_UP:
            return None
        reply = ""
        try:  # providers log what goes wrong, and raise it
            reply = self._server.evaluate(Request([{"role": "user", "content": prompt}])).content
            problem = "the last reply was empty"
        except Exception as error:  # noqa: BLE001  (see above)
            problem = _sentence(error)
        with self._lock:
            self._failures = 0 if reply else self._failures + 1
            if self._failures == _GIVE_UP:
                logger.warning(
                    f"the judge {self.model!r} failed {_GIVE_UP} times in a row ({problem}); it is "
                    "not asked any more in this run"
                )
        return reply or None


def _connect(model: str, api_type: str) -> Any:
    """The harness's provider, with a limit of time and retries that wait as they are told to."""
    from lmms_eval.llm_judge import ProviderFactory, ServerConfig

    config = ServerConfig(
        model_name=model, temperature=_TEMPERATURE, max_tokens=_MAX_TOKENS, num_retries=1
    )
    server = ProviderFactory.create_provider(api_type, config)
    limited = getattr(getattr(server, "client", None), "with_options", None)
    if limited is not None:  # OpenAI's client, which would wait for ten minutes
        server.client = limited(timeout=_TIMEOUT, max_retries=_RETRIES)
    else:
        config.timeout, config.num_retries, config.retry_delay = int(_TIMEOUT), 3, 2.0
    return server


def _open_answers() -> Journal | None:
    try:
        return open_shared(cache_folder() / "judgments")
    except JournalError as error:
        logger.warning(f"the judge's answers are not stored on disk: {error}")
        return None


def _sentence(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
