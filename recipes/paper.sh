#!/usr/bin/env bash
# The paper's tables 2 and 4 on equal terms: every system with the same encoder, data and updates.
#
#   recipes/paper.sh DATA [-c FOLDER] [-s SYSTEMS] [-e EPOCHS] [-m MINUTES] [-n]
#
#   DATA        folder with crohme/ and formulas/ (docs/data.md)
#   -c FOLDER   a configuration for each system, by its name; by default configs/paper
#   -s SYSTEMS  some of "dwap dwap-td bttr san-gs san"; by default all, dwap and san with two seeds
#   -e EPOCHS   that each of them is trained for; by default 100
#   -m MINUTES  train for so long at a time: the script ends then, and goes on when it is called again
#   -n          list the steps, and do nothing
#
# Packs and runs lie where the script is called: packs/ and runs/paper/SYSTEM-INK-SEED/, which has the
# weights, and the scores of CROHME 2014 and 2016, greedy and of strings with a beam of 10;
# runs/paper/tables.md has them all. A step is left out if its result is there and newer than what
# it is made of. Only training is never repeated by itself: move the run's folder away.
set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
data="" configs="$repository/configs/paper" epochs=100 minutes=0 dry=false
known="dwap dwap-td bttr san-gs san" runs=runs/paper
systems=$known

usage() { sed -n '2,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }
recipe=recipes/paper.sh
source "$repository/recipes/steps.sh"

while [ $# -gt 0 ]; do
    case $1 in
        -c | -s | -e | -m) [ $# -gt 1 ] || fail "$1 takes a value"
            case $1 in -c) configs=$2 ;; -s) systems=$2 ;; -e) epochs=$2 ;; *) minutes=$2 ;; esac
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
    "$crohme"/{test2014,test2016}.tsv "$data/formulas"; do
    [ -e "$file" ] || fail "$file: no such file"
done
[[ $epochs =~ ^[1-9][0-9]*$ ]] || fail "-e '$epochs': a number of epochs is wanted"
[[ $minutes =~ ^[0-9]*\.?[0-9]+$ ]] || fail "-m '$minutes': a number of minutes is wanted"
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

train() { # SYSTEM INK SEED FOLDER: the same buckets, so the same number of updates
    local options=(--set data.buckets=12 --set "training.epochs=$epochs" --set training.minutes=0
        --set "training.seed=$3" --set "name=paper/$1-$2-$3" --minutes "$minutes" -o "$4")
    [ "$2" = plain ] || options+=(--set "synth.samples_per_epoch=$(images)"
        --set synth.formulas=packs/formulas.txt)
    [ ! -e "$4/state.safetensors" ] || options+=(--resume)
    san train "$configs/$1.toml" "${options[@]}"
}

corpora=("2014=$crohme/test2014.bitmaps.zip" "2016=$crohme/test2016.bitmaps.zip")
scores=()
for ink in plain composed; do
    for system in $systems; do
        # Two seeds where the question is what grammar is worth.
        case $system in dwap | san) seeds="0 1" ;; *) seeds=0 ;; esac
        for seed in $seeds; do
            run=$runs/$system-$ink-$seed
            train_run "$run" train "$system" "$ink" "$seed" "$run"
            case $system in dwap | bttr) beam=10 ;; *) beam=1 ;; esac
            step "$run/scores.json" "$run/weights.safetensors" -- \
                tool paper_scores "$run" --beam $beam "${corpora[@]}"
            scores+=("$run/scores.json")
        done
    done
done
step $runs/tables.md "${scores[@]}" -- tool paper_tables $runs
$dry || echo "$runs/tables.md: the tables"
