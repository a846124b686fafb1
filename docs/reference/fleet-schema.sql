-- The database of georemind-fleet, PostgreSQL 15 or newer. The same file makes and upgrades it:
--   psql -v ON_ERROR_STOP=1 -v partitions=64 -d fleet -f fleet-schema.sql
-- The number of partitions is the one of the log, and is never changed in place.
\if :{?partitions} \else \set partitions 64 \endif
SET client_min_messages = warning;
BEGIN;
CREATE SCHEMA IF NOT EXISTS fleet;
CREATE OR REPLACE VIEW fleet.version AS SELECT 1 AS version;

-- Everything of the log up to seq has been decided, and is in the tables below.
CREATE TABLE IF NOT EXISTS fleet.partition (
  partition int PRIMARY KEY, seq bigint NOT NULL DEFAULT 0,
  at bigint NOT NULL DEFAULT 0, -- when the log took it, µs since 1970
  -- From where a new owner has to read.
  replay bigint NOT NULL DEFAULT 0, replay_at bigint NOT NULL DEFAULT 0,
  worker text, committed timestamptz NOT NULL DEFAULT now());
INSERT INTO fleet.partition SELECT generate_series(0, :partitions - 1) ON CONFLICT DO NOTHING;

-- A device and its ledger: the firings 1…upto, without a gap.
CREATE TABLE IF NOT EXISTS fleet.device (
  device text PRIMARY KEY, partition int NOT NULL REFERENCES fleet.partition,
  ledger uuid NOT NULL DEFAULT gen_random_uuid() UNIQUE, upto bigint NOT NULL DEFAULT 0,
  seq bigint NOT NULL, at bigint NOT NULL,
  -- The engine at that message, apart from reminders, zone and trips: a new owner goes on from there.
  state jsonb, zone text, trips jsonb);
CREATE INDEX IF NOT EXISTS device_partition ON fleet.device (partition);

CREATE TABLE IF NOT EXISTS fleet.reminder (
  device text NOT NULL REFERENCES fleet.device, id text NOT NULL, doc text NOT NULL,
  history text NOT NULL,
  PRIMARY KEY (device, id)) WITH (fillfactor = 80);

-- All firings, of devices of a log and of machines that decide themselves.
CREATE TABLE IF NOT EXISTS fleet.firing (
  ledger uuid NOT NULL, seq bigint NOT NULL, device text NOT NULL, firing_id text NOT NULL,
  reminder_id text NOT NULL, event text NOT NULL, title text NOT NULL,
  fired_at timestamptz NOT NULL, received_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  doc jsonb NOT NULL, xact xid8 NOT NULL DEFAULT pg_current_xact_id(),
  PRIMARY KEY (ledger, seq));
CREATE INDEX IF NOT EXISTS firing_xact ON fleet.firing (xact);

CREATE TABLE IF NOT EXISTS fleet.refused (
  at timestamptz NOT NULL DEFAULT clock_timestamp(), device text NOT NULL, seq bigint,
  reason text NOT NULL, text text NOT NULL);

-- The places of categories. A change counts for a worker when it connects anew.
CREATE TABLE IF NOT EXISTS fleet.place (
  place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL,
  category text NOT NULL, lat float8 NOT NULL CHECK (lat BETWEEN -90 AND 90),
  lon float8 NOT NULL CHECK (lon BETWEEN -180 AND 180),
  radius_m float8 NOT NULL CHECK (radius_m BETWEEN 1 AND 5e6));

CREATE TABLE IF NOT EXISTS fleet.worker (
  worker text PRIMARY KEY, pid int NOT NULL, seen timestamptz NOT NULL DEFAULT now(),
  drained boolean NOT NULL DEFAULT false, statistics jsonb);

-- The sessions that own partitions.
CREATE OR REPLACE VIEW fleet.owner AS
  SELECT l.objid::int AS partition, l.pid FROM pg_locks l
  WHERE l.locktype = 'advisory' AND l.classid = 7301 AND l.objsubid = 2 AND l.granted
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database());

