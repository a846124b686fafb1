/// A request of a phone as HTTP delivers it. Nothing in it is trusted.
package struct PhoneRequest: Sendable {
  package var method: String
  /// The sender; nil where it is unknown, and then has no lock-out.
  package var network: ClientNetwork?
  /// Path and query as they came, percent-encoded.
  package var target: [UInt8]
  /// The header `Authorization`.
  package var authorization: String?
  /// The headers `X-Limit-U` and `X-Limit-D` of OwnTracks.
  package var user: String?
  package var device: String?
  /// `Content-Length`, if the request has it.
  package var announcedLength: Int?
  package var body: [UInt8]

  package init(
    method: String, target: [UInt8], authorization: String? = nil, user: String? = nil,
    device: String? = nil, announcedLength: Int? = nil, body: [UInt8] = []
  ) {
    self.method = method
    self.target = target
    self.authorization = authorization
    self.user = user
    self.device = device
    self.announcedLength = announcedLength
    self.body = body
  }
}

/// The status and body of an answer.
package struct PhoneAnswer: Error, Equatable, Sendable {
  package let status: Int
  package let body: String
  /// Seconds until the sender may come again, after too many wrong tokens.
  package let retryAfter: Int?

  init(_ status: Int, _ body: String = "", retryAfter: Int? = nil) {
    self.status = status
    self.body = body
    self.retryAfter = retryAfter
  }

  /// Whether the request had the token, or needed none.
  package var isOfAuthorized: Bool {
    status != 401 && retryAfter == nil && self != .undecided
  }

  /// Nobody can say yet whether it is the token of a phone, which keeps its positions.
  package static let undecided = PhoneAnswer(503, "the daemon has not named the phones yet\n")

  /// The head of a request can be read in two ways.
  package static let badRequest = PhoneAnswer(400)
  /// The body of a request is too long.
  package static let tooLong = PhoneAnswer(413)
}
