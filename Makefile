# georemind: `make run` shows the main job, `make test` proves it.

PREFIX ?= /usr
DESTDIR ?=
SWIFT ?= swift
export SWIFT
# What Package.swift finds is remembered by SwiftPM until this changes.
export GEOREMIND_FLEET := $(wildcard /usr/include/nats/nats.h /usr/include/postgresql/libpq-fe.h \
  /usr/include/librdkafka/rdkafka.h)
NEED_SWIFT = Tools/need-swift.sh $(SWIFT)
RELEASE = .build/release
# Stripped, with relocations packed (glibc 2.36) and no symbol exported: less to read at a start, and 1.5 MB
# less memory for the daemon. The packing needs lld. The first library folder has libstdc++ as an archive
# alone, so that only the parts in use are linked: one library less to load, and 1 MB. The functions of the
# Swift library that run are linked side by side: 1 MB less of it in the memory of each program.
ARCHIVES = .build/archives
LINK_ORDER = Tools/link-order.txt
SYMBOLS_FLAGS = -c release --static-swift-stdlib -Xswiftc -use-ld=lld \
  -Xlinker --no-export-dynamic -Xlinker -z -Xlinker pack-relative-relocs -Xlinker -L$(CURDIR)/$(ARCHIVES) \
  -Xlinker --symbol-ordering-file=$(CURDIR)/$(LINK_ORDER) -Xlinker --no-warn-symbol-ordering
BUILD_FLAGS = $(SYMBOLS_FLAGS) -Xlinker -s
SOURCES := $(shell find Sources Benchmarks Tools Tests/Lives Tests/TestSupport -type f -not -name '*.pyc')

.DEFAULT_GOAL = all
.PHONY: help all run test check deps lint prose docs pictures docs-check docs-run fuzz bench install install-main \
  install-route install-mqtt install-web install-fleet uninstall deb clean drive ci golden crash failures \
  soak lives clock packages service fleet-chaos fleet-vans fleet-figures calendars interchange routing geodesics \
  notifications geoclue recipes report map tasks parked units sanitize mutate nightly long simulate link-order release \
  repository release-tools release-systems image release-image growth trackers

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

all: $(RELEASE)/.built ## the release programs, in .build/release

deps: ## what the build needs and the machine lacks, with apt-get; ALSO= names further packages
	@Tools/install-build-deps.sh $(ALSO)

# The names that the one program file is called by, its own first (Sources/georemind/Role.swift).
ROLES = georemind georemindd georemind-notify georemind-hook
LINKS = $(wordlist 2,9,$(ROLES))

# One stamp for all programs: where nothing has changed, nothing is started. Its time is the beginning of the
# build, so that an edit during the build is built by the next.
$(RELEASE)/.built: Package.swift $(SOURCES)
	@$(NEED_SWIFT)
	@Tools/install-build-deps.sh
	@mkdir -p $(ARCHIVES)
	@ln -sfn "$$($(CC) -print-file-name=libstdc++.a || echo absent)" $(ARCHIVES)/libstdc++.a
	@touch $(ARCHIVES)/.began
	$(SWIFT) build $(BUILD_FLAGS)
	@for link in $(LINKS); do ln -sfn georemind $(RELEASE)/$$link || exit; done
	@mv $(ARCHIVES)/.began $@

run: $(RELEASE)/.built ## a recorded drive with a few reminders; prints the journal entries
	@Tools/run-demo.sh $(RELEASE)

test: ## all unit tests, in some minutes; the whole output is in .build/test.log
	@$(NEED_SWIFT)
	@Tools/install-build-deps.sh
	@Tools/check.sh --all

check: ## the fast unit tests, for after an edit
	@$(NEED_SWIFT)
	@Tools/check.sh

lint: ## the style of the Swift sources
	@$(NEED_SWIFT)
	$(SWIFT) format lint --strict --recursive Sources Benchmarks Tests Tools Fuzz Package.swift

prose: ## the language of documents, help texts, messages and comments, and the spelling of all files
	@Tools/prose/check --group documents --group help --group messages --group comments
	@if command -v codespell >/dev/null; then codespell; else \
	  echo "spelling not checked: it needs codespell (apt-get install codespell)"; fi

docs: $(RELEASE)/.built ## the generated parts of docs/reference, and the pictures
	@Tools/make-docs.py $(RELEASE)
	@Tools/make-pictures.py $(RELEASE)

