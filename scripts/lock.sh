#!/usr/bin/env bash
# Remakes the lock files: every package that `run.sh` installs, with its hashes and without any download address.
#
#   scripts/lock.sh            keep the versions that are locked, add and drop what pyproject.toml asks for
#   scripts/lock.sh --upgrade  take the newest versions that pyproject.toml allows
#
# Needs uv. The hashes are the package index's own: wheel folders that this machine may know of are left out of it.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! command -v uv >/dev/null 2>&1; then
    echo "lock.sh: uv is needed to remake the locks; see docs/decisions/0002-lock-files-without-addresses.md" >&2
    exit 1
fi
unset UV_FIND_LINKS UV_EXTRA_INDEX_URL UV_INDEX PIP_FIND_LINKS PIP_EXTRA_INDEX_URL

compile() { # compile OUTPUT ARGUMENT...
    local output=$1
    shift
    uv pip compile pyproject.toml --quiet --no-config \
        --universal --python-version 3.11 --generate-hashes \
        --no-emit-index-url --no-emit-find-links --no-header --no-annotate \
        --output-file "$output" "$@"
}

compile requirements.lock --extra embedded --extra embeddings --extra encryption --group build "$@"
# The versions of the first lock bind the second, so that what is tested is what is installed.
compile requirements-test.lock --extra embedded --extra embeddings --extra encryption --extra test --group build --constraint requirements.lock "$@"

if grep -En '(https?|file)://|^--|^-[a-z]' requirements.lock requirements-test.lock >&2; then
    echo "lock.sh: a lock file holds an address or an option (above); nothing of that kind may stand in it" >&2
    exit 1
fi
echo "locked: $(grep -c '==' requirements.lock) packages, $(grep -c '==' requirements-test.lock) with the tests'"
