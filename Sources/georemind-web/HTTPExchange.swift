import CMicroHTTPD
import Phones

/// One request under way in libmicrohttpd, from its first line to its end.
final class HTTPExchange {
  /// Bytes of a body that are read for the sake of an answer, before the connection ends.
  private static let maximumWaste = 1 << 20

  var request: PhoneRequest
  /// The request of a browser, below `/map/`; nil for a phone.
  private(set) var page: PageRequest?
  /// The request of a phone's page, below `/phone/`; nil for others.
  private(set) var phonePage: PhonePageRequest?
  /// The answer to it, once there is one.
  var pageAnswer: PageAnswer?
  private(set) var hasHead = false
  private(set) var isTooLong = false
  /// False where two readers could find different ends of the request.
  private(set) var isPlain = true
  private var received = 0

  /// - Parameter target: path and query as they came.
  init(target: [UInt8]) { request = PhoneRequest(method: "", target: target) }

  /// Reads what a decision needs of the head.
  func readHead(_ connection: OpaquePointer, method: String, network: ClientNetwork?) {
    func header(_ name: String) -> String? {
      MHD_lookup_connection_value(connection, .HEADER_KIND, name)
        .map { String(cString: $0) }
    }
    hasHead = true
    request.method = method
    request.network = network
    request.authorization = header("Authorization")
    request.user = header("X-Limit-U")
    request.device = header("X-Limit-D")
    request.announcedLength = header("Content-Length").map { Int($0) ?? .max }
    isPlain = RequestFraming(connection).isPlain
    phonePage = PhonePageRequest(request, knownTag: header("If-None-Match"))
    page = PageRequest(method: method, target: request.target)
    page?.host = header("Host")
    page?.origin = header("Origin")
    page?.fetchSite = header("Sec-Fetch-Site")
    page?.contentType = header("Content-Type")
    page?.cookie = header("Cookie")
    page?.authorization = request.authorization
    page?.lastEvent = header("Last-Event-ID")
    page?.knownTag = header("If-None-Match")
  }

  /// Adds a piece of the body; false to end the connection.
  func add(_ piece: UnsafeRawBufferPointer) -> Bool {
    received += piece.count
    if received > PhoneReceiver.maximumBody {
      isTooLong = true
      request.body = []
    }
    if !isTooLong { request.body.append(contentsOf: piece) }
    return received <= Self.maximumWaste
  }

  /// The whole request of a browser.
  var wholePage: PageRequest? {
    var page = page
    page?.body = request.body
    return page
  }
}
