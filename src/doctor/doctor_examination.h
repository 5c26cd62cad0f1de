/* SPDX-License-Identifier: Apache-2.0 */
/* The facts that the checks judge, and the list that they fill. Private to the doctor. */
#ifndef STEELYARD_DOCTOR_EXAMINATION_H
#define STEELYARD_DOCTOR_EXAMINATION_H

#include <steelyard/doctor.h>
#include <steelyard/record.h>

#include "doctor/doctor_measurement.h"
#include "doctor/doctor_moment.h"
#include "identity/cgroup.h"

enum { SY_DOCTOR_CHECKS_MAX = 24 };

typedef struct sy_doctor_examination {
    const char *root; /* of the later look: what changes rarely is read from it */
    sy_arena *arena;
    const sy_identity *identity;
    const sy_cpu_quota *quota;
    sy_doctor_moment before;
    sy_doctor_moment after;
    double observed_ns; /* between them; NaN = unknown */
    sy_doctor_measurement measurement;
    sy_doctor_result *result; /* its options and figures are set */
    sy_doctor_check checks[SY_DOCTOR_CHECKS_MAX];
    uint32_t urgencies[SY_DOCTOR_CHECKS_MAX];
    size_t count;
    sy_error *err;
    sy_status status; /* the first failure sticks: SY_NO_MEMORY */
} sy_doctor_examination;

/* Urgencies above it say what a measurement may be wrong about; those below, what makes it noisy. */
enum { SY_DOCTOR_URGENCY_OF_NOISE = 100 };

/* One check: judge fills what it finds; it starts as unknown. */
typedef struct sy_doctor_judge {
    const char *name;
    uint32_t urgency; /* of equally bad ones the lower is mended first; 0 = need not be mended */
    void (*judge)(sy_doctor_examination *e, sy_doctor_check *check);
} sy_doctor_judge;

/* The lists, in the order in which they are shown: doctor_load.c, doctor_settings.c. */
extern const sy_doctor_judge sy_doctor_judges_of_load[];
extern const size_t sy_doctor_judges_of_load_count;
extern const sy_doctor_judge sy_doctor_judges_of_settings[];
extern const size_t sy_doctor_judges_of_settings_count;

/* A printf text in the arena; "" after a failure, which sticks. */
const char *sy_doctor_say(sy_doctor_examination *e, const char *format, ...) SY_PRINTF(2, 3);
/* The first words of a small file of the later look, in the arena; NULL when there is none. */
const char *sy_doctor_read(sy_doctor_examination *e, const char *path);
/* The same of a whole file. */
const char *sy_doctor_read_file(sy_doctor_examination *e, const char *path);
/* A field of the identity, in the arena; NULL when it is absent or unknown. */
const char *sy_doctor_fact(sy_doctor_examination *e, const char *name);
/* Processors that the system has, as its counters list them; NaN = unknown. */
double sy_doctor_processors(const sy_doctor_examination *e);

/* Judges everything: fills the list, then what is to be mended first. */
sy_status sy_doctor_examine(sy_doctor_examination *e) SY_NODISCARD;

#endif
