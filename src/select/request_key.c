/* SPDX-License-Identifier: Apache-2.0 */
/* From a request to its exact key: what the answer depends on, as texts that are the same in every process of this
 * machine. */
#include <string.h>

#include "backends/backend.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "operations/case_json.h"
#include "operations/suite.h"
#include "record/identity.h"
#include "select/selector.h"
#include <steelyard/identity.h>

/* FNV-1a and a multiply-rotate over the same words of eight bytes: two hashes that do not fail together. */
static void mark_word(sy_request_mark *mark, uint64_t word)
{
    mark->a = (mark->a ^ word) * UINT64_C(0x100000001b3);
    mark->a ^= mark->a >> 29; /* a word's high bits must reach the low ones */
    mark->b = (((mark->b << 7) | (mark->b >> 57)) + word) * UINT64_C(0x9e3779b97f4a7c15);
}

/* NULL is "". Its length goes in behind it, so that texts side by side do not run together. */
static void mark_text(sy_request_mark *mark, const char *text)
{
    uint64_t word = 0;
    uint64_t length = 0;
    for (const unsigned char *at = (const unsigned char *)(text ? text : ""); *at; at++) {
        word = word << 8 | *at;
        if (++length % sizeof(word) == 0)
            mark_word(mark, word); /* its bytes are shifted out by the next eight */
    }
    mark_word(mark, word);
    mark_word(mark, length);
}

static void mark_device(sy_request_mark *mark, const sy_device *device)
{
    mark_text(mark, device->backend->name);
    mark_text(mark, device->name);
    mark_text(mark, device->script);
    mark_word(mark, device->threads);
}

/* What can be answered, and what is asked of it: by content, since a suite dies with its device and another may come to
 * lie in its place. */
static void mark_suite(sy_request_mark *mark, const sy_suite *suite)
{
    mark_text(mark, suite->operation);
    mark_text(mark, suite->version);
    mark_word(mark, suite->implementation_count);
    for (size_t i = 0; i < suite->implementation_count; i++)
        mark_text(mark, suite->implementations[i].name);
}

static void mark_cases(sy_request_mark *mark, const sy_case *cases, size_t count)
{
    mark_word(mark, count);
    for (size_t i = 0; i < count; i++) {
        const sy_case *c = &cases[i];
        uint64_t weight;
        memcpy(&weight, &c->weight, sizeof(weight));
        mark_word(mark, weight);
        mark_word(mark, (uint64_t)c->dtype);
        mark_word(mark, c->property_count);
        for (size_t j = 0; j < c->property_count; j++) {
            mark_text(mark, c->properties[j].name);
            mark_word(mark, (uint64_t)c->properties[j].value);
        }
    }
}

sy_request_mark sy_request_mark_of(const sy_request *request)
{
    sy_request_mark mark = {UINT64_C(0xcbf29ce484222325), 1};
    const sy_suite *suite = request->suite;
    mark_word(&mark, (uint64_t)request->no_shortcuts << 4 | (uint64_t)request->allow_approximate << 3 |
                         (uint64_t)request->force_portable << 2 | (uint64_t)request->require_evidence << 1 |
                         (uint64_t)request->per_case);
    mark_device(&mark, request->device);
    mark_suite(&mark, suite);
    mark_text(&mark, request->model_digest);
    mark_text(&mark, request->cache_state);
    mark_word(&mark, (uint64_t)request->prefer);
    mark_word(&mark, request->structure_count);
    for (size_t i = 0; i < request->structure_count; i++) {
        mark_text(&mark, request->structure[i].name);
        mark_text(&mark, request->structure[i].value);
    }
    mark_cases(&mark, request->cases ? request->cases : suite->cases,
               request->cases ? request->case_count : suite->case_count);
    return mark;
}

sy_request_mark sy_device_mark_of(const sy_device *device)
{
    sy_request_mark mark = {UINT64_C(0xcbf29ce484222325), 1};
    mark_device(&mark, device);
    return mark;
}

