/* SPDX-License-Identifier: Apache-2.0 */
/* An answer for people, and why it is the answer: the walk, every verdict, the nearest miss. */
#include <stdio.h>
#include <string.h>

#include "report/page/figures.h"
#include "report/page/text_table.h"
#include "report/profile/report_profile.h"

/* A paragraph whose words are made in a text, which is emptied. */
static void put_paragraph(sy_page *page, uint32_t first, uint32_t rest, sy_tone tone, sy_text *words)
{
    page->text.failed = page->text.failed || words->failed;
    sy_page_paragraph(page, first, rest, tone, sy_text_bytes(words));
    sy_text_clear(words);
}

static void put_field(sy_page *page, const char *label, sy_text *words)
{
    page->text.failed = page->text.failed || words->failed;
    sy_page_field(page, label, sy_text_bytes(words));
    sy_text_clear(words);
}

enum { LONG_LIST = 60 };

static bool has_item(const char *list, const char *item, size_t length)
{
    for (const char *at = list; *at != '\0';) {
        size_t size = strcspn(at, ",");

        if (size == length && memcmp(at, item, length) == 0)
            return true;
        at += size + (at[size] == ',');
    }
    return false;
}

/* The items of a comma list that another one lacks, behind the word. Returns how many there are. */
static size_t append_lacking(sy_text *to, const char *word, const char *list, const char *other)
{
    size_t count = 0;

    for (const char *at = list; *at != '\0';) {
        size_t size = strcspn(at, ",");

        if (!has_item(other, at, size)) {
            sy_text_append(to, count == 0 ? word : ",");
            sy_text_append_bytes(to, at, size);
            count++;
        }
        at += size + (at[size] == ',');
    }
    return count;
}

/* Words with commas between them; a sentence with commas is none. */
static bool is_list(const char *value)
{
    return strchr(value, ',') != NULL && strchr(value, ' ') == NULL;
}

/* Of two long comma lists, such as instruction sets, only what they do not share. */
static bool append_list_pair(sy_text *to, const char *wanted, const char *found)
{
    size_t start = to->length;
    size_t count;

    if (strlen(wanted) + strlen(found) < LONG_LIST || !is_list(wanted) || !is_list(found))
        return false;
    count = append_lacking(to, "asked also ", wanted, found);
    count += append_lacking(to, to->length > start ? ", stored also " : "stored also ", found, wanted);
    return count > 0;
}

/* "asked 4, stored 2" */
static void append_pair(sy_text *to, const char *wanted, const char *found)
{
    if (append_list_pair(to, wanted, found))
        return;
    sy_text_append_format(to, "%s%s, ", wanted[0] == '\0' ? "not asked" : "asked ", wanted);
    sy_text_append_format(to, "%s%s", found[0] == '\0' ? "not stored" : "stored ", found);
}

/* The name by which people know a field. */
static const char *field_word(const char *field)
{
    static const struct {
        const char *field;
        const char *word;
    } words[] = {{"implementation_version", "implementation"}, {"model_digest", "model"}, {"thread_count", "threads"}};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(words[i].field, field) == 0)
            return words[i].word;
    }
    return field;
}

static void append_marks(sy_text *to, const sy_verdict *selected)
{
    const sy_profile *profile = selected->profile;

    if (profile->portable && profile->kind != SY_PROFILE_OVERRIDE)
        sy_text_append(to, ": a prior, to be confirmed here");
    if (profile->has_trial && profile->trial.decision == SY_DECISION_INCONCLUSIVE)
        sy_text_append(to, ", undecided: the probe could not tell, this is the reference");
    if (selected->evidence_missing)
        sy_text_append(to, ", without evidence");
}

/* ---- the answer ---- */

static size_t passed_over(const sy_step steps[SY_STEP_COUNT])
{
    size_t count = 0;

    for (size_t i = 0; i < SY_STEP_COUNT; i++)
        count += steps[i].state == SY_STEP_PASSED_OVER;
    return count;
}

/* Who can look into a ledger says where the run stands. */
static void put_evidence(sy_page *page, const sy_report_enquiry *enquiry, const sy_profile *profile, sy_text *words)
{
    sy_text_append(words, profile->evidence_run);
    if (enquiry->store.prove != NULL && profile->evidence_run[0] != '\0') {
        sy_text_append_format(words, ", SHA-256 %s", profile->evidence_digest);
        sy_profile_words_proof(&enquiry->store, profile, words);
    }
    put_field(page, "evidence", words);
    if (profile->signed_by != NULL && profile->signed_by[0] != '\0') {
        sy_text_append_format(words, "key %s, when it was imported", profile->signed_by);
        put_field(page, "signed by", words);
    }
}

