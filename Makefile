# Short names for the usual commands. `make` alone lists them.
.POSIX:
.PHONY: help demo build page docs test test-quick test-long test-matrix test-wheel verify-checker asan tsan fuzz bench bench-quick bench-reading bench-kinds bench-batch bench-gate bench-page experiments format install clean

PREFIX = /usr/local
COMMAND = build/release/bin/boxwood
BENCH_FLAGS =
DATA = ../shared/data
MNIST =
OUT =
PARTS = all
EXPERIMENTS =

help:
	@echo 'make demo        install what is missing, build, explain some refused credit applicants'
	@echo 'make build       release build: $(COMMAND)'
	@echo 'make page        install what is missing, build the page for browsers: build/page/index.html'
	@echo 'make docs        the documentation site: build/site/index.html'
	@echo 'make test        install what is missing, build, run all tests (aim: 15 minutes on 2 cores)'
	@echo 'make test-quick  developer build and the quick tests (aim: 3 minutes)'
	@echo 'make test-long   developer build, 100 000 cases of every random test, fresh seed, a soak test, Spark and Ray (hours)'
	@echo 'make test-matrix the tests against the real libraries with old and newest versions of each'
	@echo 'make test-wheel  build the Python wheel and try it in an environment of its own'
	@echo 'make verify-checker  let Coq check the proof that the rules of certificates are sound (needs coqc, of the package coq)'
	@echo 'make asan        quick tests under the address and undefined-behaviour sanitizers'
	@echo 'make tsan        threaded tests under the thread sanitizer'
	@echo 'make fuzz        fuzz the readers and the solver (BOXWOOD_FUZZ_SECONDS=15 a target)'
	@echo 'make bench       train, ask all tools and rewrite docs/performance.md (hours; BENCH_FLAGS=...)'
	@echo 'make bench-quick a slice of it, to the terminal (under 5 minutes)'
	@echo 'make bench-kinds  what each kind of rule and question costs, into docs/performance.md (after make bench)'
	@echo 'make bench-batch  answers a second and instructions for each answer of batches (after make bench)'
	@echo 'make bench-gate  counted work on fixed queries, which must not grow by over 10 % (part of make test too)'
	@echo 'make bench-reading  how long a model of 1,000,000 leaves takes to read, into docs/performance.md'
	@echo 'make bench-page  how fast the page is, into docs/performance.md'
	@echo 'make experiments  the paper'\''s experiments and ours, into docs/experiments (DATA=$(DATA) MNIST= OUT= EXPERIMENTS=)'
	@echo 'make format      format C++ files'
	@echo 'make install     install the release build (PREFIX=$(PREFIX))'
	@echo 'make clean       remove build/'

demo:
	@$(MAKE) --no-print-directory build PARTS=boxwood_cli
	@bash scripts/demo.sh $(COMMAND)

build:
	@bash scripts/bootstrap.sh build
	@cmake --preset release
	@cmake --build --preset release --target $(PARTS)

page:
	@bash scripts/bootstrap.sh page
	@bash scripts/page.sh

docs:
	@bash scripts/bootstrap.sh tests
	@NO_MKDOCS_2_WARNING=1 .venv/bin/python -m mkdocs build --strict
	@echo 'build/site/index.html; to search, python3 -m http.server --directory build/site'

test:
	@bash scripts/bootstrap.sh tests
	@bash scripts/test.sh

test-quick:
	@bash scripts/bootstrap.sh tests
	@bash scripts/test.sh quick

test-long:
	@bash scripts/bootstrap.sh tests
	@bash scripts/test.sh long

test-matrix:
	@bash scripts/bootstrap.sh tests
	@cmake --preset dev
	@cmake --build --preset dev --target boxwood_cli
	@bash scripts/matrix.sh

test-wheel:
	@bash scripts/bootstrap.sh tests
	@bash scripts/test.sh wheel

asan tsan fuzz:
	@bash scripts/bootstrap.sh tests
	@bash scripts/test.sh $@

bench:
	@bash scripts/bootstrap.sh build
	@bash scripts/bench.sh --write docs/performance.md $(BENCH_FLAGS)

verify-checker:
	@mkdir -p build/coq
	@cp checker/coq/Certificate.v build/coq/
	@cd build/coq && coqc -q Certificate.v && coqchk -silent -Q . "" Certificate

bench-quick:
	@bash scripts/bootstrap.sh build
	@bash scripts/bench.sh --quick $(BENCH_FLAGS)

bench-reading: build
	@python3 bench/reading.py $(COMMAND) --write docs/performance.md

bench-kinds:
	@python3 bench/kinds.py build/bench/bin/boxwood_ask --write docs/performance.md

bench-batch:
	@python3 bench/batch.py build/bench/bin/boxwood_ask $(BENCH_FLAGS)

bench-gate:
	@bash scripts/bootstrap.sh tests
	@cmake --preset dev
	@cmake --build --preset dev --target work_gate_test
	@build/dev/tests/work_gate_test

bench-page: build page
	@bash scripts/bootstrap.sh tests
	@.venv/bin/python bench/page.py $(COMMAND) --write docs/performance.md

experiments:
	@bash scripts/bootstrap.sh build
	@bash scripts/experiments.sh --data "$(DATA)" --mnist "$(MNIST)" --out "$(OUT)" $(EXPERIMENTS)

format:
	@bash scripts/format.sh

install: build
	@cmake --install build/release --prefix $(PREFIX)

clean:
	rm -rf build
