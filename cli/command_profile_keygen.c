/* SPDX-License-Identifier: Apache-2.0 */
/* steelyard profile keygen: a pair of keys to sign decisions with. */
#include <stdio.h>
#include <string.h>

#include <steelyard/sharing.h>

#include "command_profile.h"
#include "message.h"
#include "output.h"

static sy_status write_pair(const sy_secret_key *key, const sy_public_key *shown, const char *path,
                            const char *public_path, sy_error *err)
{
    sy_status status = sy_public_key_write(shown, public_path, err);

    if (status != SY_OK)
        return status;
    status = sy_secret_key_write(key, path, err);
    if (status != SY_OK)
        (void)remove(public_path); /* a public key without its secret one is of no use */
    return status;
}

static sy_status act(cli_profile_call *call, sy_error *err)
{
    char public_path[4096];
    char shown_path[4096] = "";
    char line[8400];
    const char *path = call->operands.count == 1 ? call->operands.words[0] : "";
    sy_secret_key *key = NULL;
    sy_public_key shown;
    sy_status status;

    if (call->operands.count != 1 || path[0] == '\0')
        return cli_fail(err, SY_INVALID_ARGUMENT, "one FILE is needed: the secret key goes into it");
    if (snprintf(public_path, sizeof(public_path), "%s.pub", path) >= (int)sizeof(public_path))
        return cli_fail(err, SY_INVALID_ARGUMENT, "the name of the file is too long");
    status = sy_secret_key_create(&key, err);
    if (status != SY_OK)
        return status;
    shown = sy_secret_key_public(key);
    status = write_pair(key, &shown, path, public_path, err);
    sy_secret_key_destroy(key);
    if (status == SY_OK) {
        cli_append_safely(shown_path, sizeof(shown_path), path);
        snprintf(line, sizeof(line),
                 "key %s\n  public   %s.pub: hand it out by a way that is trusted\n  secret   %s: keep it\n", shown.id,
                 shown_path, shown_path);
        cli_output_write(line);
    }
    return status;
}

static int run(int argc, char **argv)
{
    return cli_profile_run(&cli_profile_keygen, argc, argv, act);
}

static const char *const paragraphs[] = {
    "Makes an Ed25519 key: the secret half in FILE, which only its owner can read, the public half in FILE.pub. "
    "steelyard profile export --signed FILE signs with it; who is given FILE.pub takes decisions in by "
    "steelyard profile import --verify FILE.pub. Nothing is written over.",
    "There is no passphrase: whoever can read FILE can sign. Exit codes: 0 done, 1 one of the files exists, 2 usage, "
    "4 a file cannot be written.",
    NULL};

static const char *const examples[] = {"steelyard profile keygen site.key", "a key for the decisions of a site", NULL};

const cli_command cli_profile_keygen = {
    .name = "profile keygen",
    .summary = "make a pair of keys to sign decisions with",
    .usage = "FILE",
    .paragraphs = paragraphs,
    .examples = examples,
    .completion = CLI_COMPLETE_FILES,
    .run = run,
};
