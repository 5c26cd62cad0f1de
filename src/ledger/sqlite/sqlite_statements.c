/* SPDX-License-Identifier: Apache-2.0 */
/* Every question that is put to the database, as SQL, and the keeping of prepared statements. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "ledger/sqlite/sqlite_inside.h"

/* A run's row, in the order that sy_sqlite_read_row reads. */
#define ROW_COLUMNS                                                                                              \
    "run.number, run.id, facet.kind, facet.status, facet.parity, facet.accepted, facet.gate, facet.cell, "       \
    "facet.tier, facet.device, facet.origin, coalesce(comparison_key.digest, ''), revision.text, run.protocol, " \
    "run.host, run.question, run.reason, run.conclusion, run.began_utc_s, run.ended_utc_s, run.dirty, "          \
    "run.diff_is_kept, run.hardware, run.synthetic, run.lease_whole, run.fence, run.lease_until_utc_s, "         \
    "run.series_count, run.sample_count, facet.verdict, facet.verdict_reason, run.verdict_number, run.raised, "  \
    "run.signoff, run.promoted, run.begins_baseline"
/* CROSS: runs are found first, and what belongs to them is looked up. */
#define ROW_TABLES                                        \
    " FROM run CROSS JOIN facet ON facet.id = run.facet " \
    "CROSS JOIN revision ON revision.id = run.revision "  \
    "LEFT JOIN comparison_key ON comparison_key.id = run.comparison_key "

/* A filter: ?1 to ?9 of facets, ?10 and ?11 the range of keys' digests, ?12 and ?13 of revisions, ?14 the number before
 * which runs began, ?15 the limit. */
#define OF_FACET                                                                                                     \
    "(?1 IS NULL OR instr(?1, ',' || facet.status || ',')) AND (?2 IS NULL OR instr(?2, ',' || facet.kind || ',')) " \
    "AND (?3 IS NULL OR facet.gate = ?3) AND (?4 IS NULL OR facet.cell = ?4) "                                       \
    "AND (?5 IS NULL OR facet.tier = ?5) AND (?6 IS NULL OR facet.device = ?6) "                                     \
    "AND (?7 IS NULL OR facet.origin = ?7) AND facet.accepted >= ?8 "                                                \
    "AND (?9 IS NULL OR instr(?9, ',' || facet.verdict || ',')) "
#define KEYS_IN_RANGE "(SELECT id FROM comparison_key WHERE digest >= ?10 AND digest < ?11) "
#define REVISIONS_IN_RANGE "(SELECT id FROM revision WHERE text >= ?12 AND text < ?13) "
/* +: the index of the other one is the narrower way, or the only one that is wanted. */
#define OF_KEY_TOO "AND (?10 IS NULL OR +run.comparison_key IN " KEYS_IN_RANGE ") "
#define OF_REVISION_TOO "AND (?12 IS NULL OR +run.revision IN " REVISIONS_IN_RANGE ") "

#define RUNS_AND_FACETS "FROM run CROSS JOIN facet ON facet.id = run.facet "
#define BY_KEY RUNS_AND_FACETS "WHERE run.comparison_key IN " KEYS_IN_RANGE OF_REVISION_TOO "AND " OF_FACET
#define BY_REVISION RUNS_AND_FACETS "WHERE run.revision IN " REVISIONS_IN_RANGE "AND " OF_FACET
#define NEWEST_OF(runs)                                                             \
    "SELECT " ROW_COLUMNS ROW_TABLES "WHERE run.number IN (SELECT run.number " runs \
    "AND run.number < ?14 ORDER BY run.number DESC LIMIT ?15) ORDER BY run.number DESC"

#define METRIC_IS                                                                                          \
    "is_memory = ?1 AND name = ?2 AND unit = ?3 AND case_name = ?4 AND implementation = ?5 AND role = ?6 " \
    "AND higher_is_better = ?7 AND basis = ?8 AND scope = ?9"
