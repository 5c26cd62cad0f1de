/* SPDX-License-Identifier: Apache-2.0 */
/* A shared object that is linked with fast arithmetic: loading it switches subnormals off for the thread that loads it,
 * by code that the compiler adds. */

float fast_math_times_one(float x);

float fast_math_times_one(float x)
{
    const volatile float one = 1.0f;
    return x * one;
}
