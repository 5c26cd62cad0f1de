/* SPDX-License-Identifier: Apache-2.0 */
/* The record of a probe: the runs of each implementation on each case, and the final as its rule was fed it. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "importers/timings/timings_readers.h"

/* More than any probe has; what a sample belongs to is looked for one by one. */
enum { CASES_MAX = 1024, CANDIDATES_MAX = 64 };

/* A probe's document while it is read. */
typedef struct probe_record {
    const sy_json *json;
    const sy_json_value *root;
    const sy_json_value *cases;
    const sy_json_value *candidates;
    sy_timings_draft *draft;
    sy_recorded_final *final;
    sy_sample *samples; /* all, as they come */
    size_t sample_count;
    size_t fed_count; /* of them */
    bool rates;       /* of the metric, higher is better: the rule was fed reciprocals */
} probe_record;

static const sy_json_value *member(const probe_record *record, const char *name)
{
    return sy_json_member(record->root, name);
}

static sy_status no_memory(sy_error *err)
{
    return sy_fail(err, SY_NO_MEMORY, "no memory for a recorded probe");
}

/* null becomes NaN. */
static sy_status get_figure(const sy_json *json, const sy_json_value *value, double *ret_figure, sy_error *err)
{
    if (value != NULL && value->kind == SY_JSON_NULL) {
        *ret_figure = NAN;
        return SY_OK;
    }
    return sy_json_get_double(json, value, ret_figure, err);
}

static sy_status figure(const probe_record *record, const char *name, double *ret_figure, sy_error *err)
{
    return get_figure(record->json, member(record, name), ret_figure, err);
}

static sy_status count(const probe_record *record, const char *name, uint32_t *ret_count, sy_error *err)
{
    int64_t whole = 0;
    const sy_json_value *value = member(record, name);
    sy_status status = sy_json_get_i64(record->json, value, &whole, err);

    if (status == SY_OK && (whole < 0 || whole > UINT32_MAX))
        status = sy_json_fail(record->json, value, err, "%lld is out of range", (long long)whole);
    if (status == SY_OK)
        *ret_count = (uint32_t)whole;
    return status;
}

static sy_status text(const probe_record *record, const sy_json_value *value, const char **ret_text, sy_error *err)
{
    const char *found = "";
    sy_status status = sy_json_get_text(record->json, value, &found, err);

    if (status == SY_OK)
        *ret_text = found;
    return status;
}

/* The value of an enum by its word; the last word asked for is the one past the end, "unknown". */
static sy_status word(const probe_record *record, const char *name, const char *(*word_of)(int), int *ret_value,
                      sy_error *err)
{
    const sy_json_value *value = member(record, name);
    const char *found = "";
    sy_status status = text(record, value, &found, err);

    for (int i = 0; status == SY_OK; i++) {
        const char *known = word_of(i);

        if (strcmp(known, "unknown") == 0)
            return sy_json_fail(record->json, value, err, "'%.40s' is no %s", found, name);
        if (strcmp(known, found) == 0) {
            *ret_value = i;
            return SY_OK;
        }
    }
    return status;
}

static const char *question_word(int value)
{
    return sy_question_word((sy_question)value);
}

static const char *rule_word(int value)
{
    return sy_rule_kind_word((sy_rule_kind)value);
}

static const char *isolation_word(int value)
{
    return sy_isolation_word((sy_isolation)value);
}

static const char *decision_word(int value)
{
    return sy_decision_word((sy_decision)value);
}

static sy_status read_words(probe_record *record, sy_error *err)
{
    int question = 0;
    int rule = 0;
    int isolation = 0;
    int decision = 0;
    const char *reason = "";
    sy_status status = word(record, "question", question_word, &question, err);

    if (status == SY_OK)
        status = word(record, "rule", rule_word, &rule, err);
    if (status == SY_OK)
        status = word(record, "isolation", isolation_word, &isolation, err);
    if (status == SY_OK)
        status = word(record, "decision", decision_word, &decision, err);
    if (status == SY_OK)
        status = text(record, member(record, "reason"), &reason, err);
    if (status == SY_OK)
        status = sy_json_get_bool(record->json, member(record, "interrupted"), &record->final->interrupted, err);
    if (status != SY_OK)
        return status;
    record->final->question = (sy_question)question;
    record->final->rule = (sy_rule_kind)rule;
    record->final->isolation = (sy_isolation)isolation;
    record->final->decision = (sy_decision)decision;
    record->final->reason = sy_arena_copy_text(record->draft->arena, reason);
    return record->final->reason != NULL ? SY_OK : no_memory(err);
}

