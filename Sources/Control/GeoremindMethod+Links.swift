/// The rights of a caller by a link, and the lists that a method changes.
extension GeoremindMethod {
  /// The access that a method needs from a link.
  package enum Access: Sendable {
    /// Each link may call it.
    case read
    /// A link that may change, or only answer a firing.
    case answer
    /// A link that may change.
    case change
    /// No link: it is for the user at the machine.
    case none
  }

  /// A token is a secret of a browser: it makes no links, reads no secrets of the machine, and
  /// touches neither destinations nor imports.
  package var access: Access {
    switch self {
    case .check, .list, .pageReminders, .show, .listUndo, .peek, .next, .why, .parseTime, .status,
      .log, .readLedger, .listPlaces, .pagePlaces, .showPlace, .findPlaces, .listCategories,
      .whereIs, .listTrackers, .watchFirings, .watchStatus, .watchFixes, .watchPresence,
      .watchChanges, .placesInBox, .fencesInBox, .actAs, .listTrips, .readTrack, .replayTrack,
      .suggestPlaces:
      .read
    case .done, .snooze: .answer
    case .add, .edit, .remove, .undo, .reopen, .pop, .addPlace, .editPlace,
      .mergePlaces, .removePlace, .addCategory, .editCategory, .removeCategory:
      .change
    case .importReminders, .forgetTrips, .forgetTracker, .openConsumer, .setConsumer,
      .listConsumers, .skipFiring,
      .forgetConsumer, .mute, .testConsumers, .endTest, .beginPlaceImport, .importPlaces,
      .finishPlaceImport, .abandonPlaceImport, .makeLink, .listLinks, .revokeLink, .addPhone,
      .listPhones, .revokePhone, .watchPhones, .forgetTrack:
      .none
    }
  }

  /// The lists that `WatchChanges` names after a call. The store reports changed reminders.
  package var changedLists: [String] {
    switch self {
    case .addPlace, .editPlace, .mergePlaces, .removePlace: ["places"]
    // An import may bring categories, and a colour is one of places as well.
    case .finishPlaceImport, .addCategory, .editCategory, .removeCategory:
      ["categories", "places"]
    default: []
    }
  }
}
