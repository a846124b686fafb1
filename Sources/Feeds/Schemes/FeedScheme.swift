/// One way to get positions: how its URLs are written, and which feed each of them makes.
///
/// A scheme is one file of this folder and one entry of `all`. What a feed of it does is in the
/// `FeedURL` that `parse` answers: how it opens, what silence means to it, whether its descriptor
/// goes to the next run, and how soon it is tried again.
package struct FeedScheme: Sendable {
  /// What its URLs begin with, in small letters; all of it where nothing may follow.
  let prefix: String
  /// All that may be written, for lists: `gpsd://host:2947[/dev/x]`.
  package let form: String
  /// The shortest useful text, for messages.
  let example: String
  let parse: @Sendable (FeedURLParts) throws(FeedURLError) -> FeedURL

  package static let all = [gpsd, serial, tcp, udp, unix, file, standardInput]

  /// The forms, with commas between them.
  package static let forms = all.map(\.form).joined(separator: ", ")

  static let examples =
    all.dropLast().map(\.example).joined(separator: ", ") + " or \(all[all.count - 1].example)"
}
