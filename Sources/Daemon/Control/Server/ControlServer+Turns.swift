import Control
import LinuxRuntime

/// Whose call is next.
extension ControlServer {
  var waitingCallCount: Int { queue.count }

  /// Microseconds after which a call is taken although there is more to read.
  private static let longestWait: Int64 = 2_000

  /// A client has sent a whole call.
  func wait(_ client: Client, with message: ArraySlice<UInt8>) {
    let isFirst = queue.isEmpty
    queue.add(client, of: client.stream.peer.userID, isLong: Self.isLong(message))
    if isFirst { awaitTurn() }
  }

  private func awaitTurn() {
    turns.again()
    overdue.arm(in: Self.longestWait)
  }

  /// One call of the user whose turn it is.
  func takeTurn() {
    guard let (client, user) = queue.next() else { return }
    let begun = SystemClock.monotonic.microseconds
    client.stream.takeTurn()
    queue.charge(SystemClock.monotonic.microseconds - begun, to: user)
    if queue.isEmpty { overdue.disarm() } else { awaitTurn() }
  }

  /// A message of more bytes has many values, or long ones.
  private static let longMessage = 4_096

  private static func isLong(_ message: ArraySlice<UInt8>) -> Bool {
    guard message.count <= longMessage, let call = try? VarlinkCall(message: Array(message)) else {
      return true
    }
    return call.georemindMethod?.isLong ?? false
  }
}
