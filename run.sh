#!/usr/bin/env bash
# Starts Nola, and installs her first when that is needed.
#
#   ./run.sh [ARGUMENT...]   start `nola` with these arguments; without any, the chat
#   ./run.sh test            install what the tests need and run every check
#   ./run.sh test TIER       run one long tier of tests: faults, bench, soak or models
#
# Everything is installed into the folder .venv beside this file and nowhere else; delete it to start afresh.
# Runs on bash 3.2 (macOS) and later. Progress goes to stderr, so stdout is the program's own.
set -euo pipefail

# --- where we are: also from another folder, through a symbolic link, with spaces in the path -------------------------
source_=${BASH_SOURCE[0]}
while [ -L "$source_" ]; do
    link=$(readlink "$source_")
    case $link in
        /*) source_=$link ;;
        *) source_=$(dirname "$source_")/$link ;;
    esac
done
case $source_ in
    */*) root=$(CDPATH='' cd "${source_%/*}/" && pwd -P) ;;
    *) root=$(pwd -P) ;;
esac

venv=$root/.venv
python=$venv/bin/python
lock=$root/.venv.lock
base_lock=requirements.lock
test_lock=requirements-test.lock

say() { printf 'nola: %s\n' "$*" >&2; }
fail() {
    printf 'nola: %s\n' "$*" >&2
    exit 1
}

# --- is the installation the one that these files ask for? ------------------------------------------------------------
# A stamp holds the checksums of what was installed and the paths it was made for. One process (cksum), no Python.
wanted_stamp() { # wanted_stamp LOCKFILE
    cksum "$root/pyproject.toml" "$root/$1"
}
stamp_file() { # stamp_file LOCKFILE
    printf '%s' "$venv/.stamp-$1"
}
is_current() { # is_current LOCKFILE
    local file=$venv/.stamp-$1
    [ -x "$python" ] && [ -x "$venv/bin/nola" ] && [ -r "$file" ] && [ "$(<"$file")" = "$(wanted_stamp "$1")" ]
}

# --- the lock: two starts at once install once ------------------------------------------------------------------------
# A folder, because making one is atomic everywhere. It names the process that holds it; a dead one's lock is broken.
holder() { cat "$lock/pid" 2>/dev/null || true; }
is_alive() { kill -0 "$1" 2>/dev/null || ps -p "$1" >/dev/null 2>&1; }
break_lock() { # break_lock HOLDER: under a second lock, so that nobody breaks the next holder's
    if mkdir "$lock.break" 2>/dev/null; then
        if [ "$(holder)" = "$1" ]; then rm -rf "$lock"; fi
        rmdir "$lock.break" 2>/dev/null || true
    fi
}
take_lock() {
    local waited=0 seen nameless=0 refused=0
    until mkdir "$lock" 2>/dev/null; do
        if [ ! -d "$lock" ]; then # gone again, or never made
            refused=$((refused + 1))
            [ "$refused" -lt 20 ] || fail "can't write in $root; make it writable for you, or copy Nola to a folder that is"
            continue
        fi
        seen=$(holder)
        if [ -z "$seen" ]; then
            # Between making the folder and naming its holder lies an instant; longer than that is a crash.
            nameless=$((nameless + 1))
            if [ "$nameless" -gt 10 ]; then break_lock ""; fi
        elif ! is_alive "$seen"; then
            break_lock "$seen"
            continue
        fi
        if [ "$waited" -eq 0 ]; then say "another start is installing (process ${seen:-?}); waiting for it"; fi
        waited=$((waited + 1))
        if [ "$waited" -gt 1800 ]; then fail "waited half an hour for another install; if none runs, delete $lock"; fi
        if [ "$((waited % 60))" -eq 0 ]; then rmdir "$lock.break" 2>/dev/null || true; fi
        sleep 1
    done
    printf '%s\n' "$$" >"$lock/pid"
    trap 'drop_lock' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
}
drop_lock() {
    trap - EXIT HUP INT TERM
    if [ "$(holder)" = "$$" ]; then rm -rf "$lock"; fi
}

