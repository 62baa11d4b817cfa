# Le Subscribe. `make help` lists what there is.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed
# A system is a dozen processes, and each of them would compile all of our code anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help install up test check audit bench chaos client messages screenshots lock format vendor clean system-parts

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' Makefile

install: $(INSTALLED) ## install the pinned dependencies into .venv

$(INSTALLED): requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; this is $$($(PYTHON) --version). Try: make PYTHON=python3.12 ..."; exit 1; }
	@echo "Installing the pinned dependencies into $(VENV), once; this takes a minute or two."
	@$(PYTHON) -m venv $(VENV)
	@set -o pipefail; \
	$(BIN)/python -m pip install --disable-pip-version-check --require-hashes --requirement requirements.lock 2>&1 \
		| tee $(VENV)/install.log \
		| awk -v all="$$(grep -c == requirements.lock)" -v step="$$([ -t 1 ] && echo 1 || echo 20)" '\
			/^Collecting/ && ++n % step == 0 {printf "%s  %d of up to %d packages ", (step == 1 ? "\r" : "\n"), n, all; fflush()} \
			/^Installing collected/ {printf "\n  unpacking ..."; fflush()} END {print ""}' \
		|| { tail -n 15 $(VENV)/install.log; echo "The install failed; the whole log is $(VENV)/install.log."; exit 1; }
	@touch $@

up: install ## run the whole system; Ctrl-C stops it (PORT=8000, VAR=var)
	@exec $(BIN)/python manage.py up

test: install system-parts ## run the whole suite, on SQLite and on PostgreSQL
	@$(BIN)/python -m tests.both_databases

check: install ## format, lint, types, import contract, fast tests
	@$(BIN)/ruff format --check --quiet . || { echo "Run: make format"; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@PYTHONPATH=lesubscribe/client $(BIN)/lint-imports --no-logo
	@$(BIN)/python -m pytest -q tests/unit tests/architecture

audit: install ## have the pinned packages known vulnerabilities? (asks the package index for advisories)
	@$(BIN)/python -m tests.audit

bench: install ## the quick benchmark table
	@$(BIN)/python -m benchmarks

chaos: install ## faults of all kinds for a minute per database, then the verdict (ARGS="--seed 7 ...")
	@$(BIN)/python -m tests.chaos $(ARGS)

client: install ## generate the Python client anew from the API's OpenAPI document
	@$(BIN)/python manage.py generate_client

messages: install ## bring the catalogues of translations up to date with the sources, and compile them
	@$(BIN)/python manage.py messages

screenshots: install system-parts ## take the pictures of the docs anew, of a fresh system with its demo
	@$(BIN)/python -m tests.browser.screenshots $(ARGS)

lock: install ## pin the dependencies of pyproject.toml anew
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --upgrade \
		--no-header --no-emit-index-url --group dev pyproject.toml --output-file requirements.lock

format: install ## format the code and mend what the linter can
	@$(BIN)/ruff check --quiet --fix .
	@$(BIN)/ruff format --quiet .

vendor: install ## refresh the vendored web assets from npm
	@$(BIN)/python manage.py vendor_assets

clean: ## remove the virtual environment and caches; your data in var/ stays
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

system-parts:
	@tests/install_system_parts
