#!/bin/sh
# race.sh [-short] PACKAGE...: runs tests under the race detector, which wants a C compiler. A test under it takes several times as long.
set -eu
cd "$(dirname "$0")/.."
[ "$#" -gt 0 ] || exit 0
echo "testing with the race detector: $*"
export CGO_ENABLED=1
exec tools/test.sh -race "$@"
