// SPDX-License-Identifier: GPL-2.0
/* Messages, JSON, and memory that is there or ends the program. */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "reclaimctl.h"

void *xalloc(size_t size)
{
	void *p = calloc(1, size ?: 1);

	if (!p) {
		fputs("reclaimctl: out of memory\n", stderr);
		exit(ST_FAILED);
	}
	return p;
}

char *xstrdup(const char *s)
{
	size_t len = strlen(s) + 1;

	return memcpy(xalloc(len), s, len);
}

char *xprintf(const char *fmt, ...)
{
	va_list args;
	char *s;
	int n;

	va_start(args, fmt);
	n = vasprintf(&s, fmt, args);
	va_end(args);
	if (n < 0) {
		fputs("reclaimctl: out of memory\n", stderr);
		exit(ST_FAILED);
	}
	return s;
}

void grow(void *array, int nr, size_t size)
{
	void **a = array;

	/* at 0 and at the powers of two the array is full */
	if (!(nr & (nr - 1))) {
		void *p = xalloc((nr ? 2 * (size_t)nr : 1) * size);

		if (nr)
			memcpy(p, *a, nr * size);
		free(*a);
		*a = p;
	} else {
		memset((char *)*a + nr * size, 0, size);
	}
}

/* Bytes of the UTF-8 character at @s, 0: it isn't one. */
static int utf8_len(const unsigned char *s)
{
	int n, i;

	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		n = 2;
	else if (s[0] >= 0xe0 && s[0] <= 0xef)
		n = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		n = 4;
	else
		return 0;
	for (i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* overlong, surrogates, beyond Unicode */
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

const char *show(const char *s)
{
	static char *ring[16];
	static unsigned int next;
	char **slot = &ring[next++ % 16], *to;
	int n;

	free(*slot);
	*slot = to = xalloc(4 * strlen(s) + 1);
	while (*s) {
		unsigned char c = *s;

		n = utf8_len((const unsigned char *)s);
		/* 0xc2 0x80 to 0x9f are control characters, too */
		if (!n || c < ' ' || c == 0x7f ||
		    (n == 2 && c == 0xc2 && (unsigned char)s[1] < 0xa0)) {
			to += sprintf(to, "\\x%02x", c);
			s++;
			continue;
		}
		memcpy(to, s, n);
		to += n;
		s += n;
	}
	return *slot;
}

/* JSON is UTF-8: other bytes become U+FFFD. Names of cgroups can have them; their pin is exact. */
json_object *js(const char *s)
{
	char *copy = xalloc(3 * strlen(s) + 1), *to = copy;
	json_object *o;
	int n;

	while (*s) {
		n = utf8_len((const unsigned char *)s);
		if (n) {
			memcpy(to, s, n);
			to += n;
			s += n;
		} else {
			memcpy(to, "\xef\xbf\xbd", 3);
			to += 3;
			s++;
		}
	}
	o = json_object_new_string(copy);
	free(copy);
	return o;
}

void add_str(json_object *o, const char *key, const char *s)
{
	json_object_object_add(o, key, s ? js(s) : NULL);
}

void add_u64(json_object *o, const char *key, uint64_t v)
{
	json_object_object_add(o, key, json_object_new_uint64(v));
}

void add_bool(json_object *o, const char *key, bool v)
{
	json_object_object_add(o, key, json_object_new_boolean(v));
}

json_object *answer(void)
{
	json_object *o = json_object_new_object();

	add_u64(o, "schema", SCHEMA);
	return o;
}

void print_json(json_object *o, bool pretty)
{
	int flags = JSON_C_TO_STRING_NOSLASHESCAPE;

	if (pretty)
		flags |= JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED;
	puts(json_object_to_json_string_ext(o, flags));
	json_object_put(o);
}

static char *context;

void err_context(char *text)
{
	free(context);
	context = text;
}

int err(int status, const char *fmt, ...)
{
	va_list args;
	char *msg, *longer;
	int n;

	va_start(args, fmt);
	n = vasprintf(&msg, fmt, args);
	va_end(args);
	if (n < 0)
		return status;
	if (context) {
		longer = xprintf("%s: %s", context, msg);
		free(msg);
		msg = longer;
	}
	fflush(stdout);
	fprintf(stderr, "reclaimctl: %s\n", msg);
	if (opt.json) {
		json_object *o = answer();

		add_str(o, "error", msg);
		add_u64(o, "status", status);
		print_json(o, false);
	}
	free(msg);
	return status;
}

void note(const char *fmt, ...)
{
	va_list args;

	if (opt.quiet)
		return;
	fflush(stdout);
	fputs("reclaimctl: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

const char *age_text(uint64_t ms)
{
	static char text[32];
	uint64_t s = ms / 1000;

	if (s < 60)
		snprintf(text, sizeof(text), "%llus", (unsigned long long)s);
	else if (s < 3600)
		snprintf(text, sizeof(text), "%llum%02llus", (unsigned long long)s / 60,
			 (unsigned long long)s % 60);
	else if (s < 86400)
		snprintf(text, sizeof(text), "%lluh%02llum", (unsigned long long)s / 3600,
			 (unsigned long long)s / 60 % 60);
	else
		snprintf(text, sizeof(text), "%llud%02lluh", (unsigned long long)s / 86400,
			 (unsigned long long)s / 3600 % 24);
	return text;
}
