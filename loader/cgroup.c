// SPDX-License-Identifier: GPL-2.0
/* Finding cgroups, and what the kernel says in their memory.reclaim_ext. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <mntent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "reclaimctl.h"

#define STATE_FILE	"memory.reclaim_ext"

int cgroup_root(const char **root)
{
	static char *found;
	struct mntent *m;
	FILE *f;

	if (!found) {
		f = setmntent("/proc/self/mounts", "re");
		if (!f)
			return err(ST_UNUSABLE, "cannot read /proc/self/mounts: %s: mount /proc",
				   strerror(errno));
		while (!found && (m = getmntent(f)))
			if (!strcmp(m->mnt_type, "cgroup2"))
				found = xstrdup(m->mnt_dir);
		endmntent(f);
	}
	if (!found)
		return err(ST_UNUSABLE, "no cgroup2 is mounted: boot with systemd.unified_cgroup_hierarchy=1, or mount -t cgroup2 cgroup2 /sys/fs/cgroup");
	*root = found;
	return 0;
}

void cgroup_close(struct cgroup *cg)
{
	if (cg->path && cg->fd >= 0)
		close(cg->fd);
	free(cg->path);
	memset(cg, 0, sizeof(*cg));
	cg->fd = -1;
}

/* Takes @path over. */
static int open_path(char *path, struct cgroup *cg)
{
	size_t len;
	const char *root;
	struct statfs fs;
	struct stat st;
	int ret = cgroup_root(&root);

	if (ret) {
		free(path);
		return ret;
	}
	cg->path = path;
	cg->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (cg->fd < 0 || fstat(cg->fd, &st) || fstatfs(cg->fd, &fs)) {
		ret = errno;
		err(ST_FAILED, "cgroup %s: %s%s", show(path), strerror(ret),
		    ret == ENOTDIR ? ": name its directory" : "");
		cgroup_close(cg);
		return ST_FAILED;
	}
	len = strlen(root);
	if (fs.f_type != CGROUP2_SUPER_MAGIC || strncmp(path, root, len) ||
	    (path[len] && path[len] != '/')) {
		err(ST_FAILED, "%s is not a directory of the cgroup2 hierarchy at %s", show(path),
		    root);
		cgroup_close(cg);
		return ST_FAILED;
	}
	cg->rel = path[len] ? path + len : "/";
	cg->id = st.st_ino;
	return 0;
}

static bool looks_like_unit(const char *arg)
{
	static const char * const suffix[] = { ".service", ".slice", ".scope", ".socket",
					       ".mount", ".swap" };
	size_t len = strlen(arg), n;

	if (strchr(arg, '/'))
		return false;
	for (size_t i = 0; i < sizeof(suffix) / sizeof(*suffix); i++) {
		n = strlen(suffix[i]);
		if (len > n && !strcmp(arg + len - n, suffix[i]))
			return true;
	}
	return false;
}

struct search {
	const char *name;
	char *found, *second;
};

static int match_name(const struct cgroup *cg, int depth, void *arg)
{
	struct search *s = arg;

	if (!depth || strcmp(strrchr(cg->path, '/') + 1, s->name))
		return 0;
	if (!s->found) {
		s->found = xstrdup(cg->path);
		return 0;
	}
	s->second = xstrdup(cg->path);
	return 1;
}

/* The directory of a unit: the only one of that name, system.slice first. */
static int find_unit(const char *name, char **path)
{
	struct search s = { .name = name };
	struct cgroup root = { .fd = -1 };
	const char *top;
	int ret = cgroup_root(&top);

	if (ret)
		return ret;
	*path = xprintf("%s/system.slice/%s", top, name);
	if (!access(*path, F_OK))
		return 0;
	free(*path);
	*path = NULL;
	ret = open_path(xstrdup(top), &root);
	if (ret)
		return ret;
	cgroup_walk(&root, match_name, &s);
	cgroup_close(&root);
	if (s.second) {
		ret = err(ST_USAGE, "unit %s has more than one cgroup, %s and %s: give the path",
			  show(name), show(s.found), show(s.second));
		free(s.found);
		free(s.second);
		return ret;
	}
	*path = s.found;
	return 0;
}

