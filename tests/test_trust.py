"""Why no safe connection came about, said from the exception as libraries hand it on."""

from __future__ import annotations

import ssl
from http.client import BadStatusLine

from playground.trust import why_unsafe


def test_what_is_wrong_with_a_certificate_is_said() -> None:
    flaw = ssl.SSLCertVerificationError(1, "[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed")
    flaw.verify_message = "self-signed certificate"
    wrapped = RuntimeError("request failed")
    wrapped.__cause__ = ConnectionError("no answer", flaw)
    assert why_unsafe(wrapped) == "its certificate is not to be trusted (self-signed certificate)"


def test_an_alert_in_place_of_a_status_comes_from_who_speaks_tls() -> None:
    wrapped = ConnectionError("aborted", BadStatusLine("\x15\x03\x01\x00\x02\x02F"))
    assert why_unsafe(wrapped) == "if it speaks TLS, write https:// instead of http://"
    assert why_unsafe(BadStatusLine("SSH-2.0")) is None


def test_exceptions_that_lead_in_a_circle_are_looked_through_once() -> None:
    one, other = RuntimeError("one"), RuntimeError("other")
    one.__cause__, other.__cause__ = other, one
    assert why_unsafe(one) is None
