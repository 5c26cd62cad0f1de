/* SPDX-License-Identifier: Apache-2.0 */
/* The whole contract in one include. */
#ifndef STEELYARD_STEELYARD_H
#define STEELYARD_STEELYARD_H

#include <steelyard/assignment.h>
#include <steelyard/backend.h>
#include <steelyard/base.h>
#include <steelyard/command.h>
#include <steelyard/compare.h>
#include <steelyard/doctor.h>
#include <steelyard/evidence.h>
#include <steelyard/finding.h>
#include <steelyard/graph.h>
#include <steelyard/html.h>
#include <steelyard/identity.h>
#include <steelyard/import.h>
#include <steelyard/judge.h>
#include <steelyard/ledger.h>
#include <steelyard/measure.h>
#include <steelyard/plugin.h>
#include <steelyard/probe.h>
#include <steelyard/profile.h>
#include <steelyard/promotion.h>
#include <steelyard/record.h>
#include <steelyard/registry.h>
#include <steelyard/replay.h>
#include <steelyard/report.h>
#include <steelyard/report_exchange.h>
#include <steelyard/run.h>
#include <steelyard/select.h>
#include <steelyard/sharing.h>
#include <steelyard/store.h>
#include <steelyard/suite.h>
#include <steelyard/timings.h>
#include <steelyard/tuning.h>
#include <steelyard/verdict.h>

#endif
