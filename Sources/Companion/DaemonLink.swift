package import Control
package import JSONText
package import LinuxRuntime

/// One connection to the daemon, served from the loop: calls out, answers later.
///
/// Calls are answered in turn, so an open stream delays those behind it and needs its own link.
package final class DaemonLink {
  /// Called for each reply: once, or for a call with `more` until the stream ends.
  package typealias Answer = (Result<JSONObject, VarlinkError>) -> Void

  private let stream: StreamConnection
  private var session = VarlinkClientSession()
  private var answers: [VarlinkClientSession.CallID: Answer] = [:]
  /// The connection is lost, and why; called once, not for `close()`.
  package var onLoss: (_ reason: String) -> Void = { _ in }

  /// Connects, at once or not at all.
  package init(path: String, loop: EventLoop) throws(SystemError) {
    stream = try StreamConnection(
      path: path, loop: loop,
      limits: .init(
        message: VarlinkClientSession.defaultReplyLimit, messagesPerSecond: .max))
    stream.onMessage = { [unowned self] bytes in receive(bytes) }
    stream.onClose = { [unowned self] _ in lose("the daemon closed the connection") }
  }

  /// Closes silently; no more answers come.
  package func close() {
    onLoss = { _ in }
    answers.removeAll()
    stream.close()
  }

  /// Calls a method of `org.georemind`.
  package func call(
    _ method: String, _ parameters: JSONObject = JSONObject(), more: Bool = false,
    answer: @escaping Answer
  ) {
    do throws(VarlinkProtocolError) {
      let call = try session.call("\(GeoremindInterface.name).\(method)", parameters, more: more)
      answers[call.id] = answer
      stream.send(call.bytes)
    } catch {
      lose("\(error)")
    }
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) {
    do throws(VarlinkProtocolError) {
      for reply in try session.receive(Array(bytes) + [0]) {
        let answer = answers[reply.call]
        if !reply.continues { answers[reply.call] = nil }
        answer?(reply.result)
      }
    } catch {
      lose("the daemon's answer cannot be understood: \(error)")
    }
  }

  private func lose(_ reason: String) {
    let handler = onLoss
    close()
    handler(reason)
  }
}