CREATE OR REPLACE FUNCTION fleet.beat(
  _worker text, _statistics jsonb, OUT share int, OUT is_drained bool)
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO fleet.worker AS w (worker, pid, statistics)
    VALUES (_worker, pg_backend_pid(), _statistics)
    ON CONFLICT (worker) DO UPDATE
      SET pid = excluded.pid, seen = now(), statistics = excluded.statistics
    RETURNING w.drained INTO is_drained;
  -- A worker that is stopped, or cut off, does not give its locks away by itself.
  PERFORM pg_terminate_backend(o.pid) FROM (SELECT DISTINCT pid FROM fleet.owner) o
    JOIN fleet.worker w USING (pid) WHERE w.seen < now() - interval '3 s' AND w.worker <> _worker;
  SELECT CASE WHEN is_drained THEN 0 ELSE ceil(
      (SELECT count(*) FROM fleet.partition)::numeric / greatest(1, count(*)))::int END INTO share
    -- One that has died has no session any more.
    FROM fleet.worker JOIN pg_stat_activity USING (pid)
    WHERE NOT drained AND (seen > now() - interval '3 s' OR worker = _worker);
END $$;

CREATE OR REPLACE FUNCTION fleet.acquire(_count int) RETURNS SETOF int LANGUAGE sql AS $$
  SELECT partition FROM (
    SELECT partition FROM fleet.partition
    WHERE partition NOT IN (SELECT partition FROM fleet.owner) ORDER BY random()
    LIMIT _count OFFSET 0) f
  WHERE pg_try_advisory_lock(7301, partition) $$;

-- The log was cut, or restored from an older copy: the message after _seq counts next, and those
-- from _replay on are read. Snapshots and histories are as stored.
CREATE OR REPLACE FUNCTION fleet.accept_gap(_partition int, _seq bigint, _replay bigint)
RETURNS void LANGUAGE sql AS $$
  UPDATE fleet.partition SET seq = _seq, replay = _replay WHERE partition = _partition;
  UPDATE fleet.device SET seq = _seq WHERE partition = _partition AND seq > _seq $$;

-- All decisions of one worker since its last call, in one transaction.
--   _parts   [{p, seq, at, replay, replay_at}]
--   _steps   [{d, p, seq, at, from, zone, state, trips,
--             r: [{id, h, doc}], gone: [id], f: [firing]}]; doc is JSON in a text
--   _refused [{device, seq, reason, text}]
CREATE OR REPLACE FUNCTION fleet.commit(_worker text, _parts jsonb, _steps jsonb, _refused jsonb)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  IF EXISTS (SELECT FROM jsonb_to_recordset(_parts) x(p int)
             WHERE p NOT IN (SELECT partition FROM fleet.owner WHERE pid = pg_backend_pid())) THEN
    RAISE EXCEPTION 'this session does not own the partition';
  END IF;
  UPDATE fleet.partition t SET seq = x.seq, at = x.at, replay = x.replay, replay_at = x.replay_at,
      worker = _worker, committed = now()
    FROM jsonb_to_recordset(_parts) x(p int, seq bigint, at bigint, replay bigint, replay_at bigint)
    WHERE t.partition = x.p AND t.seq <= x.seq;
  GET DIAGNOSTICS n = ROW_COUNT;
  IF n <> jsonb_array_length(_parts) THEN
    RAISE EXCEPTION 'a partition is ahead of this worker';
  END IF;

  INSERT INTO fleet.refused (device, seq, reason, text)
    SELECT device, seq, reason, text
    FROM jsonb_to_recordset(_refused) x(device text, seq bigint, reason text, text text);
  IF _steps = '[]' THEN RETURN; END IF;

  INSERT INTO fleet.device AS t (device, partition, seq, at, upto, zone, state, trips)
    SELECT d, p, seq, at, "from" + jsonb_array_length(f), zone, state, trips
    FROM jsonb_to_recordset(_steps) x(d text, p int, seq bigint, at bigint,
      "from" bigint, zone text, state jsonb, trips jsonb, f jsonb)
    ON CONFLICT (device) DO UPDATE SET seq = excluded.seq, at = excluded.at, upto = excluded.upto,
      zone = excluded.zone, state = excluded.state, trips = coalesce(excluded.trips, t.trips);

  DELETE FROM fleet.reminder t
    USING jsonb_to_recordset(_steps) x(d text, gone jsonb), jsonb_array_elements_text(x.gone) g(id)
    WHERE t.device = x.d AND t.id = g.id;
  INSERT INTO fleet.reminder (device, id, doc, history)
    SELECT x.d, r.id, r.doc, r.h FROM jsonb_to_recordset(_steps) x(d text, r jsonb),
      jsonb_to_recordset(x.r) r(id text, doc text, h text) WHERE r.doc IS NOT NULL
    ON CONFLICT (device, id) DO UPDATE
      SET doc = excluded.doc, history = excluded.history;
  UPDATE fleet.reminder t SET history = r.h
    FROM jsonb_to_recordset(_steps) x(d text, r jsonb),
      jsonb_to_recordset(x.r) r(id text, doc text, h text)
    WHERE r.doc IS NULL AND t.device = x.d AND t.id = r.id;

  INSERT INTO fleet.firing (
    ledger, seq, device, firing_id, reminder_id, event, title, fired_at, doc)
    SELECT v.ledger, x."from" + f.i, x.d, f.j->>'firing_id', f.j->>'reminder_id', f.j->>'event',
      f.j->>'title', (f.j->>'time')::timestamptz, f.j
    FROM jsonb_to_recordset(_steps) x(d text, "from" bigint, f jsonb)
      JOIN fleet.device v ON v.device = x.d,
      jsonb_array_elements(x.f) WITH ORDINALITY f(j, i);
  IF FOUND THEN NOTIFY georemind_firing; END IF;
