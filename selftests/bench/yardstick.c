// SPDX-License-Identifier: GPL-2.0
/*
 * What LRU, perfect LFU and Belady's OPT would miss on the reader's own reads.
 *
 * Yardsticks for the figures of the VM: they know the sequence of reads and the
 * size of the cache, and nothing of a kernel. Counted like refaults: misses of
 * blocks that have been read before, per read, over the passes that count.
 */
#include "sequence_options.h"

static struct sequence_opt opt = SEQUENCE_DEFAULTS;
static uint64_t cache_size = 13600;
static bool main_only;

static const char usage_text[] =
"usage: yardstick [OPTIONS]\n"
"\n"
"Simulates a cache of --cache pages, for the reads that reader does with the\n"
"same options, and prints refaults per read as JSON: lru, a0 (the blocks read\n"
"most in the passes that count stay for ever), opt (Belady).\n"
"\n"
"  --cache N         size of the cache, pages (default 13600)\n"
"  --main-only       count reads of the first file only\n"
SEQUENCE_USAGE
"\n"
"Exit status: 0, 2 if it can't begin.\n";

/* --- the trace --------------------------------------------------------------- */

#define NONE	UINT32_MAX

struct trace {
	uint32_t *block;
	uint32_t reads, measured_from, blocks;
	uint32_t main_blocks;
};

static void *table(uint64_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		die("no memory for %" PRIu64 " entries", n);
	return p;
}

static void trace_begin(struct trace *t)
{
	uint64_t reads = (opt.warmup + opt.passes) * opt.reads;

	if (reads >= NONE)
		die("%" PRIu64 " reads: too many to simulate", reads);
	*t = (struct trace){
		.block = table(reads, sizeof(*t->block)),
		.measured_from = opt.warmup * opt.reads,
		.main_blocks = opt.sequence.blocks,
		.blocks = opt.sequence.blocks,
	};
	for (uint64_t pass = 0; pass < opt.warmup + opt.passes; pass++) {
		sequence_options_pass(&opt, pass);
		for (uint64_t i = 0; i < opt.reads; i++) {
			uint64_t block = sequence_next(&opt.sequence);

			t->block[t->reads++] = block;
			if (block >= t->blocks)
				t->blocks = block + 1;
		}
	}
}

/* Reads that can count at all. */
static bool counts(const struct trace *t, uint32_t at)
{
	return at >= t->measured_from && (!main_only || t->block[at] < t->main_blocks);
}

static uint32_t counted_reads(const struct trace *t)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->reads; i++)
		n += counts(t, i);
	return n;
}

/* --- LRU --------------------------------------------------------------------- */

static uint64_t lru(const struct trace *t, uint64_t cache)
{
	uint32_t *newer = table(t->blocks + 1, sizeof(*newer));
	uint32_t *older = table(t->blocks + 1, sizeof(*older));
	bool *in = table(t->blocks, 1), *seen = table(t->blocks, 1);
	uint32_t head = t->blocks;	/* a ring: older[head] is the newest block */
	uint64_t used = 0, refaults = 0;

	newer[head] = older[head] = head;
	for (uint32_t i = 0; i < t->reads; i++) {
		uint32_t b = t->block[i];

		if (in[b]) {
			newer[older[b]] = newer[b];
			older[newer[b]] = older[b];
		} else {
			refaults += seen[b] && counts(t, i);
			seen[b] = in[b] = true;
			if (used == cache) {
				uint32_t victim = newer[head];

				in[victim] = false;
				newer[head] = newer[victim];
				older[newer[victim]] = head;
			} else {
				used++;
			}
		}
		older[b] = older[head];
		newer[b] = head;
		newer[older[b]] = b;
		older[head] = b;
	}
	free(newer);
	free(older);
	free(in);
	free(seen);
	return refaults;
}

/* --- A0 ---------------------------------------------------------------------- */

