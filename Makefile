# Short names for the commands of CONTRIBUTING.md.
PYTHON ?= .venv/bin/python

.PHONY: ci test lint format docs site benchmark

ci:
	.ci/run

test:
	$(PYTHON) -m pytest -n auto

lint:
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy

format:
	$(PYTHON) -m ruff check --fix .
	$(PYTHON) -m ruff format .

docs:
	$(PYTHON) -m tools.docs.build

site:
	$(PYTHON) -m tools.docs.website

benchmark:
	$(PYTHON) benchmarks/bench.py
