import CMicroHTTPD
import JSONText
import LinuxRuntime
import Phones

/// Requests of browsers: an answer may come later, and one has no end.
extension HTTPServer {
  /// Of every answer to a browser. Images may come from one other host, which the settings name.
  private var headers: [[String]] {
    let host = map?.imageHost.map { " https://\($0)" } ?? ""
    return [
      [
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; "
          + "img-src 'self' data: blob:\(host); connect-src 'self'; manifest-src 'self'; "
          + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      ],
      ["X-Content-Type-Options", "nosniff"], ["Referrer-Policy", "no-referrer"],
      ["Cross-Origin-Resource-Policy", "same-origin"],
    ]
  }

  /// The head of a request. A refused request is not read on, unless it has no body.
  func begin(
    _ page: PageRequest, _ exchange: HTTPExchange, _ connection: OpaquePointer
  ) -> MHD_Result {
    let refusal = map?.refusal(page, announced: exchange.request.announcedLength)
    if let refusal, page.method == "POST" { return send(refusal, page, connection) }
    exchange.pageAnswer = refusal
    return .YES
  }

  /// The end of a request, and again once it has an answer.
  func advance(
    _ page: PageRequest, _ exchange: HTTPExchange, _ connection: OpaquePointer
  ) -> MHD_Result {
    if let answer = exchange.pageAnswer { return send(answer, page, connection) }
    guard !exchange.isTooLong else { return send(PageAnswer(413), page, connection) }
    connections.beginAnswer(connection)
    if PageRoute(page.path) == .events {
      guard let session = map?.session(forEvents: page) else {
        return send(PageAnswer(page.method == "GET" ? 503 : 405), page, connection)
      }
      return stream(page, session, connection)
    }
    var isLater = false
    map?.answer(page) { [weak self] answer in
      exchange.pageAnswer = answer
      guard isLater else { return }
      MHD_resume_connection(connection)
      self?.turn?.again()
    }
    if let answer = exchange.pageAnswer { return send(answer, page, connection) }
    isLater = true
    MHD_suspend_connection(connection)
    return .YES
  }

  private func send(
    _ answer: PageAnswer, _ page: PageRequest, _ connection: OpaquePointer
  ) -> MHD_Result {
    let isGood = page.token != nil && ![401, 403, 421].contains(answer.status)
    return send(answer, connection, isAuthorized: isGood)
  }

  func send(
    _ answer: PageAnswer, _ connection: OpaquePointer, isAuthorized: Bool
  ) -> MHD_Result {
    connections.judge(connection, isAuthorized: isAuthorized)
    let response = answer.body.withUnsafeBytes {
      MHD_create_response_from_buffer(
        $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
    }
    guard let response else { return .NO }
    defer { MHD_destroy_response(response) }
    var headers = self.headers + answer.headers
    if !answer.body.isEmpty { headers.append(["Content-Type", answer.type]) }
    if !headers.contains(where: { $0[0] == "Cache-Control" }) {
      headers.append(["Cache-Control", "no-store"])
    }
    for header in headers { MHD_add_response_header(response, header[0], header[1]) }
    return MHD_queue_response(connection, UInt32(answer.status), response)
  }

  private func stream(
    _ page: PageRequest, _ session: LinkSession, _ connection: OpaquePointer
  ) -> MHD_Result {
    let stream = EventStream(connection) { [weak self] in self?.turn?.again() }
    let response = MHD_create_response_from_callback(
      UInt64.max, 4_096,
      { context, _, buffer, count in
        guard let context, let buffer else { return -1 }
        let stream = Unmanaged<EventStream>.fromOpaque(context).takeUnretainedValue()
        return stream.read(UnsafeMutableRawBufferPointer(start: buffer, count: count))
      }, Unmanaged.passRetained(stream).toOpaque(),
      { context in
        guard let context else { return }
        Unmanaged<EventStream>.fromOpaque(context).takeRetainedValue().closed()
      })
    guard let response else { return .NO }
    defer { MHD_destroy_response(response) }
    for header in headers { MHD_add_response_header(response, header[0], header[1]) }
    MHD_add_response_header(response, "Content-Type", "text/event-stream")
    MHD_add_response_header(response, "Cache-Control", "no-store")
    connections.judge(connection, isAuthorized: true)
    let result = MHD_queue_response(connection, 200, response)
    session.add(stream, after: (page.lastEvent ?? page.argument("after")).flatMap { Int($0) })
    return result
  }
}
