// SPDX-License-Identifier: GPL-2.0
/* Malformed files for reclaimctl apply: each is an error, or a file, and nothing else (TAP). */
#include "../../loader/conf.c"
#include "../../loader/out.c"

struct options opt = { .quiet = true };
volatile int interrupted;

bool is_file_arg(const char *arg)
{
	return strchr(arg, '/');
}

#define HEAD	"version: 1\ncgroups:\n"
#define GOOD	HEAD "  db.service:\n    policy: refault_distance\n    set:\n" \
		"      distance_pct: 80\n      charge_stale: off\n" \
		"  /batch: {policy: stock, missing: skip}\n  \"o\\xE9\": {object: /a.bpf.o}\n" \
		"  old: {policy: none}\nmissing: wait\ntimeout: 2.5\nprune: true\n"

static const char * const good[] = {
	GOOD, HEAD "  a: {policy: p}\n", "---\nversion: 1\ncgroups: {}\n...\n",
	"{version: 1, cgroups: {a: {policy: b}}}", "# text\n" HEAD " a:\n  policy: 'b'\n",
	"cgroups: {a: {policy: b}}\nversion: '1'\n", HEAD "  a: {policy: b, set: {}}\n",
};

static const char * const malformed[] = {
	"", " ", "\n\n", "#", "---", "x", "1", "[]", "{}", "- a", "version: 1", "cgroups: {}",
	"version: 2\ncgroups: {}\n", "version:\ncgroups: {}\n", "version: [1]\ncgroups: {}\n",
	"version: 1\nversion: 1\ncgroups: {}\n", "version: 1\ncgroups: {}\ncgroups: {}\n",
	"version: 1\ncgroups:\n", "version: 1\ncgroups: a\n", "version: 1\ncgroups: []\n",
	"version: 1\ncgroups: ~\n", "version: 1\nCgroups: {}\n", "version: 1\ncgroups: {}\nx: y\n",
	HEAD "  a:\n", HEAD "  a: b\n", HEAD "  a: []\n", HEAD "  a: {}\n", HEAD "  : {policy: b}\n",
	HEAD "  '': {policy: b}\n", HEAD "  a: {policy: }\n", HEAD "  a: {policy: ''}\n",
	HEAD "  a: {policy: [b]}\n", HEAD "  a: {policy: {b: c}}\n", HEAD "  a: {policy: ./b.o}\n",
	HEAD "  a: {policy: b, policy: c}\n", HEAD "  a: {object: b.bpf.o}\n",
	HEAD "  a: {policy: none, object: /b}\n", HEAD "  a: {policy: none, set: {b: 1}}\n",
	HEAD "  a: {policy: b, set: c}\n", HEAD "  a: {policy: b, set: [c]}\n",
	HEAD "  a: {policy: b, set: {c: {d: e}}}\n", HEAD "  a: {policy: b, set: {c: 1, c: 2}}\n",
	HEAD "  a: {policy: b, set: {c=d: 1}}\n", HEAD "  a: {policy: b, set: {[c]: 1}}\n",
	HEAD "  a: {policy: b, set: {}, set: {}}\n", HEAD "  a: {policy: b, missing: no}\n",
	HEAD "  a: {policy: b, missing: skip, missing: skip}\n",
	HEAD "  a: {policy: b, unknown: c}\n", HEAD "  [a]: {policy: b}\n", HEAD "  {a: b}: {policy: b}\n",
	HEAD "  a: &x {policy: b}\n  c: *x\n", HEAD "  a: {policy: &x b}\n", HEAD "  a: !t {policy: b}\n",
	HEAD "  a: {policy: !!str b}\n", HEAD "  a: {<<: *x}\n", HEAD "  a: {policy: \"b\\0c\"}\n",
	"version: 1\ncgroups: {}\nmissing: maybe\n", "version: 1\ncgroups: {}\nmissing: {}\n",
	"version: 1\ncgroups: {}\ntimeout: -1\n", "version: 1\ncgroups: {}\ntimeout: nan\n",
	"version: 1\ncgroups: {}\ntimeout: inf\n", "version: 1\ncgroups: {}\ntimeout: 1x\n",
	"version: 1\ncgroups: {}\ntimeout: \n", "version: 1\ncgroups: {}\nprune: yes\n",
	"version: 1\ncgroups: {}\nprune: [true]\n", "version: 1\ncgroups: {}\n---\nversion: 1\n",
	HEAD "\ta: {policy: b}\n", HEAD "  a: {policy: b\n", HEAD "  a: {policy: 'b}\n",
	HEAD "  a: {policy: \"b}\n", HEAD "  a: {policy: \"\\q\"}\n", HEAD "  a: {policy: b}}\n",
	HEAD "  a: {policy: @b}\n", HEAD "  a: {policy: `b}\n", HEAD "  a: {policy: %b}\n",
	HEAD "  a: {policy: b}\n c: d\n", "%YAML 9.9\n---\nversion: 1\ncgroups: {}\n",
	"%TAG ! !\n%TAG ! !\n---\nversion: 1\n", "\xff\xfe", "\xfe\xff\0", "\xef\xbb\xbf",
	HEAD "  a\x80: {policy: b}\n", HEAD "  a: {policy: b\xc3}\n", HEAD "  a: {policy: \xed\xa0\x80}\n",
	HEAD "  a: {policy: \xc0\x80}\n", HEAD "  a: {policy: \xf5\x80\x80\x80}\n",
	HEAD "  a: {policy: b\x01}\n", HEAD "  a: {policy: b\x7f}\n", HEAD "  ? a\n",
	HEAD "  ? a\n  : b\n", HEAD "  a: |\n    policy: b\n", HEAD "  a: >\n    policy: b\n",
	"\x7f""ELF\x02\x01\x01", "{\"version\": 1}", "<xml/>", "[section]\nkey = value\n",
	"version = 1\n", "version: 1\r\rcgroups:\r\r\ta", "? version\n: 1\n? [cgroups]\n: {}\n",
	"version: 1\ncgroups: {a: {policy: b}, a}\n", "version: 1 cgroups: {}\n",
	"version: 1\ncgroups: {a: {policy: b}}\nversion: *v\n", "- version: 1\n- cgroups: {}\n",
};

