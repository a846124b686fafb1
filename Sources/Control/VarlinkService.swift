package import JSONText

/// The interfaces behind one socket, and `org.varlink.service`, which describes them.
package struct VarlinkService: Sendable {
  package static let interfaceName = "org.varlink.service"

  /// The interface that every service has (https://varlink.org/Service).
  package static let interfaceText = """
    # Describes a service and the interfaces it offers.
    interface org.varlink.service

    # Who made the service, and the names of its interfaces.
    method GetInfo() -> (
      vendor: string,
      product: string,
      version: string,
      url: string,
      interfaces: []string
    )

    # The definition of one interface.
    method GetInterfaceDescription(interface: string) -> (description: string)

    # The service has no such interface.
    error InterfaceNotFound (interface: string)

    # The interface has no such method.
    error MethodNotFound (method: string)

    # The interface has the method, the service does not implement it.
    error MethodNotImplemented (method: string)

    # A parameter is missing, unknown or of the wrong type.
    error InvalidParameter (parameter: string)

    # The caller may not do this.
    error PermissionDenied ()

    # The method answers many times and must be called with 'more'.
    error ExpectedMore ()

    """

  package let vendor: String
  package let product: String
  package let version: String
  package let url: String
  /// In the order they were given, `org.varlink.service` first.
  package let interfaces: [VarlinkInterface]
  private let streaming: Set<String>

  /// - Parameters:
  ///   - texts: the definitions of the interfaces, without `org.varlink.service`.
  ///   - streaming: methods, fully qualified, that must be called with `more`.
  package init(
    vendor: String, product: String, version: String, url: String, interfaces texts: [String],
    streaming: Set<String> = []
  ) throws(VarlinkInterfaceError) {
    self.vendor = vendor
    self.product = product
    self.version = version
    self.url = url
    self.streaming = streaming
    var interfaces = [try VarlinkInterface(parsing: Self.interfaceText)]
    for text in texts { interfaces.append(try VarlinkInterface(parsing: text)) }
    self.interfaces = interfaces
  }

  /// Checks a call against the interfaces.
  /// - Returns: the service's own reply; nil where the owner is to answer.
  /// - Throws: InterfaceNotFound, MethodNotFound, InvalidParameter, ExpectedMore, and
  ///   MethodNotImplemented for a call that asks for an upgrade, which no method offers.
  package func admit(_ call: VarlinkCall) throws(VarlinkServiceError) -> JSONObject? {
    let (name, member) = VarlinkCall.split(call.method)
    guard let interface = interfaces.first(where: { $0.name == name }) else {
      throw .interfaceNotFound(interface: name)
    }
    guard let method = interface.methods[member] else {
      throw .methodNotFound(method: call.method)
    }
    guard !call.upgrade else { throw .methodNotImplemented(method: call.method) }
    do {
      try interface.check(call.parameters, against: method.parameters)
    } catch {
      throw .invalidParameter(parameter: error.path)
    }
    guard call.more || !streaming.contains(call.method) else { throw .expectedMore }
    return name == Self.interfaceName ? try describe(member, call.parameters) : nil
  }

  private func describe(
    _ method: String, _ parameters: JSONObject
  ) throws(VarlinkServiceError) -> JSONObject {
    guard method == "GetInterfaceDescription" else {
      return JSONObject([
        "vendor": .string(vendor), "product": .string(product), "version": .string(version),
        "url": .string(url), "interfaces": .array(interfaces.map { .string($0.name) }),
      ])
    }
    let name = parameters["interface"]?.string ?? ""
    guard let interface = interfaces.first(where: { $0.name == name }) else {
      throw .interfaceNotFound(interface: name)
    }
    return JSONObject(["description": .string(interface.text)])
  }
}
