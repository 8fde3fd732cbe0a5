// SPDX-License-Identifier: GPL-2.0
/* The table of commands, options, and help. */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "reclaimctl.h"

#ifndef VERSION
#define VERSION	"0.1"
#endif

struct options opt;
volatile int interrupted;

const struct option_desc option_descs[] = {
	{ 'a', "all", NULL, "set it for all cgroups that share the loaded policy" },
	{ 'c', "cgroup", "CGROUP", "path of a cgroup, absolute or from the root of the hierarchy, or a systemd unit" },
	{ 'd', "dry-run", NULL, "show what would change, and change nothing" },
	{ 'f', "from", "FILE", "the object of the attached policy, if it is neither built in nor installed" },
	{ 'h', "help", NULL, "help on the command" },
	{ 'i', "interval", "SECONDS", "time between two looks, 0.1 to 3600 (default 2)" },
	{ 'j', "json", NULL, "answer in JSON" },
	{ 'n', "count", "N", "end after so many" },
	{ 'o', "output", "FILE", "write to FILE, which is replaced in one step" },
	{ 'O', "only", NULL, "set it for this cgroup alone: loads the policy a second time" },
	{ 'q', "quiet", NULL, "only what was asked for, and errors" },
	{ 'r', "replace", NULL, "replace the policy that is attached there, if there is one" },
	{ 'R', "reset", NULL, "don't keep the tunables of the policy that is replaced" },
	{ 's', "set", "NAME=VALUE", "value of a tunable; can be given several times" },
	{ 't', "tree", NULL, "all cgroups below, indented, also those without a policy" },
	{ 'v', "verbose", NULL, "what libbpf and the verifier say" },
	{ 'V', "version", NULL, "print the version" },
	{}
};
const char common_opts[] = "hjqv";

const struct command commands[] = {
	{ "doctor", "", "say what this machine has and lacks",
	  "Looks at each thing that policies need, of the kernel, of its settings and of your rights, and says what to do about those that are missing. The exit status is 3 if policies can't be attached here.",
	  "", "", 0, 0, cmd_doctor },
	{ "list", "", "list the policies",
	  "Those that are built in, and those that are installed beside.",
	  "", "", 0, 0, cmd_list },
	{ "inspect", "POLICY", "show what a policy says about itself",
	  "POLICY is a name of the list or the path of an object, anybody's: all of it comes from the object's own type information.",
	  "", "policy", 1, 1, cmd_inspect },
	{ "attach", "POLICY", "attach a policy to a cgroup",
	  "The policy decides for the cgroup and for those below that have none of their own. It stays when reclaimctl ends, by a pin. Cgroups whose policies have equal settings share one that is loaded. With --replace the new policy gets the settings given here and its defaults, nothing of the old one.",
	  "csr", "policy", 1, 1, cmd_attach },
	{ "replace", "POLICY", "swap the policy of a cgroup while it is in use",
	  "The whole subtree switches at once. Tunables that both policies have under the same name keep their values, unless --reset or --set says otherwise. History is kept where both have the same cookie format. If anything fails the old policy stays.",
	  "csR", "policy", 1, 1, cmd_replace },
	{ "detach", "", "detach the policy of a cgroup",
	  "The policy of the nearest cgroup above decides again, or the kernel's own rules. Also removes a pin whose policy or cgroup is gone.",
	  "c", "", 0, 0, cmd_detach },
	{ "set", "NAME=VALUE...", "change tunables of an attached policy",
	  "All values are checked before the first one is written. If other cgroups share the loaded policy, nothing is changed until --all or --only says what is meant; --only starts the policy's own counters at 0.",
	  "caOf", "tunable", 1, -1, cmd_set },
	{ "get", "[NAME...]", "show tunables of the policy that decides for a cgroup",
	  "It may be attached to a cgroup above.",
	  "c", "tunable", 0, -1, cmd_get },
	{ "status", "", "show which policy decides where",
	  "For each cgroup the policy in force, where it is attached, since when, what it decided, its own counters, and why the last one left. Without --tree only cgroups where a policy is attached or has left are shown.",
	  "ct", "", 0, 0, cmd_status },
	{ "top", "", "watch decisions and counters",
	  "On a terminal a table, sorted by refaults: q quits, p pauses, space looks now. Else a line per attachment and look, or a line of JSON. Rates are per second. It looks at as many attachments in a round as 3 % of a processor allow, those on the screen first; the column age says how old a row is.",
	  "cin", "", 0, 0, cmd_top },
	{ "events", "", "follow attaching, replacing and the end of policies",
	  "A line, or a line of JSON, for each, until a signal or --count ends it.",
	  "n", "", 0, 0, cmd_events },
	{ "apply", "FILE", "make attachments as a file describes them",
	  "FILE is YAML, a folder of *.yaml files that are taken together, or - for standard input. Nothing is done until all of it has been understood, all policies have been loaded, and all cgroups found; if a step fails after that, those before are undone. What is as described already is left alone.",
	  "d", "file", 1, 1, cmd_apply },
	{ "export", "", "write counters in the OpenMetrics format",
	  "For Prometheus: to standard output, or with --output into the folder of node_exporter's textfile collector.",
	  "co", "", 0, 0, cmd_export },
	{}
};

