/// The daemon's interface in Varlink's language, for GetInterfaceDescription and to check calls.
package enum GeoremindInterface {
  package static let name = "org.georemind"

  /// The methods that answer many times, fully qualified.
  package static let streamingMethods = Set(
    GeoremindMethod.allCases.filter(\.isStreaming).map { "\(name).\($0.rawValue)" })

  /// Members of a reminder in an answer that are no part of it where a reminder is given.
  package static let addedMembers = [
    "snoozed_until", "snoozed_until_leave", "next_due", "rings", "leads_passed", "last_fired",
    "unacknowledged", "ignored", "swing", "anchor",
  ]

  /// Members of a reminder whose times without a zone are by the clocks of the caller.
  package static let clockMembers = ["due", "from", "until"]

  /// The file `org.georemind.varlink`.
  package static let text = String(decoding: PackageResources.org_georemind_varlink, as: UTF8.self)
}
