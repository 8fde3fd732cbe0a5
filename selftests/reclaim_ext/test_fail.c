// SPDX-License-Identifier: GPL-2.0
/*
 * Policies that must not load: one in each file of fail/, which says in a comment
 * "expect: WORDS" what libbpf, the verifier or the kernel log must say about it.
 */
#include <fcntl.h>
#include <glob.h>

#include "policy.h"

#define SOURCES	"selftests/reclaim_ext/fail/*.bpf.c"

static glob_t sources;
static char messages[1 << 20];

static int collect(enum libbpf_print_level level, const char *fmt, va_list args)
{
	size_t len = strlen(messages);

	if (level == LIBBPF_DEBUG || len > sizeof(messages) - 4096)
		return 0;
	return vsnprintf(messages + len, sizeof(messages) - len, fmt, args);
}

/* The name of a source without its suffix; @size is that of the buffer. */
static void name_of(const char *path, char *name, size_t size)
{
	const char *slash = strrchr(path, '/');

	snprintf(name, size, "%s", slash ? slash + 1 : path);
	name[strcspn(name, ".")] = 0;
}

static void expected(const char *path, char *words, size_t size)
{
	static char text[65536];
	char *at, *end;

	CHECK(get(path, text, sizeof(text)) > 0, "cannot read %s", path);
	at = strstr(text, "/* expect: ");
	CHECK(at, "%s does not say what to expect", path);
	at += strlen("/* expect: ");
	end = strstr(at, " */");
	CHECK(end && end > at, "%s: the comment has no end", path);
	snprintf(words, size, "%.*s", (int)(end - at), at);
}

static void kernel_log(int log)
{
	char line[2048];
	ssize_t n;

	while ((n = read(log, line, sizeof(line) - 1)) > 0) {
		line[n] = 0;
		if (strstr(line, "reclaim_ext") && strlen(messages) + n < sizeof(messages))
			strcat(messages, line);
	}
}

static void fails(int arg)
{
	const char *path = sources.gl_pathv[arg];
	char name[64], object[400], words[256];
	struct bpf_map *map, *ops = NULL;
	struct bpf_object *obj;
	size_t len;
	int log, err;

	name_of(path, name, sizeof(name));
	expected(path, words, sizeof(words));
	log = SYS(open("/dev/kmsg", O_RDONLY | O_NONBLOCK));
	SYS(lseek(log, 0, SEEK_END));

	snprintf(object, sizeof(object), "%s/selftests/fail/%s.bpf.o",
		 getenv("RECLAIM_BUILD") ?: "build", name);
	libbpf_set_print(collect);
	obj = bpf_object__open(object);
	CHECK(obj, "cannot open %s: %s: %s", object, strerror(errno), messages);
	err = bpf_object__load(obj);
	if (!err) {
		bpf_object__for_each_map(map, obj)
			if (bpf_map__type(map) == BPF_MAP_TYPE_STRUCT_OPS)
				ops = map;
		CHECK(ops, "it has loaded, and has no policy");
		/* what the verifier doesn't look at the kernel checks now */
		err = bpf_map__upload_struct_ops(ops);
		CHECK(err, "it has loaded");
	}
	kernel_log(log);
	len = strlen(messages);
	CHECK(strstr(messages, words), "no '%s' with error %d in: %s", words, err,
	      messages + (len > 1500 ? len - 1500 : 0));
}

int main(int argc, char **argv)
{
	static struct test tests[100];
	static char names[ARRAY_SIZE(tests)][80];
	size_t n;

	if (glob(SOURCES, 0, NULL, &sources) || sources.gl_pathc < 10 ||
	    sources.gl_pathc > ARRAY_SIZE(tests)) {
		printf("Bail out! %zu files %s: run this at the top of the repository\n",
		       sources.gl_pathc, SOURCES);
		return 1;
	}
	for (n = 0; n < sources.gl_pathc; n++) {
		name_of(sources.gl_pathv[n], names[n], sizeof(names[n]));
		tests[n] = (struct test){ names[n], fails, n };
	}
	return test_main(argc, argv, tests, n, 0);
}
