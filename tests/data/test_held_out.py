from san.data.held_out import is_held_out


def test_a_share_is_held_out_by_id_and_seed_alone() -> None:
    ids = [f"photo{number}.jpg" for number in range(3000)]
    held = {name for name in ids if is_held_out(name, 1 / 6)}
    assert held == {name for name in reversed(ids) if is_held_out(name, 1 / 6)}
    assert abs(len(held) - 500) < 80
    assert held < {name for name in ids if is_held_out(name, 1 / 3)}  # grows with the share
    other = {name for name in ids if is_held_out(name, 1 / 6, seed=1)}
    assert len(held & other) < 160
    assert not any(is_held_out(name, 0.0) for name in ids)
    assert all(is_held_out(name, 1.0) for name in ids)
