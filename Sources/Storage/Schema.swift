/// One step of the schema's history. A step that was ever released is never changed: what a later
/// version needs is a new step.
package struct Migration: Sendable {
  /// `user_version` after it; counted from 1 without gaps.
  package let version: Int64
  package let name: String
  package let script: String

  package init(version: Int64, name: String, script: String) {
    self.version = version
    self.name = name
    self.script = script
  }
}

/// What the tables look like.
///
/// Times are microseconds since 1970 UTC (`…_us`). Nothing is kept twice: what has a column of its
/// own is not in a reminder's `document`, which holds its other fields, also those this program does
/// not know, as a JSON object. JSON functions stay out of the schema: SQLite refuses them there
/// while `trusted_schema` is off.
enum Schema {
  /// 'GeoR', kept in the file's header (https://sqlite.org/fileformat.html#application_id).
  static let applicationID: Int64 = 0x4765_6F52

  static let migrations = [
    Migration(version: 1, name: "first tables", script: firstTables),
    Migration(version: 2, name: "points of interest", script: pointsOfInterest),
    Migration(version: 3, name: "a start without reading documents", script: quickStart),
    Migration(version: 4, name: "decisions on one page", script: decisions),
    Migration(version: 5, name: "zones that change and nagging", script: civilTime),
    Migration(version: 6, name: "quick search", script: quickSearch),
    Migration(version: 7, name: "decisions in one value", script: decisionRecords),
    Migration(version: 8, name: "decisions in a log of their own", script: decisionLog),
  ]

  /// Tables whose rows are worth saving from a damaged file, parents first.
  static let tables = [
    "category", "place", "reminder", "firing", "state", "queue", "decision", "decision_log",
  ]

  private static let firstTables = """
    CREATE TABLE category (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE COLLATE NOCASE CHECK (name <> ''),
      color TEXT NOT NULL CHECK (color GLOB
        '#[0-9A-Fa-f][0-9A-Fa-f][0-9A-Fa-f][0-9A-Fa-f][0-9A-Fa-f][0-9A-Fa-f]')
    ) STRICT;

    CREATE TABLE place (
      id INTEGER PRIMARY KEY,
      name TEXT NOT NULL UNIQUE COLLATE NOCASE CHECK (name <> ''),
      latitude REAL NOT NULL CHECK (latitude BETWEEN -90 AND 90),
      longitude REAL NOT NULL CHECK (longitude BETWEEN -180 AND 180),
      radius_m REAL NOT NULL CHECK (radius_m > 0 AND radius_m <= 5000000),
      category TEXT COLLATE NOCASE REFERENCES category (name)
        ON UPDATE CASCADE ON DELETE RESTRICT,
      notes TEXT
    ) STRICT;
    CREATE INDEX place_category ON place (category);

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
      document TEXT NOT NULL DEFAULT '{}',
      state TEXT NOT NULL DEFAULT 'armed'
        CHECK (state IN ('armed', 'fired', 'snoozed', 'done', 'expired')),
      presence TEXT NOT NULL DEFAULT 'unknown'
        CHECK (presence IN ('unknown', 'outside', 'inside')),
      inside_since_us INTEGER,
      visit_settled INTEGER NOT NULL DEFAULT 0 CHECK (visit_settled IN (0, 1)),
      occurrence_us INTEGER,
      leads_fired INTEGER NOT NULL DEFAULT 0 CHECK (leads_fired >= 0),
      last_fired_us INTEGER,
      snoozed_until_us INTEGER,
      unacknowledged INTEGER NOT NULL DEFAULT 0 CHECK (unacknowledged IN (0, 1)),
      nearest_us INTEGER GENERATED ALWAYS AS (coalesce(
        CASE state WHEN 'snoozed' THEN snoozed_until_us ELSE occurrence_us END,
        9223372036854775807)) VIRTUAL,
      urgency INTEGER GENERATED ALWAYS AS (CASE priority WHEN 0 THEN 10 ELSE priority END) VIRTUAL,
      CHECK ((latitude IS NULL) = (longitude IS NULL) AND (latitude IS NULL) = (radius_m IS NULL))
    ) STRICT;
    CREATE INDEX reminder_nearest ON reminder (kind, nearest_us, urgency, seq)
      WHERE state IN ('armed', 'snoozed');
    CREATE INDEX reminder_category ON reminder (category);

    CREATE TABLE firing (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
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
      why TEXT NOT NULL,
      delivered_us INTEGER
    ) STRICT;
    CREATE INDEX firing_undelivered ON firing (time_us) WHERE delivered_us IS NULL;
    CREATE INDEX firing_time ON firing (time_us);
    CREATE INDEX firing_reminder ON firing (reminder_id, time_us);

    CREATE TABLE state (
      key TEXT PRIMARY KEY,
      value TEXT NOT NULL
    ) STRICT;

    CREATE TABLE queue (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL,
      priority INTEGER NOT NULL,
      payload TEXT NOT NULL
    ) STRICT;
    CREATE INDEX queue_order ON queue (name, priority, seq);
    CREATE INDEX queue_payload ON queue (name, payload);
    """

