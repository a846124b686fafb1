# What the runs of this folder share: sourced from the root of the project.
#
# A throwaway system with the service as it ships, but for a library that is preloaded in front of it
# (faults.c) and a receiver that the tests play (drive.py). Tests/System/bed makes it;
# where it cannot the run is skipped and says so.

tool=${SYSTEM_BED:-Tests/System/bed}
export BED=${BED:-georemind-crash}
# Nothing waits for ever: a step has half an hour, and fails by then.
bed() {
  timeout -k 5 1800 "$tool" "$@"
  local code=$?
  ((code != 124 && code != 137)) || echo "FAIL  timed out after half an hour: $*"
  return "$code"
}
inside() { bed sh "$1" </dev/null; }
scripts=/var/tmp/crash

usage() {
  sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 64
}

work=$(mktemp -d)
trap 'bed down; rm -rf "$work"' EXIT

# Boots it, with everything installed and nothing started.
set_up() {
  make -s install DESTDIR="$work/root" >/dev/null || exit 1
  cc -shared -fPIC -o "$work/faults.so" Tests/System/crash/faults.c -ldl || exit 1
  .build/release/georemind decode examples/drive.nmea >"$work/drive.jsonl" || exit 1
  bed up --fresh
  case $? in
    0) ;;
    77) echo "${0##*/} skipped: no throwaway system" && exit 0 ;;
    *) exit 1 ;;
  esac
  bed put "$work/root" /var/tmp/root
  bed put Tests/System/crash "$scripts"
  bed put "$work/drive.jsonl" "$scripts/drive.jsonl"
  bed put "$work/faults.so" /usr/lib/faults.so
  inside 'set -e
    cp -a /var/tmp/root/usr/. /usr/; cp -a /var/tmp/root/etc/. /etc/
    systemd-sysusers
    mkdir -p /etc/georemind/georemind.conf.d /etc/systemd/system/georemindd.service.d
    printf "[Feed]\nFeed=unix:///run/crash/feed?max-age=infinity\n" >/etc/georemind/georemind.conf.d/feed.conf
    cat >/etc/tmpfiles.d/crash.conf <<E
d /run/crash 0755
f /run/crash/faults 0666 - - - none
E
    systemd-tmpfiles --create crash.conf
    cat >/etc/systemd/system/georemindd.service.d/crash.conf <<E
[Service]
Environment=LD_PRELOAD=/usr/lib/faults.so FAULTS=/run/crash/faults
ReadWritePaths=/run/crash
RestartSec=100ms
E
    systemctl daemon-reload
    systemctl enable --quiet georemindd.socket georemindd.service' 2>"$work/why" || {
    cat "$work/why" >&2
    exit 1
  }
}
