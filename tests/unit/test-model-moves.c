// SPDX-License-Identifier: GPL-2.0-or-later
/* What models say of one another: moves, claims not fulfilled; adoption of new
 * CPUs, replacement of instances; models that never change. */
#include "model.h"

#include "util.h"

static RetuneModel *create(RetuneModel *model, const char *name, const char *claim,
                           const char *priority, const char *machine)
{
  g_autoptr(RetuneModel) before = model;
  g_autoptr(RetuneInstance) instance = util_instance(name, claim, "priority", priority, NULL);
  g_autoptr(RetuneCpuset) existing = util_set(machine);
  g_autoptr(GError) error = NULL;
  RetuneModel *after = retune_model_create(before, instance, existing, &error);

  g_assert_no_error(error);
  return after;
}

/* a=0-3 b=4-7 of 16 CPUs, where a is weak and claims 0-7. */
static RetuneModel *make_pair(void)
{
  return create(create(retune_model_new(), "a", "0-7", "5", "0-15"), "b", "4-7", "0", "0-15");
}

static RetuneModel *move(RetuneModel *model, const char *name, const char *devices)
{
  g_autoptr(RetuneCpuset) set = util_set(devices);
  g_autoptr(GError) error = NULL;
  RetuneModel *after = retune_model_move(model, name, set, &error);

  g_assert_no_error(error);
  return after;
}

static RetuneModel *destroy(RetuneModel *model, const char *name)
{
  g_autoptr(RetuneCpuset) existing = util_set("0-15");
  g_autoptr(GError) error = NULL;
  RetuneModel *after = retune_model_destroy(model, name, existing, &error);

  g_assert_no_error(error);
  return after;
}

/* --- moves --- */

static void test_moves_none(void)
{
  g_autoptr(RetuneModel) model = make_pair();
  g_autoptr(RetuneModel) empty = retune_model_new();

  EXPECT_TEXT(util_describe_moves(retune_model_moves(model, model)), "");
  EXPECT_TEXT(util_describe_moves(retune_model_moves(empty, empty)), "");
}

static void test_moves_from_nothing(void)
{
  g_autoptr(RetuneModel) empty = retune_model_new();
  g_autoptr(RetuneModel) model = make_pair();

  EXPECT_TEXT(util_describe_moves(retune_model_moves(empty, model)), "0-3:>a 4-7:>b");
  EXPECT_TEXT(util_describe_moves(retune_model_moves(model, empty)), "0-3:a> 4-7:b>");
}

static void test_moves_grouped(void)
{
  g_autoptr(RetuneModel) before = make_pair();
  g_autoptr(RetuneModel) after = move(before, "b", "1,3,9");

  EXPECT_TEXT(util_describe_moves(retune_model_moves(before, after)), "1,3:a>b 9:>b");
}

static void test_moves_ordered(void)
{
  g_autoptr(RetuneModel) before = make_pair();
  g_autoptr(RetuneModel) between = move(before, "b", "3");
  g_autoptr(RetuneModel) after = move(between, "a", "0-1,7,15");

  EXPECT_TEXT(util_describe_moves(retune_model_moves(before, after)), "3:a>b 7:b>a 15:>a");
}

static void test_moves_destroyed(void)
{
  g_autoptr(RetuneModel) pair = make_pair();
  g_autoptr(RetuneModel) before = move(pair, "b", "9");
  g_autoptr(RetuneModel) after = destroy(before, "b");

  EXPECT_TEXT(util_describe_moves(retune_model_moves(before, after)), "4-7:b>a 9:b>");
}

static void test_moves_name_again(void)
{
  g_autoptr(RetuneModel) before = make_pair();
  g_autoptr(RetuneModel) between = destroy(before, "b");
  g_autoptr(RetuneModel) after = create(retune_model_ref(between), "b", "6-9", "0", "0-15");

  EXPECT_TEXT(util_describe_moves(retune_model_moves(before, after)), "4-5:b>a 8-9:>b");
}

/* --- look-up --- */

static void test_owner(void)
{
  g_autoptr(RetuneModel) model = make_pair();

  g_assert_cmpstr(retune_model_owner(model, 0)->name, ==, "a");
  g_assert_cmpstr(retune_model_owner(model, 4)->name, ==, "b");
  g_assert_null(retune_model_owner(model, 8));
  g_assert_null(retune_model_owner(model, G_MAXUINT));
}

