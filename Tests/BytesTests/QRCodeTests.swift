import Bytes
import Glibc
import TestSupport
import Testing

@Suite struct QRCodeTests {
  @Test func aTextThatIsTooLongHasNone() {
    #expect(QRCode(String(repeating: "x", count: 458)) != nil)
    #expect(QRCode(String(repeating: "x", count: 459)) == nil)
  }

  /// Debian's zbarimg reads what is drawn, at each version.
  @Test(.enabled(if: access("/usr/bin/zbarimg", X_OK) == 0, "zbar-tools is not installed"))
  func anotherProgramReadsIt() throws {
    let limits = [17, 32, 53, 78, 106, 134, 154, 192, 230, 271, 321, 367, 425, 458]
    for count in [1, 18] + limits {
      let text = String((0..<count).map { Character(UnicodeScalar(UInt8(97 + $0 % 26))) })
      let code = try #require(QRCode(text))
      let side = code.size + 8
      var image = "P1\n\(side * 4) \(side * 4)\n"
      for row in 0..<side * 4 {
        for column in 0..<side * 4 {
          let (y, x) = (row / 4 - 4, column / 4 - 4)
          let isInside = (0..<code.size).contains(y) && (0..<code.size).contains(x)
          image += isInside && code.isDark(row: y, column: x) ? "1 " : "0 "
        }
        image += "\n"
      }
      let folder = try TemporaryFolder()
      let file = try folder.file("code.pbm", image)
      let pipe = try #require(popen("zbarimg -q --raw \(file)", "r"))
      defer { pclose(pipe) }
      var line = [CChar](repeating: 0, count: 512)
      _ = fgets(&line, 512, pipe)
      let read = line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
      #expect(String(decoding: read, as: UTF8.self) == text)
    }
  }
}
