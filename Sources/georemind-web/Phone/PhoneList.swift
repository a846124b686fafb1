import Companion
import Control
import JSONText
import LinuxRuntime

/// The phones that may send, as the daemon names them.
///
/// A lost connection is made again after half a second, then up to ten seconds apart. Meanwhile the
/// list stays: without the daemon no position is taken.
final class PhoneList {
  private let loop: EventLoop
  private let socketPath: () -> String
  private let log: (ServiceLog.Level, String) -> Void
  private var onChange: ([String: String]) -> Void = { _ in }
  private var link: DaemonLink?
  private var retry: TimerSource?
  private var backoff = Backoff(first: 500_000, longest: 10_000_000)
  private var connectedSince: Int64 = 0
  private var refusal: String?

  init(
    loop: EventLoop, log: @escaping (ServiceLog.Level, String) -> Void,
    socketPath: @escaping () -> String
  ) throws(SystemError) {
    (self.loop, self.log, self.socketPath) = (loop, log, socketPath)
    retry = try loop.addTimer(.monotonic, accuracy: 100_000) { [unowned self] _ in connect() }
  }

  /// - Parameter onChange: called with the name of each phone under the hash of its token.
  func start(onChange: @escaping ([String: String]) -> Void) {
    self.onChange = onChange
    retry?.arm(in: 0)
  }

  func stop() {
    retry?.close()
    retry = nil
    link?.close()
  }

  private func connect() {
    connectedSince = loop.now(.monotonic)
    do throws(SystemError) {
      let link = try DaemonLink(path: socketPath(), loop: loop)
      link.onLoss = { [unowned self] _ in lose() }
      self.link = link
      link.call("WatchPhones", more: true) { [unowned self] in take($0) }
    } catch {
      lose()
    }
  }

  private func take(_ answer: Result<JSONObject, VarlinkError>) {
    switch answer {
    case .success(let news):
      refusal = nil
      let phones = (news["phones"]?.array ?? []).compactMap { phone in
        phone["hash"]?.string.flatMap { hash in phone["name"]?.string.map { (hash, $0) } }
      }
      onChange(Dictionary(phones) { first, _ in first })
    case .failure(let error):
      let reason = GeoremindError(error)?.description ?? error.description
      if refusal != reason { log(.error, "The daemon does not name the phones: \(reason)") }
      refusal = reason
      lose()
    }
  }

  private func lose() {
    link?.close()
    link = nil
    backoff.connectionEnded(after: loop.now(.monotonic) - connectedSince)
    retry?.arm(in: backoff.next(random: .random(in: 0..<1)))
  }
}
