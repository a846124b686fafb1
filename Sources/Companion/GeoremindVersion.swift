/// The version of the project, in its one place. Tools/release/version.sh reads it for packages.
package enum GeoremindVersion {
  package static let text = "1.0.0"
}