pictures: $(RELEASE)/.built ## the pictures of README, from the bundled drive (most need Chromium)
	@Tools/make-pictures.py $(RELEASE)

docs-check: $(RELEASE)/.built ## fails if a generated part of docs/reference or a picture is stale
	@Tools/make-docs.py $(RELEASE) --check
	@Tools/make-pictures.py $(RELEASE) --check

docs-run: $(RELEASE)/.built ## every command of the documents, run as a reader would
	@Tests/System/docs/run $(RELEASE)

tasks: $(RELEASE)/.built ## forty everyday tasks, each by one command (needs mosquitto, jq, curl)
	@Tests/System/check_tasks.py $(RELEASE)

link-order: ## lists anew the functions of the Swift library that run, after another version of Swift
	@$(NEED_SWIFT)
	$(SWIFT) build $(SYMBOLS_FLAGS) --product georemind
	Tools/make-link-order.sh $(RELEASE)/georemind >$(LINK_ORDER).new
	mv $(LINK_ORDER).new $(LINK_ORDER)
	rm -f $(RELEASE)/georemind $(RELEASE)/.built

ci: ## everything that must pass before a change lands
	@.ci/run

fuzz: deps ## each fuzzing harness for ten seconds; Fuzz/run has more to choose
	Fuzz/run

golden: $(RELEASE)/.built ## recorded firings: 300 trips and 40 scripts of a live daemon
	Tests/Golden/check $(RELEASE)

lives: $(RELEASE)/.built ## generated lives of two days: the engine against the reference model
	$(RELEASE)/georemind-lives --lives 500 --table
	$(RELEASE)/georemind-lives --lives 400 --why

SEED ?= 1
DAYS ?= 20
simulate: $(RELEASE)/.built ## the daemon in a simulated world under kills and power cuts; SEED= and DAYS=
	@Tests/Simulator/Driver/simulate --release $(RELEASE) --seed $(SEED) --days $(DAYS)

SIZES ?= small
growth: $(RELEASE)/.built ## how the cost of each verb and event grows; SIZES=large by hand
	Tests/System/growth $(RELEASE) $(SIZES)

BEFORE ?=
trackers: $(RELEASE)/.built ## what one tracker costs, and a hundred; BEFORE= the folder of an earlier release
	Tests/System/trackers $(RELEASE) $(BEFORE)

service: ## the service under a real systemd (needs root)
	Tests/System/run

packages: ## the Debian packages on a clean system (needs root)
	Tests/System/package/run

release-tools: ## the tools of a release, with packages that only pretend
	Tests/System/release/tools.py

release-image: ## the container image, run without systemd (needs root, buildah)
	Tests/System/release/image

release-systems: ## a release on bare Debian 12 and 13, by apt from its repository (needs root)
	Tests/System/release/run

crash: ## kill -9 and power cuts among firings (needs root)
	Tests/System/crash/run --full

failures: ## full, failing and slow disks, damaged databases, a hanging journald (needs root)
	Tests/System/crash/trouble --full

SECONDS ?= 60
fleet-chaos: $(RELEASE)/.built ## workers, brokers, databases, network fail; SEED=, SECONDS= (needs root, PostgreSQL)
	@Tests/System/fleet-service/chaos $(RELEASE) --seed $(SEED) --seconds $(SECONDS)

fleet-vans: $(RELEASE)/.built ## firings of two machines in PostgreSQL, away for a week of theirs (needs PostgreSQL)
	@Tests/System/fleet-service/vans $(RELEASE)

fleet-figures: $(RELEASE)/.built ## processor, memory and delays of workers with 10 000 devices (needs root, PostgreSQL)
	@Tests/System/fleet-service/figures $(RELEASE)

clock: ## a virtual machine whose clock and zone are set, and that sleeps (needs SYSTEM_BED)
	Tests/System/clock/run

soak: $(RELEASE)/.built ## a month of fixes: memory and descriptors stay as they are
	Tests/System/soak.py

