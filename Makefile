# Two commands do everything on a fresh machine: `make run` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
READER := .venv/.reader
STAMP := .venv/.installed
BROWSER := $(shell command -v chromium-headless-shell || command -v chromium || command -v chromium-browser || command -v google-chrome)
# Tests start many processes: each reads the bytecode that the first has left, whatever the shell says.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: test whole check quick lint browser run audit format clean

# What reading takes: no torch, a minute.
$(READER): pyproject.toml
	$(PYTHON) -m venv .venv
	$(PIP) -e .
	@touch $@

# All that development takes; of its 20,000 modules what is imported is compiled then.
$(STAMP): pyproject.toml
	$(PYTHON) -m venv .venv
	$(PIP) --no-compile -e '.[dev,score,train,serve,heic,pdf]'
	@touch $@ $(READER)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The page is tested in the system's Chromium. Where there is none it is installed, if that may be: its
# headless shell, which takes half the time, or all of it. axe-core comes from npm. Without them those
# tests are skipped, and say so.
browser:
ifeq ($(BROWSER),)
	-@install="apt-get install -y -qq"; \
	if [ "$$(id -u)" != 0 ]; then sudo -n true 2>/dev/null || exit 0; install="sudo -n $$install"; fi; \
	$$install chromium-headless-shell >/dev/null 2>&1 || $$install chromium >/dev/null
endif
	-@if command -v npm >/dev/null && [ ! -d tests/browser/node_modules ]; then \
	npm ci --silent --prefix tests/browser; fi

# Everything: all tests, with lint and types beside them.
test: $(STAMP) browser
	@$(MAKE) --no-print-directory -j 2 lint whole

# Three processes to two cores, each with one thread for its arithmetic. Files are begun in the order
# that tests/conftest.py gives them, the longest first.
whole: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder

# The quick subset, for between two edits: under a minute, with types analysed beside it.
check: $(STAMP)
	@$(MAKE) --no-print-directory -j 2 lint quick

# What is ignored is not even imported.
quick: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/pytest -q -x -n 2 --dist loadfile \
	  -m 'not slow and not corpus and not live and not browser and not kernels' \
	  $(addprefix --ignore tests/,browser model/kernels training tools benchmarks serve/test_fuzz.py)

# Reads the samples, and shows each formula as its tree and its LaTeX.
run: $(READER)
	@$(BIN)/python -m tools.show_samples samples

# Known holes of all that is installed, by PyPI's advisories. What those do not know fails, too:
# without --strict an index that has none of them passes for a clean bill.
audit: $(STAMP)
	$(PIP) pip-audit
	$(BIN)/pip freeze --exclude-editable | sed 's/+.*//' > .venv/audit.txt
	$(BIN)/pip-audit --strict --no-deps --disable-pip -r .venv/audit.txt

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis dist
