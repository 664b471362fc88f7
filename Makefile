# Two commands do everything on a fresh machine: `make run` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed

.PHONY: test check lint run format clean

$(STAMP): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,train,read]'
	@touch $@

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Everything: lint, types, all tests.
test: lint
	$(BIN)/pytest

# The quick subset, for between two edits.
check: lint
	$(BIN)/pytest -q -x -m 'not corpus'

run: $(STAMP)
	$(BIN)/san tree '\sum_{i=1}^{n} \frac{x_i^2}{\sqrt[3]{y}}'

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis dist
