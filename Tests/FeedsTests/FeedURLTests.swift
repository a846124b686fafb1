import CivilTime
import Feeds
import LinuxRuntime
import TestSupport
import Testing

@Suite struct FeedURLTests {
  @Test(
    arguments: [
      ("-", .standardInput, "-"),
      (
        "gpsd://localhost", .gpsd(host: "localhost", port: 2947, device: nil),
        "gpsd://localhost:2947"
      ),
      ("gpsd://boat:2948/", .gpsd(host: "boat", port: 2948, device: nil), "gpsd://boat:2948"),
      (
        "GPSD://[::1]/dev/ttyACM0", .gpsd(host: "::1", port: 2947, device: "/dev/ttyACM0"),
        "gpsd://[::1]:2947/dev/ttyACM0"
      ),
      (
        "tcp://[fe80::1%25eth0]:2000", .tcp(host: "fe80::1%eth0", port: 2000),
        "tcp://[fe80::1%25eth0]:2000"
      ),
      ("tcp://10.0.0.7", .tcp(host: "10.0.0.7", port: 10110), "tcp://10.0.0.7:10110"),
      (
        "udp://:10111", .udp(host: "0.0.0.0", port: 10111, interface: nil), "udp://0.0.0.0:10111"
      ),
      (
        "udp://239.2.1.1:2052?interface=eth0",
        .udp(host: "239.2.1.1", port: 2052, interface: "eth0"),
        "udp://239.2.1.1:2052?interface=eth0"
      ),
      (
        "udp://:10110?from=192.168.1.20",
        .udp(
          host: "0.0.0.0", port: 10110, interface: nil, sender: IPAddress(parsing: "192.168.1.20")),
        "udp://0.0.0.0:10110?from=192.168.1.20"
      ),
      (
        "udp://[::]:10111?from=2001:DB8::0:7&interface=eth0",
        .udp(
          host: "::", port: 10111, interface: "eth0", sender: IPAddress(parsing: "2001:db8::7")),
        "udp://[::]:10111?interface=eth0&from=2001:db8::7"
      ),
      (
        "udp://[ff02::1]", .udp(host: "ff02::1", port: 10110, interface: nil),
        "udp://[ff02::1]:10110"
      ),
      ("serial:///dev/ttyUSB0", .serial(path: "/dev/ttyUSB0", baud: nil), "serial:///dev/ttyUSB0"),
      (
        "serial:///dev/serial/by-id/usb-u-blox?baud=115200",
        .serial(path: "/dev/serial/by-id/usb-u-blox", baud: 115_200),
        "serial:///dev/serial/by-id/usb-u-blox?baud=115200"
      ),
      ("unix:///run/gps", .unix(path: "/run/gps"), "unix:///run/gps"),
      ("file:///a%20b.nmea", .file(path: "/a b.nmea", rate: nil), "file:///a%20b.nmea"),
      (
        "file://localhost/x?speed=realtime", .file(path: "/x", rate: 1),
        "file:///x?speed=realtime"
      ),
      ("file:///x?speed=max", .file(path: "/x", rate: nil), "file:///x"),
      ("file:///x?speed=60.0", .file(path: "/x", rate: 60), "file:///x?speed=60"),
      ("file:///x?speed=.5", .file(path: "/x", rate: 0.5), "file:///x?speed=0.5"),
      ("file:///%C3%BC%25", .file(path: "/ü%", rate: nil), "file:///%C3%BC%25"),
    ] as [(String, FeedURL, String)])
  func readsAndPrints(text: String, url: FeedURL, canonical: String) throws {
    #expect(try FeedURL(parsing: text) == url)
    #expect(url.description == canonical)
    #expect(try FeedURL(parsing: canonical) == url)
  }

  /// A stream is a recording if its URL says so, and any live feed may have its own limit of age.
  @Test(
    arguments: [
      ("-?time=own", "-?time=own", true, nil),
      ("tcp://a?time=own", "tcp://a:10110?time=own", true, nil),
      ("udp://:1?from=1.2.3.4&time=own", "udp://0.0.0.0:1?from=1.2.3.4&time=own", true, nil),
      ("gpsd://a?max-age=5min", "gpsd://a:2947?max-age=5min", false, .minutes(5)),
      ("unix:///s?max-age=5400", "unix:///s?max-age=1h30min", false, .minutes(90)),
      (
        "serial:///dev/x?max-age=infinity&baud=4800", "serial:///dev/x?baud=4800&max-age=infinity",
        false, FeedURL.unlimitedFixAge
      ),
    ] as [(String, String, Bool, TimeSpan?)])
  func aFeedMayHaveATimeOfItsOwn(
    text: String, canonical: String, isRecording: Bool, age: TimeSpan?
  ) throws {
    let url = try FeedURL(parsing: text)
    #expect(url.description == canonical)
    #expect((url.recording != nil) == isRecording && url.maximumFixAge == age)
    #expect(isRecording == (url.storeName == nil))
    #expect(try FeedURL(parsing: canonical) == url)
  }

