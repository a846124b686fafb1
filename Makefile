# georemind: `make run` shows the main job, `make test` proves it.

PREFIX ?= /usr
DESTDIR ?=
SWIFT ?= swift
RELEASE = .build/release
BUILD_FLAGS = -c release --static-swift-stdlib -Xlinker -s
SOURCES := $(shell find Sources Tools -name '*.swift' -o -name '*.h' -o -name '*.modulemap')

.PHONY: all run test deps lint fuzz bench install clean drive

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
	$(SWIFT) format lint --strict --recursive Sources Tests Tools Fuzz Package.swift

# Each harness for ten seconds; Fuzz/run has more to choose.
fuzz: deps
	Fuzz/run

# The bundled drive, made anew by its generator.
drive: $(RELEASE)/.built
	$(RELEASE)/make-drive > examples/drive.nmea

bench: $(RELEASE)/.built
	@$(RELEASE)/georemind-bench --help

DOC = $(DESTDIR)$(PREFIX)/share/doc/georemind
LIB = $(DESTDIR)$(PREFIX)/lib

install: $(RELEASE)/.built
	install -Dm755 -t $(DESTDIR)$(PREFIX)/bin $(RELEASE)/georemindd $(RELEASE)/georemind
	install -Dm644 -t $(LIB)/systemd/system systemd/georemindd.service systemd/georemindd.socket
	install -Dm644 -t $(LIB)/systemd/user systemd/user/georemindd.service systemd/user/georemindd.socket
	install -Dm644 -t $(LIB)/systemd/catalog systemd/catalog/georemind.catalog
	install -Dm644 -t $(LIB)/sysusers.d systemd/sysusers.d/georemind.conf
	install -Dm644 -t $(LIB)/tmpfiles.d systemd/tmpfiles.d/georemind.conf
	install -Dm644 -t $(DOC) README.md LICENSE
	install -Dm644 -t $(DOC)/docs docs/*.md
	install -Dm644 -t $(DOC)/examples examples/* systemd/examples/*.conf
	install -Dm644 -t $(DOC)/examples/fleet systemd/examples/fleet/*
	test -e $(DESTDIR)/etc/georemind/georemind.conf || \
	  install -Dm644 -t $(DESTDIR)/etc/georemind etc/georemind.conf

clean:
	rm -rf .build
