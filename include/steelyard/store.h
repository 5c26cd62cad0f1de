/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles: stored decisions with their key, measurements and evidence. A store is one writable file, read-only layers
 * below it, and an immutable picture of both in memory that lookups read without a lock, a system call or an
 * allocation. All functions of one store may be called from any thread at any time, but sy_store_close. */
#ifndef STEELYARD_STORE_H
#define STEELYARD_STORE_H

#include <steelyard/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what is called back ---- */

/* Gives the policy's bytes. Called once a profile, on the calling thread, with no lock held. *ret_policy is borrowed
 * until the store's function returns. A status that is not SY_OK ends the call and is passed through. */
typedef sy_status (*sy_serialize_fn)(void *user, const char **ret_policy, size_t *ret_size, sy_error *err);

/* Says whether a policy can be used: SY_OK, or any other status with the reason in err->what. Called on the calling
 * thread when a profile is stored and when it is looked up; it may read the store. */
typedef sy_status (*sy_validate_fn)(void *user, const char *policy, size_t size, sy_error *err);

/* ---- open, close, look around ---- */

typedef struct sy_store sy_store;

typedef struct sy_store_options {
    size_t struct_size;        /* sizeof(sy_store_options) */
    const char *path;          /* the writable file; NULL = sy_store_default_path */
    const char *const *layers; /* read-only files, nearest first */
    size_t layer_count;
    bool environment_layers;          /* then those of STEELYARD_PROFILE_PATH */
    bool persistence;                 /* false: no disk read or write at all */
    uint64_t lock_timeout_ns;         /* how long a writer waits for the others */
    uint32_t new_file_format;         /* 1 or 2; an existing file keeps the format that it has */
    uint64_t size_limit_bytes;        /* a larger file is not read; 0 = no limit */
    int64_t (*now_utc_s)(void *user); /* seconds since 1970, for expiry; NULL = the system's clock */
    void *user;
    const char *const *environment; /* NULL-terminated NAME=VALUE list; NULL = the process's */
} sy_store_options;

#define SY_STORE_OPTIONS_INIT                                                                                         \
    {                                                                                                                 \
        sizeof(sy_store_options), NULL, NULL, 0, true, true, UINT64_C(60000000000), 2, UINT64_C(4) << 30, NULL, NULL, \
            NULL                                                                                                      \
    }

/* Opens a store; options may be NULL. Nothing is created on disk. A file that is missing, damaged, of a future version
 * or unreadable does not fail the open: its layer is empty and says why (sy_store_layer), so that an engine goes on.
 * SY_INVALID_ARGUMENT, SY_NO_MEMORY. The caller closes with sy_store_close. */
SY_API sy_status sy_store_open(const sy_store_options *options, sy_store **ret_store, sy_error *err) SY_NODISCARD;
/* Frees the store and every profile borrowed from it; nothing is left to write. NULL is allowed. No other call may
 * run. */
SY_API void sy_store_close(sy_store *store);

typedef struct sy_layer_info {
    const char *path; /* "" = memory only; borrowed until close */
    bool writable;
    sy_status status;     /* SY_OK, SY_NOT_FOUND (no file yet), SY_CORRUPT, SY_VERSION_UNSUPPORTED, SY_IO, ... */
    char message[256];    /* why, when status is not SY_OK; or a note on the location */
    uint32_t format;      /* 1, 2; 0 = no file */
    size_t profile_count; /* in memory */
    size_t unsaved_count; /* changes that a failed write left in memory; the next write takes them along */
} sy_layer_info;

/* Layer 0 is the writable one; the others follow in the order of precedence. */
SY_API size_t sy_store_layer_count(const sy_store *store);
/* SY_NOT_FOUND past the last layer. */
SY_API sy_status sy_store_layer(sy_store *store, size_t index, sy_layer_info *ret_info, sy_error *err) SY_NODISCARD;

/* Reads all layers again where their content changed. A damaged file leaves what is in memory as it was: the status of
 * the first such layer is returned, naming its line. A file that has vanished empties its layer. */
SY_API sy_status sy_store_reload(sy_store *store, sy_error *err) SY_NODISCARD;

/* How often what can be looked up has changed since the open: by a put, a removal, a reload that found news; not by
 * sy_store_tally, here or elsewhere, which changes no answer. An answer
 * that was looked up after a number was read is still the answer while the number stays. Reads one word: no lock, no
 * system call. */