static void test_free_devices(void)
{
  g_autoptr(RetuneModel) model = make_pair();
  g_autoptr(RetuneCpuset) existing = util_set("2,6-9,200");
  g_autoptr(RetuneCpuset) free_set = retune_model_free_devices(model, existing);

  EXPECT_SET(free_set, "8-9,200");
  EXPECT_SET(existing, "2,6-9,200");
}

static void test_find_unknown(void)
{
  g_autoptr(RetuneModel) model = make_pair();
  g_autoptr(GError) error = NULL;

  g_assert_null(retune_model_find(model, "some-other", &error));
  EXPECT_REFUSED(&error, RETUNE_ERROR_UNKNOWN_INSTANCE, "there is: a, b");
}

static void test_find_utf8(void)
{
  g_autoptr(RetuneModel) model = make_pair();
  g_autoptr(GError) error = NULL;

  g_assert_null(retune_model_find(model, util_long_utf8, &error));
  EXPECT_REFUSED(&error, RETUNE_ERROR_UNKNOWN_INSTANCE, "aaa");
  g_assert_null(retune_model_find(model, util_long_utf8_odd, &error));
  EXPECT_REFUSED(&error, RETUNE_ERROR_UNKNOWN_INSTANCE, "aaa");
}

/* --- claims held elsewhere --- */

static void expect_held(RetuneModel *model, const char *name, const char *machine,
                        const char *expected)
{
  g_autoptr(RetuneCpuset) existing = util_set(machine);
  const RetuneInstance *instance = retune_model_find(model, name, NULL);

  g_assert_nonnull(instance);
  EXPECT_TEXT(util_describe_moves(retune_model_held_elsewhere(model, instance, existing)),
              expected);
}

static void test_held(void)
{
  g_autoptr(RetuneModel) model = make_pair();

  expect_held(model, "a", "0-15", "4-7:b>b");
  expect_held(model, "b", "0-15", "");
}

static void test_held_several(void)
{
  g_autoptr(RetuneModel) model =
      create(create(make_pair(), "c", "1", "0", "0-15"), "d", "all", "9", "0-15");

  expect_held(model, "d", "0-15", "0,2-3:a>a 1:c>c 4-7:b>b");
}

static void test_held_free(void)
{
  g_autoptr(RetuneModel) before = make_pair();
  g_autoptr(RetuneCpuset) existing = util_set("0-15");
  g_autoptr(RetuneCpuset) devices = util_set("2");
  g_autoptr(RetuneModel) model = retune_model_release(before, devices, NULL, existing, NULL);

  g_assert_nonnull(model);
  expect_held(model, "a", "0-15", "2:> 4-7:b>b");
}

static void test_held_absent(void)
{
  g_autoptr(RetuneModel) model = make_pair();

  expect_held(model, "a", "0-5", "4-5:b>b");
}

/* --- adopt --- */

static char *adopt(RetuneModel *model, const char *devices, const char *machine)
{
  g_autoptr(RetuneCpuset) set = util_set(devices);
  g_autoptr(RetuneCpuset) existing = util_set(machine);
  g_autoptr(RetuneModel) after = retune_model_adopt(model, set, existing);

  return util_describe_model(after);
}

static void test_adopt_strongest(void)
{
  g_autoptr(RetuneModel) model = create(create(retune_model_new(), "weak", "all", "5", "0-11"),
                                        "strong", "cpu1*", "1", "0-11");

  EXPECT_TEXT(adopt(model, "12", "0-12"), "weak=0,2-9 strong=1,10-12");
}

static void test_adopt_owned(void)
{
  g_autoptr(RetuneModel) model = make_pair();

  EXPECT_TEXT(adopt(model, "4-7", "0-15"), "a=0-3 b=4-7");
}

static void test_adopt_unclaimed(void)
{
  g_autoptr(RetuneModel) model = make_pair();

  EXPECT_TEXT(adopt(model, "16-17", "0-17"), "a=0-3 b=4-7");
}

static void test_adopt_claimed_all(void)
{
  g_autoptr(RetuneModel) model =
      create(create(retune_model_new(), "rest", "all", "0", "0-3"), "net", "2", "0", "0-3");

  EXPECT_TEXT(adopt(model, "4-5", "0-5"), "rest=0-1,3-5 net=2");
}

/* --- replace --- */

