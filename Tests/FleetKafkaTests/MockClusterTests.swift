import CKafka
import CivilTime
import Fleet
import FleetKafka
import Glibc
import TestSupport
import Testing

/// librdkafka's own cluster of three brokers in this process: it checks the client, and is no Kafka.
private final class MockCluster {
  let producer: OpaquePointer
  let cluster: OpaquePointer
  let servers: String

  init() throws {
    var text = [CChar](repeating: 0, count: 512)
    let configuration = rd_kafka_conf_new()
    rd_kafka_conf_set(configuration, "test.mock.num.brokers", "3", &text, text.count)
    producer = try #require(rd_kafka_new(RD_KAFKA_PRODUCER, configuration, &text, text.count))
    cluster = try #require(rd_kafka_handle_mock_cluster(producer))
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

extension MockCluster {
  /// ApiKey of Fetch and ListOffsets (https://kafka.apache.org/protocol#protocol_api_keys).
  private static let requests: [Int16] = [1, 2]
  private static let errors = [
    RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION, RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE,
    RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT, RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE,
    RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR,
  ]

  /// A broker goes away or comes back, another one leads, or the next requests fail.
  func fail(_ partition: Int32, using random: inout SeededGenerator) {
    let broker = Int32.random(in: 1...3, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: rd_kafka_mock_broker_set_down(cluster, broker)
    case 1, 2: rd_kafka_mock_broker_set_up(cluster, -1)
    case 3: rd_kafka_mock_partition_set_leader(cluster, "positions", partition, broker)
    default:
      let errors = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        Self.errors.randomElement(using: &random) ?? Self.errors[0]
      }
      let request = Self.requests.randomElement(using: &random) ?? 1
      rd_kafka_mock_push_request_errors_array(cluster, request, errors.count, errors)
    }
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

  private static let lives: UInt64 = getenv("GEOREMIND_LONG_TESTS") == nil ? 2 : 20

  /// Owners die, too: the next one reads from what was stored. Each reads all messages once.
  @Test(arguments: 1...lives as ClosedRange<UInt64>)
  func faultsLoseNoMessageAndBringNoneTwice(seed: UInt64) throws {
    let (partition, count) = (Int32(1), 4_000)
    let cluster = try MockCluster()
    cluster.produce(count, to: partition)
    // Small requests, so that each is a chance to fail.
    let settings = [
      ("fetch.message.max.bytes", "600"), ("queued.min.messages", "1"),
      ("reconnect.backoff.ms", "10"), ("reconnect.backoff.max.ms", "50"),
      ("topic.metadata.refresh.fast.interval.ms", "20"),
    ]
    let log = try KafkaLog(servers: cluster.servers, topic: "positions", settings: settings)
    var random = SeededGenerator(seed: seed)
    var (stored, seen): (UInt64, [LogMessage]) = (0, [])
    var (cursor, faults) = (LogCursor(log, Int(partition), from: 1), 0)
    while faults < 25 || stored < count {
      if faults < 25 {
        cluster.fail(partition, using: &random)
        faults += 1
      } else {
        rd_kafka_mock_broker_set_up(cluster.cluster, -1)
      }
      if stored == count {
        stored = 0
        cursor = LogCursor(log, Int(partition), from: 1)
      }
      // An error is one of the faults, and the cursor goes on.
      seen += (try? cursor.fetch()) ?? []
      #expect(seen.map(\.sequence) == Array(stored + 1..<stored + 1 + UInt64(seen.count)))
      #expect(seen.allSatisfy { $0.payload == Array("\($0.sequence)".utf8) })
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        seen = []
        cursor = LogCursor(log, Int(partition), from: stored + 1)
      case 1:
        stored += UInt64(seen.count)
        seen = []
      default: break
      }
    }
    #expect(try log.bounds(of: Int(partition)).last == UInt64(count))
  }

  @Test func aLeaderThatIsAwayIsAnErrorSoon() throws {
    let cluster = try MockCluster()
    let log = try KafkaLog(servers: cluster.servers, topic: "positions")
    let bounds = try log.bounds(of: 3)
    #expect(bounds.first == 1 && bounds.last == 0)
    rd_kafka_mock_broker_set_down(cluster.cluster, -1)
    #expect(throws: LogError.self) { try log.bounds(of: 3) }
    rd_kafka_mock_broker_set_up(cluster.cluster, -1)
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
