"""`san ink`: look at ink, and write some."""

import itertools
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from PIL import Image

from san.cli.console import check_outputs, check_pack, check_picture, save_picture, with_progress
from san.config import changed
from san.data.pack import Pack, open_photographs, write_pack
from san.data.photo_masks import PhotoMask, write_photo_masks
from san.data.print_fonts import write_print_fonts
from san.data.sample import Sample
from san.decoding.engine import Engine
from san.errors import SanError, printable
from san.files import write_file
from san.grammar import parse
from san.grammar.grids import INKLESS
from san.grammar.vocabulary import Vocabulary
from san.images.clean.components import stroke_width
from san.ink import read_inkml
from san.ink.show import show as picture_of
from san.ink.unipen import isolated_characters
from san.models import NETWORK, find_model
from san.synth.composer import Composer
from san.synth.config import ComposerConfig, SynthConfig
from san.synth.extraction.characters import character_rows
from san.synth.extraction.collect import glyph_rows, masks_without_outliers
from san.synth.extraction.extract import ExtractedPhoto, extract
from san.synth.extraction.fonts import extract_font, font_files
from san.synth.extraction.lines import split_lines as split_photo
from san.synth.formulas.text import fingerprint, fingerprints, prepare, split
from san.synth.glyphs.bank import GlyphBank
from san.synth.glyphs.build import build_bank
from san.synth.glyphs.copybook import Copybook
from san.synth.printed.fonts import FOLDERS, find_faces
from san.synth.samples import InkSamples
from san.synth.variation.config import GENTLE
from san.training.config import load_config, read_config

app = typer.Typer(help="Look at ink, and write some.", no_args_is_help=True)

PACK = Path("packs/crohme-train.npz")
ConfigFile = Annotated[
    Path | None,
    typer.Option("--config", help="A configuration of a training (.toml): its section synth."),
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a value, as of `san train`."),
]
NetworkOption = Annotated[
    Path | None,
    typer.Option(
        "--weights", help="The network that finds symbols: weights, or a model's name; else san."
    ),
]


@app.command()
def show(
    file: Annotated[Path, typer.Argument(help="An InkML file.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The picture; by default a new one, FILE's name as .png, here."
        ),
    ] = None,
) -> None:
    """Draw an InkML file as a picture, its symbols in colours with their labels."""
    target = output or Path(file.stem + ".png")
    check_picture(target)
    sheet = read_inkml(file)  # first: where FILE is a picture, its name is that of the result
    check_outputs([target], [file])
    if output is None and target.exists():  # a picture of another, beside the ink perhaps
        raise SanError(f"{target}: stands there already; name the picture with --output")
    save_picture(picture_of(sheet), target)
    typer.echo(target)


@app.command()
def compose(
    formula: Annotated[str, typer.Argument(help="LaTeX.")],
    seed: Annotated[int, typer.Option(min=0, help="Another seed, another writing.")] = 0,
    output: Annotated[Path, typer.Option("--output", "-o", help="The picture.")] = Path(
        "composed.png"
    ),
    pack: Annotated[
        Path | None,
        typer.Option(
            help=f"Whose ink to write with; by default {PACK}, or our own alphabet without it."
        ),
    ] = None,
) -> None:
    """Write a formula as a person might, from written symbols."""
    check_picture(output)
    check_outputs([output], [pack])
    tree = parse(formula)
    if pack is None and PACK.is_file():
        pack = PACK
    samples = Copybook() if pack is None else Pack.load(pack)
    composer = Composer(_bank(samples, SynthConfig()), config=ComposerConfig(distortion=GENTLE))
    picture = composer.compose(tree, np.random.default_rng(seed)).picture
    save_picture(Image.fromarray(picture), output)
    typer.echo(output)


