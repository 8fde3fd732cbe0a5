// SPDX-License-Identifier: GPL-2.0
/*
 * The file of apply.
 *
 * YAML, which people who write units for containers know, read by libyaml: its
 * parser hands over events, so that depth and size are bounded here, and it
 * checks the encoding. Of YAML only mappings of scalars are taken; no anchors,
 * tags or lists, whose use would be a mistake.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

#include "reclaimctl.h"

#define MAX_FILE	(4 << 20)
#define MAX_ENTRIES	20000
#define MAX_KEYS	64
#define MAX_VALUE	4096

struct parser {
	const char *name;
	yaml_parser_t yaml;
	yaml_event_t event;
	bool has_event;
};

static int bad(struct parser *p, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int bad(struct parser *p, int line, const char *fmt, ...)
{
	va_list args;
	char *msg;
	int n;

	va_start(args, fmt);
	n = vasprintf(&msg, fmt, args);
	va_end(args);
	if (n < 0)
		return ST_USAGE;
	err(ST_USAGE, "%s:%d: %s", show(p->name), line, msg);
	free(msg);
	return ST_USAGE;
}

static int line_of(struct parser *p)
{
	return p->event.start_mark.line + 1;
}

static int next(struct parser *p)
{
	if (p->has_event)
		yaml_event_delete(&p->event);
	p->has_event = false;
	if (interrupted)
		return err(ST_INTERRUPTED, "interrupted, nothing has changed");
	if (!yaml_parser_parse(&p->yaml, &p->event))
		return bad(p, (p->yaml.error == YAML_READER_ERROR ? p->yaml.mark :
			       p->yaml.problem_mark).line + 1, "not YAML: %s",
			   p->yaml.problem ?: "out of memory");
	p->has_event = true;
	switch (p->event.type) {
	case YAML_ALIAS_EVENT:
		return bad(p, line_of(p), "aliases (*name) are not taken: write it out");
	case YAML_SEQUENCE_START_EVENT:
		return bad(p, line_of(p), "a list, where a value or NAME: VALUE belongs");
	case YAML_SCALAR_EVENT:
		if (p->event.data.scalar.anchor || p->event.data.scalar.tag)
			return bad(p, line_of(p), "anchors (&name) and tags (!name) are not taken: write it out");
		if (strlen((char *)p->event.data.scalar.value) != p->event.data.scalar.length)
			return bad(p, line_of(p), "a value holds a NUL byte");
		if (p->event.data.scalar.length > MAX_VALUE)
			return bad(p, line_of(p), "a value of %zu bytes, at most %d are taken",
				   p->event.data.scalar.length, MAX_VALUE);
		break;
	case YAML_MAPPING_START_EVENT:
		if (p->event.data.mapping_start.anchor || p->event.data.mapping_start.tag)
			return bad(p, line_of(p), "anchors (&name) and tags (!name) are not taken: write it out");
		break;
	default:
		break;
	}
	return 0;
}

static const char *scalar(struct parser *p)
{
	return (char *)p->event.data.scalar.value;
}

/* The next event is a scalar: the value of @key. */
static int value(struct parser *p, const char *key)
{
	int ret = next(p);

	if (!ret && p->event.type != YAML_SCALAR_EVENT)
		ret = bad(p, line_of(p), "'%s' takes one value, not a mapping", show(key));
	return ret;
}

static int mapping(struct parser *p, const char *key)
{
	int ret = next(p);

	if (!ret && p->event.type != YAML_MAPPING_START_EVENT)
		ret = bad(p, line_of(p), "'%s' takes lines of NAME: VALUE below it", show(key));
	return ret;
}

static int parse_missing(struct parser *p, enum missing *m)
{
	int ret = value(p, "missing");

	if (ret)
		return ret;
	if (!strcmp(scalar(p), "fail"))
		*m = MISSING_FAIL;
	else if (!strcmp(scalar(p), "skip"))
		*m = MISSING_SKIP;
	else if (!strcmp(scalar(p), "wait"))
		*m = MISSING_WAIT;
	else
		return bad(p, line_of(p), "missing: '%s' is not fail, skip or wait",
			   show(scalar(p)));
	return 0;
}

static int parse_set(struct parser *p, struct conf_entry *e)
{
	char *key;
	int ret = mapping(p, "set");

	while (!ret && !(ret = next(p)) && p->event.type != YAML_MAPPING_END_EVENT) {
		if (p->event.type != YAML_SCALAR_EVENT)
			return bad(p, line_of(p), "set: the name of a tunable belongs here");
		if (e->set.nr >= MAX_KEYS)
			return bad(p, line_of(p), "more than %d tunables", MAX_KEYS);
		key = xstrdup(scalar(p));
		if (strchr(key, '=')) {
			ret = bad(p, line_of(p), "set: '%s': write NAME: VALUE", show(key));
			free(key);
			return ret;
		}
		for (int i = 0; i < e->set.nr && !ret; i++)
			if (!strncmp(e->set.str[i], key, strlen(key)) &&
			    e->set.str[i][strlen(key)] == '=')
				ret = bad(p, line_of(p), "set: '%s' is there twice", show(key));
		if (!ret)
			ret = value(p, key);
		if (!ret)
			*APPEND(e->set.str, e->set.nr) = xprintf("%s=%s", key, scalar(p));
		free(key);
	}
	return ret;
}

