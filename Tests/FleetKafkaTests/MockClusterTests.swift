import CKafka
import CivilTime
import Fleet
import FleetKafka
import Testing

/// librdkafka's own cluster of three brokers in this process: it checks the client, and is no Kafka.
private final class MockCluster {
  let producer: OpaquePointer
  let servers: String

  init() throws {
    var text = [CChar](repeating: 0, count: 512)
    let configuration = rd_kafka_conf_new()
    rd_kafka_conf_set(configuration, "test.mock.num.brokers", "3", &text, text.count)
    producer = try #require(rd_kafka_new(RD_KAFKA_PRODUCER, configuration, &text, text.count))
    let cluster = try #require(rd_kafka_handle_mock_cluster(producer))
    servers = String(cString: rd_kafka_mock_cluster_bootstraps(cluster))
    rd_kafka_mock_topic_create(cluster, "positions", 4, 3)
  }

  deinit { rd_kafka_destroy(producer) }

  func produce(_ count: Int, to partition: Int32) {
    let topic = rd_kafka_topic_new(producer, "positions", nil)
    defer { rd_kafka_topic_destroy(topic) }
    for number in 1...count {
      let (key, payload) = (Array("van".utf8), Array("\(number)".utf8))
      payload.withUnsafeBytes { bytes in
        _ = rd_kafka_produce(
          topic, partition, RD_KAFKA_MSG_F_COPY,
          UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count, key, key.count, nil)
      }
    }
    rd_kafka_flush(producer, 10_000)
  }
}

@Suite(.serialized) struct MockClusterTests {
  private func read(_ reader: any LogReader, _ count: Int) throws -> [LogMessage] {
    var messages: [LogMessage] = []
    for _ in 0..<20 where messages.count < count { messages += try reader.fetch() }
    return messages
  }

  @Test func aPartitionIsReadInOrderFromAStoredOffset() throws {
    let cluster = try MockCluster()
    cluster.produce(2_000, to: 2)
    let log = try KafkaLog(servers: cluster.servers, topic: "positions")
    let bounds = try log.bounds(of: 2)
    #expect(bounds.first == 1 && bounds.last == 2_000)
    let messages = try read(log.reader(of: 2, from: 501), 1_500)
    #expect(messages.map(\.sequence) == Array(501...2_000))
    #expect(messages.allSatisfy { $0.device == "van" })
    #expect(
      messages.map { String(decoding: $0.payload, as: UTF8.self) } == (501...2_000).map { "\($0)" })
  }

  @Test func aMessageOfTheClockComesBackAmongTheOthers() throws {
    let cluster = try MockCluster()
    cluster.produce(1, to: 0)
    let log = try KafkaLog(servers: cluster.servers, topic: "positions")
    let reader = try log.reader(of: 0, from: 1)
    log.tick(0)
    let messages = try read(reader, 2)
    #expect(messages.map(\.device) == ["van", nil])
  }

  @Test func aSettingThatIsNoneIsAnError() {
    #expect(throws: LogError.self) {
      try KafkaLog(servers: "localhost", topic: "t", settings: [("colour", "red")])
    }
  }
}
