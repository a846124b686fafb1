import Glibc
import LinuxRuntime
import TestSupport
import Testing

@testable import Feeds

/// Names of hosts, looked up by a program beside the loop.
@Suite(.serialized) struct HostLookUpTests {
  private let folder: TemporaryFolder
  private let loop: EventLoop

  init() throws {
    folder = try TemporaryFolder()
    loop = try EventLoop()
  }

  /// A program that speaks in place of getent.
  private func resolver(_ script: String) throws -> String {
    let path = try folder.file("resolver", "#!/bin/sh\n\(script)\n")
    try #require(chmod(path, 0o700) == 0)
    return path
  }

  private func addresses(_ script: String) throws -> Result<[SocketAddress], SystemError> {
    var result: Result<[SocketAddress], SystemError>?
    let lookUp = try HostLookUp(
      "boat.example", port: 10110, program: resolver(script), loop: loop
    ) { result = $0 }
    try withExtendedLifetime(lookUp) {
      while result == nil { try #require(try loop.runOnce(timeout: 10_000_000)) }
    }
    return try #require(result)
  }

  @Test func addressesComeInTheirOrderOnceEach() throws {
    let found = try addresses(
      """
      echo '192.0.2.7       STREAM boat.example'
      echo '192.0.2.7       DGRAM'
      echo '192.0.2.7       RAW'
      echo '2001:db8::7     STREAM'
      echo 'nonsense        STREAM'
      """
    ).get()
    #expect(found.map(\.family) == [AF_INET, AF_INET6])
    #expect(found.map(\.description) == Array(repeating: "boat.example port 10110", count: 2))
  }

  @Test func aLongAnswerIsCut() throws {
    let found = try addresses(
      "for n in $(seq 2000); do echo \"192.0.2.7 STREAM\"; done"
    ).get()
    #expect(found.count == 8)
  }

  @Test func anUnknownHostNameIsAnError() throws {
    let result = try addresses("exit 2")
    #expect {
      _ = try result.get()
    } throws: {
      "\($0)".contains("cannot find the host 'boat.example'")
    }
  }

  @Test func aMissingProgramIsAnError() throws {
    #expect {
      _ = try HostLookUp(
        "boat.example", port: 1, program: "\(folder.path)/none", loop: loop
      ) { _ in }
    } throws: {
      "\($0)".contains("give the address in figures")
    }
  }

  /// What is given is the last argument, whatever it looks like.
  @Test func aNameIsNoOption() throws {
    let found = try addresses(
      "[ \"$*\" = 'ahosts -- boat.example' ] && echo '192.0.2.7 STREAM'"
    ).get()
    #expect(found.count == 1)
  }

  @Test func aFeedConnectsToAFoundAddress() throws {
    let server = try Server()
    let log = FeedLog()
    var options = quickOptions()
    options.resolver = try resolver("echo '127.0.0.1 STREAM'")
    let feed = try Feed(
      .tcp(host: "boat.example", port: server.port), loop: loop, options: options,
      handlers: log.handlers)
    feed.start()
    while log.events.isEmpty { try #require(try loop.runOnce(timeout: 10_000_000)) }
    #expect(log.events == ["open"])
    #expect(!feed.isStuck)
  }

  /// A resolver that hangs keeps nobody waiting, and is given up in the end.
  @Test func aFeedOutlivesAResolverThatHangs() throws {
    let log = FeedLog()
    var options = quickOptions(connect: 300_000)
    options.resolver = try resolver("echo $$ > '\(folder.path)/process'; exec sleep 600")
    let feed = try Feed(
      .tcp(host: "boat.example", port: 1), loop: loop, options: options, handlers: log.handlers)
    var turns = 0
    let ticks = try loop.addTimer(.monotonic) { _ in turns += 1 }
    ticks.arm(in: 1000)
    feed.start()
    while log.events.isEmpty {
      try #require(try loop.runOnce(timeout: 10_000_000))
      #expect(!feed.isStuck)
    }
    #expect(turns == 1, "the loop went on meanwhile")
    #expect(log.events == ["lost: the name of its host was not found within 0 s"])
    feed.stop()
    let bytes = try fileBytes("\(folder.path)/process")
    let process = try #require(
      pid_t(String(decoding: bytes, as: UTF8.self).split(separator: "\n").first ?? ""))
    #expect(kill(process, 0) != 0, "it was ended")
  }
}
