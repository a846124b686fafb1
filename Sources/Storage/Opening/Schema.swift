/// One step of the schema's history. A released step never changes; changes are new steps.
package struct Migration: Sendable {
  /// `user_version` after this step; steps are numbered consecutively.
  package let version: Int64
  package let script: String

  package init(version: Int64, script: String) {
    self.version = version
    self.script = script
  }
}

/// The tables of the store.
///
/// Times are microseconds since 1970 UTC (`…_us`). No fact is stored twice: a reminder's
/// `document` is a JSON object of the fields without a column, unknown ones included. The schema
/// uses no JSON functions: SQLite rejects them there while `trusted_schema` is off.
///
/// A reminder's `history` is what has happened to it. Its `state`, `due_us` and `nearest_us` follow
/// from that and the time: the queues and look-ups need them, and the engine writes them with each
/// plan that changes them. `machine` is the machine-id(5) of the ledger's machine. A row of
/// `undo_reminder` without a document is a reminder that the command added.
enum Schema {
  /// 'GeoR' in the file's header (https://sqlite.org/fileformat.html#application_id).
  static let applicationID: Int64 = 0x4765_6F52

  /// The first step creates all tables. Lower numbers belong to unreleased development versions,
  /// whose files are rejected.
  static let migrations = [
    Migration(version: 14, script: tables14), Migration(version: 15, script: placeIdentifiers15),
    Migration(version: 16, script: receipts16), Migration(version: 17, script: queues17),
    Migration(version: 18, script: owners18), Migration(version: 19, script: checksums19),
    Migration(version: 20, script: trackers20), Migration(version: 21, script: recipients21),
  ]

  /// The person whose destinations alone receive a firing; NULL is nobody in particular.
  private static let recipients21 = """
    ALTER TABLE firing ADD COLUMN recipient TEXT;
    UPDATE firing SET checksum = row_checksum(seq, id, reminder_id, kind, title, category, priority,
      time_us, event, latitude, longitude, eph_m, fix_time_us, place, distance_m, due_us, travel_us,
      late_us, why, repeated, source, who, recipient, held, delivered_us)
      WHERE checksum IS row_checksum(seq, id, reminder_id, kind, title, category, priority,
      time_us, event, latitude, longitude, eph_m, fix_time_us, place, distance_m, due_us, travel_us,
      late_us, why, repeated, source, who, held, delivered_us);
    """

  /// The tracker that a firing is about; NULL is the machine itself. A row that the file has
  /// changed keeps its checksum, which does not match.
  private static let trackers20 = """
    ALTER TABLE firing ADD COLUMN who TEXT;
    UPDATE firing SET checksum = row_checksum(seq, id, reminder_id, kind, title, category, priority,
      time_us, event, latitude, longitude, eph_m, fix_time_us, place, distance_m, due_us, travel_us,
      late_us, why, repeated, source, who, held, delivered_us)
      WHERE checksum IS row_checksum(seq, id, reminder_id, kind, title, category, priority,
      time_us, event, latitude, longitude, eph_m, fix_time_us, place, distance_m, due_us, travel_us,
      late_us, why, repeated, source, held, delivered_us);
    """

  /// The user who added a place or a category; NULL is everyone's. The indexes count them.
  private static let owners18 = """
    ALTER TABLE place ADD COLUMN owner INTEGER CHECK (owner BETWEEN 0 AND 4294967295);
    ALTER TABLE category ADD COLUMN owner INTEGER CHECK (owner BETWEEN 0 AND 4294967295);
    CREATE INDEX place_owner ON place (owner) WHERE owner IS NOT NULL;
    CREATE INDEX category_owner ON category (owner) WHERE owner IS NOT NULL;
    """

  /// See `RowChecksum`.
  private static let checksums19 = """
    ALTER TABLE reminder ADD COLUMN checksum INTEGER;
    ALTER TABLE reminder ADD COLUMN history_checksum INTEGER;
    ALTER TABLE firing ADD COLUMN checksum INTEGER;
    UPDATE reminder SET checksum = row_checksum(id, kind, title, category, priority, place_name,
      latitude, longitude, radius_m, due, transport, document),
      history_checksum = row_checksum(history, state, due_us, nearest_us);
    UPDATE firing SET checksum = row_checksum(seq, id, reminder_id, kind, title, category, priority,
      time_us, event, latitude, longitude, eph_m, fix_time_us, place, distance_m, due_us, travel_us,
      late_us, why, repeated, source, held, delivered_us);
    """

