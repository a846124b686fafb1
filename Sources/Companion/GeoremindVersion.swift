/// The version of the project, in its one place: packages and releases read it here
/// (Tools/release/version.sh).
package enum GeoremindVersion {
  package static let text = "1.0.0"
}
