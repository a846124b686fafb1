import Glibc

/// Decides whether a browser's request is let through, by its head.
///
/// The checks come in this order: the name it calls, the link, the page that sent it.
struct PageAccess {
  /// Names by which the service may be called, besides addresses: a foreign name is a page of
  /// another site whose name was made to mean this machine (DNS rebinding).
  private let names: Set<String>

  init(names: [String]) {
    var host = [CChar](repeating: 0, count: 256)
    gethostname(&host, 255)
    let own = String(
      decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self
    ).lowercased()
    self.names = Set(names + ["localhost", own, "\(own).local"])
  }

  /// The refusal; nil for a request that may go on. A link is checked by the daemon.
  func refusal(_ request: PageRequest) -> PageAnswer? {
    guard isOwn(request.host) else {
      return PageAnswer(
        421, error: "ForeignHost", says: "This name is not one of the map: set Name= in [Web].")
    }
    guard ["GET", "POST", "DELETE"].contains(request.method) else { return PageAnswer(405) }
    let isSession = request.path == "session"
    guard PageRoute(request.path).isPublic || isSession || request.token != nil else {
      return .noLink
    }
    guard request.method != "GET" else { return nil }
    guard request.bearer != nil || isFromHere(request) else {
      return PageAnswer(403, error: "ForeignPage", says: "Another page has sent this.")
    }
    return nil
  }

  private func isOwn(_ host: String?) -> Bool {
    guard let host = host?.lowercased() else { return false }
    if host.hasPrefix("[") { return host.contains("]") }
    let name = String(host.prefix { $0 != ":" })
    var address = in_addr()
    return names.contains(name) || inet_pton(AF_INET, name, &address) == 1
  }

  /// Browsers name the origin of each change; a form of another page cannot send JSON.
  private func isFromHere(_ request: PageRequest) -> Bool {
    guard let host = request.host else { return false }
    if let site = request.fetchSite, site != "same-origin" { return false }
    let isSame = ["http://\(host)", "https://\(host)"].contains(request.origin ?? "")
    guard isSame || request.origin == nil && request.fetchSite == "same-origin" else {
      return false
    }
    let type = request.contentType?.prefix { $0 != ";" }.lowercased()
    return request.method == "DELETE" || type == "application/json"
  }
}