  /// Places by the million: shapes, search by words (https://sqlite.org/fts5.html) and by cells of a
  /// 64th of a degree, and imports that are not seen before they are whole. No triggers keep the words:
  /// SQLite 3.40 refuses virtual tables in them while `trusted_schema` is off; see `PlaceWords`.
  private static let pointsOfInterest = """
    ALTER TABLE place ADD COLUMN region TEXT;
    ALTER TABLE place ADD COLUMN width_m REAL;
    ALTER TABLE place ADD COLUMN import INTEGER;
    ALTER TABLE place ADD COLUMN cell INTEGER GENERATED ALWAYS AS (
      CAST((latitude + 90) * 64 AS INTEGER) * 32768 + CAST((longitude + 180) * 64 AS INTEGER))
      VIRTUAL;
    CREATE INDEX place_cell ON place (cell, name);
    ALTER TABLE category ADD COLUMN import INTEGER;
    CREATE INDEX reminder_place ON reminder (place_name COLLATE NOCASE)
      WHERE place_name IS NOT NULL;

    CREATE TABLE unfinished_import (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      first_place INTEGER NOT NULL,
      abandoned INTEGER NOT NULL DEFAULT 0 CHECK (abandoned IN (0, 1))
    ) STRICT;
    CREATE VIEW known_place AS SELECT * FROM place
      WHERE import IS NULL OR import NOT IN (SELECT id FROM unfinished_import);

    CREATE VIRTUAL TABLE place_words USING fts5 (
      name, notes, content = 'place', content_rowid = 'id', detail = none, columnsize = 0,
      tokenize = 'unicode61 remove_diacritics 2');
    INSERT INTO place_words (place_words) VALUES ('rebuild');
    """

  /// What a start needs of each reminder comes out of its document; when time may next bring
  /// something about, which the engine works out, is kept with the progress (0: not known).
  private static let quickStart = """
    ALTER TABLE reminder ADD COLUMN transport TEXT
      CHECK (transport IN ('driving', 'cycling', 'walking'));
    ALTER TABLE reminder ADD COLUMN places_inside TEXT;
    ALTER TABLE reminder ADD COLUMN next_look_us INTEGER DEFAULT 0;
    UPDATE reminder SET
      transport = CASE json_extract(document, '$.transport')
        WHEN 'cycling' THEN 'cycling' WHEN 'walking' THEN 'walking' ELSE 'driving' END,
      document = json_remove(document, '$.transport')
    WHERE kind = 'preemptive' AND json_valid(document);
    """

