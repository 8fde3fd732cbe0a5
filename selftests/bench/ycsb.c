// SPDX-License-Identifier: GPL-2.0
/*
 * YCSB's workloads a, b and c on WiredTiger, by number of operations.
 *
 * Records of 10 fields of 100 bytes, keys drawn with a scrambled Zipf distribution
 * of 0.99. The engine's own cache is kept so small that the hot set lives in the
 * page cache, which is what is measured. An update writes one field, so it reads
 * the record first. Content follows from the key: a wrong record is an error.
 */
#include <sys/stat.h>

#include <wiredtiger.h>

#include "counters.h"

#define FIELDS		10
#define FIELD_SIZE	100
#define RECORD_SIZE	(FIELDS * FIELD_SIZE)

enum { WORKLOAD_A, WORKLOAD_B, WORKLOAD_C };
static const char * const workload_names[] = { "a", "b", "c", NULL };
static const uint64_t update_percent[] = { 50, 5, 0 };

static struct {
	const char *home;
	const char *cgroup;
	uint64_t records;
	uint64_t reads;
	uint64_t cache;
	uint64_t seed;
	int workload;
	bool load;
} opt = { .records = 140000, .reads = 200000, .cache = 2, .seed = 1 };

static const char usage_text[] =
"usage: ycsb [OPTIONS] HOME\n"
"\n"
"  --load          make the database in HOME, and end\n"
"  --records N     of 1000 bytes (default 140000)\n"
"  --workload W    a: half of the operations update; b: one in twenty; c: none (default a)\n"
"  --reads N       operations to warm up, and as many that count (default 200000)\n"
"  --cache MB      of the engine (default 2)\n"
"  --seed N        of keys and operations (default 1)\n"
"  --cgroup DIR    report what DIR/memory.stat counted meanwhile\n"
"\n"
"Exit status: 0, 1 if operations failed or gave wrong content, 2 if it can't begin.\n";

static WT_CONNECTION *connection;
static WT_SESSION *session;
static WT_CURSOR *cursor;

static void must(int error, const char *what)
{
	if (error)
		die("%s: %s: %s", opt.home, what, wiredtiger_strerror(error));
}

static void engine_begin(void)
{
	char config[256];

	snprintf(config, sizeof(config),
		 "create,cache_size=%" PRIu64 "MB,mmap=false,session_max=10,"
		 "eviction=(threads_min=1,threads_max=1),statistics=(none)", opt.cache);
	must(wiredtiger_open(opt.home, NULL, config, &connection), "cannot open");
	must(connection->open_session(connection, NULL, NULL, &session), "no session");
}

static void engine_end(void)
{
	must(connection->close(connection, NULL), "cannot close");
}

/* The first word of a field says whose it is; the rest is not looked at. */
static uint64_t word_of(uint64_t key, uint64_t field)
{
	return mix(key * FIELDS + field + 1);
}

static void load(void)
{
	char record[RECORD_SIZE];
	WT_ITEM value = { .data = record, .size = sizeof(record) };

	if (mkdir(opt.home, 0700) && errno != EEXIST)
		die("%s: cannot create: %s", opt.home, strerror(errno));
	opt.cache = 64;
	engine_begin();
	must(session->create(session, "table:ycsb", "key_format=Q,value_format=u,leaf_page_max=4KB,"
			     "internal_page_max=4KB"), "cannot create the table");
	must(session->open_cursor(session, "table:ycsb", NULL, "bulk", &cursor), "no cursor");
	for (uint64_t key = 0; key < opt.records; key++) {
		for (uint64_t field = 0; field < FIELDS; field++) {
			uint64_t word = word_of(key, field);

			memset(record + field * FIELD_SIZE, 'a' + (int)field, FIELD_SIZE);
			memcpy(record + field * FIELD_SIZE, &word, sizeof(word));
		}
		cursor->set_key(cursor, key);
		cursor->set_value(cursor, &value);
		must(cursor->insert(cursor), "cannot insert");
	}
	must(cursor->close(cursor), "cannot close");
	engine_end();
}