static void put_selected(sy_page *page, const sy_report_enquiry *enquiry, const sy_verdict *selected, sy_text *words)
{
    const sy_profile *profile = selected->profile;
    char time[SY_PROFILE_TIME_SIZE];

    sy_text_append(words, sy_profile_rank_word(selected->rank));
    append_marks(words, selected);
    put_field(page, "rank", words);
    sy_profile_words_measurements(profile, words);
    put_field(page, "measured", words);
    sy_page_field(page, "reason", profile->reason);
    put_evidence(page, enquiry, profile, words);
    sy_page_field(page, "expires", sy_profile_words_time(time, profile->expires_utc_s));
    sy_page_field(page, "file", sy_profile_words_layer(&enquiry->store, selected->layer));
}

sy_status sy_report_profile_answer(const sy_report_enquiry *enquiry, const sy_report_style *style, char **ret_text,
                                   sy_error *err)
{
    const sy_verdict *selected = sy_profile_selected(enquiry->verdicts);
    sy_step steps[SY_STEP_COUNT];
    sy_text words = SY_TEXT_INIT;
    sy_page page;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    sy_profile_walk(enquiry, steps);
    if (selected != NULL) {
        sy_profile_words_policy(selected->profile, &words);
        put_paragraph(&page, 0, 0, SY_TONE_GOOD, &words);
        put_selected(&page, enquiry, selected, &words);
        if (passed_over(steps) > 0)
            sy_page_field(&page, "note", "a better ranked profile is passed over: steelyard profile explain");
    }
    sy_text_finish(&words);
    return sy_page_take(&page, ret_text, err);
}

/* ---- the explanation ---- */

static void put_question(sy_page *page, const sy_lookup *lookup, sy_text *words)
{
    const sy_profile_key *key = &lookup->key;

    sy_text_append_format(words, "%s on %s, implementation %s", key->operator_name, key->backend,
                          key->implementation_version);
    put_paragraph(page, 0, 2, SY_TONE_STRONG, words);
    if (key->model_digest != NULL && key->model_digest[0] != '\0') {
        sy_profile_words_key(key, false, words);
        put_field(page, "exact", words);
    }
    if (key->structure_count > 0) {
        sy_profile_words_key(key, true, words);
        put_field(page, "portable", words);
    }
}

static void append_step(sy_text *to, const sy_step *step, bool exact)
{
    switch (step->state) {
    case SY_STEP_SELECTED:
        sy_text_append(to, "selected: ");
        sy_profile_words_policy(step->verdict->profile, to);
        append_marks(to, step->verdict);
        break;
    case SY_STEP_PASSED_OVER:
        sy_text_append_format(to, "passed over: %s", sy_verdict_reason_word(step->verdict->reason));
        if (step->verdict->detail[0] != '\0')
            sy_text_append_format(to, " (%s)", step->verdict->detail);
        break;
    case SY_STEP_EMPTY:
        sy_text_append(to, "none of this key");
        if (step->candidates > 0)
            sy_text_append_format(to, " (%zu of other keys)", step->candidates);
        break;
    case SY_STEP_NOT_ASKED:
        sy_text_append(to, exact ? "not asked: no model, processor and threads" : "not asked: no structure");
        break;
    case SY_STEP_SKIPPED:
        sy_text_append(to, "skipped: portable profiles only were asked for");
        break;
    case SY_STEP_NOT_REACHED:
        sy_text_append(to, "not reached");
        break;
    }
}

static void put_walk(sy_page *page, const sy_report_enquiry *enquiry, sy_text *words)
{
    sy_step steps[SY_STEP_COUNT];

    sy_profile_walk(enquiry, steps);
    sy_page_blank(page);
    sy_page_paragraph(page, 0, 0, SY_TONE_STRONG, "The walk, best rank first");
    for (size_t rank = 0; rank < SY_STEP_COUNT; rank++) {
        bool exact = rank == SY_PROFILE_RANK_OVERRIDE_EXACT || rank == SY_PROFILE_RANK_CALIBRATED_EXACT;
        sy_tone tone = steps[rank].state == SY_STEP_SELECTED      ? SY_TONE_GOOD
                       : steps[rank].state == SY_STEP_PASSED_OVER ? SY_TONE_DOUBT
                                                                  : SY_TONE_PLAIN;

        sy_text_append_format(words, "%s: ", sy_profile_rank_word((sy_profile_rank)rank));
        append_step(words, &steps[rank], exact);
        put_paragraph(page, 2, 6, tone, words);
    }
}

enum { E_NUMBER, E_VERDICT, E_RANK, E_POLICY, E_WHY, E_LAYER, E_COUNT };

