/// A message for the broker, of quality of service 1.
package struct Message: Equatable, Sendable {
  package let topic: String
  package let payload: String
  /// Whether the broker gives it to later subscribers, too.
  package let isRetained: Bool

  package init(_ topic: String, _ payload: String, isRetained: Bool = false) {
    self.topic = topic
    self.payload = payload
    self.isRetained = isRetained
  }

  /// Removes what the broker retains of a topic.
  package static func clearing(_ topic: String) -> Message {
    Message(topic, "", isRetained: true)
  }
}
