// SPDX-License-Identifier: GPL-2.0
/* top: what attached policies decide, per second. */
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "reclaimctl.h"

/* Of one processor, for all looks of a round; rows on the screen come first. */
#define SHARE	0.03

enum { R_REFAULTS, R_EVICTIONS, R_CHANGED, R_CLAMPED, NR_RATES };

struct sample {
	double when;
	uint64_t n[NR_RATES];
	uint64_t *sums;
	int nr_sums;
	uint32_t map;
};

struct row {
	uint32_t link;
	uint64_t cgroup_id;
	char *rel;
	int dirfd;
	char policy[NAME_LEN];
	struct sample last;
	double rate[NR_RATES], *sum_rate;
	int nr_sums;
	bool has_rate, dead, fresh;
};

struct top {
	struct cache cache;
	struct row **row;
	int nr, next;
	const char *below;	/* only rows of this subtree */
	bool screen, paused, sorted;
	int first, selected;
	uint32_t last_link;	/* links up to this one have been looked at */
	double credit, credited;
};

static double clock_now(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void row_free(struct row *r)
{
	if (r->dirfd >= 0)
		close(r->dirfd);
	free(r->rel);
	free(r->last.sums);
	free(r->sum_rate);
	free(r);
}

static bool is_below(const char *rel, const char *top)
{
	size_t len = strlen(top);

	return !top[1] || (!strncmp(rel, top, len) && (!rel[len] || rel[len] == '/'));
}

static int by_refaults(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;

	if (x->rate[R_REFAULTS] != y->rate[R_REFAULTS])
		return x->rate[R_REFAULTS] < y->rate[R_REFAULTS] ? 1 : -1;
	return strcmp(x->rel, y->rel);
}

static int by_link(const void *a, const void *b)
{
	const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;

	return x->link < y->link ? -1 : x->link > y->link;
}

static struct row *row_of(uint32_t link)
{
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);
	const char *root;
	struct row *r;
	char *path;
	int n, fd = bpf_link_get_fd_by_id(link);

	if (fd < 0)
		return NULL;
	n = bpf_link_get_info_by_fd(fd, &info, &len);
	close(fd);
	if (n || info.type != BPF_LINK_TYPE_STRUCT_OPS || !info.struct_ops.cgroup_id ||
	    !info.struct_ops.map_id || cgroup_root(&root))
		return NULL;
	path = cgroup_path_of(info.struct_ops.cgroup_id);
	if (!path)
		return NULL;
	r = xalloc(sizeof(*r));
	r->link = link;
	r->cgroup_id = info.struct_ops.cgroup_id;
	r->rel = path;
	path = xprintf("%s%s", root, path);
	r->dirfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(path);
	return r;
}

/*
 * Rows are links that have a cgroup; listing the ids is cheaper than walking the
 * tree, and only new ones need a closer look. Ids come in ascending order.
 */
static void find_rows(struct top *t)
{
	struct row **rows = NULL, *r;
	uint32_t id = 0, seen = t->last_link;
	int i = 0, nr = 0;

	if (t->nr)
		qsort(t->row, t->nr, sizeof(*t->row), by_link);
	while (!bpf_link_get_next_id(id, &id)) {
		while (i < t->nr && t->row[i]->link < id)
			row_free(t->row[i++]);
		if (i < t->nr && t->row[i]->link == id) {
			r = t->row[i++];
			if (r->dead) {
				row_free(r);
				continue;
			}
		} else if (id <= seen) {
			continue;
		} else {
			r = row_of(id);
			if (r && !is_below(r->rel, t->below)) {
				row_free(r);
				r = NULL;
			}
		}
		if (id > t->last_link)
			t->last_link = id;
		if (r)
			*APPEND(rows, nr) = r;
	}
	while (i < t->nr)
		row_free(t->row[i++]);
	free(t->row);
	t->row = rows;
	t->nr = nr;
	if (t->sorted && nr)
		qsort(t->row, t->nr, sizeof(*t->row), by_refaults);
}

