import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from san.training.batching import (
    Bucket,
    assign_buckets,
    choose_buckets,
    choose_random_buckets,
    count_batches,
    depth_limits,
    images_in,
    largest_first,
    margins_to_trim,
    plan_epoch,
    plan_random_epoch,
    round_up,
)

sizes = st.lists(st.tuples(st.integers(1, 700), st.integers(1, 2600)), min_size=1, max_size=40)


@given(sizes, st.integers(1, 12))
def test_buckets_hold_everything(sizes: list[tuple[int, int]], most: int) -> None:
    buckets = choose_buckets(sizes, most)
    assert len(buckets) <= most
    homes = assign_buckets(sizes, buckets)
    for (height, width), home in zip(sizes, homes, strict=True):
        assert buckets[home].holds(Bucket(height, width))
    assert all(bucket.height % 16 == 0 and bucket.width % 16 == 0 for bucket in buckets)


def test_the_cheapest_shapes_are_merged() -> None:
    """Two that are nearly alike, and of others the rarer: the fewest pixels are added."""
    common, rare = [(64, 320)] * 100, [(96, 320)]
    assert choose_buckets([*common, *rare, (64, 350)], 2) == [(64, 320), (96, 352)]
    assert choose_buckets([*common, *rare, (400, 1500)], 2) == [(64, 320), (400, 1536)]
    assert choose_buckets([*common[:10], *rare, (400, 1500)], 2) == [(96, 320), (400, 1536)]
    assert choose_buckets([(33, 1025), (33, 1024)], 9) == [(48, 1024), (48, 1088)]


@given(sizes, st.integers(1, 5), st.integers(0, 99))
def test_an_epoch_has_every_sample_once(
    sizes: list[tuple[int, int]], batch: int, seed: int
) -> None:
    buckets = choose_buckets(sizes, 4)
    homes = assign_buckets(sizes, buckets)
    depths = np.arange(len(sizes)) % 7
    plan = plan_epoch(homes, depths, buckets, batch, np.random.default_rng(seed))
    assert sorted(np.concatenate([one.samples for one in plan])) == list(range(len(sizes)))
    assert all(len(one.samples) <= batch for one in plan)
    for one in plan:
        assert all(one.bucket.holds(Bucket(*sizes[sample])) for sample in one.samples)
    assert len(plan) == count_batches(homes, buckets, batch)
    # No more pixels than if none had gone to a larger bucket.
    many = np.array([images_in(bucket, batch) for bucket in buckets])
    alone = np.ceil(np.bincount(homes, minlength=len(buckets)) / many) * many
    padded = sum(images_in(one.bucket, batch) * one.bucket.area for one in plan)
    assert padded <= (alone * [bucket.area for bucket in buckets]).sum()


def test_what_makes_no_whole_batch_goes_to_a_larger_bucket() -> None:
    buckets = [Bucket(64, 96), Bucket(64, 160), Bucket(400, 1536)]
    for counts, planned in (
        ((9, 5, 0), [(buckets[0], 8), (buckets[1], 6)]),
        ((9, 5, 1), [(buckets[0], 8), (buckets[2], 7)]),  # whose batch would be blanks else
        ((9, 8, 0), [(buckets[0], 1), (buckets[0], 8), (buckets[1], 8)]),
    ):
        bucket_of = np.repeat((0, 1, 2), counts)
        plan = plan_epoch(bucket_of, bucket_of, buckets, 8, np.random.default_rng(0))
        assert sorted((one.bucket, len(one.samples)) for one in plan) == planned


@given(sizes, st.integers(1, 5), st.integers(0, 99))
def test_random_batches_are_of_any_samples(
    sizes: list[tuple[int, int]], batch: int, seed: int
) -> None:
    shapes = np.array(sizes)
    buckets = choose_random_buckets(shapes, batch, 4)
    plan = plan_random_epoch(shapes, buckets, batch, np.random.default_rng(seed))
    assert len(buckets) <= 4
    assert all(len(one.samples) <= images_in(one.bucket, batch) for one in plan)
    assert sorted(np.concatenate([one.samples for one in plan])) == list(range(len(sizes)))
    for one in plan:
        assert one.bucket.holds(Bucket(*shapes[one.samples].max(0)))


