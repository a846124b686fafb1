/// The methods of `org.georemind`, by their names in the interface.
///
/// A switch over it is exhaustive, so a method without an answer does not compile. A test compares
/// the names with the interface.
package enum GeoremindMethod: String, CaseIterable, Sendable {
  case add = "Add"
  case check = "Check"
  case importReminders = "Import"
  case list = "List"
  case pageReminders = "PageReminders"
  case show = "Show"
  case edit = "Edit"
  case remove = "Remove"
  case done = "Done"
  case snooze = "Snooze"
  case undo = "Undo"
  case listUndo = "ListUndo"
  case reopen = "Reopen"
  case peek = "Peek"
  case pop = "Pop"
  case next = "Next"
  case why = "Why"
  case parseTime = "ParseTime"
  case status = "Status"
  case forgetTrips = "ForgetTrips"
  case log = "Log"
  case readLedger = "ReadLedger"
  case openConsumer = "OpenConsumer"
  case setConsumer = "SetConsumer"
  case listConsumers = "ListConsumers"
  case skipFiring = "SkipFiring"
  case forgetConsumer = "ForgetConsumer"
  case mute = "Mute"
  case testConsumers = "TestConsumers"
  case endTest = "EndTest"
  case addPlace = "AddPlace"
  case listPlaces = "ListPlaces"
  case pagePlaces = "PagePlaces"
  case showPlace = "ShowPlace"
  case findPlaces = "FindPlaces"
  case editPlace = "EditPlace"
  case mergePlaces = "MergePlaces"
  case removePlace = "RemovePlace"
  case beginPlaceImport = "BeginPlaceImport"
  case importPlaces = "ImportPlaces"
  case finishPlaceImport = "FinishPlaceImport"
  case abandonPlaceImport = "AbandonPlaceImport"
  case addCategory = "AddCategory"
  case editCategory = "EditCategory"
  case listCategories = "ListCategories"
  case removeCategory = "RemoveCategory"
  case whereIs = "Where"
  case listTrackers = "ListTrackers"
  case forgetTracker = "ForgetTracker"
  case watchFirings = "WatchFirings"
  case watchStatus = "WatchStatus"
  case watchFixes = "WatchFixes"
  case watchPresence = "WatchPresence"
  case watchChanges = "WatchChanges"
  case placesInBox = "PlacesInBox"
  case fencesInBox = "FencesInBox"
  case listTrips = "ListTrips"
  case readTrack = "ReadTrack"
  case replayTrack = "ReplayTrack"
  case suggestPlaces = "SuggestPlaces"
  case forgetTrack = "ForgetTrack"
  case makeLink = "MakeLink"
  case listLinks = "ListLinks"
  case revokeLink = "RevokeLink"
  case actAs = "ActAs"
  case addPhone = "AddPhone"
  case listPhones = "ListPhones"
  case revokePhone = "RevokePhone"
  case watchPhones = "WatchPhones"

  /// Whether it must be called with `more`, which Varlink's language cannot express.
  package var isStreaming: Bool {
    [
      .watchFirings, .watchStatus, .watchFixes, .watchPresence, .watchChanges, .watchPhones,
    ].contains(self)
  }

  /// Whether its answer may take longer than some milliseconds: calls of other methods of the same
  /// user go first.
  package var isLong: Bool {
    switch self {
    case .importReminders, .list, .pageReminders, .log, .listPlaces, .pagePlaces,
      .findPlaces, .importPlaces, .finishPlaceImport, .removeCategory, .placesInBox, .fencesInBox,
      .listTrips, .readTrack, .replayTrack, .suggestPlaces, .forgetTrack:
      true
    case .add, .check, .show, .edit, .remove, .done, .snooze, .undo, .listUndo, .reopen, .peek,
      .pop, .next, .why, .parseTime, .status, .forgetTrips, .readLedger,
      .openConsumer, .setConsumer, .listConsumers, .skipFiring, .forgetConsumer, .mute,
      .testConsumers, .endTest, .addPlace, .showPlace, .editPlace, .mergePlaces, .removePlace,
      .beginPlaceImport, .abandonPlaceImport, .addCategory, .editCategory, .listCategories,
      .whereIs, .listTrackers, .forgetTracker, .watchFirings, .watchStatus, .watchFixes,
      .watchPresence, .watchChanges, .makeLink, .listLinks, .revokeLink, .actAs, .addPhone,
      .listPhones, .revokePhone, .watchPhones:
      false
    }
  }

  /// Whether it changes what it finds in the store, which must be up to date for it: pending
  /// decisions are stored first.
  package var changesStored: Bool {
    switch self {
    case .edit, .remove, .done, .snooze, .pop, .undo, .reopen, .editPlace, .mergePlaces: true
    case .add, .check, .importReminders, .list, .pageReminders, .show, .peek, .next, .why,
      .listUndo, .parseTime, .status, .forgetTrips, .log, .readLedger, .openConsumer, .setConsumer,
      .listConsumers, .skipFiring, .forgetConsumer, .mute, .testConsumers, .endTest, .addPlace,
      .listPlaces, .pagePlaces, .showPlace, .findPlaces, .removePlace, .beginPlaceImport,
      .importPlaces, .finishPlaceImport, .abandonPlaceImport, .addCategory, .editCategory,
      .listCategories, .removeCategory, .whereIs, .listTrackers, .forgetTracker, .watchFirings,
      .watchStatus, .watchFixes, .watchPresence, .watchChanges, .placesInBox, .fencesInBox,
      .makeLink, .listLinks, .revokeLink, .actAs, .addPhone, .listPhones, .revokePhone,
      .watchPhones, .listTrips, .readTrack, .replayTrack, .suggestPlaces, .forgetTrack:
      false
    }
  }
}

extension VarlinkCall {
  /// nil for a method that the interface does not have.
  package var georemindMethod: GeoremindMethod? { GeoremindMethod(rawValue: methodName) }
}
