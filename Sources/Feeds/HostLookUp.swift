import Glibc
import LinuxRuntime

/// Looks up the addresses of a host without blocking.
///
/// getaddrinfo(3) can block the loop for half a minute, and getaddrinfo_a(3) starts threads.
/// getent(1) comes with the C library and asks the same sources (nsswitch.conf(5): files, DNS,
/// mDNS). It runs as a child in the same sandbox, with a time limit.
final class HostLookUp {
  private let host: String
  private let port: UInt16
  private let output: Descriptor
  private var source: IOSource?
  private var process: pid_t
  private var answer: [UInt8] = []

  /// A host with more addresses than this is no receiver.
  private static let maximumAddresses = 8
  private static let longestAnswer = 16384

  /// Begins at once; releasing it ends the look-up.
  /// - Parameters:
  ///   - program: getent, or a replacement with the same output.
  ///   - completion: called once from the loop with the addresses in the order to try.
  init(
    _ host: String, port: UInt16, program: String = "getent", loop: EventLoop,
    completion: @escaping (Result<[SocketAddress], SystemError>) -> Void
  ) throws(SystemError) {
    self.host = host
    self.port = port
    var ends: [Int32] = [-1, -1]
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
      throw .last("look up the host '\(host)'")
    }
    output = Descriptor(ends[0])
    let input = Descriptor(ends[1])
    let nothing = Descriptor(open("/dev/null", O_RDWR | O_CLOEXEC))
    // The two live until the program has them.
    defer {
      nothing.close()
      input.close()
    }
    var start = ProgramStart([program, "ahosts", "--", host])
    start.streams = [nothing.raw, input.raw, nothing.raw]
    process = try start.run { _ in
      "to look up '\(host)': give the address in figures, or install it"
    }
    guard fcntl(output.raw, F_SETFL, O_NONBLOCK) == 0 else {
      let error = SystemError.last("look up the host '\(host)'")
      end()
      throw error
    }
    do throws(SystemError) {
      source = try loop.addIO(output.raw, .readable) { [unowned self] _ in
        if let result = takeAnswer() { completion(result) }
      }
    } catch {
      end()
      throw error
    }
  }

  deinit { end() }

  /// The output of `getent`, once complete.
  private func takeAnswer() -> Result<[SocketAddress], SystemError>? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(output.raw, &bytes, bytes.count)
    if count > 0, answer.count < Self.longestAnswer {
      answer += bytes.prefix(count)
      return nil
    }
    if count < 0, errno == EAGAIN || errno == EINTR { return nil }
    end()
    let addresses = addresses(in: String(decoding: answer, as: UTF8.self))
    guard addresses.isEmpty else { return .success(addresses) }
    return .failure(
      SystemError(
        "find the host '\(host)'", code: EHOSTUNREACH,
        remedy: "no address is known for this name: try it with getent ahosts"))
  }

  /// Lines of an address, a socket type and, in the first, the host's name: one for each type.
  private func addresses(in answer: String) -> [SocketAddress] {
    var addresses: [SocketAddress] = []
    for line in answer.split(separator: "\n") {
      let words = line.split(separator: " ", omittingEmptySubsequences: true)
      guard words.count >= 2, words[1] == "STREAM", addresses.count < Self.maximumAddresses,
        let address = try? SocketAddress(numeric: String(words[0]), port: port, name: host)
      else { continue }
      addresses.append(address)
    }
    return addresses
  }

  private func end() {
    source?.close()
    source = nil
    output.close()
    guard process > 0 else { return }
    // It has closed its output and is about to end, or is cancelled.
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
    process = 0
  }
}
