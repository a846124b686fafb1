# georemind: `make run` shows the main job, `make test` proves it.

PREFIX ?= /usr
DESTDIR ?=
SWIFT ?= swift
RELEASE = .build/release
BUILD_FLAGS = -c release --static-swift-stdlib -Xlinker -s
SOURCES := $(shell find Sources Tools -name '*.swift' -o -name '*.h' -o -name '*.modulemap')

.PHONY: all run test deps lint bench install clean drive

all: $(RELEASE)/.built

# Installs with apt what the build needs and the machine does not have.
deps:
	@Tools/install-build-deps.sh

# One stamp for all programs: where nothing has changed, nothing is started.
$(RELEASE)/.built: Package.swift $(SOURCES)
	@Tools/install-build-deps.sh
	$(SWIFT) build $(BUILD_FLAGS)
	@touch $@

# The daemon on a recorded drive with a few reminders; its firings as journal entries.
run: $(RELEASE)/.built
	@Tools/run-demo.sh $(RELEASE)

test: deps
	$(SWIFT) test

lint:
	$(SWIFT) format lint --strict --recursive Sources Tests Tools Package.swift

# The bundled drive, made anew by its generator.
drive: $(RELEASE)/.built
	$(RELEASE)/make-drive > examples/drive.nmea

bench: $(RELEASE)/.built
	@$(RELEASE)/georemind-bench --help

install: $(RELEASE)/.built
	install -Dm755 $(RELEASE)/georemindd $(DESTDIR)$(PREFIX)/bin/georemindd
	install -Dm755 $(RELEASE)/georemind $(DESTDIR)$(PREFIX)/bin/georemind
	install -Dm644 systemd/georemindd.service $(DESTDIR)$(PREFIX)/lib/systemd/system/georemindd.service
	install -Dm644 systemd/georemindd.socket $(DESTDIR)$(PREFIX)/lib/systemd/system/georemindd.socket
	install -Dm644 systemd/sysusers.d/georemind.conf $(DESTDIR)$(PREFIX)/lib/sysusers.d/georemind.conf
	install -Dm644 systemd/catalog/georemind.catalog $(DESTDIR)$(PREFIX)/lib/systemd/catalog/georemind.catalog
	install -Dm644 etc/georemind.conf $(DESTDIR)/etc/georemind/georemind.conf
	install -Dm644 systemd/tmpfiles.d/georemind.conf $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/georemind.conf

clean:
	rm -rf .build
