import CNats
import CivilTime
package import Fleet
import Glibc

/// A log in NATS JetStream: one stream for each partition, `GR3` with the subjects `in.3.DEVICE`.
///
/// libnats is safe for threads, and reconnects by itself.
package final class JetStream: LogConnection, @unchecked Sendable {
  private let connection: OpaquePointer
  let context: OpaquePointer

  /// - Parameters:
  ///   - addresses: `nats://` or `tls://` addresses of the servers.
  ///   - credentials: a file with the user's JWT and key; nil for none.
  ///   - authority: a file with the certificates that the servers' must come from.
  package init(
    _ addresses: [String], credentials: String? = nil, authority: String? = nil
  ) throws(LogError) {
    var options: OpaquePointer?
    try check(natsOptions_Create(&options), "connect")
    defer { natsOptions_Destroy(options) }
    natsOptions_SetName(options, "georemind-fleet")
    natsOptions_SetMaxReconnect(options, -1)
    natsOptions_SetReconnectWait(options, 200)
    natsOptions_SetPingInterval(options, 2_000)
    natsOptions_SetMaxPingsOut(options, 2)
    natsOptions_SetTimeout(options, 2_000)
    if let credentials {
      try check(
        natsOptions_SetUserCredentialsFromFiles(options, credentials, nil), "read \(credentials)")
    }
    if let authority {
      try check(natsOptions_LoadCATrustedCertificates(options, authority), "read \(authority)")
    }
    let texts = addresses.map { strdup($0) }
    defer { for text in texts { free(text) } }
    var pointers = texts.map { UnsafePointer($0) }
    try check(natsOptions_SetServers(options, &pointers, Int32(pointers.count)), "read the address")
    var connection: OpaquePointer?
    try check(natsConnection_Connect(&connection, options), "connect")
    var context: OpaquePointer?
    try check(natsConnection_JetStream(&context, connection, nil), "use JetStream")
    guard let connection, let context else { throw LogError("there is no connection") }
    self.connection = connection
    self.context = context
  }

  deinit {
    jsCtx_Destroy(context)
    natsConnection_Destroy(connection)
  }

  static func stream(_ partition: Int) -> String { "GR\(partition)" }

  package func bounds(of partition: Int) throws(LogError) -> (first: UInt64, last: UInt64) {
    var options = jsOptions()
    jsOptions_Init(&options)
    options.Wait = 2_000
    var info: UnsafeMutablePointer<jsStreamInfo>?
    var code = jsErrCode(0)
    let stream = Self.stream(partition)
    try check(js_GetStreamInfo(&info, context, stream, &options, &code), "ask for \(stream)", code)
    defer { jsStreamInfo_Destroy(info) }
    guard let state = info?.pointee.State else { throw LogError("\(stream) has no state") }
    return (state.FirstSeq, state.LastSeq)
  }

  package func reader(
    of partition: Int, from start: UInt64
  ) throws(LogError) -> any LogReader {
    try JetStreamReader(self, partition, from: start)
  }

  package func tick(_ partition: Int) {
    _ = natsConnection_Publish(connection, "in.\(partition).\(LogMessage.clock)", nil, 0)
  }
}

/// A consumer in the memory of one server. If the server fails, another consumer takes its place.
private final class JetStreamReader: LogReader {
  private static let (batch, size): (Int32, Int64) = (512, 4 << 20)
  /// Nanoseconds: how long a request waits, and how often the server shows that it does.
  private static let (wait, heartbeat): (Int64, Int64) = (1_000_000_000, 400_000_000)

  private let connection: JetStream
  private let stream: String
  private var subscription: OpaquePointer?
  /// The number of the next message; nil before the first one.
  private var next: UInt64?
  /// The last fetch was full: more messages wait.
  private var isBehind = false

  init(_ connection: JetStream, _ partition: Int, from start: UInt64) throws(LogError) {
    self.connection = connection
    stream = JetStream.stream(partition)
    var options = jsSubOptions()
    jsSubOptions_Init(&options)
    // The database says how far the log is read. Messages that wait for an acknowledgement would
    // stop the consumer: at 1 000 of them, for libnats does not send a limit below 1.
    options.Config.AckPolicy = js_AckNone
    options.Config.MemoryStorage = true
    options.Config.Replicas = 1
    options.Config.InactiveThreshold = 10_000_000_000
    options.Config.DeliverPolicy = js_DeliverByStartSequence
    options.Config.OptStartSeq = start
    var code = jsErrCode(0)
    var subscription: OpaquePointer?
    let status = stream.withCString { name in
      options.Stream = name
      return js_PullSubscribe(
        &subscription, connection.context, "in.\(partition).>", nil, nil, &options, &code)
    }
    try check(status, "read \(stream)", code)
    self.subscription = subscription
  }

  deinit {
    natsSubscription_Unsubscribe(subscription)
    natsSubscription_Destroy(subscription)
  }

  func fetch() throws(LogError) -> [LogMessage] {
    var request = jsFetchRequest()
    var messages: [LogMessage] = []
    if !isBehind {
      // Waits for the first message, and takes all further ones without waiting.
      jsFetchRequest_Init(&request)
      request.Batch = 1
      request.Expires = Self.wait
      request.Heartbeat = Self.heartbeat
      try take(&request, into: &messages)
      guard !messages.isEmpty else { return [] }
    }
    jsFetchRequest_Init(&request)
    request.Batch = Self.batch
    request.MaxBytes = Self.size
    request.NoWait = true
    request.Expires = Self.wait
    try take(&request, into: &messages)
    isBehind = messages.count >= Self.batch
    return messages
  }

  private func take(
    _ request: inout jsFetchRequest, into messages: inout [LogMessage]
  ) throws(LogError) {
    var list = natsMsgList()
    let status = natsSubscription_FetchRequest(&list, subscription, &request)
    defer { natsMsgList_Destroy(&list) }
    if status == NATS_TIMEOUT { return }
    try check(status, "read \(stream)")
    for index in 0..<Int(list.Count) {
      guard let message = list.Msgs[index] else { continue }
      messages.append(try read(message))
    }
  }

  private func read(_ message: OpaquePointer) throws(LogError) -> LogMessage {
    var data: UnsafeMutablePointer<jsMsgMetaData>?
    try check(natsMsg_GetMetaData(&data, message), "read the number of a message")
    defer { jsMsgMetaData_Destroy(data) }
    guard let data = data?.pointee else { throw LogError("a message has no number") }
    // A stream has all numbers: where one is missing, this consumer has lost it.
    let sequence = data.Sequence.Stream
    guard next == nil || next == sequence else { throw LogError("a message is missing") }
    next = sequence + 1
    // The device is the last word of the subject.
    let subject = natsMsg_GetSubject(message)
    let name = subject.flatMap { strrchr($0, 0x2E) }.map { String(cString: $0 + 1) } ?? ""
    let bytes = UnsafeRawBufferPointer(
      start: natsMsg_GetData(message), count: max(0, Int(natsMsg_GetDataLength(message))))
    return LogMessage(
      sequence: sequence, time: Instant(microseconds: data.Timestamp / 1_000),
      device: name == LogMessage.clock ? nil : name, payload: Array(bytes))
  }
}

private func check(
  _ status: natsStatus, _ action: String, _ code: jsErrCode = jsErrCode(0)
) throws(LogError) {
  guard status != NATS_OK else { return }
  let reason = String(cString: natsStatus_GetText(status))
  throw LogError(
    "NATS: cannot \(action): \(reason)" + (code.rawValue == 0 ? "" : " (\(code.rawValue))"))
}
