"""The benchmarks measure on Linux, by its poll(), its alarms and /proc; elsewhere there is nothing of them to test."""

from __future__ import annotations

import sys

collect_ignore_glob = [] if sys.platform == "linux" else ["test_*.py"]
