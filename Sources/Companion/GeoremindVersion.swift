/// The version of all programs of the project; they are built and installed together.
package enum GeoremindVersion {
  package static let text = "0.1.0"
}
