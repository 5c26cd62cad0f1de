/* SPDX-License-Identifier: Apache-2.0 */
/* A profile as one search of a kernel's parameters, in the two forms of JSON that hold one: its policy is the fastest
 * configuration, its alternatives are others. A file holds one kernel for one problem. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "importers/tuning/tuning_write.h"

/* Copies the members of an object of scalars into an open object of the writer; what is nested is refused before. */
static void write_members(sy_json_writer *writer, const sy_json_value *object)
{
    for (const sy_json_value *one = object->first; one != NULL; one = one->next) {
        sy_json_name_sized(writer, one->name, one->name_length);
        if (one->kind == SY_JSON_NUMBER)
            sy_json_double(writer, one->number);
        else if (one->kind == SY_JSON_TEXT)
            sy_json_text_sized(writer, one->text, one->text_length);
        else if (one->kind == SY_JSON_NULL)
            sy_json_null(writer);
        else
            sy_json_bool(writer, one->kind == SY_JSON_TRUE);
    }
}

/* A name as a text of its own; false: it is too long for one. */
static bool span_word(sy_tuning_span span, char word[256])
{
    size_t length = span.length < 255 ? span.length : 255;

    memcpy(word, span.at, length);
    word[length] = '\0';
    return span.length <= 255;
}

/* Whether a set has exactly the parameters that are listed. */
static bool has_parameters(const sy_json_value *object, const char *parameters)
{
    sy_tuning_span rest = {parameters, strlen(parameters)};
    char word[256];
    size_t count = 0;

    while (rest.length > 0) {
        if (!span_word(sy_tuning_cut(&rest, ','), word) || sy_json_member(object, word) == NULL)
            return false;
        count++;
    }
    return count == object->count;
}

static bool is_scalars(const sy_json_value *object)
{
    if (object->kind != SY_JSON_OBJECT || object->count == 0)
        return false;
    for (const sy_json_value *one = object->first; one != NULL; one = one->next) {
        if (one->kind == SY_JSON_ARRAY || one->kind == SY_JSON_OBJECT ||
            (one->kind == SY_JSON_NUMBER && !isfinite(one->number)))
            return false;
    }
    return true;
}

/* "16,1,2": the name of an entry in the cache, its values in the order of the parameters. */
static void append_name(sy_text *name, const sy_json_value *object, const char *parameters)
{
    sy_tuning_span rest = {parameters, strlen(parameters)};
    char word[256];

    sy_text_clear(name);
    while (rest.length > 0) {
        sy_tuning_span parameter = sy_tuning_cut(&rest, ',');
        const sy_json_value *one;

        (void)span_word(parameter, word);
        one = sy_json_member(object, word);
        sy_text_append(name, name->length > 0 ? "," : "");
        if (one == NULL)
            continue;
        if (one->text != NULL)
            sy_text_append_bytes(name, one->text, one->text_length);
        else
            sy_text_append(name, one->kind == SY_JSON_TRUE ? "True" : one->kind == SY_JSON_FALSE ? "False" : "None");
    }
}

static void write_cached(sy_json_writer *writer, const sy_json_value *object, double time, const char *failure,
                         const char *parameters, sy_text *name)
{
    append_name(name, object, parameters);
    sy_json_name(writer, sy_text_bytes(name));
    sy_json_begin_object(writer);
    write_members(writer, object);
    if (failure == NULL)
        sy_json_member_double(writer, "time", time);
    else
        sy_json_member_text(writer, "time", failure);
    sy_json_end_object(writer);
}

static void write_result(sy_json_writer *writer, const sy_json_value *object, double time, const char *failure)
{
    sy_json_begin_object(writer);
    sy_json_name(writer, "configuration");
    sy_json_begin_object(writer);
    write_members(writer, object);
    sy_json_end_object(writer);
    sy_json_member_text(writer, "invalidity", failure != NULL ? failure : "correct");
    sy_json_member_double(writer, "correctness", failure != NULL ? 0 : 1);
    sy_json_name(writer, "measurements");
    sy_json_begin_array(writer);
    if (failure == NULL) {
        sy_json_begin_object(writer);
        sy_json_member_text(writer, "name", "time");
        sy_json_member_double(writer, "value", time);
        sy_json_member_text(writer, "unit", "ms");
        sy_json_end_object(writer);
    }
    sy_json_end_array(writer);
    sy_json_end_object(writer);
}

typedef struct search_writing {
    sy_tuning_writing *w;
    sy_json_writer *writer;
    sy_text name;
    const char *parameters; /* of the profile at hand */
    bool t4;
} search_writing;

/* A configuration, if its text is a set of parameters. */
static bool write_one(search_writing *s, const char *parameters, double time, const char *failure)
{
    sy_json *json = NULL;
    bool known = sy_json_parse(parameters, strlen(parameters), NULL, &json, NULL) == SY_OK &&
                 is_scalars(sy_json_root(json)) && has_parameters(sy_json_root(json), s->parameters);

    if (known && s->t4)
        write_result(s->writer, sy_json_root(json), time, failure);
    else if (known)
        write_cached(s->writer, sy_json_root(json), time, failure, s->parameters, &s->name);
    sy_json_destroy(json);
    return known;
}

