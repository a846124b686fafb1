import Companion

/// One line of a page on a terminal: pieces of text, each in its manner.
struct PageLine: Equatable {
  enum Style {
    case plain
    case strong
    case faint
    case alarm

    /// Select Graphic Rendition (ECMA-48 section 8.3.117).
    fileprivate var code: String {
      switch self {
      case .plain: ""
      case .strong: "1"
      case .faint: "2"
      case .alarm: "1;31"
      }
    }
  }

  struct Piece: Equatable {
    var text: String
    var style: Style
  }

  private(set) var pieces: [Piece] = []

  init() {}

  init(_ text: String, _ style: Style = .plain) { append(text, style) }

  /// Control characters are made harmless here, whatever the text came from.
  mutating func append(_ text: String, _ style: Style = .plain) {
    if !text.isEmpty { pieces.append(Piece(text: text.printable, style: style)) }
  }

  mutating func append(_ line: PageLine) { pieces += line.pieces }

  var columns: Int { pieces.reduce(0) { $0 + $1.text.columns } }

  /// The text without styles.
  var text: String { pieces.map(\.text).joined() }

  /// The line with a terminal's control sequences.
  func rendered(color: Bool) -> String {
    guard color else { return text }
    return pieces.map { piece in
      piece.style == .plain
        ? piece.text : "\u{1B}[\(piece.style.code)m\(piece.text)\u{1B}[0m"
    }.joined()
  }

  /// The line cut to a width; a cut line ends in an ellipsis.
  func clipped(to width: Int) -> PageLine {
    guard columns > width else { return self }
    var line = PageLine()
    var room = max(0, width - 1)
    for piece in pieces {
      let part = piece.text.prefix(columns: room)
      line.append(part, piece.style)
      room -= part.columns
      guard part.count == piece.text.count else { break }
    }
    if width > 0 { line.append("…", pieces.last?.style ?? .plain) }
    return line
  }

  /// The line cut or padded to exactly this width.
  func filled(to width: Int) -> PageLine {
    var line = clipped(to: width)
    line.append(String(repeating: " ", count: max(0, width - line.columns)))
    return line
  }
}

extension String {
  /// The longest prefix that fits into a number of columns, without half a wide character.
  func prefix(columns width: Int) -> String {
    var used = 0
    var end = startIndex
    for index in indices {
      used += String(self[index]).columns
      guard used <= width else { break }
      end = self.index(after: index)
    }
    return String(self[..<end])
  }
}