static int parse_entry(struct parser *p, struct conf_entry *e)
{
	bool has_set = false;
	char **to;
	int ret, line;
	char *key;

	ret = mapping(p, e->cgroup);
	while (!ret && !(ret = next(p)) && p->event.type != YAML_MAPPING_END_EVENT) {
		if (p->event.type != YAML_SCALAR_EVENT)
			return bad(p, line_of(p), "cgroup %s: policy, object, set or missing belongs here",
				   show(e->cgroup));
		key = xstrdup(scalar(p));
		line = line_of(p);
		to = !strcmp(key, "policy") ? &e->policy : !strcmp(key, "object") ? &e->object : NULL;
		if (to ? !!*to : (!strcmp(key, "set") && has_set) ||
		    (!strcmp(key, "missing") && e->has_missing)) {
			ret = bad(p, line, "cgroup %s: '%s' is there twice", show(e->cgroup), key);
		} else if (to) {
			ret = value(p, key);
			if (!ret)
				*to = xstrdup(scalar(p));
		} else if (!strcmp(key, "set")) {
			has_set = true;
			ret = parse_set(p, e);
		} else if (!strcmp(key, "missing")) {
			e->has_missing = true;
			ret = parse_missing(p, &e->missing);
		} else {
			ret = bad(p, line, "cgroup %s: unknown key '%s': there are policy, object, set, missing",
				  show(e->cgroup), show(key));
		}
		free(key);
	}
	if (ret)
		return ret;
	if (!e->policy && !e->object)
		return bad(p, e->line, "cgroup %s: no policy; 'policy: none' detaches",
			   show(e->cgroup));
	if (e->policy && !*e->policy)
		return bad(p, e->line, "cgroup %s: the name of the policy is empty", show(e->cgroup));
	if (e->policy && !e->object && is_file_arg(e->policy))
		return bad(p, e->line, "cgroup %s: '%s' is not a name: the path of an object goes to 'object'",
			   show(e->cgroup), show(e->policy));
	if (e->object && e->object[0] != '/')
		return bad(p, e->line, "cgroup %s: object '%s': give an absolute path",
			   show(e->cgroup), show(e->object));
	if (e->policy && !strcmp(e->policy, "none") && (e->object || e->set.nr))
		return bad(p, e->line, "cgroup %s: 'policy: none' takes no object and no set",
			   show(e->cgroup));
	return 0;
}

static int parse_cgroups(struct parser *p, struct conf *conf)
{
	struct conf_entry *e;
	int ret = mapping(p, "cgroups");

	while (!ret && !(ret = next(p)) && p->event.type != YAML_MAPPING_END_EVENT) {
		if (p->event.type != YAML_SCALAR_EVENT)
			return bad(p, line_of(p), "cgroups: the name of a cgroup belongs here");
		if (!*scalar(p))
			return bad(p, line_of(p), "cgroups: the name of a cgroup is empty: / is the root");
		if (conf->nr >= MAX_ENTRIES)
			return bad(p, line_of(p), "more than %d cgroups", MAX_ENTRIES);
		e = APPEND(conf->entry, conf->nr);
		e->file = xstrdup(p->name);
		e->line = line_of(p);
		e->cgroup = xstrdup(scalar(p));
		ret = parse_entry(p, e);
	}
	return ret;
}

