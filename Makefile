# Two commands do all the set-up: `make demo` and `make test`. Both need Python 3.11 or newer, git and make.

ifeq ($(OS),Windows_NT)
  VENV := .venv/Scripts/python
else
  VENV := .venv/bin/python
endif
PYTHON ?= $(shell for name in python3 python python3.14 python3.13 python3.12 python3.11; do \
	  $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; done)
SETUP = @$(if $(PYTHON),$(PYTHON) scripts/setup,echo "This needs Python 3.11 or newer, and none is on the PATH." && false)

.DEFAULT_GOAL := help
.PHONY: help demo test test-hard soak lint fmt coverage conformance bench bench-peers clean-logs

help: ## what can be made
	@sed -n 's/^\([a-z-]*\): ## /  make \1	/p' Makefile | expand -t 20

demo: ## watch MCP traffic in the dashboard, until Ctrl-C (ONCE=1: run, check the logs, leave)
	$(SETUP)
	@$(VENV) scripts/demo $(if $(filter-out 0,$(ONCE)),--once)

test: ## everything that must hold: format, lint, types, rules, tests
	$(SETUP) --tests
	@$(VENV) scripts/check

test-hard: ## how much it withstands, in figures: fuzz, races, crashes, hostile text
	$(SETUP) --tests
	@$(VENV) scripts/hard

soak: ## the same as before a release (45 minutes)
	$(SETUP) --tests
	@$(VENV) scripts/hard --soak

lint: ## format, lint and types only
	$(SETUP) --tests
	@$(VENV) scripts/check format lint types

fmt: ## put all Python files into shape
	$(SETUP) --tests
	@$(VENV) -m ruff check --fix --quiet . && $(VENV) -m ruff format --quiet .

coverage: ## the tests, with what they leave untouched
	$(SETUP) --tests
	@$(VENV) -m pytest -m "not hard" --numprocesses=auto --quiet --cov --cov-report=term-missing

conformance: ## what the official conformance suite says of the server and the client
	$(SETUP) --tests
	@$(VENV) -m tests.conformance.suite

bench: ## measure ours and the peers, into bench/RESULTS.md (ARGS=--quick: does it run?)
	$(SETUP) --tests
	@$(VENV) -m bench.run $(ARGS)

bench-peers: ## what `make bench` measures against, into .tools/bench
	$(SETUP) --tests
	@$(VENV) -m bench.peers

clean-logs: ## empty logs/ (also while scripts write to them)
	@for log in logs/*.jsonl; do if [ -f "$$log" ]; then : > "$$log"; fi; done; rm -f logs/*.jsonl.*
