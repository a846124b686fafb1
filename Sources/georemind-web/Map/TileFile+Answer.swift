import BaseMap

extension TileFile {
  /// The answer to a browser.
  /// - Parameter name: `Z/X/Y`.
  func answer(_ name: String, _ request: PageRequest) -> PageAnswer {
    let numbers = name.split(separator: "/", omittingEmptySubsequences: false).map {
      $0.utf8.allSatisfy { (48...57).contains($0) } ? Int($0) ?? -1 : -1
    }
    guard numbers.count == 3, (0...Self.maximumZoom).contains(numbers[0]),
      numbers[1...].allSatisfy({ (0..<1 << numbers[0]).contains($0) })
    else { return PageAnswer(404) }
    guard let bytes = tile(zoom: numbers[0], column: numbers[1], row: numbers[2]) else {
      // No error: a browser would complain of each tile beyond the region.
      var answer = PageAnswer(204)
      answer.headers = [["Cache-Control", "max-age=3600"]]
      return answer
    }
    var answer = PageAnswer(request.knownTag == tag ? 304 : 200)
    answer.headers = [["Cache-Control", "private, max-age=604800"], ["ETag", tag]]
    if answer.status == 200 { answer.body = bytes }
    if bytes.starts(with: [0x1F, 0x8B]) { answer.headers.append(["Content-Encoding", "gzip"]) }
    answer.type = isVector ? "application/x-protobuf" : Self.imageType(of: bytes)
    return answer
  }

  private static func imageType(of bytes: [UInt8]) -> String {
    if bytes.starts(with: [0x89, 0x50]) { return "image/png" }
    return bytes.starts(with: [0xFF, 0xD8]) ? "image/jpeg" : "image/webp"
  }
}
