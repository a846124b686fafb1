import Control
import Glibc
import JSONText
import LinuxRuntime

@testable import Companion

/// A daemon of a few answers in the loop of the test: what it is asked for, and what it tells.
final class LoopDaemon {
  let path: String
  private let loop: EventLoop
  private var listener: UnixListener?
  private var streams: [StreamConnection] = []
  private var watchers: [StreamConnection] = []
  /// Calls in the order they came.
  private(set) var calls: [VarlinkCall] = []
  var ledger: [JSONObject] = []
  /// Whether `Show` is left without an answer.
  var isSilent = false

  init(path: String, loop: EventLoop) throws {
    self.path = path
    self.loop = loop
    listener = try UnixListener(path: path, loop: loop) { [unowned self] stream in
      streams.append(stream)
      stream.onMessage = { [unowned self, unowned stream] bytes in
        guard let call = try? VarlinkCall(message: Array(bytes)) else { return }
        calls.append(call)
        answer(call, on: stream)
      }
    }
  }

  func stop() {
    listener?.close()
    listener = nil
    for stream in streams { stream.close() }
    streams.removeAll()
    watchers.removeAll()
  }

  /// A firing as it happens.
  func fire(_ firing: JSONObject) {
    ledger.append(firing)
    for watcher in watchers {
      watcher.send(
        VarlinkReply(parameters: ["firing": .object(firing)], continues: true).encoded)
    }
  }

  var isWatched: Bool { !watchers.isEmpty }

  private func answer(_ call: VarlinkCall, on stream: StreamConnection) {
    switch call.methodName {
    case "WatchFirings": watchers.append(stream)
    case "Log":
      let since = call.parameters["since"]?.string ?? ""
      let firings = ledger.filter { ($0["time"]?.string ?? "") >= since }
      stream.send(
        VarlinkReply(parameters: ["firings": .array(firings.map { .object($0) })]).encoded)
    case "Show" where isSilent: break
    default: stream.send(VarlinkReply(parameters: ["status": [:]]).encoded)
    }
  }
}
