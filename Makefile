# Everything is made inside the checkout: the environment in .venv, with dependencies locked by hash.
SHELL := bash
PYTHON ?= python3
BIN := .venv/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PROGRAM := .venv/program
STAMP := .venv/development
INSTALL := $(BIN)/uv pip install --python $(BIN)/python --no-cache
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
LOCK := uv pip compile --universal --python-version 3.11 --no-header --no-emit-index-url --quiet
SIDE_BY_SIDE := -n 2 --dist worksteal --ignore tests/browser
FULL := not long and not bench and not browser
COVERED := $(if $(COVERAGE),--ignore tests/server --cov --cov-fail-under 95)

.PHONY: help demo release test test-full test-long test-faults test-soak test-mutation test-browser test-systemd check format man settings wishes fuzz bench bench-peers \
	bench-memory lock clean

help: ## this list
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 14

demo: $(PROGRAM) ## the whole trip on a sample conversation; no key, no network
	@$(BIN)/memproc demo

test: $(STAMP) ## the tests, but for the dearest
	@$(BIN)/python -m pytest $(SIDE_BY_SIDE) -m "not full and $(FULL)"

test-full: $(STAMP) ## the dearest too, as CI runs them; COVERAGE=1 also measures how much of the code they reach
	@$(BIN)/python -m pytest $(SIDE_BY_SIDE) -m "$(FULL)" $(COVERED)
ifdef COVERAGE
	@# Python 3.11 cannot trace threads that begin at the same moment, as the scripted server's own tests have them.
	@$(BIN)/python -m pytest $(SIDE_BY_SIDE) -m "$(FULL)" tests/server
endif

test-long: $(STAMP) ## the tests that take many minutes, and many more examples of every property
	@$(BIN)/python -m pytest -m "(long or hypothesis) and not bench and not browser" --hypothesis-profile thorough \
		--timeout 3600 --run-limit 86400

test-faults: $(STAMP) ## kills, errors, power cuts and rot at one in so many of their places: twenty minutes on two cores
	@$(BIN)/python -m tests.faults short

test-soak: $(STAMP) ## the same at many more places: hours
	@$(BIN)/python -m tests.faults all

test-mutation: $(STAMP) ## change rules/ in thousands of places, and count the changes that its tests do not see; hours
	@$(BIN)/mutmut run --max-children 2
	@$(BIN)/mutmut results

test-browser: $(STAMP) ## the page in a real Chromium, and its pictures in docs; needs chromium and chromium-driver
	@$(BIN)/python -m pytest -m browser tests/browser

test-systemd: $(STAMP) ## the service under a real systemd, in namespaces of its own; needs root
	@$(BIN)/python -m pytest -m long tests/systemd --timeout 600

check: $(STAMP) ## format, lint, types, imports, and what tests hold of the source
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python -m pytest --quiet tests/test_source.py tests/test_sentences.py

format: $(STAMP) ## lay out the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

man: $(STAMP) ## write the man page from the commands
	@$(BIN)/memproc manual > docs/memproc.1

settings: $(STAMP) ## write memproc.toml and docs/settings.md from the tables of settings
	@$(BIN)/python -m tests.settings_files

wishes: $(STAMP) ## learn what a wish is, in other languages than English, from the labelled sentences of the tests
	@$(BIN)/python -m tests.rules.extract.train_wishes

fuzz: $(STAMP) ## ten minutes of damaged exports, settings, answers of models and requests
	@$(BIN)/python -m tests.fuzz --seconds 600

bench: $(STAMP) ## measure; every figure is a ratio within one run
	@$(BIN)/python -m pytest -m bench tests/bench
	@$(BIN)/python -m tests.bench

bench-peers: $(STAMP) ## measure beside mem0 and LangMem, which are installed apart; needs the network
	@$(BIN)/python -m tests.bench.peers

bench-memory: $(STAMP) ## what memories keep, on exports with questions beside them; needs the network
	@$(BIN)/python -m tests.bench.memory

release: $(STAMP) ## wheel and sdist of the tag that is checked out, in dist/, tried in an empty environment
	@.ci/release

lock: $(STAMP) ## resolve the dependencies again, keeping the versions that still fit
	$(BIN)/$(LOCK) --generate-hashes --group dev --all-extras pyproject.toml -o locks/development.txt
	$(BIN)/$(LOCK) --generate-hashes -c locks/development.txt pyproject.toml -o locks/program.txt
	$(BIN)/$(LOCK) --no-annotate --all-extras -c locks/development.txt pyproject.toml -o locks/tested.txt
	$(BIN)/$(LOCK) --generate-hashes -c locks/development.txt --group build -o locks/build.txt

# The program needs half of the packages that its tests need, and less than half of the bytes.
$(PROGRAM): locks/program.txt locks/build.txt pyproject.toml
	@echo "Setting up .venv (once): an environment, then the packages of locks/program.txt ..."
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "memproc needs Python 3.11 or newer")'
	@$(PYTHON) -m venv .venv
	@$(PIP) --require-hashes -r locks/build.txt
	@$(call install,locks/program.txt)
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(STAMP): $(PROGRAM) locks/development.txt
	@echo "Adding the packages of locks/development.txt to .venv (once) ..."
	@$(call install,locks/development.txt)
	@touch $@

# uv takes seconds where pip takes a minute, and says what it downloads; its list of all packages is left out.
# Where uv cannot reach an index that pip is set up for, pip installs the same files.
define install
set -o pipefail; $(INSTALL) --require-hashes -r $(1) 2>&1 | sed '/^ [+~-] /d' || $(PIP) --require-hashes -r $(1)
endef

clean: ## remove what was made here
	rm -rf .venv .fuzz .hypothesis mutants .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .coverage htmlcov dist
