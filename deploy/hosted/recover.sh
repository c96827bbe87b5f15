#!/bin/sh
# recover.sh ARCHIVE: fills an empty database from what `verifier-hosted backup` wrote, and says how to go on. The database is the one that
# VERIFIER_DATABASE_URL or VERIFIER_DATABASE_URL_FILE names; VERIFIER_HOSTED is the program. make soak rehearses it.
set -eu
program=${VERIFIER_HOSTED:-verifier-hosted}
[ $# = 1 ] && [ -r "$1" ] || { echo "usage: recover.sh ARCHIVE, a file that can be read" >&2; exit 2; }
[ -n "${VERIFIER_DATABASE_URL:-}${VERIFIER_DATABASE_URL_FILE:-}" ] || { echo "VERIFIER_DATABASE_URL_FILE must name the new, empty database" >&2; exit 2; }
command -v "$program" >/dev/null || { echo "$program is not there: install it, or name it in VERIFIER_HOSTED" >&2; exit 2; }

began=$(date +%s)
echo "restoring $1 ($(wc -c <"$1") bytes); a database that is not empty, and an archive that was cut or changed, are refused"
"$program" restore "$1"
"$program" migrate
echo "done in $(($(date +%s) - began)) s. Now: start the replicas, wait for /readyz on each, attach a standby, and take a backup."
