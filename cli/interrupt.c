/* SPDX-License-Identifier: Apache-2.0 */
/* The flag that a signal sets. SA_RESETHAND gives the second signal its usual, deadly meaning. */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t asked;

static void ask(int signal_number)
{
    (void)signal_number;
    asked = 1;
}

/* Generated code of some libraries keeps data below the stack pointer: a handler must not run there (docs/limits.md).
 */
static void make_stack(void)
{
    static char memory[65536];
    stack_t stack = {.ss_sp = memory, .ss_size = sizeof(memory)};

    (void)sigaltstack(&stack, NULL);
}

void cli_interrupt_watch(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = ask, .sa_flags = (int)SA_RESETHAND | SA_RESTART | SA_ONSTACK};
    struct sigaction before;

    make_stack();
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        /* Started with nohup or in the background, the command was told to live on. */
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

bool cli_interrupt_asked(void *user)
{
    (void)user;
    return asked != 0;
}