/* Behind a run's number and id, in the order that sqlite_figures.c reads. */
#define FIGURE_COLUMNS                                                                                    \
    "figure.event, metric.is_memory, metric.name, metric.unit, metric.case_name, metric.implementation, " \
    "metric.role, metric.higher_is_better, metric.basis, metric.scope, figure.usable_count, figure.p50, " \
    "figure.p95, figure.minimum, figure.maximum "
/* IN: the newest runs of a filter are chosen first, and then visited in order, with nothing left to sort. */
#define FIGURES_OF(runs)                                                                                          \
    "SELECT run.number, run.id, " FIGURE_COLUMNS "FROM run CROSS JOIN figure ON figure.run = run.number "         \
    "CROSS JOIN metric ON metric.id = figure.metric WHERE run.number IN (SELECT run.number " RUNS_AND_FACETS runs \
    "ORDER BY run.number DESC LIMIT ?15) ORDER BY run.number, figure.event"

const char *const sy_sqlite_texts[SY_SQLITE_STATEMENT_COUNT] = {
    [SY_SQLITE_BEGIN] = "BEGIN",
    [SY_SQLITE_BEGIN_WRITING] = "BEGIN IMMEDIATE",
    [SY_SQLITE_COMMIT] = "COMMIT",
    [SY_SQLITE_VERSION] = "PRAGMA user_version",
    [SY_SQLITE_GET_ID] = "SELECT id FROM meta",
    [SY_SQLITE_PUT_ID] = "INSERT OR REPLACE INTO meta (one, id) VALUES (1, ?1)",
    [SY_SQLITE_HEAD] = "SELECT number, digest FROM event ORDER BY number DESC LIMIT 1",
    [SY_SQLITE_APPEND] =
        "INSERT INTO event (number, digest, at_utc_s, kind, run, bytes) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    [SY_SQLITE_EVENTS] =
        "SELECT number, digest, at_utc_s, kind, run, bytes FROM event WHERE number >= ?1 ORDER BY number",
    [SY_SQLITE_EVENTS_OF_RUN] = "SELECT number, digest, at_utc_s, kind, run, bytes FROM event "
                                "WHERE run = ?2 AND number >= ?1 ORDER BY number",
    [SY_SQLITE_EVENTS_OF_CHANGES] = "SELECT number, digest, at_utc_s, kind, run, bytes FROM event "
                                    "WHERE kind = 'change' ORDER BY number",
    [SY_SQLITE_EVENTS_OF_SELFTESTS] = "SELECT number, digest, at_utc_s, kind, run, bytes FROM event "
                                      "WHERE kind = 'selftest' ORDER BY number",
    [SY_SQLITE_PUT_SERIES] = "INSERT INTO series (digest, event, count, samples) VALUES (?1, ?2, ?3, ?4)",
    [SY_SQLITE_GET_SERIES] = "SELECT count, samples FROM series WHERE digest = ?1",
    [SY_SQLITE_EACH_SERIES] = "SELECT digest, event, count, samples FROM series ORDER BY event, digest",
    [SY_SQLITE_FIND_FACET] = "SELECT id FROM facet WHERE gate = ?1 AND cell = ?2 AND tier = ?3 AND device = ?4 "
                             "AND origin = ?5 AND kind = ?6 AND status = ?7 AND parity = ?8 AND accepted = ?9 "
                             "AND verdict = ?10 AND verdict_reason = ?11",
    [SY_SQLITE_PUT_FACET] = "INSERT INTO facet (gate, cell, tier, device, origin, kind, status, parity, accepted, "
                            "verdict, verdict_reason) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    [SY_SQLITE_FIND_KEY] = "SELECT id FROM comparison_key WHERE digest = ?1 AND identity = ?2",
    [SY_SQLITE_PUT_KEY] = "INSERT INTO comparison_key (digest, identity, fields) VALUES (?1, ?2, ?3)",
    [SY_SQLITE_FIND_REVISION] = "SELECT id FROM revision WHERE text = ?1",
    [SY_SQLITE_PUT_REVISION] = "INSERT INTO revision (text) VALUES (?1)",
    [SY_SQLITE_FIND_RUN] = "SELECT number, comparison_key FROM run WHERE id = ?1",
    [SY_SQLITE_RUN_OF_NUMBER] = "SELECT 1 FROM run WHERE number = ?1",
    [SY_SQLITE_PUT_RUN] =
        "INSERT INTO run (number, id, facet, comparison_key, revision, protocol, host, question, reason, conclusion, "
        "began_utc_s, ended_utc_s, dirty, diff_is_kept, hardware, synthetic, lease_whole, fence, lease_until_utc_s, "
        "series_count, sample_count, verdict_number, raised, signoff, promoted, begins_baseline) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, "
        "?23, ?24, ?25, ?26)",
    [SY_SQLITE_CHANGE_RUN] =
        "UPDATE run SET facet = ?3, comparison_key = ?4, revision = ?5, protocol = ?6, host = ?7, question = ?8, "
        "reason = ?9, conclusion = ?10, began_utc_s = ?11, ended_utc_s = ?12, dirty = ?13, diff_is_kept = ?14, "
        "hardware = ?15, synthetic = ?16, lease_whole = ?17, fence = ?18, lease_until_utc_s = ?19, "
        "series_count = ?20, sample_count = ?21, verdict_number = ?22, raised = ?23, signoff = ?24, promoted = ?25, "
        "begins_baseline = ?26 WHERE number = ?1 AND id = ?2",
    [SY_SQLITE_GET_ROW] = "SELECT " ROW_COLUMNS ROW_TABLES "WHERE run.id = ?1",
    [SY_SQLITE_EACH_ROW] = "SELECT " ROW_COLUMNS ", coalesce(comparison_key.fields, '')" ROW_TABLES
                           "ORDER BY run.number",
    [SY_SQLITE_ROWS_LIKE] = "SELECT " ROW_COLUMNS ROW_TABLES
                            "WHERE run.id >= ?1 AND (?2 IS NULL OR run.id < ?2) ORDER BY run.id LIMIT ?3",
    [SY_SQLITE_ROWS] = "SELECT " ROW_COLUMNS ROW_TABLES "WHERE run.number < ?14 AND " OF_FACET
                       "ORDER BY run.number DESC LIMIT ?15",
    /* The newest n runs are among the n facets whose newest run is the newest, and there among each one's newest n. */
    [SY_SQLITE_ROWS_BY_FACET] =
        "SELECT " ROW_COLUMNS ROW_TABLES
        "WHERE run.number IN (SELECT chosen.number FROM (SELECT facet.id AS id FROM facet WHERE facet.runs > 0 "
        "AND " OF_FACET "ORDER BY (SELECT max(older.number) FROM run AS older WHERE older.facet = facet.id "
        "AND older.number < ?14) DESC LIMIT ?15) AS newest CROSS JOIN run AS chosen ON chosen.number IN "
        "(SELECT one.number FROM run AS one WHERE one.facet = newest.id AND one.number < ?14 "
        "ORDER BY one.number DESC LIMIT ?15) ORDER BY chosen.number DESC LIMIT ?15) ORDER BY run.number DESC",
    [SY_SQLITE_ROWS_BY_KEY] = NEWEST_OF(BY_KEY),
    [SY_SQLITE_ROWS_BY_REVISION] = NEWEST_OF(BY_REVISION),
    /* Of those that the filter lets through, and of all. */
    [SY_SQLITE_TOTAL_BY_FACET] = "SELECT coalesce(sum(iif(" OF_FACET
                                 ", facet.runs, 0)), 0), coalesce(sum(facet.runs), 0) FROM facet",
    [SY_SQLITE_TOTAL_BY_KEY] = "SELECT count(*) " BY_KEY,
    [SY_SQLITE_TOTAL_BY_REVISION] = "SELECT count(*) " BY_REVISION,
    /* Several texts of one digest are one key; ?16: those without a digest too, each run alone. */
    [SY_SQLITE_KEYS] =
        "WITH counted AS (SELECT run.comparison_key AS key, count(*) AS sessions, sum(facet.accepted) AS accepted, "
        "sum(facet.status = 'failed') AS failed, max(run.number) AS newest " RUNS_AND_FACETS
        "WHERE run.comparison_key IS NOT NULL AND run.number < ?14 "
        "AND " OF_FACET OF_KEY_TOO OF_REVISION_TOO "GROUP BY run.comparison_key), "
        "grouped AS (SELECT sum(sessions) AS sessions, sum(accepted) AS accepted, sum(failed) AS failed, "
        "max(newest) AS newest "
        "FROM counted CROSS JOIN comparison_key ON comparison_key.id = counted.key "
        "WHERE comparison_key.digest <> '' GROUP BY comparison_key.digest "
        "UNION ALL SELECT 1, facet.accepted, facet.status = 'failed', run.number FROM comparison_key "
        "CROSS JOIN run ON run.comparison_key = comparison_key.id CROSS JOIN facet ON facet.id = run.facet "
        "WHERE ?16 AND comparison_key.digest = '' AND ?10 IS NULL AND run.number < ?14 AND " OF_FACET OF_REVISION_TOO
        ") "
        "SELECT comparison_key.digest, facet.cell, grouped.sessions, grouped.accepted, run.id, comparison_key.fields, "
        "grouped.failed "
        "FROM grouped CROSS JOIN run ON run.number = grouped.newest CROSS JOIN facet ON facet.id = run.facet "
        "CROSS JOIN comparison_key ON comparison_key.id = run.comparison_key ORDER BY grouped.newest DESC LIMIT ?15",
    [SY_SQLITE_FIND_METRIC] = "SELECT id FROM metric WHERE " METRIC_IS,
    [SY_SQLITE_PUT_METRIC] = "INSERT INTO metric (is_memory, name, unit, case_name, implementation, role, "
                             "higher_is_better, basis, scope) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    [SY_SQLITE_PUT_FIGURE] = "INSERT INTO figure (run, event, metric, usable_count, p50, p95, minimum, maximum) "
                             "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [SY_SQLITE_FIGURES] = FIGURES_OF("WHERE run.number < ?14 AND " OF_FACET),
    [SY_SQLITE_FIGURES_BY_FACET] = FIGURES_OF(
        "WHERE run.facet IN (SELECT facet.id FROM facet WHERE facet.runs > 0 AND " OF_FACET ") AND run.number < ?14 "),
    [SY_SQLITE_FIGURES_BY_KEY] = FIGURES_OF("WHERE run.comparison_key IN " KEYS_IN_RANGE OF_REVISION_TOO
                                            "AND run.number < ?14 AND " OF_FACET),
    [SY_SQLITE_FIGURES_BY_REVISION] = FIGURES_OF("WHERE run.revision IN " REVISIONS_IN_RANGE
                                                 "AND run.number < ?14 AND " OF_FACET),
    [SY_SQLITE_EACH_FIGURE] = "SELECT figure.run, '', " FIGURE_COLUMNS "FROM figure "
                              "JOIN metric ON metric.id = figure.metric ORDER BY figure.run, figure.event",
    [SY_SQLITE_CHECK] = "PRAGMA integrity_check(1000)",
    [SY_SQLITE_CHECK_REFERENCES] = "SELECT 'row ' || coalesce(rowid, '') || ' of ' || \"table\" || ' names a row of ' "
                                   "|| parent || ' that is not there' "
                                   "FROM pragma_foreign_key_check",
    [SY_SQLITE_EACH_KEY] = "SELECT id, identity, fields FROM comparison_key",
    [SY_SQLITE_CHECK_COUNTS] = "SELECT 'facet ' || id || ' counts ' || runs || ' runs' FROM facet "
                               "WHERE runs <> (SELECT count(*) FROM run WHERE run.facet = facet.id)",
};

