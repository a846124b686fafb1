// Support: Input
import Control
import JSONText

/// A client of the control socket that sends anything, in pieces of any size, while replies are
/// pushed and taken: each answer is a whole message, and the pieces make no difference.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzVarlink(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = Input(start, count)
  let choice = input.choice()
  let seed = input.choice()
  let bytes = input.rest
  let whole = serve(bytes, maximumBytes: bytes.count, seed: seed, isDisturbed: false)
  let pieces = serve(bytes, maximumBytes: 1 + Int(choice & 63), seed: seed, isDisturbed: false)
  require(whole == pieces, "pieces are answered otherwise")
  _ = serve(bytes, maximumBytes: 1 + Int(choice & 63), seed: seed, isDisturbed: true)
  converse(with: bytes, pieces: seed)
  return 0
}

private typealias Connection = VarlinkConnection<Int>

private let service: VarlinkService? = try? VarlinkService(
  vendor: "", product: "", version: "", url: "", interfaces: [GeoremindInterface.text],
  streaming: GeoremindInterface.streamingMethods)

/// What the service's end sends, and why it hung up.
private func serve(
  _ bytes: [UInt8], maximumBytes: Int, seed: UInt8, isDisturbed: Bool
) -> [Connection.Action] {
  guard let service else { fatalError("the interface cannot be read") }
  var connection = Connection(service: service, peer: 0, messageLimit: 1_000, outputLimit: 2_000)
  var cuts = Cuts(seed: seed)
  var actions: [Connection.Action] = []
  var checked = 0
  var begin = 0
  while begin < bytes.count, !connection.isClosed {
    let end = min(bytes.count, begin + cuts.next(most: maximumBytes))
    actions += connection.receive(bytes[begin..<end], handler: answer)
    begin = end
    switch isDisturbed ? cuts.next(most: 4) : 0 {
    case 1: actions += connection.push(["n": 1])
    case 2: actions += connection.sent(cuts.next(most: 500), handler: answer)
    default: break
    }
    while !isDisturbed, connection.unsentBytes > 0, !connection.isClosed {
      actions += connection.sent(connection.unsentBytes, handler: answer)
    }
    for (index, action) in actions.enumerated().dropFirst(checked) {
      if case .send(let message) = action { check(message) }
      if case .close = action {
        require(connection.isClosed && index == actions.count - 1, "something follows the end")
      }
    }
    checked = actions.count
    require(!connection.isStreaming || connection.openCall != nil, "a stream without a call")
  }
  // What waits to be sent is all the same in the end, but not at each moment.
  return isDisturbed ? [] : actions.filter { if case .send = $0 { true } else { false } }
}

private func answer(_ call: VarlinkCall, _ peer: Int) -> VarlinkAnswer {
  switch call.methodName {
  case "WatchFirings", "WatchStatus": .stream(first: [["status": .object(call.parameters)]])
  case "Remove": .error(GeoremindError.notFound(id: call.parameters["id"]?.string ?? "").varlink)
  default: .reply(call.parameters)
  }
}

private func check(_ message: [UInt8]) {
  require(message.last == 0, "a message does not end")
  let text = message.dropLast()
  require(!text.contains(0), "a message ends within")
  // The description of the interface is long, and always the same.
  guard text.count < 2_000 else { return }
  require((try? VarlinkReply(message: Array(text))) != nil, "a message is no reply")
}

/// The other end: a daemon that answers anything.
private func converse(with bytes: [UInt8], pieces seed: UInt8) {
  var session = VarlinkClientSession(replyLimit: 1_000)
  for more in [true, false, true, false] { _ = try? session.call("a.B", more: more) }
  var cuts = Cuts(seed: seed)
  var begin = 0
  while begin < bytes.count {
    let end = min(bytes.count, begin + cuts.next(most: 300))
    guard let replies = try? session.receive(bytes[begin..<end]) else { return }
    for reply in replies {
      if case .failure(let error) = reply.result {
        require(!error.description.isEmpty, "an error says nothing")
      }
    }
    begin = end
  }
}
