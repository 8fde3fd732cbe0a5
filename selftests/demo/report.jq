# Report of the demo, from $facts, $rounds, $phases, $zipf (slurped) and $date.
# Every figure of a phase is over its measured rounds, except errors: over all of
# its rounds, so that those of the round in which the policy changed are in.

def median: sort | if length % 2 == 1 then .[length / 2 | floor]
	else (.[length / 2 - 1] + .[length / 2]) / 2 end;
def sum(f): map(f // 0) | add // 0;
def per_second: sum(.reads) / ([sum(.elapsed_ns), 1] | max) * 1e9;
def pct(of): (. / of - 1) * 100;
def show: . * 100 | round / 100;

$facts[0] as $f
| [$rounds[] | select(.partial | not)] as $all
| [$phases[] | . as $p
	| $all[$p.first:$p.end] as $rows
	| $all[$p.measured:$p.end] as $measured
	| [$measured[].refaults_per_read] as $rpr
	| {
		policy: $p.policy, attached: $p.attached, method: $p.method,
		refaults_per_read: ($rpr | median),
		spread: [($rpr | min), ($rpr | max)],
		reads: ($measured | sum(.reads)),
		pswpout: ($measured | sum(.pswpout)),
		reads_per_s: ($measured | per_second),
		errors: ($rows | sum(.errors)),
		rounds: [$rows[] | {
			round: .pass, measured: (.pass >= $p.measured),
			refaults_per_read, reads, errors,
			reads_per_s: ([.] | per_second),
			workingset_refault_file, workingset_activate_file,
			workingset_restore_file, pgscan, pgsteal, pgmajfault, pswpout
		}]
	}] as $ph
| [range(1; $ph | length) as $i | {
	from: (if $ph[$i - 1].attached then $ph[$i - 1].policy else "none" end),
	to: (if $ph[$i].attached then $ph[$i].policy else "none" end),
	method: $ph[$i].method,
	errors: $ph[$i].errors
	}] as $switches
| [$zipf[] | . as $z
	| ([$zipf[] | select(.policy == "stock" and .engine == $z.engine)][0].refaults_per_read) as $base
	| {
		engine, theta, policy, refaults_per_read,
		vs_stock: (.refaults_per_read / $base),
		vs_stock_pct: (.refaults_per_read | pct($base)),
		reads, errors, pswpout, reads_per_s: ([.] | per_second),
		workingset_refault_file
	}] as $zi
| [$ph[] | select(.policy == "stock" and (.attached | not)).refaults_per_read][0] as $stock
| [$ph[] | select(.policy == "refault_distance") | .refaults_per_read | pct($stock)] as $gain
| [$zi[] | select(.policy == "refault_distance")] as $zrd
| {
	kernel: $f.kernel, date: $date, cpus: $f.cpus, file_bytes: $f.file_bytes, round_reads: $f.round_reads,
	memory_max: $f.memory_max, zipf_memory_max: $f.zipf_memory_max,
	phases: $ph, switches: $switches, zipf: $zi,
	checks: [
		{
			what: "refault_distance has at least 20 % fewer refaults per read than stock",
			ok: ($gain | length > 0 and all(.[]; . <= -20)),
			figures: ($gain | map("\(show) %") | join(", "))
		},
		{
			what: "zipf 0.8 has at most 2 % more refaults per read than stock",
			ok: ($zrd | length == 2 and all(.[]; .vs_stock_pct <= 2)),
			figures: ($zrd | map("\(.engine) \(.vs_stock_pct | show) %") | join(", "))
		},
		{
			what: "no read failed, through \($switches | length) switches",
			ok: (($switches | length == 4) and
				([$all[], $zipf[]] | length > 0 and all(.[]; .errors == 0))),
			figures: "\([$all[], $zipf[]] | sum(.errors)) errors in \([$all[], $zipf[]] | sum(.reads)) reads"
		}
	]
}