sy_status sy_sqlite_take(sy_sqlite *s, sy_sqlite_which which, sy_sqlite_query *ret_query, sy_error *err)
{
    *ret_query = (sy_sqlite_query){NULL, 0, SQLITE_OK};
    if (s->statements[which] == NULL) {
        int code = sqlite3_prepare_v3(s->database, sy_sqlite_texts[which], -1, SQLITE_PREPARE_PERSISTENT,
                                      &s->statements[which], NULL);
        if (code != SQLITE_OK) {
            return sy_sqlite_fail(s, code, err);
        }
    }
    if (sqlite3_stmt_busy(s->statements[which])) {
        return sy_fail(err, SY_INVALID_ARGUMENT, "a visit may not call the function that visits it");
    }
    ret_query->statement = s->statements[which];
    return SY_OK;
}

void sy_sqlite_put_back(sy_sqlite_query *query)
{
    if (query->statement != NULL) {
        (void)sqlite3_reset(query->statement); /* says again how its last step failed */
        (void)sqlite3_clear_bindings(query->statement);
        query->statement = NULL;
    }
}

static void note(sy_sqlite_query *query, int code)
{
    query->code = query->code == SQLITE_OK ? code : query->code;
}

void sy_sqlite_add_null(sy_sqlite_query *query)
{
    note(query, sqlite3_bind_null(query->statement, ++query->value_count));
}

