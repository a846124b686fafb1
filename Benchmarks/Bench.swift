import Departure
import Glibc
import Interchange
import Reminders

/// What `--help` prints.
private let benchHelp = """
  usage: georemind-bench VERB …, each prints one line of name=value pairs

  fences [--policy default|containment] FENCES.csv TRACK.csv
      Each fix of the track against circles (id,lat,lon,radius_m and t,lat,lon; t in ms). 'default' are
      the daemon's rules: margin, confirmation, passes. 'containment' is distance ≤ radius at each fix.
      ns_per_fix   processor time of a fix with its transitions, median over passes
      build_ms     processor time of building the index
      bytes_per_fence, enter, exit, pass
      transitions_sha256   over "%010lld,%07u,E\\n" lines (t, id; X for an exit, P for a pass),
                   ordered by (t, id)
  decode FILE
      The file in memory, one thread, epochs merged, every fix read.
      mb_per_s, sentences_per_s, fixes, checksum (FNV-1a over all fixes)
  timers N
      insert_ns, pop_insert_ns, reschedule_ns, cancel_ns, drain_ns, bytes_per_timer
  preemptive N TRACK.csv [all]
      The day of TRACK against N times to leave by car, spread over a month, for places within 50 km
      of the track; with 'all' a third of them each by car, by bicycle and on foot.
      ns_per_fix   processor time of the engine for a fix and the timers before it, mean over all,
                   less that of the firings, which are worded in full
      ns_per_fix_with_firings, us_per_firing, fixes, firings, load_ms, firings_fnv1a
  store N
      N reminders in a database in /tmp: insert_ms for all in one transaction, commit_p50_us and
      commit_p99_us for one firing with full sync, outbox_p50_us to read it back for the journal,
      open_and_read_ms for all at a start
  latency [N [PACE]]
      From the last byte of an epoch on a pseudo-terminal to its firing's datagram at the journal's
      socket, through the georemindd beside this program; N firings (1000), each PACE ms (2) after
      the last. Gives the daemon a /run of its own, so it needs root or user namespaces.
      p50_us, p90_us, p99_us            until this program, asleep in between, has read the datagram
      p50_socket_us, p90_socket_us, p99_socket_us   until the kernel has put it into the socket
      p50_sync_us, …, p50_socket_sync_us, …   the same with the state directory in /var/tmp, with the
                                        disk's sync, instead of /dev/shm
  load N
      N reminders of all kinds from a database in /tmp to an engine that is ready: open_ms, load_ms,
      effects; then add_p50_us, add_p99_us, add_max_us and the same of remove for one more or less,
      a thousand times, without the disk
  fleet N M
      N engines in one process with M reminders each: device_bytes, resident memory of one after a fix;
      engine_bytes, its own in line; load_us; ns_per_fix, of one in ten seconds, three in ten going;
      restore_us, from the JSON of its reminders and histories; state_us and resume_us, its snapshot
      written and read; state_bytes
  growth EVENT N [bare]
      us, processor time of an event where there are N of its kind: add-categories, fix-reminders,
      fix-categories, fix-waiting, fix-corners, fix-departures, add-place, dates, prune; bare, all
      but the event itself, to count it by a difference
  places N
      One reminder for any of N places of a category: fill_ms until it waits for all of them,
      bytes_per_place (fences, cells and numbers), us_per_fix on a drive, firings

  """

/// Runs one verb and answers the exit code of sysexits(3).
func runBench(_ arguments: [String]) -> Int32 {
  do {
    switch (arguments.first, arguments.count) {
    case ("fences", 3):
      print(
        try fenceBench(fencesCSV: arguments[1], trackCSV: arguments[2], policy: .standard))
    case ("fences", 5) where arguments[1] == "--policy":
      guard let policy = BenchPolicy(rawValue: arguments[2]) else {
        throw BenchError("'\(arguments[2])' is no policy; there are default and containment")
      }
      print(try fenceBench(fencesCSV: arguments[3], trackCSV: arguments[4], policy: policy))
    case ("decode", 2):
      let bytes = try ByteSource(path: arguments[1]).readAll(limit: 4 << 30)
      print(decodeBench(bytes: bytes, passes: 5))
    case ("timers", 2):
      print(try timerBench(count: try count(arguments[1])))
    case ("preemptive", 3):
      print(
        try preemptiveBench(
          count: try count(arguments[1]), trackCSV: arguments[2], modes: [.driving]))
    case ("preemptive", 4) where arguments[3] == "all":
      print(
        try preemptiveBench(
          count: try count(arguments[1]), trackCSV: arguments[2],
          modes: Reminder.Transport.allCases))
    case ("store", 2):
      print(try storeBench(count: try count(arguments[1])))
    case ("latency", 1...3):
      print(
        try latencyBench(
          count: arguments.count > 1 ? count(arguments[1]) : 1000,
          pace: arguments.count > 2 ? count(arguments[2]) : 2))
    case ("load", 2):
      print(try loadBench(count: try count(arguments[1])))
    case ("fleet", 3):
      print(try fleetBench(devices: count(arguments[1]), reminders: count(arguments[2])))
    case ("growth", 3...4) where arguments.count == 3 || arguments[3] == "bare":
      guard let event = GrowthEvent(rawValue: arguments[1]) else {
        throw BenchError("'\(arguments[1])' is no event; georemind-bench --help shows them")
      }
      print(
        try growthBench(event, size: try count(arguments[2]), isBare: arguments.count == 4))
    case ("places", 2):
      print(try placeBench(count: try count(arguments[1])))
    case ("--help", _), ("-h", _):
      print(benchHelp, terminator: "")
    default:
      complain("wrong arguments; georemind-bench --help shows the verbs")
      return 64
    }
    return 0
  } catch let error as InterchangeError {
    complain("\(error)")
    return error.isMissing ? 66 : 74
  } catch {
    complain("\(error)")
    return 65
  }
}

private func count(_ text: String) throws -> Int {
  guard let count = Int(text), (1...10_000_000).contains(count) else {
    throw BenchError("\(text) is not a number from 1 to 10000000")
  }
  return count
}

private func complain(_ message: String) {
  var line = "georemind-bench: \(message)\n"
  line.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
}
