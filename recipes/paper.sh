#!/usr/bin/env bash
# The paper's tables and figures on equal terms: every system with the same encoder, data and updates.
#
#   recipes/paper.sh DATA [-c FOLDER] [-s SYSTEMS] [-i INKS] [-r SEEDS] [-e EPOCHS]
#                   [-m MINUTES] [-j RUNS] [-n]
#
#   DATA        folder with crohme/ and formulas/ (docs/data.md)
#   -c FOLDER   a configuration for each system, by its name; by default configs/paper
#   -s SYSTEMS  some of "dwap dwap-td bttr san-gs san"; by default all, dwap and san with two seeds
#   -i INKS     plain or composed; by default both
#   -r SEEDS    0 or 1; by default both
#   -e EPOCHS   that each of them is trained for; by default 100
#   -m MINUTES  train for so long in all: the script ends then, and goes on when it is called again
#   -j RUNS     so many at the same time, on one device; by default 1
#   -n          list the steps, and do nothing
#
# Packs and runs lie where the script is called: packs/ and runs/paper/SYSTEM-INK-SEED/, which has the
# weights, and the scores of CROHME 2014 and 2016, greedy and of strings with a beam of 10. All is
# trained before anything is read. In runs/paper/ tables.md has the scores, speed.md images a second,
# statistics.md what there is to read, and figures-INK/ the figures. A step is left out if its result
# is there and newer than what it is made of. Only training is never repeated by itself: move the
# run's folder away.
set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
data="" configs="$repository/configs/paper" epochs=100 minutes=0 jobs=1 dry=false
known="dwap dwap-td bttr san-gs san" runs=runs/paper
systems=$known inks="plain composed" chosen="0 1"

usage() { sed -n '2,16s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }
recipe=recipes/paper.sh
source "$repository/recipes/steps.sh"
source "$repository/recipes/together.sh"

while [ $# -gt 0 ]; do
    case $1 in
        -c | -s | -i | -r | -e | -m | -j) [ $# -gt 1 ] || fail "$1 takes a value"
            case $1 in
                -c) configs=$2 ;; -s) systems=$2 ;; -i) inks=$2 ;; -r) chosen=$2 ;;
                -e) epochs=$2 ;; -m) minutes=$2 ;; *) jobs=$2 ;;
            esac
            shift 2 ;;
        -n | --dry-run) dry=true; shift ;;
        -h | --help) usage; exit 0 ;;
        -*) fail "$1: no such option; -h tells those that there are" ;;
        *) [ -z "$data" ] || fail "one folder of data, not two"; data=$1; shift ;;
    esac
done
[ -n "$data" ] || fail "name the folder of the data; -h tells more"
crohme=$data/crohme
for file in "$crohme"/{train.inkml,test2014.bitmaps,test2016.bitmaps}.zip \
    "$crohme"/{train,test2014,test2016}.tsv "$data/formulas"; do
    [ -e "$file" ] || fail "$file: no such file"
done
[[ $epochs =~ ^[1-9][0-9]*$ ]] || fail "-e '$epochs': a number of epochs is wanted"
[[ $minutes =~ ^[0-9]*\.?[0-9]+$ ]] || fail "-m '$minutes': a number of minutes is wanted"
[[ $jobs =~ ^[1-9][0-9]*$ ]] || fail "-j '$jobs': a number of runs is wanted"
[[ $inks =~ ^(plain|composed|plain composed|composed plain)$ ]] || fail "-i '$inks': plain or composed"
[[ $chosen =~ ^(0|1|0 1|1 0)$ ]] || fail "-r '$chosen': seeds are 0 and 1"
[[ $systems =~ [^[:space:]] ]] || fail "-s names no system; there are: $known"
for system in $systems; do
    [[ " $known " = *" $system "* ]] || fail "$system: no such system; there are: $known"
    [ -e "$configs/$system.toml" ] || fail "$configs/$system.toml: no such file"
done
choose_python

# The tables compare what was trained equally long, and take every run that is there.
"$python" - $runs "$epochs" <<'PYTHON' || exit 2
import sys
from pathlib import Path
from san.errors import SanError
from san.training.run_files import stage_facts
runs, epochs = Path(sys.argv[1]), int(sys.argv[2])
try:
    for run in sorted((*runs.glob("*-plain-*"), *runs.glob("*-composed-*"))):
        facts = stage_facts(run)
        done = facts.get("epochs", epochs)
        if done > epochs or (facts.get("finished") and done != epochs):
            raise SanError(f"{run}: trained for {done} epochs, not {epochs}; "
                f"take -e {done}, or move it out of {runs}")
except SanError as error:
    sys.exit(f"recipes/paper.sh: {error}")
PYTHON

step packs/crohme-train.npz "$crohme/train.inkml.zip" -- \
    san data pack "$crohme/train.inkml.zip" -o packs/crohme-train.npz
step packs/crohme-2014.npz "$crohme/test2014.bitmaps.zip" -- \
    san data pack "$crohme/test2014.bitmaps.zip" -o packs/crohme-2014.npz
step packs/formulas.txt packs/crohme-train.npz "$data/formulas" -- \
    san ink formulas "$data/formulas" --pack packs/crohme-train.npz -o packs/formulas.txt \
    --exclude-labels "$crohme/test2014.tsv" --exclude-labels "$crohme/test2016.tsv"

images() { # how many an epoch has
    "$python" -c 'from san.data.pack import Pack; print(len(Pack.load("packs/crohme-train.npz")))'
}