static void test_replace(void)
{
  g_autoptr(RetuneModel) before = make_pair();
  g_autoptr(RetuneInstance) changed = retune_instance_copy(retune_model_find(before, "a", NULL));
  changed->priority = 77;
  g_autoptr(RetuneModel) after = retune_model_replace(before, changed, NULL);

  g_assert_nonnull(after);
  g_assert_cmpint(retune_model_find(after, "a", NULL)->priority, ==, 77);
  g_assert_cmpint(retune_model_find(before, "a", NULL)->priority, ==, 5);
  EXPECT_TEXT(util_describe_model(after), "a=0-3 b=4-7");
}

static void test_replace_unknown(void)
{
  g_autoptr(RetuneModel) model = make_pair();
  g_autoptr(RetuneInstance) changed = util_instance("c", "0", NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(RetuneModel) after = retune_model_replace(model, changed, &error);

  g_assert_null(after);
  EXPECT_REFUSED(&error, RETUNE_ERROR_UNKNOWN_INSTANCE, "'c'");
}

/* --- immutability --- */

static void test_before_unchanged(void)
{
  g_autoptr(RetuneModel) before = make_pair();
  g_autoptr(RetuneModel) moved = move(before, "b", "0-3");
  g_autoptr(RetuneModel) destroyed = destroy(before, "a");
  g_autoptr(RetuneModel) created = create(retune_model_ref(before), "c", "0-15", "0", "0-15");

  EXPECT_TEXT(util_describe_model(before), "a=0-3 b=4-7");
  EXPECT_TEXT(util_describe_model(moved), "a= b=0-7");
  EXPECT_TEXT(util_describe_model(destroyed), "b=4-7");
  EXPECT_TEXT(util_describe_model(created), "a= b= c=0-15");
}

static void test_after_outlives(void)
{
  RetuneModel *before = make_pair();
  g_autoptr(RetuneModel) after = move(before, "b", "0");

  retune_model_unref(before);
  EXPECT_TEXT(util_describe_model(after), "a=1-3 b=0,4-7");
}

static void test_instance_outlives(void)
{
  RetuneModel *model = make_pair();
  g_autoptr(RetuneInstance) instance =
      retune_instance_ref((RetuneInstance *)retune_model_find(model, "a", NULL));

  retune_model_unref(model);
  EXPECT_SET(instance->devices, "0-3");
}

int main(int argc, char **argv)
{
  util_init(argc, argv);
  g_test_add_func("/model/moves/same-model/none", test_moves_none);
  g_test_add_func("/model/moves/from-and-to-nothing/all", test_moves_from_nothing);
  g_test_add_func("/model/moves/several/grouped-by-owners", test_moves_grouped);
  g_test_add_func("/model/moves/several/ordered-by-first-cpu", test_moves_ordered);
  g_test_add_func("/model/moves/destroyed/heirs-and-free", test_moves_destroyed);
  g_test_add_func("/model/moves/name-again/by-name", test_moves_name_again);
  g_test_add_func("/model/owner/any-cpu/found-or-null", test_owner);
  g_test_add_func("/model/free-devices/some-owned/the-others", test_free_devices);
  g_test_add_func("/model/find/unknown/lists-names", test_find_unknown);
  g_test_add_func("/model/find/long-utf8/message-is-utf8", test_find_utf8);
  g_test_add_func("/model/held/stronger-owner/listed", test_held);
  g_test_add_func("/model/held/several-owners/grouped", test_held_several);
  g_test_add_func("/model/held/released/listed-as-free", test_held_free);
  g_test_add_func("/model/held/absent-cpus/left-out", test_held_absent);
  g_test_add_func("/model/adopt/claimed/strongest-gets-it", test_adopt_strongest);
  g_test_add_func("/model/adopt/owned/stays", test_adopt_owned);
  g_test_add_func("/model/adopt/unclaimed/free", test_adopt_unclaimed);
  g_test_add_func("/model/adopt/claim-of-all/gets-new-ones", test_adopt_claimed_all);
  g_test_add_func("/model/replace/known/replaced", test_replace);
  g_test_add_func("/model/replace/unknown/refused", test_replace_unknown);
  g_test_add_func("/model/before/any-verb/unchanged", test_before_unchanged);
  g_test_add_func("/model/after/before-freed/stays", test_after_outlives);
  g_test_add_func("/model/instance/model-freed/stays", test_instance_outlives);
  return g_test_run();
}
