#!/usr/bin/env bash
# The model `san`, from the raw archives to every file that is shipped.
#
#   recipes/san.sh DATA [-c CONFIG] [-m MINUTES] [-p] [-n]
#
#   DATA        folder with crohme/, hme100k/, mlhme/ and formulas/ (docs/data.md)
#   -c CONFIG   the configuration; by default configs/san.toml
#   -m MINUTES  train for so long at a time: the script ends then, and goes on when it is called again
#   -p          make the packs that need no training, and end
#   -n          list the steps, and do nothing
#
# Packs and runs lie where the script is called: packs/, runs/NAME/STAGE/, and runs/NAME/model/ with
# what is shipped. A step is left out if its result is there and newer than what it is made of; so
# whoever removes a result has it made anew, and all that follows from it. Only training is never
# repeated by itself: move the stage's folder away. Results are written whole or not at all: the
# script may be stopped at any point, and goes on when it is called again.
set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
data="" config="$repository/configs/san.toml" minutes=0 packs=false dry=false

usage() { sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }
recipe=recipes/san.sh
source "$repository/recipes/steps.sh"

while [ $# -gt 0 ]; do
    case $1 in
        -c | -m) [ $# -gt 1 ] || fail "$1 takes a value"
            if [ "$1" = -c ]; then config=$2; else minutes=$2; fi; shift 2 ;;
        -p | --packs) packs=true; shift ;;
        -n | --dry-run) dry=true; shift ;;
        -h | --help) usage; exit 0 ;;
        -*) fail "$1: no such option; -h tells those that there are" ;;
        *) [ -z "$data" ] || fail "one folder of data, not two"; data=$1; shift ;;
    esac
done
[ -n "$data" ] || fail "name the folder of the data; -h tells more"
crohme=$data/crohme hme=$data/hme100k mlhme=$data/mlhme
for file in "$crohme"/{train.inkml,test2014.inkml,test2014.bitmaps,test2016.bitmaps}.zip \
    "$crohme"/{train,test2014,test2016}.tsv "$hme"/{train,val,test}_photos.{zip,tsv} \
    "$hme/test_labels.tsv" "$mlhme"/{train,test}_lines.{zip,tsv} "$data/formulas" "$config"; do
    [ -e "$file" ] || fail "$file: no such file"
done
[[ $minutes =~ ^[0-9]*\.?[0-9]+$ ]] || fail "-m '$minutes': a number of minutes is wanted"
choose_python

all=packs/all-photos.npz # lines of photographs of several among those of one line
# The run's name, the first stage that learns from those ("-": none does), and all stages but trials
# in order.
# What is wrong with the configuration is said here.
stages() {
    "$python" - "$config" "$all" <<'PYTHON'
import sys
from pathlib import Path
from san.errors import SanError
from san.training.config import choose_stages, load_stages
from san.training.rescoring_config import check_sections
try:
    stages = choose_stages(load_stages(Path(sys.argv[1])), None)
    check_sections(Path(sys.argv[1]))
except SanError as error:
    sys.exit(f"san: {error}")
if not stages[0].name:
    sys.exit(f"san: {sys.argv[1]}: it has no stages")
names = [stage.name for stage in stages]
splits = [stage.name for stage in stages if stage.config.synth.photos == sys.argv[2]]
print(Path(stages[0].config.name).parent, *(splits[:1] or ["-"]), *names)
PYTHON
}
found=$(stages) || exit 2
read -r -a stages <<<"$found"
run=runs/${stages[0]} splits=${stages[1]} stages=("${stages[@]:2}")
model=$run/model

# The weights of a stage. `san train` passes over a finished one, and goes on with an interrupted one.
train() { # STAGE
    train_run "$run/$1" san train "$config" -o "$run" --stage "$1" --minutes "$minutes"
}

rescoring() { # a copy of the language model gets the weights of rescoring
    cp "$model/language-model.safetensors" "$model/rescoring.partial" &&
        tool fit_rescoring "$crohme/test2014.bitmaps.zip" "$hme/val_photos.zip" \
            --network "$model/san.safetensors" --rescoring "$model/rescoring.partial" \
            --ink "$crohme/test2014.inkml.zip" --strokes "$model/strokes.safetensors" &&
        mv "$model/rescoring.partial" "$model/rescoring.safetensors"
}

# Corpora: ink, photographs as the network sees them, and a sixth of those apart; the part that is
# held out is written last.
ink=packs/crohme-train.npz photos=packs/photos.npz held=packs/photos-held.npz
lines=packs/val-lines.npz
step $ink "$crohme/train.inkml.zip" -- san data pack "$crohme/train.inkml.zip" -o $ink
step packs/crohme-2014.npz "$crohme/test2014.bitmaps.zip" -- \
    san data pack "$crohme/test2014.bitmaps.zip" -o packs/crohme-2014.npz
step $held and $photos "$hme/train_photos.zip" "$hme/train_photos.tsv" -- \
    san data pack "$hme/train_photos.zip" --clean -o $photos --held-out $held
step $lines and packs/lines.npz "$mlhme/train_lines.zip" "$mlhme/train_lines.tsv" -- \
    san data pack "$mlhme/train_lines.zip" --clean -o packs/lines.npz --held-out $lines
step packs/val-photos.npz "$hme/val_photos.zip" "$hme/val_photos.tsv" -- \
    san data pack "$hme/val_photos.zip" --clean -o packs/val-photos.npz

