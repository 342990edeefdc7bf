"""LaunchConfig: what it accepts, how many lanes run, and what it refuses."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from hologram_web import BlockDim, ExecutionParams, GridDim, LaunchConfig, LaunchError


def test_one_lane_by_default():
    config = LaunchConfig()
    assert (config.grid, config.block, config.shared_memory, config.lanes) == ((1, 1, 1), (1, 1, 1), 0, None)
    assert config.total_threads() == config.blocks == config.block_lanes == 1
    assert ExecutionParams() == ExecutionParams(config, {})


@pytest.mark.parametrize(
    ("config", "grid", "block", "lanes"),
    [
        (LaunchConfig.linear(0), (0, 1, 1), (256, 1, 1), 0),
        (LaunchConfig.linear(1), (1, 1, 1), (256, 1, 1), 1),
        (LaunchConfig.linear(256), (1, 1, 1), (256, 1, 1), 256),
        (LaunchConfig.linear(257), (2, 1, 1), (256, 1, 1), 257),
        (LaunchConfig.linear(10, 3), (4, 1, 1), (3, 1, 1), 10),
        (LaunchConfig.linear((1 << 31) - 1024, 1024), ((1 << 21) - 1, 1, 1), (1024, 1, 1), (1 << 31) - 1024),
        (LaunchConfig.linear((1 << 31) - 1), (1 << 23, 1, 1), (256, 1, 1), (1 << 31) - 1),
        (LaunchConfig.grid_2d((1 << 21) - 1, 1 << 10), ((1 << 17), 64, 1), (16, 16, 1), (1 << 31) - (1 << 10)),
        (LaunchConfig.grid_2d(33, 16), (3, 1, 1), (16, 16, 1), 528),
        (LaunchConfig.grid_2d(5, 7, (2, 4)), (3, 2, 1), (2, 4, 1), 35),
        (LaunchConfig.grid_3d(9, 8, 5), (2, 1, 2), (8, 8, 4), 360),
        (LaunchConfig.grid_3d(1, 1, 1, (1, 2, 3)), (1, 1, 1), (1, 2, 3), 1),
        (LaunchConfig(GridDim(2, 3, 4), BlockDim(5, 6, 7)), (2, 3, 4), (5, 6, 7), 5040),
        (LaunchConfig(GridDim(4), BlockDim(3), 0, (10, 1, 1)), (4, 1, 1), (3, 1, 1), 10),
    ],
)
def test_how_many_lanes_run(config, grid, block, lanes):
    assert (config.grid, config.block) == (grid, block)
    assert isinstance(config.grid, GridDim)
    assert isinstance(config.block, BlockDim)
    assert config.total_threads() == lanes


def test_numbers_and_short_tuples():
    plain: type = LaunchConfig  # typed for tuples of three
    assert plain(4, 8) == plain((4,), [8]) == plain((4, 1), (8, 1)) == LaunchConfig(GridDim(4), BlockDim(8))
    assert plain(np.int32(4), (np.int64(8), 1)).block == (8, 1, 1)
    assert type(plain(np.int32(4)).grid.x) is int
    assert plain.linear(np.int64(10), np.uint8(3)) == LaunchConfig.linear(10, 3)  # type: ignore[attr-defined]
    assert LaunchConfig.linear(9, shared_memory=64).shared_memory == 64
    assert LaunchConfig.grid_2d(9, 9, shared_memory=65).shared_memory == 65
    assert LaunchConfig.grid_3d(9, 9, 9, shared_memory=66).shared_memory == 66


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"grid": -1}, "grid is one to three integers of at least 0, not -1"),
        ({"grid": (1, 2, 3, 4)}, "grid is one to three integers of at least 0, not (1, 2, 3, 4)"),
        ({"grid": ()}, "grid is one to three integers of at least 0, not ()"),
        ({"grid": 1.5}, "grid is one to three integers of at least 0, not 1.5"),
        ({"grid": "3"}, "grid is one to three integers of at least 0, not '3'"),
        ({"grid": None}, "grid is one to three integers of at least 0, not None"),
        ({"grid": 1 << 32}, "grid is one to three integers of at least 0, not 4294967296"),
        ({"block": 0}, "block is one to three integers of at least 1, not 0"),
        ({"block": (4, -4)}, "block is one to three integers of at least 1, not (4, -4)"),
        ({"block": 1025}, "a block of (1025, 1, 1) has 1025 lanes: at most 1024 are allowed"),
        ({"block": (32, 32, 2)}, "a block of (32, 32, 2) has 2048 lanes: at most 1024 are allowed"),
        (
            {"grid": 1 << 21, "block": 1024},
            "the launch has 2147483648 lanes: at most 2**31 - 1 are allowed; launch parts of it",
        ),
        ({"lanes": (2, 1, 1)}, "(2, 1, 1) lanes do not fit a grid of (1, 1, 1) blocks (1, 1, 1)"),
        ({"grid": 3, "block": 4, "lanes": (12, 2)}, "(12, 2, 1) lanes do not fit a grid of (3, 1, 1) blocks (4, 1, 1)"),
        ({"lanes": -1}, "lanes is one to three integers of at least 0, not -1"),
        ({"shared_memory": -1}, "shared_memory is a number of bytes up to 2**24, not -1"),
        ({"shared_memory": (1 << 24) + 1}, "shared_memory is a number of bytes up to 2**24, not 16777217"),
        ({"shared_memory": 1.0}, "shared_memory is a number of bytes up to 2**24, not 1.0"),
        ({"shared_memory": None}, "shared_memory is a number of bytes up to 2**24, not None"),
    ],
)
def test_what_is_refused(arguments, message):
    make: type = LaunchConfig
    with pytest.raises(LaunchError) as caught:
        make(**arguments)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: LaunchConfig.linear(-1), "lanes is one to three integers of at least 0, not (-1, 1, 1)"),
        (lambda: LaunchConfig.linear(1, 0), "block is one to three integers of at least 1, not (0, 1, 1)"),
        (lambda: LaunchConfig.linear(5, 2000), "a block of (2000, 1, 1) has 2000 lanes: at most 1024 are allowed"),
        (lambda: LaunchConfig.grid_2d(5, 2, (64, 64)), "a block of (64, 64, 1) has 4096 lanes: at most 1024 are"),
        (lambda: LaunchConfig.grid_2d(1 << 16, 1 << 16), "the launch has 4294967296 lanes: at most 2**31 - 1 are"),
        (lambda: LaunchConfig.linear(1 << 31), "the launch has 2147483648 lanes: at most 2**31 - 1 are allowed;"),
    ],
)
def test_what_its_short_forms_refuse(call, message):
    with pytest.raises(LaunchError) as caught:
        call()
    assert str(caught.value).startswith(message)


def test_configurations_are_values():
    config = LaunchConfig.linear(5)
    assert config == LaunchConfig.linear(5)
    assert hash(config) == hash(LaunchConfig.linear(5))
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.shared_memory = 5  # type: ignore[misc]
    with pytest.raises(LaunchError):
        dataclasses.replace(config, grid=GridDim(0))
