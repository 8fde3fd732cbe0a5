/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reclaimctl: loads page reclaim policies, attaches them to memory cgroups, and
 * watches them.
 *
 * Others' work first: libbpf loads, libyaml reads what people write, json-c writes
 * what programs read (it also escapes, and keeps 64 bits of a number), ncurses
 * draws and restores the terminal. All of them are in Debian, in C, and small.
 *
 * Functions that can fail return 0 or an exit status, after they have printed
 * what is wrong: callers just pass it on.
 */
#ifndef _RECLAIMCTL_H
#define _RECLAIMCTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <json-c/json.h>

/* JSON: raised when a name changes its meaning or goes; new names don't count. */
#define SCHEMA		1
#define PIN_ROOT	"/sys/fs/bpf/reclaimctl"
#define NAME_LEN	32
#define MSG_LEN		128
#define MAX_HOOKS	16

enum status {
	ST_OK		= 0,
	ST_FAILED	= 1,	/* not done, everything is as before */
	ST_USAGE	= 2,	/* wrong arguments or a wrong file */
	ST_UNUSABLE	= 3,	/* this machine can't: see doctor */
	ST_INTERRUPTED	= 4,	/* by a signal, everything is as before */
};

struct strings {
	const char **str;
	int nr;
};

struct options {
	bool json, quiet, verbose, help;
	bool replace, reset, only, all, dry_run, tree;
	const char *cgroup, *output, *from;
	struct strings set;
	double interval;
	long count;
};
extern struct options opt;
extern volatile int interrupted;

/* --- main.c: the table of commands --- */
struct option_desc {
	char key;
	const char *name, *arg, *help;
};

struct command {
	const char *name;
	const char *args;	/* as in the synopsis */
	const char *summary;
	const char *text;	/* paragraphs, for help and man page */
	const char *opts;	/* keys of its options, beside the common ones */
	const char *complete;	/* what its arguments are: policy, tunable, file or "" */
	int min, max;		/* arguments; max -1: any */
	int (*run)(int argc, char **argv);
};
extern const struct command commands[];
extern const struct option_desc option_descs[];
extern const char common_opts[];
const struct option_desc *option_by_key(char key);