  /// A receiver that writes no checksums; gpsd and GeoClue write no sentences.
  @Test(arguments: [
    ("tcp://a?checksum=optional", "tcp://a:10110?checksum=optional"),
    ("udp://:1?checksum=optional&from=1.2.3.4", "udp://0.0.0.0:1?from=1.2.3.4&checksum=optional"),
    (
      "serial:///dev/x?checksum=optional&baud=4800&max-age=5s",
      "serial:///dev/x?baud=4800&max-age=5s&checksum=optional"
    ),
    ("file:///x?checksum=optional&speed=realtime", "file:///x?speed=realtime&checksum=optional"),
    ("unix:///s?checksum=optional", "unix:///s?checksum=optional"),
    ("-?time=own&checksum=optional", "-?time=own&checksum=optional"),
  ])
  func aFeedMayBeWithoutChecksums(text: String, canonical: String) throws {
    let url = try FeedURL(parsing: text)
    #expect(url.description == canonical && url.acceptsMissingChecksum)
    #expect(try FeedURL(parsing: canonical) == url)
    #expect(try !FeedURL(parsing: "tcp://a").acceptsMissingChecksum)
  }

  @Test(arguments: [
    ("192.168.1.5:10110", "tcp://192.168.1.5:10110"), ("[::1]:10110", "tcp://[::1]:10110"),
    ("plotter:2947", "gpsd://plotter:2947"), ("/dev/ttyUSB0", "serial:///dev/ttyUSB0"),
    ("/srv/trip.nmea", "file:///srv/trip.nmea"),
  ])
  func aFeedWithoutASchemeIsSuggestedWithOne(text: String, suggestion: String) {
    let error = #expect(throws: FeedURLError.self) { try FeedURL(parsing: text) }
    #expect(error?.description == "feed '\(text)' has no scheme: did you mean '\(suggestion)'?")
  }

  @Test(
    arguments: [
      ("", "has no scheme"), ("/dev/ttyUSB0", "has no scheme"), ("gpsd:localhost", "has no scheme"),
      ("http://host", "unknown scheme 'http'"), ("-://x", "unknown scheme '-'"),
      ("gpsd://", "no host"),
      ("gpsd://user@host", "user name"), ("tcp://host:0", "port '0'"),
      ("tcp://host:65536", "port '65536'"), ("tcp://host:", "port ''"),
      ("tcp://host:+1", "port '+1'"), ("tcp://::1:2947", "more than one ':'"),
      ("tcp://[::1", "without a ']'"), ("tcp://[::1]x", "'x' behind its host"),
      ("tcp://[host]:1", "no IPv6 address"), ("tcp://h%2Fost", "no valid host"),
      ("tcp://host/path", "has a path"), ("tcp://host?x=1", "unknown setting 'x'"),
      ("udp://example.org:1", "to receive at"), ("udp://1.2.3:4x", "port"),
      ("udp://:1?from=plotter", "no address in from=plotter"), ("udp://:1?from=", "no value"),
      ("udp://:1?from=fe80::1%25eth0", "no address"),
      ("udp://:1?x=1", "'interface' and 'from' and 'time'"),
      ("serial://dev/ttyUSB0", "names the host 'dev'"), ("serial:///", "names no file"),
      ("serial:///dev/x?baud=9601", "'9601' baud"), ("serial:///dev/x?baud=", "no value"),
      ("serial:///dev/x?baud=9600&baud=4800", "twice"),
      ("serial:///dev/x?speed=1", "only 'baud' and 'max-age'"),
      ("file:///a b", "space"), ("file:///a#b", "'#'"), ("file:///a%2", "without two"),
      ("file:///a%zz", "without two"), ("file:///a%00", "NUL"), ("file:///a%FF", "not UTF-8"),
      ("file:///folder/", "names no file"), ("file:///x?speed=nan", "speed 'nan'"),
      ("file:///x?speed=0", "speed '0'"), ("file:///x?speed=-1", "speed '-1'"),
      ("file:///x?speed=1e9", "speed '1e9'"), ("file:///x?", "unknown setting ''"),
      ("-?x=1", "unknown setting 'x'"), ("tcp://a?time=system", "time 'system'"),
      ("tcp://a?checksum=no", "checksum 'no'"),
      ("gpsd://a?checksum=optional", "unknown setting 'checksum'"),
      ("tcp://a?max-age=0", "age '0'"), ("tcp://a?max-age=yes", "age 'yes'"),
      ("tcp://a?time=own&max-age=1min", "age of a recording's"),
      ("serial:///dev/x?time=own", "unknown setting 'time'"),
      ("file:///x?time=own", "unknown setting 'time'"),
      ("unix:///" + String(repeating: "x", count: 107), "longer than 107"),
    ])
  func refusesWithOneSentence(text: String, fault: String) {
    #expect {
      _ = try FeedURL(parsing: text)
    } throws: { error in
      let sentence = "\(error)"
      return sentence.hasPrefix("feed '\(text)' ") && sentence.contains(fault)
        && sentence.contains(": ") && !sentence.contains("\n")
    }
  }

  /// Whatever is accepted prints to something that reads back as the same.
  @Test func anythingAcceptedReadsBack() {
    var generator = SeededGenerator(seed: 7)
    let pieces = [
      "file", "tcp", "udp", "serial", "unix", "gpsd", "://", "://", ":///", "/", ":", "[", "]",
      "::1",
      "127.0.0.1", "10110", "%20", "%", "%C3", "%BC", "?", "&", "=", "speed", "baud", "9600",
      "0.25",
      "realtime", "ü", "-", "x", "..", "\u{0}", "@", "#", "interface", "eth0", "from",
    ]
    var accepted = 0
    for _ in 0..<20_000 {
      var text = ""
      for _ in 0...Int(generator.next() % 7) {
        text += pieces[Int(generator.next() % UInt64(pieces.count))]
      }
      guard let url = try? FeedURL(parsing: text) else { continue }
      accepted += 1
      #expect((try? FeedURL(parsing: url.description)) == url, "\(text) → \(url)")
    }
    #expect(accepted > 80)
  }
}
