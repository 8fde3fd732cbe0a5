# results.json of $cells, $yardsticks (slurped), and the rows on the input (slurped).
# A cell's "none" is what all of its arms are compared with.
def median: sort | if length == 0 then null elif length % 2 == 1 then .[length / 2 | floor]
	else (.[length / 2 - 1] + .[length / 2]) / 2 end;

. as $rows
| [$rows[] | select(.wrong == null)] as $good
| ([$rows[].arm] | unique | sort_by(. as $a |
	["none", "stock", "fixed", "lazy_activate", "eager_activate", "refault_distance", "freq_guided", "fg_rd", "ladder"]
	| index($a) // 99)) as $arms
| {
	arms: $arms,
	kernels: ([$good[].kernel] | unique),
	dates: ([$good[].date] | unique),
	cells: [$cells[] | . as $c
		| ([$yardsticks[] | select(.cell == $c.cell and .key == $c.key)][0]) as $y
		| ([$good[] | select(.cell == $c.cell and .arm == "none").judged] | median) as $none
		| {
			cell, group, yardsticks: ($y | if . then {lru, a0, opt, cache} else null end),
			arms: [$arms[] as $arm
				| [$good[] | select(.cell == $c.cell and .arm == $arm)] as $r
				| select($r | length > 0)
				| [$r[].judged] as $j
				| ($j | median) as $m
				| {
					arm: $arm, runs: ($r | length), median: $m, min: ($j | min), max: ($j | max),
					spread_pct: (if $m > 0 then (($j | max) - ($j | min)) / $m * 100 else 0 end),
					vs_none_pct: (if ($none // 0) > 0 then ($m / $none - 1) * 100 else null end),
					position: (if $y and $y.lru > $y.opt then ($y.lru - $m) / ($y.lru - $y.opt) * 100 else null end),
					pswpout: ([$r[].pswpout | values] | median), evictions: ([$r[].evictions | values] | median),
					activated: ([$r[].activated | values] | median), restored: ([$r[].restored | values] | median),
					neighbour: ([$r[].neighbour | values] | median), seconds: ([$r[].seconds | values] | median),
					p50_ns: ([$r[].p50_ns | values] | median), p99_ns: ([$r[].p99_ns | values] | median)
				}]
		}
		| select(.arms | length > 0)],
	wrong: [$rows[] | select(.wrong != null) | {cell, arm, run, wrong}],
	rows: $rows
}
