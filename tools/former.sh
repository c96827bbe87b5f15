#!/bin/sh
# former.sh FOLDER [COMMIT]: builds verifier-hosted of an older commit, which has an older schema of the database, into FOLDER, with the answers that it
# was recorded with: make soak upgrades from it. Without a COMMIT that is the last release or, as long as that has the present schema, the
# last commit before the schema changed last.
set -eu
cd "$(dirname "$0")/.."
folder=$1
git rev-parse --git-dir >/dev/null 2>&1 || { echo "this is no git checkout: no former version is built"; exit 0; }

# schema COMMIT: the migrations that it has.
schema() { git ls-tree --name-only "$1" internal/store/migrations/ | sort | tail -n 1; }

commit=${2:-$(git describe --tags --match 'v*' --abbrev=0 2>/dev/null || true)}
if [ -z "$commit" ] || { [ -z "${2:-}" ] && [ "$(schema "$commit")" = "$(schema HEAD)" ]; }; then
	changed=$(git log --diff-filter=A -1 --format=%H -- internal/store/migrations || true)
	commit=$(git rev-parse -q --verify "$changed^" || true)
fi
[ -n "$commit" ] || { echo "the history does not reach back to another schema: no former version is built"; exit 0; }
commit=$(git rev-parse "$commit^{commit}")
[ "$(cat "$folder/commit" 2>/dev/null)" != "$commit" ] || exit 0
echo "building verifier-hosted of $(git log -1 --format='%h, %cs' "$commit"), with $(schema "$commit"), into $folder"
tree=$(mktemp -d)
trap 'git worktree remove --force "$tree" >/dev/null 2>&1 || true; rm -rf "$tree"' EXIT
git worktree add --detach --force "$tree" "$commit" >/dev/null 2>&1
rm -rf "$folder" && mkdir -p "$folder/conformance"
out=$(cd "$folder" && pwd)
(cd "$tree" && CGO_ENABLED=0 "${GO:-go}" build -o "$out/verifier-hosted" ./cmd/verifier-hosted)
cp -R "$tree/conformance/cases" "$folder/conformance/"
echo "$commit" >"$folder/commit"
