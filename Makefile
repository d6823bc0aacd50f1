# augur: the front of the build; `make help` lists the targets. The build itself
# is described in meson.build, what has to be installed in packages.txt.

PREFIX ?= /usr/local
DESTDIR ?=
T ?= 60
SEED ?=
JOBS ?= 2
export PREFIX DESTDIR

.PHONY: all deps deps-check deps-bench check demo bench bench-quick bench-docs fuzz soak nightly \
        install uninstall deb deb-check clean \
        format format-check help
.NOTPARALLEL:

all: deps
	@tools/build.sh release

# Installs missing Debian packages (as root) or prints the command that does.
deps:
	@tools/deps.sh build
deps-check:
	@tools/deps.sh build check
deps-bench:
	@tools/deps.sh build bench

check: deps-check
	@tools/check.sh $(GROUPS)

demo: all
	@AUGUR=build/augur tools/demo.sh

bench: deps-bench all
	@AUGUR=build/augur bench/run.sh
bench-quick: deps-bench all
	@AUGUR=build/augur GROWTH_STAGES='read-text deadlock tsg' bench/run.sh --quick
# docs/benchmarks.md is the report of the last run.
bench-docs:
	@test -e build/bench/benchmarks.md || { echo "bench-docs: run 'make bench' first" >&2; exit 1; }
	@cp build/bench/benchmarks.md docs/benchmarks.md

fuzz: deps-check
	@tools/build.sh asan fuzzers
	@tools/fuzz.sh $(T)

# T here is 600 unless it is given.
soak: all
	@T=$(if $(filter file default,$(origin T)),600,$(T)) SEED='$(SEED)' JOBS='$(JOBS)' tools/soak.sh

nightly: deps-check deps-bench
	@tools/nightly.sh

install: all
	@tools/install.sh
uninstall:
	@tools/install.sh --remove

deb:
	@tools/deps.sh build deb
	@tools/deb.sh
deb-check: deb
	@bash tests/packages/chroot.sh

clean:
	rm -rf build build-asan

format:
	@tools/format.sh -i
format-check:
	@tools/format.sh

help:
	@echo "make               build/augur (installs missing packages as root)"
	@echo "make check         every test; GROUPS='unit e2e' for some of them"
	@echo "make demo          what augur does now, end to end"
	@echo "make bench         all benchmarks, one report: build/bench/index.html"
	@echo "make bench-quick   the same on small inputs; bench-docs: the report to docs/benchmarks.md"
	@echo "make fuzz T=60     each fuzz harness for T seconds"
	@echo "make soak T=600    random programs while faults are injected; SEED=, JOBS=2"
	@echo "make nightly       long random runs, growth of all stages, long fuzzing"
	@echo "make install       obeys PREFIX (default /usr/local) and DESTDIR; uninstall takes it away"
	@echo "make deb           Debian packages in build/deb"
	@echo "make deb-check     ... installed, tested and removed in a clean system (root, network)"
	@echo "make format        formats the sources; format-check only looks"
	@echo "make clean         removes the build directories"
