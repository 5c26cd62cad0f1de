/* SPDX-License-Identifier: Apache-2.0 */
/* Protocol descriptions: what a protocol_version asks of a matrix. Two ship with Steelyard as data; a project brings
 * its own as files. */
#ifndef STEELYARD_REGISTRY_PROTOCOL_H
#define STEELYARD_REGISTRY_PROTOCOL_H

#include "registry/files/document.h"
#include "registry/files/words_list.h"

typedef struct sy_protocol {
    const char *version; /* "quantem-gpu-profile/v1" */
    sy_document *document;
    const sy_json_value *root; /* of the document, for members that other readers take from it: "registry" */
    bool is_shipped;
    sy_words_list tiers;
    sy_words_list schedules;          /* "none" is one of them where cells may have none */
    sy_words_list portable_runners;   /* hold no device; a pair that is not implemented may be theirs */
    sy_words_list key_fields;         /* of the comparison key, each owed */
    sy_words_list advised_key_fields; /* known as well; a key without one is remarked */
    sy_id_table *advised_ids;         /* the same, to their names */
    const sy_json_value *key_sources; /* object: of a field's name the texts its value is made of; NULL: none */
    sy_words_list required_statistics;
    sy_words_list required_run_fields;
    sy_words_list contract_texts; /* of the parity matrix's contract, each owed */
    sy_words_list contract_lists; /* the same: lists of texts */
    int64_t minimum_accepted_sessions;
} sy_protocol;

struct sy_registry;
struct sy_settings;

/* Reads the shipped descriptions and those in the settings' folder into settings; SY_OK or SY_NO_MEMORY. */
sy_status sy_registry_read_protocols(struct sy_registry *registry, struct sy_settings *settings,
                                     sy_error *err) SY_NODISCARD;
/* The description of that version; NULL: none is known. */
const sy_protocol *sy_protocol_find(const struct sy_settings *settings, const char *version);
/* The one whose member registry.protocol_version is that; NULL: none. */
const sy_protocol *sy_protocol_find_by_registry(const struct sy_settings *settings, const char *version);
/* Appends the known versions, quoted, separated by commas. */
void sy_protocol_append_known(const struct sy_settings *settings, sy_text *to);
/* The same of what benchmark registries name. */
void sy_protocol_append_known_registries(const struct sy_settings *settings, sy_text *to);

/* A description that the program carries; made from data/protocols at build time. */
typedef struct sy_shipped_protocol {
    const char *path; /* what findings would call it */
    const unsigned char *bytes;
    size_t size;
} sy_shipped_protocol;
extern const sy_shipped_protocol sy_shipped_protocols[];
extern const size_t sy_shipped_protocol_count;

#endif
