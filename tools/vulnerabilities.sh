#!/bin/sh
# Looks for known vulnerabilities in what is linked into the programs. It fails where a program calls one. Where the database cannot be
# reached nothing was looked up, and it says so.
set -eu
cd "$(dirname "$0")/.."
: "${GOVULNDB:=https://vuln.go.dev}"
if ! curl -fsS --max-time 20 "$GOVULNDB/index/db.json" -o /dev/null 2>/dev/null; then
	echo "vulnerabilities: not looked up, because $GOVULNDB cannot be reached from here; GOVULNDB can name a copy"
	exit 0
fi
exec "${GO:-go}" run golang.org/x/vuln/cmd/govulncheck@v1.8.0 -db "$GOVULNDB" ./...
