/* SPDX-License-Identifier: GPL-2.0 */
/* What events.bpf.c hands to events.c. */
#ifndef _EVENTS_H
#define _EVENTS_H

enum event_kind { EVENT_ATTACH, EVENT_REPLACE, EVENT_EXIT };

struct event {
	unsigned long long cgroup_id;
	long long code;
	unsigned int kind;
	char policy[32];
	char old[32];
	char reason[32];
	char msg[128];
};

#endif /* _EVENTS_H */