static sy_status read_carry_over(probe_record *record, sy_error *err)
{
    const sy_json_value *carry_over = member(record, "carry_over");
    sy_carry_over *to = &record->final->carry_over;
    sy_status status = SY_OK;

    record->final->has_carry_over = carry_over != NULL && carry_over->kind == SY_JSON_OBJECT;
    if (record->final->has_carry_over) {
        status = get_figure(record->json, sy_json_member(carry_over, "a"), &to->a, err);
        if (status == SY_OK)
            status = get_figure(record->json, sy_json_member(carry_over, "b"), &to->b, err);
        if (status == SY_OK)
            status = get_figure(record->json, sy_json_member(carry_over, "p"), &to->p, err);
    }
    return status;
}

static sy_status read_figures(probe_record *record, sy_error *err)
{
    sy_recorded_final *final = record->final;
    const struct {
        const char *name;
        double *to;
    } figures[] = {
        {"alpha", &final->alpha},   {"beta", &final->beta},         {"min_improvement", &final->min_improvement},
        {"margin", &final->margin}, {"veto", &final->veto},         {"resolvable_gain", &final->resolvable_gain},
        {"gain", &final->gain},     {"gain_low", &final->gain_low}, {"gain_high", &final->gain_high},
    };
    sy_status status = count(record, "max_pairs", &final->max_pairs, err);

    final->processes = 1; /* records of before there were several do not say */
    if (status == SY_OK && member(record, "processes") != NULL)
        status = count(record, "processes", &final->processes, err);
    if (status == SY_OK)
        status = count(record, "pairs", &final->pairs, err);
    if (status == SY_OK)
        status = count(record, "wins", &final->wins, err);
    for (size_t i = 0; status == SY_OK && i < sizeof figures / sizeof *figures; i++)
        status = figure(record, figures[i].name, figures[i].to, err);
    return status;
}

static sy_status get_list(const probe_record *record, const char *name, size_t most, const sy_json_value **ret_list,
                          sy_error *err)
{
    const sy_json_value *list = member(record, name);

    if (list == NULL || list->kind != SY_JSON_ARRAY)
        return sy_json_fail(record->json, list != NULL ? list : record->root, err, "a probe has a list '%s'", name);
    if (list->count > most)
        return sy_fail(err, SY_LIMIT_EXCEEDED, "%zu %s are more than the %zu that are read", list->count, name, most);
    *ret_list = list;
    return SY_OK;
}

static sy_status read_cases(probe_record *record, sy_error *err)
{
    double *weights;
    size_t index = 0;
    sy_status status = get_list(record, "candidates", CANDIDATES_MAX, &record->candidates, err);

    if (status == SY_OK)
        status = get_list(record, "cases", CASES_MAX, &record->cases, err);
    if (status != SY_OK)
        return status;
    weights = sy_arena_allocate(record->draft->arena, record->cases->count + 1, sizeof *weights);
    if (weights == NULL)
        return no_memory(err);
    for (const sy_json_value *c = record->cases->first; c != NULL && status == SY_OK; c = c->next)
        status = sy_json_get_double(record->json, sy_json_member(c, "weight"), &weights[index++], err);
    record->final->weights = weights;
    record->final->case_count = record->cases->count;
    return status;
}

/* The place in a list of the element whose name this is; SY_CORRUPT. */
static sy_status find(const probe_record *record, const sy_json_value *list, const sy_json_value *name,
                      uint32_t *ret_index, sy_error *err)
{
    const char *wanted = "";
    uint32_t index = 0;
    sy_status status = text(record, name, &wanted, err);

    if (status != SY_OK)
        return status;
    for (const sy_json_value *element = list->first; element != NULL; element = element->next, index++) {
        if (strcmp(sy_timings_text(element, "name"), wanted) == 0) {
            *ret_index = index;
            return SY_OK;
        }
    }
    return sy_json_fail(record->json, name, err, "'%.60s' is none of the %s", wanted, list->name);
}

static const char *static_unusable(const char *found)
{
    static const char *const words[] = {"timer", "crashed", "void"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i], found) == 0)
            return words[i];
    }
    return NULL;
}

/* A count that older records lack; null is unknown, too. */
static uint32_t count_or(const sy_json_value *value, uint32_t unknown)
{
    return value != NULL && value->kind == SY_JSON_NUMBER && value->number >= 0 && value->number < UINT32_MAX
               ? (uint32_t)value->number
               : unknown;
}

/* What one side of a sample cost. Where the metric is no time "..._ns" is null and "..._value" holds it. */
static sy_status get_cost(const probe_record *record, const sy_json_value *sample, const char *time_name,
                          const char *value_name, double *ret_cost, sy_error *err)
{
    const sy_json_value *value = sy_json_member(sample, value_name);
    double cost = NAN;
    sy_status status = get_figure(record->json, value != NULL ? value : sy_json_member(sample, time_name), &cost, err);

    if (status == SY_OK)
        *ret_cost = record->rates ? 1 / cost : cost;
    return status;
}

