# Everything starts here: `make demo` and `make test` do all of their own set-up on a bare machine.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
DEMO_STAMP  := $(VENV)/.installed-demo
DEMO_EXTRAS := --extra gemini --extra embedded --extra languages --extra letters --extra build

NEW_ENOUGH := test -x $(BIN)/python || $(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else \
	f"agentd needs Python 3.11 or newer, and $(PYTHON) is {sys.version.split()[0]}: name another, as PYTHON=python3.12")'

# The daemon and its servers are processes of their own: none should compile its libraries again at each start.
unexport PYTHONDONTWRITEBYTECODE

# Three workers for two cores, as a third of a test's time is waiting; at most six for their memory.
WORKERS = -n $(shell expr $$(nproc) + $$(nproc) / 2) --maxprocesses 6 --dist worksteal
# The quick tests wait for little, and each worker reads all the files of tests.
QUICK_WORKERS = -n $(shell nproc) --maxprocesses 4 --dist worksteal

.DEFAULT_GOAL := help

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

install: $(STAMP) ## install exactly what requirements.lock names

$(STAMP): requirements.lock pyproject.toml
	@echo "▸ Python environment in $(VENV) (locked, hashed)"
	@$(NEW_ENOUGH)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$$(sed -n 's/^uv==\([^ ]*\).*/\1/p' requirements.lock)
	@$(BIN)/uv pip sync --python $(BIN)/python --require-hashes requirements.lock
	@$(BIN)/uv pip install --python $(BIN)/python --no-deps --no-build-isolation --quiet -e .
	@$(BIN)/python -c "import agentd.app, mcp.server"  # compiles what every start needs
	@$(BIN)/python -OO -c "import aiohttp.web, dbos, mcp.client.stdio, prometheus_client, sqlalchemy.dialects.sqlite"  # without docstrings
	@touch $@

COMPILE := uv pip compile --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --quiet

lock: ## resolve the dependencies again (hashes, no addresses): of everything, of the demo, of the benchmarks' peers
	$(COMPILE) pyproject.toml --all-extras -o requirements.lock
	$(COMPILE) pyproject.toml $(DEMO_EXTRAS) -c requirements.lock -o requirements-demo.lock
	$(COMPILE) lab/bench/peers.in -o lab/bench/peers.lock

$(DEMO_STAMP): requirements-demo.lock pyproject.toml
	@echo "▸ Python environment in $(VENV) for the demo (locked, hashed)"
	@$(NEW_ENOUGH)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==$$(sed -n 's/^uv==\([^ ]*\).*/\1/p' requirements-demo.lock)
	@$(BIN)/uv pip sync --python $(BIN)/python --require-hashes requirements-demo.lock
	@$(BIN)/uv pip install --python $(BIN)/python --no-deps --no-build-isolation --quiet -e .
	@touch $@

demo: $(if $(wildcard $(STAMP)),install,$(DEMO_STAMP)) ## a resident with a PIN, a visitor without one, the officer: two letters on disk (OFFICE=campus: a university's counter)
	@$(BIN)/python -m lab.demo

demo-servers: install ## eight servers that others wrote, each added by its own command (npx, uvx), answer in the terminal
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m lab.demo.others

test: install ## every test; installs the Debian packages it needs when root
	@$(BIN)/python -m tests.prepare
	@echo "▸ The tests with the embedded model, which needs all cores"
	@$(BIN)/python -m pytest -m model --durations=10; with_model=$$?; \
	echo "▸ All others, at once"; \
	$(BIN)/python -m pytest -m "not model" $(WORKERS) --durations=30 && exit $$with_model

quick: install ## the tests that are not slow and start no process, browser or database
	@$(BIN)/python -m pytest -q --quick $(QUICK_WORKERS)

# MCP's own suite (client, servers), JSON-RPC 2.0's examples and others' clients, the OpenRPC document by its meta-schema
# and its contract, A2A by its SDK, letters' PDFs by other readers and by PDF/UA's rules, axe on every page in every language.
CONFORMANCE := tests/conformance tests/agentd/rpc/test_specification.py tests/agentd/rpc/test_openrpc.py \
	tests/agentd/http/test_third_party_clients.py tests/e2e/test_openrpc_contract.py tests/e2e/test_a2a.py \
	tests/servers/certificate/test_signing.py tests/servers/certificate/test_conformance.py tests/web/test_layout.py \
	tests/web/test_plain_pages.py

conformance: install ## by others' suites and readers: MCP, JSON-RPC, OpenRPC, A2A, the letters' signatures, accessibility
	@$(BIN)/python -m tests.prepare
	@$(BIN)/python -m pytest -q $(CONFORMANCE)

check: install ## format, lint, strict types, import rules, sizes and dead code; all at once
	@$(MAKE) --no-print-directory --jobs --output-sync=target check-types check-lint check-imports check-gates

check-types:
	@$(BIN)/mypy || { [ $$? = 2 ] && $(BIN)/mypy --num-workers 0; }   # on a busy machine its workers may start too late
check-lint:
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
check-imports:
	@$(BIN)/lint-imports --no-logo 2>/dev/null || $(BIN)/lint-imports
check-gates:
	@$(BIN)/python -m lab.tools.gates

format: install ## put the code in shape
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

figures: install ## benches, drills and evaluations into docs/figures.json and the pages (ONLY='bench.rpc drill': these alone)
	@$(BIN)/python -m tests.prepare
	@$(BIN)/python -m lab.figures $(ONLY)

figures-check: install ## fill the pages from docs/figures.json again, mark what is stale, look for the commits it names
	@$(BIN)/python -m lab.figures --pages

bench drill: ## make figures ONLY=bench: measure beside what people use instead; ONLY=drill: kill, flood, fail; count what is lost
	@$(MAKE) --no-print-directory figures ONLY=$@

soak: install ## five minutes of mixed work; does the daemon grow? (make figures ONLY=soak: an hour, kept)
	@MINUTES=5 $(BIN)/python -m lab.figures --show soak

docs: install ## render the pages that come from the code, then build all of docs/ into site/
	@$(BIN)/python -m lab.tools
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

wheel: install ## the package, in dist/
	@rm -rf build && $(BIN)/uv build --wheel --no-build-isolation --quiet && ls dist/agentd-*.whl
	@rm -rf build agentd.egg-info  # Python, started here, would take the commands and plug-ins from it for ever

audit: install ## known vulnerabilities of what the lock names; needs the package index's JSON interface
	@$(BIN)/pip-audit --strict --disable-pip --require-hashes -r requirements.lock

sbom: install ## what is installed, as a CycloneDX bill of materials in dist/sbom.cdx.json
	@mkdir -p dist && $(BIN)/python -m lab.tools.sbom dist/sbom.cdx.json

eval-analytics: install ## ask the books 67 questions in both styles with a perfect planner (PLANNER=embedded: the model)
	@$(BIN)/python -m lab.eval.analytics --planner $(or $(PLANNER),perfect)

eval-letters: install ## conversations with citizens, by the embedded model
	@$(BIN)/agentd models pull
	@$(BIN)/python -m lab.eval.letters

.PHONY: help install lock demo demo-servers test quick conformance check check-types check-lint check-imports check-gates format docs wheel audit sbom figures figures-check bench drill soak eval-analytics eval-letters
