extension String {
  /// Whether it is printable ASCII alone, as most text is: it stays as it is, a column a byte.
  private var isPlain: Bool { utf8.allSatisfy { 0x20...0x7E ~= $0 } }

  /// The text on one line, without control and formatting characters.
  package var printable: String {
    if isPlain { return self }
    var text = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: text.append(" ")
      case .format where scalar.value != 0x200D: continue
      default: text.append(scalar)
      }
    }
    return String(text)
  }

  /// Columns it takes on a terminal; wide characters (East Asian, emoji) take two.
  package var columns: Int {
    isPlain ? utf8.count : wideColumns
  }

  private var wideColumns: Int {
    reduce(0) { width, character in
      guard let first = character.unicodeScalars.first else { return width }
      switch first.properties.generalCategory {
      case .nonspacingMark, .enclosingMark, .format: return width
      default: return width + (Self.isWide(first.value) ? 2 : 1)
      }
    }
  }

  /// After Unicode Standard Annex 11, by blocks.
  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
      0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF,
      0x20000...0x3FFFD:
      true
    default: false
    }
  }
}

extension Substring {
  /// As of String.
  package var printable: String { String(self).printable }
}
