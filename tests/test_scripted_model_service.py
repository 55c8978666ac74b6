"""The record of requests."""

import threading

from playground.scripted_model.dialects import Listing
from playground.scripted_model.dialects.openai_like import OpenAI
from playground.scripted_model.service import Recorded, Service
from playground.scripted_model.talk import Answer


def test_a_record_wakes_who_waits_for_it() -> None:
    service = Service(OpenAI(), Listing({}, 0), lambda prompt: Answer())
    seen = threading.Event()

    def wait() -> None:
        with service.changed:
            if service.changed.wait_for(lambda: service.requests, 5):
                seen.set()

    waiting = threading.Thread(target=wait)
    waiting.start()
    service.record(Recorded("GET", "/", {}, None, 200))
    assert seen.wait(5)
    waiting.join()
    assert service.requests[0].refusal == ""