static void read_stat(int dirfd, uint64_t *n)
{
	int fd = openat(dirfd, "memory.stat", O_RDONLY | O_CLOEXEC);
	char buf[16384], *at;
	ssize_t len = 0, got;

	if (fd < 0)
		return;
	while ((got = read(fd, buf + len, sizeof(buf) - 1 - len)) > 0)
		len += got;
	close(fd);
	buf[len] = 0;
	at = strstr(buf, "\nworkingset_refault_anon ");
	if (at)
		n[R_REFAULTS] += strtoull(at + 25, NULL, 10);
	at = strstr(buf, "\nworkingset_refault_file ");
	if (at)
		n[R_REFAULTS] += strtoull(at + 25, NULL, 10);
	at = strstr(buf, "\npgsteal ");
	if (at)
		n[R_EVICTIONS] += strtoull(at + 9, NULL, 10);
}

static void look(struct top *t, struct row *r)
{
	struct sample s = { .when = clock_now(CLOCK_MONOTONIC) };
	struct instance *inst;
	struct cg_state st;
	double dt;

	if (cgroup_state_at(r->dirfd, &st) || !st.policy[0] || st.cgroup_id != r->cgroup_id) {
		r->dead = true;
		return;
	}
	memcpy(r->policy, st.policy, sizeof(r->policy));
	for (int i = 0; i < st.nr_hooks; i++) {
		s.n[R_CHANGED] += st.hook[i].changed;
		s.n[R_CLAMPED] += st.hook[i].clamped;
	}
	read_stat(r->dirfd, s.n);
	s.map = st.map;
	inst = cache_get(&t->cache, st.map);
	if (inst && inst->meta.nr_counters) {
		s.nr_sums = inst->meta.nr_counters;
		s.sums = xalloc(s.nr_sums * sizeof(*s.sums));
		instance_counters(inst, s.sums);
	}
	dt = s.when - r->last.when;
	r->has_rate = r->last.when && dt > 0;
	for (int i = 0; r->has_rate && i < NR_RATES; i++)
		r->rate[i] = s.n[i] >= r->last.n[i] ? (s.n[i] - r->last.n[i]) / dt : 0;
	free(r->sum_rate);
	r->sum_rate = xalloc(s.nr_sums * sizeof(*r->sum_rate));
	r->nr_sums = s.nr_sums;
	/* after a replacement they are other counters */
	for (int i = 0; r->has_rate && s.map == r->last.map && i < s.nr_sums; i++)
		r->sum_rate[i] = s.sums[i] >= r->last.sums[i] ?
				 (s.sums[i] - r->last.sums[i]) / dt : 0;
	free(r->last.sums);
	r->last = s;
	r->fresh = true;
}

static void round_of_looks(struct top *t, int round)
{
	double began = clock_now(CLOCK_PROCESS_CPUTIME_ID), now = clock_now(CLOCK_MONOTONIC);
	int i, lines = t->screen ? LINES - 4 : 8;

	/* what was not used is not saved up, what was too much is paid back */
	t->credit += SHARE * (now - t->credited);
	if (t->credit > SHARE * opt.interval)
		t->credit = SHARE * opt.interval;
	t->credited = now;
	for (i = 0; i < t->nr; i++)
		t->row[i]->fresh = false;
	if (!round || (round % 4 == 0 && t->credit > 0))
		find_rows(t);
	for (i = t->first; i < t->nr && i < t->first + lines; i++)
		look(t, t->row[i]);
	/* the others in turn, as far as time allows; in the first round all of them */
	for (i = 0; i < t->nr && !interrupted; i++) {
		struct row *r = t->row[(t->next + i) % t->nr];

		if (round && clock_now(CLOCK_PROCESS_CPUTIME_ID) - began > t->credit)
			break;
		if (!r->fresh)
			look(t, r);
	}
	if (t->nr)
		t->next = (t->next + i) % t->nr;
	t->sorted = round;
	if (round && t->nr)
		qsort(t->row, t->nr, sizeof(*t->row), by_refaults);
	t->credit = round ? t->credit - (clock_now(CLOCK_PROCESS_CPUTIME_ID) - began) : 0;
}

