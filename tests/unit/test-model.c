// SPDX-License-Identifier: GPL-2.0-or-later
/* Who owns which CPU after each verb. */
#include "model.h"

#include "util.h"

#define MACHINE "0-15"

/* A model under test and the machine it is for. */
typedef struct {
  RetuneModel *model;
  RetuneCpuset *existing;
  GError *error;
} Fixture;

static void set_up(Fixture *f, gconstpointer unused)
{
  (void)unused;
  f->model = retune_model_new();
  f->existing = util_set(MACHINE);
}

static void tear_down(Fixture *f, gconstpointer unused)
{
  (void)unused;
  g_assert_no_error(f->error);
  retune_model_unref(f->model);
  retune_cpuset_free(f->existing);
}

/* Puts @after in the place of the fixture's model. */
static void advance(Fixture *f, RetuneModel *after)
{
  g_assert_no_error(f->error);
  g_assert_nonnull(after);
  retune_model_unref(f->model);
  f->model = after;
}

static RetuneModel *try_create(Fixture *f, const char *name, const char *claim,
                               const char *priority, const char *exclusive)
{
  g_autoptr(RetuneInstance) instance =
      util_instance(name, claim, "priority", priority, "exclusive", exclusive, NULL);
  return retune_model_create(f->model, instance, f->existing, &f->error);
}

static void create(Fixture *f, const char *name, const char *claim, const char *priority)
{
  advance(f, try_create(f, name, claim, priority, "0"));
}

static void move(Fixture *f, const char *name, const char *devices)
{
  g_autoptr(RetuneCpuset) set = util_set(devices);
  advance(f, retune_model_move(f->model, name, set, &f->error));
}

static void release(Fixture *f, const char *devices)
{
  g_autoptr(RetuneCpuset) set = util_set(devices);
  advance(f, retune_model_release(f->model, set, NULL, f->existing, &f->error));
}

static void destroy(Fixture *f, const char *name)
{
  advance(f, retune_model_destroy(f->model, name, f->existing, &f->error));
}

#define EXPECT_OWNERS(f, owners) EXPECT_TEXT(util_describe_model((f)->model), (owners))

/* Expects that @after is an error, and that the model is as it was. */
static void expect_refused(Fixture *f, RetuneModel *after, RetuneError code, const char *part)
{
  EXPECT(after == NULL, "taken; expected an error with '%s'", part);
  EXPECT_REFUSED(&f->error, code, part);
  retune_model_unref(after);
}

/* --- create --- */

static void test_create_free(Fixture *f, gconstpointer unused)
{
  (void)unused;
  create(f, "net", "2,4", "0");
  EXPECT_OWNERS(f, "net=2,4");
}

static void test_create_weaker_owner(Fixture *f, gconstpointer unused)
{
  (void)unused;
  create(f, "a", "0-7", "5");
  create(f, "b", "4-11", "0");
  EXPECT_OWNERS(f, "a=0-3 b=4-11");
}

static void test_create_equal_owner(Fixture *f, gconstpointer unused)
{
  (void)unused;
  create(f, "a", "0-7", "3");
  create(f, "b", "4-11", "3");
  EXPECT_OWNERS(f, "a=0-3 b=4-11");
}

static void test_create_stronger_owner(Fixture *f, gconstpointer unused)
{
  (void)unused;
  create(f, "a", "0-7", "-1");
  create(f, "b", "4-11", "0");
  EXPECT_OWNERS(f, "a=0-7 b=8-11");
}

static void test_create_all_held(Fixture *f, gconstpointer unused)
{
  (void)unused;
  create(f, "a", "all", "-1");
  create(f, "b", "0-3", "0");
  EXPECT_OWNERS(f, "a=0-15 b=");
}

static void test_create_several_owners(Fixture *f, gconstpointer unused)
{
  (void)unused;
  create(f, "strong", "0-3", "-1");
  create(f, "equal", "4-7", "0");
  create(f, "weak", "8-11", "1");
  create(f, "new", "2-13", "0");
  EXPECT_OWNERS(f, "strong=0-3 equal= weak= new=4-13");
}

