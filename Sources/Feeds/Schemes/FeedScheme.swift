/// A kind of source: the form of its URLs and the feeds that they make.
///
/// A scheme is one file of this folder and one entry of `all`. The `FeedURL` that `parse` returns
/// has the feed's behaviour: opening, silence, handover and retries.
package struct FeedScheme: Sendable {
  /// Start of its URLs, in lower case; all of it where nothing may follow.
  let prefix: String
  /// All that may be written, for lists: `gpsd://host:2947[/dev/x]`.
  package let form: String
  /// The shortest useful text, for messages.
  let example: String
  let parse: @Sendable (FeedURLParts) throws(FeedURLError) -> FeedURL

  package static let all = [gpsd, serial, tcp, udp, unix, geoClue, file, standardInput]

  /// The forms, with commas between them.
  package static let forms = all.map(\.form).joined(separator: ", ")

  static let examples =
    all.dropLast().map(\.example).joined(separator: ", ") + " or \(all[all.count - 1].example)"
}