int cgroup_find(const char *arg, struct cgroup *cg)
{
	char *path, *real;
	const char *root;
	int ret;

	memset(cg, 0, sizeof(*cg));
	cg->fd = -1;
	ret = cgroup_root(&root);
	if (ret)
		return ret;
	if (!*arg)
		return err(ST_USAGE, "the name of the cgroup is empty: / is the root");
	if (!strncmp(arg, "pin:", 4)) {
		char *rel = pin_unescape(arg + 4);

		if (!rel)
			return err(ST_USAGE, "cgroup %s: not a name as of a pin, %%XX for other bytes than letters, digits, - and _",
				   show(arg));
		path = xprintf("%s%s", root, rel);
		free(rel);
	} else if (arg[0] == '/' && !strncmp(arg, root, strlen(root))) {
		path = xstrdup(arg);
	} else if (arg[0] == '/') {
		path = xprintf("%s%s", root, arg);
		/* what is no cgroup under either name is better named as it was given */
		if (access(path, F_OK) && !access(arg, F_OK)) {
			free(path);
			path = xstrdup(arg);
		}
	} else {
		path = xprintf("%s/%s", root, arg);
		if (looks_like_unit(arg) && access(path, F_OK)) {
			free(path);
			ret = find_unit(arg, &path);
			if (ret || !path)
				return ret;
		}
	}
	real = realpath(path, NULL);
	if (!real && errno != ENOENT && errno != ENAMETOOLONG && errno != ENOTDIR)
		ret = err(ST_FAILED, "cgroup %s: %s", show(path), strerror(errno));
	free(path);
	return real ? open_path(real, cg) : ret;
}

int cgroup_open(const char *arg, struct cgroup *cg)
{
	const char *root;
	int ret;

	if (!arg)
		return err(ST_USAGE, "which cgroup? Give --cgroup PATH or UNIT");
	ret = cgroup_find(arg, cg);
	if (!ret && cg->fd < 0) {
		ret = cgroup_root(&root);
		if (!ret)
			ret = err(ST_FAILED, "there is no cgroup %s below %s: give a path, a path from there, or a unit that runs",
				  show(arg), root);
	}
	return ret;
}

