# Everything a day's work needs. `make` alone lists it.

SWIFT ?= swift
SEEDS ?= 100
RUNS ?= 20000
SECONDS ?= 60
ARGS ?=
LONG ?=
PREFIX ?= /usr/local
DESTDIR ?=
ROUNDS ?= 200
CUTS ?= 2000
FLIPS ?= 10000
COPIES ?= 200
SANITIZE ?=

# Where a release is built.
RELEASE ?= .build/release

STATIC := $(if $(filter Darwin,$(shell uname -s)),,--static-swift-stdlib)

# One debug build in .build, shared by demo, run, test and simulate.
DEBUG := .build/debug

.DEFAULT_GOAL := help
.PHONY: help demo run install bare test examples docs fuzz bench simulate soak crash storm format lint \
  packages install-packages bench-packages

help: ## List the targets
	@echo 'make TARGET, where TARGET is one of'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' Makefile

demo: packages ## Build the programs, then show five of them sharing one store
	@echo '==> Building stored and storectl (debug)'
	@$(SWIFT) build --product stored
	@$(SWIFT) build --product storectl
	@Scripts/demo $(DEBUG)

run: packages ## Build and run stored in the foreground (ARGS='--in-memory' and the like)
	@echo '==> Building stored (debug)'
	@$(SWIFT) build --product stored
	@echo '==> Running stored; Ctrl-C stops it'
	@exec $(DEBUG)/stored $(ARGS)

# Swift's libraries are in the programs, but on Apple's systems, which have them; Foundation's
# networking needs curl then, as it does without that.
install: install-packages ## Build a release and install it (PREFIX=/usr/local; DESTDIR= stands before it)
	@echo '==> Building stored and storectl (release, with Swift in them)'
	@for program in stored storectl; do \
	  $(SWIFT) build -c release $(STATIC) --product $$program || exit 1; done
	@echo '==> Installing into $(DESTDIR)$(PREFIX)'
	@STRIP=1 DESTDIR='$(DESTDIR)' Scripts/install '$(RELEASE)' '$(PREFIX)'

bare: ## Build a release, install it into a folder, and run it where there is no Swift
	@root=$$(mktemp -d) && trap 'rm -rf "$$root"' EXIT && \
	  $(MAKE) --no-print-directory install PREFIX=/usr DESTDIR="$$root" && Scripts/bare "$$root" /usr

# One after the other: the main serial executor, which TestStore takes, is the whole process's.
test: packages ## Build everything in debug and run the tests (ARGS='--filter X'; LONG=1: fuzz too)
	@Scripts/python-packages cbor2 pyzmq:zmq setuptools wheel
	@Scripts/system-packages zsh fish || echo 'test: of shells that are missing completion is not tested'
	@[ "$$(uname -s)" != Linux ] || Scripts/system-packages bindfs fuse || echo 'test: two machines on one directory are not tested'
	@echo '==> Building programs and tests (debug)'
	@$(SWIFT) build --build-tests
	@echo '==> Running the tests'
	@SWIFT=$(SWIFT) Scripts/test $(ARGS)
	@if [ -n "$(LONG)" ]; then Fuzz/run 30; fi

examples: packages ## Build the example packages, run their tests, and walk through them
	@echo '==> Building storectl (debug)'
	@$(SWIFT) build --product storectl
	@SWIFT='$(SWIFT)' Scripts/examples $(DEBUG)

docs: packages ## Build the libraries' documentation; a warning is an error
	@echo '==> Building the libraries (debug)'
	@$(SWIFT) build
	@SWIFT='$(SWIFT)' Scripts/docs $(DEBUG)

fuzz: packages ## Look for inputs that break the decoders for SECONDS=N (60 unless told)
	@Fuzz/run $(SECONDS)

bench: bench-packages ## Measure the release build against the floor (STRICT=1: a missed goal fails)
	@Benchmarks/run $(ARGS)

simulate: packages ## Run SEEDS=N simulated runs (100 unless told)
	@echo '==> Building the simulator (debug)'
	@$(SWIFT) build --product simulator
	@echo '==> Simulating $(SEEDS) runs'
	@$(DEBUG)/simulator --seeds $(SEEDS) $(ARGS)

# As they are drawn half of the seeds have a disk, and few of those have daemons that start again.
soak: packages ## Run RUNS=N simulated runs of a release build (20000), then half as many on a disk
	@echo '==> Building the simulator (release)'
	@$(SWIFT) build -c release --product simulator
	@echo '==> Simulating $(RUNS) runs'
	@.build/release/simulator --seeds $(RUNS) $(ARGS)
	@echo '==> Simulating $(RUNS) / 2 runs whose daemons start again from a disk'
	@.build/release/simulator --first $$(($(RUNS) + 1)) --seeds $$(($(RUNS) / 2)) \
	  --set disk=1 --set restarts=2 $(ARGS)
	@echo '==> Simulating ten runs with 20 MiB of state'
	@.build/release/simulator --seeds 10 --set rows=10000 --set titleBytes=20000 \
	  --set frameBytes=1048576 $(ARGS)

# With failpoints, which a release has only where it is asked for.
crash: packages ## Kill a release build ROUNDS=N times (200), cut its disk CUTS=N times (2000), fail each call
	@echo '==> Building stored, storectl, JournalProbe and StrangerDaemon (release, with failpoints)'
	@for program in stored storectl JournalProbe StrangerDaemon; do \
	  FAILPOINTS=1 $(SWIFT) build -c release --product $$program || exit 1; done
	@echo '==> Building the tests (debug)'
	@$(SWIFT) build --build-tests
	@echo '==> $(ROUNDS) kills, $(CUTS) cuts, each error at each call, $(COPIES) copies, $(FLIPS) flipped bits'
	@PROGRAMS=$(CURDIR)/.build/release FAILPOINTS=1 CRASH_ROUNDS=$(ROUNDS) CUTS=$(CUTS) ERRNOS=all \
	  KILLS=40 FOLLOW_KILLS=$(ROUNDS) COPIES=$(COPIES) FLIPS=$(FLIPS) SWIFT=$(SWIFT) Scripts/test \
	  --filter 'AnswerCrashTests|BackupTests|CutTests|DurableTests|ErrnoTests|FollowTests|JournalDamageTests|ReplayTests'

storm: packages ## Attack a release build in three rounds of SECONDS=N (60), clients work (SANITIZE=address)
	@SWIFT='$(SWIFT)' Scripts/storm $(SECONDS) $(SANITIZE)

format: ## Rewrite the Swift files as the formatter wants them
	@echo '==> Formatting'
	@git ls-files -z '*.swift' | \
	  xargs -0 -r $(SWIFT) format --in-place --parallel --configuration .swift-format

lint: ## Check the Swift files' format
	@echo '==> Checking the format'
	@git ls-files -z '*.swift' | \
	  xargs -0 -r $(SWIFT) format lint --strict --parallel --configuration .swift-format

packages:
	@Scripts/system-packages zeromq ncurses

install-packages:
	@Scripts/system-packages zeromq ncurses curl

bench-packages:
	@Scripts/system-packages zeromq ncurses cc
