#!/bin/sh
# Holds the models that a pull request changes against the versions before, comments on it, and exits as policy-apply does:
# 0 nothing fails, 1 a model is refused, 2 one could not be read.
#
# It is the same on every CI service, and takes everything from the environment:
#   VERIFIER          the program                                  (verifier)
#   VERIFIER_BASE     the commit to compare with                   (that of the pull request, where the service says it)
#   VERIFIER_MODELS   patterns of paths, one on a line             (those under models: in .verifier.yml, else every model)
#   VERIFIER_POLICY   in place of the repository's .verifier.yml
#   VERIFIER_FAIL_ON  block or warn
#   VERIFIER_COMMENT  true, false, github or gitlab                (true: where the job is that of a pull request)
#   VERIFIER_SARIF    a file to write the findings to, as SARIF
#   VERIFIER_QUALITY  a file to write the findings to, as GitLab's code-quality report
#   VERIFIER_ATTEST   true: write an in-toto record of every model
#   VERIFIER_OUT      the folder for everything that is written    (.verifier-ci)
# The comment's token is GITHUB_TOKEN or GITLAB_TOKEN.
set -eu

verifier=${VERIFIER:-verifier}
out=${VERIFIER_OUT:-.verifier-ci}
tab=$(printf '\t')

say() { printf '%s\n' "$*" >&2; }

# output tells later steps of a GitHub job what was found.
output() {
	[ -z "${GITHUB_OUTPUT:-}" ] || printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}

commit() { git rev-parse --verify --quiet --end-of-options "$1^{commit}"; }

# find_base prints the commit that the pull request began from. A shallow clone may have to fetch it.
find_base() {
	wanted=${VERIFIER_BASE:-${CI_MERGE_REQUEST_DIFF_BASE_SHA:-}}
	[ -n "$wanted" ] || [ -z "${GITHUB_BASE_REF:-}" ] || wanted=origin/$GITHUB_BASE_REF
	case $wanted in
	'') say "verifier: there is nothing to compare with: set VERIFIER_BASE to a commit"; return 2 ;;
	-*) say "verifier: VERIFIER_BASE is not a commit: $wanted"; return 2 ;;
	*[!0]*) ;;
	*) git hash-object -t tree --stdin </dev/null; return ;; # the first push of a branch: nothing was there before
	esac
	if ! tip=$(commit "$wanted"); then
		git fetch --quiet --no-tags --depth=1 origin "${wanted#origin/}" >&2 || :
		tip=$(commit "$wanted" || commit FETCH_HEAD) || { say "verifier: the commit $wanted is not in this clone: fetch it, or check out with fetch-depth: 0"; return 2; }
	fi
	if ! git merge-base "$tip" HEAD 2>/dev/null; then
		if [ "$(git rev-parse --is-shallow-repository)" = true ]; then
			git fetch --quiet --no-tags --unshallow origin >&2 || :
		fi
		git merge-base "$tip" HEAD 2>/dev/null || { say "note: no common ancestor with $wanted is known: compared with its tip"; echo "$tip"; }
	fi
}

# before writes the version before of a file to where policy-apply looks for it. Filters are those of large file storage.
before() {
	mkdir -p "$out/base/$(dirname "./$2")"
	git cat-file --filters "$base:$1" >"$out/base/$2" 2>/dev/null || git show "$base:$1" >"$out/base/$2" 2>/dev/null || rm -f "$out/base/$2"
}

cd "$(git rev-parse --show-toplevel)"
if [ -L "$out" ] || [ -n "$(git ls-files -- ":(literal)$out")" ]; then # what a pull request put there could lead anywhere
	say "verifier: $out is a link or in the repository: set VERIFIER_OUT to another folder"
	exit 2
fi
mkdir -p "$out"
rm -rf "$out/base" "$out/records" "$out/change.json" ${VERIFIER_SARIF:+"$VERIFIER_SARIF"}
base=$(find_base) || exit $?

set -- ${VERIFIER_POLICY:+"--policy=$VERIFIER_POLICY"}
git diff --name-status -z --find-renames "$base" HEAD >"$out/diff"
"$verifier" changed "$@" ${VERIFIER_MODELS:+"--models=$VERIFIER_MODELS"} <"$out/diff" >"$out/models" || exit $?

