# georemind: `make run` shows the main job, `make test` proves it.

PREFIX ?= /usr
DESTDIR ?=
SWIFT ?= swift
RELEASE = .build/release
BUILD_FLAGS = -c release --static-swift-stdlib -Xlinker -s
SOURCES := $(shell find Sources Benchmarks Tools -name '*.swift' -o -name '*.h' -o -name '*.modulemap')

.PHONY: all run test deps lint fuzz bench install uninstall deb clean drive

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
	$(SWIFT) format lint --strict --recursive Sources Benchmarks Tests Tools Fuzz Package.swift

# Each harness for ten seconds; Fuzz/run has more to choose.
fuzz: deps
	Fuzz/run

# The bundled drive, made anew by its generator.
drive: $(RELEASE)/.built
	$(RELEASE)/make-drive > examples/drive.nmea

bench: $(RELEASE)/.built
	@$(RELEASE)/georemind-bench --help

# Every program that is installed; units, catalogs and manual pages are taken as they are there.
PROGRAMS = georemindd georemind georemind-notify georemind-hook georemind-route
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

UNITS = $(wildcard systemd/*.service systemd/*.socket systemd/*.timer systemd/*.path)
USERUNITS = $(wildcard systemd/user/*.*)
CATALOGS = $(wildcard systemd/catalog/*)
APPLICATIONS = $(wildcard share/applications/*.desktop)
# Units name the programs and documents by their paths.
IN_PREFIX = sed -e 's|/usr/bin/|$(BINDIR)/|g' -e 's|/usr/share/doc/georemind|$(DOCDIR)|g'

# Manual pages and completions are made by asking the programs.
$(SHARE)/.made: $(RELEASE)/.built Tools/make-share.sh etc/georemind.conf $(wildcard man/*.in)
	@Tools/make-share.sh $(RELEASE) $(SHARE)
	@touch $@

install: $(SHARE)/.made
	install -Dm755 -t $(DESTDIR)$(BINDIR) $(PROGRAMS:%=$(RELEASE)/%)
	install -d $(DESTDIR)$(UNITDIR) $(DESTDIR)$(USERUNITDIR)
	for unit in $(UNITS); do $(IN_PREFIX) $$unit | \
	  install -m644 /dev/stdin $(DESTDIR)$(UNITDIR)/$$(basename $$unit) || exit; done
	for unit in $(USERUNITS); do $(IN_PREFIX) $$unit | \
	  install -m644 /dev/stdin $(DESTDIR)$(USERUNITDIR)/$$(basename $$unit) || exit; done
	install -Dm644 -t $(DESTDIR)$(CATALOGDIR) $(CATALOGS)
	install -Dm644 -t $(DESTDIR)$(APPLICATIONSDIR) $(APPLICATIONS)
	install -Dm644 -t $(DESTDIR)$(SYSUSERSDIR) systemd/sysusers.d/*
	install -Dm644 -t $(DESTDIR)$(TMPFILESDIR) systemd/tmpfiles.d/*
	for page in $(SHARE)/man/*; do \
	  install -Dm644 -t $(DESTDIR)$(MANDIR)/man$${page##*.} $$page || exit; done
	install -Dm644 -t $(DESTDIR)$(BASHDIR) $(SHARE)/bash/*
	install -Dm644 -t $(DESTDIR)$(ZSHDIR) $(SHARE)/zsh/*
	install -Dm644 -t $(DESTDIR)$(FISHDIR) $(SHARE)/fish/*
	install -Dm644 -t $(DESTDIR)$(DOCDIR) README.md LICENSE
	install -Dm644 -t $(DESTDIR)$(DOCDIR)/docs docs/*
	for folder in examples systemd/examples; do (cd $$folder && find . -type f -exec \
	  install -Dm644 {} $(abspath $(DESTDIR)$(DOCDIR))/examples/{} \;) || exit; done
	install -d $(DESTDIR)$(CONFDIR)/georemind.conf.d
	test -e $(DESTDIR)$(CONFDIR)/georemind.conf || \
	  install -Dm644 -t $(DESTDIR)$(CONFDIR) etc/georemind.conf

# Takes away what install put there; settings and state stay.
uninstall:
	rm -f $(PROGRAMS:%=$(DESTDIR)$(BINDIR)/%)
	rm -f $(UNITS:systemd/%=$(DESTDIR)$(UNITDIR)/%) $(USERUNITS:systemd/user/%=$(DESTDIR)$(USERUNITDIR)/%)
	rm -f $(CATALOGS:systemd/catalog/%=$(DESTDIR)$(CATALOGDIR)/%)
	rm -f $(APPLICATIONS:share/applications/%=$(DESTDIR)$(APPLICATIONSDIR)/%)
	rm -f $(DESTDIR)$(SYSUSERSDIR)/georemind.conf $(DESTDIR)$(TMPFILESDIR)/georemind.conf
	for page in $(notdir $(basename $(wildcard man/*.in))); do \
	  rm -f $(DESTDIR)$(MANDIR)/man$${page##*.}/$$page; done
	rm -f $(PROGRAMS:%=$(DESTDIR)$(BASHDIR)/%) $(PROGRAMS:%=$(DESTDIR)$(ZSHDIR)/_%)
	rm -f $(PROGRAMS:%=$(DESTDIR)$(FISHDIR)/%.fish)
	rm -rf $(DESTDIR)$(DOCDIR)

# A Debian package in .build/deb, for this machine's architecture. VERSION=1.2 is another than that of
# debian/changelog.
deb: $(SHARE)/.made
	@command -v dh >/dev/null || { echo "make deb needs debhelper: apt install debhelper" >&2; exit 1; }
	@mkdir -p .build/deb
	DEB_RULES_REQUIRES_ROOT=no DEB_DIR=$(CURDIR)/.build/deb $(if $(VERSION),VERSION=$(VERSION)) \
	  debian/rules binary
	@ls -l .build/deb/*.deb

clean:
	rm -rf .build