END $$;

-- A firing of a machine that decides itself: of its hook, which may call this and nothing else. The
-- device is the name in the certificate of the connection. Text that is no firing goes to refused
-- and counts as taken, since it would stop all behind it.
DO $$ BEGIN CREATE ROLE van LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
CREATE OR REPLACE FUNCTION fleet.accept(_text text) RETURNS text LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
  j jsonb;
  d text := (SELECT substring(client_dn FROM '(?:^|[/,])CN=([^/,]+)') FROM pg_stat_ssl
             WHERE pid = pg_backend_pid());
BEGIN
  IF d IS NULL THEN RAISE EXCEPTION 'a certificate of the machine is needed'; END IF;
  BEGIN
    j := _text::jsonb;
    INSERT INTO fleet.firing (
        ledger, seq, device, firing_id, reminder_id, event, title, fired_at, doc)
      VALUES ((j->>'ledger')::uuid, (j->>'seq')::bigint, d, j->>'firing_id', j->>'reminder_id',
        j->>'event', j->>'title', (j->>'time')::timestamptz, j) ON CONFLICT DO NOTHING;
    IF FOUND THEN NOTIFY georemind_firing; RETURN 'taken'; END IF;
    IF EXISTS (SELECT FROM fleet.firing f WHERE f.ledger = (j->>'ledger')::uuid
               AND f.seq = (j->>'seq')::bigint AND f.device = d
                 AND f.doc - 'calendar_digest' = j - 'calendar_digest') THEN
      RETURN 'known';
    END IF;
    RAISE EXCEPTION 'another firing has this number';
  EXCEPTION WHEN data_exception OR integrity_constraint_violation OR raise_exception THEN
    INSERT INTO fleet.refused (device, reason, text) VALUES (d, SQLERRM, left(_text, 2000));
    RETURN 'refused';
  END;
END $$;
REVOKE ALL ON FUNCTION fleet.accept(text) FROM PUBLIC;
GRANT USAGE ON SCHEMA fleet TO van;
GRANT EXECUTE ON FUNCTION fleet.accept(text) TO van;
REVOKE ALL ON FUNCTION fleet.commit(text, jsonb, jsonb, jsonb), fleet.beat(text, jsonb),
  fleet.acquire(int), fleet.accept_gap(int, bigint, bigint) FROM PUBLIC;

-- Numbers that a ledger lacks: each is a firing that never came. Those before its first one are
-- none: the hook began later, the machine was restored from a copy, or the rows were deleted.
CREATE OR REPLACE VIEW fleet.gap AS
  SELECT device, ledger, before + 1 AS first, seq - 1 AS last FROM (
    SELECT device, ledger, seq,
      lag(seq) OVER (PARTITION BY ledger ORDER BY seq) AS before
    FROM fleet.firing) x WHERE seq > before + 1
  UNION ALL SELECT device, ledger, have + 1, upto FROM (
    SELECT d.device, d.ledger, d.upto,
      (SELECT coalesce(max(f.seq), 0) FROM fleet.firing f WHERE f.ledger = d.ledger) AS have
    FROM fleet.device d) y WHERE have < upto;
COMMIT;
