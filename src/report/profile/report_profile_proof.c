/* SPDX-License-Identifier: Apache-2.0 */
/* From a stored decision back to the run that proves it: where that run stands, in words and in JSON. */
#include "report/profile/report_profile.h"

/* A decision that no ledger holds names the probe itself, by its seed. */
static bool is_run(const sy_profile *profile)
{
    return profile->evidence_run[0] != '\0' && !sy_text_begins(profile->evidence_run, "probe-");
}

bool sy_profile_find_proof(const sy_report_store *store, const sy_profile *profile, sy_proof_state *ret_state)
{
    return is_run(profile) && store->prove != NULL && store->prove(store->user, profile, ret_state);
}

void sy_profile_words_proof(const sy_report_store *store, const sy_profile *profile, sy_text *to)
{
    sy_proof_state state = SY_PROOF_ABSENT;

    if (!is_run(profile))
        return;
    if (!sy_profile_find_proof(store, profile, &state))
        sy_text_append_format(to, "; in its project: steelyard run show %s", profile->evidence_run);
    else if (state == SY_PROOF_HOLDS)
        sy_text_append_format(to, "; this project's ledger has it: steelyard run show %s", profile->evidence_run);
    else if (state == SY_PROOF_DIFFERS)
        sy_text_append(to, "; this project's ledger has a run of that id, which does not have that digest");
    else
        sy_text_append(to, "; this project's ledger has no such run");
}

void sy_profile_write_proof_json(sy_json_writer *writer, const sy_report_store *store, const sy_profile *profile)
{
    static const char *const words[] = {
        [SY_PROOF_HOLDS] = "holds", [SY_PROOF_DIFFERS] = "differs", [SY_PROOF_ABSENT] = "absent"};
    sy_proof_state state = SY_PROOF_ABSENT;
    bool known = sy_profile_find_proof(store, profile, &state);

    sy_json_member_text(writer, "ledger", known ? words[state] : NULL);
}
