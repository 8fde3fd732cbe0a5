// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel tells 7 cookie formats apart until the next boot, the eighth is
 * ENOSPC. Afterwards no new format can be attached on this machine: this one
 * runs last, and only where nobody minds.
 */
#include "policy.h"

static void eighth_format(int arg)
{
	struct cg *cg = cg_new(NULL, "a");
	int got = 0, link, err = 0;
	struct policy *p;

	(void)arg;
	if (!getenv("RECLAIM_VM") && !getenv("RECLAIM_TEST_FORMATS"))
		skip("it uses up the cookie formats until the next boot: set RECLAIM_TEST_FORMATS=1");
	/* those that the other tests use */
	close(policy_attach(policy_load("a", FORMAT_A, 0), cg));
	close(policy_attach(policy_load("b", FORMAT_B, 0), cg));

	for (int i = 0; i < 8; i++) {
		p = policy_load("more", 0xf0000000 + i, 0);
		link = policy_try_attach(p, cg);
		if (link < 0) {
			err = link;
			break;
		}
		got++;
		close(link);
	}
	CHECK_EQ(err, -ENOSPC);
	/* at most 7, less what was seen before */
	CHECK_OP(got, <=, 5);
	CHECK_EQ(p->life->attach_calls, 0);
	CHECK_STR(status_of(cg).policy, "none");

	/* what has a tag keeps it, what needs none needs none */
	p = policy_load("known", FORMAT_B, 0);
	link = policy_attach(p, cg);
	CHECK_EQ(policy_replace(link, policy_load("another", 0xf0000100, 0)), -ENOSPC);
	CHECK_STR(status_of(cg).policy, "known");
	CHECK_EQ(p->life->exit_calls, 0);
	CHECK_EQ(policy_replace(link, policy_load("without", 0, NO_EVICTED)), 0);
	CHECK_STR(status_of(cg).policy, "without");
	if (got)
		CHECK_EQ(policy_replace(link, policy_load("first", 0xf0000000, 0)), 0);
}

static const struct test tests[] = {
	{ "an eighth cookie format", eighth_format, 0 },
};

TEST_MAIN(tests, 0)