static void print_rows(struct top *t)
{
	json_object *o = NULL, *a = NULL;

	if (opt.json) {
		o = answer();
		a = json_object_new_array();
	}
	for (int i = 0; i < t->nr; i++) {
		struct row *r = t->row[i];
		struct instance *inst = cache_get(&t->cache, r->last.map);

		if (!r->fresh || !r->has_rate)
			continue;
		if (o) {
			json_object *c = json_object_new_object(), *sums;

			add_str(c, "cgroup", r->rel);
			add_str(c, "policy", r->policy);
			json_object_object_add(c, "refaults_per_s", json_object_new_double(r->rate[R_REFAULTS]));
			json_object_object_add(c, "evictions_per_s", json_object_new_double(r->rate[R_EVICTIONS]));
			json_object_object_add(c, "changed_per_s", json_object_new_double(r->rate[R_CHANGED]));
			json_object_object_add(c, "clamped_per_s", json_object_new_double(r->rate[R_CLAMPED]));
			sums = json_object_new_object();
			for (int k = 0; inst && k < r->nr_sums; k++)
				json_object_object_add(sums, inst->meta.counter[k].name,
						       json_object_new_double(r->sum_rate[k]));
			json_object_object_add(c, "counters_per_s", sums);
			json_object_array_add(a, c);
			continue;
		}
		printf("%s \"%s\" refaults/s %.1f evictions/s %.1f changed/s %.1f clamped/s %.1f",
		       show(r->rel), r->policy, r->rate[R_REFAULTS], r->rate[R_EVICTIONS],
		       r->rate[R_CHANGED], r->rate[R_CLAMPED]);
		for (int k = 0; inst && k < r->nr_sums; k++)
			printf(" %s/s %.1f", inst->meta.counter[k].name, r->sum_rate[k]);
		putchar('\n');
	}
	if (o) {
		json_object_object_add(o, "attachments", a);
		print_json(o, false);
	}
	fflush(stdout);
}

static void draw(struct top *t)
{
	double now = clock_now(CLOCK_MONOTONIC);
	int lines = LINES - 4, width = COLS - 67;
	struct instance *inst;
	char buf[64];

	if (width < 12)
		width = 12;
	erase();
	if (t->selected >= t->nr)
		t->selected = t->nr ? t->nr - 1 : 0;
	if (t->selected < t->first)
		t->first = t->selected;
	if (lines > 0 && t->selected >= t->first + lines)
		t->first = t->selected - lines + 1;
	mvprintw(0, 0, "reclaimctl top: %d attachments, every %g s%s", t->nr, opt.interval,
		 t->paused ? ", paused" : "");
	attron(A_REVERSE);
	mvprintw(1, 0, "%-*s %-18s %10s %10s %10s %8s %4s", width, "CGROUP", "POLICY",
		 "REFAULT/s", "EVICT/s", "CHANGED/s", "CLAMP/s", "AGE");
	attroff(A_REVERSE);
	for (int i = 0; i < lines && t->first + i < t->nr; i++) {
		struct row *r = t->row[t->first + i];
		const char *name = show(r->rel);
		int len = strlen(name);

		/* the end of a path says more than its beginning */
		if (len > width)
			name += len - width;
		if (t->first + i == t->selected)
			attron(A_BOLD);
		mvprintw(2 + i, 0, "%-*s %-18s", width, name, r->policy);
		if (r->has_rate)
			printw(" %10.1f %10.1f %10.1f %8.1f", r->rate[R_REFAULTS],
			       r->rate[R_EVICTIONS], r->rate[R_CHANGED], r->rate[R_CLAMPED]);
		else
			printw(" %10s %10s %10s %8s", "-", "-", "-", "-");
		printw(" %3.0fs", now - r->last.when);
		if (t->first + i == t->selected)
			attroff(A_BOLD);
	}
	if (t->nr && LINES > 5) {
		struct row *r = t->row[t->selected];

		inst = cache_get(&t->cache, r->last.map);
		move(LINES - 2, 0);
		for (int k = 0; inst && k < r->nr_sums; k++) {
			snprintf(buf, sizeof(buf), "%s/s %.1f  ", inst->meta.counter[k].name,
				 r->sum_rate[k]);
			if (getcurx(stdscr) + (int)strlen(buf) < COLS)
				addstr(buf);
		}
	}
	mvprintw(LINES - 1, 0, "q quit  p pause  space look now  up/down select");
	refresh();
}

