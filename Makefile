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

.PHONY: help setup test lint types browser unit demo bench bench-gpu yamls clean

help: ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## */  make \1\t/' | expand -t 16

setup: $(STAMP) ## the virtual environment, if it is not up to date (first time: minutes, 7 GB)

$(STAMP): setup.cfg pyproject.toml
	@test -n "$(PYTHON)" || { echo "error: no Python 3.10, 3.11 or 3.12 found; install one or run: make PYTHON=/path/to/python" >&2; exit 1; }
	@echo "setting up $(VENV) with $(PYTHON) (the first time: some minutes, about 7 GB)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --disable-pip-version-check -e '.[test]'
	@touch $@

test: lint types unit ## what CI runs: lint, types, tests

lint: $(STAMP) ## ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

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

# $(call evaluate,FOLDER,MODEL AND ITS ARGUMENTS,TASKS): the stock command, and whether it worked.
define evaluate
$(BIN)/lmms-eval --model $(2) --tasks $(3) --batch_size 16 --output_path $(1) --log_samples
@ls $(1)/*_samples_*.jsonl > /dev/null 2>&1 || { echo "error: the evaluation failed, see above (lmms-eval itself exits 0)" >&2; exit 1; }
endef
PREFERENCES := vl_rewardbench_demo,vl_rewardbench_demo_both
JUDGES := pair_encoder first longer random pixel_judge

demo: $(STAMP) ## judges that need no download on real photographs, with the stock lmms-eval command
	@rm -rf demo && mkdir -p demo
	$(call evaluate,demo/pair_encoder/photos,pair_encoder,pairbench_demo)
	$(call evaluate,demo/pair_encoder/scenes,pair_encoder,pairbench_demo_wu_ii)
	$(call evaluate,demo/random/preferences,blind_judge --model_args policy=random,$(PREFERENCES))
	$(call evaluate,demo/longer/preferences,blind_judge --model_args policy=longer,$(PREFERENCES))
	$(call evaluate,demo/first/preferences,blind_judge --model_args policy=first,$(PREFERENCES))
	$(call evaluate,demo/pixel_judge/images,pixel_judge,viescore_demo)
	$(call evaluate,demo/pixel_judge/differences,pixel_judge,subtlebench_demo)
	$(call evaluate,demo/first/audit,blind_judge --model_args policy=first,judge_audit_demo)
	$(call evaluate,demo/longer/audit,blind_judge --model_args policy=longer,judge_audit_demo)
	$(call evaluate,demo/pair_encoder/audit,pair_encoder,judge_audit_demo_ratings)
	$(call evaluate,demo/pixel_judge/audit,pixel_judge,judge_audit_demo_differences)
	$(BIN)/pairbench score pairbench demo/pair_encoder/photos --plot demo/pairbench_demo.png
	$(BIN)/pairbench score pairbench demo/pair_encoder/scenes
	$(BIN)/pairbench score vl_rewardbench demo/*/preferences --plot demo/vl_rewardbench_demo.png
	$(BIN)/pairbench score viescore demo/pixel_judge/images --plot demo/viescore_demo.png
	$(BIN)/pairbench score subtlebench demo/pixel_judge/differences --plot demo/subtlebench_demo.png
	$(BIN)/pairbench card demo/*/audit
	$(BIN)/pairbench report $(addprefix demo/,$(JUDGES)) --title "The demo's judges" --out demo/report.html

bench: $(STAMP) ## speed and memory, side by side with what one would otherwise do
	$(BIN)/python -m benchmarks

bench-gpu: $(STAMP) ## prompts per second on a CUDA GPU, and where the time goes
	$(BIN)/python -m benchmarks.gpu $(ARGS)

yamls: $(STAMP) ## write the task files again, from the benchmarks' declarations
	$(BIN)/python -m pairbench_ext.harness.task_files

clean: ## remove what was built, but not the virtual environment
	rm -rf demo build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