/* A portable key has nothing but its structure to tell an answer for its memory from one for its speed. */
static sy_status check_preference(const sy_request *request, sy_error *err)
{
    const char *said = sy_preference_word(SY_PREFER_SPEED);
    for (size_t i = 0; i < request->structure_count; i++) {
        if (sy_text_equal(request->structure[i].name, SY_STRUCTURE_PREFER))
            said = request->structure[i].value;
    }
    if ((unsigned)request->prefer > SY_PREFER_MEMORY)
        return sy_fail(err, SY_INVALID_ARGUMENT, "preference %d: it is none", (int)request->prefer);
    if (request->per_case || request->structure_count == 0 || sy_text_equal(said, sy_preference_word(request->prefer)))
        return SY_OK;
    (void)sy_fail(err, SY_INVALID_ARGUMENT, "%s is preferred, but the structure says '%s'",
                  sy_preference_word(request->prefer), said ? said : "");
    sy_error_hint(err, "the property " SY_STRUCTURE_PREFER " with the value memory belongs to it, and to it alone");
    return SY_INVALID_ARGUMENT;
}

/* A portable key has nothing but its structure to tell cold from hot. */
static sy_status check_structure(const sy_request *request, sy_error *err)
{
    const char *said = sy_cache_state_word(SY_CACHE_HOT);
    for (size_t i = 0; i < request->structure_count; i++) {
        if (sy_text_equal(request->structure[i].name, SY_STRUCTURE_CACHE))
            said = request->structure[i].value;
    }
    if (request->per_case || request->structure_count == 0 || sy_text_equal(said, request->cache_state))
        return SY_OK;
    (void)sy_fail(err, SY_INVALID_ARGUMENT, "cache state '%s', but the structure says '%s'", request->cache_state,
                  said ? said : "");
    sy_error_hint(err,
                  "the property " SY_STRUCTURE_CACHE " with the value cold belongs to cold buffers, and to them alone");
    return SY_INVALID_ARGUMENT;
}

sy_status sy_request_suite(const sy_request *request, sy_suite *ret_suite, sy_error *err)
{
    if (!request->suite || !request->device)
        return sy_fail(err, SY_INVALID_ARGUMENT, "a request without %s", request->suite ? "a device" : "a suite");
    if (request->cases && request->case_count == 0)
        return sy_fail(err, SY_INVALID_ARGUMENT, "a request with an empty list of cases");
    if (!request->cache_state || (strcmp(request->cache_state, sy_cache_state_word(SY_CACHE_HOT)) != 0 &&
                                  strcmp(request->cache_state, sy_cache_state_word(SY_CACHE_COLD)) != 0))
        return sy_fail(err, SY_INVALID_ARGUMENT, "cache state '%s': it is 'hot' or 'cold'",
                       request->cache_state ? request->cache_state : "");
    sy_status status = check_structure(request, err);
    if (!status)
        status = check_preference(request, err);
    if (status)
        return status;
    if (request->force_portable && !request->per_case && request->structure_count == 0)
        return sy_fail(err, SY_INVALID_ARGUMENT,
                       "portable profiles are forced, but there is no structure that one could be found by");
    sy_suite suite = *request->suite;
    if (request->cases) {
        suite.cases = request->cases;
        suite.case_count = request->case_count;
    }
    status = sy_suite_check(&suite, err);
    if (!status)
        *ret_suite = suite;
    return status;
}

/* SHA-256 over the cases (shape, dtype, weight) and the settings; names do not count. Its first 16 digits go to `to`.
 */
static sy_status digest_cases(const sy_suite *suite, const sy_request *request, char to[17], sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_digest digest;
    char digits[SY_DIGEST_TEXT];
    for (size_t i = 0; i < suite->case_count; i++) {
        const sy_case *c = &suite->cases[i];
        sy_text_append_format(&text, "case dtype=%s weight=", sy_dtype_word(c->dtype));
        sy_text_append_double(&text, c->weight);
        for (size_t j = 0; j < c->property_count; j++)
            sy_text_append_format(&text, " %s=%lld", c->properties[j].name, (long long)c->properties[j].value);
        sy_text_append(&text, "\n");
    }
    sy_text_append_format(&text, "cache=%s approximate=%s%s\n", request->cache_state,
                          request->allow_approximate ? "allowed" : "no",
                          request->prefer == SY_PREFER_MEMORY ? " prefer=memory" : "");
    sy_digest_of(sy_text_bytes(&text), text.length, &digest);
    sy_digest_format(&digest, digits);
    memcpy(to, digits, 16);
    to[16] = '\0';
    bool failed = text.failed;
    sy_text_finish(&text);
    return failed ? sy_fail(err, SY_NO_MEMORY, "no memory for the key of a request") : SY_OK;
}