static int parse_root(struct parser *p, struct conf *conf)
{
	enum missing missing = MISSING_FAIL;
	int ret, first = conf->nr, line;
	bool seen[6] = {};
	static const char * const keys[] = { "version", "cgroups", "missing", "timeout", "prune" };
	char *key, *end;
	double seconds;

	while (!(ret = next(p)) && p->event.type != YAML_MAPPING_END_EVENT) {
		int k;

		if (p->event.type != YAML_SCALAR_EVENT)
			return bad(p, line_of(p), "version, cgroups, missing, timeout or prune belongs here");
		key = xstrdup(scalar(p));
		line = line_of(p);
		for (k = 0; k < 5; k++)
			if (!strcmp(key, keys[k]))
				break;
		if (k == 5)
			ret = bad(p, line, "unknown key '%s': there are version, cgroups, missing, timeout, prune",
				  show(key));
		else if (seen[k])
			ret = bad(p, line, "'%s' is there twice", key);
		free(key);
		if (ret)
			return ret;
		seen[k] = true;
		switch (k) {
		case 0:
			ret = value(p, "version");
			if (!ret && strcmp(scalar(p), "1"))
				ret = bad(p, line, "version '%s' is not known, this is for version 1",
					  show(scalar(p)));
			break;
		case 1:
			ret = parse_cgroups(p, conf);
			break;
		case 2:
			ret = parse_missing(p, &missing);
			break;
		case 3:
			ret = value(p, "timeout");
			if (ret)
				break;
			seconds = strtod(scalar(p), &end);
			if (end == scalar(p) || *end || !(seconds >= 0 && seconds <= 3600))
				ret = bad(p, line, "timeout: '%s' is not a number of seconds from 0 to 3600",
					  show(scalar(p)));
			else if (seconds > conf->timeout)
				conf->timeout = seconds;
			break;
		case 4:
			ret = value(p, "prune");
			if (!ret && !strcmp(scalar(p), "true"))
				conf->prune = true;
			else if (!ret && strcmp(scalar(p), "false"))
				ret = bad(p, line, "prune: '%s' is not true or false",
					  show(scalar(p)));
			break;
		}
		if (ret)
			return ret;
	}
	if (ret)
		return ret;
	if (!seen[0])
		return bad(p, 1, "'version: 1' is missing");
	if (!seen[1])
		return bad(p, 1, "'cgroups:' is missing");
	for (int i = first; i < conf->nr; i++)
		if (!conf->entry[i].has_missing)
			conf->entry[i].missing = missing;
	return 0;
}

int conf_parse(const char *name, const char *text, size_t size, struct conf *conf)
{
	struct parser p = { .name = name };
	int ret;

	if (size > MAX_FILE)
		return err(ST_USAGE, "%s: %zu bytes, at most %d are taken: split it", show(name),
			   size, MAX_FILE);
	if (!yaml_parser_initialize(&p.yaml))
		return err(ST_FAILED, "out of memory");
	yaml_parser_set_encoding(&p.yaml, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&p.yaml, (const unsigned char *)text, size);
	ret = next(&p);
	if (!ret)
		ret = next(&p);
	if (!ret && p.event.type != YAML_DOCUMENT_START_EVENT)
		ret = bad(&p, 1, "the file is empty: see reclaimctl(8)");
	if (!ret)
		ret = next(&p);
	if (!ret && p.event.type != YAML_MAPPING_START_EVENT)
		ret = bad(&p, line_of(&p), "'version: 1' and 'cgroups:' belong here");
	if (!ret)
		ret = parse_root(&p, conf);
	if (!ret)
		ret = next(&p);
	if (!ret)
		ret = next(&p);
	if (!ret && p.event.type != YAML_STREAM_END_EVENT)
		ret = bad(&p, line_of(&p), "a second document: one per file");
	if (p.has_event)
		yaml_event_delete(&p.event);
	yaml_parser_delete(&p.yaml);
	return ret;
}

static int read_file(const char *path, struct conf *conf)
{
	bool std = !strcmp(path, "-");
	char *text = xalloc(MAX_FILE + 1);
	size_t len = 0;
	ssize_t n = 0;
	int ret, fd = std ? 0 : open(path, O_RDONLY | O_CLOEXEC);

	while (fd >= 0 && len <= MAX_FILE && (n = read(fd, text + len, MAX_FILE + 1 - len)) > 0)
		len += n;
	if (fd < 0 || n < 0)
		ret = interrupted ? err(ST_INTERRUPTED, "interrupted, nothing has changed") :
		      err(ST_USAGE, "cannot read %s: %s", show(path), strerror(errno));
	else
		ret = conf_parse(std ? "standard input" : path, text, len, conf);
	if (fd > 0)
		close(fd);
	free(text);
	return ret;
}

static int is_yaml(const struct dirent *d)
{
	size_t len = strlen(d->d_name);

	return d->d_name[0] != '.' && len > 5 && !strcmp(d->d_name + len - 5, ".yaml");
}

int conf_read(const char *path, struct conf *conf)
{
	struct dirent **names = NULL;
	struct stat st;
	int i, n, ret = 0;
	char *file;

	memset(conf, 0, sizeof(*conf));
	if (!strcmp(path, "-") || stat(path, &st) || !S_ISDIR(st.st_mode))
		return read_file(path, conf);
	n = scandir(path, &names, is_yaml, alphasort);
	if (n < 0)
		return err(ST_USAGE, "cannot read %s: %s", show(path), strerror(errno));
	for (i = 0; i < n; i++) {
		file = xprintf("%s/%s", path, names[i]->d_name);
		if (!ret)
			ret = read_file(file, conf);
		free(file);
		free(names[i]);
	}
	free(names);
	return ret;
}

void conf_free(struct conf *conf)
{
	for (int i = 0; i < conf->nr; i++) {
		struct conf_entry *e = &conf->entry[i];

		for (int j = 0; j < e->set.nr; j++)
			free((char *)e->set.str[j]);
		free(e->set.str);
		free(e->file);
		free(e->cgroup);
		free(e->policy);
		free(e->object);
	}
	free(conf->entry);
	memset(conf, 0, sizeof(*conf));
}