static void test_create_twice(Fixture *f, gconstpointer unused)
{
  (void)unused;
  create(f, "net", "0", "0");
  expect_refused(f, try_create(f, "net", "1", "0", "0"), RETUNE_ERROR_INSTANCE_EXISTS, "net");
  EXPECT_OWNERS(f, "net=0");
}

static void test_create_unknown_device(Fixture *f, gconstpointer unused)
{
  (void)unused;
  expect_refused(f, try_create(f, "a", "16", "0", "0"), RETUNE_ERROR_UNKNOWN_DEVICE, "16");
  expect_refused(f, try_create(f, "a", "gpu*", "0", "0"), RETUNE_ERROR_UNKNOWN_DEVICE, "gpu*");
  expect_refused(f, try_create(f, "a", "", "0", "0"), RETUNE_ERROR_UNKNOWN_DEVICE, "names no CPU");
}

static void test_create_keeps_instance(Fixture *f, gconstpointer unused)
{
  (void)unused;
  g_autoptr(RetuneInstance) instance =
      util_instance("a", "0-3", "governor", "powersave", "priority", "7", NULL);
  advance(f, retune_model_create(f->model, instance, f->existing, &f->error));
  const RetuneInstance *found = retune_model_find(f->model, "a", NULL);
  g_assert_nonnull(found);
  g_assert_cmpint(found->priority, ==, 7);
  g_assert_nonnull(retune_instance_setting(found, util_knob("governor")));
  EXPECT_SET(instance->devices, "");
}

static void test_create_ages(Fixture *f, gconstpointer unused)
{
  (void)unused;
  create(f, "a", "0", "0");
  create(f, "b", "1", "0");
  destroy(f, "a");
  create(f, "a", "0", "0");
  const GPtrArray *instances = retune_model_instances(f->model);
  const RetuneInstance *first = instances->pdata[0], *second = instances->pdata[1];
  g_assert_cmpstr(first->name, ==, "b");
  g_assert_cmpuint(first->age, <, second->age);
}

static void test_create_limit(Fixture *f, gconstpointer unused)
{
  (void)unused;
  for (guint i = 0; i < RETUNE_MAX_INSTANCES; i++) {
    g_autofree char *name = g_strdup_printf("i%u", i);
    create(f, name, "0", "0");
  }
  expect_refused(f, try_create(f, "more", "0", "0", "0"), RETUNE_ERROR_LIMITS_EXCEEDED, "256");
  destroy(f, "i7");
  create(f, "more", "0", "0");
}

/* --- exclusive --- */

static void test_exclusive_new(Fixture *f, gconstpointer unused)
{
  (void)unused;
  create(f, "a", "0-7", "5");
  expect_refused(f, try_create(f, "b", "4-11", "0", "1"), RETUNE_ERROR_CONFLICT, "4-7");
  EXPECT_OWNERS(f, "a=0-7");
}

static void test_exclusive_names_owner(Fixture *f, gconstpointer unused)
{
  (void)unused;
  create(f, "first", "0-7", "0");
  expect_refused(f, try_create(f, "second", "4", "0", "1"), RETUNE_ERROR_CONFLICT, "'first'");
}

static void test_exclusive_owner(Fixture *f, gconstpointer unused)
{
  (void)unused;
  advance(f, try_create(f, "a", "0-7", "0", "1"));
  expect_refused(f, try_create(f, "b", "4-11", "-9", "0"), RETUNE_ERROR_CONFLICT, "'a'");
  EXPECT_OWNERS(f, "a=0-7");
}

static void test_exclusive_apart(Fixture *f, gconstpointer unused)
{
  (void)unused;
  advance(f, try_create(f, "a", "0-7", "0", "1"));
  advance(f, try_create(f, "b", "8-11", "0", "1"));
  EXPECT_OWNERS(f, "a=0-7 b=8-11");
}

/* --- move --- */

static void test_move_stronger(Fixture *f, gconstpointer unused)
{
  (void)unused;
  create(f, "strong", "0-7", "-5");
  create(f, "weak", "8", "5");
  move(f, "weak", "2-3,9");
  EXPECT_OWNERS(f, "strong=0-1,4-7 weak=2-3,8-9");
}

