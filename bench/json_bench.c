/* SPDX-License-Identifier: Apache-2.0 */
/* How fast JSON is read and written: documents like those that are really read, in MB a second.
 * json_bench [MEGABYTES [REPEATS [DOCUMENT]]] */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/random.h"
#include "base/text.h"

#define MB 1000000.0

typedef void (*make_document)(sy_text *text, size_t size, sy_random *random);

/* A list of gates: objects of a dozen members, most of them short texts. */
static void make_gates(sy_text *text, size_t size, sy_random *random)
{
    sy_text_append(text, "[\n");
    for (unsigned i = 0; text->length < size; i++) {
        unsigned drawn = (unsigned)sy_random_below(random, 1000);
        sy_text_append_format(
            text,
            "%s  {\n    \"id\": \"gate-%05u\",\n    \"model\": \"model-%u\",\n    \"backend\": "
            "\"cuda\",\n    \"tier\": %u,\n    \"operation\": \"attention\",\n    \"command\": [\"run\", "
            "\"--model\", \"/models/%u.bin\", \"--steps\", \"20\"],\n    \"requires\": {\"memory\": "
            "%u, \"driver\": \">= 535\"},\n    \"enabled\": true,\n    \"note\": null,\n    "
            "\"tolerance\": 0.%03u\n  }",
            i == 0 ? "" : ",\n", i, drawn, drawn % 4, drawn, drawn * 1048576, drawn);
    }
    sy_text_append(text, "\n]\n");
}

/* Series of measured times: 17 digits each. */
static void make_samples(sy_text *text, size_t size, sy_random *random)
{
    sy_text_append(text, "{\"samples\":[0");
    while (text->length < size) {
        sy_text_append(text, ",");
        sy_text_append_double(text, sy_random_unit(random) * 1e-3);
    }
    sy_text_append(text, "]}");
}

/* Counted times in whole nanoseconds. */
static void make_integers(sy_text *text, size_t size, sy_random *random)
{
    sy_text_append(text, "[0");
    while (text->length < size) {
        sy_text_append_format(text, ", %llu", (unsigned long long)sy_random_below(random, 10000000));
    }
    sy_text_append(text, "]");
}

static void write_tree(sy_json_writer *writer, const sy_json_value *value)
{
    bool is_object = value->kind == SY_JSON_OBJECT;
    if (is_object || value->kind == SY_JSON_ARRAY) {
        is_object ? sy_json_begin_object(writer) : sy_json_begin_array(writer);
        for (const sy_json_value *child = value->first; child != NULL; child = child->next) {
            if (is_object) {
                sy_json_name_sized(writer, child->name, child->name_length);
            }
            write_tree(writer, child);
        }
        is_object ? sy_json_end_object(writer) : sy_json_end_array(writer);
    } else if (value->kind == SY_JSON_NUMBER) {
        sy_json_double(writer, value->number);
    } else if (value->kind == SY_JSON_TEXT) {
        sy_json_text_sized(writer, value->text, value->text_length);
    } else if (value->kind == SY_JSON_NULL) {
        sy_json_null(writer);
    } else {
        sy_json_bool(writer, value->kind == SY_JSON_TRUE);
    }
}

static double seconds_since(uint64_t start_ns)
{
    return (double)(sy_clock_now(&sy_clock_system) - start_ns) / 1e9;
}

static int measure(const char *name, make_document make, size_t size, int repeats)
{
    sy_random random;
    sy_text text = SY_TEXT_INIT;
    sy_text written = SY_TEXT_INIT;
    double best_read = 1e9;
    double best_write = 1e9;
    sy_random_start(&random, 1, name);
    make(&text, size, &random);
    for (int i = 0; i < repeats && !text.failed; i++) {
        sy_json *json = NULL;
        sy_error err = SY_ERROR_INIT;
        uint64_t start_ns = sy_clock_now(&sy_clock_system);
        if (sy_json_parse(text.bytes, text.length, NULL, &json, &err) != SY_OK) {
            fprintf(stderr, "%s: %s\n", name, err.what);
            return 1;
        }
        double read_s = seconds_since(start_ns);
        best_read = read_s < best_read ? read_s : best_read;
        sy_text_clear(&written);
        start_ns = sy_clock_now(&sy_clock_system);
        sy_json_writer *writer = sy_json_writer_create(&written, SY_JSON_COMPACT);
        write_tree(writer, sy_json_root(json));
        if (sy_json_writer_finish(writer, &err) != SY_OK) {
            fprintf(stderr, "%s: %s\n", name, err.what);
            return 1;
        }
        double write_s = seconds_since(start_ns);
        best_write = write_s < best_write ? write_s : best_write;
        sy_json_destroy(json);
    }
    printf("%-9s %10zu bytes  read %6.0f MB/s  write %6.0f MB/s\n", name, text.length,
           (double)text.length / MB / best_read, (double)written.length / MB / best_write);
    sy_text_finish(&written);
    sy_text_finish(&text);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        make_document make;
    } documents[] = {{"gates", make_gates}, {"samples", make_samples}, {"integers", make_integers}};
    size_t size = (size_t)((argc > 1 ? strtod(argv[1], NULL) : 45.0) * MB);
    int repeats = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 5;
    int failed = 0;
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++) {
        if (argc < 4 || sy_text_equal(argv[3], documents[i].name)) {
            failed |= measure(documents[i].name, documents[i].make, size, repeats);
        }
    }
    return failed;
}
