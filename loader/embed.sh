#!/bin/bash
# Write the C file that holds the policies given, as objects, for loader/policy.c.
set -euo pipefail

cat <<'END'
/* Made by loader/embed.sh. */
#include "reclaimctl.h"
END
n=0
for f in "$@"; do
	name=$(basename "$f" .bpf.o)
	cat <<END
asm(".section .rodata\n.balign 16\npolicy_$n: .incbin \"$f\"\npolicy_${n}_end:\n.byte 0\n.previous\n");
extern const unsigned char policy_${n}[], policy_${n}_end[];
END
	names[n]=$name
	n=$((n + 1))
done
echo "const struct embedded embedded_policies[] = {"
for ((i = 0; i < n; i++)); do
	echo "	{ \"${names[i]}\", policy_$i, policy_${i}_end },"
done
echo "	{}"
echo "};"
