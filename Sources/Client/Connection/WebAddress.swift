import Configuration
import Glibc

/// The address by which browsers and phones reach `georemind-web`, by the settings of this machine.
struct WebAddress {
  let settings: WebSettings

  init(_ context: Context) {
    // Of a folder of drop-ins alone, the main file is missing.
    let all = context.configurationFiles.reversed().compactMap {
      try? WebSettings(file: $0, mayBeMissing: true)
    }
    // A user's own file that says nothing of it hides no setting of the system.
    settings = all.first { $0 != WebSettings() } ?? WebSettings()
  }

  /// `http://192.168.1.5:8088`, with no slash at the end.
  var text: String { settings.address ?? "http://\(host):\(settings.listener.port)" }

  /// The same by the number of this machine, where `text` has its name; nil where it has none.
  var numeric: String? {
    guard settings.address == nil, isAny, let number = Self.ownNumber else { return nil }
    return "http://\(number):\(settings.listener.port)"
  }

  private var isAny: Bool { ["0.0.0.0", "::"].contains(settings.listener.host) }

  /// The address that the service listens at, or the machine's name where that is any.
  private var host: String {
    let host = settings.listener.host
    guard isAny else { return host.contains(":") ? "[\(host)]" : host }
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, 255) == 0 else { return host }
    return Self.string(name)
  }

  /// The first IPv4 address of an interface that is up, apart from the loopback.
  private static var ownNumber: String? {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return nil }
    defer { freeifaddrs(list) }
    var next = list
    while let interface = next?.pointee {
      next = interface.ifa_next
      guard let address = interface.ifa_addr,
        address.pointee.sa_family == UInt16(AF_INET),
        interface.ifa_flags & UInt32(IFF_UP) != 0,
        interface.ifa_flags & UInt32(IFF_LOOPBACK) == 0
      else { continue }
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let size = socklen_t(MemoryLayout<sockaddr_in>.size)
      if getnameinfo(address, size, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 {
        return string(text)
      }
    }
    return nil
  }

  private static func string(_ text: [CChar]) -> String {
    String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Notes the other address, for a network that does not know the machine's name.
  func noteNumber(_ context: Context) throws {
    guard let numeric else { return }
    try context.note("where the name is not known, put \(numeric) in its place")
  }
}
