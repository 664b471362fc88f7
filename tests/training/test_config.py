import dataclasses
from dataclasses import asdict
from itertools import pairwise
from operator import le
from pathlib import Path

import pytest

from san.errors import SanError
from san.models import NETWORK, find_model
from san.synth.config import Shares, SynthConfig
from san.training.config import (
    Config,
    choose_stages,
    load_config,
    load_stages,
    read_config,
)

CONFIGS = Path(__file__).parents[2] / "configs"
FILES = sorted(CONFIGS.rglob("*.toml"))


def write(folder: Path, text: str) -> Path:
    path = folder / "run.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_nothing_said_is_the_paper_s_recipe(tmp_path: Path) -> None:
    config = load_config(write(tmp_path, ""))
    assert config == Config()
    training = config.training
    assert (training.optimiser, training.learning_rate, training.rho) == ("adadelta", 1.0, 0.95)
    assert (training.batch_size, training.epochs, training.epsilon) == (8, 200, 1e-6)
    assert (config.network.hidden, config.network.features) == (256, 684)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_shipped_configs_are_valid(path: Path) -> None:
    assert load_config(path).name.startswith(path.stem)


def test_no_two_shipped_configs_share_a_run_s_folder() -> None:
    names = [stage.config.name for path in FILES for stage in load_stages(path)]
    assert len(set(names)) == len(names)


def test_the_recipe_keeps_within_its_minutes() -> None:
    """A stage is one stretch of GPU time; all of them are at most 150 minutes."""
    stages = load_stages(CONFIGS / "san.toml")
    minutes = [stage.config.training.minutes for stage in stages]
    assert 0 < min(minutes) <= max(minutes) <= 27
    trained = [stage for stage in choose_stages(stages, None) if not stage.mean_of]
    assert sum(stage.config.training.minutes for stage in trained) <= 150


def test_what_is_shipped_is_the_recipe_s_last_stage_and_no_trial() -> None:
    shipped = choose_stages(load_stages(CONFIGS / "san.toml"), None)[-1]
    assert (shipped.name, shipped.trial) == ("soup", False)
    assert load_config(CONFIGS / "san.toml") == shipped.config


def test_whoever_has_what_is_shipped_can_run_the_recipe_s_trials() -> None:
    stages = load_stages(CONFIGS / "san.toml")
    trials = [stage for stage in stages if stage.trial]
    if not trials:
        pytest.skip("the recipe has no trial")
    for stage in trials:
        assert stage.config == load_config(CONFIGS / "san.toml", stage=stage.name)
        assert not stage.origins
        assert find_model(Path(stage.config.training.init_weights)) == NETWORK


def test_the_recipe_s_first_stage_meets_no_photograph() -> None:
    stages = load_stages(CONFIGS / "san.toml")
    synth = stages[0].config.synth
    assert {synth.photos, synth.photo_glyphs, synth.photo_masks, synth.line_photos} == {""}
    assert len({stage.config.training.seed for stage in stages}) == len(stages)
    for stage in stages[1:]:  # else it could not take the weights over
        sizes = [dataclasses.asdict(one.config.network) for one in (stages[0], stage)]
        assert {name for name in sizes[0] if sizes[0][name] != sizes[1][name]} <= {
            "dropout",
            "head_dropout",
            "state_dropout",
            "residual_dropout",
            "residual_blocks",
            "head_hidden",
        }
    for before, after in pairwise(stage.config.network.residual_blocks for stage in stages):
        assert all(map(le, before, after))  # a network grows, and never shrinks


