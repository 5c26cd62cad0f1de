-- SPDX-License-Identifier: Apache-2.0
-- What is said of runs afterwards: the list of runs carries verdicts, sign-offs and promotions, and the figures of every
-- run stand in a table of their own. Both are lists that events can always make again, and are made again behind this.

DROP VIEW runs;
DROP TABLE run;
DROP TABLE facet;

-- As before; verdict, verdict_reason: the words of the last one, '' = not judged.
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
    verdict TEXT NOT NULL,
    verdict_reason TEXT NOT NULL,
    runs INTEGER NOT NULL DEFAULT 0 CHECK (runs >= 0),
    UNIQUE (gate, cell, tier, device, origin, kind, status, parity, accepted, verdict, verdict_reason)
) STRICT;

-- As before; verdict_number, signoff, promoted: of events, 0 = none; raised: by the first verdict.
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
    sample_count INTEGER NOT NULL,
    verdict_number INTEGER NOT NULL CHECK (verdict_number >= 0),
    raised INTEGER NOT NULL CHECK (raised IN (0, 1)),
    signoff INTEGER NOT NULL CHECK (signoff >= 0),
    promoted INTEGER NOT NULL CHECK (promoted >= 0),
    begins_baseline INTEGER NOT NULL CHECK (begins_baseline IN (0, 1))
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

-- Of what figures are; role: of a series, basis and scope: of memory, else ''.
CREATE TABLE metric (
    id INTEGER PRIMARY KEY,
    is_memory INTEGER NOT NULL CHECK (is_memory IN (0, 1)),
    name TEXT NOT NULL,
    unit TEXT NOT NULL,
    case_name TEXT NOT NULL,
    implementation TEXT NOT NULL,
    role TEXT NOT NULL,
    higher_is_better INTEGER NOT NULL CHECK (higher_is_better IN (0, 1)),
    basis TEXT NOT NULL,
    scope TEXT NOT NULL,
    UNIQUE (case_name, implementation, name, unit, is_memory, role, higher_is_better, basis, scope)
) STRICT;

-- One row a series or memory figure; run: the number of the event that began it; NULL: no sample was usable.
CREATE TABLE figure (
    run INTEGER NOT NULL,
    event INTEGER NOT NULL,
    metric INTEGER NOT NULL REFERENCES metric (id),
    usable_count INTEGER NOT NULL,
    p50 REAL,
    p95 REAL,
    minimum REAL,
    maximum REAL,
    PRIMARY KEY (run, event)
) STRICT, WITHOUT ROWID;

-- The kinds that are asked for whatever their run.
CREATE INDEX event_change ON event (number) WHERE kind = 'change';
CREATE INDEX event_selftest ON event (number) WHERE kind = 'selftest';

-- ---- for people with sqlite3 in hand ----

CREATE VIEW runs AS
SELECT run.number, run.id, facet.kind, facet.status, facet.parity, facet.accepted, facet.verdict, facet.verdict_reason,
    run.verdict_number, run.raised, run.signoff, run.promoted, run.begins_baseline, run.question, run.reason,
    run.conclusion, facet.gate, facet.cell, facet.tier, run.protocol, revision.text AS revision, run.host, facet.device,
    facet.origin, coalesce(comparison_key.digest, '') AS key_digest,
    datetime(run.began_utc_s, 'unixepoch') AS began_utc,
    iif(run.ended_utc_s = 0, NULL, datetime(run.ended_utc_s, 'unixepoch')) AS ended_utc,
    run.dirty, run.diff_is_kept, run.hardware, run.synthetic, run.lease_whole, run.fence, run.series_count,
    run.sample_count
FROM run JOIN facet ON facet.id = run.facet JOIN revision ON revision.id = run.revision
    LEFT JOIN comparison_key ON comparison_key.id = run.comparison_key;

CREATE VIEW figures AS
SELECT run.id AS run, figure.event, metric.name, metric.case_name, metric.implementation, metric.role, metric.unit,
    figure.usable_count, figure.p50, figure.p95, figure.minimum, figure.maximum, metric.is_memory, metric.basis,
    metric.scope, metric.higher_is_better
FROM figure JOIN run ON run.number = figure.run JOIN metric ON metric.id = figure.metric;
