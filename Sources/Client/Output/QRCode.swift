/// A QR code of a short text (ISO/IEC 18004): versions 1 to 5 at level L, which have one block.
///
///     QRCode("https://example.org")?.isDark(row: 0, column: 0)  // true
package struct QRCode {
  /// Codewords of the data and of the correction, by version.
  private static let capacities = [(19, 7), (34, 10), (55, 15), (80, 20), (108, 26)]
  /// Level L and mask 0, with their BCH code and mask (ISO/IEC 18004, annex C).
  private static let format = 0b111_0111_1100_0100

  /// Modules of a side.
  package let size: Int
  private var dark: [Bool]
  /// Modules of patterns, which hold no data.
  private var isFixed: [Bool]

  /// Nil for a text of more than 106 bytes.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard let index = Self.capacities.firstIndex(where: { bytes.count + 2 <= $0.0 }) else {
      return nil
    }
    let (count, correction) = Self.capacities[index]
    size = 21 + 4 * index
    dark = [Bool](repeating: false, count: size * size)
    isFixed = dark
    placePatterns(version: index + 1)
    // Mode 4 (bytes), the number of bytes, the bytes, and a terminator: all shifted by four bits.
    var data = [UInt8(0x40 | bytes.count >> 4)]
    for (last, next) in zip([UInt8(bytes.count)] + bytes, bytes + [0]) {
      data.append(last << 4 | next >> 4)
    }
    var filler: UInt8 = 0xEC
    while data.count < count {
      data.append(filler)
      filler ^= 0xEC ^ 0x11
    }
    place(data + Self.remainder(of: data, count: correction))
  }

  package func isDark(row: Int, column: Int) -> Bool { dark[row * size + column] }

  private mutating func set(_ row: Int, _ column: Int, _ isDark: Bool) {
    guard (0..<size).contains(row), (0..<size).contains(column) else { return }
    dark[row * size + column] = isDark
    isFixed[row * size + column] = true
  }

  private mutating func placePatterns(version: Int) {
    for index in 8..<size - 8 {
      set(6, index, index % 2 == 0)
      set(index, 6, index % 2 == 0)
    }
    for (row, column) in [(3, 3), (3, size - 4), (size - 4, 3)] { placeSquares(row, column, 4) }
    if version > 1 { placeSquares(size - 7, size - 7, 2) }
    for bit in 0..<15 {
      let isDark = Self.format >> bit & 1 == 1
      set(bit < 6 ? bit : bit < 8 ? bit + 1 : size - 15 + bit, 8, isDark)
      set(8, bit < 8 ? size - 1 - bit : bit < 9 ? 7 : 14 - bit, isDark)
    }
    set(size - 8, 8, true)
  }

  /// Squares around a dark module: the third is light, so is a fifth, the separator.
  private mutating func placeSquares(_ row: Int, _ column: Int, _ reach: Int) {
    for y in -reach...reach {
      for x in -reach...reach {
        let ring = max(abs(x), abs(y))
        set(row + y, column + x, reach == 4 ? ring != 2 && ring != 4 : ring != 1)
      }
    }
  }

  /// Upward and downward in pairs of columns from the right, past the vertical timing pattern.
  private mutating func place(_ codewords: [UInt8]) {
    var bit = 0
    for pair in stride(from: size - 1, to: 0, by: -2) {
      let right = pair <= 6 ? pair - 1 : pair
      let isUpward = (size - 1 - pair) / 2 % 2 == 0
      for step in 0..<size {
        let row = isUpward ? size - 1 - step : step
        for column in [right, right - 1] where !isFixed[row * size + column] {
          let value = bit / 8 < codewords.count && codewords[bit / 8] >> (7 - bit % 8) & 1 == 1
          dark[row * size + column] = value != ((row + column) % 2 == 0)
          bit += 1
        }
      }
    }
  }

  // MARK: - Correction

  /// The remainder of Reed and Solomon: of the data by the product of (x − 2ⁱ) over GF(2⁸).
  private static func remainder(of data: [UInt8], count: Int) -> [UInt8] {
    var generator: [UInt8] = [1]
    var root: UInt8 = 1
    for _ in 0..<count {
      generator.append(0)
      for index in stride(from: generator.count - 1, to: 0, by: -1) {
        generator[index] ^= product(generator[index - 1], root)
      }
      root = product(root, 2)
    }
    var rest = data + [UInt8](repeating: 0, count: count)
    for start in data.indices {
      let factor = rest[start]
      for (index, value) in generator.enumerated() { rest[start + index] ^= product(value, factor) }
    }
    return Array(rest.suffix(count))
  }

  /// In GF(2⁸) modulo x⁸ + x⁴ + x³ + x² + 1.
  private static func product(_ a: UInt8, _ b: UInt8) -> UInt8 {
    (0..<8).reversed().reduce(0) { sum, bit in
      (sum << 1 ^ (sum >> 7) * 0x1D) ^ (b >> bit & 1) * a
    }
  }
}

extension QRCode {
  /// Lines for a terminal, with the quiet zone: black on white whatever its colours are. Each
  /// character has two rows.
  package var lines: [String] {
    func isLight(_ row: Int, _ column: Int) -> Bool {
      guard (0..<size).contains(row), (0..<size).contains(column) else { return true }
      return !isDark(row: row, column: column)
    }
    return stride(from: -2, to: size + 2, by: 2).map { row in
      let blocks = (-2..<size + 2).map { column in
        switch (isLight(row, column), isLight(row + 1, column)) {
        case (true, true): " "
        case (true, false): "▄"
        case (false, true): "▀"
        case (false, false): "█"
        }
      }
      return "\u{1B}[30;107m\(blocks.joined())\u{1B}[0m"
    }
  }
}
