/// Reading packets, by the sections of the standards.
extension LoopBroker {
  /// Section 3.1: protocol name and level, flags, keep-alive, then the texts that the flags say.
  func readConnect(_ body: inout ArraySlice<UInt8>) -> Connect {
    var connect = Connect()
    _ = readText(&body)
    connect.version = body.first ?? 0
    let flags = body.dropFirst().first ?? 0
    body = body.dropFirst(2)
    connect.keepAlive = body.prefix(2).reduce(0) { $0 << 8 | UInt16($1) }
    body = body.dropFirst(2)
    connect.isClean = flags & 2 != 0
    if connect.version == 5 {
      let properties = readProperties(&body)
      (connect.receiveMaximum, connect.maximumPacket) = (properties[33], properties[39])
    }
    connect.client = readText(&body)
    if flags & 4 != 0 {
      if connect.version == 5 { _ = readProperties(&body) }
      connect.will = Publication(
        topic: readText(&body), payload: readText(&body), isRetained: flags & 0x20 != 0,
        quality: (flags >> 3) & 3)
    }
    if flags & 0x80 != 0 { connect.user = readText(&body) }
    if flags & 0x40 != 0 { connect.password = readText(&body) }
    return connect
  }

  /// Section 2.2.2 of MQTT 5, of the numbers that this client sends: 33 has two bytes, 39 four.
  func readProperties(_ body: inout ArraySlice<UInt8>) -> [UInt8: Int] {
    let length = Int(body.first ?? 0)
    body = body.dropFirst()
    var rest = body.prefix(length)
    body = body.dropFirst(length)
    var values: [UInt8: Int] = [:]
    while let key = rest.popFirst() {
      let size = key == 33 ? 2 : 4
      values[key] = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(size)
    }
    return values
  }

  func readText(_ body: inout ArraySlice<UInt8>) -> String {
    let length = body.prefix(2).reduce(0) { $0 << 8 | Int($1) }
    body = body.dropFirst(2)
    defer { body = body.dropFirst(length) }
    return String(decoding: body.prefix(length), as: UTF8.self)
  }
}