  /// Urgent firings overtake the others on their way to a destination, so it has a mark for each;
  /// without one, `upto` is the mark of both. Firings that waited for the end of a quiet time reach
  /// it as one summary.
  private static let queues17 = """
    ALTER TABLE consumer ADD COLUMN urgent_upto INTEGER CHECK (urgent_upto >= 0);
    CREATE INDEX firing_urgent ON firing (seq) WHERE priority BETWEEN 1 AND 3;
    ALTER TABLE firing ADD COLUMN held INTEGER CHECK (held = 1);
    """

  /// The outcome of each firing at its destinations, and its acknowledgement.
  private static let receipts16 = """
    CREATE TABLE receipt (
      seq INTEGER NOT NULL,
      consumer TEXT NOT NULL,
      time_us INTEGER NOT NULL,
      text TEXT,
      UNIQUE (seq, consumer)
    ) STRICT;
    CREATE TABLE acknowledgement (
      seq INTEGER PRIMARY KEY,
      user INTEGER NOT NULL,
      method TEXT NOT NULL,
      time_us INTEGER NOT NULL
    ) STRICT;
    """

  /// Other programs' identifiers of places, by which a moved one is found again.
  private static let placeIdentifiers15 = """
    ALTER TABLE place ADD COLUMN uid TEXT;
    CREATE INDEX place_uid ON place (uid) WHERE uid IS NOT NULL;
    """

  /// Tables recovered from a damaged file, parents first.
  static let tables = [
    "category", "place", "reminder", "firing", "state", "consumer", "receipt", "acknowledgement",
  ]