static const sy_column columns[E_COUNT] = {
    [E_NUMBER] = {.title = "#", .right = true},
    [E_VERDICT] = {.title = "Verdict"},
    [E_RANK] = {.title = "Kind", .least = 10, .wraps = true, .drop = 1},
    [E_POLICY] = {.title = "Policy", .least = 6},
    [E_WHY] = {.title = "Why", .least = 14, .wraps = true},
    [E_LAYER] = {.title = "File", .least = 6, .drop = 2},
};

/* Of two processor strings only the first part that differs is shown, and how many more do. */
static void append_difference(sy_arena *arena, sy_text *to, const char *field, const char *wanted, const char *found)
{
    sy_difference_list parts = {NULL, 0, 0};

    if (strcmp(field, "processor") == 0 && wanted[0] != '\0' && !sy_processor_differences(arena, wanted, found, &parts))
        to->failed = true;
    if (parts.count > 0) {
        sy_text_append_format(to, "%s ", parts.items[0].field);
        append_pair(to, parts.items[0].wanted, parts.items[0].found);
        if (parts.count > 1)
            sy_text_append_format(to, "; and %zu more", parts.count - 1);
        return;
    }
    sy_text_append_format(to, "%s ", field_word(field));
    append_pair(to, wanted, found);
}

static void append_why(sy_arena *arena, sy_text *to, const sy_verdict *verdict)
{
    sy_text_append(to, sy_verdict_reason_word(verdict->reason));
    if (verdict->field[0] != '\0') {
        sy_text_append(to, ": ");
        append_difference(arena, to, verdict->field, verdict->wanted, verdict->found);
    }
    if (verdict->detail[0] != '\0')
        sy_text_append_format(to, " (%s)", verdict->detail);
    if (verdict->evidence_missing && verdict->reason != SY_REASON_EVIDENCE_MISSING)
        sy_text_append_format(to, "%swithout evidence", to->length > 0 ? "; " : "");
}

static void put_verdict(sy_text_table *table, sy_arena *arena, const sy_report_enquiry *enquiry, size_t index,
                        sy_text texts[3])
{
    const sy_verdict *verdict = &enquiry->verdicts->items[index];
    sy_tone tone = verdict->verdict == SY_VERDICT_SELECTED ? SY_TONE_GOOD : SY_TONE_PLAIN;
    char number[24];

    for (size_t i = 0; i < 3; i++)
        sy_text_clear(&texts[i]);
    sy_profile_words_kind(verdict->profile, &texts[0]);
    sy_profile_words_policy(verdict->profile, &texts[1]);
    append_why(arena, &texts[2], verdict);
    snprintf(number, sizeof(number), "%zu", index + 1);
    sy_text_table_row(
        table, tone,
        (const char *const[E_COUNT]){
            [E_NUMBER] = number,
            [E_VERDICT] = sy_verdict_kind_word(verdict->verdict),
            [E_RANK] = sy_text_bytes(&texts[0]),
            [E_POLICY] = sy_text_bytes(&texts[1]),
            [E_WHY] = sy_text_bytes(&texts[2]),
            [E_LAYER] = enquiry->store.layer_count > 1 ? sy_profile_words_layer(&enquiry->store, verdict->layer) : "",
        });
}

static void put_verdicts(sy_page *page, sy_arena *arena, const sy_report_enquiry *enquiry)
{
    size_t count = enquiry->verdicts->count;
    sy_text texts[3] = {SY_TEXT_INIT, SY_TEXT_INIT, SY_TEXT_INIT};
    sy_text_table *table = count > 0 ? sy_text_table_create(page, columns, E_COUNT) : NULL;

    for (size_t i = 0; table != NULL && i < count; i++)
        put_verdict(table, arena, enquiry, i, texts);
    if (table != NULL) {
        sy_page_blank(page);
        sy_text_table_print(table);
    }
    sy_text_table_destroy(table);
    for (size_t i = 0; i < 3; i++) {
        page->text.failed = page->text.failed || texts[i].failed;
        sy_text_finish(&texts[i]);
    }
}

/* Each difference in a line; of the processor each part that differs. */
static void put_differences(sy_page *page, sy_arena *arena, const sy_difference_list *list, sy_text *words)
{
    for (size_t i = 0; i < list->count; i++) {
        const sy_difference *item = &list->items[i];
        sy_difference_list parts = {NULL, 0, 0};

        if (strcmp(item->field, "processor") == 0 && item->wanted[0] != '\0' &&
            !sy_processor_differences(arena, item->wanted, item->found, &parts))
            words->failed = true;
        if (parts.count == 0) {
            sy_text_append_format(words, "%s: ", field_word(item->field));
            append_pair(words, item->wanted, item->found);
            put_paragraph(page, 4, 8, SY_TONE_PLAIN, words);
            continue;
        }
        sy_text_append_format(words, "processor: %zu of its %zu parts", parts.count, parts.fields);
        put_paragraph(page, 4, 8, SY_TONE_PLAIN, words);
        for (size_t j = 0; j < parts.count; j++) {
            sy_text_append_format(words, "%s: ", parts.items[j].field);
            append_pair(words, parts.items[j].wanted, parts.items[j].found);
            put_paragraph(page, 6, 10, SY_TONE_PLAIN, words);
        }
    }
}

