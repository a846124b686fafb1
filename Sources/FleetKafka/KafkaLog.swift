import CKafka
import CivilTime
package import Fleet
import Glibc

/// A log in Kafka: one topic, whose messages have the device as their key. Numbers are offsets + 1.
///
/// Each partition is read from an offset that is stored elsewhere: there is no consumer group. The
/// producers must use `acks=all`, and the topic `min.insync.replicas=2`.
package final class KafkaLog: LogConnection, @unchecked Sendable {
  let consumer: OpaquePointer
  let topic: OpaquePointer
  private let producer: OpaquePointer
  private let clockTopic: OpaquePointer

  /// - Parameter settings: of librdkafka, such as `security.protocol`.
  package init(
    servers: String, topic: String, settings: [(String, String)] = []
  ) throws(LogError) {
    let common = [("bootstrap.servers", servers)] + settings
    consumer = try Self.client(
      RD_KAFKA_CONSUMER,
      common + [("queued.max.messages.kbytes", "4096"), ("fetch.wait.max.ms", "50")])
    producer = try Self.client(RD_KAFKA_PRODUCER, common + [("acks", "all"), ("linger.ms", "1")])
    guard let read = rd_kafka_topic_new(consumer, topic, nil),
      let written = rd_kafka_topic_new(producer, topic, nil)
    else { throw LogError("Kafka: there is no topic \(topic)") }
    (self.topic, clockTopic) = (read, written)
  }

  deinit {
    for topic in [topic, clockTopic] { rd_kafka_topic_destroy(topic) }
    for client in [consumer, producer] { rd_kafka_destroy(client) }
  }

  private static func client(
    _ kind: rd_kafka_type_t, _ settings: [(String, String)]
  ) throws(LogError) -> OpaquePointer {
    let configuration = rd_kafka_conf_new()
    var text = [CChar](repeating: 0, count: 512)
    for (key, value) in settings
    where rd_kafka_conf_set(configuration, key, value, &text, text.count) != RD_KAFKA_CONF_OK {
      rd_kafka_conf_destroy(configuration)
      throw LogError("Kafka: \(words(text))")
    }
    guard let client = rd_kafka_new(kind, configuration, &text, text.count) else {
      rd_kafka_conf_destroy(configuration)
      throw LogError("Kafka: \(words(text))")
    }
    return client
  }

  private static func words(_ text: [CChar]) -> String {
    String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  package func bounds(of partition: Int) throws(LogError) -> (first: UInt64, last: UInt64) {
    let first = try offset(of: partition, RD_KAFKA_OFFSET_BEGINNING)
    let next = try offset(of: partition, RD_KAFKA_OFFSET_END)
    return (UInt64(clamping: first) + 1, UInt64(clamping: next))
  }

  /// A time may be one of these offsets as well. The call for both bounds at once would wait for a
  /// leader that is away, however long that takes.
  private func offset(of partition: Int, _ time: Int32) throws(LogError) -> Int64 {
    guard let list = rd_kafka_topic_partition_list_new(1) else { throw LogError("no memory") }
    defer { rd_kafka_topic_partition_list_destroy(list) }
    let name = rd_kafka_topic_name(topic)
    let entry = rd_kafka_topic_partition_list_add(list, name, Int32(partition))
    entry?.pointee.offset = Int64(time)
    try check(rd_kafka_offsets_for_times(consumer, list, 2_000))
    try check(list.pointee.elems.pointee.err)
    return list.pointee.elems.pointee.offset
  }

  package func reader(of partition: Int, from start: UInt64) throws(LogError) -> any LogReader {
    let (first, last) = try bounds(of: partition)
    // An offset before the log would be an error.
    let offset = Int64(clamping: max(first, min(start, last + 1))) - 1
    return try KafkaReader(self, Int32(partition), offset: offset)
  }

  package func tick(_ partition: Int) {
    let key = Array(LogMessage.clock.utf8)
    // An empty message, and no absent one, which would delete a key.
    var empty: UInt8 = 0
    _ = rd_kafka_produce(
      clockTopic, Int32(partition), RD_KAFKA_MSG_F_COPY, &empty, 0, key, key.count, nil)
    rd_kafka_poll(producer, 0)
  }

  fileprivate func check(_ code: rd_kafka_resp_err_t) throws(LogError) {
    guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
      throw LogError("Kafka: \(String(cString: rd_kafka_err2str(code)))")
    }
  }
}

private final class KafkaReader: LogReader {
  private static let batch = 512

  private let log: KafkaLog
  private let partition: Int32

  init(_ log: KafkaLog, _ partition: Int32, offset: Int64) throws(LogError) {
    self.log = log
    self.partition = partition
    guard rd_kafka_consume_start(log.topic, partition, offset) == 0 else {
      throw LogError("Kafka: \(String(cString: rd_kafka_err2str(rd_kafka_last_error())))")
    }
  }

  deinit { rd_kafka_consume_stop(log.topic, partition) }

  func fetch() throws(LogError) -> [LogMessage] {
    // Waits for the first message, and takes all further ones without waiting.
    guard let first = rd_kafka_consume(log.topic, partition, 1_000) else { return [] }
    var list: [UnsafeMutablePointer<rd_kafka_message_t>?] = Array(repeating: nil, count: Self.batch)
    let count = rd_kafka_consume_batch(log.topic, partition, 0, &list, Self.batch)
    let messages = [first] + list.prefix(max(0, count)).compactMap(\.self)
    defer { for message in messages { rd_kafka_message_destroy(message) } }
    var read: [LogMessage] = []
    for message in messages where message.pointee.err != RD_KAFKA_RESP_ERR__PARTITION_EOF {
      try log.check(message.pointee.err)
      var kind = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE
      let milliseconds = rd_kafka_message_timestamp(message, &kind)
      let bytes = UnsafeRawBufferPointer(start: message.pointee.payload, count: message.pointee.len)
      let key = String(
        decoding: UnsafeRawBufferPointer(
          start: message.pointee.key, count: message.pointee.key_len),
        as: UTF8.self)
      read.append(
        LogMessage(
          sequence: UInt64(clamping: message.pointee.offset) + 1,
          time: Instant(microseconds: max(0, milliseconds) * 1_000),
          device: key == LogMessage.clock ? nil : key, payload: Array(bytes)))
    }
    return read
  }
}
