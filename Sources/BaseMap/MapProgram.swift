/// The map of a page: one for the live page and the report. The scripts come in this order.
package enum MapProgram {
  /// Draws vector tiles.
  package static var vector: [UInt8] { PackageResources.vector_js }
  /// Draws tiles and what lies above them, and follows hands.
  package static var map: [UInt8] { PackageResources.map_js }
  /// Decodes a track and plays it.
  package static var track: [UInt8] { PackageResources.track_js }
  package static var style: [UInt8] { PackageResources.map_css }
}
