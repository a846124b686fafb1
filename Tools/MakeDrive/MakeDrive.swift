import CivilTime

#if canImport(Glibc)
  import Glibc
#endif

/// Writes the bundled drive, `examples/drive.nmea`, to standard output.
///
/// One seed, one file: `make-drive > drive.nmea` gives the bundled one, another seed the same drive
/// with other noise and another mood of the driver.
@main
struct MakeDrive {
  /// 2026-06-12T15:40:00Z, a Friday afternoon, 17:40 in Hamburg.
  private static let departure = Instant(microseconds: 1_781_278_800_000_000)
  private static let defaultSeed: UInt64 = 1912

  static func main() {
    exit(run(Array(CommandLine.arguments.dropFirst())))
  }

  /// The exit status, one of sysexits.
  private nonisolated static func run(_ arguments: [String]) -> Int32 {
    var seed = defaultSeed
    switch arguments.count {
    case 0:
      break
    case 1 where arguments[0] == "--help":
      print("usage: make-drive [--seed N] > drive.nmea")
      return 0
    case 2 where arguments[0] == "--seed":
      guard let number = UInt64(arguments[1]) else {
        return complain("--seed takes a whole number from 0, not \"\(arguments[1])\"", EX_USAGE)
      }
      seed = number
    default:
      return complain("usage: make-drive [--seed N] > drive.nmea", EX_USAGE)
    }

    var generator = SeededGenerator(seed: seed)
    let road = Road(route)
    let motion = Motion(along: road, generator: &generator)
    var receiver = Receiver(generator: generator)
    var sentences = Sentences()
    for (second, state) in motion.states.enumerated() {
      sentences.append(
        receiver.observe(state, on: road), at: departure + .seconds(Double(second)),
        withView: second % 10 == 0)
    }
    guard write(sentences.text, to: STDOUT_FILENO) else {
      return complain("cannot write the drive: \(String(cString: strerror(errno)))", EX_IOERR)
    }
    return 0
  }

  /// False, with `errno` set, where not all could be written.
  private nonisolated static func write(_ text: String, to descriptor: Int32) -> Bool {
    let bytes = Array(text.utf8)
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count >= 0 {
        written += count
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }

  private nonisolated static func complain(_ reason: String, _ status: Int32) -> Int32 {
    _ = write("make-drive: \(reason)\n", to: STDERR_FILENO)
    return status
  }
}