/* The suite's version and the first 16 digits of SHA-256 over its operation and the versions of its implementations: a
 * profile whose operation was changed by hand does not fit the other one either. */
static sy_status version_text(sy_selector *selector, const sy_request *request, const char **ret_version, sy_error *err)
{
    sy_text text = SY_TEXT_INIT;
    sy_digest digest;
    char digits[SY_DIGEST_TEXT];
    sy_text_append_format(&text, "%s\n", request->suite->operation);
    sy_status status = sy_suite_versions(request->device, request->suite, &text, err);
    if (!status) {
        sy_digest_of(sy_text_bytes(&text), text.length, &digest);
        sy_digest_format(&digest, digits);
        sy_text_clear(&text);
        sy_text_append_format(&text, "%s+%.16s", request->suite->version, digits);
        *ret_version = text.failed ? NULL : sy_selector_keep_text(selector, sy_text_bytes(&text));
        if (!*ret_version)
            status = sy_fail(err, SY_NO_MEMORY, "no memory for the key of a request");
    }
    sy_text_finish(&text);
    return status;
}

/* The machine as a text, found out once a device; "" when a key field could not be found out: it then equals no
 * machine. */
static sy_remembered *find_processor(const sy_selector *selector, const sy_device *device)
{
    const sy_request_mark mark = sy_device_mark_of(device);
    sy_remembered *seen = selector->processors;
    while (seen && !(seen->mark.a == mark.a && seen->mark.b == mark.b))
        seen = seen->next;
    return seen;
}

const char *sy_selector_unknown_facts(sy_selector *selector, const sy_device *device)
{
    (void)pthread_mutex_lock(&selector->making);
    const sy_remembered *seen = find_processor(selector, device);
    (void)pthread_mutex_unlock(&selector->making);
    return seen ? seen->unknown_facts : "";
}

static sy_status processor_text(sy_selector *selector, sy_device *device, const char **ret_processor, sy_error *err)
{
    sy_device_info info;
    sy_remembered *seen = find_processor(selector, device);
    if (seen) {
        *ret_processor = seen->selection.processor;
        return SY_OK;
    }
    sy_status status = sy_device_describe(device, &info, err);
    if (status)
        return status;
    sy_identity_options options = SY_IDENTITY_OPTIONS_INIT;
    sy_identity *identity = NULL;
    char *text = NULL;
    sy_text unknown = SY_TEXT_INIT;
    options.device = &info;
    status = sy_identity_describe(&options, &identity, err);
    if (!status)
        sy_identity_append_unknown(identity, &unknown);
    if (!status)
        status = sy_identity_processor(identity, &text, err);
    seen = status || unknown.failed ? NULL : sy_arena_allocate(selector->arena, 1, sizeof(*seen));
    if (seen) {
        seen->mark = sy_device_mark_of(device);
        seen->unknown_facts = sy_selector_keep_text(selector, sy_text_bytes(&unknown));
        seen->selection.processor = sy_selector_keep_text(selector, unknown.length > 0 ? "" : text);
    }
    if (!status && (!seen || !seen->selection.processor || !seen->unknown_facts))
        status = sy_fail(err, SY_NO_MEMORY, "no memory for the key of a request");
    if (!status) {
        seen->next = selector->processors;
        selector->processors = seen;
        *ret_processor = seen->selection.processor;
    }
    sy_text_finish(&unknown);
    sy_text_free(text);
    sy_identity_destroy(identity);
    return status;
}

/* `making` is held. */
static sy_status make_key(sy_selector *selector, const sy_request *request, sy_selection *ret_key, sy_error *err)
{
    sy_suite suite;
    sy_selection key = {0};
    char cases[17];
    sy_device_info info;
    sy_text model = SY_TEXT_INIT;
    sy_status status = sy_request_suite(request, &suite, err);
    if (!status)
        status = sy_device_describe(request->device, &info, err);
    if (!status)
        status = digest_cases(&suite, request, cases, err);
    if (!status)
        status = version_text(selector, request, &key.implementation_version, err);
    if (!status)
        status = processor_text(selector, request->device, &key.processor, err);
    if (status)
        return status;
    sy_text_append_format(&model, "%s/%s",
                          request->model_digest && request->model_digest[0] ? request->model_digest : "none", cases);
    key.backend = sy_selector_keep_text(selector, info.backend);
    key.operator_name = sy_selector_keep_text(selector, suite.operation);
    key.model_digest = model.failed ? NULL : sy_selector_keep_text(selector, sy_text_bytes(&model));
    key.thread_count = info.threads > 0 ? info.threads : 1;
    sy_text_finish(&model);
    if (!key.backend || !key.operator_name || !key.model_digest)
        return sy_fail(err, SY_NO_MEMORY, "no memory for the key of a request");
    *ret_key = key;
    return SY_OK;
}

