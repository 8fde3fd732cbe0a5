#!/bin/bash
# Makes report.json, the tables and the chart of what selftests/demo/guest.sh measured.
set -euo pipefail

if [ $# -ne 2 ]; then
	echo "usage: selftests/demo/report.sh RAW_DIR REPORT_DIR" >&2
	exit 2
fi
raw=$1 to=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
mkdir -p "$to"
for file in facts.json rounds.jsonl phases.jsonl zipf.jsonl; do
	[ -s "$raw/$file" ] || {
		echo "report.sh: no $raw/$file: the demo did not get that far" >&2
		exit 1
	}
done

work=$(mktemp -d "$to/.report.XXXXXX")
trap 'rm -rf "$work"' EXIT

jq -n --arg date "$(date -u +%Y-%m-%dT%H:%M:%SZ)" -f "$here/report.jq" \
	--slurpfile facts "$raw/facts.json" --slurpfile rounds "$raw/rounds.jsonl" \
	--slurpfile phases "$raw/phases.jsonl" --slurpfile zipf "$raw/zipf.jsonl" \
	>"$work/report.json"

# --- the chart ------------------------------------------------------------------

# One line per round, then one per phase: from, to, colour, label.
jq -r '.phases[] | .policy as $p | .rounds[] |
	[.round, .refaults_per_read, (if .measured then 1 else 0 end)] | @tsv' \
	"$work/report.json" >"$work/rounds.tsv"
jq -r '.phases | to_entries[] | .value |
	[.rounds[0].round - 0.5, .rounds[-1].round + 0.5,
	 (if .policy == "stock" then "#f2f2f2" else "#d6e6f5" end),
	 (if .attached then .policy else "no policy" end), .refaults_per_read] | @tsv' \
	"$work/report.json" >"$work/phases.tsv"
{
	n=0 till=0
	while IFS=$'\t' read -r from till colour label median; do
		n=$((n + 1))
		# gnuplot takes _ for a subscript
		label=${label//_/\\\\_}
		cat <<END
set object $n rectangle from $from, graph 0 to $till, graph 1 fillcolor rgb "$colour" fillstyle solid noborder behind
set label $n "$label" at ($from + $till) / 2.0, graph 0.955 center font ",12"
set arrow $n from $from + 2, $median to $till, $median nohead linecolor rgb "#c04000" linewidth 1.5 front
END
	done <"$work/phases.tsv"
	echo "set xrange [-0.5:$till]"
	cat "$here/chart.gp"
} >"$work/chart.gp"
gnuplot -e "data='$work/rounds.tsv'; output='$work/refaults.svg'" "$work/chart.gp"

mv "$work/report.json" "$work/refaults.svg" "$to/"
report=$to/report.json

# --- the tables ------------------------------------------------------------------

# Columns of the TSV on stdin, as wide as they need to be.
table() {
	awk -F "\t" '
		{ for (i = 1; i <= NF; i++) { cell[NR, i] = $i; if (length($i) > wide[i]) wide[i] = length($i) } }
		END { for (n = 1; n <= NR; n++) {
			line = " "
			for (i = 1; i <= NF; i++) line = line sprintf(" %-" wide[i] "s ", cell[n, i])
			sub(/ +$/, "", line)
			print line
		} }'
}

jq -r '"\nLinux \(.kernel): reads through mmap in one fixed random order, over and over, of a
file of \(.file_bytes / 1048576) MiB in a memory cgroup of \(.memory_max / 1048576) MiB without swap; one reader, one boot.\n"' "$report"
# shellcheck disable=SC2016 # $dot is jq's
format='def f(d): . * pow(10; d) | round / pow(10; d) | tostring |
		(index(".") // length) as $dot |
		if d == 0 then . else (if $dot == length then . + "." else . end) |
		. + ("0" * ([d - (length - $dot - 1), 0] | max)) end;'
jq -r "$format"'
	["phase", "policy", "how", "refaults/read", "min..max", "reads", "reads/s", "errors"],
	(.phases | to_entries[] | .key as $n | .value |
	[$n + 1, (if .attached or .policy != "stock" then .policy else "none (stock)" end), .method,
	 (.refaults_per_read | f(3)), "\(.spread[0] | f(3))..\(.spread[1] | f(3))",
	 .reads, (.reads_per_s | f(0)), .errors]) | @tsv' "$report" | table
jq -r '"\nThe same with zipf 0.8 draws in \(.zipf_memory_max / 1048576) MiB, one pass to warm up, one measured:\n"' "$report"
jq -r "$format"'
	["engine", "policy", "refaults/read", "against stock", "reads", "reads/s", "errors"],
	(.zipf[] | [.engine, .policy, (.refaults_per_read | f(4)),
	 (if .policy == "stock" then "-" else "\(if .vs_stock_pct > 0 then "+" else "" end)\(.vs_stock_pct | f(1)) %" end),
	 .reads, (.reads_per_s | f(0)), .errors]) | @tsv' "$report" | table
echo
jq -r '.checks[] | "\(if .ok then "ok    " else "FAILED" end) \(.what): \(.figures)"' "$report"
echo
echo "Report: $report, chart: $to/refaults.svg"
jq -e 'all(.checks[]; .ok)' "$report" >/dev/null