static void on_screen(struct top *t)
{
	double next = 0;
	int key, round = 0;
	long left = opt.count;

	while (!interrupted) {
		double now = clock_now(CLOCK_MONOTONIC);

		if (now >= next && !t->paused) {
			round_of_looks(t, round++);
			next = now + (round == 1 && opt.interval > 0.5 ? 0.5 : opt.interval);
			if (opt.count && round > 1 && !--left)
				break;
		}
		draw(t);
		timeout(t->paused ? 1000 : (int)((next - clock_now(CLOCK_MONOTONIC)) * 1000) + 1);
		key = getch();
		if (key == 'q')
			break;
		if (key == 'p')
			t->paused = !t->paused;
		if (key == ' ')
			next = 0;
		if (key == KEY_UP && t->selected)
			t->selected--;
		if (key == KEY_DOWN)
			t->selected++;
		if (key == KEY_NPAGE)
			t->selected += LINES > 5 ? LINES - 5 : 1;
		if (key == KEY_PPAGE)
			t->selected = t->selected > LINES - 5 ? t->selected - (LINES - 5) : 0;
	}
}

static void in_lines(struct top *t)
{
	struct timespec nap = {
		.tv_sec = opt.interval,
		.tv_nsec = (opt.interval - (long)opt.interval) * 1e9,
	};

	round_of_looks(t, 0);
	for (long i = 1; !interrupted && (!opt.count || i <= opt.count); i++) {
		if (nanosleep(&nap, NULL))
			break;
		round_of_looks(t, i);
		print_rows(t);
		if (ferror(stdout))
			break;
	}
}

int cmd_top(int argc __attribute__((unused)), char **argv __attribute__((unused)))
{
	struct top t = {};
	struct cg_state st;
	struct cgroup cg;
	SCREEN *screen = NULL;
	int ret = cgroup_open(opt.cgroup ?: "/", &cg);

	if (ret)
		return ret;
	ret = cgroup_state(&cg, &st);
	if (!ret && geteuid())
		ret = err(ST_FAILED, "no right to list links: run it as root");
	if (ret) {
		cgroup_close(&cg);
		return ret;
	}
	t.below = cg.rel;
	t.screen = !opt.json && isatty(STDOUT_FILENO) && isatty(STDIN_FILENO);
	if (t.screen) {
		screen = newterm(NULL, stdout, stdin);
		if (!screen) {
			t.screen = false;
			note("terminal '%s' is not known, so lines instead", getenv("TERM") ?: "");
		}
	}
	if (t.screen) {
		cbreak();
		noecho();
		keypad(stdscr, TRUE);
		curs_set(0);
		on_screen(&t);
		endwin();
		delscreen(screen);
	} else {
		in_lines(&t);
	}
	for (int i = 0; i < t.nr; i++)
		row_free(t.row[i]);
	free(t.row);
	cache_free(&t.cache);
	cgroup_close(&cg);
	return 0;
}
