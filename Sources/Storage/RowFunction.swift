import CSQLite

/// The values of one row, valid only inside the closure that is given them.
struct RowValues {
  fileprivate let values: UnsafeBufferPointer<OpaquePointer?>

  /// The value of a column by its number; the number is trusted.
  subscript(column: Int) -> OpaquePointer? { values[column] }
}

extension Database {
  /// Hands the values of each row of a table to `body`, in the order of row numbers.
  ///
  /// A function of SQL is given them, an aggregate, so that one step goes through the whole table. Of a
  /// row that a statement stopped at each value has to be asked for, and with each SQLite looks at
  /// connection and statement first: with a million rows a seventh of a start
  /// (https://sqlite.org/c3ref/create_function.html).
  func scan(_ table: String, _ columns: String, _ body: (RowValues) -> Void) throws(StoreError) {
    let result = withoutActuallyEscaping(body) { body in
      Result { () throws(StoreError) in
        let receiver = RowReceiver(body)
        try define(receiver)
        defer {
          try? define(nil)
          // SQLite does not keep it.
          withExtendedLifetime(receiver) {}
        }
        // An index could bring them in another order.
        try run("SELECT \(RowReceiver.name)(\(columns)) FROM \(table) NOT INDEXED")
      }
    }
    try result.get()
  }

  /// Makes the function known, or unknown again. The caller must keep the receiver for as long.
  private func define(_ receiver: RowReceiver?) throws(StoreError) {
    try check { handle in
      sqlite3_create_function_v2(
        handle, RowReceiver.name, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
        receiver.map { Unmanaged.passUnretained($0).toOpaque() }, nil,
        receiver == nil ? nil : RowReceiver.step, receiver == nil ? nil : RowReceiver.end, nil)
    }
  }
}

/// What the function of SQL hands rows to.
private final class RowReceiver {
  static let name = "each_row"

  private let body: (RowValues) -> Void

  init(_ body: @escaping (RowValues) -> Void) { self.body = body }

  static let step:
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void =
      { context, count, values in
        guard let receiver = sqlite3_user_data(context) else { return }
        Unmanaged<RowReceiver>.fromOpaque(receiver).takeUnretainedValue()
          .body(RowValues(values: UnsafeBufferPointer(start: values, count: Int(count))))
      }

  /// Its answer is NULL.
  static let end: @convention(c) (OpaquePointer?) -> Void = { _ in }
}