void sy_sqlite_add_text(sy_sqlite_query *query, const char *text)
{
    if (text == NULL) {
        sy_sqlite_add_null(query);
    } else {
        sy_sqlite_add_text_of(query, text, strlen(text));
    }
}

void sy_sqlite_add_text_of(sy_sqlite_query *query, const char *bytes, size_t size)
{
    note(query, sqlite3_bind_text64(query->statement, ++query->value_count, bytes, size, SQLITE_STATIC, SQLITE_UTF8));
}

void sy_sqlite_add_bytes(sy_sqlite_query *query, const void *bytes, size_t size)
{
    /* No bytes are still bytes: a null pointer would make them NULL. */
    note(query, size == 0 ? sqlite3_bind_zeroblob(query->statement, ++query->value_count, 0)
                          : sqlite3_bind_blob64(query->statement, ++query->value_count, bytes, size, SQLITE_STATIC));
}

void sy_sqlite_add_number(sy_sqlite_query *query, int64_t number)
{
    note(query, sqlite3_bind_int64(query->statement, ++query->value_count, number));
}

void sy_sqlite_add_double(sy_sqlite_query *query, double value)
{
    note(query, sqlite3_bind_double(query->statement, ++query->value_count, value));
}

sy_status sy_sqlite_step(const sy_sqlite *s, sy_sqlite_query *query, bool *ret_row, sy_error *err)
{
    errno = 0; /* what fails says why: reason_of in sqlite_answers.c */
    int code = query->code == SQLITE_OK ? sqlite3_step(query->statement) : query->code;
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        return sy_sqlite_fail(s, code, err);
    }
    *ret_row = code == SQLITE_ROW;
    return SY_OK;
}

sy_status sy_sqlite_run(const sy_sqlite *s, sy_sqlite_query *query, sy_error *err)
{
    bool row;
    sy_status status = sy_sqlite_step(s, query, &row, err);
    sy_sqlite_put_back(query);
    return status;
}

const char *sy_sqlite_text(const sy_sqlite_query *query, int at)
{
    const unsigned char *text = sqlite3_column_text(query->statement, at);
    return text == NULL ? "" : (const char *)text;
}
