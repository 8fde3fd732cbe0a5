// SPDX-License-Identifier: GPL-2.0
/*
 * The parts of the documentation that are in the table of commands or in the
 * policies: for the man pages in the format of scdoc, which turns text that can
 * be read as it is into roff, and the completion for bash.
 */
#include <stdlib.h>
#include <string.h>

#include "reclaimctl.h"

/* scdoc takes _, *, \ and a # at the beginning for its own. */
static void text(const char *s)
{
	for (; *s; s++) {
		if (strchr("_*\\#[]<>~", *s))
			putchar('\\');
		putchar(*s);
	}
}

static void option(char key)
{
	const struct option_desc *o = option_by_key(key);

	putchar('*');
	if (strchr("hjqvcnsioV", key))
		printf("-%c*, *", key);
	printf("--%s*", o->name);
	if (o->arg)
		printf(" _%s_", o->arg);
	printf("\n\t");
	text(o->help);
	puts(".\n");
}

static void man_commands(void)
{
	const struct command *c;

	for (c = commands; c->name; c++) {
		printf("## ");
		printf("%s", c->name);
		if (*c->args) {
			/* headings are taken as they are */
			printf(" %s", c->args);
		}
		puts("\n");
		text(c->text);
		puts("\n");
		for (const char *o = c->opts; *o; o++)
			option(*o);
	}
}

static void man_options(void)
{
	for (const char *o = common_opts; *o; o++)
		option(*o);
	option('V');
}

static int man_policy(struct policy *p, void *arg __attribute__((unused)))
{
	const struct meta *m = &p->meta;
	const char *const pairs[][2] = {
		{ "Version", p->version }, { "Kernel", p->kernel }, { "Source", p->source },
		{ "Use it for", p->use },
	};

	if (strcmp(p->origin, "embedded"))
		return 0;
	puts("");
	printf("# ");
	for (const char *s = p->name; *s; s++)
		putchar(*s >= 'a' && *s <= 'z' ? *s - 32 : *s);
	puts("\n");
	printf("*");
	text(p->name);
	printf("*: ");
	text(p->idea ?: "no description");
	puts(".\n");
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		if (!pairs[i][1])
			continue;
		printf("%s: ", pairs[i][0]);
		text(pairs[i][1]);
		puts(".++");
	}
	printf("Operations:");
	for (int i = 0; i < p->nr_hooks; i++) {
		putchar(' ');
		text(p->hook[i]);
	}
	if (p->cookie_format)
		printf("; cookie format %u", p->cookie_format);
	puts(".\n");
	puts("## Tunables\n");
	if (!m->nr_tunables)
		puts("None.\n");
	for (int i = 0; i < m->nr_tunables; i++) {
		const struct tunable *t = &m->tunable[i];

		printf("*");
		text(t->name);
		printf("*\n\t");
		printf("%s, %s", t->type, tunable_range(t));
		if (t->unit) {
			putchar(' ');
			text(t->unit);
		}
		printf(", default %s", t->has_def ? tunable_text(t, t->def) : "?");
		if (t->doc) {
			printf(": ");
			text(t->doc);
		}
		puts(".\n");
	}
	puts("## Counters\n");
	if (!m->nr_counters)
		puts("None.\n");
	for (int i = 0; i < m->nr_counters; i++) {
		printf("*");
		text(m->counter[i].name);
		printf("*\n\t");
		text(m->counter[i].doc ?: "see the source");
		puts(".\n");
	}
	return 0;
}

