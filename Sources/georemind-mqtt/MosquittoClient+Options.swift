import CMosquitto
import Glibc
import LinuxRuntime
import MQTT

/// The options of a connection, and the words of the library for their failures.
extension MosquittoClient {
  /// The version, and what the broker may send.
  func setLimits() throws(Failure) {
    for (option, value) in [
      (MOSQ_OPT_PROTOCOL_VERSION, version.rawValue),
      (MOSQ_OPT_RECEIVE_MAXIMUM, Self.maximumUnderWay),
      (MOSQ_OPT_SEND_MAXIMUM, Self.maximumUnderWay),
    ] {
      try check(mosquitto_int_option(handle, option, value))
    }
    guard version == .five else { return }
    var properties: OpaquePointer?
    defer { mosquitto_property_free_all(&properties) }
    try check(
      mosquitto_property_add_int32(
        &properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), UInt32(Self.maximumPacket)))
    // Only the call that blocks takes properties. Without a host it stores them and connects to
    // nothing, and mosquitto_connect_bind_async sends them.
    let result = mosquitto_connect_bind_v5(handle, nil, 0, Self.keepAlive, nil, properties)
    if result != MOSQ_ERR_INVAL.code { try check(result) }
  }

  func setTLS(_ settings: MQTTSettings) throws(Failure) {
    for path in [settings.authoritiesFile, settings.certificateFile, settings.keyFile] {
      guard let path, access(path, R_OK) != 0 else { continue }
      throw Failure(reason: "\(path) cannot be read: \(errorText(errno))")
    }
    try check(
      mosquitto_tls_set(
        handle, settings.authoritiesFile,
        settings.authoritiesFile == nil ? "/etc/ssl/certs" : nil, settings.certificateFile,
        settings.keyFile, nil))
  }

  func check(_ result: Int32) throws(Failure) {
    guard result != 0 else { return }
    throw Failure(reason: words(for: result))
  }

  func words(for result: Int32) -> String {
    let text = String(cString: mosquitto_strerror(result))
    guard let lastWords, result != MOSQ_ERR_ERRNO.code else { return text }
    guard lastWords.contains("certificate verify failed") else { return lastWords }
    return
      "\(lastWords); the certificate must name the host of Broker=, and an authority of CAFile= "
      + "or of the system must have signed it"
  }
}