sources=false
while IFS=$tab read -r model was; do
	case $model in
	*.py:*)
		$sources || ! mkdir -p "$out/base" || git archive "$base" -- ':(glob)**/*.py' 2>/dev/null | tar -x -C "$out/base" || :
		sources=true
		;;
	*) [ -z "$was" ] || before "$was" "$model" ;;
	esac
done <"$out/models"
while IFS=$tab read -r model was; do
	case $model in
	*.py:*) [ -z "$was" ] || [ "$was" = "${model%%.py:*}.py" ] || before "$was" "${model%%.py:*}.py" ;;
	esac
done <"$out/models"

# The policy before the change counts too, with its baseline: what either policy refuses is refused.
if [ -z "${VERIFIER_POLICY:-}" ]; then
	git ls-tree -r --name-only "$base" 2>/dev/null | grep -E '(^|/)\.verifier(-baseline\.json|\.yml)$' >"$out/policies" || :
	while IFS= read -r file; do before "$file" "$file"; done <"$out/policies"
fi

set -- "$@" ${VERIFIER_FAIL_ON:+"--fail-on=$VERIFIER_FAIL_ON"} "--now=$(date -u +%F)"
if [ "${VERIFIER_ATTEST:-false}" = true ]; then
	# What the records name lies beside them: with the artifact in its place, a clean checkout repeats every run.
	mkdir -p "$out/records"
	[ ! -d "$out/base" ] || cp -R "$out/base" "$out/records/base"
	tree=$out/records/base
	number=0
	while IFS=$tab read -r model was; do
		number=$((number + 1))
		name=$number-$(printf %s "$model" | tr -c 'A-Za-z0-9._' _ | tail -c 100)
		file=$tree/${model%:*}
		[ -e "$tree/$model" ] && file=$tree/$model
		if [ -e "$file" ]; then file=$file${model#"${file#"$tree/"}"}; else file=; fi
		rules=
		if [ -e "$tree/.verifier.yml" ]; then # under another name: a repeated run looks for the repository's own by its name
			mv "$tree/.verifier.yml" "$tree/.verifier-before.yml"
		fi
		[ ! -e "$tree/.verifier-before.yml" ] || rules=$tree/.verifier-before.yml
		"$verifier" policy-apply "$@" ${file:+"--base=$file"} ${rules:+"--base-policy=$rules"} --quiet --annotate=none --attest="$out/records/$name.json" -- "$model" >/dev/null 2>"$out/log" </dev/null ||
			[ $? = 1 ] || { say "warning: no record of $model was written"; cat "$out/log" >&2; }
	done <"$out/models"
fi

code=0 verdict=none
set -- "$@" --base-tree="$out/base" --change="$out/change.json" ${VERIFIER_SARIF:+"--sarif=$VERIFIER_SARIF"} ${VERIFIER_QUALITY:+"--code-quality=$VERIFIER_QUALITY"} --
while IFS=$tab read -r model was; do
	set -- "$@" "$model"
	verdict=pass
done <"$out/models"
if [ $verdict = none ]; then
	say "no model has changed since $base"
	printf '{"version":1,"models":[]}\n' >"$out/change.json"
else
	"$verifier" policy-apply "$@" </dev/null || code=$?
fi
case $code in
0) ;;
1) verdict=refused ;;
*) verdict=error ;;
esac
output verdict "$verdict"
output findings "$(grep -c '^ *"gates": true,*$' "$out/change.json" 2>/dev/null || :)"
output plan "$out/change.json"
[ ! -d "$out/records" ] || output record "$out/records"
[ -z "${VERIFIER_SARIF:-}" ] || [ ! -e "$VERIFIER_SARIF" ] || output sarif "$VERIFIER_SARIF"

provider=${VERIFIER_COMMENT:-true}
if [ "$provider" = true ]; then
	provider=false
	[ "${GITLAB_CI:-}" != true ] || [ -z "${CI_MERGE_REQUEST_IID:-}" ] || provider=gitlab
	case ${GITHUB_ACTIONS:-}/${GITHUB_EVENT_NAME:-} in true/pull_request*) provider=github ;; esac
fi
if [ "$provider" != false ] && [ -e "$out/change.json" ]; then
	"$verifier" comment --provider="$provider" "$out/change.json" || say "warning: the comment could not be kept up to date"
fi
exit $code
