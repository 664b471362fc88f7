#!/usr/bin/env bash
# The shipped network tuned to one hand, on a CPU in minutes.
#
#   recipes/own-hand.sh COLLECTION [-d CORPUS] [-c CONFIG] [-n]
#
#   COLLECTION  folder or zip of that hand's ink: InkML with labels (docs/own-hand.md)
#   -d CORPUS   ink of many writers beside it, CROHME's train.inkml.zip say
#   -c CONFIG   the configuration; by default configs/own-hand.toml
#   -n          list the steps, and do nothing
#
# Packs and runs lie where the script is called; the result is runs/own-hand/own-hand.safetensors.
# A step is left out if its result is there and newer than what it is made of, and one that was
# stopped goes on when the script is called again.
set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
collection="" others="" config="$repository/configs/own-hand.toml" dry=false

usage() { sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }
recipe=recipes/own-hand.sh
source "$repository/recipes/steps.sh"

while [ $# -gt 0 ]; do
    case $1 in
        -c | -d) [ $# -gt 1 ] || fail "$1 takes a value"
            if [ "$1" = -c ]; then config=$2; else others=$2; fi; shift 2 ;;
        -n | --dry-run) dry=true; shift ;;
        -h | --help) usage; exit 0 ;;
        -*) fail "$1: no such option; -h tells those that there are" ;;
        *) [ -z "$collection" ] || fail "one collection, not two"; collection=$1; shift ;;
    esac
done
[ -n "$collection" ] || fail "name the collection of ink; -h tells more"
for file in "$collection" ${others:+"$others"} "$config"; do
    [ -e "$file" ] || fail "$file: no such file"
done
choose_python

# The weights that it begins with. What is wrong with the configuration is said here.
begun() {
    "$python" - "$config" <<'PYTHON'
import sys
from pathlib import Path
from san.errors import SanError
from san.models import find_model
from san.training.config import choose_stages, load_stages
try:
    (stage,) = choose_stages(load_stages(Path(sys.argv[1])), None)
    print(find_model(Path(stage.config.training.init_weights)))
except (SanError, ValueError) as error:
    sys.exit(f"san: {sys.argv[1]}: {error}")
PYTHON
}
begun=$(begun) || exit 2

pack=packs/own-hand.npz run=runs/own-hand
step $pack "$collection" ${others:+"$others"} -- \
    tool mix_corpora "own=$collection" ${others:+"others=$others"} -o $pack
# More ink, another training: that of before would be passed over as finished.
if [ -n "${remade[$pack]:-}" ] && [ -e $run/tuned ] && ! $dry; then
    rm -rf $run/before && mv $run/tuned $run/before
fi
train_run $run/tuned san train "$config" -o $run --stage tuned --device cpu
model=$run/own-hand.safetensors
step $model $run/tuned/weights.safetensors -- \
    tool tuned_model "$begun" $run/tuned/weights.safetensors -o $model
$dry || echo "It reads with: san read FILE --model $model"
