# Every target sets itself up: Python 3.10-3.12 and make are all that must be there.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
export HF_HUB_OFFLINE := 1
export PYTHONWARNINGS := ignore
export PYTHONDONTWRITEBYTECODE := # tests start Python many times: what was compiled is kept

PYTHON ?= $(firstword $(foreach p,python3.12 python3.11 python3.10 python3 python,\
  $(shell $(p) -c 'import sys; sys.exit(not (3,10) <= sys.version_info[:2] <= (3,12))' 2>/dev/null && echo $(p))))

.PHONY: help setup test test-oldest lint types browser unit demo docs bench bench-gpu gpu-wheels yamls clean

help: ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## */  make \1\t/' | expand -t 16

setup: $(STAMP) ## the virtual environment, if it is not up to date (first time: minutes, 7 GB)

$(STAMP): setup.cfg pyproject.toml
	@test -n "$(PYTHON)" || { echo "error: no Python 3.10, 3.11 or 3.12 found; install one or run: make PYTHON=/path/to/python" >&2; exit 1; }
	@echo "setting up $(VENV) with $(PYTHON) (the first time: some minutes, about 7 GB)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --disable-pip-version-check -e '.[test]'
	@touch $@

# mypy uses one core: the tests run beside it.
test: $(STAMP) ## what CI runs: lint, types, tests
	@$(MAKE) --no-print-directory --jobs 2 lint types unit

lint: $(STAMP) ## ruff; black and isort for contrib, which is in lmms-eval's style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/black --quiet --line-length 240 --check contrib
	$(BIN)/isort --quiet --profile black --project lmms_eval --check contrib

types: $(STAMP) ## mypy
	$(BIN)/mypy

# Tests of pages drive Debian's Chromium. Without one they are skipped, but in CI they fail.
CHROMIUM := chromium chromedriver
browser: ## Debian's Chromium for tests of pages, where it is missing and apt and root allow
	@for program in $(CHROMIUM); do command -v $$program > /dev/null || missing=yes; done; \
	if test -n "$${missing:-}" && command -v apt-get > /dev/null && test "$$(id -u)" = 0; then \
	  echo "installing chromium and chromium-driver, for tests of pages"; \
	  { timeout 300 apt-get update && DEBIAN_FRONTEND=noninteractive timeout 600 apt-get install -y --no-install-recommends \
	    chromium chromium-driver; } > /dev/null 2>&1 || echo "they cannot be installed here"; \
	fi

unit: $(STAMP) browser ## pytest
	PYTHONHASHSEED=0 $(BIN)/python -m pytest -n auto --maxprocesses 4

# What works without the harness, with the oldest versions that setup.cfg allows, on the oldest Python.
OLDEST := .venv-oldest
OLDEST_PYTHON ?= $(firstword $(foreach p,python3.10 python3.11 python3.12 $(PYTHON),$(shell $(p) -c '' 2>/dev/null && echo $(p))))
ROOMS := core replies runs statistics synthetic
# Files whose tests need the harness or torch; tests that read the harness, or compare with a newer scipy.
NEED_MORE := core/test_limit_items.py runs/card runs/test_distributions.py runs/test_panel.py runs/test_scoring.py
NEEDS := not test_interval_is_scipys and not test_all_that_the_harness_s_backends_say
test-oldest: ## tests of what works without the harness, with the oldest dependencies: 0.7 GB
	@test -x $(OLDEST)/bin/python || $(OLDEST_PYTHON) -m venv $(OLDEST)
	sed -nE 's/^ +([A-Za-z0-9_-]+)>=([0-9.]+).*/\1==\2/p' setup.cfg | sort -u > $(OLDEST)/constraints.txt
	$(OLDEST)/bin/python -m pip install --disable-pip-version-check --quiet --constraint $(OLDEST)/constraints.txt \
	  -e '.[plots,tasks,vlmevalkit]' coloraide hypothesis krippendorff nltk pytest pytest-timeout pytest-xdist scikit-image scikit-learn
	PYTHONHASHSEED=0 $(OLDEST)/bin/python -m pytest -n auto --maxprocesses 4 -k '$(NEEDS)' tests/test_without_harness.py \
	  $(addprefix tests/pairbench_ext/,$(ROOMS)) $(addprefix pairbench_ext/,$(ROOMS)) $(addprefix --ignore tests/pairbench_ext/,$(NEED_MORE))

JUDGES := pair_encoder pixel_judge pixel_judge_8 first longer random

demo: $(STAMP) ## judges that need no download on real photographs, with the stock lmms-eval command
	@rm -rf demo
	$(BIN)/lmms-eval --config docs/demo.yaml
	@for judge in $(JUDGES); do ls demo/$$judge/*_samples_*.jsonl > /dev/null 2>&1 || \
	  { echo "error: the evaluation of $$judge failed, see above (lmms-eval itself exits 0)" >&2; exit 1; }; done
	$(BIN)/pairbench score pairbench demo/pair_encoder --plot demo/pairbench_demo.png
	$(BIN)/pairbench score vl_rewardbench demo/*/*_vl_rewardbench_demo_both.jsonl --plot demo/vl_rewardbench_demo.png
	$(BIN)/pairbench score viescore demo/pixel_judge --plot demo/viescore_demo.png
	$(BIN)/pairbench score subtlebench demo/pixel_judge --plot demo/subtlebench_demo.png
	$(BIN)/pairbench card $(addprefix demo/,$(JUDGES))
	$(BIN)/pairbench report $(addprefix demo/,$(JUDGES)) --title "The demo's judges" --out demo/report.html

docs: $(STAMP) ## the documentation site, in build/site; a warning is an error
	@rm -rf build/site
	$(BIN)/python -m sphinx -q -W --keep-going -c docs -b html . build/site
	@echo "open build/site/index.html"

bench: $(STAMP) ## speed and memory, compared with what one would do without this package
	$(BIN)/python -m benchmarks

bench-gpu: ## prompts per second on a CUDA GPU, and what it waits for, with the Python that is there
	$(or $(wildcard $(BIN)/python),python3) -m benchmarks.gpu $(ARGS)

# What lmms-eval's Qwen2.5-VL and we import beyond what torch, torchvision, transformers, accelerate, numpy, pillow and scipy bring.
WHEELS := annotated-types certifi charset-normalizer datasets decord dill evaluate idna json-repair lmms_eval loguru \
  multiprocess pandas platformdirs pyarrow pydantic pydantic_core pytz python-dateutil qwen-vl-utils requests six typing-inspection \
  urllib3 xxhash
WHEELS_PYTHON ?= 3.12
gpu-wheels: $(STAMP) ## wheels for bench-gpu on a machine without a package registry, and their sizes
	@rm -rf gpu-wheels
	@$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest gpu-wheels \
	  --python-version $(WHEELS_PYTHON) --platform manylinux_2_28_x86_64 --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 \
	  --platform manylinux2010_x86_64 --constraint <($(BIN)/python -m pip list --format freeze --exclude-editable) $(WHEELS)
	@cd gpu-wheels && du -b *.whl | sort -n | awk '{ printf "%6.2f MB  %s\n", $$1 / 1e6, $$2; all += $$1 } \
	  END { printf "%6.2f MB  in all\n", all / 1e6 }'

yamls: $(STAMP) ## write the task files again, from the benchmarks' declarations
	$(BIN)/python -m pairbench_ext.harness.task_files

clean: ## remove what was built, but not the virtual environment
	rm -rf demo gpu-wheels build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