# --- a Python, and the virtual environment ----------------------------------------------------------------------------
has_uv() { uv --version >/dev/null 2>&1; }

find_python() { # find_python MODULES: prints the first Python >= 3.11 that can import MODULES
    local name
    for name in python3.13 python3.12 python3.11 python3; do
        "$name" -I -c "import sys; sys.version_info < (3, 11) and sys.exit(1); import $1; print(sys.executable)" 2>/dev/null &&
            return 0
    done
    return 1
}

make_venv() {
    local base
    rm -rf "$venv"
    if has_uv; then
        base=$(find_python sys) || base=3.13 # none here: uv fetches one
        say "making the virtual environment (uv)"
        uv venv --quiet --seed --python "$base" "$venv" >&2 ||
            fail "uv could not make $venv; the message above says why"
    elif base=$(find_python 'venv, ensurepip'); then
        say "making the virtual environment ($base)"
        "$base" -I -m venv "$venv" >&2 || fail "$base could not make $venv; the message above says why"
    elif base=$(find_python sys); then
        fail "$base comes without the modules venv and ensurepip; install them (Debian and Ubuntu: sudo apt install python3-venv), or install uv, and run this again"
    else
        fail "Nola needs Python 3.11 or newer and found none; install it (macOS: brew install python@3.13; Debian 12 and Ubuntu 24.04 or newer: sudo apt install python3 python3-venv; anywhere: uv) and run this again"
    fi
}

is_sound() { # the environment starts, lies where it was made, has pip, and no install broke off in it
    [ -x "$python" ] && [ ! -e "$venv/.installing" ] && [ -f "$venv/.root" ] && [ "$(<"$venv/.root")" = "$root" ] &&
        "$python" -I -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

# --- installing -------------------------------------------------------------------------------------------------------
# Packages that Nola starts without. They are never built from source here: a missing wheel is a missing package.
optional_packages='xllamacpp onnxruntime tokenizers pyrage'
lack_of() {
    case $1 in
        xllamacpp) printf 'no embedded model, so Ollama is needed' ;;
        pyrage) printf 'backups cannot be locked with a passphrase' ;;
        *) printf 'facts are found by their words only, not by meaning' ;;
    esac
}

pip_install() { # pip_install ARGUMENT...: with uv when it is there, else pip; asks nothing
    set -- --only-binary xllamacpp --only-binary onnxruntime --only-binary tokenizers --only-binary pyrage "$@"
    if has_uv; then
        if [ -t 2 ]; then
            uv pip install --python "$python" "$@" >&2
        else
            uv pip install --quiet --python "$python" "$@" >&2
        fi
    elif [ -t 2 ]; then
        "$python" -I -m pip install "$@" >&2
    else
        "$python" -I -m pip install --quiet --progress-bar off "$@" >&2
    fi
}

without() { # without LOCKFILE PACKAGE...: the lock file minus these packages' entries
    local file=$1
    shift
    awk -v drop=" $* " '
        /^[A-Za-z0-9]/ { name = $1; sub(/==.*/, "", name); skip = index(drop, " " name " ") > 0 }
        !skip' "$file"
}
only() { # only LOCKFILE PACKAGE: one package's entry
    awk -v keep="$2" '/^[A-Za-z0-9]/ { name = $1; sub(/==.*/, "", name) } name == keep' "$1"
}

install_locked() { # install_locked LOCKFILE
    local file=$root/$1 name missing='' part=$venv/.part.txt
    if pip_install --require-hashes -r "$file"; then return 0; fi
    say "not everything could be installed; looking for what this machine has no ready-made package of"
    for name in $optional_packages; do
        only "$file" "$name" >"$part"
        if ! pip_install --require-hashes --no-deps -r "$part" >/dev/null 2>&1; then
            missing="$missing $name"
        fi
    done
    [ -n "$missing" ] || return 1
    # shellcheck disable=SC2086  # a list of words
    without "$file" $missing >"$part"
    pip_install --require-hashes -r "$part" || return 1
    for name in $missing; do say "$name could not be installed on this machine and was left out: $(lack_of "$name")"; done
    rm -f "$part"
}

