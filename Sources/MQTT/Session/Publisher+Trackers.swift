import JSONText

/// Where the trackers are, to the broker.
///
/// The broker retains what an earlier run has published: it is read with each connection, so that
/// a tracker disappears whose owner has ended to share it.
extension Publisher {
  mutating func take(presence answer: JSONObject, _ effects: inout [Effect]) {
    let old = trackers ?? [:]
    var new: [String: TrackerDocument] = [:]
    for tracker in answer["trackers"]?.array ?? [] {
      guard let name = tracker["name"]?.string else { continue }
      new[name] = TrackerDocument(tracker, hasPosition: settings.publishesPosition)
    }
    trackers = new
    guard isConnected else { return }
    for name in new.keys.sorted() where new[name] != old[name] {
      if old[name] == nil { announce(tracker: name, &effects) }
      publish(name, &effects)
    }
    retainedTrackers.formUnion(old.keys.compactMap(Topics.key(ofTracker:)))
    withdrawTrackers(&effects)
  }

  /// The broker retains the attributes of a tracker.
  mutating func found(tracker key: String, _ effects: inout [Effect]) {
    retainedTrackers.insert(key)
    withdrawTrackers(&effects)
  }

  /// All trackers, to a subscriber that is new.
  func announceTrackers(_ effects: inout [Effect]) {
    if settings.published == .nothing {
      let topics = [topics.position, Topics.state(of: topics.position)]
      effects += topics.map { .publish(.clearing($0), nil) }
    }
    for name in (trackers ?? [:]).keys.sorted() {
      announce(tracker: name, &effects)
      publish(name, &effects)
    }
  }

  private func announce(tracker name: String, _ effects: inout [Effect]) {
    guard settings.announcesEntities, let key = Topics.key(ofTracker: name) else { return }
    effects.append(.publish(discovery.message(ofTracker: key, named: name), nil))
  }

  private func publish(_ name: String, _ effects: inout [Effect]) {
    guard let document = trackers?[name] else { return }
    let attributes = topics.attributes(ofTracker: Topics.key(ofTracker: name))
    retain(attributes, document.attributes, &effects)
    retain(Topics.state(of: attributes), document.state, &effects)
  }

  /// Removes the retained trackers that are none, once it is known which are.
  private mutating func withdrawTrackers(_ effects: inout [Effect]) {
    guard let trackers else { return }
    let present = Set(trackers.keys.compactMap(Topics.key(ofTracker:)))
    for key in retainedTrackers.subtracting(present).sorted() {
      effects += discovery.withdrawal(ofTracker: key).map { .publish($0, nil) }
    }
    retainedTrackers = []
  }
}