static bool operate(uint64_t key, bool update, uint64_t field)
{
	char record[RECORD_SIZE];
	WT_ITEM value;
	uint64_t word;

	cursor->set_key(cursor, key);
	if (cursor->search(cursor) || cursor->get_value(cursor, &value) || value.size != RECORD_SIZE)
		return false;
	memcpy(record, value.data, sizeof(record));
	for (uint64_t i = 0; i < FIELDS; i++) {
		memcpy(&word, record + i * FIELD_SIZE, sizeof(word));
		if (word != word_of(key, i))
			return false;
	}
	if (update) {
		memset(record + field * FIELD_SIZE + sizeof(word), 'A' + (int)(key % 26),
		       FIELD_SIZE - sizeof(word));
		value = (WT_ITEM){ .data = record, .size = sizeof(record) };
		cursor->set_key(cursor, key);
		cursor->set_value(cursor, &value);
		if (cursor->update(cursor))
			return false;
	}
	return !cursor->reset(cursor);
}

/* Returns the number of errors. */
static uint64_t run(struct sequence *keys, uint64_t pass)
{
	struct draws kinds = draws_begin(opt.seed, (1ULL << 40) + pass);
	uint64_t errors = 0;

	memset(buckets, 0, sizeof(buckets));
	sequence_pass(keys, pass, 0);
	for (uint64_t i = 0; i < opt.reads; i++) {
		bool update = draw_below(&kinds, 100) < update_percent[opt.workload];
		uint64_t key = sequence_next(keys), field = draw_below(&kinds, FIELDS), began = now_ns();

		errors += !operate(key, update, field);
		buckets[bucket_of(now_ns() - began)]++;
	}
	/* what a database does every minute; by operations, as nothing here goes by time */
	if (update_percent[opt.workload])
		errors += !!session->checkpoint(session, NULL);
	return errors;
}

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "load", no_argument, NULL, 'l' },
		{ "records", required_argument, NULL, 'R' },
		{ "workload", required_argument, NULL, 'w' },
		{ "reads", required_argument, NULL, 'r' },
		{ "cache", required_argument, NULL, 'c' },
		{ "seed", required_argument, NULL, 's' },
		{ "cgroup", required_argument, NULL, 'g' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int c, which = 0;

	while ((c = getopt_long(argc, argv, "h", options, &which)) != -1) {
		const char *name = c == 'h' || c == '?' ? "" : options[which].name;

		switch (c) {
		case 'l': opt.load = true; break;
		case 'R': opt.records = number(name, optarg, 1, 1U << 30); break;
		case 'w': opt.workload = one_of(name, optarg, workload_names); break;
		case 'r': opt.reads = number(name, optarg, 1, UINT32_MAX); break;
		case 'c': opt.cache = number(name, optarg, 1, 1U << 20); break;
		case 's': opt.seed = number(name, optarg, 0, UINT64_MAX); break;
		case 'g': opt.cgroup = optarg; break;
		case 'h': fputs(usage_text, stdout); exit(0);
		default: exit(EXIT_UNUSABLE);
		}
	}
	if (optind + 1 != argc)
		die("one HOME is needed, %d given (see --help)", argc - optind);
	opt.home = argv[optind];
}

int main(int argc, char **argv)
{
	struct sequence keys = { .pattern = PATTERN_ZIPF, .theta = 0.99 };
	struct stats before, after;
	uint64_t elapsed, errors;

	program = "ycsb";
	parse(argc, argv);
	if (opt.load) {
		load();
		return 0;
	}
	keys.blocks = opt.records;
	keys.seed = opt.seed;
	if (!sequence_begin(&keys))
		die("no memory for %" PRIu64 " records", opt.records);
	engine_begin();
	must(session->open_cursor(session, "table:ycsb", NULL, NULL, &cursor), "no table (--load makes it)");
	stats_begin(opt.cgroup);
	errors = run(&keys, 0);
	stats_read(&before);
	elapsed = now_ns();
	errors += run(&keys, 1);
	elapsed = now_ns() - elapsed;
	stats_read(&after);
	engine_end();

	printf("{\"reads\":%" PRIu64 ",\"errors\":%" PRIu64 ",\"elapsed_ns\":%" PRIu64, opt.reads, errors,
	       elapsed);
	latency_print(opt.reads);
	stats_print(&before, &after, opt.reads);
	puts("}");
	sequence_end(&keys);
	return errors ? 1 : 0;
}
