# `make run` and `make test` do all their own set-up (tools/setup.py); a second time that takes a blink.
.DEFAULT_GOAL := help
.PHONY: help python3 setup run test lint docs notebooks serve bench fuzz release constraints clean

PY := PATH="$(CURDIR)/.venv/bin:$$PATH" .venv/bin/python
SETUP := python3 tools/setup.py

help: ## show this list
	@sed -n 's/^\([a-z]*\):[^#]*## /\1|/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "  make %-12s %s\n", $$1, $$2 }'

python3:
	@command -v python3 >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	  && apt-get -qq update && apt-get -qq install -y python3 python3-venv >/dev/null; } \
	  || { echo "make: python3 is missing: install Python 3.11 or newer (Debian: apt-get install python3 python3-venv)"; exit 1; }

setup: python3 ## everything for developing: system packages, .venv, node_modules
	@$(SETUP) test

run: python3 ## find the edges in a photograph, on every device found here (ARGS=...)
	@$(SETUP) run
	@$(PY) -m examples.edges $(ARGS)

test: setup ## lint, Python, fuzz, web, e2e and docs, with the seconds each took (AREAS="lint web")
	@$(PY) tools/run_tests.py $(AREAS)

lint: setup ## ruff and mypy
	@$(PY) tools/run_tests.py lint

docs: setup ## build the documentation into build/site
	@$(PY) tools/run_tests.py docs

notebooks: setup ## build the notebooks that run in a page into build/notebooks/site: JupyterLite and PyScript, offline
	@$(PY) -m examples.notebooks

serve: docs ## show the documentation, playground, gallery, live page, latest report and notebooks on 127.0.0.1 (PORT=8000)
	@$(PY) -m examples.edges.live
	@$(PY) -m examples.bignum.live
	@$(PY) -m examples.gallery
	@$(PY) -m playground
	@$(PY) tools/serve.py $(PORT)

bench: setup ## side-by-side benchmarks (ARGS=...); launches and compile times beside Numba's, and in Pyodide
	@$(PY) -m pip install -qq -c constraints.txt -e '.[bench]'
	@$(PY) -m bench $(ARGS)
	@$(PY) -m bench.launch
	@$(PY) -m bench.compile --peers
	@$(PY) -m bench.compile --pyodide

fuzz: setup ## random programs, every device against the reference (ARGS=...)
	@$(PY) -m tests.fuzz $(ARGS)

release: python3 ## wheels, sources, the npm package, the files for pages and their checksums, into dist
	@test -z "$$(git status --porcelain)" || { echo "make: a release is built from what is committed, and git status names other changes"; exit 1; }
	@$(SETUP) pack
	@rm -rf dist
	@$(PY) tools/release.py

constraints: setup ## move constraints.txt to the newest versions (with Python 3.11, the oldest we support)
	@$(PY) -m pip install -qq --upgrade --upgrade-strategy eager -e '.[dev]'
	@sed -n '/^#/p' constraints.txt > build.constraints
	@$(PY) -m pip freeze --exclude-editable >> build.constraints && mv build.constraints constraints.txt

clean: ## remove what was built, and caches (not .venv and node_modules)
	rm -rf build dist web/dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -not -path './.venv/*' -not -path './node_modules/*' -exec rm -rf {} +