  /// Places are indexed by words (https://sqlite.org/fts5.html), by cells of a 64th of a degree,
  /// and by category and cell. Triggers cannot maintain the words: SQLite 3.40 rejects virtual
  /// tables in them while `trusted_schema` is off; see `PlaceWords`. Places of an import are hidden
  /// until it is complete.
  private static let tables14 = """
    CREATE TABLE category (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE COLLATE NOCASE CHECK (name <> ''),
      color TEXT NOT NULL CHECK (color GLOB
        '#[0-9A-Fa-f][0-9A-Fa-f][0-9A-Fa-f][0-9A-Fa-f][0-9A-Fa-f][0-9A-Fa-f]'),
      import INTEGER
    ) STRICT;

    CREATE TABLE place (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE COLLATE NOCASE CHECK (name <> ''),
      latitude REAL NOT NULL CHECK (latitude BETWEEN -90 AND 90),
      longitude REAL NOT NULL CHECK (longitude BETWEEN -180 AND 180),
      radius_m REAL NOT NULL CHECK (radius_m > 0 AND radius_m <= 5000000),
      category TEXT COLLATE NOCASE REFERENCES category (name)
        ON UPDATE CASCADE ON DELETE RESTRICT,
      notes TEXT,
      region TEXT,
      width_m REAL,
      import INTEGER,
      cell INTEGER GENERATED ALWAYS AS (
        CAST((latitude + 90) * 64 AS INTEGER) * 32768 + CAST((longitude + 180) * 64 AS INTEGER))
        VIRTUAL
    ) STRICT;
    CREATE INDEX place_category ON place (category, cell) WHERE category IS NOT NULL;
    CREATE INDEX place_cell ON place (cell, name);
    CREATE TABLE unfinished_import (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      first_place INTEGER NOT NULL,
      abandoned INTEGER NOT NULL DEFAULT 0 CHECK (abandoned IN (0, 1))
    ) STRICT;
    CREATE VIEW known_place AS SELECT * FROM place
      WHERE import IS NULL OR import NOT IN (SELECT id FROM unfinished_import);
    CREATE VIRTUAL TABLE place_words USING fts5 (
      name, notes, content = 'place', content_rowid = 'id', detail = none, columnsize = 0,
      prefix = '1 2 3', tokenize = 'unicode61 remove_diacritics 2');
    CREATE VIRTUAL TABLE place_terms USING fts5vocab (place_words, row);

    CREATE TABLE reminder (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE CHECK (id <> ''),
      kind TEXT NOT NULL CHECK (kind IN ('location', 'date', 'preemptive')),
      title TEXT NOT NULL,
      category TEXT COLLATE NOCASE,
      priority INTEGER NOT NULL DEFAULT 0 CHECK (priority BETWEEN 0 AND 9),
      place_name TEXT,
      latitude REAL CHECK (latitude BETWEEN -90 AND 90),
      longitude REAL CHECK (longitude BETWEEN -180 AND 180),
      radius_m REAL CHECK (radius_m > 0 AND radius_m <= 5000000),
      due TEXT,
      transport TEXT CHECK (transport IN ('driving', 'cycling', 'walking')),
      document TEXT NOT NULL DEFAULT '{}',
      history TEXT,
      state TEXT NOT NULL DEFAULT 'armed'
        CHECK (state IN ('armed', 'fired', 'snoozed', 'done', 'expired')),
      due_us INTEGER,
      nearest_us INTEGER NOT NULL DEFAULT 9223372036854775807,
      urgency INTEGER GENERATED ALWAYS AS (CASE priority WHEN 0 THEN 10 ELSE priority END) VIRTUAL,
      CHECK ((latitude IS NULL) = (longitude IS NULL) AND (latitude IS NULL) = (radius_m IS NULL))
    ) STRICT;
    CREATE INDEX reminder_nearest ON reminder (kind, nearest_us, urgency, seq)
      WHERE state IN ('armed', 'snoozed');
    CREATE INDEX reminder_category ON reminder (category);
    CREATE INDEX reminder_place ON reminder (place_name COLLATE NOCASE)
      WHERE place_name IS NOT NULL;

    CREATE TABLE firing (
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      reminder_id TEXT NOT NULL,
      kind TEXT NOT NULL,
      title TEXT NOT NULL,
      category TEXT,
      priority INTEGER NOT NULL,
      time_us INTEGER NOT NULL,
      event TEXT NOT NULL,
      latitude REAL,
      longitude REAL,
      eph_m REAL,
      fix_time_us INTEGER,
      place TEXT,
      distance_m REAL,
      due_us INTEGER,
      travel_us INTEGER,
      late_us INTEGER,
      repeated TEXT,
      source TEXT,
      why TEXT NOT NULL,
      delivered_us INTEGER
    ) STRICT;
    CREATE INDEX firing_undelivered ON firing (seq) WHERE delivered_us IS NULL;
    CREATE INDEX firing_time ON firing (time_us);
    CREATE INDEX firing_reminder ON firing (reminder_id, time_us);

    CREATE TABLE ledger (
      number INTEGER PRIMARY KEY CHECK (number = 1),
      uuid TEXT NOT NULL,
      last_seq INTEGER NOT NULL CHECK (last_seq >= 0),
      copied_us INTEGER,
      machine TEXT
    ) STRICT;

    CREATE TABLE consumer (
      name TEXT PRIMARY KEY,
      owner INTEGER NOT NULL,
      upto INTEGER NOT NULL CHECK (upto >= 0),
      tries INTEGER NOT NULL DEFAULT 0 CHECK (tries >= 0),
      failing_since_us INTEGER,
      next_try_us INTEGER,
      text TEXT
    ) STRICT;

    CREATE TABLE state (
      key TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) STRICT;

    CREATE TABLE undo (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      user INTEGER NOT NULL,
      method TEXT NOT NULL,
      time_us INTEGER NOT NULL,
      reminder TEXT NOT NULL,
      title TEXT NOT NULL DEFAULT '',
      reminders INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX undo_user ON undo (user, seq);
    CREATE TABLE undo_reminder (
      command INTEGER NOT NULL REFERENCES undo (seq) ON DELETE CASCADE,
      id TEXT NOT NULL,
      seq INTEGER,
      document TEXT,
      history TEXT,
      mark TEXT,
      file_item BLOB,
      file_mark TEXT,
      PRIMARY KEY (command, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX undo_reminder_id ON undo_reminder (id, command);
    """
}
