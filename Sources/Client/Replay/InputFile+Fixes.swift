import CivilTime
import Companion
import Interchange
import Positioning

extension InputFile {
  /// Reads the fixes of a recording or a receiver's line to the end, and notes the progress.
  /// - Parameters:
  ///   - zone: of GPX times without one.
  ///   - body: gets the fixes as they come, and whether they are track points of GPX.
  /// - Returns: a GPX file's content; nil for sentences and reports.
  func readFixes(
    with decoder: inout FixDecoder, zone: TimeZoneRules, _ context: Context,
    _ body: @escaping ([Fix], _ isTrack: Bool) throws -> Void
  ) throws -> GPXTrack.Content? {
    var progress = ProgressNote(context: context, input: self)
    var fixes: [Fix] = []
    var chunk = [UInt8](repeating: 0, count: Self.chunkSize)
    func hand() throws {
      try body(fixes, false)
      fixes.removeAll(keepingCapacity: true)
    }
    var isFirst = true
    while true {
      // Only a receiver's line falls silent between bursts; a pipe may stall anywhere.
      if isDevice, decoder.hasOpenEpoch, !wait(milliseconds: 200) {
        decoder.quiet(into: &fixes)
        try hand()
      }
      let count = try read(into: &chunk)
      guard count > 0 else { break }
      if isFirst, GPXTrack.resemblesXML(chunk[..<count]) {
        putBack(Array(chunk[..<count]))
        let track = try GPXTrack.read(name: name, zone: zone) {
          Array(chunk[..<(try self.read(into: &chunk))])
        } _: { fix in
          try body([fix], true)
          try progress.update(self.bytesRead)
        }
        try progress.finish()
        if let note = track.note { try context.note(note) }
        return track
      }
      isFirst = false
      decoder.consume(chunk.span.extracting(0..<count), into: &fixes)
      try hand()
      try progress.update(bytesRead)
    }
    decoder.finish(into: &fixes)
    try hand()
    try progress.finish()
    return nil
  }
}
