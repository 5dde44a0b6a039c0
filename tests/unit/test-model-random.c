// SPDX-License-Identifier: GPL-2.0-or-later
/* Random verbs on models: what must hold after each of them, whatever it was. The
 * seed is fixed; another can be given with --seed. */
#include "model.h"

#include "devices.h"
#include "util.h"

#define N_CPUS 70
#define N_NAMES 6

static const char *const claims[] = {"all",   "0-9", "5-40",     "!0",  "cpu1*",
                                     "60-69", "3",   "0-69:1/2", "^5-9"};

static char *random_name(void)
{
  return g_strdup_printf("i%d", g_test_rand_int_range(0, N_NAMES));
}

static RetuneCpuset *random_set(const RetuneCpuset *existing)
{
  RetuneCpuset *set = retune_cpuset_new();
  guint density = (guint)g_test_rand_int_range(1, 12);

  RETUNE_CPUSET_FOREACH (cpu, existing)
    if (g_test_rand_int_range(0, 12) < (gint)density)
      retune_cpuset_add(set, (guint)cpu);
  return set;
}

/* All that can be seen of a model. */
static char *snapshot(const RetuneModel *model)
{
  const GPtrArray *instances = retune_model_instances(model);
  GString *out = g_string_new(NULL);

  for (guint i = 0; i < instances->len; i++) {
    const RetuneInstance *instance = instances->pdata[i];
    g_autofree char *devices = retune_cpuset_to_string(instance->devices);
    g_string_append_printf(out, "%s %s %s %d %" G_GUINT64_FORMAT " %d\n", instance->name,
                           instance->claim, devices, instance->priority, instance->age,
                           instance->exclusive);
  }
  return g_string_free(out, FALSE);
}

/* --- invariants --- */

static void check_ownership(const RetuneModel *model, const RetuneCpuset *existing)
{
  const GPtrArray *instances = retune_model_instances(model);
  g_autoptr(RetuneCpuset) owned = retune_cpuset_new();
  guint sum = 0;

  for (guint i = 0; i < instances->len; i++) {
    const RetuneInstance *instance = instances->pdata[i];
    sum += retune_cpuset_count(instance->devices);
    retune_cpuset_union(owned, instance->devices);
    if (i > 0)
      g_assert_cmpuint(((RetuneInstance *)instances->pdata[i - 1])->age, <, instance->age);
  }
  g_assert_cmpuint(retune_cpuset_count(owned), ==, sum); /* nobody shares one */
  g_autoptr(RetuneCpuset) free_set = retune_model_free_devices(model, existing);
  retune_cpuset_union(free_set, owned);
  g_assert_true(retune_cpuset_equal(free_set, existing)); /* nothing outside */
}

static const char *owner_name(const RetuneModel *model, guint cpu)
{
  const RetuneInstance *owner = retune_model_owner(model, cpu);
  return owner != NULL ? owner->name : "";
}

/* The moves say of each CPU what changed, once, and of no other anything. */
static void check_moves(const RetuneModel *before, const RetuneModel *after)
{
  g_autoptr(GPtrArray) moves = retune_model_moves(before, after);
  g_autoptr(RetuneCpuset) moved = retune_cpuset_new();
  gint last_first = -1;

  for (guint i = 0; i < moves->len; i++) {
    const RetuneMove *move = moves->pdata[i];
    gint first = retune_cpuset_next(move->devices, 0);
    g_assert_cmpint(first, >, last_first);
    last_first = first;
    RETUNE_CPUSET_FOREACH (cpu, move->devices) {
      g_assert_false(retune_cpuset_contains(moved, (guint)cpu));
      retune_cpuset_add(moved, (guint)cpu);
      g_assert_cmpstr(owner_name(before, (guint)cpu), ==, move->from);
      g_assert_cmpstr(owner_name(after, (guint)cpu), ==, move->to);
    }
  }
  for (guint cpu = 0; cpu < N_CPUS; cpu++)
    g_assert_cmpint(retune_cpuset_contains(moved, cpu), ==,
                    !g_str_equal(owner_name(before, cpu), owner_name(after, cpu)));
}

/* --- who should own what --- */

static gboolean claims_cpu(const RetuneInstance *instance, guint cpu, const RetuneCpuset *existing)
{
  g_autoptr(RetuneCpuset) set =
      retune_devices_parse(instance->claim, existing, RETUNE_DEVICES_CLAIM, NULL);
  return retune_cpuset_contains(set, cpu);
}

/* The strongest that claims @cpu, other than @loser; "" if there is none. */
static const char *heir_of(const RetuneModel *model, guint cpu, const char *loser,
                           const RetuneCpuset *existing)
{
  const GPtrArray *instances = retune_model_instances(model);
  const RetuneInstance *heir = NULL;

  for (guint i = 0; i < instances->len; i++) {
    const RetuneInstance *instance = instances->pdata[i];
    if (g_str_equal(instance->name, loser) || !claims_cpu(instance, cpu, existing))
      continue;
    if (heir == NULL || instance->priority < heir->priority)
      heir = instance; /* of equal ones the first, which is older, stays */
  }
  return heir != NULL ? heir->name : "";
}