static void write_configurations(search_writing *s, const sy_profile *profile, double time)
{
    (void)write_one(s, profile->policy, time, NULL);
    for (size_t i = 0; i < profile->alternative_count; i++) {
        const sy_alternative *alternative = &profile->alternatives[i];
        bool has_time = isfinite(alternative->ratio) && alternative->ratio >= 1;

        if (!write_one(s, alternative->name, time * alternative->ratio, has_time ? NULL : alternative->reason))
            s->w->left_out++;
    }
}

/* The parameters' names, in the order in which the policy has them. */
static void write_names(sy_json_writer *writer, const char *names)
{
    sy_tuning_span rest = {names, strlen(names)};

    sy_json_begin_array(writer);
    while (rest.length > 0) {
        sy_tuning_span name = sy_tuning_cut(&rest, ',');

        sy_json_text_sized(writer, name.at, name.length);
    }
    sy_json_end_array(writer);
}

static void write_problem_size(sy_json_writer *writer, const char *text)
{
    sy_json *json = NULL;
    const sy_json_value *root = sy_json_parse(text, strlen(text), NULL, &json, NULL) == SY_OK ? sy_json_root(json)
                                                                                              : NULL;

    if (root != NULL && root->kind == SY_JSON_ARRAY) {
        sy_json_begin_array(writer);
        for (const sy_json_value *one = root->first; one != NULL; one = one->next)
            sy_json_double(writer, one->number);
        sy_json_end_array(writer);
    } else if (root != NULL && root->kind == SY_JSON_NUMBER) {
        sy_json_double(writer, root->number);
    } else {
        sy_json_text(writer, root != NULL && root->kind == SY_JSON_TEXT ? root->text : text);
    }
    sy_json_destroy(json);
}

static void write_cache(search_writing *s, const sy_profile *profile, double time)
{
    const char *device = sy_tuning_value(&profile->key, "device");
    const char *size = sy_tuning_value(&profile->key, "problem_size");

    sy_json_begin_object(s->writer);
    sy_json_member_text(s->writer, "device_name", device != NULL ? device : "");
    sy_json_member_text(s->writer, "kernel_name", profile->key.operator_name);
    if (size != NULL) {
        sy_json_name(s->writer, "problem_size");
        write_problem_size(s->writer, size);
    }
    sy_json_name(s->writer, "tune_params_keys");
    write_names(s->writer, s->parameters);
    sy_json_member_text(s->writer, "objective", "time");
    sy_json_name(s->writer, "cache");
    sy_json_begin_object(s->writer);
    write_configurations(s, profile, time);
    sy_json_end_object(s->writer);
    sy_json_end_object(s->writer);
}

static void write_t4(search_writing *s, const sy_profile *profile, double time)
{
    sy_json_begin_object(s->writer);
    sy_json_name(s->writer, "results");
    sy_json_begin_array(s->writer);
    write_configurations(s, profile, time);
    sy_json_end_array(s->writer);
    sy_json_member_text(s->writer, "schema_version", "1.0.0");
    sy_json_name(s->writer, "metadata");
    sy_json_begin_object(s->writer);
    sy_json_member_text(s->writer, "timeunit", "ms");
    sy_json_end_object(s->writer);
    sy_json_end_object(s->writer);
}

static const char *refusal(const sy_profile *profile, bool t4)
{
    const char *why = sy_tuning_never_written(profile);
    const char *parameters = sy_tuning_value(&profile->key, "parameters");
    double time = sy_tuning_milliseconds(profile);
    sy_json *json = NULL;
    bool is_set;

    if (why != NULL)
        return why;
    if (parameters == NULL || parameters[0] == '\0')
        return "its key does not name the parameters";
    if (t4 && profile->key.structure_count != 1)
        return "its key says more than T4 can: problem or device";
    if (!t4 && profile->key.structure_count != 1 + (size_t)(sy_tuning_value(&profile->key, "device") != NULL) +
                                                   (size_t)(sy_tuning_value(&profile->key, "problem_size") != NULL))
        return "its key says more than a cache of Kernel Tuner can";
    is_set = sy_json_parse(profile->policy, profile->policy_size, NULL, &json, NULL) == SY_OK &&
             is_scalars(sy_json_root(json)) && has_parameters(sy_json_root(json), parameters);
    sy_json_destroy(json);
    if (!is_set)
        return "its policy is no set of these parameters";
    return time > 0 && !isinf(time) ? NULL : "its time is not known";
}

sy_status sy_tuning_write_search(sy_tuning_writing *writing, bool t4, sy_error *err)
{
    search_writing s = {writing, NULL, SY_TEXT_INIT, "", t4};
    sy_status status = SY_OK;

    for (size_t i = 0; i < writing->count && status == SY_OK; i++) {
        const sy_profile *profile = writing->profiles[i];
        const char *why = refusal(profile, t4);

        if (why == NULL && writing->written > 0)
            why = "the file has one already: it holds one kernel and problem";
        if (why != NULL) {
            sy_tuning_unwritable(writing, profile, why);
            continue;
        }
        s.parameters = sy_tuning_value(&profile->key, "parameters");
        s.writer = sy_json_writer_create(&writing->text, SY_JSON_INDENTED);
        if (t4)
            write_t4(&s, profile, sy_tuning_milliseconds(profile));
        else
            write_cache(&s, profile, sy_tuning_milliseconds(profile));
        writing->written++;
        writing->draft.failed = writing->draft.failed || s.name.failed;
        status = sy_json_writer_finish(s.writer, err);
        sy_text_append(&writing->text, "\n");
    }
    sy_text_finish(&s.name);
    return status;
}