/* The value of KEY=NUMBER in @line */
static uint64_t number_of(const char *line, const char *key)
{
	const char *at = strstr(line, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

static void parse_last_exit(char *line, struct cg_state *st)
{
	char *code = strstr(line, " code="), *msg = strstr(line, " msg=\"");
	size_t len;

	if (sscanf(line, "last_exit policy=%31s kind=%31s", st->exit_policy, st->exit_kind) != 2)
		return;
	st->exited = true;
	if (code)
		st->exit_code = strtoll(code + 6, NULL, 10);
	if (msg) {
		snprintf(st->exit_msg, sizeof(st->exit_msg), "%s", msg + 6);
		len = strlen(st->exit_msg);
		if (len && st->exit_msg[len - 1] == '"')
			st->exit_msg[len - 1] = 0;
	}
}

static void parse_line(char *line, struct cg_state *st)
{
	char policy[NAME_LEN];
	struct hook_stats *h;

	if (sscanf(line, "policy %31s", policy) == 1) {
		if (strcmp(policy, "none"))
			memcpy(st->policy, policy, sizeof(policy));
	} else if (!strncmp(line, "last_exit ", 10)) {
		parse_last_exit(line, st);
	} else if (strstr(line, " calls=") && st->nr_hooks < MAX_HOOKS) {
		h = &st->hook[st->nr_hooks++];
		sscanf(line, "%31s", h->name);
		h->calls = number_of(line, " calls=");
		h->changed = number_of(line, " changed=");
		h->clamped = number_of(line, " clamped=");
		h->bypassed = number_of(line, " bypassed=");
	} else if (sscanf(line, "cgroup_id %" SCNu64, &st->cgroup_id) != 1 &&
		   sscanf(line, "link %" SCNu32, &st->link) != 1 &&
		   sscanf(line, "map %" SCNu32, &st->map) != 1) {
		sscanf(line, "attached_ms %" SCNu64, &st->attached_ms);
	}
}

int cgroup_state_at(int dirfd, struct cg_state *st)
{
	char buf[8192], *line, *save;
	size_t len = 0;
	ssize_t n;
	int fd;

	memset(st, 0, sizeof(*st));
	fd = openat(dirfd, STATE_FILE, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	while (len < sizeof(buf) - 1) {
		n = read(fd, buf + len, sizeof(buf) - 1 - len);
		if (n < 0) {
			n = -errno;
			close(fd);
			return n;
		}
		if (!n)
			break;
		len += n;
	}
	close(fd);
	buf[len] = 0;
	for (line = strtok_r(buf, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		parse_line(line, st);
	return 0;
}

int cgroup_state(const struct cgroup *cg, struct cg_state *st)
{
	int ret = cgroup_state_at(cg->fd, st);
	char *path;

	if (!ret)
		return 0;
	if (ret != -ENOENT)
		return err(ST_FAILED, "%s/" STATE_FILE ": %s", show(cg->path), strerror(-ret));
	path = xprintf("%s/memory.stat", cg->path);
	/* the root has no memory.max */
	ret = strcmp(cg->rel, "/") && access(path, F_OK);
	free(path);
	if (ret)
		return err(ST_FAILED, "cgroup %s has no memory controller: echo +memory >cgroup.subtree_control in its parent (systemd: MemoryAccounting=yes)",
			   show(cg->path));
	return err(ST_UNUSABLE, "cgroup %s has no " STATE_FILE ": this kernel has no reclaim_ext (reclaimctl doctor)",
		   show(cg->path));
}

bool own_policy(const struct cgroup *cg, const struct cg_state *st)
{
	return st->policy[0] && st->cgroup_id == cg->id;
}

char *cgroup_path_of(uint64_t id)
{
	union {
		struct file_handle h;
		char room[sizeof(struct file_handle) + sizeof(id)];
	} handle = {
		.h = { .handle_bytes = sizeof(id), .handle_type = 0xfe /* FILEID_KERNFS */ },
	};
	static int root_fd = -1;
	char proc[32], path[PATH_MAX];
	const char *root;
	size_t len;
	ssize_t n;
	int fd;

	if (cgroup_root(&root))
		return NULL;
	if (root_fd < 0)
		root_fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	memcpy(handle.h.f_handle, &id, sizeof(id));
	fd = open_by_handle_at(root_fd, &handle.h, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fd);
	n = readlink(proc, path, sizeof(path) - 1);
	close(fd);
	len = strlen(root);
	if (n < (ssize_t)len)
		return NULL;
	path[n] = 0;
	return xstrdup(path[len] ? path + len : "/");
}

static int walk(const struct cgroup *cg, int depth,
		int (*fn)(const struct cgroup *cg, int depth, void *arg), void *arg)
{
	struct dirent **names = NULL;
	struct cgroup child;
	struct stat st;
	int i, n, ret;

	ret = fn(cg, depth, arg);
	if (ret || interrupted)
		return ret;
	n = scandirat(cg->fd, ".", &names, NULL, alphasort);
	for (i = 0; i < n; i++) {
		if (!ret && names[i]->d_type == DT_DIR && strcmp(names[i]->d_name, ".") &&
		    strcmp(names[i]->d_name, "..")) {
			child.fd = openat(cg->fd, names[i]->d_name,
					  O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
			/* it may have gone meanwhile */
			if (child.fd >= 0 && !fstat(child.fd, &st)) {
				child.path = xprintf("%s/%s", cg->path, names[i]->d_name);
				child.rel = child.path + (cg->rel[1] ? cg->rel - cg->path :
							  (long)strlen(cg->path));
				child.id = st.st_ino;
				ret = walk(&child, depth + 1, fn, arg);
				free(child.path);
			}
			if (child.fd >= 0)
				close(child.fd);
		}
		free(names[i]);
	}
	free(names);
	return ret;
}

int cgroup_walk(const struct cgroup *cg, int (*fn)(const struct cgroup *cg, int depth, void *arg),
		void *arg)
{
	return walk(cg, 0, fn, arg);
}