static void check_created(const RetuneModel *before, const RetuneModel *after, const char *name,
                          const RetuneCpuset *existing)
{
  const RetuneInstance *created = retune_model_find(after, name, NULL);

  for (guint cpu = 0; cpu < N_CPUS; cpu++) {
    const RetuneInstance *owner = retune_model_owner(before, cpu);
    gboolean gets = claims_cpu(created, cpu, existing) &&
                    (owner == NULL || owner->priority >= created->priority);
    g_assert_cmpstr(owner_name(after, cpu), ==, gets ? name : owner_name(before, cpu));
  }
}

static void check_released(const RetuneModel *before, const RetuneModel *after,
                           const RetuneCpuset *released, const RetuneCpuset *existing)
{
  for (guint cpu = 0; cpu < N_CPUS; cpu++) {
    const char *former = owner_name(before, cpu);
    const char *expected = retune_cpuset_contains(released, cpu) && *former != '\0'
                               ? heir_of(after, cpu, former, existing)
                               : former;
    g_assert_cmpstr(owner_name(after, cpu), ==, expected);
  }
}

/* --- verbs --- */

static RetuneModel *do_create(RetuneModel *model, const RetuneCpuset *existing)
{
  g_autofree char *name = random_name();
  g_autofree char *priority = g_strdup_printf("%d", g_test_rand_int_range(-1, 3));
  const char *claim = claims[g_test_rand_int_range(0, G_N_ELEMENTS(claims))];
  g_autoptr(RetuneInstance) instance =
      util_instance(name, claim, "priority", priority, "exclusive",
                    g_test_rand_int_range(0, 12) == 0 ? "1" : "0", NULL);
  RetuneModel *after = retune_model_create(model, instance, existing, NULL);

  if (after != NULL)
    check_created(model, after, name, existing);
  return after;
}

static RetuneModel *do_move(RetuneModel *model, const RetuneCpuset *existing)
{
  g_autofree char *name = random_name();
  g_autoptr(RetuneCpuset) set = random_set(existing);
  RetuneModel *after = retune_model_move(model, name, set, NULL);

  for (guint cpu = 0; after != NULL && cpu < N_CPUS; cpu++)
    g_assert_cmpstr(owner_name(after, cpu), ==,
                    retune_cpuset_contains(set, cpu) ? name : owner_name(model, cpu));
  return after;
}

static RetuneModel *do_release(RetuneModel *model, const RetuneCpuset *existing)
{
  g_autofree char *name = g_test_rand_int_range(0, 2) == 0 ? random_name() : NULL;
  g_autoptr(RetuneCpuset) set = random_set(existing);
  RetuneModel *after = retune_model_release(model, set, name, existing, NULL);

  if (after != NULL)
    check_released(model, after, set, existing);
  return after;
}

static RetuneModel *do_destroy(RetuneModel *model, const RetuneCpuset *existing)
{
  g_autofree char *name = random_name();
  const RetuneInstance *gone = retune_model_find(model, name, NULL);
  RetuneModel *after = retune_model_destroy(model, name, existing, NULL);

  g_assert_cmpint(gone != NULL, ==, after != NULL);
  if (after != NULL)
    check_released(model, after, gone->devices, existing);
  return after;
}

static RetuneModel *do_adopt(RetuneModel *model, const RetuneCpuset *existing)
{
  g_autoptr(RetuneCpuset) set = random_set(existing);
  RetuneModel *after = retune_model_adopt(model, set, existing);

  for (guint cpu = 0; cpu < N_CPUS; cpu++) {
    const char *former = owner_name(model, cpu);
    gboolean adopted = retune_cpuset_contains(set, cpu) && *former == '\0';
    g_assert_cmpstr(owner_name(after, cpu), ==,
                    adopted ? heir_of(after, cpu, "", existing) : former);
  }
  return after;
}

/* Does one random verb. Returns the model after it, which is the same if it was
 * refused; takes @model. */
static RetuneModel *step(RetuneModel *model, const RetuneCpuset *existing)
{
  static RetuneModel *(*const verbs[])(RetuneModel *, const RetuneCpuset *) = {
      do_create, do_create, do_create, do_move, do_move, do_release, do_destroy, do_adopt};
  g_autofree char *seen = snapshot(model);
  RetuneModel *after = verbs[g_test_rand_int_range(0, G_N_ELEMENTS(verbs))](model, existing);
  g_autofree char *seen_later = snapshot(model);

  g_assert_cmpstr(seen, ==, seen_later);
  if (after == NULL)
    return model;
  check_ownership(after, existing);
  check_moves(model, after);
  retune_model_unref(model);
  return after;
}

static void test_random(void)
{
  g_autoptr(RetuneCpuset) existing = util_set("0-69");
  guint n_done = 0;

  for (guint round = 0; round < 40; round++) {
    RetuneModel *model = retune_model_new();
    for (guint i = 0; i < 300; i++) {
      const RetuneModel *before = model;
      model = step(model, existing);
      n_done += before != model;
    }
    retune_model_unref(model);
  }
  g_assert_cmpuint(n_done, >, 2000); /* most verbs are not refused */
}

int main(int argc, char **argv)
{
  util_init(argc, argv);
  g_test_add_func("/model/random/any-verbs/keep-invariants", test_random);
  return g_test_run();
}
