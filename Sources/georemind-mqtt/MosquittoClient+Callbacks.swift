import CMosquitto
import Glibc
import MQTT

/// Callbacks of libmosquitto: each only notes what has come.
extension MosquittoClient {
  static func setCallbacks(of handle: OpaquePointer) {
    mosquitto_connect_v5_callback_set(handle) { _, context, code, _, _ in
      guard let client = MosquittoClient.at(context) else { return }
      client.answer = code
      if code == 0 {
        client.events.append(.accepted)
      } else {
        client.lastWords = MosquittoClient.reason(code)
      }
    }
    mosquitto_disconnect_v5_callback_set(handle) { _, context, code, _ in
      // Of MQTT 5; below are codes of the library, which it returns as well.
      guard code >= MosquittoClient.firstRefusal else { return }
      MosquittoClient.at(context)?.lastWords = MosquittoClient.reason(code)
    }
    mosquitto_publish_v5_callback_set(handle) { _, context, id, code, _ in
      MosquittoClient.at(context)?.events.append(
        .acknowledged(id, refusal: MosquittoClient.refusal(code)))
    }
    mosquitto_subscribe_v5_callback_set(handle) { _, context, id, count, codes, _ in
      let code = count > 0 ? codes?.pointee ?? 0 : 0
      MosquittoClient.at(context)?.events.append(
        .subscribed(id, refusal: MosquittoClient.refusal(code)))
    }
    mosquitto_message_callback_set(handle) { _, context, message in
      guard let client = MosquittoClient.at(context), let message = message?.pointee,
        let topic = message.topic
      else { return }
      // The library holds it twice: no memory may be left.
      guard message.payloadlen <= MosquittoClient.maximumPacket else {
        client.isOversized = true
        return
      }
      let length = min(max(0, Int(message.payloadlen)), Publisher.maximumPayload + 1)
      let bytes = UnsafeRawBufferPointer(start: message.payload, count: length)
      client.events.append(
        .received(
          topic: String(cString: topic), payload: Array(bytes), isRetained: message.retain))
    }
    mosquitto_log_callback_set(handle) { _, context, level, text in
      guard let text, let client = MosquittoClient.at(context) else { return }
      if level == MOSQ_LOG_ERR { client.lastWords = String(cString: text) }
      // Also of packets that have no callback, such as PINGRESP.
      if level == MOSQ_LOG_DEBUG, strstr(text, " received ") != nil { client.isPacketWhole = true }
    }
  }

  private static func at(_ context: UnsafeMutableRawPointer?) -> MosquittoClient? {
    context.map { Unmanaged<MosquittoClient>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Reason codes from here on are refusals: MQTT 5, section 2.4. SUBACK of 3.1.1 has one of them.
  private static let firstRefusal: Int32 = 0x80

  private static func refusal(_ code: Int32) -> String? {
    code >= firstRefusal ? "\(reason(code)) (0x\(String(code, radix: 16)))" : nil
  }

  private static func reason(_ code: Int32) -> String {
    String(
      cString: code < firstRefusal ? mosquitto_connack_string(code) : mosquitto_reason_string(code))
  }
}
