"""Failures of the system, in words that hold no exception's text."""

import errno
import os

import pytest

from playground.server.reasons import reason_of

ALL = sorted(errno.errorcode)


@pytest.mark.parametrize("number", ALL, ids=errno.errorcode.get)
def test_every_failure_has_words_and_none_is_the_exceptions(number: int) -> None:
    said = reason_of(OSError(number, os.strerror(number), "/secret/path"))
    assert said
    assert "/secret" not in said
    assert "Errno" not in said


def test_systems_that_name_the_same_failure_differently_get_the_same_words() -> None:
    assert reason_of(OSError(errno.EMLINK, "")) == reason_of(OSError(errno.ELOOP, ""))
    assert reason_of(OSError(errno.EPERM, "")) == reason_of(OSError(errno.EACCES, ""))


def test_a_failure_without_a_number_has_words_too() -> None:
    assert reason_of(OSError("text only")) == "the system said no more than that"
