#!/bin/bash
# Makes results.json, results.csv, report.md and the charts of the rows of a bench run.
#
# With a second folder also RESULTS.md and results.csv there, for publishing.
set -euo pipefail

to=${1:?usage: report.sh DIR [PUBLISH_DIR]} publish=${2:-}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
work=$(mktemp -d "$to/.report.XXXXXX")
trap 'rm -rf "$work"' EXIT

jq -Rnc '[inputs | split("\t") | {cell: .[0], group: .[1],
	key: "\(.[5]) \(.[7])\(if .[3] == "probe" then " --main-only" else "" end)"}]' \
	"$to/cells.tsv" >"$work/cells.json"
jq -s --slurpfile cells_in "$work/cells.json" --slurpfile yardsticks "$to/yardsticks.jsonl" \
	"\$cells_in[0] as \$cells | $(cat "$here/report.jq")" "$to/known.jsonl" >"$to/results.json"

# --- rows ------------------------------------------------------------------------

jq -r '["cell", "arm", "run", "reads", "refaults", "refaults_per_read", "judged", "pswpout", "pswpin", "evictions",
	"scanned", "activated", "restored", "pgactivate", "refaults_anon", "nodereclaim", "majfaults", "neighbour",
	"p50_ns", "p99_ns", "errors", "seconds", "policy", "kernel", "date", "wrong"] as $columns
	| ($columns | join(",")), (.rows | sort_by(.cell, .arm, .run)[] | [.[$columns[]]]
	| map(. // "" | tostring | gsub("[,\n]"; " ")) | join(","))' "$to/results.json" >"$to/results.csv"

# --- the report --------------------------------------------------------------------

# shellcheck disable=SC2016 # $dot is jq's
format='def f(d): if . == null then "-" else (. * pow(10; d) | round / pow(10; d) | tostring |
		if d == 0 or test("e") then . else
		(index(".") // length) as $dot |
		(if $dot != length then . else . + "." end) |
		. + ("0" * ([d - (length - $dot - 1), 0] | max)) end) end;
	def pct: if . == null then "-" else "\(if . > 0 then "+" else "" end)\(f(1)) %" end;
	def digits: if . == null then "-" elif . < 0.02 then f(5) else f(4) end;
	def row: "| \(join(" | ")) |";'
names='{"fd": "Zipf draws by pread(), 16:40", "mmap": "Zipf draws through mmap, 16:40",
	"small": "Zipf draws through mmap, less memory", "order": "Fixed orders", "mixed": "Mixtures and neighbours",
	"build": "A build", "ycsb": "A database"}'
{
	jq -r --arg host "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), $(nproc) processors;$(
		qemu-system-x86_64 --version | sed -n '1s/ emulator version / /p' | sed 's/ (.*//; s/^/ /')" "$format"'
		"# Refaults per read, policy by policy\n",
		"Linux \(.kernels | join(", ")) in a VM of one processor (host: \($host)); measured \(.dates | first)" +
		"\(if (.dates | length) > 1 then " to \(.dates | last)" else "" end).",
		"", "Written by `make bench`; the cells are described in `selftests/bench/cells`, all rows are in `results.csv`.",
		"A figure is the median of the runs; after it the change against no policy, and where the arm lies between",
		"LRU (0 %) and Belady OPT (100 %) on the same reads. A0: the best fixed set. Smaller is better.", ""' "$to/results.json"
	jq -r --argjson names "$names" "$format"'
		. as $all | ([.cells[].group] | reduce .[] as $g ([]; if index($g) then . else . + [$g] end))[] as $g
		| [$all.cells[] | select(.group == $g)] as $cells
		| [$all.arms[] as $a | select($cells | any(.[]; .arms | any(.[]; .arm == $a))) | $a] as $arms
		| "## \($names[$g] // $g)\n",
		(["cell", "LRU", "A0", "OPT"] + $arms | row), ([range(4 + ($arms | length)) | "---"] | row),
		($cells[] | . as $c
			| [.cell, (.yardsticks.lru | digits), (.yardsticks.a0 | digits), (.yardsticks.opt | digits)]
			+ [$arms[] as $a | [$c.arms[] | select(.arm == $a)][0]
				| if . == null then "" else "\(.median | digits)" +
					(if $a == "none" then "" else " \(.vs_none_pct | pct)" end) +
					(if .position == null then "" else " (\(.position | f(0)))" end) end] | row),
		""' "$to/results.json"
	jq -r "$format"'
		"## Runs that differ\n",
		([.cells[] | .cell as $cell | .arms[] | select(.runs > 1 and .spread_pct > 3)
			| "- \($cell) \(.arm): \(.min | digits) to \(.max | digits), \(.spread_pct | f(1)) % in \(.runs) runs"]
			| if length == 0 then "All runs of the same arm and cell agree within 3 %." else .[] end), "",
		"## Swapped out, pages\n",
		([.cells[] | .cell as $cell | select(any(.arms[]; .pswpout > 0))
			| "- \($cell): \([.arms[] | "\(.arm) \(.pswpout | f(0))"] | join(", "))"]
			| if length == 0 then "Nothing." else .[] end), "",
		([.cells[] | .cell as $cell | select(any(.arms[]; .neighbour)) |
			"- \($cell): the neighbour without policy, refaults per read: \([.arms[] |
			"\(.arm) \(.neighbour | digits)"] | join(", "))"]
			| if length == 0 then empty else "## The second tenant\n", .[], "" end),
		([.cells[] | .cell as $cell | select(any(.arms[]; .p99_ns)) |
			"- \($cell): \([.arms[] | "\(.arm) \(.p50_ns / 1000 | f(1)) / \(.p99_ns / 1000 | f(1))"] | join(", "))"]
			| if length == 0 then empty else "## Latency, median and 99th percentile, µs of the VM\n", .[], "" end),
		(if (.wrong | length) > 0 then "## Not measured\n",
			(.wrong[] | "- \(.cell) \(.arm) run \(.run): \(.wrong)"), "" else empty end)' "$to/results.json"
} >"$work/report.md"

# --- charts ------------------------------------------------------------------------

rm -f "$to"/*.svg
jq -r '[.cells[].group] | unique[]' "$to/results.json" >"$work/groups"
while read -r group; do
	# A line per cell, a column per arm: per cent against no policy.
	jq -r --arg g "$group" '[.cells[] | select(.group == $g)] as $cells
		| [.arms[] as $a | select($a != "none" and ($cells | any(.[]; .arms | any(.[]; .arm == $a)))) | $a] as $arms
		| (["cell"] + $arms | join("\t")),
		($cells[] | . as $c | [.cell] + [$arms[] as $a |
			([$c.arms[] | select(.arm == $a) | .vs_none_pct // (if .median == 0 then 0 else 100 end)][0] // "NaN")] | @tsv)' \
		"$to/results.json" >"$work/$group.tsv"
	columns=$(head -n 1 "$work/$group.tsv" | awk -F '\t' '{ print NF }')
	[ "$columns" -gt 1 ] || continue
	title=$(jq -rn --argjson names "$names" --arg g "$group" '$names[$g] // $g')
	gnuplot -e "data='$work/$group.tsv'; output='$to/$group.svg'; name='$title'; columns=$columns" "$here/chart.gp"
done <"$work/groups"

mv "$work/report.md" "$to/report.md"
if [ -n "$publish" ]; then
	cp "$to/results.csv" "$publish/results.csv"
	{
		cat "$to/report.md"
		[ ! -e "$publish/notes.md" ] || cat "$publish/notes.md"
	} >"$publish/RESULTS.md"
fi
echo "bench: $to/report.md, results.json, results.csv and charts"