static unsigned int seed = 1;

static unsigned int rnd(unsigned int n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

static int number, failures;

static int parse(const char *text, size_t size)
{
	struct conf conf = {};
	/* exactly as long, so that a read past the end is seen */
	char *exact = malloc(size);
	int ret;

	memcpy(exact, text, size);
	ret = conf_parse("file", exact, size, &conf);
	conf_free(&conf);
	free(exact);
	return ret;
}

static void check(bool ok, const char *what, const char *detail)
{
	number++;
	if (!ok) {
		failures++;
		printf("# %s\n", show(detail));
	}
	printf("%sok %d - %s\n", ok ? "" : "not ", number, what);
}

static void many(void)
{
	static const char odd[] = "{}[]:,-?&*!|>'\"%@`#\n\t \0\xff\xc3~=<";
	int n, bad = 0, errors = 0;
	size_t size = strlen(GOOD), at;
	char *text;

	for (n = 0; n < 20000; n++) {
		char copy[sizeof(GOOD) + 64];

		memcpy(copy, GOOD, size + 1);
		at = size;
		for (unsigned int k = rnd(4) + 1; k; k--) {
			unsigned int i = rnd(at), len;

			switch (rnd(4)) {
			case 0:
				copy[i] = odd[rnd(sizeof(odd) - 1)];
				break;
			case 1:
				copy[i] = rnd(256);
				break;
			case 2: /* cut out */
				len = rnd(at - i < 20 ? at - i : 20);
				memmove(copy + i, copy + i + len, at - i - len);
				at -= len;
				break;
			case 3: /* double */
				len = rnd(16);
				if (i + len > at || at + len > sizeof(copy))
					break;
				memmove(copy + i + len, copy + i, at - i);
				at += len;
				break;
			}
		}
		switch (parse(copy, at)) {
		case 0: break;
		case ST_USAGE: errors++; break;
		default: bad++;
		}
	}
	printf("# %d of %d are errors\n", errors, n);
	check(!bad && errors > n / 2, "20000 mutations are errors or files", "other status");

	for (at = 0, bad = 0; at < size; at++)
		if (parse(GOOD, at) != ST_USAGE)
			bad++;
	/* the last lines are optional, so some of the truncations are files */
	printf("# %d of %zu truncations are files\n", bad, size);
	check(bad < 60, "truncations are errors", "too many files");

	for (n = bad = 0; n < 2000; n++) {
		char noise[300];

		for (at = 0; at < sizeof(noise); at++)
			noise[at] = rnd(256);
		bad += parse(noise, rnd(sizeof(noise))) != ST_USAGE;
	}
	check(!bad, "noise is an error", "no error");

	text = malloc(8 << 20);
	memset(text, '{', 4 << 20);
	check(parse(text, 4 << 20) == ST_USAGE, "deep: 4 million {", "no error");
	memset(text, '[', 4 << 20);
	check(parse(text, 4 << 20) == ST_USAGE, "deep: 4 million [", "no error");
	for (at = n = 0; n < 1000; n++) {
		memset(text + at, ' ', n);
		at += n;
		at += sprintf(text + at, "a:\n");
	}
	check(parse(text, at) == ST_USAGE, "deep: 1000 levels of indentation", "no error");
	at = sprintf(text, HEAD);
	for (n = 0; at < (3 << 20); n++)
		at += sprintf(text + at, " c%d: {policy: b}\n", n);
	check(parse(text, at) == ST_USAGE, "huge: more cgroups than are taken", "no error");
	at = sprintf(text, HEAD);
	for (n = 0; n < 10000; n++)
		at += sprintf(text + at, " c%d: {policy: b}\n", n);
	check(!parse(text, at), "large: 10000 cgroups", "an error");
	memset(text, 'a', 8 << 20);
	check(parse(text, 8 << 20) == ST_USAGE, "huge: 8 MB", "no error");
	memcpy(text, HEAD " ", strlen(HEAD) + 1);
	check(parse(text, 4 << 20) == ST_USAGE, "huge: a name of 4 MB", "no error");
	at = sprintf(text, HEAD " a: {policy: b, set: {");
	for (n = 0; n < 1000; n++)
		at += sprintf(text + at, "t%d: 1, ", n);
	at += sprintf(text + at, "}}\n");
	check(parse(text, at) == ST_USAGE, "more tunables than are taken", "no error");
	memset(text, 0, 4096);
	check(parse(text, 4096) == ST_USAGE, "4096 NUL bytes", "no error");
	free(text);
}

int main(void)
{
	size_t i;
	char *name;

	/* what is wrong is not of interest here, that something is said is tested in the VM */
	if (!freopen("/dev/null", "w", stderr))
		return 1;
	printf("TAP version 13\n");
	for (i = 0; i < sizeof(good) / sizeof(*good); i++) {
		name = xprintf("good file %zu", i + 1);
		check(!parse(good[i], strlen(good[i])), name, good[i]);
		free(name);
	}
	for (i = 0; i < sizeof(malformed) / sizeof(*malformed); i++) {
		name = xprintf("malformed file %zu", i + 1);
		check(parse(malformed[i], strlen(malformed[i])) == ST_USAGE, name, malformed[i]);
		free(name);
	}
	many();
	printf("1..%d\n", number);
	return failures > 0;
}
