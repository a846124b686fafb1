import CExpat

/// The handler of one XML format's elements.
protocol XMLHandler: AnyObject {
  /// An element begins. `parents` are the names around it, the root first.
  func begin(_ element: XMLElement, in parents: [String]) throws(Fault)
  /// An element ends; `text` is what stood in it behind its last child.
  func end(_ name: String, text: String, in parents: [String]) throws(Fault)
  /// A fault of `begin` or `end`; throwing it on refuses the document, as by default.
  /// - Parameter line: the reader's current line.
  func leaveOut(_ fault: Fault, line: Int) throws(Fault)
}

extension XMLHandler {
  func leaveOut(_ fault: Fault, line: Int) throws(Fault) { throw fault }
}

/// The start of an element, valid only during the handler's call. Names are without prefixes, which
/// differ between writers of GPX and KML.
@safe struct XMLElement {
  let name: String
  /// Counted from 1.
  let line: Int
  /// Pairs of C strings, ended by a null.
  fileprivate let attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?

  /// The value of an attribute. Complexity: linear in the number of attributes.
  subscript(attribute: StaticString) -> String? {
    guard var pair = unsafe attributes else { return nil }
    return attribute.withUTF8Buffer { wanted in
      // expat keeps the list in pairs up to the null, and each string ended by a zero byte.
      while let key = unsafe pair[0], let value = unsafe pair[1] {
        var index = 0
        while index < wanted.count, unsafe UInt8(bitPattern: key[index]) == wanted[index] {
          index += 1
        }
        if index == wanted.count, unsafe key[index] == 0 {
          return unsafe String(cString: value)
        }
        unsafe pair += 2
      }
      return nil
    }
  }
}

/// XML by expat, streamed with bounds on memory, nesting and fields, without custom entities.
struct XMLReader {
  /// Elements within elements; KML's folders nest deepest.
  static let maximumLevels = 100
  /// Limit of one element's text in bytes: a polygon's coordinates are the longest.
  static let longestText = 8 << 20
  /// Limit of one tag or comment in bytes; expat holds it until it is complete.
  static let longestToken = 1 << 20

  /// Reads a whole document, and refuses a document that is not well-formed.
  static func read(_ source: ByteSource, _ handler: any XMLHandler) throws(InterchangeError) {
    let isUTF8 = try source.isMarkedUTF8()
    try read(name: source.name, isUTF8: isUTF8, handler) { () throws(InterchangeError) in
      try source.next()
    }
  }

  /// - Parameters:
  ///   - isUTF8: the encoding, whatever the document declares.
  ///   - next: the next piece, empty at the end.
  static func read(
    name: String, isUTF8: Bool = false, _ handler: any XMLHandler,
    next: () throws(InterchangeError) -> [UInt8]
  ) throws(InterchangeError) {
    guard let parser = unsafe XML_ParserCreate(isUTF8 ? "UTF-8" : nil) else {
      throw Fault("cannot be read: out of memory").error(in: name, at: nil)
    }
    defer { unsafe XML_ParserFree(parser) }
    let state = unsafe XMLState(parser: parser, handler: handler)
    unsafe connect(parser, state)
    var total = 0
    while true {
      let piece = try next()
      total += piece.count
      let status = unsafe piece.withUnsafeBytes { bytes in
        unsafe XML_Parse(
          parser, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count),
          piece.isEmpty ? 1 : 0)
      }
      let line = Int(clamping: unsafe XML_GetCurrentLineNumber(parser))
      if let fault = state.fault { throw fault.error(in: name, at: line) }
      guard status == XML_STATUS_OK else {
        let code = unsafe XML_GetErrorCode(parser)
        let reason = unsafe XML_ErrorString(code).map { unsafe String(cString: $0) } ?? "not XML"
        let remedy = "export it again, with & written as &amp;"
        throw Fault("not well-formed XML: \(reason); \(remedy)").error(in: name, at: line)
      }
      if piece.isEmpty { return }
      let read = unsafe Int(clamping: XML_GetCurrentByteIndex(parser))
      guard read < 0 || total - read <= Self.longestToken else {
        throw Fault("a tag or comment is longer than 1 MiB; shorten it").error(in: name, at: line)
      }
    }
  }

  /// The callbacks get `state` by its address; it outlives the parser's last call.
  private static func connect(_ parser: XML_Parser, _ state: XMLState) {
    unsafe XML_SetUserData(parser, Unmanaged.passUnretained(state).toOpaque())
    unsafe XML_SetElementHandler(
      parser,
      { data, name, attributes in
        guard let data = unsafe data, let name = unsafe name else { return }
        unsafe XMLState.at(data).begin(XMLState.localName(name), attributes)
      },
      { data, name in
        guard let data = unsafe data else { return }
        unsafe XMLState.at(data).end()
      })
    unsafe XML_SetCharacterDataHandler(parser) { data, bytes, count in
      guard let data = unsafe data, let bytes = unsafe bytes else { return }
      unsafe XMLState.at(data).append(UnsafeBufferPointer(start: bytes, count: Int(count)))
    }
    unsafe XML_SetEntityDeclHandler(parser) { data, _, _, _, _, _, _, _, _ in
      guard let data = unsafe data else { return }
      unsafe XMLState.at(data).stop(
        Fault("the document declares entities of its own, which are not read; remove its DOCTYPE"))
    }
  }
}