/* The key alone, of a request that was seen before. */
static bool recall_key(sy_selector *selector, sy_request_mark mark, sy_selection *ret_key)
{
    (void)pthread_rwlock_rdlock(&selector->looking);
    const sy_remembered *seen = sy_selector_find(selector, mark);
    if (seen) {
        const sy_selection *known = &seen->selection;
        *ret_key = (sy_selection){.backend = known->backend,
                                  .operator_name = known->operator_name,
                                  .implementation_version = known->implementation_version,
                                  .model_digest = known->model_digest,
                                  .processor = known->processor,
                                  .thread_count = known->thread_count};
    }
    (void)pthread_rwlock_unlock(&selector->looking);
    return seen != NULL;
}

sy_status sy_request_key(sy_selector *selector, const sy_request *request, sy_selection *ret_key, sy_error *err)
{
    sy_suite suite;
    sy_status status = sy_request_suite(request, &suite, err);
    if (status)
        return status;
    sy_request_mark mark = sy_request_mark_of(request);
    (void)pthread_mutex_lock(&selector->making);
    if (!recall_key(selector, mark, ret_key)) {
        status = make_key(selector, request, ret_key, err);
        if (!status)
            status = sy_selector_add(selector, mark, ret_key, err);
    }
    (void)pthread_mutex_unlock(&selector->making);
    return status;
}

sy_cache_state sy_request_cache(const sy_request *request)
{
    return strcmp(request->cache_state, sy_cache_state_word(SY_CACHE_COLD)) == 0 ? SY_CACHE_COLD : SY_CACHE_HOT;
}

bool sy_request_is_portable(const sy_request *request)
{
    return request->per_case || (request->force_portable && request->structure_count > 0);
}

sy_lookup sy_request_lookup(const sy_request *request, const sy_selection *key)
{
    sy_lookup lookup = SY_LOOKUP_INIT;
    bool certain = key->processor[0] != '\0';
    lookup.key = (sy_profile_key){
        .backend = key->backend,
        .operator_name = key->operator_name,
        .implementation_version = key->implementation_version,
        .model_digest = certain ? key->model_digest : NULL,
        .processor = certain ? key->processor : NULL,
        .thread_count = certain ? key->thread_count : 0,
        .structure = request->structure,
        .structure_count = request->structure_count,
    };
    lookup.force_portable = request->force_portable;
    lookup.require_evidence = request->require_evidence;
    return lookup;
}

sy_profile_key sy_request_stored_key(const sy_request *request, const sy_selection *key)
{
    sy_profile_key stored = sy_request_lookup(request, key).key;
    if (sy_request_is_portable(request)) {
        stored.model_digest = stored.processor = NULL;
        stored.thread_count = 0;
    } else {
        stored.structure = NULL;
        stored.structure_count = 0;
    }
    return stored;
}

sy_status sy_request_validate(void *user, const char *policy, size_t size, sy_error *err)
{
    const sy_request *request = user;
    for (size_t i = 0; i < request->suite->implementation_count; i++) {
        const sy_implementation *implementation = &request->suite->implementations[i];
        if (strlen(implementation->name) != size || memcmp(implementation->name, policy, size) != 0)
            continue;
        if (implementation->role == SY_ROLE_ORACLE)
            return sy_fail(err, SY_POLICY_REJECTED, "'%s' is the oracle, which is never used", implementation->name);
        if (implementation->error_class == SY_CLASS_APPROXIMATE && !request->allow_approximate)
            return sy_fail(err, SY_POLICY_REJECTED, "'%s' is approximate, which this request does not allow",
                           implementation->name);
        return SY_OK;
    }
    return sy_fail(err, SY_POLICY_REJECTED, "no implementation of %s is called '%.*s'", request->suite->operation,
                   (int)(size < 64 ? size : 64), policy);
}
