/* SPDX-License-Identifier: Apache-2.0 */
/* Student's t: the distribution function as a finite sum, its quantile by bisection between safe bounds. */
#include "stats/student.h"

#include <assert.h>
#include <math.h>

#include "stats/gain.h"

#define PI 3.14159265358979323846

/* P(|T| <= t) for t >= 0. */
static double within(double t, size_t freedom)
{
    double ratio = t / sqrt((double)freedom);
    double cosine2 = 1 / (1 + ratio * ratio);
    double sine = ratio * sqrt(cosine2);
    double term = freedom % 2 == 1 ? sqrt(cosine2) : 1;
    double sum = freedom == 1 ? 0 : term;

    for (size_t i = freedom % 2 == 1 ? 3 : 2; i + 2 <= freedom; i += 2) {
        term *= cosine2 * (double)(i - 1) / (double)i;
        sum += term;
    }
    if (freedom % 2 == 1)
        return 2 / PI * (atan(ratio) + sine * sum);
    return sine * sum;
}

double sy_student_cdf(double t, size_t freedom)
{
    assert(freedom >= 1);
    if (freedom > SY_STUDENT_FREEDOM_MAX)
        return sy_gain_normal_cdf(t);
    return t < 0 ? (1 - within(-t, freedom)) / 2 : (1 + within(t, freedom)) / 2;
}

/* The point at which a distribution function, symmetric about 0, reaches p > 1/2. */
static double reach(double p, size_t freedom, double (*cdf)(double x, size_t freedom))
{
    double low = 0;
    double high = 1;

    while (cdf(high, freedom) < p && high < 1e12) {
        low = high;
        high *= 2;
    }
    for (int i = 0; i < 200; i++) {
        double middle = low + (high - low) / 2;

        if (middle <= low || middle >= high)
            break;
        if (cdf(middle, freedom) < p)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double sy_student_quantile(double p, size_t freedom)
{
    assert(p > 0 && p < 1);
    if (freedom > SY_STUDENT_FREEDOM_MAX)
        return sy_normal_quantile(p);
    if (p == 0.5)
        return 0;
    return p < 0.5 ? -reach(1 - p, freedom, sy_student_cdf) : reach(p, freedom, sy_student_cdf);
}

static double normal_cdf(double x, size_t freedom)
{
    (void)freedom;
    return sy_gain_normal_cdf(x);
}

double sy_normal_quantile(double p)
{
    if (p <= 0 || p >= 1)
        return p <= 0 ? -INFINITY : INFINITY;
    if (p == 0.5)
        return 0;
    return p < 0.5 ? -reach(1 - p, 0, normal_cdf) : reach(p, 0, normal_cdf);
}

double sy_student_prediction(double p, size_t n)
{
    assert(n >= 2);
    return sy_student_quantile(p, n - 1) * sqrt(1 + 1 / (double)n);
}