units: ## the units: systemd-analyze verify, and their exposure
	systemd-analyze verify systemd/*.service
	@for unit in systemd/*.service; do systemd-analyze security --offline=true $$unit | tail -n 1; done

calendars: $(RELEASE)/.built ## a CalDAV server (needs radicale, vdirsyncer, todoman)
	Tests/System/check_calendars.py $(RELEASE)/georemind $(RELEASE)/georemindd

interchange: $(RELEASE)/.built ## files of other programs (needs gpsbabel)
	Tests/System/check_interchange.py $(RELEASE)/georemind $(RELEASE)/georemindd

routing: $(RELEASE)/.built ## OSRM and Valhalla, where installed, and failing engines
	Tests/System/check_routing.py $(RELEASE)

geodesics: $(RELEASE)/.built ## distances against geographiclib from PyPI
	Tests/System/check_geodesics.py $(RELEASE)/georemind

notifications: $(RELEASE)/.built ## a real dunst (needs dunst, dbus-daemon, xvfb, imagemagick)
	Tests/System/check_notifications $(RELEASE) .build/notification.png

geoclue: $(RELEASE)/.built ## a real GeoClue with an agent (needs root, geoclue-2.0, dbus-daemon)
	Tests/System/check_geoclue $(RELEASE)

recipes: ## the hooks of examples/hooks (needs curl, jq; apprise where installed)
	Tests/System/check_recipes.py

parked: $(RELEASE)/.built ## receivers with wrong claims on the edge of a circle, a day each, by replay
	Tests/System/check_parked.py $(RELEASE)/georemind

report: $(RELEASE)/.built ## the report in a headless Chromium (needs chromium)
	Tests/System/report/check.py $(RELEASE)/georemind .build/report

map: $(RELEASE)/.built ## the live map in a headless Chromium (needs chromium)
	Tests/System/map/check.py $(RELEASE) .build/map
	Tests/System/map/phone.py $(RELEASE) .build/map

# XCTest, which has no test here, leaks two objects of its own.
sanitize: ## the unit tests with Address and Thread Sanitizer; ONLY= is a pattern of their names
	@$(NEED_SWIFT)
	$(SWIFT) test --disable-xctest --sanitize=address --scratch-path .build/address $(if $(ONLY),--filter '$(ONLY)')
	$(SWIFT) test --disable-xctest --sanitize=thread --scratch-path .build/thread $(if $(ONLY),--filter '$(ONLY)')

mutate: ## planted faults (Tests/Mutants), and which of them the unit tests notice; an hour of a core or more
	@$(NEED_SWIFT)
	Tools/mutate --table .build/mutants.tsv

nightly: ## what takes hours: sanitizers, fuzzing, the simulator, planted faults
	@.ci/nightly

LONG ?= ExactnessTests|Simulations|MonitorOracleTests|RepeatDateutilTests|TimeZoneRulesTests|GeodesyTests
long: ## the long unit tests; LONG= is a pattern of their names
	@$(NEED_SWIFT)
	GEOREMIND_LONG_TESTS=1 $(SWIFT) test -c release -Xswiftc -enable-testing --filter '$(LONG)'

drive: $(RELEASE)/.built ## the bundled drive, made anew by its generator
	$(RELEASE)/make-drive > examples/drive.nmea

bench: $(RELEASE)/.built ## the benchmarks and their options
	@$(RELEASE)/georemind-bench --help

# Packages, each with what bears its name: georemind-route brings libcurl, and with it 30 libraries, and
# georemind-web libmicrohttpd with ten, and georemind-mqtt libmosquitto with a TLS library.
ROUTE = georemind-route
WEB = georemind-web
MQTT = georemind-mqtt
# Only where the libraries of the fleet are there: "make deps ALSO='libpq-dev libnats-dev librdkafka-dev'".
FLEET = georemind-fleet
HAS_FLEET = $(and $(filter %/nats.h,$(GEOREMIND_FLEET)),$(filter %/libpq-fe.h,$(GEOREMIND_FLEET)))
PROGRAMS = $(ROLES) $(ROUTE) $(WEB) $(MQTT) $(if $(HAS_FLEET),$(FLEET))
SHARE = .build/share

# Where things go, below DESTDIR. The catalog has one place alone, whatever the prefix: that is where
# journalctl looks.
BINDIR = $(PREFIX)/bin
UNITDIR = $(PREFIX)/lib/systemd/system
USERUNITDIR = $(PREFIX)/lib/systemd/user
CATALOGDIR = /usr/lib/systemd/catalog
SYSUSERSDIR = $(PREFIX)/lib/sysusers.d
TMPFILESDIR = $(PREFIX)/lib/tmpfiles.d
MANDIR = $(PREFIX)/share/man
DOCDIR = $(PREFIX)/share/doc/georemind
BASHDIR = $(PREFIX)/share/bash-completion/completions
ZSHDIR = $(PREFIX)/share/zsh/site-functions
FISHDIR = $(PREFIX)/share/fish/vendor_completions.d
APPLICATIONSDIR = $(PREFIX)/share/applications
CONFDIR = /etc/georemind

# Of a list of files: those of a program with a package of its own, and those of none.
of_program = $(foreach file,$(2),$(if $(filter $(1).% $(1)@% _$(1) $(1),$(notdir $(file))),$(file)))
of_route = $(call of_program,$(ROUTE),$(1))
of_web = $(call of_program,$(WEB),$(1))
of_mqtt = $(call of_program,$(MQTT),$(1))
of_fleet = $(call of_program,$(FLEET),$(1))
of_main = $(filter-out $(foreach part,of_route of_web of_mqtt of_fleet,$(call $(part),$(1))),$(1))

UNITS = $(wildcard systemd/*.service systemd/*.socket systemd/*.timer systemd/*.path)
USERUNITS = $(wildcard systemd/user/*.*)
CATALOGS = $(wildcard systemd/catalog/*)
APPLICATIONS = $(wildcard share/applications/*.desktop)
# Of the programs that have a manual page, as of all pages, what Tools/make-share.sh makes.
PAGES = $(patsubst man/%.in,$(SHARE)/man/%,$(wildcard man/*.in))
DESCRIBED = $(filter $(basename $(notdir $(PAGES))),$(PROGRAMS))
BASH = $(DESCRIBED:%=$(SHARE)/bash/%)
ZSH = $(DESCRIBED:%=$(SHARE)/zsh/_%)
FISH = $(DESCRIBED:%=$(SHARE)/fish/%.fish)
# Units name the programs and documents by their paths.
IN_PREFIX = sed -e 's|/usr/bin/|$(BINDIR)/|g' -e 's|/usr/share/doc/georemind|$(DOCDIR)|g'

# Manual pages and completions are made by asking the programs.
$(SHARE)/.made: $(RELEASE)/.built Tools/make-share.sh etc/georemind.conf $(wildcard man/*.in)
	@Tools/make-share.sh $(RELEASE) $(SHARE)
	@touch $@

# What all packages have, of $(1): of_main, of_route, of_web, of_mqtt or of_fleet.
define install_shared
	install -d $(DESTDIR)$(UNITDIR) $(DESTDIR)$(USERUNITDIR)
	for unit in $(call $(1),$(UNITS)); do $(IN_PREFIX) $$unit | \
	  install -m644 /dev/stdin $(DESTDIR)$(UNITDIR)/$$(basename $$unit) || exit; done
	for unit in $(call $(1),$(USERUNITS)); do $(IN_PREFIX) $$unit | \
	  install -m644 /dev/stdin $(DESTDIR)$(USERUNITDIR)/$$(basename $$unit) || exit; done
	for page in $(call $(1),$(PAGES)); do \
	  install -Dm644 -t $(DESTDIR)$(MANDIR)/man$${page##*.} $$page || exit; done
	install -Dm644 -t $(DESTDIR)$(BASHDIR) $(call $(1),$(BASH))
	install -Dm644 -t $(DESTDIR)$(ZSHDIR) $(call $(1),$(ZSH))
	install -Dm644 -t $(DESTDIR)$(FISHDIR) $(call $(1),$(FISH))
endef

install: install-main install-route install-web install-mqtt $(if $(HAS_FLEET),install-fleet) ## programs, units, manual pages and documents, below PREFIX

install-route: $(SHARE)/.made
	install -Dm755 -t $(DESTDIR)$(BINDIR) $(RELEASE)/$(ROUTE)
	$(call install_shared,of_route)

install-web: $(SHARE)/.made
	install -Dm755 -t $(DESTDIR)$(BINDIR) $(RELEASE)/$(WEB)
	$(call install_shared,of_web)

install-mqtt: $(SHARE)/.made
	install -Dm755 -t $(DESTDIR)$(BINDIR) $(RELEASE)/$(MQTT)
	$(call install_shared,of_mqtt)

install-fleet: $(SHARE)/.made
	install -Dm755 -t $(DESTDIR)$(BINDIR) $(RELEASE)/$(FLEET)
	install -Dm644 -t $(DESTDIR)$(PREFIX)/share/georemind-fleet docs/reference/fleet-schema.sql
	install -Dm755 -t $(DESTDIR)$(PREFIX)/share/georemind-fleet examples/fleet-on-one-machine
	$(call install_shared,of_fleet)

install-main: $(SHARE)/.made
	install -Dm755 -t $(DESTDIR)$(BINDIR) $(RELEASE)/georemind
	for link in $(LINKS); do ln -sfn georemind $(DESTDIR)$(BINDIR)/$$link || exit; done
	$(call install_shared,of_main)
	install -Dm644 -t $(DESTDIR)$(CATALOGDIR) $(CATALOGS)
	install -Dm644 -t $(DESTDIR)$(APPLICATIONSDIR) $(APPLICATIONS)
	install -Dm644 -t $(DESTDIR)$(SYSUSERSDIR) systemd/sysusers.d/*
	install -Dm644 -t $(DESTDIR)$(TMPFILESDIR) systemd/tmpfiles.d/*
	install -Dm644 -t $(DESTDIR)$(DOCDIR) $(wildcard *.md) LICENSE
	cd docs && find . -type f -exec install -Dm644 {} $(abspath $(DESTDIR)$(DOCDIR))/docs/{} \;
	for folder in examples systemd/examples; do (cd $$folder && find . -type f -exec \
	  install -Dm644 {} $(abspath $(DESTDIR)$(DOCDIR))/examples/{} \;) || exit; done
	install -d $(DESTDIR)$(CONFDIR)/georemind.conf.d
	test -e $(DESTDIR)$(CONFDIR)/georemind.conf || \
	  install -Dm644 -t $(DESTDIR)$(CONFDIR) etc/georemind.conf

uninstall: ## removes what install put there; settings and state stay
	rm -f $(PROGRAMS:%=$(DESTDIR)$(BINDIR)/%)
	rm -f $(UNITS:systemd/%=$(DESTDIR)$(UNITDIR)/%) $(USERUNITS:systemd/user/%=$(DESTDIR)$(USERUNITDIR)/%)
	rm -f $(CATALOGS:systemd/catalog/%=$(DESTDIR)$(CATALOGDIR)/%)
	rm -f $(APPLICATIONS:share/applications/%=$(DESTDIR)$(APPLICATIONSDIR)/%)
	rm -f $(DESTDIR)$(SYSUSERSDIR)/georemind.conf $(DESTDIR)$(TMPFILESDIR)/georemind.conf
	for page in $(notdir $(PAGES)); do rm -f $(DESTDIR)$(MANDIR)/man$${page##*.}/$$page; done
	rm -f $(BASH:$(SHARE)/bash/%=$(DESTDIR)$(BASHDIR)/%) $(ZSH:$(SHARE)/zsh/%=$(DESTDIR)$(ZSHDIR)/%)
	rm -f $(FISH:$(SHARE)/fish/%=$(DESTDIR)$(FISHDIR)/%)
	rm -rf $(DESTDIR)$(DOCDIR) $(DESTDIR)$(PREFIX)/share/georemind-fleet

deb: $(SHARE)/.made ## the Debian packages, in .build/deb; VERSION=1.2 sets another version
	@command -v dh >/dev/null || { echo "make deb needs debhelper: apt install debhelper" >&2; exit 1; }
	@mkdir -p .build/deb
	@Tools/release/debian-changelog.sh $(VERSION) >debian/changelog
	DEB_RULES_REQUIRES_ROOT=no DEB_DIR=$(CURDIR)/.build/deb debian/rules binary
	@ls -l .build/deb/*.deb

DIST = .build/dist
PACKAGES = $(or $(VERSION),$(shell Tools/release/version.sh))_$(shell dpkg --print-architecture)
release: ## packages, checksums, SPDX, notes, repository of a tag, in .build/dist; VERSION=, SIGN_KEY=, ADDRESS=
	@command -v apt-ftparchive >/dev/null || { echo "make release needs apt-utils: apt install apt-utils" >&2; exit 1; }
	@Tools/release/with-key.sh Tools/release/release.sh $(DIST) $(VERSION)

repository: ## an apt repository of the packages in FROM= of all architectures; SIGN_KEY=, ADDRESS=
	@Tools/release/with-key.sh Tools/release/repository.sh $(FROM)/repository $(wildcard $(FROM)/*.deb)
	@Tools/release/with-key.sh Tools/release/checksums.sh $(FROM)

image: deb ## a container image of daemon and web, an OCI archive in .build/image (needs root, buildah); SUITE=
	@Tools/release/image.sh .build/image/georemind_$(PACKAGES).oci.tar \
	  .build/deb/georemind_$(PACKAGES).deb .build/deb/georemind-web_$(PACKAGES).deb

clean: ## removes .build
	rm -rf .build
