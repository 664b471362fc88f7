# What the recipes share: steps whose results are files. It is sourced, not run.
#
# A step is left out if its results are there and newer than what they are made of. Results are
# written whole or not at all, so a recipe may be stopped at any point, and goes on when it is
# called again.
# Whoever sources this sets `repository`, `dry` and `recipe`, the recipe's name for complaints, and
# calls `choose_python` before the first step.

fail() { echo "$recipe: $1" >&2; exit 2; }
san() { "$python" -c 'from san.cli.main import main; main()' "$@"; }
tool() { "$python" -m "tools.$1" "${@:2}"; }

# The interpreter of all steps: the one that PYTHON names; else the shell's, or that of the
# repository's .venv where the shell's lacks what training takes. Listing the steps takes no torch.
choose_python() {
    local candidates=(python3 "$repository/.venv/bin/python") packages="numpy safetensors"
    [ -z "${PYTHON:-}" ] || candidates=("$PYTHON")
    $dry || packages+=" torch"
    for python in "${candidates[@]}"; do
        if has $packages; then
            export PYTHONPATH="$repository/src:$repository${PYTHONPATH:+:$PYTHONPATH}"
            return
        fi
    done
    fail "${candidates[0]} lacks ${packages// / or }: pip install '.[train]', or name another as PYTHON"
}

has() { # PACKAGE ...: whether the interpreter has them all
    "$python" -c 'import sys; from importlib.util import find_spec
sys.exit(not all(map(find_spec, sys.argv[1:])))' "$@" 2>/dev/null
}

finished() { # FOLDER: whether a training run is
    "$python" - "$1" <<'PYTHON'
import sys
from pathlib import Path
from san.training.run_files import is_finished
sys.exit(not is_finished(Path(sys.argv[1])))
PYTHON
}

number=0
declare -A remade=()
say() { printf '[%2d] %-34s %s\n' "$number" "$1" "$2"; }

# step RESULT [and RESULT ...] [INPUT ...] -- COMMAND ...: unless all results are there, and no
# input is newer.
step() {
    local result=$1 others=() why="" file
    shift
    while [ "$1" = and ]; do
        others+=("$2")
        shift 2
    done
    number=$((number + 1))
    [ -e "$result" ] || why="it is missing"
    for file in "${others[@]}"; do
        [ -n "$why" ] || [ -e "$file" ] || why="${file##*/} is missing"
    done
    while [ "$1" != -- ]; do
        for file in "$result" "${others[@]}"; do
            if [ -z "$why" ] && { [ -n "${remade[$1]:-}" ] || [ "$1" -nt "$file" ]; }; then
                why="${1##*/} is newer"
            fi
        done
        shift
    done
    shift
    make "$result" "$why" "$@"
    for file in "${others[@]}"; do
        [ -z "$why" ] || remade[$file]=yes
        $dry || [ -e "$file" ] || fail "$file: it was not made"
    done
}

# train_run FOLDER COMMAND ...: unless the run in the folder is finished. One that was stopped in
# time ends the recipe, which goes on there when it is called again.
train_run() {
    local folder=$1 why=""
    shift
    number=$((number + 1))
    { [ -e "$folder/weights.safetensors" ] && finished "$folder"; } || why="it is not finished"
    make "$folder/weights.safetensors" "$why" "$@"
    if [ -n "$why" ] && ! $dry && ! finished "$folder"; then
        say "$folder" "is not finished: call the script again"
        exit 0
    fi
}

make() { # RESULT WHY COMMAND ...
    local result=$1 why=$2 begun=$SECONDS
    shift 2
    if [ -z "$why" ]; then
        say "$result" "is there"
        return
    fi
    remade[$result]=yes
    if $dry; then
        say "$result" "to be made: $why"
        return
    fi
    say "$result" "is being made: $why"
    mkdir -p "$(dirname "$result")"
    "$@" || fail "$result: it could not be made"
    [ -e "$result" ] || fail "$result: it was not made"
    say "$result" "done in $((SECONDS - begun)) s"
}