# Formulas as text, without any that is read in a test or in validation.
excluded=()
for labels in "$crohme"/{test2014,test2016}.tsv "$hme/test_labels.tsv" $held \
    "$mlhme/test_lines.tsv" $lines; do
    excluded+=(--exclude-labels "$labels")
done
formulas() { # RESULT OPTION ...
    step "$1" $ink $held $lines "$data/formulas" -- \
        san ink formulas "$data/formulas" --pack $ink --config "$config" -o "$@" "${excluded[@]}"
}
formulas packs/formulas.txt
formulas packs/photo-formulas.txt --only hme100k --max-formulas 0 --drawn
formulas packs/line-formulas.txt --only mlhme_lines --max-formulas 0 --drawn --several-lines

# Outlines of the fonts that are installed, where the configuration prints formulas (docs/data.md).
if grep -q '^print_fonts = "packs/print.npz"' "$config"; then
    step packs/print.npz -- san ink print-fonts -o packs/print.npz
fi
# Glyphs of fonts of handwriting, where stages have them as writers. npm writes its own list of what it
# installed last: without it, it was stopped, and fonts are missing.
fonts=$repository/recipes/handwriting-fonts
font_glyphs() {
    [ -e "$fonts/node_modules/.package-lock.json" ] || npm ci --silent --prefix "$fonts" || return 1
    san ink font-glyphs "$fonts"/node_modules/@fontsource/*/files/*-latin-400-normal.woff \
        -o packs/font-glyphs.npz
}
if grep -q '^hands = .*"packs/font-glyphs.npz"' "$config"; then
    step packs/font-glyphs.npz "$fonts/package-lock.json" -- font_glyphs
fi
$packs && exit 0

# The first stage finds the symbols of the photographs; the others learn from those as well.
extract() { # PHOTOS GLYPHS MASKS WEIGHTS
    step "$3" and "$2" "$1" $held "$4" -- \
        san ink extract-glyphs "$1" --weights "$4" --config "$config" -o "$2" --photo-masks "$3"
}
train "${stages[0]}"
extract $photos packs/photo-glyphs.npz packs/photo-masks.npz "$run/${stages[0]}/weights.safetensors"
before=$run/${stages[0]}/weights.safetensors
for stage in "${stages[@]:1}"; do
    # By then the network can tell the lines of a photograph of several apart.
    if [ "$stage" = "$splits" ]; then
        step $all packs/lines.npz $photos "$before" -- \
            san ink split-lines packs/lines.npz --photos $photos --weights "$before" \
            --config "$config" -o $all "${excluded[@]}"
        extract $all packs/all-photo-glyphs.npz packs/all-photo-masks.npz "$before"
    fi
    train "$stage"
    before=$run/$stage/weights.safetensors
done

# The weights are those of the last stage that is no trial.
weights=$model/san.safetensors
copied() { cp "$before" "$weights.partial" && mv "$weights.partial" "$weights"; }
step "$weights" "$before" -- copied

# What goes with them: ranges for eight bits, calibration, rescoring.
step "$model/san.int8.json" "$weights" $ink -- \
    tool quantise "$weights" $ink --check "$crohme/test2014.bitmaps.zip"
step "$model/san.calibration.json" and "$model/reliability.svg" \
    "$weights" $held packs/val-photos.npz -- \
    tool calibrate "$weights" "$crohme/test2014.bitmaps.zip" "$crohme/test2016.bitmaps.zip" \
    --photographs $held packs/val-photos.npz --figure "$model/reliability.svg"
texts=("$crohme/train.tsv" packs/formulas.txt packs/photo-formulas.txt)
step "$model/language-model.safetensors" "${texts[@]}" -- \
    tool train_language_model "${texts[@]}" "${texts[@]:1}" --config "$config" \
    -o "$model/language-model.safetensors"
step "$model/strokes.safetensors" $ink packs/formulas.txt -- \
    tool train_strokes $ink --config "$config" --validation "$crohme/test2014.inkml.zip" \
    -o "$model/strokes.safetensors"
step "$model/rescoring.safetensors" "$model/language-model.safetensors" \
    "$model/strokes.safetensors" "$weights" \
    "$model/san.int8.json" "$model/san.calibration.json" -- rescoring

# Scores: greedy, in one pass of single precision; and as `san read` reads by default. The first
# four choose and fit, the others are only told.
corpora=("2014=$crohme/test2014.bitmaps.zip" "val_photos=$hme/val_photos.zip"
    "held_photos=$hme/train_photos.zip=$held" "val_lines=$mlhme/train_lines.zip=$lines"
    "2016=$crohme/test2016.bitmaps.zip" "test_photos=$hme/test_photos.zip"
    "test_lines=$mlhme/test_lines.zip")
step "$model/scores.json" "$model/rescoring.safetensors" $held -- \
    tool score_model "$model" "${corpora[@]}"
step "$model/san.md" "$model/scores.json" "$repository/recipes/model_card.md" -- \
    tool model_card "$model" -o "$model/san.md"
$dry || echo "What is shipped lies in $model: cp $model/{san.*,strokes.*,rescoring.safetensors} src/san/models/" \
    "&& (cd src/san/models && sha256sum *.safetensors > SHA256SUMS);" \
    "tools.fit_rescoring --opinion san-densenet fits it for a second opinion then, and the sums are made again"
