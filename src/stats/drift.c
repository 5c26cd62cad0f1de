/* SPDX-License-Identifier: Apache-2.0 */
/* The self-starting cumulative sum. */
#include "stats/drift.h"

#include <math.h>

#include "stats/student.h"

void sy_drift_learn(sy_drift *drift, double value)
{
    double off = value - drift->mean;

    drift->count++;
    drift->mean += off / (double)drift->count;
    drift->squares += off * (value - drift->mean);
}

double sy_drift_look(const sy_drift *drift, double value)
{
    double n = (double)drift->count;

    if (drift->count < 2 || !(drift->squares > 0))
        return drift->sum;
    double spread = sqrt(drift->squares / (n - 1));
    double t = (value - drift->mean) / spread * sqrt(n / (n + 1));
    double z = sy_normal_quantile(sy_student_cdf(t, drift->count - 1));
    z = fmin(fmax(z, -SY_DRIFT_WINSOR), SY_DRIFT_WINSOR);
    return fmax(0, drift->sum + z - SY_DRIFT_ALLOWANCE);
}
