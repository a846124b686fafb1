package import JSONText

/// An error that answers a call.
package struct VarlinkError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Fully qualified: `org.varlink.service.MethodNotFound`.
  package let name: String
  package let parameters: JSONObject

  package init(name: String, parameters: JSONObject = JSONObject()) {
    self.name = name
    self.parameters = parameters
  }

  /// A sentence for errors of known interfaces; name and parameters for others.
  package var description: String {
    if let known = VarlinkServiceError(self) { return known.description }
    if let known = GeoremindError(self) { return known.description }
    let details = parameters.isEmpty ? "" : " \(JSONValue.object(parameters).line)"
    return "the daemon answered \(name)\(details)"
  }
}

/// The errors that every service shares (`org.varlink.service`).
package enum VarlinkServiceError: Error, Equatable, Sendable, CustomStringConvertible {
  case interfaceNotFound(interface: String)
  case methodNotFound(method: String)
  case methodNotImplemented(method: String)
  /// The parameter's name; inside it a path such as `changes.title` or `reminders[3]`.
  case invalidParameter(parameter: String)
  case permissionDenied
  /// The method answers many times and must be called with `more`.
  case expectedMore

  /// nil for other errors.
  package init?(_ error: VarlinkError) {
    func text(_ key: String) -> String { error.parameters[key]?.string ?? "?" }
    let (interface, member) = VarlinkCall.split(error.name)
    guard interface == VarlinkService.interfaceName else { return nil }
    switch member {
    case "InterfaceNotFound": self = .interfaceNotFound(interface: text("interface"))
    case "MethodNotFound": self = .methodNotFound(method: text("method"))
    case "MethodNotImplemented": self = .methodNotImplemented(method: text("method"))
    case "InvalidParameter": self = .invalidParameter(parameter: text("parameter"))
    case "PermissionDenied": self = .permissionDenied
    case "ExpectedMore": self = .expectedMore
    default: return nil
    }
  }

  /// The error on the wire.
  package var varlink: VarlinkError {
    func error(_ name: String, _ parameters: JSONObject = JSONObject()) -> VarlinkError {
      VarlinkError(name: "\(VarlinkService.interfaceName).\(name)", parameters: parameters)
    }
    return switch self {
    case .interfaceNotFound(let name):
      error("InterfaceNotFound", JSONObject(["interface": .string(name)]))
    case .methodNotFound(let name): error("MethodNotFound", JSONObject(["method": .string(name)]))
    case .methodNotImplemented(let name):
      error("MethodNotImplemented", JSONObject(["method": .string(name)]))
    case .invalidParameter(let name):
      error("InvalidParameter", JSONObject(["parameter": .string(name)]))
    case .permissionDenied: error("PermissionDenied")
    case .expectedMore: error("ExpectedMore")
    }
  }

  package var description: String {
    switch self {
    case .interfaceNotFound(let name):
      "the service has no interface '\(name)'; check that the socket is georemindd's"
    case .methodNotFound(let name):
      "the service has no method '\(name)'; client and daemon may be of different versions"
    case .methodNotImplemented(let name): "the service does not implement '\(name)' yet"
    case .invalidParameter(let name):
      "parameter '\(name)' is missing, unknown or of the wrong type; see the interface description"
    case .permissionDenied:
      "the service does not permit this; run the command as a user it allows"
    case .expectedMore: "the method answers many times; call it with 'more'"
    }
  }
}