workers() { # that make composed ink for each of the runs at once
    "$python" -c 'import sys; from san.cores import usable_cores
print(max(1, usable_cores() // int(sys.argv[1]) - 1))' "$jobs"
}

train() { # SYSTEM INK SEED FOLDER: the same buckets, so the same number of updates
    local options=(--set data.buckets=12 --set "training.epochs=$epochs" --set training.minutes=0
        --set training.validate_every=25 # reading takes its time, and the last epoch counts
        --set "training.seed=$3" --set "name=paper/$1-$2-$3" --minutes "$(minutes_left)" -o "$4")
    [ "$2" = plain ] || options+=(--set "synth.samples_per_epoch=$(images)"
        --set synth.formulas=packs/formulas.txt)
    [ "$2" = plain ] || [ "$jobs" = 1 ] || options+=(--set "synth.workers=$(workers)")
    [ ! -e "$4/state.safetensors" ] || options+=(--resume)
    echo "$jobs" >"$4/at_once.txt" # for the tables: what its minutes mean
    san train "$configs/$1.toml" "${options[@]}"
}

training_begun=$SECONDS
minutes_left() { # of the time to train, more than 0; 0: no end
    awk -v all="$minutes" -v gone=$((SECONDS - training_begun)) \
        'BEGIN { left = all - gone / 60; print (all > 0 ? (left > 0.001 ? left : 0.001) : 0) }'
}
time_is_over() {
    awk -v all="$minutes" -v gone=$((SECONDS - training_begun)) 'BEGIN { exit !(all > 0 && gone >= 60 * all) }'
}

train_in_time() { # FOLDER COMMAND ...: unless the run in the folder is finished, or the time is over
    local folder=$1 why=""
    shift
    number=$((number + 1))
    finished "$folder" || why="it is not finished"
    if [ -n "$why" ] && ! $dry; then
        await_fewer "$jobs"
        ! time_is_over || return 0
    fi
    beside "$folder/weights.safetensors" "$why" "$@"
}

read_again() { # FOLDER COMMAND ...: unless its scores are there, and newer than its weights
    local scores=$1/scores.json weights=$1/weights.safetensors why=""
    shift
    number=$((number + 1))
    [ -e "$scores" ] || why="it is missing"
    if [ -z "$why" ] && { [ -n "${remade[$weights]:-}" ] || [ "$weights" -nt "$scores" ]; }; then
        why="${weights##*/} is newer"
    fi
    beside "$scores" "$why" "$@"
}

all=() trained=() open=()
for ink in $inks; do
    for system in $systems; do
        # Two seeds where the question is what grammar is worth.
        case $system in dwap | san) seeds="0 1" ;; *) seeds=0 ;; esac
        for seed in $seeds; do
            [[ " $chosen " = *" $seed "* ]] || continue
            run=$runs/$system-$ink-$seed
            all+=("$run")
            train_in_time "$run" train "$system" "$ink" "$seed" "$run"
        done
    done
done
await_fewer 1
for run in "${all[@]}"; do
    if $dry || finished "$run"; then
        trained+=("$run")
    elif [[ " ${failed[*]} " != *" $run "* ]]; then
        say "$run" "is not finished: call the script again"
        open+=("$run")
    fi
done
[ ${#all[@]} -gt 0 ] || fail "there is nothing of seed $chosen; dwap and san alone have a seed 1"
if [ ${#open[@]} -gt 0 ] || [ ${#trained[@]} = 0 ]; then
    tell_failed
    exit 0
fi

corpora=("2014=$crohme/test2014.bitmaps.zip" "2016=$crohme/test2016.bitmaps.zip")
scores=()
for run in "${trained[@]}"; do
    case ${run#"$runs/"} in dwap-td-*) beam=1 ;; dwap-* | bttr-*) beam=10 ;; *) beam=1 ;; esac
    read_again "$run" tool paper_scores "$run" --beam $beam "${corpora[@]}"
    scores+=("$run/scores.json")
done
await_fewer 1
step $runs/tables.md "${scores[@]}" -- tool paper_tables $runs

labels=("CROHME, training=$crohme/train.tsv" "CROHME 2014=$crohme/test2014.tsv"
    "CROHME 2016=$crohme/test2016.tsv")
step $runs/statistics.md "$crohme"/{train,test2014,test2016}.tsv -- \
    tool paper_statistics "${labels[@]}" -o $runs/statistics.md

# Of each system the run of seed 0.
for ink in $inks; do
    named=() weights=()
    for run in "${trained[@]}"; do
        [[ $run = *-$ink-0 ]] || continue
        system=${run#"$runs/"}
        named+=("${system%-"$ink"-0}=$run")
        weights+=("$run/weights.safetensors")
    done
    [ ${#named[@]} -gt 0 ] || continue
    if [ "$ink" = "${inks%% *}" ]; then # a network's ink does not change its speed
        step $runs/speed.md "${weights[@]}" packs/crohme-2014.npz -- \
            "$python" "$repository/benchmarks/paper_speed.py" packs/crohme-2014.npz "${named[@]}" \
            -o $runs/speed.md
    fi
    [[ " ${named[*]}" = *" san="* ]] || continue # the figures are about its trees
    step "$runs/figures-$ink/README.md" "${weights[@]}" -- \
        tool paper_figures "$runs/figures-$ink" "${named[@]}"
done
tell_failed
$dry || echo "$runs/tables.md: the tables"
