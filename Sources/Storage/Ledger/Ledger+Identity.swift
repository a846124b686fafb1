import Bytes
package import CivilTime

/// The identity of a ledger: another one numbers its firings on its own.
extension Ledger {
  /// Time of the copy, if this database is a copy of a running one not used yet; else nil.
  package func copyTime() throws(StoreError) -> Instant? {
    try database.integer("SELECT copied_us FROM ledger").map(Instant.init(microseconds:))
  }

  /// Marks this copy as in use.
  package func beginAfterCopy() throws(StoreError) {
    try database.run("UPDATE ledger SET copied_us = NULL")
  }

  /// Whether it has no identity: it is new, or its row was lost.
  var isAnonymous: Bool {
    get throws(StoreError) { try database.integer("SELECT 1 FROM ledger") == nil }
  }

  /// Gives the ledger a new UUID and numbers on from its last firing. The UUID qualifies a
  /// remembered `seq`: a backup numbers its firings on its own and has another UUID.
  /// - Parameter copied: time of the copy, for a copy.
  func identify(copied: Instant? = nil) throws(StoreError) {
    var name = ByteWriter(capacity: 36)
    // Version 4 (RFC 9562 §5.4), variant 10 in binary.
    let random = UInt128.random(in: .min ... .max)
    name.add(uuid: random & ~(0xF << 76) & ~(3 << 62) | 4 << 76 | 2 << 62)
    try database.run(
      """
      INSERT INTO ledger (number, uuid, last_seq, copied_us)
      VALUES (1, ?1, (SELECT coalesce(max(seq), 0) FROM firing), ?2)
      ON CONFLICT (number) DO UPDATE SET uuid = ?1, copied_us = ?2
      """, [.text(name.text), SQLValue(copied)])
  }

  /// Distinguishes this ledger's numbers from another's.
  package func uuid() throws(StoreError) -> String {
    try database.text("SELECT uuid FROM ledger") ?? ""
  }

  /// Binds the ledger to a machine. A ledger of another machine gets a new UUID: both may go on
  /// numbering. Returns whether it did.
  @discardableResult
  package func claim(machine: String) throws(StoreError) -> Bool {
    let known = try database.text("SELECT machine FROM ledger")
    guard known != machine else { return false }
    return try database.transaction { () throws(StoreError) in
      if known != nil { try identify(copied: try copyTime()) }
      try database.run("UPDATE ledger SET machine = ?", [.text(machine)])
      return known != nil
    }
  }
}
