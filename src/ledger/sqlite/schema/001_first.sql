-- SPDX-License-Identifier: Apache-2.0
-- The first schema of a ledger. Events and samples are only ever added, whoever holds the pen; runs are a list that
-- events can always make again.

CREATE TABLE meta (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id TEXT NOT NULL CHECK (length(id) = 32)
) STRICT;

-- digest: the SHA-256 of bytes, 64 hexadecimal digits.
CREATE TABLE event (
    number INTEGER PRIMARY KEY CHECK (number > 0),
    digest TEXT NOT NULL CHECK (length(digest) = 64),
    at_utc_s INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind <> ''),
    run TEXT NOT NULL,
    bytes TEXT NOT NULL CHECK (bytes <> '')
) STRICT;
CREATE INDEX event_run ON event (run);

-- samples: little-endian IEEE doubles; digest: their SHA-256. The view sample unpacks them.
CREATE TABLE series (
    digest TEXT NOT NULL UNIQUE CHECK (length(digest) = 64),
    event INTEGER NOT NULL REFERENCES event (number) DEFERRABLE INITIALLY DEFERRED,
    count INTEGER NOT NULL CHECK (count >= 0),
    samples BLOB NOT NULL CHECK (length(samples) = 8 * count)
) STRICT;
CREATE INDEX series_event ON series (event);

CREATE TRIGGER meta_is_not_replaced BEFORE INSERT ON meta
WHEN EXISTS (SELECT 1 FROM event) AND EXISTS (SELECT 1 FROM meta WHERE id <> NEW.id)
BEGIN SELECT RAISE(ABORT, 'a ledger that has events keeps its id'); END;
CREATE TRIGGER meta_is_not_changed BEFORE UPDATE ON meta WHEN EXISTS (SELECT 1 FROM event)
BEGIN SELECT RAISE(ABORT, 'a ledger that has events keeps its id'); END;
CREATE TRIGGER meta_is_not_deleted BEFORE DELETE ON meta WHEN EXISTS (SELECT 1 FROM event)
BEGIN SELECT RAISE(ABORT, 'a ledger that has events keeps its id'); END;
CREATE TRIGGER event_follows BEFORE INSERT ON event
WHEN NEW.number IS NOT coalesce((SELECT max(number) FROM event), 0) + 1
BEGIN SELECT RAISE(ABORT, 'an event has the number that follows the last one'); END;
CREATE TRIGGER event_is_not_changed BEFORE UPDATE ON event
BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER event_is_not_deleted BEFORE DELETE ON event
BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
-- OR REPLACE would delete without asking the triggers on deletion.
CREATE TRIGGER series_is_kept_once BEFORE INSERT ON series
WHEN EXISTS (SELECT 1 FROM series WHERE digest = NEW.digest)
BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER series_is_not_changed BEFORE UPDATE ON series
BEGIN SELECT RAISE(ABORT, 'samples are never changed'); END;
CREATE TRIGGER series_is_not_deleted BEFORE DELETE ON series
BEGIN SELECT RAISE(ABORT, 'samples are never deleted'); END;

-- What runs are chosen by, each combination once, and how many runs have it: a list is found among few of these before
-- any run is looked at, and its total is a sum.
CREATE TABLE facet (
    id INTEGER PRIMARY KEY,
    gate TEXT NOT NULL,
    cell TEXT NOT NULL,
    tier TEXT NOT NULL,
    device TEXT NOT NULL,
    origin TEXT NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    parity TEXT NOT NULL,
    accepted INTEGER NOT NULL CHECK (accepted IN (0, 1)),
    runs INTEGER NOT NULL DEFAULT 0 CHECK (runs >= 0),
    UNIQUE (gate, cell, tier, device, origin, kind, status, parity, accepted)
) STRICT;

-- fields: canonical JSON, an array of [name, value]; identity: their SHA-256; digest: '' of one that is incomplete.
CREATE TABLE comparison_key (
    id INTEGER PRIMARY KEY,
    digest TEXT NOT NULL,
    identity BLOB NOT NULL,
    fields TEXT NOT NULL,
    UNIQUE (digest, identity)
) STRICT;

CREATE TABLE revision (
    id INTEGER PRIMARY KEY,
    text TEXT NOT NULL UNIQUE
) STRICT;

-- number: of the event that began it. dirty, hardware: 1, 0, -1 = unknown.
CREATE TABLE run (
    number INTEGER PRIMARY KEY CHECK (number > 0),
    id TEXT NOT NULL UNIQUE CHECK (id <> ''),
    facet INTEGER NOT NULL REFERENCES facet (id),
    comparison_key INTEGER REFERENCES comparison_key (id),
    revision INTEGER NOT NULL REFERENCES revision (id),
    protocol TEXT NOT NULL,
    host TEXT NOT NULL,
    question TEXT NOT NULL,
    reason TEXT NOT NULL,
    conclusion TEXT NOT NULL,
    began_utc_s INTEGER NOT NULL,
    ended_utc_s INTEGER NOT NULL,
    dirty INTEGER NOT NULL CHECK (dirty BETWEEN -1 AND 1),
    diff_is_kept INTEGER NOT NULL CHECK (diff_is_kept IN (0, 1)),
    hardware INTEGER NOT NULL CHECK (hardware BETWEEN -1 AND 1),
    synthetic INTEGER NOT NULL CHECK (synthetic IN (0, 1)),
    lease_whole INTEGER NOT NULL CHECK (lease_whole IN (0, 1)),
    fence INTEGER NOT NULL,
    lease_until_utc_s INTEGER NOT NULL,
    series_count INTEGER NOT NULL,
    sample_count INTEGER NOT NULL
) STRICT;
CREATE INDEX run_facet ON run (facet);
CREATE INDEX run_comparison_key ON run (comparison_key, facet);
CREATE INDEX run_revision ON run (revision, facet);

