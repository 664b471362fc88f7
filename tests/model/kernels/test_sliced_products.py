"""Products of matrices with very many rows, in slices."""

import pytest
import torch

from san.model.kernels import densenet
from san.model.kernels.densenet import Conv1x1, sliced_product, slices_of
from tests.model.kernels.test_training_step import DEVICE, close


def test_slices_are_equal_and_not_too_short() -> None:
    assert [slices_of(rows) for rows in (1, 4096, 4097, 77824, 2**20)] == [1, 2, 1, 32, 32]


def test_slices_add_up_and_stay_in_their_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(densenet, "MIN_SLICE_ROWS", 8)
    dy = torch.randn(96, 6, device=DEVICE)
    x = torch.randn(96, 20, device=DEVICE)[:, :10]  # rows are apart
    assert slices_of(96) == 8
    parts = torch.full((8, 100), 7.0, device=DEVICE)
    sliced_product(dy, x, parts.split([30, 60, 10], 1)[1])
    close(parts[:, 30:90].sum(0).view(6, 10), dy.t() @ x)
    assert (parts[:, :30] == 7).all()
    assert (parts[:, 90:] == 7).all()


def test_a_squeeze_is_a_product_there_and_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(densenet, "MIN_SLICE_ROWS", 8)
    x, weight, pull = (torch.randn(size, device=DEVICE) for size in ((96, 10), (6, 10), (96, 6)))
    x.requires_grad_()
    weight.requires_grad_()
    y = Conv1x1.apply(x, weight)
    close(y, x @ weight.t())
    dx, dweight = torch.autograd.grad([y], [x, weight], [pull])
    close(dx, pull @ weight)
    close(dweight, pull.t() @ x)