ensure() { # ensure LOCKFILE: make the environment hold what the lock file says
    local before
    is_current "$1" && return 0
    take_lock
    before=$SECONDS
    if ! is_current "$1"; then # else the one we waited for has done it
        unset PYTHONHOME VIRTUAL_ENV
        export PIP_USER=0 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
        rm -f "$(stamp_file "$1")"
        if ! is_sound; then make_venv; fi
        : >"$venv/.installing"
        printf '%s\n' "$root" >"$venv/.root"
        say "installing (the first time this takes a minute or two)"
        install_locked "$1" ||
            fail "the install failed; the messages above say why. Check the network, then run this again"
        pip_install --no-deps --no-build-isolation -e "$root" ||
            fail "Nola herself could not be installed into $venv; the messages above say why"
        wanted_stamp "$1" >"$(stamp_file "$1")"
        # The tests' lock holds all of the other one's.
        if [ "$1" = "$test_lock" ]; then wanted_stamp "$base_lock" >"$(stamp_file "$base_lock")"; fi
        rm -f "$venv/.installing"
        say "installed in $((SECONDS - before)) s"
    fi
    drop_lock
}

# --- the checks -------------------------------------------------------------------------------------------------------
names=()
results=()
failures=0

step() { # step NAME COMMAND...: run one check, remember how it went and how long it took
    local name=$1 began=$SECONDS status=0
    shift
    printf '\n=== %s\n' "$name"
    "$@" </dev/null || status=$?
    names+=("$name")
    if [ "$status" -eq 0 ]; then
        results+=("passed  $((SECONDS - began)) s")
    else
        results+=("FAILED  $((SECONDS - began)) s")
        failures=$((failures + 1))
    fi
    printf -- '--- %s: %s\n' "$name" "${results[${#results[@]} - 1]}"
}

summary() { # summary BEGAN
    local i
    printf '\n=== Summary\n'
    for ((i = 0; i < ${#names[@]}; i++)); do printf '%-22s %s\n' "${names[$i]}" "${results[$i]}"; done
    printf '%-22s %s s\n' 'all' "$((SECONDS - $1))"
    printf 'checks: %s passed, %s failed\n' "$((${#names[@]} - failures))" "$failures"
    [ "$failures" -eq 0 ]
}

check_all() {
    local began=$SECONDS bin=$venv/bin
    cd "$root"
    step 'format' "$bin/ruff" format --check .
    step 'lint' "$bin/ruff" check .
    step 'types' "$bin/mypy"
    step 'layers' "$bin/lint-imports"
    step 'tests' "$python" -m pytest --cov --cov-report=term:skip-covered
    summary "$began"
}

check_tier() { # check_tier TIER
    local began=$SECONDS status=0 wanted=$1
    cd "$root"
    # Every test of the bar belongs to the table of results, also one that is quick enough for each change.
    if [ "$1" = faults ]; then wanted='(faults or bar) and not bench and not soak and not models'; fi
    "$python" -m pytest --collect-only -q -m "$wanted" tests </dev/null >/dev/null 2>&1 || status=$?
    if [ "$status" -eq 5 ]; then
        printf 'skipped: no tests in this tier yet (%s)\n' "$1"
        return 0
    fi
    # A test of this kind may take minutes; only one that hangs shows where it stands.
    step "tests: $1" "$python" -m pytest -m "$wanted" -o faulthandler_timeout=1200 tests
    summary "$began"
}

if [ "${1-}" = test ]; then
    case $#:${2-} in
        1:)
            ensure "$test_lock"
            check_all
            ;;
        2:faults | 2:bench | 2:soak | 2:models)
            ensure "$test_lock"
            check_tier "$2"
            ;;
        *)
            printf 'usage: ./run.sh test [faults|bench|soak|models]\n' >&2
            exit 2
            ;;
    esac
    exit
fi

is_current "$base_lock" || ensure "$base_lock"
exec "$venv/bin/nola" "$@"
