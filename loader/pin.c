// SPDX-License-Identifier: GPL-2.0
/*
 * Pins: a file in bpffs for each link, named after its cgroup.
 *
 * The name is the path below the root of the hierarchy ("/" for that root
 * itself), in which every byte other than letters, digits, `-`, `_`, `@`, `:`
 * and `+` is %XX, as in URLs: bpffs forbids dots. A name of more than 255 bytes
 * is cut: all parts but the last are folders, whose names end in a lone `%`.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "reclaimctl.h"

#define PART	240	/* of a long name */

static bool plain(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       strchr("-_@:+", c);
}

char *pin_name(const char *rel)
{
	char *flat = xalloc(3 * strlen(rel) + 1), *name, *to = flat;
	size_t len;

	/* without the slash at the beginning, which all of them have */
	if (rel[0] == '/' && rel[1])
		rel++;
	for (; *rel; rel++) {
		if (plain(*rel))
			*to++ = *rel;
		else
			to += sprintf(to, "%%%02X", (unsigned char)*rel);
	}
	len = to - flat;
	if (len <= 255)
		return flat;
	name = to = xalloc(len + 2 * (len / PART) + 1);
	for (to = flat; len > PART; to += PART, len -= PART) {
		strncat(name, to, PART);
		strcat(name, "%/");
	}
	strcat(name, to);
	free(flat);
	return name;
}

char *pin_unescape(const char *name)
{
	char *rel = xalloc(strlen(name) + 2), *to = rel, *joined = xstrdup(name), *cut;
	unsigned int c;
	int n;

	for (cut = joined; (cut = strstr(cut, "%/"));)
		memmove(cut, cut + 2, strlen(cut + 2) + 1);
	*to++ = '/';
	for (name = joined; *name;) {
		if (name[0] == '%') {
			n = 0;
			if (sscanf(name + 1, "%2x%n", &c, &n) != 1 || n != 2 || !c)
				goto bad;
			*to++ = c;
			name += 3;
		} else if (plain(*name)) {
			*to++ = *name++;
		} else {
			goto bad;
		}
	}
	if (!strcmp(rel, "//"))
		rel[1] = 0;
	free(joined);
	return rel;
bad:
	free(joined);
	free(rel);
	return NULL;
}

char *pin_path(const char *rel)
{
	char *name = pin_name(rel), *path = xprintf("%s/%s", PIN_ROOT, name);

	free(name);
	return path;
}

/* The folder, made if need be. */
static int pin_root(void)
{
	struct statfs fs;

	if (statfs("/sys/fs/bpf", &fs) || fs.f_type != BPF_FS_MAGIC)
		return err(ST_UNUSABLE, "no bpffs at /sys/fs/bpf: mount -t bpf bpf /sys/fs/bpf");
	if (mkdir(PIN_ROOT, 0700) && errno != EEXIST)
		return err(ST_UNUSABLE, "cannot make %s: %s%s", PIN_ROOT, strerror(errno),
			   geteuid() ? ": run it as root" : "");
	return 0;
}

int pins_lock(void)
{
	int ret = pin_root(), fd;

	if (ret)
		return ret;
	/* held until the process ends */
	fd = open(PIN_ROOT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err(ST_UNUSABLE, "%s: %s%s", PIN_ROOT, strerror(errno),
			   geteuid() ? ": run it as root" : "");
	while (flock(fd, LOCK_EX)) {
		if (errno != EINTR)
			return err(ST_FAILED, "cannot lock %s: %s", PIN_ROOT, strerror(errno));
		if (interrupted)
			return err(ST_INTERRUPTED, "interrupted while another reclaimctl is at work");
	}
	return 0;
}

uint32_t pin_link(const char *rel, bool *dead)
{
	char *path = pin_path(rel);
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);
	int fd;

	*dead = false;
	fd = bpf_obj_get(path);
	free(path);
	if (fd < 0)
		return 0;
	if (bpf_link_get_info_by_fd(fd, &info, &len))
		info.id = 0;
	*dead = info.id && info.type == BPF_LINK_TYPE_STRUCT_OPS && !info.struct_ops.map_id;
	close(fd);
	return info.id;
}

int pin_create(int link_fd, const char *rel)
{
	char *path = pin_path(rel), *slash;
	int ret = pin_root();
	uint32_t id;
	bool dead;

	if (ret)
		goto out;
	/* the folders of a long name; one that stays behind empty does no harm */
	for (slash = strstr(path, "%/"); slash; slash = strstr(slash + 2, "%/")) {
		slash[1] = 0;
		mkdir(path, 0700);
		slash[1] = '/';
	}
	ret = bpf_obj_pin(link_fd, path);
	if (ret == -EEXIST) {
		id = pin_link(rel, &dead);
		if (!dead) {
			ret = err(ST_FAILED, "pin %s is in use, by link %u: remove it, or detach that link",
				  path, id);
			goto out;
		}
		note("removed pin %s of link %u, whose policy is gone", path, id);
		unlink(path);
		ret = bpf_obj_pin(link_fd, path);
	}
	if (ret)
		ret = err(ST_FAILED, "cannot pin %s: %s", path, strerror(-ret));
out:
	free(path);
	return ret;
}

int pin_remove(const char *rel, bool *removed)
{
	char *path = pin_path(rel), *slash;
	int ret = 0;

	*removed = !unlink(path);
	if (!*removed && errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG)
		ret = err(ST_FAILED, "cannot remove pin %s: %s", path, strerror(errno));
	while (*removed && (slash = strrchr(path, '/')) && slash[-1] == '%') {
		*slash = 0;
		if (rmdir(path))
			break;
	}
	free(path);
	return ret;
}

static int each(const char *dir, const char *prefix, int (*fn)(const char *rel, void *arg),
		void *arg)
{
	struct dirent **names = NULL;
	char *name, *sub, *rel;
	int i, n, ret = 0;

	n = scandir(dir, &names, NULL, alphasort);
	for (i = 0; i < n; i++) {
		if (!ret && names[i]->d_name[0] != '.') {
			name = xprintf("%s%s", prefix, names[i]->d_name);
			if (names[i]->d_type == DT_DIR) {
				sub = xprintf("%s/%s", dir, names[i]->d_name);
				rel = xprintf("%s/", name);
				ret = each(sub, rel, fn, arg);
				free(sub);
				free(rel);
			} else {
				rel = pin_unescape(name);
				if (rel)
					ret = fn(rel, arg);
				free(rel);
			}
			free(name);
		}
		free(names[i]);
	}
	free(names);
	return ret;
}

int pins_each(int (*fn)(const char *rel, void *arg), void *arg)
{
	return each(PIN_ROOT, "", fn, arg);
}