SY_API uint64_t sy_store_changes(const sy_store *store);

typedef enum sy_platform { SY_PLATFORM_POSIX, SY_PLATFORM_WINDOWS } sy_platform;

/* Where this user's profiles are: LOCALAPPDATA (Windows), else XDG_CACHE_HOME if absolute, else HOME/.cache; below it
 * steelyard/profiles. A pure function of its arguments; environment as in the options. *ret_path is NULL when there is
 * no place (memory only); *ret_note then says why, and also when a variable was passed over; else it is "". The caller
 * frees both with sy_text_free. SY_NO_MEMORY. */
SY_API sy_status sy_store_default_path(sy_platform platform, const char *const *environment, char **ret_path,
                                       char **ret_note, sy_error *err) SY_NODISCARD;

/* ---- storing ---- */

/* What became of a change. */
typedef struct sy_put_result {
    size_t stored;      /* profiles */
    uint32_t format;    /* of the file; 0 with persistence off */
    char not_kept[128]; /* "evidence, reason": what the file's format cannot hold; "" = all was kept */
} sy_put_result;

/* Stores a calibrated profile; the same key's calibrated entry is replaced in place, and what was measured for it is
 * kept in the new one's history (sy_profile_earlier), with its use. The change is on disk, merged with the newest
 * complete file, when SY_OK returns. ret_result may be NULL.
 * Nothing is stored: SY_INVALID_ARGUMENT (key, measurement, draft: the field is named), SY_POLICY_REJECTED (empty, or
 * the validator's reason), SY_REFUSED (format 1 cannot hold control bytes, an expiry or an undecided entry),
 * SY_NO_MEMORY, the serializer's status. Kept in memory only, and taken along by the next write that works: SY_IO
 * (full, read-only, no permission), SY_BUSY (locked; the holder is named), SY_CORRUPT and SY_VERSION_UNSUPPORTED (the
 * file is not touched). */
SY_API sy_status sy_store_put(sy_store *store, const sy_profile_draft *draft, sy_serialize_fn serialize,
                              sy_validate_fn validate, void *user, sy_put_result *ret_result,
                              sy_error *err) SY_NODISCARD;

typedef struct sy_profile_put {
    sy_profile_draft draft;
    sy_serialize_fn serialize;
    sy_validate_fn validate; /* may be NULL */
    void *user;
} sy_profile_put;

/* Stores all of them in one write, or none. Errors as sy_store_put's, "profile <index>: " before them. */
SY_API sy_status sy_store_put_many(sy_store *store, const sy_profile_put *puts, size_t count, sy_put_result *ret_result,
                                   sy_error *err) SY_NODISCARD;

typedef struct sy_override_draft {
    sy_profile_key key;
    const char *reason;    /* for those who find it later; may be NULL */
    int64_t expires_utc_s; /* 0 = never */
} sy_override_draft;

#define SY_OVERRIDE_DRAFT_INIT       \
    {                                \
        SY_PROFILE_KEY_INIT, NULL, 0 \
    }

/* Stores an override beside the calibrated entry, if any. Errors as sy_store_put's. */
SY_API sy_status sy_store_install_override(sy_store *store, const sy_override_draft *draft, sy_serialize_fn serialize,
                                           sy_validate_fn validate, void *user, sy_put_result *ret_result,
                                           sy_error *err) SY_NODISCARD;
/* Removes the override of that key from the writable layer. SY_NOT_FOUND; SY_REFUSED when it stands in a read-only
 * layer; else as sy_store_put when the disk fails. */
SY_API sy_status sy_store_clear_override(sy_store *store, const sy_profile_key *key, sy_error *err) SY_NODISCARD;
/* Removes the entry of that key and kind. Errors as sy_store_clear_override's. */
SY_API sy_status sy_store_remove(sy_store *store, const sy_profile_key *key, sy_profile_kind kind,
                                 sy_error *err) SY_NODISCARD;

typedef struct sy_invalidation {
    const char *backend;
    const char *implementation_version; /* NULL = any */
    bool overrides;                     /* these too */
} sy_invalidation;

/* Removes the profiles of a backend from the writable layer. ret_removed may be NULL. No such profile is no error. */
SY_API sy_status sy_store_invalidate(sy_store *store, const sy_invalidation *what, size_t *ret_removed,
                                     sy_error *err) SY_NODISCARD;

