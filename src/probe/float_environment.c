/* SPDX-License-Identifier: Apache-2.0 */
/* The floating-point control word of x86 (MXCSR) and AArch64 (FPCR); elsewhere the rounding mode alone. */
#include "probe/float_environment.h"

#include <fenv.h>

#include "base/text.h"

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#define STICKY_FLAGS 0x3fu /* raised exceptions: results, not settings */

static uint64_t read_control(void)
{
    return _mm_getcsr() & ~STICKY_FLAGS;
}

static void write_control(uint64_t control)
{
    _mm_setcsr((unsigned)control | (_mm_getcsr() & STICKY_FLAGS));
}

static uint32_t name_changes(uint64_t changed)
{
    return (changed & 0x8000u ? SY_FLOAT_FLUSH_TO_ZERO : 0) | (changed & 0x0040u ? SY_FLOAT_DENORMALS_ARE_ZERO : 0) |
           (changed & 0x6000u ? SY_FLOAT_ROUNDING : 0) | (changed & 0x1f80u ? SY_FLOAT_EXCEPTIONS : 0);
}
#elif defined(__aarch64__)
static uint64_t read_control(void)
{
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return control;
}

static void write_control(uint64_t control)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
}

static uint32_t name_changes(uint64_t changed)
{
    return (changed & (UINT64_C(1) << 24) ? SY_FLOAT_FLUSH_TO_ZERO : 0) |
           (changed & (UINT64_C(3) << 22) ? SY_FLOAT_ROUNDING : 0) |
           (changed & (UINT64_C(0x9f) << 8) ? SY_FLOAT_EXCEPTIONS : 0);
}
#else
static uint64_t read_control(void)
{
    return (uint64_t)fegetround();
}

static void write_control(uint64_t control)
{
    (void)fesetround((int)control);
}

static uint32_t name_changes(uint64_t changed)
{
    return changed ? SY_FLOAT_ROUNDING : 0;
}
#endif

sy_float_environment sy_float_environment_save(void)
{
    return (sy_float_environment){.control = read_control()};
}

uint32_t sy_float_environment_restore(sy_float_environment saved)
{
    uint64_t changed = read_control() ^ saved.control;
    if (!changed)
        return 0;
    write_control(saved.control);
    return name_changes(changed);
}

void sy_float_environment_words(uint32_t changed, char *to, size_t size)
{
    static const char *const words[] = {"FTZ", "DAZ", "rounding", "exception masks"};
    sy_text text = SY_TEXT_INIT;
    for (unsigned bit = 0; bit < 4; bit++) {
        if (!(changed & (1u << bit)))
            continue;
        if (text.length > 0)
            sy_text_append(&text, ", ");
        sy_text_append(&text, words[bit]);
    }
    (void)sy_text_copy(to, size, sy_text_bytes(&text));
    sy_text_finish(&text);
}