static void test_move_own(Fixture *f, gconstpointer unused)
{
  (void)unused;
  create(f, "a", "0-3", "0");
  move(f, "a", "2-4");
  EXPECT_OWNERS(f, "a=0-4");
}

static void test_move_many(Fixture *f, gconstpointer unused)
{
  (void)unused;
  create(f, "a", "0-3", "0");
  create(f, "b", "4-7", "0");
  create(f, "c", "8", "0");
  move(f, "c", "3-4,9");
  EXPECT_OWNERS(f, "a=0-2 b=5-7 c=3-4,8-9");
}

static void test_move_unknown(Fixture *f, gconstpointer unused)
{
  (void)unused;
  g_autoptr(RetuneCpuset) set = util_set("1");
  create(f, "net", "0-3", "0");
  expect_refused(f, retune_model_move(f->model, "nets", set, &f->error),
                 RETUNE_ERROR_UNKNOWN_INSTANCE, "did you mean 'net'?");
}

/* --- release and destroy --- */

static void test_release_free(Fixture *f, gconstpointer unused)
{
  (void)unused;
  create(f, "a", "0-3", "0");
  release(f, "1-2");
  EXPECT_OWNERS(f, "a=0,3");
}

static void test_release_heir(Fixture *f, gconstpointer unused)
{
  (void)unused;
  create(f, "weak", "all", "9");
  create(f, "strong", "0-7", "5");
  create(f, "net", "4", "0");
  release(f, "4");
  EXPECT_OWNERS(f, "weak=8-15 strong=0-7 net=");
}

static void test_release_heir_older(Fixture *f, gconstpointer unused)
{
  (void)unused;
  create(f, "old", "0-3", "0");
  create(f, "young", "0-3", "0");
  create(f, "net", "0-3", "0");
  release(f, "2");
  EXPECT_OWNERS(f, "old=2 young= net=0-1,3");
}

/* The one that loses it does not get it again. */
static void test_release_not_back(Fixture *f, gconstpointer unused)
{
  (void)unused;
  create(f, "weak", "all", "9");
  create(f, "strong", "0-3", "-9");
  release(f, "0");
  EXPECT_OWNERS(f, "weak=0,4-15 strong=1-3");
}

static void test_release_unowned(Fixture *f, gconstpointer unused)
{
  (void)unused;
  create(f, "a", "0-3", "0");
  release(f, "2");
  release(f, "2");
  EXPECT_OWNERS(f, "a=0-1,3");
}

static void test_release_several_owners(Fixture *f, gconstpointer unused)
{
  (void)unused;
  create(f, "a", "0-7", "0");
  create(f, "b", "4-7", "0");
  release(f, "3-4");
  EXPECT_OWNERS(f, "a=0-2,4 b=5-7");
}

/* Two that hold one another's claim do not swap with themselves. */
static void test_release_crossed_claims(Fixture *f, gconstpointer unused)
{
  (void)unused;
  create(f, "a", "0-1", "0");
  create(f, "b", "0-1", "0");
  move(f, "a", "0");
  release(f, "0-1");
  EXPECT_OWNERS(f, "a=1 b=0");
}

static void test_release_only(Fixture *f, gconstpointer unused)
{
  (void)unused;
  g_autoptr(RetuneCpuset) set = util_set("3");
  create(f, "a", "0-3", "0");
  create(f, "b", "4-7", "0");
  advance(f, retune_model_release(f->model, set, "a", f->existing, &f->error));
  EXPECT_OWNERS(f, "a=0-2 b=4-7");
}

static void test_release_only_foreign(Fixture *f, gconstpointer unused)
{
  (void)unused;
  g_autoptr(RetuneCpuset) set = util_set("3-4,9");
  create(f, "a", "0-3", "0");
  create(f, "b", "4-7", "0");
  expect_refused(f, retune_model_release(f->model, set, "a", f->existing, &f->error),
                 RETUNE_ERROR_CONFLICT, "CPU 4,9 ");
  EXPECT_OWNERS(f, "a=0-3 b=4-7");
}

static void test_release_only_unknown(Fixture *f, gconstpointer unused)
{
  (void)unused;
  g_autoptr(RetuneCpuset) set = util_set("3");
  expect_refused(f, retune_model_release(f->model, set, "a", f->existing, &f->error),
                 RETUNE_ERROR_UNKNOWN_INSTANCE, "there is none");
}