typedef struct sy_adoption {
    bool keep_existing; /* an entry of the same key and kind stays; else it is replaced */
    bool newest_wins;   /* it stays unless the new one supersedes it */
} sy_adoption;

#define SY_ADOPTION_INIT \
    {                    \
        false, false     \
    }

/* Which of two profiles of one key and kind is to be believed: one with evidence before one without, then the one made
 * later; a time that is not known is before all others. Of the same time it is the one that stands first in an order of
 * their contents: whatever the order in which files are merged, the same one stays. false for equals. */
SY_API bool sy_profile_supersedes(const sy_profile *profile, const sy_profile *existing);

/* Stores copies of finished profiles as they are, time, tool and kind included: for merging and importing. options may
 * be NULL. Each is checked as a put's would be. Of two calibrated ones the history of the one that stays gets the
 * other's and the other itself, each measurement once, by time; of one measurement that stands in both the larger use
 * counts. keep_existing changes nothing of what is there. Errors as sy_store_put_many's. */
SY_API sy_status sy_store_adopt(sy_store *store, const sy_profile *const *profiles, size_t count,
                                const sy_adoption *options, sy_put_result *ret_result, sy_error *err) SY_NODISCARD;

/* What is added to an entry. */
typedef struct sy_profile_tally {
    sy_profile_key key;
    sy_profile_kind kind;
    const char *policy; /* that it was of: it is added to the entry if that has it, else to the newest earlier
                           measurement that has it; NULL = to the entry, whatever its policy */
    size_t policy_size;
    sy_profile_use use;   /* last_utc_s 0 = now */
    sy_profile_cost cost; /* of more probes of the key */
    uint32_t attempts;    /* by which `attempt` of its trial grows */
} sy_profile_tally;

/* Adds to entries of the writable layer: each sum is made under the writers' lock from the newest file, so that nothing
 * is lost or counted twice, whoever adds at the same time. It does not count as a change of what can be looked up.
 * *ret_placed (may be NULL): how many found their entry; the others were of none, or of one in a read-only layer.
 * SY_INVALID_ARGUMENT (a key, a figure). Added nowhere, not in memory either, so that the caller can try again: SY_IO,
 * SY_BUSY, SY_CORRUPT, SY_VERSION_UNSUPPORTED, SY_NO_MEMORY; SY_REFUSED: a file of format 1 cannot hold it. */
SY_API sy_status sy_store_tally(sy_store *store, const sy_profile_tally *tallies, size_t count, size_t *ret_placed,
                                sy_error *err) SY_NODISCARD;

/* Rewrites the writable file in format 1 or 2. ret_result may be NULL; its not_kept names what was lost. SY_REFUSED
 * when format 1 cannot hold a profile (control bytes, expiry, undecided, imported), which is named; SY_NOT_FOUND
 * without a file. */
SY_API sy_status sy_store_convert(sy_store *store, uint32_t format, sy_put_result *ret_result,
                                  sy_error *err) SY_NODISCARD;

/* ---- asking ---- */

/* What is asked for: both kinds of key at once. The exact ranks need model_digest, processor and thread_count, all or
 * none; the portable ranks need structure; at least one kind must be given. */
typedef struct sy_lookup {
    sy_profile_key key;
    bool force_portable;   /* the exact ranks are skipped */
    bool require_evidence; /* a profile without evidence is passed over; an override needs none */
    bool everything;       /* sy_store_others only: also those of other backends and operators */
} sy_lookup;

#define SY_LOOKUP_INIT                           \
    {                                            \
        SY_PROFILE_KEY_INIT, false, false, false \
    }

/* In the order of precedence. */
typedef enum sy_profile_rank {
    SY_PROFILE_RANK_OVERRIDE_EXACT,
    SY_PROFILE_RANK_OVERRIDE_PORTABLE,
    SY_PROFILE_RANK_CALIBRATED_EXACT,
    SY_PROFILE_RANK_CALIBRATED_PORTABLE
} sy_profile_rank;

SY_API const char *sy_profile_rank_word(sy_profile_rank rank); /* "override-exact" */

