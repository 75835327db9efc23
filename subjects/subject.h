/* What all subjects share: the export attribute and the counters of the cost `user`. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include "pessimum.h"

#ifdef __wasm__
#define EXPORT(name) __attribute__((export_name(name)))
#else
#define EXPORT(name)
#endif

/* One executed line of the original source: ESE's unit of cost. It goes in front of the statement of that line;
 * for a loop head it goes into the condition, because Python reports the line of a head once per test. */
#define LINE pessimum_cost(1)

/* A conditional that counts in the cost `user` while `measuring` is 1. WISE counts conditional branches, but in some of its subjects only
 * those of the last operation, while `branches` counts the whole run. It is a sum instead of a test, so that counting adds no branch. */
#define MEASURED(condition) (pessimum_cost(measuring), (condition))

/* The statement that a test must cover (Fitnex's and EvoSuite's subjects): a function of its own, so that it can be named as the target,
 * and one unit of the cost `user`, so that a run shows whether it got there. */
static __attribute__((noinline, unused)) void must_reach(void) {
    pessimum_cost(1);
}

#endif
