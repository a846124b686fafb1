import Configuration
import Glibc

/// The address by which browsers and phones reach `georemind-web`, by the settings of this machine.
struct WebAddress {
  let settings: WebSettings

  init(_ context: Context) {
    let files = context.configurationFiles.reversed().filter { access($0, R_OK) == 0 }
    settings = files.lazy.compactMap { try? WebSettings(file: $0) }.first ?? WebSettings()
  }

  /// `http://192.168.1.5:8088`, with no slash at the end.
  var text: String { settings.address ?? "http://\(host):\(settings.listener.port)" }

  /// The address that the service listens at, or the machine's name where that is any.
  private var host: String {
    let host = settings.listener.host
    guard ["0.0.0.0", "::"].contains(host) else { return host.contains(":") ? "[\(host)]" : host }
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, 255) == 0 else { return host }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
