/* SPDX-License-Identifier: Apache-2.0 */
/* The words and advice of the status list. Not responsible for filling errors: that is error.c. */
#include <steelyard/base.h>

const char *sy_status_word(sy_status status)
{
    switch (status) {
#define STATUS_WORD(name, value, word, advice) \
    case SY_##name:                            \
        return word;
        SY_STATUS_LIST(STATUS_WORD)
#undef STATUS_WORD
    }
    return "unknown";
}

const char *sy_status_advice(sy_status status)
{
    switch (status) {
#define STATUS_ADVICE(name, value, word, advice) \
    case SY_##name:                              \
        return advice;
        SY_STATUS_LIST(STATUS_ADVICE)
#undef STATUS_ADVICE
    }
    return "";
}
