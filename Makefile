# Every line here is a command people could type. `make demo` and `make test` set everything up first.
PYTHON ?= python3
BIN := .venv/bin
RUST := $(shell find crates -name '*.rs' -o -name '*.toml' -o -name '*.sql' -o -name '*.css' -o -name '*.js') Cargo.toml Cargo.lock

# Builds the module, with what Python needs beside it, into .venv. All that is said goes to a file; it is shown only
# when the build fails. $(1): an extra of pyproject.toml, or nothing.
define build
	@mkdir -p target
	@echo "Building Loadstone$(if $(1), with what \`$(1)\` needs) (the first time: some minutes; log: target/build.log)"
	@$(BIN)/maturin develop --release $(if $(1),--extras $(1)) >target/build.log 2>&1 || { cat target/build.log >&2; exit 1; }
endef

.PHONY: demo wheel test test-long test-stacks test-hardening lint format bench bench-container bench-ctmc bench-entities bench-store docs fuzz clean help

help:            ## what there is
	@grep -E '^[a-z-]+:.*##' Makefile | sed 's/:.*##/\t/'

.venv/.tools: pyproject.toml
	@$(PYTHON) -m venv .venv || { echo "make: Python's venv module is missing; on Debian: apt install python3-venv" >&2; exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'maturin>=1.9,<2'
	@touch $@

# An editable install does not notice changed Rust sources: this stamp does.
.venv/.built: .venv/.tools $(RUST)
	$(call build)
	@touch $@

.venv/.dev: .venv/.built
	$(call build,dev)
	@touch $@

.venv/.docs: .venv/.built
	$(call build,docs)
	@touch $@

demo: .venv/.built   ## the main job, end to end, in three minutes: scenario to dollars per user per month
	$(BIN)/loadstone demo

wheel: .venv/.built   ## a wheel for machines without the checkout and without Rust, in target/wheels
	scripts/wheel

# Most tests wait for processes that they start: files of tests run side by side.
test: .venv/.dev     ## all fast tests
	cargo test --workspace --quiet
	$(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile

test-long: .venv/.dev   ## minutes (ROOMS='deploy lab': only these of tests/; SINCE=COMMIT: only what a change since then can reach): real browser, real servers, long measurements, parsers under fuzz
	scripts/setup-browser
	scripts/setup-lab
	scripts/setup-servers
	scripts/setup-connectors
	scripts/setup-examples
	scripts/setup-appliance
	scripts/setup-ray
	scripts/setup-stacks
	scripts/check-nostd
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps stormpy
	scripts/test-long $(if $(SINCE),--since $(SINCE),$(ROOMS))

test-stacks: .venv/.dev   ## Olio's other stacks (STACK=php: only that one): installs what they need, then holds each to the built-in site
	scripts/setup-servers
	scripts/setup-stacks $(STACK)
	$(BIN)/python -m pytest -m stacks --timeout 1800 --numprocesses auto --maxprocesses 3 --dist loadfile tests/stacks $(if $(STACK),-k $(STACK))

test-hardening: .venv/.dev   ## the hardening pass: installs clang and LLVM, then tests it on code, kernels and the compilers
	scripts/setup-hardening 22 19
	for llvm in 22 19; do $(BIN)/python /usr/lib/llvm-22/bin/lit --timeout 600 -Dllvm=$$llvm hardening/tests || exit 1; done
	$(BIN)/python -m pytest -m hardening --timeout 600 tests/harden tests/docs

docs: .venv/.docs    ## the documentation as a site with search, in target/docs
	$(BIN)/python docs/site/gather.py target/docs-source
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "Open target/docs/index.html"

lint: .venv/.dev     ## format, clippy, ruff, mypy, the seam's stub against the module, arrows, the documentation's links
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	cargo fmt --manifest-path images/Cargo.toml --all --check
	cargo clippy --manifest-path images/Cargo.toml --features olio,rubis,stress,tls --bins --quiet -- -D warnings
	$(BIN)/ruff format --check python tests scripts bench docs/site
	$(BIN)/ruff check python tests scripts bench docs/site
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest loadstone._core --ignore-missing-stub
	$(BIN)/lint-imports --no-logo --no-cache > target/arrows.txt || { cat target/arrows.txt; exit 1; }
	$(BIN)/python docs/site/gather.py target/docs-source
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

format:          ## format everything
	cargo fmt --all
	cargo fmt --manifest-path images/Cargo.toml --all
	$(BIN)/ruff format python tests scripts bench docs/site
	$(BIN)/ruff check --fix python tests scripts bench docs/site

bench: .venv/.dev    ## beside the peers, same machine, same run
	scripts/setup-peers generators
	$(BIN)/python bench/engine.py
	$(BIN)/python bench/installed_command.py
	$(BIN)/python bench/protocols.py
	$(BIN)/python bench/fixed_rate.py
	$(BIN)/python bench/frozen.py
	$(BIN)/python bench/accuracy.py

bench-store:     ## SQLite on a raw block device beside SQLite on ext4, both on loop devices; root
	python3 bench/block_store.py $(OPTIONS)

bench-container: .venv/.dev    ## the web container beside hyper, axum, actix, may_minihttp, nginx, Apache and Tomcat, in ten minutes
	scripts/setup-peers container
	$(BIN)/python bench/container.py

bench-ctmc: .venv/.dev    ## the Markov solver beside Storm, scipy and plain uniformization
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps stormpy
	$(BIN)/python bench/ctmc.py --out bench/runs/ctmc-latest $(OPTIONS)

bench-entities:    ## typed storage beside hand-written SQL
	cargo run --release --quiet --manifest-path bench/entities/Cargo.toml

fuzz:            ## every parser for ten minutes; installs cargo-fuzz
	scripts/fuzz 600

clean:           ## remove everything that was built
	rm -rf .venv target images/target tests/nostd/target fuzz/target
