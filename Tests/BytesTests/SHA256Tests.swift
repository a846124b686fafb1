import Bytes
import Testing

/// The vectors of FIPS 180-4 and of NIST's SHA256ShortMsg, and each length of a padding.
@Suite struct SHA256Tests {
  private func hex(_ bytes: [UInt8]) -> String {
    SHA256.digest(bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func agreesWithTheStandard(message: String, digest: String) {
    #expect(hex(Array(message.utf8)) == digest)
  }

  /// The hash of all hashes, computed with Python's hashlib.
  @Test func agreesAtEachLength() {
    let all = (0...200).flatMap { SHA256.digest([UInt8](repeating: UInt8($0), count: $0)) }
    #expect(hex(all) == "29b8bfb16048ea8637507378655acc7e2a9885f925dd36246a6018f158034601")
  }
}