  /// What the last event decided, until it is where it is looked up, until version 7. Its columns
  /// are those of a reminder's progress and of a firing, without an index, a check or a rising row
  /// number that would make the commit touch a second page.
  private static let decisions = """
    CREATE TABLE decision (
      seq INTEGER PRIMARY KEY,
      reminder_id TEXT NOT NULL,
      state TEXT,
      presence TEXT,
      inside_since_us INTEGER,
      visit_settled INTEGER,
      occurrence_us INTEGER,
      leads_fired INTEGER,
      last_fired_us INTEGER,
      snoozed_until_us INTEGER,
      unacknowledged INTEGER,
      places_inside TEXT,
      next_look_us INTEGER,
      id TEXT,
      kind TEXT,
      title TEXT,
      category TEXT,
      priority INTEGER,
      time_us INTEGER,
      event TEXT,
      latitude REAL,
      longitude REAL,
      eph_m REAL,
      fix_time_us INTEGER,
      place TEXT,
      distance_m REAL,
      due_us INTEGER,
      travel_us INTEGER,
      late_us INTEGER,
      why TEXT,
      delivered_us INTEGER
    ) STRICT;
    """

  /// The offset from UTC by which an occurrence of a floating time was worked out; when a firing is told
  /// again, and how often it was.
  private static let civilTime = """
    ALTER TABLE reminder ADD COLUMN occurrence_offset_s INTEGER;
    ALTER TABLE reminder ADD COLUMN nag_us INTEGER;
    ALTER TABLE reminder ADD COLUMN nags INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE decision ADD COLUMN occurrence_offset_s INTEGER;
    ALTER TABLE decision ADD COLUMN nag_us INTEGER;
    ALTER TABLE decision ADD COLUMN nags INTEGER NOT NULL DEFAULT 0;
    """

  /// Until version 8 a decision was one value here: see `DecisionRecord`. What a crash left goes to its places
  /// first; the queue is filled at every start.
  private static let decisionRecords = """
    UPDATE OR IGNORE reminder SET (
      state, presence, inside_since_us, visit_settled, occurrence_us, leads_fired, last_fired_us,
      snoozed_until_us, unacknowledged, places_inside, next_look_us, occurrence_offset_s, nag_us, nags
    ) = (
      SELECT state, presence, inside_since_us, visit_settled, occurrence_us, leads_fired, last_fired_us,
        snoozed_until_us, unacknowledged, places_inside, next_look_us, occurrence_offset_s, nag_us, nags
      FROM decision WHERE decision.reminder_id = reminder.id AND decision.state IS NOT NULL)
    WHERE id IN (SELECT reminder_id FROM decision WHERE state IS NOT NULL);
    INSERT OR IGNORE INTO firing (
      id, reminder_id, kind, title, category, priority, time_us, event, latitude, longitude, eph_m,
      fix_time_us, place, distance_m, due_us, travel_us, late_us, why, delivered_us)
    SELECT
      id, reminder_id, kind, title, category, priority, time_us, event, latitude, longitude, eph_m,
      fix_time_us, place, distance_m, due_us, travel_us, late_us, why, delivered_us
    FROM decision WHERE id IS NOT NULL ORDER BY seq;
    DROP TABLE decision;
    CREATE TABLE decision (seq INTEGER PRIMARY KEY, record BLOB NOT NULL) STRICT;
    """

  /// Decisions are in a file of their own, whose id and the number of the last one that is where it is looked
  /// up stand here: see `Decisions`.
  private static let decisionLog = """
    CREATE TABLE decision_log (id INTEGER NOT NULL, settled INTEGER NOT NULL) STRICT;
    """

  /// Beginnings of words that are looked for have an index while they are short, and a table of the
  /// words there are when they are longer: see `PlaceWords`. Places of a category are found by cell.
  private static let quickSearch = """
    DROP TABLE place_words;
    CREATE VIRTUAL TABLE place_words USING fts5 (
      name, notes, content = 'place', content_rowid = 'id', detail = none, columnsize = 0,
      prefix = '1 2 3', tokenize = 'unicode61 remove_diacritics 2');
    INSERT INTO place_words (place_words) VALUES ('rebuild');
    CREATE VIRTUAL TABLE place_terms USING fts5vocab (place_words, row);
    DROP INDEX place_category;
    CREATE INDEX place_category ON place (category, cell) WHERE category IS NOT NULL;
    """
}
