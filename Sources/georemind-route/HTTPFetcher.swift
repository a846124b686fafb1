import CCurl
import Departure
import Glibc
import Routing

/// HTTP(S) by libcurl, one connection at a time, bounded in time and length, without redirections.
final class HTTPFetcher {
  /// The longest answer, in bytes; that for 100 places is some 10 KB.
  static let longestAnswer = 256 << 10

  private let handle: UnsafeMutableRawPointer
  private var body: [UInt8] = []
  private var isTooLong = false

  /// - Parameter timeout: milliseconds for all of a request.
  init(timeout: Int) throws(RouteFailure) {
    guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK, let handle = curl_easy_init()
    else { throw RouteFailure("libcurl cannot be used") }
    self.handle = handle
    _ = georemind_curl_set_number(handle, CURLOPT_TIMEOUT_MS, timeout)
    _ = georemind_curl_set_number(handle, CURLOPT_CONNECTTIMEOUT_MS, timeout)
    _ = georemind_curl_set_number(handle, CURLOPT_NOSIGNAL, 1)
    _ = georemind_curl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http,https")
    _ = georemind_curl_set_text(
      handle, CURLOPT_USERAGENT, "georemind-route/\(RouteCommand.version)")
    _ = georemind_curl_set_writer(handle) { bytes, size, count, context in
      guard let bytes, let context else { return 0 }
      let fetcher = Unmanaged<HTTPFetcher>.fromOpaque(context).takeUnretainedValue()
      return fetcher.take(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? count : 0
    }
    _ = georemind_curl_set_pointer(
      handle, CURLOPT_WRITEDATA, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { curl_easy_cleanup(handle) }

  private func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard body.count + bytes.count <= Self.longestAnswer else {
      isTooLong = true
      return false
    }
    body.append(contentsOf: bytes)
    return true
  }

  /// The answer's body, even with an error status, since it has the engine's reason.
  func fetch(_ request: RoutingEngine.HTTPRequest) throws(RouteFailure) -> [UInt8] {
    body = []
    isTooLong = false
    _ = georemind_curl_set_text(handle, CURLOPT_URL, request.url)
    var headers: UnsafeMutablePointer<curl_slist>?
    defer { curl_slist_free_all(headers) }
    if let text = request.body {
      headers = curl_slist_append(nil, "Content-Type: application/json")
      _ = georemind_curl_set_text(handle, CURLOPT_COPYPOSTFIELDS, text)
    } else {
      _ = georemind_curl_set_number(handle, CURLOPT_HTTPGET, 1)
    }
    _ = georemind_curl_set_pointer(handle, CURLOPT_HTTPHEADER, headers)
    let code = curl_easy_perform(handle)
    guard code == CURLE_OK else {
      throw RouteFailure(
        isTooLong
          ? "the answer is longer than \(Self.longestAnswer) bytes"
          : "cannot ask the engine: \(String(cString: curl_easy_strerror(code)))")
    }
    let status = georemind_curl_response_code(handle)
    guard status < 400 || !body.isEmpty else {
      throw RouteFailure("the engine answers with HTTP status \(status)")
    }
    return body
  }
}