const struct option_desc *option_by_key(char key)
{
	const struct option_desc *o;

	for (o = option_descs; o->name; o++)
		if (o->key == key)
			return o;
	return NULL;
}

static bool has_short(char key)
{
	return strchr("hjqvcnsioV", key);
}

static void print_option(char key)
{
	const struct option_desc *o = option_by_key(key);
	char *left;

	if (has_short(key))
		left = xprintf("-%c, --%s%s%s", key, o->name, o->arg ? " " : "", o->arg ?: "");
	else
		left = xprintf("    --%s%s%s", o->name, o->arg ? " " : "", o->arg ?: "");
	printf("  %-26s %s\n", left, o->help);
	free(left);
}

static void wrapped(const char *text)
{
	int column = 0;

	while (*text) {
		int len = strcspn(text, " ");

		if (column && column + 1 + len > 78) {
			putchar('\n');
			column = 0;
		}
		column += printf("%s%.*s", column ? " " : "", len, text);
		text += len;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void help_command(const struct command *c)
{
	printf("usage: reclaimctl %s [OPTIONS]%s%s\n\n", c->name, *c->args ? " " : "", c->args);
	wrapped(c->text);
	puts("\nOptions:");
	for (const char *o = c->opts; *o; o++)
		print_option(*o);
	for (const char *o = common_opts; *o; o++)
		print_option(*o);
}

static void help(void)
{
	const struct command *c;

	puts("usage: reclaimctl COMMAND [OPTIONS] [ARGUMENTS]\n\n"
	     "Page reclaim policies in BPF, attached to memory cgroups.\n\nCommands:");
	for (c = commands; c->name; c++)
		printf("  %-10s %s\n", c->name, c->summary);
	puts("\nOptions of all commands:");
	for (const char *o = common_opts; *o; o++)
		print_option(*o);
	print_option('V');
	puts("\nExit status: 0 done, 1 not done and nothing has changed, 2 wrong arguments or a\n"
	     "wrong file, 3 this machine can't (reclaimctl doctor), 4 interrupted and nothing\n"
	     "has changed.\n\nreclaimctl COMMAND --help says more; reclaimctl(8), reclaim-policies(7).");
}

static int number(const char *name, const char *text, double min, double max, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (end == text || *end || !(*value >= min && *value <= max))
		return err(ST_USAGE, "--%s '%s' is not a number from %g to %g", name, show(text),
			   min, max);
	return 0;
}

static int take_option(const struct option_desc *o, const char *value)
{
	double n;
	int ret;

	switch (o->key) {
	case 'a': opt.all = true; break;
	case 'c': opt.cgroup = value; break;
	case 'd': opt.dry_run = true; break;
	case 'f': opt.from = value; break;
	case 'h': opt.help = true; break;
	case 'i': return number(o->name, value, 0.1, 3600, &opt.interval);
	case 'j': opt.json = true; break;
	case 'n':
		ret = number(o->name, value, 1, 1e9, &n);
		opt.count = n;
		return ret;
	case 'o': opt.output = value; break;
	case 'O': opt.only = true; break;
	case 'q': opt.quiet = true; break;
	case 'r': opt.replace = true; break;
	case 'R': opt.reset = true; break;
	case 's': *APPEND(opt.set.str, opt.set.nr) = value; break;
	case 't': opt.tree = true; break;
	case 'v': opt.verbose = true; break;
	}
	return 0;
}

/*
 * Options may stand anywhere. Those of the command only: getopt knows one list
 * and would take --tree for attach.
 */
static int parse(const struct command *c, int argc, char **argv, int *nr_args)
{
	const struct option_desc *o;
	char *arg, *value;
	int i, ret, n = 0;
	size_t len;

	for (i = 0; i < argc; i++) {
		arg = argv[i];
		if (!strcmp(arg, "--")) {
			while (++i < argc)
				argv[n++] = argv[i];
			break;
		}
		if (arg[0] != '-' || !arg[1]) {
			argv[n++] = arg;
			continue;
		}
		value = NULL;
		if (arg[1] == '-') {
			len = strcspn(arg + 2, "=");
			if (arg[2 + len])
				value = arg + 3 + len;
			for (o = option_descs; o->name; o++)
				if (strlen(o->name) == len && !strncmp(o->name, arg + 2, len))
					break;
		} else {
			o = option_by_key(arg[1]);
			if (o && (!has_short(o->key) || (arg[2] && !o->arg)))
				o = NULL;
			if (o && o->name && arg[2])
				value = arg + 2;
		}
		if (!o || !o->name || !(strchr(c->opts, o->key) || strchr(common_opts, o->key)))
			return err(ST_USAGE, "%s has no option '%s': see reclaimctl %s --help",
				   c->name, show(arg), c->name);
		if (!o->arg && value)
			return err(ST_USAGE, "option --%s takes no value: '%s'", o->name, show(arg));
		if (o->arg && !value) {
			if (++i == argc)
				return err(ST_USAGE, "option --%s needs a value: %s", o->name,
					   o->arg);
			value = argv[i];
		}
		ret = take_option(o, value);
		if (ret)
			return ret;
	}
	*nr_args = n;
	return 0;
}

static int libbpf_says(enum libbpf_print_level level, const char *fmt, va_list args)
{
	if (!opt.verbose || level > LIBBPF_INFO)
		return 0;
	return vfprintf(stderr, fmt, args);
}

static void on_signal(int sig)
{
	interrupted = sig;
}

int main(int argc, char **argv)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = on_signal };
	const struct command *c;
	struct rlimit files;
	int ret, n = 0;

	setlocale(LC_CTYPE, "");
	libbpf_set_print(libbpf_says);
	opt.interval = 2;
	if (argc < 2) {
		help();
		return ST_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		for (c = commands; argc > 2 && c->name; c++)
			if (!strcmp(c->name, argv[2]))
				break;
		if (argc > 2 && c->name)
			help_command(c);
		else
			help();
		return ST_OK;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("reclaimctl " VERSION);
		return ST_OK;
	}
	/* for the build, not for people: man pages and completion */
	if (!strcmp(argv[1], "--generate"))
		return cmd_generate(argc - 2, argv + 2);
	for (c = commands; c->name; c++)
		if (!strcmp(c->name, argv[1]))
			break;
	if (!c->name)
		return err(ST_USAGE, "no command '%s': see reclaimctl --help", show(argv[1]));
	ret = parse(c, argc - 2, argv + 2, &n);
	if (ret)
		return ret;
	if (opt.help) {
		help_command(c);
		return ST_OK;
	}
	if (n < c->min || (c->max >= 0 && n > c->max))
		return err(ST_USAGE, "%s takes %s%s: see reclaimctl %s --help", c->name,
			   *c->args ? c->args : "no arguments",
			   n > c->min ? ", and no more" : "", c->name);

	/* A second signal is as the first: what is under way ends, or is undone. */
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		sigaction(ends[i], &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
	/* apply holds a link for each cgroup until all are there */
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	ret = c->run(n, argv + 2);
	if (fflush(stdout) && !ret)
		ret = err(ST_FAILED, "cannot write the answer: %s", strerror(errno));
	return ret;
}