def test_changes_from_the_command_line(tmp_path: Path) -> None:
    path = write(tmp_path, "[training]\nepochs = 7\n")
    changes = [
        "training.epochs=3",
        "training.optimiser=adamw",
        "name=mine",
        "training.learning_rate = 1",
    ]
    config = load_config(path, changes)
    assert config.training.epochs == 3
    assert config.training.optimiser == "adamw"
    assert config.training.learning_rate == 1.0
    assert config.name == "mine"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[training]\nepoch = 3", "training.epoch: unknown; known here are epochs,"),
        ("[training]\nepochs = 'many'", "training.epochs: int is wanted, not 'many'"),
        ("[training]\nepochs = true", "training.epochs: int is wanted"),
        ("[training]\nepochs = 0", "training.epochs: 0 is not between 1 and inf"),
        (
            "[training]\noptimiser = 'sgd'",
            "training.optimiser: one of adadelta, adamw, muon, not 'sgd'",
        ),
        ("[training]\nbatch_size = 10", "training.batch_size: 10 is no multiple of 4"),
        ("training = 3", "training: a section"),
        ("[synth]\nsamples_per_epoch = 9", "synth.formulas names no file"),
        ('name = "../../x"', "name: '../../x' is no folder within runs/"),
        ('name = "/x"', "name: '/x' is no folder within runs/"),
        ('name = ""', "name: '' is no folder within runs/"),
        (
            "[synth]\nsamples_per_epoch = 9\n[synth.shares]\ncomposed = 0\nvaried = 0\nplain = 0",
            "synth.shares: of composed, varied, photo_style, photographed, plain, lines, printed",
        ),
        (
            "[synth]\nsamples_per_epoch = 9\nformulas = 'a'\nshares.photo_style = 0.1",
            "synth.photo_formulas names no file, but synth.shares.photo_style is above 0",
        ),
        (
            "[synth]\nsamples_per_epoch = 9\nformulas = 'a'\nfinal_shares.photographed = 0.1",
            "synth.photos names no file, but synth.final_shares.photographed is above 0",
        ),
        (
            "[synth]\nsamples_per_epoch = 9\nformulas = 'a'\nshares.printed = 0.1",
            "synth.print_fonts names no file, but synth.shares.printed is above 0",
        ),
        (
            "[synth.printed.book]\npaper_level = 230",
            "synth.printed.book.paper_level: 230 is not below synth.printed.book.ink_level, 220",
        ),
        (
            "[synth.printed]\nformulas = 0\nphoto_formulas = 0",
            "synth.printed: of formulas and photo_formulas one must be above 0",
        ),
        (
            "[synth.retake]\npaper_level = 230",
            "synth.retake.paper_level: 230 is not below synth.retake.ink_level, 220",
        ),
        ("[synth]\nwear_share = 2.0", "synth.wear_share: 2.0 is not between 0.0 and 1.0"),
        (
            "[synth]\nsamples_per_epoch = 9\nformulas = 'a'\n"
            "[synth.final_shares]\nvaried = 0\nplain = 0",
            "synth.final_shares: of composed, varied, photo_style, photographed, plain, lines, pr",
        ),
        ("[network", "run.toml"),
        (
            "[network]\nencoder = 'vit'",
            "network.encoder: one of densenet, residual, not 'vit'",
        ),
        (
            "[network]\nresidual_blocks = [3, 6]",
            "network.residual_blocks: a list of 3 values is wanted, not [3, 6]",
        ),
        (
            "[network]\nresidual_blocks = [3, 0, 6]",
            "network.residual_blocks[1]: 0 is not between 1 and 256",
        ),
        (
            "[network]\nresidual_channels = [64, 126, 256]",
            "network.residual_channels: [64, 126, 256] are not multiples of 4",
        ),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(SanError) as caught:
        load_config(write(tmp_path, text))
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("change", ["training.epochs", "name.first=1", "training.epochs=x"])
def test_bad_changes_are_one_line(tmp_path: Path, change: str) -> None:
    with pytest.raises(SanError):
        load_config(write(tmp_path, 'name = "a"'), [change])


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SanError, match=r"nowhere\.toml"):
        load_config(tmp_path / "nowhere.toml")


def test_tables_from_a_saved_run_are_read_back() -> None:
    config = Config("again")
    assert read_config(dataclasses.asdict(config)) == config


def test_shares_move_to_the_final_ones() -> None:
    synth = SynthConfig(
        9,
        "some.txt",
        final_shares_from=0.6,
        shares=Shares(composed=1.0, varied=0.5, plain=0.5),
        final_shares=Shares(composed=0.0, varied=0.3, plain=0.1),
    )
    for done in (0.0, 0.3, 0.6):
        assert synth.shares_at(done).values() == pytest.approx((0.5, 0.25, 0, 0, 0.25, 0, 0))
    assert synth.shares_at(0.8).values() == pytest.approx((0.25, 0.5, 0, 0, 0.25, 0, 0))
    assert synth.shares_at(1.0).values() == pytest.approx((0.0, 0.75, 0, 0, 0.25, 0, 0))


def test_photo_style_and_photographs_have_shares_like_the_others() -> None:
    synth = SynthConfig(
        9,
        "some.txt",
        "photo_formulas.txt",
        "photos.npz",
        final_shares_from=0.5,
        shares=Shares(composed=0.3, varied=0.3, plain=0.1, photo_style=0.2, photographed=0.1),
        final_shares=Shares(composed=0.0, varied=0.0, plain=0.5, photographed=0.5),
    )
    shares = {"composed": 0.3, "varied": 0.3, "photo_style": 0.2, "photographed": 0.1}
    expected = shares | {"plain": 0.1, "lines": 0.0, "printed": 0.0}
    assert asdict(synth.shares_at(0.0)) == pytest.approx(expected)
    assert synth.shares_at(1.0).values() == pytest.approx((0, 0, 0, 0.5, 0.5, 0, 0))