static sy_status read_sample(probe_record *record, const sy_json_value *value, sy_sample *ret_sample, sy_error *err)
{
    const char *first = "";
    const char *phase = "";
    int64_t round = 0;
    sy_sample sample = {.unusable = static_unusable(sy_timings_text(value, "unusable"))};
    sy_status status = sy_json_get_i64(record->json, sy_json_member(value, "round"), &round, err);

    if (status == SY_OK && (round < 0 || round > UINT32_MAX))
        status = sy_json_fail(record->json, sy_json_member(value, "round"), err, "a round is out of range");
    if (status == SY_OK)
        status = find(record, record->cases, sy_json_member(value, "case"), &sample.case_index, err);
    if (status == SY_OK)
        status = find(record, record->candidates, sy_json_member(value, "candidate"), &sample.candidate, err);
    if (status == SY_OK)
        status = text(record, sy_json_member(value, "first"), &first, err);
    if (status == SY_OK)
        status = text(record, sy_json_member(value, "phase"), &phase, err);
    if (status == SY_OK)
        status = sy_json_get_bool(record->json, sy_json_member(value, "fed"), &sample.fed, err);
    if (status == SY_OK)
        status = get_cost(record, value, "reference_ns", "reference_value", &sample.reference_ns, err);
    if (status == SY_OK)
        status = get_cost(record, value, "candidate_ns", "candidate_value", &sample.candidate_ns, err);
    if (status != SY_OK)
        return status;
    sample.round = (uint32_t)round;
    sample.process = count_or(sy_json_member(value, "process"), 0);
    sample.reference_switches = count_or(sy_json_member(value, "reference_switches"), SY_SWITCHES_UNKNOWN);
    sample.candidate_switches = count_or(sy_json_member(value, "candidate_switches"), SY_SWITCHES_UNKNOWN);
    sample.reference_first = strcmp(first, "reference") == 0;
    sample.final = strcmp(phase, "final") == 0;
    *ret_sample = sample;
    return SY_OK;
}

static sy_status read_samples(probe_record *record, sy_error *err)
{
    const sy_json_value *samples = NULL;
    sy_status status = get_list(record, "samples", SIZE_MAX, &samples, err);

    if (status != SY_OK || samples == NULL)
        return status;
    record->samples = sy_arena_allocate(record->draft->arena, samples->count + 1, sizeof *record->samples);
    if (record->samples == NULL)
        return no_memory(err);
    for (const sy_json_value *value = samples->first; value != NULL && status == SY_OK; value = value->next) {
        sy_sample *sample = &record->samples[record->sample_count++];

        status = read_sample(record, value, sample, err);
        record->fed_count += sample->final && sample->fed;
    }
    return status;
}

/* The rounds that the rule was fed, complete and one behind the other, each in the order of the cases. */
static sy_status order_final(probe_record *record, sy_error *err)
{
    sy_recorded_final *final = record->final;
    const sy_json_value *samples = member(record, "samples");
    size_t cases = final->case_count;
    size_t fed = 0;
    sy_sample *ordered = sy_arena_allocate(record->draft->arena, record->fed_count + 1, sizeof *ordered);
    bool *seen = sy_arena_allocate(record->draft->arena, record->fed_count + 1, sizeof *seen);

    if (ordered == NULL || seen == NULL)
        return no_memory(err);
    if (record->fed_count != cases * final->pairs)
        return sy_json_fail(record->json, samples, err,
                            "%zu samples were fed to the rule, not those of %u rounds of %zu cases", record->fed_count,
                            final->pairs, cases);
    for (size_t i = 0; i < record->sample_count; i++) {
        const sy_sample *sample = &record->samples[i];
        size_t round = fed / cases;

        if (!sample->final || !sample->fed)
            continue;
        if (sample->round != round || seen[round * cases + sample->case_index])
            return sy_json_fail(record->json, samples, err, "round %zu of the final is not complete", round);
        seen[round * cases + sample->case_index] = true;
        ordered[round * cases + sample->case_index] = *sample;
        fed++;
    }
    final->samples = ordered;
    final->sample_count = fed;
    record->draft->timings->final = final;
    return SY_OK;
}

/* One run: of which case and implementation (0 = the reference), and its time. */
typedef void (*visit_run)(void *user, size_t key, double time);