/* What would make a rejected profile the answer. */
static void append_remedy(sy_text *to, const sy_verdict *verdict, const sy_difference_list *differences)
{
    switch (verdict->reason) {
    case SY_REASON_NOT_PROBED:
        sy_text_append(to, "It would answer once it is probed here: an imported profile is a hint only.");
        return;
    case SY_REASON_EXPIRED:
        sy_text_append(to, "It would answer if it were not expired: probe again, or set an override.");
        return;
    case SY_REASON_EVIDENCE_MISSING:
        sy_text_append(to, "It would answer with evidence: probe again, or do not require it.");
        return;
    case SY_REASON_POLICY_REJECTED:
        sy_text_append(to, "It would answer if its policy could be used.");
        return;
    default:
        break;
    }
    sy_text_append(to, "It would match if ");
    sy_text_append(to, differences->count == 1 ? "this were equal:" : "all of these were equal:");
}

static void put_nearest(sy_page *page, sy_arena *arena, const sy_report_enquiry *enquiry, sy_text *words)
{
    const sy_verdict *nearest = NULL;
    sy_difference_list differences = {NULL, 0, 0};

    if (!sy_profile_nearest(arena, enquiry, &nearest, &differences)) {
        page->text.failed = true;
        return;
    }
    if (nearest == NULL)
        return;
    sy_page_blank(page);
    sy_text_append_format(words, "The nearest miss: #%zu, ", (size_t)(nearest - enquiry->verdicts->items) + 1);
    sy_profile_words_kind(nearest->profile, words);
    sy_text_append(words, ", policy ");
    sy_profile_words_policy(nearest->profile, words);
    put_paragraph(page, 0, 2, SY_TONE_STRONG, words);
    sy_text_append_format(words, "%zu of %zu fields agree. ", differences.fields - differences.count,
                          differences.fields);
    append_remedy(words, nearest, &differences);
    put_paragraph(page, 2, 2, SY_TONE_PLAIN, words);
    put_differences(page, arena, &differences, words);
}

/* A probe keeps with its decision how many fresh processes of each implementation it rests on. */
static void put_processes(sy_page *page, const sy_profile *profile, sy_text *words)
{
    for (size_t i = 0; i < profile->measurement_count; i++) {
        const sy_measurement *measurement = &profile->measurements[i];

        if (strcmp(measurement->name, "processes") != 0)
            continue;
        sy_text_append_format(words, "in %.0f %s of each implementation", measurement->value,
                              measurement->value < 2 ? "process" : "processes");
        put_field(page, "measured", words);
    }
}

static void put_outcome(sy_page *page, const sy_report_enquiry *enquiry, sy_text *words)
{
    const sy_verdict *selected = sy_profile_selected(enquiry->verdicts);

    if (selected == NULL) {
        sy_page_field(page, "answer", "none");
        return;
    }
    sy_profile_words_policy(selected->profile, words);
    sy_text_append_format(words, ", from %s", sy_profile_words_layer(&enquiry->store, selected->layer));
    put_field(page, "answer", words);
    sy_page_field(page, "reason", selected->profile->reason); /* of an override: somebody will wonder */
    sy_profile_words_contradiction(&enquiry->store, selected->profile, words);
    put_field(page, "but", words);
    put_processes(page, selected->profile, words);
    put_evidence(page, enquiry, selected->profile, words);
}

sy_status sy_report_profile_explanation(const sy_report_enquiry *enquiry, const sy_report_style *style, char **ret_text,
                                        sy_error *err)
{
    sy_arena *arena;
    sy_text words = SY_TEXT_INIT;
    sy_page page;
    sy_status status = sy_page_start(&page, style, err);

    if (status != SY_OK)
        return status;
    arena = sy_arena_create(0);
    if (arena == NULL) {
        page.text.failed = true;
    } else {
        put_question(&page, enquiry->lookup, &words);
        put_outcome(&page, enquiry, &words);
        put_walk(&page, enquiry, &words);
        put_verdicts(&page, arena, enquiry);
        put_nearest(&page, arena, enquiry, &words);
    }
    page.text.failed = page.text.failed || words.failed;
    sy_text_finish(&words);
    sy_arena_destroy(arena);
    return sy_page_take(&page, ret_text, err);
}