static void test_destroy_heirs(Fixture *f, gconstpointer unused)
{
  (void)unused;
  create(f, "rest", "all", "9");
  create(f, "some", "4-5", "5");
  create(f, "net", "4-7", "0");
  destroy(f, "net");
  EXPECT_OWNERS(f, "rest=0-3,6-15 some=4-5");
}

static void test_destroy_free(Fixture *f, gconstpointer unused)
{
  (void)unused;
  create(f, "a", "0-3", "0");
  destroy(f, "a");
  EXPECT_OWNERS(f, "");
  g_autoptr(RetuneCpuset) free_set = retune_model_free_devices(f->model, f->existing);
  EXPECT_SET(free_set, MACHINE);
}

static void test_destroy_moved(Fixture *f, gconstpointer unused)
{
  (void)unused;
  create(f, "a", "0-3", "0");
  create(f, "b", "8", "0");
  move(f, "b", "3,10");
  destroy(f, "b");
  EXPECT_OWNERS(f, "a=0-3");
}

static void test_destroy_unknown(Fixture *f, gconstpointer unused)
{
  (void)unused;
  create(f, "abc", "0-3", "0");
  expect_refused(f, retune_model_destroy(f->model, "xyz", f->existing, &f->error),
                 RETUNE_ERROR_UNKNOWN_INSTANCE, "abc");
}

static const struct {
  const char *path;
  void (*test)(Fixture *f, gconstpointer unused);
} tests[] = {
    {"/model/create/free-cpus/owned", test_create_free},
    {"/model/create/weaker-owner/taken", test_create_weaker_owner},
    {"/model/create/equal-owner/taken", test_create_equal_owner},
    {"/model/create/stronger-owner/left", test_create_stronger_owner},
    {"/model/create/all-held/owns-nothing", test_create_all_held},
    {"/model/create/several-owners/by-priority", test_create_several_owners},
    {"/model/create/same-name/refused", test_create_twice},
    {"/model/create/unknown-device/refused", test_create_unknown_device},
    {"/model/create/settings/kept", test_create_keeps_instance},
    {"/model/create/name-again/is-youngest", test_create_ages},
    {"/model/create/limit/refused", test_create_limit},
    {"/model/exclusive/new-overlaps/refused", test_exclusive_new},
    {"/model/exclusive/new-overlaps/names-owner", test_exclusive_names_owner},
    {"/model/exclusive/owner-overlapped/refused", test_exclusive_owner},
    {"/model/exclusive/apart/taken", test_exclusive_apart},
    {"/model/move/stronger-owner/taken", test_move_stronger},
    {"/model/move/own-cpus/kept", test_move_own},
    {"/model/move/several-owners/taken", test_move_many},
    {"/model/move/unknown-instance/refused", test_move_unknown},
    {"/model/release/no-other-claim/free", test_release_free},
    {"/model/release/claims/strongest-gets-it", test_release_heir},
    {"/model/release/equal-claims/older-gets-it", test_release_heir_older},
    {"/model/release/own-claim/does-not-count", test_release_not_back},
    {"/model/release/unowned/changes-nothing", test_release_unowned},
    {"/model/release/several-owners/each-to-its-heir", test_release_several_owners},
    {"/model/release/crossed-claims/swap", test_release_crossed_claims},
    {"/model/release/only-its-own/released", test_release_only},
    {"/model/release/only-foreign/refused", test_release_only_foreign},
    {"/model/release/only-unknown/refused", test_release_only_unknown},
    {"/model/destroy/claims/inherit", test_destroy_heirs},
    {"/model/destroy/no-claims/free", test_destroy_free},
    {"/model/destroy/moved-cpus/go-to-claims", test_destroy_moved},
    {"/model/destroy/unknown/refused", test_destroy_unknown},
};

int main(int argc, char **argv)
{
  util_init(argc, argv);
  for (guint i = 0; i < G_N_ELEMENTS(tests); i++)
    g_test_add(tests[i].path, Fixture, NULL, set_up, tests[i].test, tear_down);
  return g_test_run();
}
