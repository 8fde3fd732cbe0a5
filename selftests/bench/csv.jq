# Rows of results.csv (input: its lines; options: -Rn) as objects.
["cell", "arm", "policy", "kernel", "date", "wrong"] as $texts
| ([limit(1; inputs)] | .[0] // "" | split(",")) as $names
| inputs | split(",") as $fields
| [range($names | length) as $i | $names[$i] as $name
	| {key: $name, value: ($fields[$i]
		| if . == "" then null elif ($texts | index($name)) then . else tonumber end)}]
| from_entries