@app.command()
def formulas(
    folder: Annotated[Path, typer.Argument(help="Text files of LaTeX, a formula a line.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file of formulas.")],
    exclude_labels: Annotated[
        list[Path],
        typer.Option(
            help="Labels of a test set (id<TAB>LaTeX or a pack), never composed; repeatable."
        ),
    ],
    pack: Annotated[Path, typer.Option(help="The ink to compose from: its symbols count.")] = PACK,
    drawn: Annotated[
        bool, typer.Option("--drawn", help="And those that it lacks but that can be made.")
    ] = False,
    only: Annotated[
        str, typer.Option(help="Take only files whose names begin so, such as hme100k.")
    ] = "",
    max_formulas: Annotated[
        int | None,
        typer.Option(min=0, help="Formulas of one file; 0: all of them; by default a mixture."),
    ] = None,
    several_lines: Annotated[
        bool,
        typer.Option("--several-lines", help="And systems, cases, stacked lines and matrices."),
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Another seed, another choice.")] = 0,
    config: ConfigFile = None,
    changes: Changes = None,
) -> None:
    """Choose formulas to compose for training, and keep the tests' labels out of them."""
    check_outputs([output], [pack, config, *exclude_labels, *folder.glob("*.txt")])
    synth = _synth_config(config, changes)
    ink = Pack.load(pack)
    if drawn:
        vocabulary = Vocabulary(tuple(sorted(_bank(ink, synth).by_name)))
    else:
        vocabulary = Vocabulary.gather(ink.tree(place) for place in range(len(ink)))
    if several_lines:
        vocabulary = Vocabulary(tuple(sorted(INKLESS.union(vocabulary.symbols))))
    lines = prepare(
        folder, exclude_labels, vocabulary, seed, only, max_formulas, synth.formula_text
    )
    write_file(output, "".join(f"{line}\n" for line in lines))
    chosen, barred = split(lines)
    typer.echo(f"{output}: {len(chosen):,} formulas, {len(barred):,} labels barred")


@app.command()
def print_fonts(
    output: Annotated[Path, typer.Option("--output", "-o", help="The file of outlines.")],
    folders: Annotated[
        list[Path] | None,
        typer.Option("--fonts", help="Where font files lie; repeatable; by default Debian's."),
    ] = None,
) -> None:
    """Take the outlines of characters out of fonts, to print formulas for training."""
    check_outputs([output], [])
    faces, missing = find_faces(folders or FOLDERS)
    write_print_fonts(faces, output)
    size = output.stat().st_size / 1e6
    typer.echo(f"{output}: {len(faces)} typefaces, {size:.1f} MB")
    if missing:
        typer.echo(f"not found: {', '.join(missing)}", err=True)


@app.command()
def split_lines(
    lines: Annotated[
        Path,
        typer.Argument(help="A pack of cleaned photographs of several lines."),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The pack of photographs of one line.")
    ],
    exclude_labels: Annotated[
        list[Path],
        typer.Option(help="Labels of a test set (id<TAB>LaTeX or a pack); repeatable."),
    ],
    photos: Annotated[
        Path | None, typer.Option(help="A pack of cleaned photographs of one line, to come first.")
    ] = None,
    weights: NetworkOption = None,
    config: ConfigFile = None,
    changes: Changes = None,
) -> None:
    """Take photographs of several lines apart into photographs of one line."""
    check_pack(output)
    network = find_model(weights or NETWORK)
    check_outputs([output], [lines, photos, network, config, *exclude_labels])
    extraction = _synth_config(config, changes).extraction
    excluded = fingerprints(exclude_labels)
    several = open_photographs(lines)
    engine, stride = _network(network)
    found: list[Sample] = []
    barred = 0
    for place in with_progress(range(len(several)), len(several), "taking apart"):
        tree = several.tree(place)
        if not engine.vocabulary.knows(tree):
            continue
        for line in split_photo(engine, several.image(place), tree, stride, extraction):
            if fingerprint(line.tree) in excluded:
                barred += 1
            else:
                name = f"{several.ids[place]}-line-{line.number + 1}"
                found.append(Sample(name, line.tree, image=line.picture))
    if not found:
        raise SanError(f"{lines}: no line of these photographs can be told from the others")
    count = write_pack((*(_samples(open_photographs(photos)) if photos else ()), *found), output)
    typer.echo(
        f"{output}: {count:,} photographs of one line, {len(found):,} of them from"
        f" {len(several):,} of several; {barred:,} labels barred"
    )


@app.command()
def extract_glyphs(
    photos: Annotated[
        Path, typer.Argument(help="A pack of cleaned photographs (`san data pack --clean`).")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The pack of glyphs.")],
    weights: NetworkOption = None,
    photo_masks: Annotated[
        Path | None,
        typer.Option(help="And which pixels are which symbol, to recombine the photographs."),
    ] = None,
    config: ConfigFile = None,
    changes: Changes = None,
) -> None:
    """Extract the symbols of photographs whose labels are known, to compose formulas with them."""
    check_pack(output)
    network = find_model(weights or NETWORK)
    check_outputs([output, photo_masks], [photos, network, config])
    synth = _synth_config(config, changes)
    pack = open_photographs(photos)
    engine, stride = _network(network)
    extracted: dict[str, ExtractedPhoto] = {}
    for place in with_progress(range(len(pack)), len(pack), "extracting"):
        tree = pack.tree(place)
        if engine.vocabulary.knows(tree):
            extracted[pack.ids[place]] = extract(
                engine, pack.image(place), tree, stride, synth.extraction, synth.bank.root_overreach
            )
    samples = list(
        glyph_rows(list(extracted), list(extracted.values()), synth.extraction, synth.bank.measure)
    )
    if not samples:
        raise SanError(f"{photos}: no symbol of these photographs can be trusted")
    write_pack(samples, output)
    typer.echo(
        f"{output}: {_count_glyphs(samples)} writers,"
        f" of {sum(len(photo.outline) for photo in extracted.values()):,} written"
    )
    if photo_masks:
        _write_masks(pack, extracted, photo_masks, synth)


@app.command()
def font_glyphs(
    fonts: Annotated[
        list[Path],
        typer.Argument(help="Fonts of handwriting, or folders of them (.ttf, .otf, .woff)."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The pack of glyphs.")],
    weights: NetworkOption = None,
    config: ConfigFile = None,
    changes: Changes = None,
) -> None:
    """Trace the characters of handwriting fonts, each file one more writer to compose with.

    Fonts that cannot be used are left out, and named.
    """
    check_pack(output)
    files = font_files(fonts)
    network = find_model(weights or NETWORK)
    check_outputs([output], [*files, network, config])
    synth = _synth_config(config, changes)
    engine, _ = _network(network)
    traced: dict[str, ExtractedPhoto] = {}
    left_out: list[str] = []
    for path in with_progress(files, len(files), "tracing"):
        try:
            traced[_free_name(path.stem, traced)] = extract_font(engine, path, synth.extraction)
        except SanError as error:
            left_out.append(str(error))
    samples = list(
        glyph_rows(list(traced), list(traced.values()), synth.extraction, synth.bank.measure)
    )
    usual = {sample.id for sample in samples}
    left_out += [f"{name}: hardly a usual character" for name in traced if name not in usual]
    if not samples:
        many = f"none of {len(files):,} fonts can be used; " if len(files) > 1 else ""
        raise SanError(many + left_out[0])
    write_pack(samples, output)
    typer.echo(f"{output}: {_count_glyphs(samples)} fonts")
    if left_out:
        typer.echo(f"left out {len(left_out):,} of {len(files):,} fonts:", err=True)
        for complaint in left_out:
            typer.echo(f"  {printable(complaint)}", err=True)


@app.command()
def character_glyphs(
    folder: Annotated[
        Path, typer.Argument(help="A distribution of UNIPEN: the folder with data/ and include/.")
    ],
    pack: Annotated[Path, typer.Option(help="The corpus of ink: how large symbols usually are.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The pack of glyphs.")],
    weights: NetworkOption = None,
    config: ConfigFile = None,
    changes: Changes = None,
) -> None:
    """Take characters that people wrote one by one, each person one more writer to compose with."""
    check_pack(output)
    network = find_model(weights or NETWORK)
    check_outputs([output], [pack, network, config])
    synth = _synth_config(config, changes)
    engine, _ = _network(network)
    bank = build_bank(Pack.load(pack), derived=synth.derived, config=synth.bank)
    characters = list(isolated_characters(folder))
    samples = list(
        character_rows(
            engine, characters, bank, synth.extraction,
            progress=lambda glyphs: with_progress(glyphs, len(glyphs), "reading them again"),
        )
    )  # fmt: skip
    if not samples:
        raise SanError(f"{folder}: of {len(characters):,} characters none can be used")
    write_pack(samples, output)
    typer.echo(f"{output}: {_count_glyphs(samples)} writers")


def _free_name(name: str, taken: Collection[str]) -> str:
    """A name, with a number behind it where another font has it."""
    numbered = (f"{name}-{number}" for number in itertools.count(2))
    return name if name not in taken else next(free for free in numbered if free not in taken)


def _count_glyphs(samples: Sequence[Sample]) -> str:
    labels = [glyph.label for sample in samples for glyph in sample.glyphs if glyph.label]
    return f"{len(labels):,} glyphs of {len(set(labels))} symbols by {len(samples):,}"


def _samples(photos: Pack) -> Iterator[Sample]:
    for place, name in enumerate(photos.ids):
        yield Sample(name, photos.tree(place), image=photos.image(place))


def _network(path: Path) -> tuple[Engine, int]:
    """The network that walks along true trees, and the pixels of a cell of its features."""
    # Where a network is trained there may be no runtime, and few commands need it.
    from san.model.onnx.engine import OnnxEngine
    from san.model.onnx.models import load_models
    from san.model.spec import STRIDE

    return OnnxEngine(load_models(path)).on_one_core(), STRIDE


def _write_masks(
    pack: Pack, extracted: dict[str, ExtractedPhoto], path: Path, synth: SynthConfig
) -> None:
    photos = extracted.values()
    masks = masks_without_outliers(
        [photo.outline for photo in photos],
        [photo.mask for photo in photos],
        synth.extraction,
        synth.bank.measure,
    )
    number = {name: place for place, name in enumerate(pack.ids)}
    photo_masks = {
        name: PhotoMask(
            pack.latex[number[name]],
            mask,
            stroke_width((pack.image(number[name]) > 127).astype(np.uint8)),
        )
        for name, mask in zip(extracted, masks, strict=True)
    }
    write_photo_masks(photo_masks, path)
    count = sum(len(np.unique(mask[mask > 0])) for mask in masks)
    typer.echo(f"{path}: {count:,} symbols have a mask on {len(photo_masks):,} photographs")


def _bank(samples: InkSamples, synth: SynthConfig) -> GlyphBank:
    return build_bank(
        samples,
        progress=lambda places: with_progress(places, len(places), "reading ink"),
        derived=synth.derived,
        config=synth.bank,
    )


def _synth_config(path: Path | None, changes: list[str] | None) -> SynthConfig:
    """The section synth of a training's configuration; without a file that of no training."""
    if path is None:
        return read_config(changed({}, changes or ())).synth
    return load_config(path, changes or ()).synth
