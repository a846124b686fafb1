/// The interface of the daemon: what its socket understands, in Varlink's own words. The text is
/// what `org.varlink.service.GetInterfaceDescription` answers and what calls are checked against.
package enum GeoremindInterface {
  package static let name = "org.georemind"

  /// The methods that answer many times, fully qualified.
  package static let streamingMethods = Set(
    GeoremindMethod.allCases.filter(\.isStreaming).map { "\(name).\($0.rawValue)" })

  package static let text = """
    # Reminders that fire at places and times. georemind(1) is a client of this
    # interface and does nothing that it does not offer.
    #
    # Lengths are metres, spans seconds, coordinates decimal degrees on WGS 84
    # (north and east positive), instants RFC 3339 in UTC.
    interface org.georemind

    # What makes a reminder fire: a place, a time, or the time to leave for a place.
    type Kind (location, date, preemptive)

    # A circle with a name that reminders refer to. The colour is its category's. Where
    # it is more than a circle, region is a GeoJSON geometry within it; a line has a
    # width. The distance is that from where a search was asked.
    type Place (
      name: string,
      latitude: float,
      longitude: float,
      radius_m: float,
      category: ?string,
      color: ?string,
      notes: ?string,
      region: ?object,
      width_m: ?float,
      distance_m: ?float
    )

    # A sort of place. The colour is written #RRGGBB.
    type Category (
      name: string,
      color: string
    )

    # A reminder is an object with the members id, kind, title and, where set, notes,
    # category, priority, place {name, lat, lon, radius_m}, near_category, radius_m
    # (around each place of the category), region, width_m, on, dwell_s, due, lead_s,
    # nag_s, transport, travel_s, repeat, repeat_also, repeat_except, zone, every_visit,
    # cooldown_s, from, until, hours, days, max_speed_mps, if_inside, state, owner. One that
    # was read from a calendar has source {file, standing}. Members that are not known are
    # kept. An id may be shortened as long as it stays unambiguous.
    #
    # The owner is the user (uid) who added it: the daemon sets it, and lets only that
    # user and root change the reminder (RefusedByPolicy). One without may be changed by
    # all who may call; so may any where the configuration says SharedChanges=yes.

    # Adds a reminder; without an id it is given one.
    method Add(reminder: object) -> (id: string)

    # Adds many reminders, all of them or, on an error, none.
    method Import(reminders: []object) -> (ids: []string)

    # Reminders in the order of arrival. Those done or expired come with 'all' only. Too
    # many for one answer are refused (RefusedByPolicy): PageReminders gives them.
    method List(kind: ?Kind, all: ?bool) -> (reminders: []object)

    # A page of all reminders in the order of arrival: those behind 'after', which is the
    # 'next' of the page before. The last page has none.
    method PageReminders(after: ?int, limit: ?int) -> (reminders: []object, next: ?int)

    # One reminder.
    method Show(id: string) -> (reminder: object)

    # Replaces the members that are given; null removes one.
    method Edit(id: string, changes: object) -> (reminder: object)

    # Deletes a reminder and answers what it was.
    method Remove(id: string) -> (reminder: object)

    # Marks a reminder as done; one that repeats moves on to its next time.
    method Done(id: string) -> (reminder: object)

    # Puts a reminder off: a span (20min), a time stamp, or next-visit.
    method Snooze(id: string, until: string) -> (reminder: object)

    # The reminder of a kind that is nearest by date, if any.
    method Peek(kind: Kind) -> (reminder: ?object)

    # As Peek, and marks it as done.
    method Pop(kind: Kind) -> (reminder: ?object)

    # What fires next: timers by time, places by distance from the current fix. Dates whose
    # moment has come by a clock that is not trusted come first, and have waits_for_clock.
    method Next(limit: ?int) -> (timers: []object, places: []object)

    # Why a reminder has not fired: an object with the members id, title, kind, state,
    # time, last_fired, feed, summary, and gates, each with gate, passed, says, where it
    # is shut remedy, and its figures.
    method Why(id: string) -> (why: object)

    # The daemon's health: feeds, fix, store, counters.
    method Status() -> (status: object)

    # Forgets what own trips by one mode of transport have taught, or by all of them.
    method ForgetTrips(transport: ?string) -> ()

    # Past firings from the ledger, the latest last. A firing has firing_id,
    # reminder_id, kind, title, time, event and, where they apply, lat, lon, eph_m,
    # place, distance_m, due, travel_s, late_s, why.
    method Log(limit: ?int, since: ?string, reminder: ?string) -> (firings: []object)

    # Adds a place. Without a radius it has the configured one.
    method AddPlace(
      name: string,
      latitude: float,
      longitude: float,
      radius_m: ?float,
      category: ?string,
      notes: ?string
    ) -> (place: Place)

    # Places by name, all of them or those of one category.
    method ListPlaces(category: ?string) -> (places: []Place)

    # A page of what ListPlaces answers: the places whose name comes after 'after'. For
    # many places; an empty list is the end.
    method PagePlaces(after: ?string, category: ?string, limit: ?int) -> (places: []Place)

    # One place, and the reminders that were made from it.
    method ShowPlace(name: string) -> (place: Place, reminders: []string)

    # Places by words of their name and notes (beginnings will do), by category and by
    # distance: all that is given must hold. The nearest come first, without a position
    # to be near to those come first that are first by name. 20 without a limit.
    method FindPlaces(
      words: ?string,
      category: ?string,
      latitude: ?float,
      longitude: ?float,
      within_m: ?float,
      limit: ?int
    ) -> (places: []Place)

    # Changes a place: what is given is new, the rest stays. Reminders made from it
    # follow; their ids are answered.
    method EditPlace(
      name: string,
      new_name: ?string,
      latitude: ?float,
      longitude: ?float,
      radius_m: ?float,
      category: ?string,
      notes: ?string
    ) -> (place: Place, reminders: []string)

    # Removes the place 'name' and lets the reminders made from it follow to 'into'.
    method MergePlaces(name: string, into: string) -> (place: Place, reminders: []string)

    # Deletes a place and answers what it was, and the reminders made from it: they keep
    # their copy. With 'unless_used' a place that has such reminders stays: InUse.
    method RemovePlace(
      name: string,
      unless_used: ?bool
    ) -> (place: Place, reminders: []string)

    # Begins to add many places, in as many calls as need be.
    method BeginPlaceImport() -> (import: int)

    # Adds to an import. A place that is there already is passed over: one of the same
    # name, 20 m off at most. A name that is taken elsewhere gets a number. Categories
    # that are not there are added.
    method ImportPlaces(import: int, places: []object) -> (added: int, known: int)

    # Ends an import: all its places are there from now on. Until then none is, and
    # without it none will be.
    method FinishPlaceImport(import: int) -> (added: int, known: int)

    # Gives an import up.
    method AbandonPlaceImport(import: int) -> ()

    # Adds a category.
    method AddCategory(name: string, color: string) -> (category: Category)

    # Gives a category another colour.
    method EditCategory(name: string, color: string) -> (category: Category)

    # Categories by name.
    method ListCategories() -> (categories: []Category)

    # Deletes a category that nothing refers to and answers what it was.
    method RemoveCategory(name: string) -> (category: Category)

    # The current fix, its age, and the nearest places with distance, bearing and the
    # estimated seconds to get there by each means of transport.
    method Where() -> (fix: ?object, age_s: ?float, nearest: []object)

    # Each firing from now on. Must be called with 'more'.
    method WatchFirings() -> (firing: object)

    # The status now and whenever it changes. Must be called with 'more'.
    method WatchStatus() -> (status: object)

    # Nothing has this id or name.
    error NotFound (id: string)

    # Several reminders begin with this id.
    error Ambiguous (id: string, candidates: []string)

    # The reminder cannot be: which of its members, and why.
    error InvalidReminder (field: string, reason: string)

    # Reminders still refer to it.
    error InUse (name: string, reminders: []string)

    # The name is taken.
    error AlreadyExists (name: string)

    # The reminder's state does not allow it.
    error WrongState (id: string, state: string)

    # The database cannot be read or written.
    error StoreTrouble (reason: string)

    # The configuration, or who is calling, does not allow it.
    error RefusedByPolicy (reason: string)

    """
}
