/// The formats that places are read from.
package enum PlaceFormat: String, CaseIterable, Sendable {
  case gpx, kml, kmz, csv, osm, overpass, json
  case geoJSON = "geojson"
  case ownTracks = "otrw"
}

/// Files of places: all formats, by their content.
package enum PlaceFile {
  package struct Report: Equatable, Sendable {
    package let format: PlaceFormat
    /// Places found and passed to `body`.
    package internal(set) var taken = 0
    /// Things that are no place, in all, and the first hundred of them.
    package internal(set) var refused = 0
    package internal(set) var refusals: [Refusal] = []
    /// An assumption about the whole file.
    package internal(set) var notice: String?
  }

  /// Reads a source and passes each place to `body`. Memory does not grow with the file, except for
  /// a KMZ archive, which is held packed.
  ///
  /// On an error the caller must discard the places passed before.
  /// - Throws: `InterchangeError` for the file, or the error of `body`.
  package static func read(
    _ source: ByteSource, as format: PlaceFormat, _ body: @escaping (PlaceEntry) throws -> Void
  ) throws -> Report {
    let sink = PlaceSink(format, body)
    do throws(InterchangeError) {
      try read(source, format, sink)
    } catch {
      throw sink.bodyError ?? error
    }
    return sink.report
  }

  private static func read(
    _ source: ByteSource, _ format: PlaceFormat, _ sink: PlaceSink
  ) throws(InterchangeError) {
    switch format {
    case .gpx: try XMLReader.read(source, GPXReader(sink))
    case .kml: try XMLReader.read(source, KMLReader(sink))
    case .osm: try XMLReader.read(source, OSMReader(sink))
    case .kmz: try readArchive(source, sink)
    case .geoJSON, .ownTracks, .overpass, .json: try JSONPlaceReader(sink).read(source)
    case .csv:
      try CSVReader(sink, head: source.peek(FileKind.headSize)).read(source)
    }
  }

  /// `doc.kml` counts, or else the first KML file of the archive (OGC 12-007r2, annex C).
  private static func readArchive(
    _ source: ByteSource, _ sink: PlaceSink
  ) throws(InterchangeError) {
    let bytes = try source.readAll(limit: ZipArchive.largestArchive)
    let unpacker: Unpacker
    let name: String
    do throws(Fault) {
      let archive = try ZipArchive(bytes)
      let files = archive.entries.filter { $0.name.lowercased().hasSuffix(".kml") }
      guard let entry = files.first(where: { $0.name.lowercased() == "doc.kml" }) ?? files.first
      else { throw Fault("the archive has no .kml file in it") }
      name = "\(source.name)/\(entry.name)"
      unpacker = try archive.open(entry)
    } catch {
      throw error.error(in: source.name, at: nil)
    }
    try XMLReader.read(name: name, KMLReader(sink)) { () throws(InterchangeError) in
      do throws(Fault) {
        return try unpacker.next()
      } catch {
        throw error.error(in: name, at: nil)
      }
    }
  }
}
