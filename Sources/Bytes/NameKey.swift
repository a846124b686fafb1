extension String {
  /// Equal for two spellings of one name of a place or a category: letters of ASCII in lower case,
  /// as the store compares names (NOCASE, https://sqlite.org/datatype3.html#collation).
  /// - Complexity: O(n).
  package var nameKey: String {
    String(decoding: utf8.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
