/* SPDX-License-Identifier: Apache-2.0 */
/* The control words of x86 (MXCSR and the x87 unit's) and AArch64 (FPCR: Arm Architecture Reference Manual, DDI 0487);
 * elsewhere the rounding mode alone. */
#include "base/float_environment.h"

#include <fenv.h>

#include "base/text.h"

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#define STICKY_FLAGS 0x3fu /* raised exceptions: results, not settings */
#define X87_SHIFT 32

static uint64_t read_control(void)
{
    uint16_t x87;
    __asm__ volatile("fnstcw %0" : "=m"(x87));
    return (_mm_getcsr() & ~STICKY_FLAGS) | (uint64_t)x87 << X87_SHIFT;
}

/* An exception that is pending would be taken as soon as it is unmasked: the x87 unit forgets it first. */
static void write_control(uint64_t control)
{
    uint16_t x87 = (uint16_t)(control >> X87_SHIFT);
    _mm_setcsr((unsigned)(control & 0xffffffffu) | (_mm_getcsr() & STICKY_FLAGS));
    __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(x87));
}

static uint32_t name_changes(uint64_t changed)
{
    return (changed & 0x8000u ? SY_FLOAT_FLUSH_TO_ZERO : 0) | (changed & 0x0040u ? SY_FLOAT_DENORMALS_ARE_ZERO : 0) |
           (changed & 0x6000u ? SY_FLOAT_ROUNDING : 0) | (changed & 0x1f80u ? SY_FLOAT_EXCEPTIONS : 0) |
           (changed >> X87_SHIFT ? SY_FLOAT_X87 : 0) | (changed & 0xffff0000u ? SY_FLOAT_OTHER : 0);
}
#elif defined(__aarch64__)
#define FZ ((UINT64_C(1) << 24) | (UINT64_C(1) << 19)) /* and FZ16 */
#define FIZ (UINT64_C(1) << 0)
#define ROUNDING_MODE (UINT64_C(3) << 22)
#define TRAPS (UINT64_C(0x9f) << 8)
#define DEFAULT_NAN (UINT64_C(1) << 25)

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
    return (changed & FZ ? SY_FLOAT_FLUSH_TO_ZERO : 0) | (changed & FIZ ? SY_FLOAT_DENORMALS_ARE_ZERO : 0) |
           (changed & ROUNDING_MODE ? SY_FLOAT_ROUNDING : 0) | (changed & TRAPS ? SY_FLOAT_EXCEPTIONS : 0) |
           (changed & DEFAULT_NAN ? SY_FLOAT_DEFAULT_NAN : 0) |
           (changed & ~(FZ | FIZ | ROUNDING_MODE | TRAPS | DEFAULT_NAN) ? SY_FLOAT_OTHER : 0);
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

void sy_float_environment_set(sy_float_environment wanted)
{
    if (read_control() != wanted.control)
        write_control(wanted.control);
}

uint32_t sy_float_environment_diff(sy_float_environment a, sy_float_environment b)
{
    return name_changes(a.control ^ b.control);
}

uint32_t sy_float_environment_restore(sy_float_environment saved)
{
    sy_float_environment present = sy_float_environment_save();
    sy_float_environment_set(saved);
    return sy_float_environment_diff(present, saved);
}

void sy_float_environment_words(uint32_t bits, char *to, size_t size)
{
    static const char *const words[] = {"FTZ",         "DAZ",         "rounding", "exception masks", "x87 control word",
                                        "default NaN", "control bits"};
    sy_text text = SY_TEXT_INIT;
    for (unsigned bit = 0; bit < sizeof words / sizeof words[0]; bit++) {
        if (!(bits & (1u << bit)))
            continue;
        if (text.length > 0)
            sy_text_append(&text, ", ");
        sy_text_append(&text, words[bit]);
    }
    (void)sy_text_copy(to, size, sy_text_bytes(&text));
    sy_text_finish(&text);
}