CREATE TRIGGER run_is_counted AFTER INSERT ON run
BEGIN UPDATE facet SET runs = runs + 1 WHERE id = NEW.facet; END;
CREATE TRIGGER run_is_counted_elsewhere AFTER UPDATE OF facet ON run WHEN NEW.facet <> OLD.facet
BEGIN
    UPDATE facet SET runs = runs - 1 WHERE id = OLD.facet;
    UPDATE facet SET runs = runs + 1 WHERE id = NEW.facet;
END;
CREATE TRIGGER run_is_counted_no_more AFTER DELETE ON run
BEGIN UPDATE facet SET runs = runs - 1 WHERE id = OLD.facet; END;

-- ---- for people with sqlite3 in hand ----

CREATE VIEW runs AS
SELECT run.number, run.id, facet.kind, facet.status, facet.parity, facet.accepted, run.question, run.reason,
    run.conclusion, facet.gate, facet.cell, facet.tier, run.protocol, revision.text AS revision, run.host, facet.device,
    facet.origin, coalesce(comparison_key.digest, '') AS key_digest,
    datetime(run.began_utc_s, 'unixepoch') AS began_utc,
    iif(run.ended_utc_s = 0, NULL, datetime(run.ended_utc_s, 'unixepoch')) AS ended_utc,
    run.dirty, run.diff_is_kept, run.hardware, run.synthetic, run.lease_whole, run.fence, run.series_count,
    run.sample_count
FROM run JOIN facet ON facet.id = run.facet JOIN revision ON revision.id = run.revision
    LEFT JOIN comparison_key ON comparison_key.id = run.comparison_key;

-- One row a sample; position counts from 1; value: NULL where no number was measured. A double is
-- (-1)^sign * significand * 2^(exponent - 1075), the exponent being 1 for subnormals (<<, |, & bind alike, from left to
-- right). Every product below is exact, because 60 binary digits are shifted at most and then whole powers 2^60, 2^120, ... 2^960 taken, the largest first,
-- which leaves the significand its place above the smallest subnormal until the end.
CREATE VIEW sample AS
SELECT series.digest AS series, place.key + 1 AS position, (
    SELECT CASE WHEN exponent < 2047 THEN sign * CASE
        WHEN power >= 0 THEN significand * 1.0 * (1 << power % 60) *
            iif(power / 60 & 16, p480 * p480, 1.0) * iif(power / 60 & 8, p480, 1.0) *
            iif(power / 60 & 4, p240, 1.0) * iif(power / 60 & 2, p120, 1.0) * iif(power / 60 & 1, p60, 1.0)
        ELSE significand * 1.0 /
            iif(-power / 60 & 16, p480 * p480, 1.0) / iif(-power / 60 & 8, p480, 1.0) /
            iif(-power / 60 & 4, p240, 1.0) / iif(-power / 60 & 2, p120, 1.0) / iif(-power / 60 & 1, p60, 1.0) /
            (1 << -power % 60) END
        WHEN significand = (1 << 52) THEN sign * 9e999 END
    FROM (SELECT iif(high & 2048, -1.0, 1.0) AS sign, high & 2047 AS exponent,
            max(high & 2047, 1) - 1075 AS power, iif(high & 2047, low | (1 << 52), low) AS significand,
            p60, p60 * p60 AS p120, p60 * p60 * p60 * p60 AS p240,
            p60 * p60 * p60 * p60 * p60 * p60 * p60 * p60 AS p480
        FROM (SELECT 1.0 * (1 << 60) AS p60,
                instr(d, substr(h, 15, 1)) << 4 | instr(d, substr(h, 16, 1)) << 4 |
                instr(d, substr(h, 13, 1)) AS high,
                instr(d, substr(h, 14, 1)) << 4 | instr(d, substr(h, 11, 1)) << 4 |
                instr(d, substr(h, 12, 1)) << 4 | instr(d, substr(h, 9, 1)) << 4 |
                instr(d, substr(h, 10, 1)) << 4 | instr(d, substr(h, 7, 1)) << 4 |
                instr(d, substr(h, 8, 1)) << 4 | instr(d, substr(h, 5, 1)) << 4 |
                instr(d, substr(h, 6, 1)) << 4 | instr(d, substr(h, 3, 1)) << 4 |
                instr(d, substr(h, 4, 1)) << 4 | instr(d, substr(h, 1, 1)) << 4 | instr(d, substr(h, 2, 1)) AS low
            FROM (SELECT hex(substr(series.samples, 8 * place.key + 1, 8)) AS h, '123456789ABCDEF' AS d LIMIT 1)
            LIMIT 1)
        LIMIT 1)) AS value
FROM series, json_each('[' || rtrim(replace(hex(zeroblob(series.count)), '00', '0,'), ',') || ']') AS place;