/* --- out.c --- */
int err(int status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* What the messages that follow are about; takes @text over, NULL: no more. */
void err_context(char *text);
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* For a terminal: control characters and bytes that aren't UTF-8 as \xNN. Lives for 16 calls. */
const char *show(const char *s);
json_object *js(const char *s);
json_object *answer(void);
void add_str(json_object *o, const char *key, const char *s);
void add_u64(json_object *o, const char *key, uint64_t v);
void add_bool(json_object *o, const char *key, bool v);
void print_json(json_object *o, bool pretty);
const char *age_text(uint64_t ms);
void *xalloc(size_t size);
char *xstrdup(const char *s);
char *xprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Room for one more element: *array has nr of them. */
void grow(void *array, int nr, size_t size);
#define APPEND(array, nr) (grow(&(array), nr, sizeof(*(array))), &(array)[(nr)++])

/* --- cgroup.c --- */
struct cgroup {
	char *path;		/* absolute */
	const char *rel;	/* from the root of the hierarchy, "/" is that root */
	uint64_t id;
	int fd;
};

struct hook_stats {
	char name[32];
	uint64_t calls, changed, clamped, bypassed;
};

/* memory.reclaim_ext of a cgroup */
struct cg_state {
	char policy[NAME_LEN];	/* empty: none */
	uint64_t cgroup_id, attached_ms;
	uint32_t link, map;
	int nr_hooks;
	struct hook_stats hook[MAX_HOOKS];
	bool exited;
	char exit_policy[NAME_LEN], exit_kind[32], exit_msg[MSG_LEN];
	long long exit_code;
};

int cgroup_root(const char **root);
int cgroup_open(const char *arg, struct cgroup *cg);
/* The same, but 0 and fd -1 if there is none. */
int cgroup_find(const char *arg, struct cgroup *cg);
void cgroup_close(struct cgroup *cg);
int cgroup_state(const struct cgroup *cg, struct cg_state *st);
/* -errno; doesn't print */
int cgroup_state_at(int dirfd, struct cg_state *st);
/* malloc'ed, relative to the root; NULL if there is no such cgroup (any more) */
char *cgroup_path_of(uint64_t id);
/* Calls @fn for @cg and the cgroups below, parents first; it returns non-zero to end. */
int cgroup_walk(const struct cgroup *cg, int (*fn)(const struct cgroup *cg, int depth, void *arg),
		void *arg);
bool own_policy(const struct cgroup *cg, const struct cg_state *st);

/* --- pin.c --- */
/* Takes the lock of everything that changes attachments. */
int pins_lock(void);
char *pin_name(const char *rel);
char *pin_unescape(const char *name);
char *pin_path(const char *rel);
int pin_create(int link_fd, const char *rel);
/* 0 also if there is none; *removed says so */
int pin_remove(const char *rel, bool *removed);
/* The id of the link, 0: there is none; *dead: its policy is gone. */
uint32_t pin_link(const char *rel, bool *dead);
int pins_each(int (*fn)(const char *rel, void *arg), void *arg);

/* --- policy.c --- */
struct tunable {
	char *name, *type, *unit, *doc;
	uint32_t offset, size;
	bool is_signed, is_bool, unsupported;
	bool has_range;
	int64_t min;
	uint64_t max;
	uint64_t def;		/* as stored, sign-extended */
	bool has_def;
};

struct counter {
	char *name, *doc;
	uint32_t offset;
};

struct meta {
	struct tunable *tunable;
	int nr_tunables;
	struct counter *counter;
	int nr_counters;
	uint32_t counters_size;
};

struct policy {
	char *origin;		/* "embedded" or a path */
	void *bytes;
	size_t size;
	bool borrowed;		/* bytes belong to the binary */
	struct bpf_object *obj;
	struct bpf_map *ops, *data, *rodata;
	char name[NAME_LEN];
	char *version, *idea, *source, *use, *kernel;
	uint32_t cookie_format;
	const char *hook[MAX_HOOKS];
	int nr_hooks;
	struct strings kfuncs;
	struct meta meta;
};

struct embedded {
	const char *name;
	const unsigned char *begin, *end;
};
extern const struct embedded embedded_policies[];

int policy_open(const char *arg, struct policy *p);
int policy_open_bytes(const void *bytes, size_t size, const char *origin, struct policy *p);
void policy_close(struct policy *p);
/* "stock refault_distance ..." for messages */
const char *policy_names(void);
/* Every policy that has a name here: embedded, then installed. */
int policies_each(int (*fn)(struct policy *p, void *arg), void *arg);
bool is_file_arg(const char *arg);

int meta_read(const struct btf *btf, struct meta *m);
void meta_free(struct meta *m);
const struct tunable *tunable_by_name(const struct meta *m, const char *name);
uint64_t tunable_get(const struct tunable *t, const void *data);
void tunable_put(const struct tunable *t, void *data, uint64_t value);
/* @what names the policy in messages */
int tunable_parse(const struct meta *m, const char *what, const char *assignment,
		  const struct tunable **t, uint64_t *value);
int tunables_apply(const struct meta *m, const char *what, const struct strings *set, void *data);
const char *tunable_text(const struct tunable *t, uint64_t value);
const char *tunable_range(const struct tunable *t);
json_object *tunable_json(const struct tunable *t, const void *data);

/* --- instance.c: what is loaded --- */
struct instance {
	uint32_t map_id, btf_id;
	int ops_fd, data_fd, rodata_fd, counters_fd;
	uint32_t data_size, rodata_size, data_flags;
	struct btf *btf;
	struct meta meta;
	void *data;		/* as read by instance_read_data() */
	int nr_tags;
	uint64_t *tags;		/* of its programs, sorted */
};

/* Maps and programs of the kernel, listed once. */
struct world {
	struct world_obj {
		uint32_t id, btf_id, type, size, flags;
		char name[BPF_OBJ_NAME_LEN];
		uint64_t tag;
	} *maps, *progs;
	int nr_maps, nr_progs;
	struct world_link {
		uint32_t id, map_id;
		uint64_t cgroup_id;
	} *links;
	int nr_links;
};

void world_read(struct world *w);
void world_free(struct world *w);
int instance_open(const struct world *w, uint32_t map_id, struct instance *inst);
void instance_close(struct instance *inst);
int instance_read_data(struct instance *inst);
/* Writes what differs from inst->data. */
int instance_write_data(struct instance *inst, const void *data);
/* Sums over the CPUs, one for each counter. */
int instance_counters(const struct instance *inst, uint64_t *sums);
/* Loads @p with inst->data as @data (NULL: as in the object). */
int policy_load(struct policy *p, const void *data, int *ops_fd);
/* The map of a loaded instance like that of @ops_fd, 0: there is none. */
bool instance_same_maps(const struct world *w, uint32_t a, uint32_t b);
uint32_t instance_like(const struct world *w, int ops_fd, uint32_t not_map);

/* Instances by map id, opened when first asked for, so that each is read once. */
struct cache {
	struct world w;
	struct cached {
		struct instance inst;
		bool ok;
	} **entry;
	int nr;
};

struct instance *cache_get(struct cache *c, uint32_t map_id);
void cache_free(struct cache *c);

/* --- attach.c --- */
int link_create(const char *name, int ops_fd, const struct cgroup *cg, int *link_fd);
int link_update(int link_fd, uint32_t link_id, int ops_fd, const char *name,
		const struct cgroup *cg);
int link_detach(int link_fd, const struct cgroup *cg);
json_object *attachment_json(const struct cgroup *cg);

/* --- conf.c: the file of apply --- */
enum missing { MISSING_FAIL, MISSING_SKIP, MISSING_WAIT };

struct conf_entry {
	char *file;
	int line;
	char *cgroup, *policy, *object;
	struct strings set;	/* NAME=VALUE */
	enum missing missing;
	bool has_missing;
};

struct conf {
	struct conf_entry *entry;
	int nr;
	double timeout;
	bool prune;
};

/* @path: a file, a folder of *.yaml, or "-" */
int conf_read(const char *path, struct conf *conf);
int conf_parse(const char *name, const char *text, size_t size, struct conf *conf);
void conf_free(struct conf *conf);

/* --- a command each --- */
int cmd_doctor(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_inspect(int argc, char **argv);
int cmd_attach(int argc, char **argv);
int cmd_replace(int argc, char **argv);
int cmd_detach(int argc, char **argv);
int cmd_set(int argc, char **argv);
int cmd_get(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_top(int argc, char **argv);
int cmd_events(int argc, char **argv);
int cmd_apply(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_generate(int argc, char **argv);

#endif /* _RECLAIMCTL_H */