def test_random_batches_that_are_too_large_are_parted() -> None:
    shapes = np.array([(64, 96)] * 63 + [(400, 1500)])
    buckets = choose_random_buckets(shapes, 32, 2)
    plan = plan_random_epoch(shapes, buckets, 32, np.random.default_rng(0))
    assert [len(one.samples) for one in plan if one.bucket == buckets[-1]] == [16, 16]
    assert sorted(len(one.samples) for one in plan) == [16, 16, 32]


def test_random_batches_mix_what_buckets_part() -> None:
    shapes = np.array([(64, 96), (128, 304)] * 40)
    buckets = choose_random_buckets(shapes, 8, 4)
    plan = plan_random_epoch(shapes, buckets, 8, np.random.default_rng(0))
    assert all(len(set(map(tuple, shapes[one.samples].tolist()))) == 2 for one in plan)


def test_a_window_sorts_by_depth_and_one_leaves_chance_alone() -> None:
    buckets, rng = [Bucket(64, 96)], np.random.default_rng
    homes, depths = np.zeros(400, np.int64), rng(0).integers(1, 50, 400)

    def spread(window: int) -> float:
        plan = plan_epoch(homes, depths, buckets, 8, rng(1), window)
        return float(np.mean([np.ptp(depths[one.samples]) for one in plan]))

    assert spread(50) < spread(8) < spread(1) / 2


def test_the_largest_come_first_twice_and_nothing_is_lost() -> None:
    buckets = [Bucket(64, 96), Bucket(96, 160), Bucket(128, 304)]
    homes = np.array([0, 1, 2, 1, 0, 0, 2, 1, 2, 0])
    plan = plan_epoch(homes, homes, buckets, 1, np.random.default_rng(0))
    ordered = largest_first(plan)
    areas = [one.bucket.area for one in ordered[:6]]
    assert areas == sorted((bucket.area for bucket in buckets for _ in range(2)), reverse=True)
    assert sorted(one.samples[0] for one in ordered) == list(range(10))
    assert [one.samples[0] for one in ordered[6:]] == [
        one.samples[0] for one in plan if any(one is kept for kept in ordered[6:])
    ]


@given(st.lists(st.integers(1, 200), min_size=1), st.integers(1, 12))
def test_classes_hold_everything(values: list[int], most: int) -> None:
    limits = depth_limits(np.array(values), most)
    assert len(limits) <= most
    assert all(value <= round_up(value, limits) for value in values)


def test_of_very_large_images_fewer_make_a_batch() -> None:
    buckets = [Bucket(128, 304), Bucket(400, 1536)]
    assert [images_in(bucket, 64) for bucket in buckets] == [64, 16]
    assert images_in(Bucket(2208, 2304), 64) == 4  # however large it is
    assert images_in(Bucket(400, 1536), 8) == 8
    homes = np.repeat((0, 1), (100, 40))
    plan = plan_epoch(homes, np.zeros(140, np.int64), buckets, 64, np.random.default_rng(0))
    assert sorted(len(one.samples) for one in plan if one.bucket == buckets[1]) == [8, 16, 16]
    assert sorted(np.concatenate([one.samples for one in plan]).tolist()) == list(range(140))


def test_margins_are_cut_where_that_makes_a_smaller_bucket_do() -> None:
    buckets = [Bucket(64, 96), Bucket(64, 160), Bucket(80, 96), Bucket(128, 400)]
    picture = np.zeros((70, 104), np.uint8)
    picture[12:58, 12:92] = 255
    assert margins_to_trim(picture, buckets) == (4, 3, 4, 3)
    picture[:4] = 255  # now there is ink, and it stays
    assert margins_to_trim(picture, buckets) == (0, 0, 0, 0)
    fits = np.zeros((64, 96), np.uint8)
    assert margins_to_trim(fits, buckets) == (0, 0, 0, 0)
    wide = np.zeros((70, 110), np.uint8)  # more than margins have in the width, not in the height
    assert margins_to_trim(wide, buckets) == (0, 3, 0, 3)
    far = np.zeros((300, 500), np.uint8)
    assert margins_to_trim(far, buckets) == (0, 0, 0, 0)
