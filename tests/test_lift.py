"""Lifting: programs that name handles and counts have the same bytes whatever those are."""

from __future__ import annotations

from hologram_web.isa import Address, BufferHandle, Instruction, Param, PoolHandle, Program, Type, r
from hologram_web.isa.lift import lift


def _program(a, b, pool, count, fixed=7):
    here = Address.Buffer(BufferHandle(a))
    return Program(
        [
            Instruction.ParallelMapBinary("add", Address.Buffer(BufferHandle(b), 16), here, here, count),
            Instruction.LDG(Type.I16, r(9), Address.Register(Address.Pool(PoolHandle(pool)), r(255), scale=2)),
            Instruction.STG(Type.I16, Address.Pool(PoolHandle(pool), 8), r(9)),
            Instruction.ReduceAdd(Type.F32, r(9), here, fixed),
            Instruction.ParallelReduce("max", Address.Buffer(BufferHandle(b)), here, count),
        ]
    )


def test_handles_and_counts_become_parameters():
    program = _program(5, 6, 7, 100)
    text = program.to_text()
    lifted, args = lift(program)
    assert (
        lifted.to_text()
        == """\
.param $b0: buffer f32 write
.param $b1: buffer f32 read
.param $n0: u64
.param $p0: pool
.param $n1: u64
    parallel_map_binary.add.f32 [$b0 + 16], [$b1], [$b1], $n0
    ldg.i16 r9, [pool $p0 + r255*2]
    stg.i16 [pool $p0 + 8], r9
    reduce_add.f32 r9, [$b1], 7
    parallel_reduce.max.f32 [$b0], [$b1], $n1
"""
    )
    assert args == {"$b0": BufferHandle(6), "$b1": BufferHandle(5), "$n0": 100, "$p0": PoolHandle(7), "$n1": 100}
    assert program.to_text() == text


def test_other_handles_and_counts_are_the_same_program():
    base, _ = lift(_program(5, 6, 7, 100))
    other, args = lift(_program(1000, 1, 1000, 3))
    assert base.to_bytes() == other.to_bytes()
    assert base.hash() == other.hash()
    assert args["$n0"] == args["$n1"] == 3
    # One buffer in both places is another pattern of aliasing, and the count of a lane instruction is part of it.
    assert lift(_program(5, 5, 7, 100))[0].to_bytes() != base.to_bytes()
    assert lift(_program(5, 6, 7, 100, 8))[0].to_bytes() != base.to_bytes()


def test_a_buffer_that_is_read_and_written_is_one_parameter():
    x = Address.Buffer(BufferHandle(3))
    lifted, args = lift(Program([Instruction.ParallelMap("neg", x, x, 4)]))
    assert [str(param) for param in lifted.params] == ["$b0: buffer f32 read_write", "$n0: u64"]
    assert args == {"$b0": BufferHandle(3), "$n0": 4}
    lifted, _ = lift(Program([Instruction.LEA(r(1), x), Instruction.LDG(Type.U8, r(2), Address.Register(r(1)))]))
    assert [str(param) for param in lifted.params] == ["$b0: buffer u8 read_write"]


def test_parameters_of_the_program_keep_their_registers():
    x = Address.Buffer(BufferHandle(3))
    program = Program([Instruction.STG(Type.F32, x, r(1))], params=[Param("k", "scalar", Type.F32)])
    lifted, _ = lift(program)
    assert [param.name for param in lifted.params] == ["k", "$b0"]
    assert lifted.register_params() == {1: program.params[0]}
    assert lifted.problems() == []


def test_a_program_without_handles_is_itself():
    program = Program([Instruction.ReduceAdd(Type.F32, r(1), Address.Shared(), 3)])
    assert lift(program) == (program, {})
    assert lift(program)[0] is program
