#!/bin/sh
# Builds the engine for the browser, which the programs embed, and runs go build with the arguments that it gets. It says before what
# there is to compile and during it how far it is.
set -eu
go=${GO:-go}

# A package whose compiled form is not in Go's cache is stale. One takes 0.43 s of a processor (174 s for 410 of them).
todo=$("$go" list -deps -f '{{if .Stale}}{{.ImportPath}}{{end}}' ./cmd/... | grep -c .) || todo=0
# The engine for the browser is compiled with flags of its own: where most of the rest is stale, so are some 300 packages of it.
[ "$todo" -le 40 ] || todo=$((todo + 300))
if [ "$todo" -gt 40 ]; then
	minutes=$(((todo * 43 / 100 / $(nproc) + 59) / 60))
	[ "$minutes" = 1 ] && time="a minute" || time="$minutes minutes"
	echo "compiling $todo packages, about $time; later builds compile only what has changed, in seconds"
fi

# go prints a line for every package that it compiles; anything else that it prints is passed on.
status=$(mktemp)
trap 'rm -f "$status"' EXIT
{ { tools/engine.sh && "$go" build -v "$@"; } 2>&1 || echo $? >"$status"; } | awk -v todo="$todo" '
	/^[a-z][a-zA-Z0-9._\/-]*$/ { n++; if (n % 40 == 0) { printf "  %d%s: %s\n", n, (n <= todo ? " of " todo : ""), $0; fflush() } next }
	{ print; fflush() }'
read -r code <"$status" || code=0
exit "$code"