/// State of reading a document.
@safe private final class XMLState {
  private let parser: XML_Parser
  private let handler: any XMLHandler
  private(set) var fault: Fault?
  private var names: [String] = []
  private var text: [UInt8] = []

  init(parser: XML_Parser, handler: any XMLHandler) {
    unsafe self.parser = parser
    self.handler = handler
  }

  static func at(_ pointer: UnsafeMutableRawPointer) -> XMLState {
    unsafe Unmanaged<XMLState>.fromOpaque(pointer).takeUnretainedValue()
  }

  static func localName(_ name: UnsafePointer<CChar>) -> String {
    let full = unsafe String(cString: name)
    guard let colon = full.utf8.lastIndex(of: UInt8(ascii: ":")) else { return full }
    return String(full[full.index(after: colon)...])
  }

  func stop(_ fault: Fault) {
    guard self.fault == nil else { return }
    var fault = fault
    // A stopped parser's position is the end of the piece.
    if fault.line == nil { fault.line = line }
    self.fault = fault
    _ = unsafe XML_StopParser(parser, 0)
  }

  /// A fault that the handler does not leave out stops the parser.
  private func attempt(_ body: () throws(Fault) -> Void) {
    do throws(Fault) {
      do throws(Fault) {
        try body()
      } catch {
        try handler.leaveOut(error, line: line)
      }
    } catch {
      stop(error)
    }
  }

  private var line: Int { Int(clamping: unsafe XML_GetCurrentLineNumber(parser)) }

  func begin(_ name: String, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?) {
    guard fault == nil else { return }
    let element = unsafe XMLElement(name: name, line: line, attributes: attributes)
    guard names.count < XMLReader.maximumLevels else {
      return stop(Fault("elements are nested deeper than \(XMLReader.maximumLevels) levels"))
    }
    attempt { () throws(Fault) in try handler.begin(element, in: names) }
    names.append(element.name)
    text.removeAll(keepingCapacity: text.capacity <= 1 << 16)
  }

  func end() {
    guard fault == nil, let name = names.popLast() else { return }
    attempt { () throws(Fault) in
      // expat gives out nothing but UTF-8.
      try handler.end(name, text: String(decoding: text, as: UTF8.self), in: names)
    }
    text.removeAll(keepingCapacity: text.capacity <= 1 << 16)
  }

  func append(_ bytes: UnsafeBufferPointer<CChar>) {
    guard fault == nil else { return }
    guard text.count + bytes.count <= XMLReader.longestText else {
      return stop(Fault("the text of <\(names.last ?? "")> is longer than 8 MiB; shorten it"))
    }
    unsafe bytes.withMemoryRebound(to: UInt8.self) { unsafe text.append(contentsOf: $0) }
  }
}
