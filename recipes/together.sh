# Steps at the same time, such as trainings on one device. It is sourced, not run, behind
# recipes/steps.sh; whoever sources it sets `jobs`, how many there may be.
#
# Each runs in a process group of its own and writes output.txt beside its result. One that fails is
# named, and the others go on. Stopping the script stops them all.

declare -A running=()
failed=() log=output.txt

# beside RESULT WHY COMMAND ...: as `make`; with more than one job it does not wait for the end.
beside() {
    local result=$1 why=$2 folder=${1%/*}
    shift 2
    if [ -z "$why" ] || $dry || [ "$jobs" = 1 ]; then
        make "$result" "$why" "$@"
        return
    fi
    await_fewer "$jobs"
    remade[$result]=yes
    say "$result" "is being made: $why"
    mkdir -p "$folder"
    set -m # a process group of its own
    "$@" >>"$folder/$log" 2>&1 </dev/null &
    set +m
    running[$folder]=$!
}

# await_fewer N: until fewer than so many run. Once a minute it says how far they are.
await_fewer() {
    local folder told=$SECONDS
    while [ ${#running[@]} -ge "$1" ]; do
        for folder in "${!running[@]}"; do
            kill -0 "${running[$folder]}" 2>/dev/null || ended "$folder"
        done
        [ ${#running[@]} -ge "$1" ] || break
        if [ $((SECONDS - told)) -ge 60 ]; then
            told=$SECONDS
            for folder in "${!running[@]}"; do echo "     $folder: $(last_line "$folder" | cut -c1-60)"; done
        fi
        sleep 1 &
        wait $! || true # unlike sleep itself, it ends when a signal comes
    done
}

ended() { # FOLDER
    local status=0
    wait "${running[$1]}" || status=$?
    unset "running[$1]"
    [ "$status" != 0 ] || return 0
    failed+=("$1")
    echo "$recipe: $1 failed: $(last_line "$1") ($1/$log)" >&2
}

last_line() { tail -n 1 "$1/$log" 2>/dev/null || true; } # FOLDER

tell_failed() { # at the end, of those that failed
    [ ${#failed[@]} = 0 ] || fail "failed: ${failed[*]}"
}

stop_all() {
    local process
    for process in "${running[@]}"; do kill -- "-$process" 2>/dev/null || true; done
}
trap stop_all EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
