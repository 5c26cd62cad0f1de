/* SPDX-License-Identifier: Apache-2.0 */
/* json_value FILE POINTER: for shell tests. Prints the value at an RFC 6901 pointer: texts, numbers and words as they
 * stand, "array of N" and "object of N" for the others. Exit 1 if the file is not strict JSON or has no such value. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

static char *read_all(const char *path, size_t *ret_size)
{
    static char bytes[1 << 24];
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        perror(path);
        exit(1);
    }
    *ret_size = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    return bytes;
}

/* One step of the pointer: a member's name or an element's index. Names in our formats hold no '~' or '/'. */
static const sy_json_value *step(const sy_json_value *value, const char *word)
{
    if (value == NULL)
        return NULL;
    if (value->kind == SY_JSON_ARRAY)
        return sy_json_element(value, strtoul(word, NULL, 10));
    return sy_json_member(value, word);
}

static void print_value(const sy_json_value *value)
{
    if (value->kind == SY_JSON_ARRAY || value->kind == SY_JSON_OBJECT)
        printf("%s of %zu\n", value->kind == SY_JSON_ARRAY ? "array" : "object", value->count);
    else if (value->text != NULL)
        printf("%.*s\n", (int)value->text_length, value->text);
    else
        puts(value->kind == SY_JSON_NULL ? "null" : value->kind == SY_JSON_TRUE ? "true" : "false");
}

int main(int argc, char **argv)
{
    const sy_json_value *value;
    sy_json *json = NULL;
    sy_error err = SY_ERROR_INIT;
    size_t size;
    size_t findings;
    char *bytes;
    char pointer[256];

    if (argc != 3 || strlen(argv[2]) >= sizeof(pointer)) {
        fputs("usage: json_value FILE POINTER\n", stderr);
        return 2;
    }
    bytes = read_all(argv[1], &size);
    if (sy_json_parse(bytes, size, NULL, &json, &err) != SY_OK) {
        fprintf(stderr, "%s: %s\n", argv[1], err.what);
        return 1;
    }
    (void)sy_json_findings(json, &findings);
    value = findings == 0 ? sy_json_root(json) : NULL;
    memcpy(pointer, argv[2], strlen(argv[2]) + 1);
    for (char *word = pointer; value != NULL && *word == '/';) {
        char *end = word + 1 + strcspn(word + 1, "/");
        bool last = *end == '\0';

        *end = '\0';
        value = step(value, word + 1);
        if (last)
            break;
        *end = '/';
        word = end;
    }
    if (value == NULL)
        fprintf(stderr, "%s: %s\n", argv[2], findings > 0 ? "not strict JSON" : "no such value");
    else
        print_value(value);
    sy_json_destroy(json);
    return value == NULL ? 1 : 0;
}
