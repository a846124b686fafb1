/// The daemon's interface in Varlink's language, for GetInterfaceDescription and to check calls.
package enum GeoremindInterface {
  package static let name = "org.georemind"

  /// The methods that answer many times, fully qualified.
  package static let streamingMethods = Set(
    GeoremindMethod.allCases.filter(\.isStreaming).map { "\(name).\($0.rawValue)" })

  /// The file `org.georemind.varlink`.
  package static let text = String(decoding: PackageResources.org_georemind_varlink, as: UTF8.self)
}
