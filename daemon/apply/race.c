// SPDX-License-Identifier: GPL-2.0-or-later
/* CPUs that go offline or come back while a job is at it: files vanish or answer
 * EBUSY, and the list of online CPUs that the job began with is no longer true.
 * What failed so is tried again, or its value is left pending. */
#include <errno.h>

#include "job.h"

#define MAX_TRIES 8u
#define PAUSE_MS 10
#define MAX_PAUSES 20u /* of one job */

/* Reading cpuN/online waits while the CPU is being switched: the kernel holds
 * the lock of the device (drivers/base/core.c). */
static void wait_for_cpu(RetuneJob *job, guint cpu)
{
  char path[32], text[8];

  g_snprintf(path, sizeof path, "cpu%u/online", cpu);
  if (retune_sysfs_read(retune_machine_sysfs(job->machine), path, text, sizeof text) != 0)
    return; /* it has none: it cannot be switched, or it is gone */
}

/* Adds to @cpus those that share a policy with one of them. */
static void add_members(RetuneJob *job, RetuneCpuset *cpus)
{
  g_autoptr(RetuneCpuset) first = retune_cpuset_copy(cpus);
  const RetunePolicy *last = NULL;

  RETUNE_CPUSET_FOREACH (cpu, first) {
    const RetunePolicy *policy = retune_machine_policy(job->machine, (guint)cpu);
    if (policy != NULL && policy != last)
      retune_cpuset_union(cpus, policy->cpus);
    last = policy;
  }
}

/* A policy with a CPU that is online answers EBUSY only while that is being
 * switched. */
static gboolean is_switching(RetuneJob *job, guint cpu)
{
  char path[64], text[RETUNE_VALUE_SIZE];

  if (!retune_cpuset_contains(job->online, cpu))
    return FALSE;
  g_snprintf(path, sizeof path, "cpu%u/cpufreq/scaling_governor", cpu);
  return retune_sysfs_read(retune_machine_sysfs(job->machine), path, text, sizeof text) == EBUSY;
}

static gboolean any_switching(RetuneJob *job, const RetuneCpuset *cpus)
{
  RETUNE_CPUSET_FOREACH (cpu, cpus)
    if (is_switching(job, (guint)cpu))
      return TRUE;
  return FALSE;
}

/* Waits until @cpus, and those in their policies, are through with being
 * switched, and reads anew which are online. TRUE: that has changed, or one is
 * not quite ready and there is time left to wait for it. */
static gboolean wait_for(RetuneJob *job, const RetuneCpuset *cpus)
{
  g_autoptr(RetuneCpuset) all = retune_cpuset_copy(cpus);

  add_members(job, all);
  RETUNE_CPUSET_FOREACH (cpu, all)
    wait_for_cpu(job, (guint)cpu);
  RetuneCpuset *online = retune_machine_read_online(job->machine, NULL);
  if (online == NULL)
    return FALSE;
  gboolean changed = !retune_cpuset_equal(online, job->online);
  retune_cpuset_free(job->online);
  job->online = online;
  if (job->n_pauses >= MAX_PAUSES || !any_switching(job, cpus))
    return changed;
  job->n_pauses++;
  g_usleep(PAUSE_MS * 1000);
  return TRUE;
}

gboolean retune_job_raced(RetuneJob *job, guint n_tries)
{
  if (job->error == NULL || retune_cpuset_is_empty(job->suspects) || n_tries >= MAX_TRIES)
    return FALSE;
  gboolean changed = wait_for(job, job->suspects);
  retune_machine_forget(job->machine, job->suspects);
  return n_tries == 1 || changed;
}

gboolean retune_job_write_raced(RetuneJob *job, const RetuneChange *change, int error,
                                guint n_tries, gboolean *ret_offline)
{
  g_autoptr(RetuneCpuset) cpus = retune_cpuset_new();
  guint cpu;

  if ((error != EBUSY && error != ENOENT && error != ENODEV) || n_tries >= MAX_TRIES ||
      change->place->scope == RETUNE_SCOPE_SYSTEM)
    return FALSE;
  (void)retune_job_unit_online(job, change->place, change->id, &cpu);
  retune_cpuset_add(cpus, cpu);
  gboolean changed = wait_for(job, cpus);
  *ret_offline = !retune_job_unit_online(job, change->place, change->id, &cpu);
  return !*ret_offline && (n_tries == 1 || changed);
}
