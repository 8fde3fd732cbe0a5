# Count the leaf results of TAP or KTAP (nested by indentation); used by check.sh.
#
# Variables: name of the group, rc its exit status, counts the file that gets
# "passed failed skipped". Prints a line for each failure and each skip. A group
# that prints no result, fewer than it planned, or fails without a failed result
# counts as one failure.
function result(indent, failure, text) {
	# A result that follows deeper ones sums them up.
	if (deeper[indent]) {
		if (failure && !deeper_failed[indent]) { f++; print "FAILED  " name ": " text }
	} else if (!failure && text ~ /# *[Ss][Kk][Ii][Pp]/) {
		s++
		sub(/^(not )?ok *[0-9]* *-? */, "", text)
		print "SKIPPED " name ": " text
	} else if (failure) {
		f++
		print "FAILED  " name ": " text
	} else {
		p++
	}
	for (i in deeper) if (i + 0 >= indent) { delete deeper[i]; delete deeper_failed[i] }
	for (i = 0; i < indent; i++) { deeper[i] = 1; if (failure) deeper_failed[i] = 1 }
	if (indent == 0) top++
}
BEGIN { p = f = s = top = 0; plan = -1 }
/^ *(not )?ok( |$)/ {
	text = $0
	sub(/^ */, "", text)
	result(length($0) - length(text), text ~ /^not/, text)
}
/^1\.\.[0-9]+/ { split($0, a, /\.\.| /); plan = a[2] + 0
	if ($0 ~ /# *[Ss][Kk][Ii][Pp]/) { s++; print "SKIPPED " name ": " $0; top = plan } }
/^Bail out!/ { f++; print "FAILED  " name ": " $0 }
END {
	if (plan >= 0 && top < plan) { f++; print "FAILED  " name ": " top " of " plan " results, then it ended" }
	else if (p + f + s == 0) { f++; print "FAILED  " name ": no results, status " rc }
	else if (rc != 0 && f == 0) { f++; print "FAILED  " name ": status " rc " although no test failed" }
	print p, f, s >counts
}
