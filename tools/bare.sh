#!/bin/bash
# bare.sh TESTS VERSION...: runs both commands of the README on a bare Debian of each version, 12 or 13.
#
# A root is made with debootstrap: the smallest there is, make and certificates. Go is copied in, as somebody gets it from go.dev, and a
# fresh clone of HEAD. Everything else is fetched there, as on a new machine. How the machine reaches the network is read off it: apt's
# mirror and settings, its certificates, and the variables of proxies and registries. The root goes when the script ends.
set -euo pipefail

say() { echo "== $(date +%T) $*"; }
fail() { say "failed: $*"; exit 1; }

# inside is what runs in the root. Nothing but make and Go is there when it begins, so make run comes first.
inside() {
	cd /root/verifier
	say "make run"
	: >/root/run.log
	setsid make run RUN_ADDR=127.0.0.1:0 > >(tee /root/run.log) 2>&1 &
	local service=$! address=
	until address=$(sed -n 's#^Model Verifier is at http://##p' /root/run.log) && [ -n "$address" ]; do
		kill -0 "$service" 2>/dev/null || fail "make run ended"
		sleep 1
	done
	for path in / /healthz; do
		exec 3<>"/dev/tcp/${address%:*}/${address#*:}"
		printf 'GET %s HTTP/1.0\r\nHost: %s\r\n\r\n' "$path" "$address" >&3
		read -r _ status _ <&3
		exec 3>&-
		say "GET $path answers $status"
		[ "$status" = 200 ] || fail "$path does not answer 200"
	done
	kill -TERM -- "-$service"
	wait "$service" || true

	say "make test TESTS=$1"
	make test TESTS="$1" 2>&1 | tee /root/test.log
	if grep -E 'not installed|apt-get install|cannot be had here' /root/test.log; then
		fail "tests skipped for what make test should have installed"
	fi
	[ -z "$(ls -A /tmp)" ] || { ls -lA /tmp; fail "make test left these in /tmp"; }
	[ -z "$(git status --porcelain)" ] || { git status --short; fail "make test changed the repository"; }
	say "both commands pass on Debian $(cat /etc/debian_version)"
}

# mirrors prints apt's addresses of this machine that have (or, with -v, do not have) the word security in them.
mirrors() { apt-get indextargets --format '$(REPO_URI)' "Created-By: Packages" 2>/dev/null | sort -u | grep -i debian | grep "$@" security | head -n 1; }

# network lets a root reach what this machine reaches, the way this machine does.
network() {
	local root=$1 suite=$2 security
	cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
	apt-config dump | grep -E '^Acquire::(https?::|Check-Valid-Until|Retries).*"[^"]+";' >"$root/etc/apt/apt.conf.d/90machine" || true
	cp -r /etc/apt/auth.conf.d/. "$root/etc/apt/auth.conf.d/"
	security=$(mirrors -e || true)
	[ -z "$security" ] || echo "deb $security $suite-security main" >>"$root/etc/apt/sources.list"
	mkdir -p "$root/usr/local/share/ca-certificates"
	cp -rL /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
	chroot "$root" update-ca-certificates >/dev/null 2>&1
}

# variables prints those that say how the network is reached, and what Go is set to.
variables() {
	env | grep -iE '^(https?_proxy|all_proxy|no_proxy|npm_config_[a-z_]*|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|CURL_CA_BUNDLE|GIT_SSL_CAINFO)=' || true
	for name in GOPROXY GOSUMDB GONOSUMDB GONOPROXY GOPRIVATE; do echo "$name=$(go env "$name")"; done
}

# try makes a root in a folder and runs both commands there, in namespaces of its own: what is mounted and started ends with them.
try() {
	local dir=$1 tests=$2 version=$3 suite root=$1/root mirror
	case $version in 12) suite=bookworm ;; 13) suite=trixie ;; *) fail "there is no Debian $version here: 12 or 13" ;; esac
	mirror=$(mirrors -v || true)
	say "Debian $version: debootstrap"
	debootstrap --variant=minbase --include=make,ca-certificates "$suite" "$root" ${mirror:+"$mirror"} >"$dir/debootstrap.log" 2>&1 || { tail "$dir/debootstrap.log"; fail debootstrap; }
	echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/quick" # no waiting for the disk: this root is thrown away
	network "$root" "$suite"
	cp -a "$(go env GOROOT)" "$root/usr/local/go"
	git clone -q --no-hardlinks . "$root/root/verifier"
	local environment
	mapfile -t environment < <(variables)
	unshare --mount --pid --fork --kill-child bash -euc '
		mount --bind "$0" "$0" # a root that is mounted, as that of a machine is
		mount -t proc proc "$0/proc"
		mount --rbind /dev "$0/dev"
		mount --rbind /sys "$0/sys" # Slurm asks it for control groups
		mount -t tmpfs -o mode=1777 tmpfs "$0/tmp" # in memory, as Debian 13 has it
		exec chroot "$0" env -i "$@"' \
		"$root" HOME=/root PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin CI=true "${environment[@]}" \
		/root/verifier/tools/bare.sh inside "$tests" &
	running=$!
	wait "$running"
	running=
}

# tidy ends what runs in a root, and removes it.
tidy() {
	[ -z "$running" ] || kill -KILL "$running" 2>/dev/null || true
	[ -z "$dir" ] || rm -rf --one-file-system "$dir"
	dir=
}

if [ "${1-}" = inside ]; then
	inside "$2"
	exit
fi
cd "$(dirname "$0")/.."
tests=$1
shift
[ "$(id -u)" = 0 ] || fail "a root can be made by root alone"
command -v debootstrap >/dev/null || fail "debootstrap is missing: apt-get install debootstrap"
[ -z "$(git status --porcelain)" ] || say "what is not committed is not tested: HEAD is"
dir= running=
trap tidy EXIT
trap 'exit 130' INT TERM
for version; do
	dir=$(mktemp -d "${TMPDIR:-/var/tmp}/bare.XXXXXX")
	chmod 755 "$dir"
	try "$dir" "$tests" "$version"
	tidy
done
