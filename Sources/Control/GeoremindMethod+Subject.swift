/// The subject of a method, the noun of its errors.
package enum GeoremindSubject: String, Sendable {
  case reminder, firing, destination, mute, place, category, tracker, trip, link, phone, time

  /// The verb that lists them; nil where there is no list.
  package var listing: String? {
    switch self {
    case .reminder: "list"
    case .firing: "log"
    case .destination: "delivery"
    case .place: "place list"
    case .category: "category list"
    case .tracker: "tracker list"
    case .trip: "trips"
    case .link: "web links"
    case .phone: "phone list"
    case .mute, .time: nil
    }
  }

  /// The sentence about a name that none has.
  package func unknown(_ name: String) -> String {
    "there is no \(rawValue) '\(name)'"
  }

  /// The sentence about a parameter that cannot be.
  package func invalid(_ field: String, because reason: String) -> String {
    "the \(rawValue)'s '\(field)' is not valid: \(reason); correct it and try again"
  }
}

extension GeoremindMethod {
  /// The kind of thing that its parameters describe, and that its `name` or `id` names.
  package var subject: GeoremindSubject {
    switch self {
    case .add, .check, .importReminders, .list, .pageReminders, .show, .edit, .remove, .done,
      .snooze, .undo, .listUndo, .reopen, .peek, .pop, .next, .why, .log, .fencesInBox,
      .watchChanges, .status, .watchStatus:
      .reminder
    case .readLedger, .watchFirings: .firing
    case .openConsumer, .setConsumer, .listConsumers, .skipFiring, .forgetConsumer,
      .testConsumers, .endTest:
      .destination
    case .mute: .mute
    case .addPlace, .listPlaces, .pagePlaces, .showPlace, .findPlaces, .editPlace, .mergePlaces,
      .removePlace, .beginPlaceImport, .importPlaces, .finishPlaceImport, .abandonPlaceImport,
      .placesInBox, .suggestPlaces:
      .place
    case .addCategory, .editCategory, .listCategories, .removeCategory: .category
    case .whereIs, .listTrackers, .forgetTracker, .watchFixes, .watchPresence:
      .tracker
    case .forgetTrips, .listTrips, .readTrack, .replayTrack, .forgetTrack: .trip
    case .makeLink, .listLinks, .revokeLink, .actAs: .link
    case .addPhone, .listPhones, .revokePhone, .watchPhones: .phone
    case .parseTime: .time
    }
  }
}
