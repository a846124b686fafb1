/// A QR code of a text (ISO/IEC 18004): versions 1 to 14 at level L. A larger one does not fit into
/// the 80 columns of a terminal.
///
///     QRCode("https://example.org")?.isDark(row: 0, column: 0)  // true
package struct QRCode {
  /// By version: codewords of data, codewords of correction of a block, blocks.
  private static let capacities = [
    (19, 7, 1), (34, 10, 1), (55, 15, 1), (80, 20, 1), (108, 26, 1), (136, 18, 2), (156, 20, 2),
    (194, 24, 2), (232, 30, 2), (274, 18, 4), (324, 20, 4), (370, 24, 4), (428, 26, 4),
    (461, 30, 4),
  ]
  /// Level L and mask 0, with their BCH code and mask (ISO/IEC 18004, annex C).
  private static let format = 0b111_0111_1100_0100

  /// Modules of a side.
  package let size: Int
  private var dark: [Bool]
  /// Modules of patterns, which hold no data.
  private var isFixed: [Bool]

  /// Nil for a text of more than 458 bytes.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    // The number of bytes takes one byte up to version 9, and two from there on.
    let fitting = Self.capacities.indices.first {
      bytes.count + ($0 < 9 ? 2 : 3) <= Self.capacities[$0].0
    }
    guard let index = fitting else { return nil }
    let (count, correction, blocks) = Self.capacities[index]
    size = 21 + 4 * index
    dark = [Bool](repeating: false, count: size * size)
    isFixed = dark
    placePatterns(version: index + 1)
    // Mode 4 (bytes), the number of bytes, the bytes, and a terminator: all shifted by four bits.
    let length = (index < 9 ? [bytes.count] : [bytes.count >> 8, bytes.count & 0xFF])
    let stream = length.map { UInt8($0) } + bytes + [0]
    var data = [0x40 | stream[0] >> 4]
    for (last, next) in zip(stream, stream.dropFirst()) { data.append(last << 4 | next >> 4) }
    var filler: UInt8 = 0xEC
    while data.count < count {
      data.append(filler)
      filler ^= 0xEC ^ 0x11
    }
    place(Self.interleaved(data, blocks: blocks, correction: correction))
  }

  /// The first codeword of each block, the second of each, and so on; then the corrections in the
  /// same way. The last blocks have one codeword more where the number is not divisible.
  private static func interleaved(_ data: [UInt8], blocks: Int, correction: Int) -> [UInt8] {
    let short = data.count / blocks
    let firstLong = blocks - data.count % blocks
    let parts = (0..<blocks).map { block in
      let start = block * short + max(0, block - firstLong)
      return Array(data[start..<start + short + (block >= firstLong ? 1 : 0)])
    }
    let corrections = parts.map { remainder(of: $0, count: correction) }
    return [parts, corrections].flatMap { columns in
      (0..<(columns.last?.count ?? 0)).flatMap { index in
        columns.compactMap { index < $0.count ? $0[index] : nil }
      }
    }
  }

  /// Rows from the top, each with `1` for a dark module and `0` for a light one.
  package var rows: [String] {
    (0..<size).map { row in
      String((0..<size).map { isDark(row: row, column: $0) ? "1" : "0" })
    }
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
    if version > 1 { placeAlignments(count: version / 7 + 2) }
    if version >= 7 { place(version: version) }
    for bit in 0..<15 {
      let isDark = Self.format >> bit & 1 == 1
      set(bit < 6 ? bit : bit < 8 ? bit + 1 : size - 15 + bit, 8, isDark)
      set(8, bit < 8 ? size - 1 - bit : bit < 9 ? 7 : 14 - bit, isDark)
    }
    set(size - 8, 8, true)
  }

  /// Small squares in a raster, but for the three large ones (annex E).
  private mutating func placeAlignments(count: Int) {
    let centres = (0..<count).map { 6 + $0 * (size - 13) / (count - 1) }
    let large = [[6, 6], [6, size - 7], [size - 7, 6]]
    for row in centres {
      for column in centres where !large.contains([row, column]) { placeSquares(row, column, 2) }
    }
  }

  /// The version and its BCH code, twice (annex D).
  private mutating func place(version: Int) {
    var rest = version << 12
    for bit in stride(from: 17, through: 12, by: -1) where rest >> bit & 1 == 1 {
      rest ^= 0x1F25 << (bit - 12)
    }
    let code = version << 12 | rest
    for bit in 0..<18 {
      let isDark = code >> bit & 1 == 1
      set(size - 11 + bit % 3, bit / 3, isDark)
      set(bit / 3, size - 11 + bit % 3, isDark)
    }
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