static void completion(void)
{
	const struct command *c;
	const char *o;

	puts("# bash completion for reclaimctl\n\n"
	     "_reclaimctl() {\n"
	     "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	     "\tlocal cmd=${COMP_WORDS[1]} root=/sys/fs/cgroup cgroup='' i\n"
	     "\tCOMPREPLY=()\n"
	     "\tif [ \"$COMP_CWORD\" = 1 ]; then");
	printf("\t\tmapfile -t COMPREPLY < <(compgen -W '");
	for (c = commands; c->name; c++)
		printf("%s ", c->name);
	puts("--help --version' -- \"$cur\")\n\t\treturn\n\tfi\n"
	     "\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
	     "\t\tcase ${COMP_WORDS[i]} in\n"
	     "\t\t-c | --cgroup) cgroup=${COMP_WORDS[i+1]} ;;\n"
	     "\t\tesac\n"
	     "\tdone\n"
	     "\tcase $prev in\n"
	     "\t-c | --cgroup)\n"
	     "\t\tif [ \"${cur:0:1}\" = / ]; then\n"
	     "\t\t\tmapfile -t COMPREPLY < <(compgen -d -- \"$cur\")\n"
	     "\t\telse\n"
	     "\t\t\tmapfile -t COMPREPLY < <(cd \"$root\" && compgen -d -- \"$cur\")\n"
	     "\t\tfi\n"
	     "\t\tcompopt -o filenames 2>/dev/null\n"
	     "\t\treturn\n"
	     "\t\t;;\n"
	     "\t-o | --output | --from)\n"
	     "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
	     "\t\tcompopt -o filenames 2>/dev/null\n"
	     "\t\treturn\n"
	     "\t\t;;\n"
	     "\t-s | --set)\n"
	     "\t\tmapfile -t COMPREPLY < <(compgen -S = -W \"$(reclaimctl inspect \"${COMP_WORDS[2]}\" 2>/dev/null |\n"
	     "\t\t\tsed -n '/^tunables/,/^counters/s/^  \\([a-z0-9_][a-z0-9_]*\\) .*, default .*/\\1/p')\" -- \"$cur\")\n"
	     "\t\tcompopt -o nospace 2>/dev/null\n"
	     "\t\treturn\n"
	     "\t\t;;\n"
	     "\t-i | --interval | -n | --count) return ;;\n"
	     "\tesac\n"
	     "\tcase $cmd in");
	for (c = commands; c->name; c++) {
		printf("\t%s)\n\t\tcase $cur in\n\t\t-*) mapfile -t COMPREPLY < <(compgen -W '",
		       c->name);
		for (o = c->opts; *o; o++)
			printf("--%s ", option_by_key(*o)->name);
		for (o = common_opts; *o; o++)
			printf("--%s%s", option_by_key(*o)->name, o[1] ? " " : "");
		puts("' -- \"$cur\") ;;");
		if (!strcmp(c->complete, "policy"))
			puts("\t\t*/*)\n"
			     "\t\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
			     "\t\t\tcompopt -o filenames 2>/dev/null\n"
			     "\t\t\t;;\n"
			     "\t\t*) mapfile -t COMPREPLY < <(compgen -W \"$(reclaimctl list --quiet 2>/dev/null | cut -d ' ' -f 1)\" -- \"$cur\") ;;");
		else if (!strcmp(c->complete, "tunable"))
			printf("\t\t*)\n"
			       "\t\t\t[ -n \"$cgroup\" ] || return\n"
			       "\t\t\tmapfile -t COMPREPLY < <(compgen %s-W \"$(reclaimctl get --cgroup \"$cgroup\" 2>/dev/null | cut -d = -f 1)\" -- \"$cur\")\n"
			       "%s\t\t\t;;\n", c->max == -1 && c->min ? "-S = " : "",
			       c->min ? "\t\t\tcompopt -o nospace 2>/dev/null\n" : "");
		else if (!strcmp(c->complete, "file"))
			puts("\t\t*)\n"
			     "\t\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
			     "\t\t\tcompopt -o filenames 2>/dev/null\n"
			     "\t\t\t;;");
		puts("\t\tesac\n\t\t;;");
	}
	puts("\tesac\n}\ncomplete -F _reclaimctl reclaimctl");
}

/* The table as the tests read it: a line per command, its options after it. */
static void table(void)
{
	for (const struct command *c = commands; c->name; c++) {
		printf("%s", c->name);
		for (const char *o = c->opts; *o; o++)
			printf(" --%s", option_by_key(*o)->name);
		for (const char *o = common_opts; *o; o++)
			printf(" --%s", option_by_key(*o)->name);
		putchar('\n');
	}
}

/* A template, in which a line `@commands@` and so on stands for what is made here. */
static int fill(const char *path)
{
	FILE *f = fopen(path, "re");
	char line[4096];

	if (!f)
		return err(ST_FAILED, "cannot open %s", path);
	while (fgets(line, sizeof(line), f)) {
		if (!strcmp(line, "@commands@\n"))
			man_commands();
		else if (!strcmp(line, "@options@\n"))
			man_options();
		else if (!strcmp(line, "@policies@\n"))
			policies_each(man_policy, NULL);
		else
			fputs(line, stdout);
	}
	fclose(f);
	return 0;
}

int cmd_generate(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[0], "fill"))
		return fill(argv[1]);
	if (argc == 1 && !strcmp(argv[0], "completion"))
		completion();
	else if (argc == 1 && !strcmp(argv[0], "table"))
		table();
	else
		return err(ST_USAGE, "--generate completion, table, or fill TEMPLATE");
	return 0;
}