/* A lookup's answer. What it points to is borrowed until sy_store_close and never changes. */
typedef struct sy_profile_view {
    const sy_profile *profile;
    sy_profile_rank rank;
    uint32_t layer;       /* index, 0 = the writable one */
    uint32_t passed_over; /* better ranked ones that were expired, rejected or without evidence: sy_store_others */
    bool prior;           /* portable and not an override: to be confirmed here */
    bool undecided;       /* the probe could not tell: the policy is the reference's */
    bool evidence_missing;
} sy_profile_view;

/* The best profile: rank by rank, within a rank layer by layer. A policy that validate (may be NULL) rejects is passed
 * over. SY_NOT_FOUND when there is none (what names the best that was passed over), SY_INVALID_ARGUMENT. */
SY_API sy_status sy_store_lookup(sy_store *store, const sy_lookup *lookup, sy_validate_fn validate, void *user,
                                 sy_profile_view *ret_profile, sy_error *err) SY_NODISCARD;

/* The entry of one key and kind in the first layer that has it, expired or not, unvalidated. SY_NOT_FOUND,
 * SY_INVALID_ARGUMENT. */
SY_API sy_status sy_store_find(sy_store *store, const sy_profile_key *key, sy_profile_kind kind,
                               sy_profile_view *ret_profile, sy_error *err) SY_NODISCARD;

/* The first calibrated profile, layer by layer, that contradicts an override (sy_profile_contradicts). SY_NOT_FOUND:
 * none does. */
SY_API sy_status sy_store_contradiction(sy_store *store, const sy_profile *override, sy_profile_view *ret_profile,
                                        sy_error *err) SY_NODISCARD;

typedef enum sy_verdict_kind {
    SY_VERDICT_SELECTED,
    SY_VERDICT_REJECTED, /* it does not answer the question */
    SY_VERDICT_SKIPPED,  /* it would, but force_portable was asked */
    SY_VERDICT_SHADOWED  /* it would, but a better one won */
} sy_verdict_kind;

/* name, word */
#define SY_VERDICT_REASON_LIST(X)                         \
    X(NONE, "")                                           \
    X(DIFFERENT_BACKEND, "different backend")             \
    X(DIFFERENT_OPERATOR, "different operator")           \
    X(OUTDATED_IMPLEMENTATION, "outdated implementation") \
    X(DIFFERENT_MODEL, "different model")                 \
    X(DIFFERENT_PROCESSOR, "different processor")         \
    X(DIFFERENT_THREAD_COUNT, "different thread count")   \
    X(DIFFERENT_STRUCTURE, "different structure")         \
    X(NOT_PROBED, "imported, not probed here")            \
    X(EXPIRED, "expired")                                 \
    X(EVIDENCE_MISSING, "evidence missing")               \
    X(POLICY_REJECTED, "policy rejected")                 \
    X(FORCE_PORTABLE, "force portable")                   \
    X(BETTER_RANK, "a better one won")

typedef enum sy_verdict_reason {
#define SY_VERDICT_REASON_ENUM(name, word) SY_REASON_##name,
    SY_VERDICT_REASON_LIST(SY_VERDICT_REASON_ENUM)
#undef SY_VERDICT_REASON_ENUM
} sy_verdict_reason;

SY_API const char *sy_verdict_kind_word(sy_verdict_kind kind); /* "shadowed" */
SY_API const char *sy_verdict_reason_word(sy_verdict_reason reason);

/* Why one stored profile is, or is not, the answer. */
typedef struct sy_verdict {
    const sy_profile *profile; /* borrowed until sy_store_close */
    uint32_t layer;
    sy_profile_rank rank; /* it has or would have */
    sy_verdict_kind verdict;
    sy_verdict_reason reason;
    const char *field;  /* the first that differs: "processor", "structure.dtype"; "" = none */
    const char *wanted; /* the question's value; "" = not given */
    const char *found;  /* the profile's */
    const char *detail; /* the validator's words, or the time of expiry; may be "" */
    bool evidence_missing;
    uint32_t matching_fields; /* of the question's that agree: the nearest miss has the most */
} sy_verdict;

typedef struct sy_verdict_list {
    const sy_verdict *items; /* layer by layer, in file order */
    size_t count;
    void *owner; /* private */
} sy_verdict_list;

/* One verdict for every stored profile of that backend and operator, all from one picture of the store. At most one is
 * selected. validate is asked for every profile that would otherwise answer. The caller frees with
 * sy_verdict_list_destroy, before it closes the store. SY_INVALID_ARGUMENT, SY_NO_MEMORY. */