/* Every timed run, in order. In a round of the halving all candidates share one run of the reference. */
static sy_status visit_runs(const probe_record *record, visit_run visit, void *user, sy_error *err)
{
    size_t columns = record->candidates->count + 1;
    uint64_t *next_round = sy_allocate(record->cases->count + 1, sizeof *next_round); /* of the halving, by case */

    if (next_round == NULL)
        return no_memory(err);
    for (size_t i = 0; i < record->sample_count; i++) {
        const sy_sample *sample = &record->samples[i];
        size_t first = sample->case_index * columns;

        if (sample->final || sample->round >= next_round[sample->case_index])
            visit(user, first, sample->reference_ns);
        visit(user, first + 1 + sample->candidate, sample->candidate_ns);
        if (!sample->final)
            next_round[sample->case_index] = (uint64_t)sample->round + 1;
    }
    sy_free(next_round);
    return SY_OK;
}

typedef struct run_groups {
    size_t *ends; /* by key, in times */
    double *times;
} run_groups;

static void count_run(void *user, size_t key, double time)
{
    run_groups *groups = user;

    (void)time;
    groups->ends[key + 1]++;
}

static void place_run(void *user, size_t key, double time)
{
    run_groups *groups = user;

    groups->times[groups->ends[key]++] = time;
}

static void end_group(probe_record *record, const run_groups *groups, size_t key, const char *case_name,
                      const char *implementation)
{
    sy_text name = SY_TEXT_INIT;
    size_t from = key == 0 ? 0 : groups->ends[key - 1];

    for (size_t i = from; i < groups->ends[key]; i++)
        sy_timings_draft_time(record->draft, groups->times[i]);
    sy_text_append_format(&name, "%s %s", case_name, implementation);
    record->draft->failed = record->draft->failed || name.failed;
    sy_timings_draft_end(record->draft, sy_text_bytes(&name), from < groups->ends[key] ? "" : "not timed");
    sy_text_finish(&name);
}

/* The runs of each implementation on each case, as they were timed, are a configuration. */
static sy_status read_configurations(probe_record *record, sy_error *err)
{
    size_t keys = record->cases->count * (record->candidates->count + 1);
    run_groups groups = {sy_allocate(keys + 1, sizeof *groups.ends),
                         sy_allocate(2 * record->sample_count + 1, sizeof *groups.times)};
    size_t key = 0;
    sy_status status = groups.ends != NULL && groups.times != NULL ? SY_OK : no_memory(err);

    if (status == SY_OK)
        status = visit_runs(record, count_run, &groups, err);
    for (size_t i = 1; status == SY_OK && i <= keys; i++)
        groups.ends[i] += groups.ends[i - 1];
    if (status == SY_OK) /* where a group begins becomes where it ends */
        status = visit_runs(record, place_run, &groups, err);
    for (const sy_json_value *c = record->cases->first; status == SY_OK && c != NULL; c = c->next) {
        end_group(record, &groups, key++, sy_timings_text(c, "name"), sy_timings_text(record->root, "reference"));
        for (const sy_json_value *candidate = record->candidates->first; candidate != NULL; candidate = candidate->next)
            end_group(record, &groups, key++, sy_timings_text(c, "name"), sy_timings_text(candidate, "name"));
    }
    sy_free(groups.ends);
    sy_free(groups.times);
    return status;
}

/* Records of before there were metrics hold wall time. */
static void read_metric(probe_record *record)
{
    const sy_json_value *metric = member(record, "metric");

    record->draft->timings->unit_ns = metric == NULL ? 1 : sy_timings_unit_ns(sy_timings_text(metric, "unit"));
    record->rates = strcmp(sy_timings_text(metric, "better"), "higher") == 0;
    record->final->rates = record->rates;
    if (record->rates) {
        record->draft->timings->unit_ns = NAN;
        sy_timings_draft_note(record->draft, "higher values were better: their reciprocals are played");
    }
}

sy_status sy_timings_read_probe(const sy_json *json, sy_timings_draft *draft, sy_error *err)
{
    probe_record record = {.json = json, .root = sy_json_root(json), .draft = draft};
    sy_status status = sy_timings_check_schema(json, "steelyard.probe/1", err);

    record.final = sy_arena_allocate(draft->arena, 1, sizeof *record.final);
    if (status == SY_OK && record.final == NULL)
        status = no_memory(err);
    if (status == SY_OK)
        read_metric(&record);
    if (status == SY_OK)
        status = read_words(&record, err);
    if (status == SY_OK)
        status = read_carry_over(&record, err);
    if (status == SY_OK)
        status = read_figures(&record, err);
    if (status == SY_OK)
        status = read_cases(&record, err);
    if (status == SY_OK)
        status = read_samples(&record, err);
    if (status == SY_OK && record.fed_count > 0)
        status = order_final(&record, err);
    if (status == SY_OK)
        status = read_configurations(&record, err);
    draft->timings->format = SY_TIMINGS_PROBE;
    draft->timings->device = sy_arena_copy_text(draft->arena, sy_timings_text(record.root, "device"));
    draft->failed = draft->failed || draft->timings->device == NULL;
    return status;
}
