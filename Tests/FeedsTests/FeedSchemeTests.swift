import TestSupport
import Testing

@testable import Feeds

/// The list of schemes, and the documents that show it.
@Suite struct FeedSchemeTests {
  /// The example with an address and a port for the words that stand for them.
  private func url(_ scheme: FeedScheme) throws -> FeedURL {
    try FeedURL(
      parsing: scheme.example.replacing("address", with: "192.0.2.1")
        .replacing("port", with: "10110").replacing(" for standard input", with: ""))
  }

  /// A file of the folder without an entry of the list would be a scheme that no URL reaches.
  @Test func everyFileOfTheFolderIsAnEntryOfTheList() throws {
    let folder = "\(packageRoot)/Sources/Feeds/Schemes"
    let files = TemporaryFolder.names(in: folder).filter { $0 != "FeedScheme.swift" }
    #expect(files.count == FeedScheme.all.count)
    for file in files {
      let text = try contents("\(folder)/\(file)")
      #expect(FeedScheme.all.contains { text.contains("prefix: \"\($0.prefix)\"") }, "\(file)")
    }
  }

  @Test func everySchemeHasAPrefixOfItsOwn() {
    #expect(Set(FeedScheme.all.map(\.prefix)).count == FeedScheme.all.count)
  }

  @Test func theExampleOfEverySchemeIsRead() throws {
    for scheme in FeedScheme.all {
      #expect(try url(scheme).description.hasPrefix(scheme.prefix), "\(scheme.example)")
    }
  }

  @Test func anUnknownSchemeIsAnsweredWithEveryExample() {
    let error = #expect(throws: FeedURLError.self) { try FeedURL(parsing: "ftp://host") }
    for scheme in FeedScheme.all {
      #expect(error?.description.contains(scheme.example) == true)
    }
  }

  @Test(arguments: ["man/georemindd.8.in", "etc/georemind.conf", "README.md"])
  func theDocumentsNameEveryScheme(_ document: String) throws {
    let text = try contents("\(packageRoot)/\(document)")
    for scheme in FeedScheme.all {
      let isNamed =
        scheme.prefix == "-" ? text.contains("tandard input") : text.contains(scheme.prefix)
      #expect(isNamed, "\(document) does not name \(scheme.prefix)")
    }
  }

  /// The table "How a feed fails and recovers".
  @Test func theDocumentSaysWhenEverySchemeIsLost() throws {
    let text = try contents("\(packageRoot)/docs/how-to/feeds.md")
    for scheme in FeedScheme.all {
      guard try url(scheme).longestWait != nil else { continue }
      let name = scheme.prefix.prefix { $0 != ":" }
      #expect(
        text.split(separator: "\n").contains { $0.hasPrefix("| ") && $0.contains("`\(name)`") },
        "\(name)")
    }
  }
}