static int by_count(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

static uint64_t a0(const struct trace *t, uint64_t cache)
{
	uint64_t *order = table(t->blocks, sizeof(*order));
	bool *keep = table(t->blocks, 1), *seen = table(t->blocks, 1);
	uint64_t refaults = 0;

	for (uint32_t i = 0; i < t->blocks; i++)
		order[i] = i;
	for (uint32_t i = t->measured_from; i < t->reads; i++)
		order[t->block[i]] += 1ULL << 32;
	qsort(order, t->blocks, sizeof(*order), by_count);
	for (uint32_t i = 0; i < t->blocks && i < cache; i++)
		keep[(uint32_t)order[i]] = true;
	for (uint32_t i = 0; i < t->reads; i++) {
		uint32_t b = t->block[i];

		refaults += seen[b] && !keep[b] && counts(t, i);
		seen[b] = true;
	}
	free(order);
	free(keep);
	free(seen);
	return refaults;
}

/* --- OPT --------------------------------------------------------------------- */

/* A heap of the next reads of what is in the cache, the latest on top. */
static uint32_t *heap, heap_size;

static void heap_push(uint32_t at)
{
	uint32_t i = heap_size++;

	while (i && heap[(i - 1) / 2] < at) {
		heap[i] = heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	heap[i] = at;
}

static uint32_t heap_pop(void)
{
	uint32_t top = heap[0], last = heap[--heap_size], i = 0;

	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child >= heap_size)
			break;
		if (child + 1 < heap_size && heap[child + 1] > heap[child])
			child++;
		if (heap[child] <= last)
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = last;
	return top;
}

/*
 * A block's key is the time of its next read, or beyond the end, different for
 * each block. A hit makes the old key stale; it is not in the way, as it lies in
 * the past and all keys of the cache lie ahead.
 */
static uint64_t opt_misses(const struct trace *t, uint64_t cache)
{
	uint32_t *next = table(t->reads, sizeof(*next));
	uint32_t *at = table(t->blocks, sizeof(*at));
	uint32_t *owner = table(t->reads, sizeof(*owner));
	bool *in = table(t->blocks, 1), *seen = table(t->blocks, 1);
	uint64_t used = 0, refaults = 0;

	if ((uint64_t)t->reads + t->blocks >= NONE)
		die("too many reads and blocks to simulate");
	heap = table(t->reads, sizeof(*heap));
	heap_size = 0;
	for (uint32_t b = 0; b < t->blocks; b++)
		at[b] = t->reads + b;
	for (uint32_t i = t->reads; i-- > 0;) {
		next[i] = at[t->block[i]];
		owner[i] = t->block[i];
		at[t->block[i]] = i;
	}
	for (uint32_t i = 0; i < t->reads; i++) {
		uint32_t b = t->block[i];

		if (!in[b]) {
			refaults += seen[b] && counts(t, i);
			seen[b] = in[b] = true;
			if (used == cache) {
				uint32_t key = heap_pop();

				in[key < t->reads ? owner[key] : key - t->reads] = false;
			} else {
				used++;
			}
		}
		heap_push(next[i]);
	}
	free(next);
	free(at);
	free(owner);
	free(in);
	free(seen);
	free(heap);
	return refaults;
}

/* --- options ----------------------------------------------------------------- */

static void parse(int argc, char **argv)
{
	static const struct option options[] = {
		SEQUENCE_OPTIONS,
		{ "cache", required_argument, NULL, 'c' },
		{ "main-only", no_argument, NULL, 'm' },
		{ }
	};
	int c, which = 0;

	while ((c = getopt_long(argc, argv, "h", options, &which)) != -1) {
		const char *name = c == 'h' || c == '?' ? "" : options[which].name;

		switch (c) {
		case 'c': cache_size = number(name, optarg, 1, UINT32_MAX); break;
		case 'm': main_only = true; break;
		case 'h': fputs(usage_text, stdout); exit(0);
		default:
			if (!sequence_option(&opt, c, name))
				exit(EXIT_UNUSABLE);
		}
	}
	if (optind != argc)
		die("'%s': no arguments are needed (see --help)", argv[optind]);
	sequence_options_end(&opt);
}

int main(int argc, char **argv)
{
	struct trace t;
	double reads;

	program = "yardstick";
	parse(argc, argv);
	trace_begin(&t);
	reads = counted_reads(&t);
	printf("{\"cache\":%" PRIu64 ",\"reads\":%.0f,\"lru\":%.6f,\"a0\":%.6f,\"opt\":%.6f}\n",
	       cache_size, reads, lru(&t, cache_size) / reads, a0(&t, cache_size) / reads,
	       opt_misses(&t, cache_size) / reads);
	free(t.block);
	sequence_end(&opt.sequence);
	return 0;
}
