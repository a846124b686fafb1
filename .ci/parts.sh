# Parts of a check, for .ci/run and .ci/nightly: sets up the folder $logs, which has the output of each part.
mkdir -p "$logs"
: >"$logs/times"

# Runs a part: its name, a pattern of the lines to print where it passes, its command.
part() {
  local name=$1 wanted=$2 start=$SECONDS code
  shift 2
  echo "== $name"
  "$@" >"$logs/$name.log" 2>&1
  code=$?
  printf '%4d s  %s\n' $((SECONDS - start)) "$name" >>"$logs/times"
  if ((code)); then
    grep -aE '✘|error:|FAIL|not ok|^Fuzz/run:|^seed [0-9]+ of' "$logs/$name.log" | head -100
    echo "-- the end of $logs/$name.log:"
    tail -40 "$logs/$name.log"
    echo "$name failed with exit code $code" >&2
    return "$code"
  fi
  grep -aE "$wanted" "$logs/$name.log" | tail -20
  return 0
}

# The commit's own seed, so that each commit tries other inputs and lives.
seed() { echo $((16#$(git rev-parse --short=7 HEAD || echo 1) % 100000)); }

# Simulated lives from that seed on; the arguments end them.
lives() { nice -n 19 Tests/Simulator/Driver/simulate --seed "$(seed)" "$@"; }
