/* B70: host-managed zones take no random writes: such a disk is never written, and only such.
 * The disks are a tree of files, as sysfs shows them. SPDX-License-Identifier: MIT */
#include "unit/block_helpers.h"

/* the finding, and the verdict on the user's word */
static enum verdict judge(unsigned minor_number, bool force, struct findings *findings)
{
	const struct target target = block_target(8, minor_number);
	const struct consent consent = {.overwrite = true, .force = force};

	*findings = (struct findings){0};
	probe_holds(&target, 1, &fixture_roots, false, findings);
	return safety_judge(findings, &consent);
}

static void make_disks(void)
{
	device("sda", 8, 0);
	attribute("sda", "queue/zoned", "none\n");
	device("sdb", 8, 16);
	attribute("sdb", "queue/zoned", "host-managed\n");
	device("sdc", 8, 32);
	attribute("sdc", "queue/zoned", "host-aware\n");
	device("sdd", 8, 48); /* an old kernel does not say */
}

static void host_managed_zones_are_never_written(void **state)
{
	struct findings findings;
	char reason[FINDINGS_MAX * FINDING_TEXT];

	(void)state;
	make_disks();
	assert_int_equal(judge(16, true, &findings), VERDICT_REFUSED);
	safety_reason(&findings, reason, sizeof(reason));
	assert_non_null(strstr(reason, "host-managed zones"));
	assert_non_null(strstr(reason, "random writes are not possible"));
}

static void nor_is_a_partition_of_them(void **state)
{
	struct findings findings;

	(void)state;
	make_disks();
	device("sdb/sdb1", 8, 17);
	assert_int_equal(judge(17, true, &findings), VERDICT_REFUSED);
	assert_true(findings_has(&findings, FINDING_ZONED));
}

/* Reading asks for no more than that the disk is not in use. */
static void zones_say_nothing_against_reading(void **state)
{
	struct findings findings;

	(void)state;
	make_disks();
	judge(16, true, &findings);
	assert_int_equal(findings.kinds, 1u << FINDING_ZONED);
}

static void other_disks_are_written_as_ever(void **state)
{
	static const unsigned minors[] = {0, 32, 48};
	struct findings findings;

	(void)state;
	make_disks();
	for (size_t i = 0; i < sizeof(minors) / sizeof(minors[0]); i++)
		assert_int_equal(judge(minors[i], false, &findings), VERDICT_MAY_WRITE);
}

#define FIXTURE_TEST(test) cmocka_unit_test_setup_teardown(test, fixture_make, fixture_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FIXTURE_TEST(host_managed_zones_are_never_written),
		FIXTURE_TEST(nor_is_a_partition_of_them),
		FIXTURE_TEST(zones_say_nothing_against_reading),
		FIXTURE_TEST(other_disks_are_written_as_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
