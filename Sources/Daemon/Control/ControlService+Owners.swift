import Control
import JSONText
import LinuxRuntime
import Reminders
import Storage

/// The calling user. A caller may change their own reminders, places and categories, and those
/// without an owner.
///
/// Additions of group members are theirs. Additions of root, of files, and from before the
/// introduction of owners have none.
struct Caller: Equatable {
  let user: UInt32
  let process: Int32
  /// root or the daemon's own user: may change all reminders and adds them without an owner.
  let isMaster: Bool
  /// How a caller by a link is limited; nil for one at the socket.
  var link: AccessLink?

  /// The user id that the kernel shows for unmapped users (/proc/sys/kernel/overflowuid,
  /// user_namespaces(7)). Several people share it.
  static let unmapped: UInt32 = 65_534

  init(user: UInt32, process: Int32 = 0, daemon: UInt32) {
    self.user = user
    self.process = process
    isMaster = user == 0 || user == daemon
  }

  init(_ peer: PeerCredentials) {
    self.init(user: peer.userID, process: peer.processID, daemon: PeerCredentials.ownUser)
  }

  func mayChange(ownedBy owner: UInt32?) -> Bool {
    guard !isMaster, let owner else { return true }
    return owner == user && user != Self.unmapped
  }

  /// The owner of a place or a category that they add.
  var owner: UInt32? { isMaster ? nil : user }

  /// A reminder that they add: root may add one in the name of another.
  func owning(_ reminder: Reminder) -> Reminder {
    guard !isMaster else { return reminder }
    var reminder = reminder
    reminder.owner = user
    reminder.unknown["owner"] = nil
    return reminder
  }

  /// An owner may let everyone have it; root may do anything.
  func mayGive(_ reminder: Reminder, to owner: UInt32?) -> Bool {
    isMaster || owner == reminder.owner || owner == nil
  }
}

extension ControlService {
  /// - Throws: `refusedByPolicy` for another user's reminder; the journal gets no content of it.
  func mayChange(_ reminder: Reminder, by method: String) throws(GeoremindError) {
    guard !caller.mayChange(ownedBy: reminder.owner), let owner = reminder.owner else { return }
    try requireSharing("reminder \(reminder.id)", of: owner, by: method, reminder: reminder.id)
  }

  /// - Throws: `refusedByPolicy` for another user's category.
  func mayChange(_ category: Storage.Category, by method: String) throws(GeoremindError) {
    guard !caller.mayChange(ownedBy: category.owner), let owner = category.owner else { return }
    try requireSharing("a category", of: owner, by: method)
  }

  /// Refuses a change to what another user owns, unless the configuration shares changes.
  /// - Parameter subject: what the call would change, without its content.
  func requireSharing(
    _ subject: String, of owner: UInt32, by method: String, reminder: String? = nil
  ) throws(GeoremindError) {
    guard !daemon.settings.sharesChanges else { return }
    daemon.refusals.report(
      "Refused user \(caller.user), process \(caller.process), to change \(subject) "
        + "of user \(owner) (\(method))",
      user: caller.user, process: caller.process, .change, reminder: reminder)
    throw .refusedByPolicy(
      reason: "\(subject) is of user \(owner), and only that user and root may "
        + "change it; SharedChanges=yes would let all members of the group")
  }

  /// The reminders that follow a place when the caller changes or removes it.
  ///
  /// An owner of the place is held back by nobody's reminders: a reminder that the caller may not
  /// change keeps its copy. A place without an owner is everyone's, so all reminders that follow it
  /// by name, or wait for any place of its category, must be the caller's to change.
  /// - Throws: `refusedByPolicy` for a place, or a reminder, of another user.
  func followers(of place: SavedPlace, by method: String) throws -> [String] {
    if !caller.mayChange(ownedBy: place.owner), let owner = place.owner {
      try requireSharing("a place", of: owner, by: method)
    }
    let followers = try daemon.store.places.followers(of: place)
    guard place.owner == nil else {
      return try followers.filter { id in
        let owner = try daemon.store.reminders.reminder(id: id)?.reminder.owner
        return caller.mayChange(ownedBy: owner) || daemon.settings.sharesChanges
      }
    }
    let near = place.category.map { daemon.host.reminders(nearCategory: $0) } ?? []
    for id in followers + near {
      if let entry = try daemon.store.reminders.reminder(id: id) {
        try mayChange(entry.reminder, by: method)
      }
    }
    return followers
  }
}