SY_API sy_status sy_store_others(sy_store *store, const sy_lookup *lookup, sy_validate_fn validate, void *user,
                                 sy_verdict_list **ret_others, sy_error *err) SY_NODISCARD;
SY_API void sy_verdict_list_destroy(sy_verdict_list *list);

/* Called on the calling thread for each profile, layer by layer in file order, all from one picture of the store. It
 * may call the store. A status that is not SY_OK ends the walk and is passed through. */
typedef sy_status (*sy_profile_fn)(void *user, const sy_profile *profile, uint32_t layer, sy_error *err);
SY_API sy_status sy_store_iterate(sy_store *store, sy_profile_fn each, void *user, sy_error *err) SY_NODISCARD;

/* SHA-256 over the effective decisions of the lookups in their order (backend, operator, implementation version, found
 * or not, policy): ranks of a job whose digests differ would diverge. What differs between equal machines (processor,
 * model, evidence) does not count. lookups NULL: over every stored key and its decision, whatever the order in the
 * file. SY_INVALID_ARGUMENT, SY_NO_MEMORY. */
SY_API sy_status sy_store_digest(sy_store *store, const sy_lookup *lookups, size_t count, uint8_t ret_digest[32],
                                 sy_error *err) SY_NODISCARD;

/* ---- as text, and damaged files ---- */

/* Stores all profiles of a text of either format, as sy_store_adopt does. SY_CORRUPT (first finding, with its position;
 * all by sy_store_check_text) and SY_VERSION_UNSUPPORTED store nothing. */
SY_API sy_status sy_store_read_text(sy_store *store, const char *text, size_t size, sy_put_result *ret_result,
                                    sy_error *err) SY_NODISCARD;
/* The writable layer as a file of that format. The caller frees *ret_text with sy_text_free. ret_result may be NULL.
 * SY_REFUSED as sy_store_convert's, SY_NO_MEMORY. */
SY_API sy_status sy_store_write_text(sy_store *store, uint32_t format, char **ret_text, size_t *ret_size,
                                     sy_put_result *ret_result, sy_error *err) SY_NODISCARD;

typedef struct sy_store_finding {
    uint32_t line;    /* from 1 */
    const char *text; /* "line 7: unknown field 'polcy'" */
} sy_store_finding;

/* What is in a file, and all that is wrong with it. */
typedef struct sy_store_report {
    sy_status status;                 /* SY_OK, SY_CORRUPT or SY_VERSION_UNSUPPORTED */
    uint32_t format;                  /* 0 when the header does not say */
    size_t profile_count;             /* that are whole */
    const sy_store_finding *findings; /* in the order of lines, the first 10000 */
    size_t finding_count;
    size_t finding_total;
    void *owner; /* private */
} sy_store_report;

/* Reads without storing anything. Damage is told in the report, not by the status. The caller frees with
 * sy_store_report_destroy. SY_NO_MEMORY; sy_store_check_file also SY_NOT_FOUND, SY_IO, SY_LIMIT_EXCEEDED (above 4 GiB).
 */
SY_API sy_status sy_store_check_text(const char *text, size_t size, sy_store_report **ret_report,
                                     sy_error *err) SY_NODISCARD;
SY_API sy_status sy_store_check_file(const char *path, sy_store_report **ret_report, sy_error *err) SY_NODISCARD;
SY_API void sy_store_report_destroy(sy_store_report *report);

typedef struct sy_repair_result {
    bool repaired;        /* false: the file was whole and is untouched */
    size_t salvaged;      /* profiles that are in the new file */
    size_t finding_total; /* of the damaged file */
    char moved_to[512];   /* where the damaged file is kept: "<path>.corrupt-20261129T134419Z" */
} sy_repair_result;

/* Under the writers' lock: keeps the damaged file aside and puts one in its place that holds the whole profiles (of a
 * doubled one the first), in the same format. Reload open stores afterwards. options may be NULL; its lock time-out and
 * clock count. SY_NOT_FOUND, SY_IO, SY_BUSY, SY_VERSION_UNSUPPORTED (a future file is left alone), SY_NO_MEMORY. */
SY_API sy_status sy_store_repair(const char *path, const sy_store_options *options, sy_repair_result *ret_result,
                                 sy_error *err) SY_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
