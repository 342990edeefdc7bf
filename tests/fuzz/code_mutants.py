"""Seeded bugs of the compiler and of its targets: WebAssembly (run by the device wasm) and WGSL (run by a GPU adapter).

Bugs of the compiler itself are tried on wasm. `shown_by` is the beginning of the ids of filetests that show the bug, a
few of those that do.
"""

from __future__ import annotations

from .mutant import Mutant

__all__ = ["CODE_MUTANTS"]


def _wasm(name: str, place: str, old: str, new: str, shown_by: str) -> Mutant:
    return Mutant(f"wasm: {name}", place, old, new, "wasm", shown_by)


def _lane_by_lane(name: str, place: str, old: str, new: str, shown_by: str) -> Mutant:
    """A bug of code that runs one lane after another."""
    return Mutant(f"wasm: {name}", place, old, new, "wasm1", shown_by)


def _packets(name: str, place: str, old: str, new: str, shown_by: str) -> Mutant:
    return Mutant(f"packets: {name}", place, old, new, "wasm", shown_by)


def _compiler(name: str, place: str, old: str, new: str, shown_by: str) -> Mutant:
    return Mutant(f"compiler: {name}", f"compiler.{place}", old, new, "wasm", shown_by)


def _wgsl(name: str, place: str, old: str, new: str, shown_by: str) -> Mutant:
    return Mutant(f"wgsl: {name}", f"targets.wgsl.{place}", old, new, "wgsl", shown_by)


def _pairs(name: str, place: str, old: str, new: str, shown_by: str) -> Mutant:
    """A bug of what targets share, seen in WGSL."""
    return Mutant(f"wgsl: {name}", place, old, new, "wgsl", shown_by)


_VALUES = "targets.wasm.values:Values."
_PAIRS = "compiler.pairs:Pairs."
_CONTROL = "targets.clike.control:Control."
_EFFECTS = "targets.wasm.effects:Effects."
_LEGALISER = "compiler.legalise:Legaliser."
_BLOCKS = "targets.wasm.blocks:Blocks."
_SCALARS = "targets.wasm.trees:ScalarStatements."
_SEGMENTS = "targets.wasm.barriers:Segments."
_PACKET_EFFECTS = "targets.wasm.packet_effects:PacketEffects."
_ACCESSES = "targets.wasm.packet_accesses:PacketAccesses."
_FAULTS = "targets.wasm.packet_faults:PacketFaults."
_VECTORS = "targets.wasm.vectors:Vectors."
_EXTREMES = "targets.wasm.extremes:VectorExtremes."
_LINEARIZER = "compiler.packets:_Linearizer."
_FOLD = "passes.fold:"
_BUILD = "build:Builder."

_COMPILER = (
    _compiler(
        "bounds: the length of an axis is on it",
        "bounds:Bounds.prove",
        'self.compare("lt", self.plus(found.hi, axis.offset), end.lo)',
        'self.compare("le", self.plus(found.hi, axis.offset), end.lo)',
        "faults/axis_rows.atlas",
    ),
    _compiler(
        "accesses: the length of an axis is on it",
        "accesses:beyond",
        'Node("le", PRED, (length, index)',
        'Node("lt", PRED, (length, index)',
        "faults/axis.atlas:i32",
    ),
    _compiler(
        "build: a check before no access goes",
        _BUILD + "_check_alone",
        "for axis, index, length in self.checks:",
        "for axis, index, length in self.checks[:0]:",
        "faults/axis_alone.atlas",
    ),
    _compiler(
        "windows: lanes up to a bound are lanes below it",
        "windows:_of",
        "high=right, past_high=int(equal)",
        "high=right",
        "sync/bar_sync_windows.atlas:u32",
    ),
    _compiler(
        "fold: 0 - x is x",
        _FOLD + "_neutral",
        "if row.commutes and",
        'if (row.commutes or node.op == "sub") and',
        "arithmetic/zero_minus.atlas:i32",
    ),
    _compiler(
        "fold: x - x of floats is 0", _FOLD + "_cancels", "_integer(node) and ", "", "arithmetic/sub_itself.atlas:f32"
    ),
    _compiler(
        "fold: to a narrow integer and back is nothing",
        _FOLD + "_round_trip",
        "source if widens else None",
        "source",
        "data/cvt_narrow.atlas",
    ),
    _compiler(
        "fold: <= is decided like <",
        _FOLD + "_known_comparison",
        "if a > d else None",
        "if a >= d else None",
        "logic/set_ranges.atlas",
    ),
    _compiler(
        "ranges: what wraps stays in range",
        "ranges:Ranges.of",
        "if found[0] < whole[0] or",
        "if",
        "logic/set_ranges.atlas",
    ),
    _compiler(
        "ranges: a product grows with its factors",
        "operations:_product",
        "min(corners), max(corners)",
        "corners[0], corners[3]",
        "data/cvt_float_int_known.atlas:u32",
    ),
    _compiler(
        "ranges: a float is not NaN where one of two is not",
        "ranges:Ranges._numbers",
        "high, nan or too",
        "high, nan and too",
        "data/cvt_float_int_clamped.atlas:i32",
    ),
    _compiler(
        "ranges: a remainder is less than it can be",
        "operations:_remainder",
        "b[1] - 1",
        "b[1] // 2",
        "logic/set_ranges.atlas",
    ),
    _compiler(
        "cse: a load takes the value from before a store",
        "passes.cse:eliminate_common",
        'if node.op in EFFECTS and node.op != "guard":',
        "twin = [n for n in kept if n.op == node.op == 'load' and n.args == node.args"
        " and (n.attr.base, n.ty) == (node.attr.base, node.ty)]\n"
        "            if twin:\n"
        "                replaced[node] = twin[0]\n"
        "                continue\n"
        '            if node.op in EFFECTS and node.op != "guard":',
        "memory/aliasing.atlas",
    ),
    _compiler(
        "cse: what one branch computed is used in the other",
        "passes.cse:eliminate_common",
        "del available[key]",
        "pass",
        "control/same_both_ways.atlas",
    ),
    _compiler(
        "dce: a load that may fault is removed",
        "passes.dce:_may_go",
        " and not node.attr.checked",
        "",
        "faults/bounds_unused.atlas",
    ),
    _compiler(
        "branches: the wrong way of a known branch",
        "passes.branches:fold_branches",
        "if holds else block",
        "if not holds else block",
        "control/bra_known.atlas",
    ),
    _compiler(
        "strength: negative numbers are divided as they are",
        "passes.strength:_by_power",
        'raised = make("add", x, make("and", sign, context.const(ty, mask)))',
        "raised = x",
        "passes/strength.atlas:i64",
    ),
    _compiler(
        "forward: what was stored to another buffer is another place",
        "passes.forward:_Place.apart",
        "return False",
        "return self.base != other.base",
        "passes/forward_not.atlas",
    ),
    _compiler(
        "forward: a store takes no check along",
        "passes.forward:_block",
        "at=first.attr.at, checked",
        "checked",
        "passes/forward.atlas",
    ),
    _compiler(
        "fold: chains of shifts go around",
        _FOLD + "_chain",
        "if before + after >= ty.bits:",
        "if False:",
        "passes/chain_not.atlas",
    ),
    _compiler(
        "LOOP runs once less",
        _BUILD + "_count",
        "self.eq(Type.U32, counter, self.constant(Type.U32, 0))",
        "self.le(Type.U32, counter, self.constant(Type.U32, 1))",
        "control/loop.atlas",
    ),
    _compiler(
        "BAR_SYNC is no barrier", _BUILD + "_block", 'end.ways = "barrier"', 'end.ways = "jump"', "sync/bar_sync.atlas"
    ),
    _compiler(
        "a guard's negation is lost",
        _BUILD + "_block",
        "if instruction.pred.negated:",
        "if False:",
        "control/if_else.atlas",
    ),
    _compiler(
        "no guard of a division",
        _BUILD + "_meaning",
        "if faulty is not None:",
        "if False:",
        "faults/division_by_zero.atlas",
    ),
    _compiler(
        "values behind a barrier are not live",
        "out_of_ssa:Lowered._live",
        "after - written[piece]",
        "after - written[piece] if len(piece.ways) > 1 else set()",
        "sync/bar_sync_loaded_branch.atlas",
    ),
)

_WASM = (
    _lane_by_lane(
        "lanes of a round are a byte apart",
        _EFFECTS + "address",
        "further + self.copy * step",
        "further + self.copy",
        "launch/sizes.atlas",
    ),
    _wasm(
        "the amount of a small shift is not masked",
        _LEGALISER + "short",
        "self.masked(args[1], ty.bits - 1)",
        "args[1]",
        "logic/shl.atlas:u8",
    ),
    _wasm(
        "small unsigned results keep bits above",
        _LEGALISER + "_cut",
        "(1 << ty.bits) - 1",
        "(1 << 2 * ty.bits) - 1",
        "arithmetic/small_results.atlas:u16",
    ),
    _lane_by_lane(
        "signed integers compare as unsigned",
        _VALUES + "_comparison",
        'else "_s" if',
        'else "_u" if',
        "logic/set.atlas:i32",
    ),
    _wasm(
        "SHR of signed integers is logical",
        _VALUES + "_integer",
        'f"_{sign}" if op == "shr"',
        '"_u" if op == "shr"',
        "logic/shr.atlas:i32",
    ),
    _lane_by_lane(
        "FLOOR is TRUNC",
        _VALUES + "_float",
        "{_FLOAT[op]}",
        "{_FLOAT[op].replace('floor', 'trunc')}",
        "arithmetic/floor.atlas:f32",
    ),
    _lane_by_lane(
        "64-bit SUB swapped",  # in 32 bits LOOP, too, would never end
        _VALUES + "_integer",
        'self._operands(node)\n        self.put((f"{kind}.{_SIMPLE[op]}"',
        'for arg in node.args[:: -1 if kind == "i64" else 1]:\n            self.value(arg)\n'
        '        self.put((f"{kind}.{_SIMPLE[op]}"',
        "arithmetic/sub.atlas:i64",
    ),
    _wasm(
        "FMA rounds twice",
        _LEGALISER + "made",
        'self.call(f"fma_{ty}", *args)',
        'self.node("add", ty, self.node("mul", ty, args[0], args[1]), args[2])',
        "arithmetic/fma.atlas:f32",
    ),
    _wasm(
        "64-bit integers to F16 round twice",
        _LEGALISER + "_before_half",
        'self.call("f64_to_f32_odd", x)',
        "self.cvt(Type.F32, Type.F64, x)",
        "data/cvt_int_float.atlas:bf16:i64",
    ),
    _wasm("MIN / -1 traps", _VALUES + "_divide", "or lowest >", "or True or lowest >", "arithmetic/div_signed.atlas"),
    _wasm(
        "small integers are loaded without their sign",
        "targets.wasm.routines:load_instruction",
        "'s' if ty.kind == 'i' else 'u'",
        "'u'",
        "arithmetic/div_signed.atlas",
    ),
    _wasm(
        "a byte is stored as two",
        "targets.wasm.routines:store_instruction",
        "{ty.bits if size < 4 else ''}",
        "{16 if size < 4 else ''}",
        "memory/mixed_types.atlas",
    ),
    _wasm(
        "one byte past the end is in bounds",
        _BLOCKS + "prologue",
        '("i64.const", size - 1)',
        '("i64.const", size - 2)',
        "faults/bounds_partial.atlas:f64",
    ),
    _wasm(
        "half-aligned accesses are let through",
        _EFFECTS + "_alignment",
        "align - 1)",
        "align // 2 - 1)",
        "faults/misaligned_load.atlas:i16",
    ),
    _lane_by_lane(
        "phis are copied one after another",
        _SCALARS + "statement",
        "for _, value in narrow:\n                self.values.value(value)\n"
        "            self._copy_wide([pair for pair in pairs if is_wide(pair[0].ty)])\n"
        "            for variable, _ in reversed(narrow):\n",
        "for variable, value in narrow:\n                self.values.value(value)\n",
        "control/loop_swap.atlas",
    ),
    _wasm(
        "a spilled variable is lost",
        _SEGMENTS + "_stop",
        "self.lowered.live(target))",
        "self.lowered.live(target)[1:])",
        "sync/bar_sync_loaded_branch.atlas",
    ),
    _wasm(
        "lanes go on behind the wrong barrier",
        _SEGMENTS + "_stop",
        "self.lowered.resumes.index(target) |",
        "min(self.lowered.resumes.index(target) + 1, len(self.lowered.resumes) - 1) |",
        "sync/bar_sync_loaded_branch.atlas",
    ),
    _wasm(
        "shared memory is not zeroed",
        _BLOCKS + "enter",
        "if self.code.uses_shared:",
        "if False:",
        "memory/shared_zeroed.atlas",
    ),
    _packets(
        "lanes load the first one's index again",
        _PACKET_EFFECTS + "_address_again",
        "further + lane * element.size_bytes",
        "further",
        "sync/atom_of_rows.atlas",
    ),
    _packets(
        "an index is loaded again behind a store to its row",
        _PACKET_EFFECTS + "effect",
        " or (node.op in WRITES and _is_elsewhere(node))",
        "",
        "sync/atom_of_rows_stored.atlas",
    ),
    _packets(
        "an index is loaded again from memory that its atomics change",
        _PACKET_EFFECTS + "_row_of",
        " and value.attr.base.space not in ON_CHIP",
        "",
        "sync/atom_of_rows_stored.atlas",
    ),
    _packets(
        "blocks of one lane share their memory",
        "targets.wasm.code:Code.own",
        "SHARED: self.own_shared",
        "SHARED: 0",
        "launch/blocks_of_one.atlas",
    ),
    _wasm(
        "local memory is not zeroed",
        _BLOCKS + "clear_own",
        "if self.code.own_room:",
        "if False:",
        "memory/local_zeroed.atlas",
    ),
    _wasm(
        "lanes share their local memory",
        "targets.wasm.barriers:_Spills.enter",
        'self.put(self.get("lane_spill"), ("i32.const", stride',
        'self.put(self.get("spill"), ("i32.const", stride',
        "memory/local_barrier.atlas",
    ),
    _wasm(
        "one surplus lane runs",
        _BLOCKS + "enter",
        '("i32.mul",), ("i32.sub",), ',
        '("i32.mul",), ("i32.sub",), ("i32.const", 1), ("i32.add",), ',
        "launch/many_blocks.atlas",
    ),
    _lane_by_lane(
        "CAS stores where the cell differs",
        _EFFECTS + "exchange",
        '(f"{word}.eq",))\n                put(("select"',
        '(f"{word}.ne",))\n                put(("select"',
        "sync/atom_cas.atlas:i32",
    ),
    _wasm(
        "reductions have 16 accumulators",
        "targets.wasm.vector_reductions:_Combined.__init__",
        "count = _ORBITS * ty.size_bytes // 16",
        "count = _ORBITS * ty.size_bytes // 32",
        "reduce/order_orbits_half.atlas",
    ),
    _wasm(
        "wide integers: the carry of a sum is lost",
        "targets.wasm.library:library_function",
        "bytes.fromhex(part)",
        "bytes.fromhex(part).replace(b'\\x21\\x04', b'\\x1a\\x01')",  # of local.set: drop, nop
        "wide/sum.atlas:u128",
    ),
    _wasm(
        "wide integers: SHR is logical",
        "compiler.wide:statement",
        "Sign(args[0], ty)",
        "Sign(args[0], ty.unsigned)",
        "wide/shift.atlas:i128",
    ),
    _wasm(
        "wide integers: DIV of signed ones is unsigned",
        "compiler.wide:statement",
        'if ty.is_signed else "divide"',
        'if False else "divide"',
        "wide/div.atlas:i128",
    ),
    _wasm(
        "wide integers: signed ones compare as unsigned",
        "compiler.wide:read",
        "TopBit(ty.is_signed)",
        "TopBit(False)",
        "wide/set.atlas:i128",
    ),
)

_PACKETS = (
    _packets(
        "what a loop carries is aligned as its first value is",
        "targets.wasm.packet_faults:_low_zeros",
        "return min(_low_zeros(arg, inner, left) for arg in args)",
        "return max(_low_zeros(arg, inner, left) for arg in args)",
        "faults/alignment_carried.atlas",
    ),
    _packets(
        "a masked store writes lanes that are off",
        _ACCESSES + "_as_row",
        'put((f"{lanes_of(MASKS[self.width])}.all_true",))',
        'put(("v128.any_true",))',
        "control/exit.atlas",
    ),
    _packets(
        "a scattered store writes lanes that are off",
        _ACCESSES + "_scatter_routine",
        '("i32.const", 1 << lane), ("i32.and",), ("if", None)',
        '("i32.const", -1), ("i32.or",), ("if", None)',
        "control/exit.atlas",
    ),
    _packets(
        "a scattered store takes the next lane's value",
        _ACCESSES + "_scatter_routine",
        "lane % per * (",
        "(lane + 1) % per * (",
        "control/exit.atlas",
    ),
    _packets(
        "two lanes of a stride are swapped",
        _ACCESSES + "_load_apart",
        "lane: lane * step - start for",
        "lane ^ 1: lane * step - start for",
        "memory/strides.atlas:f32",
    ),
    _packets(
        "the first lane of a vector gathers for all",
        _ACCESSES + "load",
        "divmod(part * per + lane, 4)",
        "divmod(part * per, 4)",
        "memory/strides.atlas:f32",
    ),
    _packets(
        "lanes of a row in part load the next lane's element",
        _ACCESSES + "_row_routine",
        '("i32.const", lane * size)',
        '("i32.const", (lane + 1) * size)',
        "control/exit.atlas",
    ),
    _packets(
        "lanes that left are forgotten behind a label",
        _LINEARIZER + "_labelled",
        'Node("por", PRED, (mask, self._nodes[label.left]))',
        "mask",
        "lanes/exit_in_loop.atlas",
    ),
    _packets(
        "all lanes come to labels",
        _LINEARIZER + "_labelled",
        "self.leaky.add(tree.label)",
        "pass",
        "lanes/exit_in_loop.atlas",
    ),
    _packets(
        "lanes that left a loop have the values of those that are in it",
        "compiler.packets:linear",
        "given, free, kept, late)",
        "given, free, set(), late)",
        "control/loop_nested.atlas",
    ),
    _packets(
        "what lanes go on from in the next loop is what those have that leave the loop before last",
        "compiler.packets:_Linearizer._blends",
        "(piece.number, variable) in self.late",
        "False",
        "control/loop_behind_loop.atlas",
    ),
    _packets(
        "what is so of the first two lanes is so of all",
        "compiler.guarded:by_all",
        "step * (lanes - 1)",
        "step",
        "lanes/guard_in_loop.atlas",
    ),
    _packets(
        "what is so of the first lane and of the last is so of all, also where places wrap",
        "compiler.guarded:by_all",
        "(arg, ends[-1])[:: 1 if step > 0 else -1]",
        "(arg, arg)",
        "lanes/guard_in_loop.atlas",
    ),
    _packets(
        "steps that may be used up are not counted",
        "targets.wasm.packets:Packets._enough",
        "return found if found is not None and self._uncounted else []",
        "return []",
        "control/taken_out_of_loops.atlas",
    ),
    _packets(
        "all that is taken out of a loop is what lanes have that leave it last",
        "compiler.packets:_Linearizer._blends",
        "header is None or header > 1",
        "header is not None and header > 1",
        "control/loop_break.atlas",
    ),
    _packets(
        "of four numbers that are loaded together all lanes have the first",
        _ACCESSES + "_load_lane",
        "bytes(range(4 * lane, 4 * lane + 4)) * 4",
        "bytes(range(4)) * 4",
        "tensor/batched_gemm.atlas",
    ),
    _packets(
        "numbers that lie apart are loaded together",
        "targets.wasm.addresses:Addresses._next",
        "if offset == expected",
        "if offset >= expected",
        "memory/four_together.atlas",
    ),
    _packets(
        "what a loop changes is fixed in its addresses",
        "targets.wasm.addresses:Addresses._is_fixed",
        "variable not in self._loops[-1].sets",
        "True",
        "memory/affine.atlas",
    ),
    _packets(
        "what lanes that are off have in shared memory goes",
        _ACCESSES + "store",
        '("v128.bitselect",)',
        '("v128.or",), ("v128.or",)',
        "passes/unroll_barrier_steps.atlas",
    ),
    _packets(
        "shared memory is not cleared where few lanes are on",
        "targets.wasm.blocks:Blocks.enter",
        '("i32.lt_s",)',
        '("i32.gt_s",)',
        "memory/shared_row_all.atlas",
    ),
    _packets(
        "shared memory is not cleared behind a row that lanes store",
        "targets.wasm.blocks:Blocks.enter",
        '("i32.gt_u",)',
        '("i32.lt_u",)',
        "memory/shared_row_first.atlas",
    ),
    Mutant(
        "compiler: escapes: what lanes take out of a loop by a branch backwards is lost",
        "compiler.escapes:uses",
        "if waits or again or counted or",
        "if waits or again or",
        "wasm4",
        "packets/left_backwards.atlas",
    ),
    _compiler(
        "whole rounds: those that are left begin with the first",
        "whole_rounds:_write",
        'put("mul", ty, whole, number(step))',
        "number(0)",
        "lanes/whole_rounds.atlas",
    ),
    _compiler(
        "whole rounds: the last lane begins where the first does",
        "whole_rounds:_write",
        "end * (function.block_shape[axis] - 1)",
        "0 * end",
        "lanes/whole_rounds.atlas",
    ),
    _compiler(
        "whole rounds: places wrap on the way to the last lane's",
        "whole_rounds:_write",
        "1 << ty.bits",
        "1 << 99",
        "lanes/whole_rounds.atlas",
    ),
    _compiler(
        "windows: lanes of one branch stand for those of two",
        "windows:_hull",
        "max(ends",
        "min(ends",
        "control/windows_together.atlas",
    ),
    _compiler(
        "bounds: shared memory is as long as anybody asks",
        "bounds:Bounds.prove",
        "most > self._function.shared_memory",
        "False",
        "memory/shared_size.atlas",
    ),
    _compiler(
        "unroll: copies of a loop take no steps",
        "passes.unroll:_Loop._fill",
        "end.steps and taken[0] is end.ways[0]",
        "False",
        "passes/unroll_barrier_too_many.atlas",
    ),
    _packets(
        "packets that read their place take it from the end of the row",
        "targets.wasm.addresses:Addresses.advance",
        "place in code",
        "False",
        "lanes/rows.atlas",
    ),
    _packets(
        "of two floats that are compared either is chosen where one is NaN",
        "targets.wasm.extremes:choice_of",
        'return "pmax", a, b',
        'return "pmax", b, a',
        "logic/sel_of_two.atlas",
    ),
    _packets(
        "lanes that wait for the next round are forgotten",
        _LINEARIZER + "_loop",
        "self._set(inner.mask, left)",
        "self._set(inner.mask, mask)",
        "control/irreducible_three.atlas",
    ),
    _packets(
        "lanes that leave stay in the masks around them",
        _LINEARIZER + "_leave",
        'Node("pand", PRED, (mask, Node("pnot", PRED, (mine,))))',
        "mask",
        "control/loop.atlas",
    ),
    _packets(
        "floats below zero are cut off as those from 0 on, which have no sign",
        _VECTORS + "_truncated",
        "low > -0.5 and high",
        "high",
        "data/cvt_float_int_clamped.atlas:u32",
    ),
    _packets(
        "what grows from lane to lane is the first lane's",
        _VECTORS + "_spread",
        "if step:",
        "if False:",
        "control/off_the_end.atlas",
    ),
    _packets(
        "the least with a number that is NaN is the other",
        _EXTREMES + "_mend",
        '.ne",)',
        '.lt",)',
        "arithmetic/min_max_of_number.atlas",
    ),
    _packets(
        "the greatest with a zero is the other one, of any sign",
        _EXTREMES + "_mend",
        '"v128.andnot"',
        '"v128.or"',
        "arithmetic/min_max_of_number.atlas",
    ),
    _packets(
        "the greater of NaN and another is any",
        _EXTREMES + "_of_floats",
        '(f"{shape}.ne",)',
        '(f"{shape}.lt",)',
        "arithmetic/max_float.atlas",
    ),
    _packets(
        "a variable is set in lanes that are off",
        _VECTORS + "keep",
        "if under.mask is not None and",
        "if False and",
        "control/irreducible.atlas",
    ),
    _packets(
        "the fault of a packet is its first lane's",
        _FAULTS + "drop",
        '("i32.ctz",), ("local.set", lane)',
        '("i32.const", 0), ("i32.mul",), ("local.set", lane)',
        "faults/axis_rows.atlas",
    ),
    _packets(
        "the fault of a row beyond its memory is its first lane's",
        _FAULTS + "_beyond_routine",
        '("local.get", lane), ("call", end)',
        '("i32.const", 0), ("call", end)',
        "faults/bounds_lowest_lane.atlas",
    ),
    _packets(
        "of elements that are checked together the first is the one beyond",
        _FAULTS + "_beyond_routine",
        '("local.get", 2), ("i32.add",), ("local.set", 2)',
        '("drop",)',
        "faults/bounds_together_row.atlas",
    ),
    _packets(
        "a lane behind the end of a row is on",
        _FAULTS + "first_lanes",
        '(f"{shape}.gt_s",)',
        '(f"{shape}.ge_s",)',
        "control/while.atlas",
    ),
    _packets(
        "checks are left out where nothing is proven",
        _FAULTS + "_unless_safe",
        'self.safe, ("i32.eqz",), ("if", None)',
        'self.safe, ("if", None)',
        "faults/bounds_far_lane.atlas",
    ),
    _packets(
        "lanes of several blocks are one row where they ask for their place in a block",
        "targets.wasm.code:is_one_row",
        "if arg in blocks or (own and node not in blocks):",
        "if arg in blocks:",
        "launch/own_place.atlas",
    ),
    _packets(
        "accumulators of a reduction are folded with themselves",
        "targets.wasm.vector_reductions:_Combined.fold",
        "(byte + distance) % 16",
        "byte",
        "reduce/order.atlas",
    ),
    _packets(
        "halves of a row of a reduction are read twice",
        "targets.wasm.vector_reductions:_Combined.with_row",
        '("v128.load", 0, 16 * place)',
        '("v128.load", 0, 16 * (place // 2))',
        "reduce/order.atlas",
    ),
)

_WGSL = (
    _pairs(
        "a condition that is turned around is not negated",
        _CONTROL + "_if",
        "truth, leaves_, then, otherwise = False,",
        "truth, leaves_, then, otherwise = True,",
        "sync/bar_sync_windows.atlas:u32",
    ),
    _pairs(
        "small results keep their upper bits",
        _LEGALISER + "short",
        "return self._cut(ty, made) if",
        "return made if",
        "arithmetic/small_results.atlas",
    ),
    _pairs(
        "signed SUB swapped",  # unsigned, LOOP, too, would never end
        "targets.clike.expressions:Expressions.compute",
        "args = map(self.value, node.args)",
        "args = map(self.value, node.args[:: -1 if op == 'sub' and node.ty is Type.I32 else 1])",
        "arithmetic/sub.atlas:i8",
    ),
    _pairs(
        "a signed comparison of 64 bits is unsigned",
        _PAIRS + "compare",
        'self._call(f"{ty}_lt", PRED, a, b) if',
        'self._call("u64_lt", PRED, a, b) if',
        "control/phi_order.atlas",
    ),
    _pairs(
        "33 bits pass for 32",
        _PAIRS + "is_narrow",
        "high < 1 << 32",
        "high < 1 << 36",
        "arithmetic/wide_sum.atlas",
    ),
    _pairs(
        "a number made longer has no sign",
        _PAIRS + "long",
        "x, attr=x.ty)",
        "self.ops.bitcast(U32, x.ty, x), attr=U32)",
        "data/cvt_int_int.atlas:i64:i32",
    ),
    _wgsl(
        "F32 is not fenced",
        "floats:Floats.fence",
        'self.math != "exact"',
        "True",
        "arithmetic/zero_of_select.atlas",
    ),
    _wgsl(
        "the carry of a 64-bit sum is lost",
        "library:library_for",
        "join(text for",
        "join(text.replace('select(0u, 1u, low < a.x)', '0u') for",
        "control/retyped.atlas",
    ),
    _wgsl(
        "F64 rounds halves up",
        "library:library_for",
        "join(text for",
        "join(text.replace('0x7ffu) + (kept.x & 1u)) > 0x400u', '0x7ffu) + 1u) > 0x400u') for",
        "arithmetic/add_float.atlas:f64",
    ),
    _wgsl(
        "the rest of an F64 quotient is forgotten",
        "library:library_for",
        "join(text for",
        "join(text.replace('quotient.x |= select(0u, 1u, (rest.x | rest.y) != 0u)', 'quotient.x |= 0u') for",
        "arithmetic/div_float.atlas:f64",
    ),
    _wgsl(
        "F64 FMA rounds its product",
        "library:library_for",
        "join(text for",
        "join(text.replace('product = u128_jam(', 'product = vec4u(0u, 0u, 1u, 1u) * u128_jam(') for",
        "arithmetic/fma.atlas:f64",
    ),
    _wgsl(
        "a subnormal F64 significand has the leading bit",
        "library:library_for",
        "join(text for",
        "join(text.replace('select(0u, 0x100000u, (a.y & 0x7ff00000u) != 0u)', '0x100000u') for",
        "arithmetic/mul_float.atlas:f64",
    ),
    _wgsl(
        "a 64-bit shift by nothing mixes its words",
        "library:library_for",
        "join(text for",
        "join(text.replace('((a.y << 1u) << (31u - s))', '(a.y << (32u - s))') for",
        "logic/shift_long.atlas",
    ),
    _wgsl(
        "one element past the end is in bounds",
        "effects:EffectWriter._limit",
        "u + 1u, {size} >= {end}u)",
        "u + 2u, {size} >= {end}u)",
        "faults/bounds_load.atlas:i8:12",
    ),
    _wgsl(
        "negative indices before a negative offset pass",
        "effects:EffectWriter._outside",
        "if offset < 0:",
        "if False:",
        "faults/bounds_negative_offset.atlas",
    ),
    _pairs(
        "small integers are loaded without their sign",
        "compiler.legalise:Legaliser.part",
        'self.bitcast(Type.I32, Type.U32, found) if ty.kind == "i" else found',
        'self.bitcast(Type.I32, Type.U32, self.masked(found, 127)) if ty.kind == "i" else found',
        "arithmetic/small_results.atlas",
    ),
    _pairs(
        "bytes are four bits apart",
        "compiler.legalise:Legaliser._shift",
        "self.const(Type.U32, 3))",
        "self.const(Type.U32, 2))",
        "memory/mixed_types.atlas",
    ),
    _wgsl(
        "a small store writes the whole word",
        "memory:MemoryWriter.store",
        'f"atomicXor({cell}, (atomicLoad({cell}) & {under}) ^ {text});"',
        'f"atomicStore({cell}, {text});"',
        "logic/and.atlas",
    ),
    _wgsl(
        "a small store is a load and a store",
        "memory:MemoryWriter.store",
        'f"atomicXor({cell}, (atomicLoad({cell}) & {under}) ^ {text});"',
        'f"atomicStore({cell}, (atomicLoad({cell}) & ~({under})) | {text});"',
        "logic/and.atlas",
    ),
    _wgsl(
        "signed atomic MIN and MAX compare as unsigned",
        "effects:EffectWriter._atomic",
        ' or (operation in ("min", "max") and ty is Type.I32)',
        "",
        "sync/atom_min.atlas",
    ),
    _pairs(
        "phis are copied one after another",
        _CONTROL + "_in_turn",
        "if readers[pair[0]] == (pair[0] in pair[2])",
        "if True",
        "control/loop_swap.atlas",
    ),
    _wgsl(
        "shared memory is not zeroed",
        "barriers:Main._zeroing",
        "if not any(",
        "if any(",
        "memory/shared_zeroed.atlas",
    ),
    _wgsl(
        "no barrier behind the zeroing",
        "barriers:Main._zeroing",
        '"  workgroupBarrier();"',
        '""',
        "sync/bar_sync_reversed.atlas",
    ),
    _wgsl(
        "one surplus lane runs",
        "barriers:Main._entry",
        "+ local < arg",
        "+ local <= arg",
        "launch/rows_off.atlas",
    ),
    _wgsl("rows of blocks overlap", "barriers:Main._block_of", "* 65535u;", "* 65534u;", "launch/many_rows.atlas"),
    _wgsl(
        "lanes go on behind the wrong barrier",
        "body:Body._stop",
        "{shader.lowered.resumes.index(piece.ways[0])}u",
        "{min(shader.lowered.resumes.index(piece.ways[0]) + 1, len(shader.lowered.resumes) - 1)}u",
        "sync/bar_sync_loaded_branch.atlas",
    ),
    _wgsl(
        "a divergent barrier is passed",
        "barriers:Main._segments",
        '"    if (met.x != met.y) {"',
        '"    if (met.x > met.y) {"',
        "faults/divergent_barrier_block.atlas",
    ),
    _pairs(
        "the flag of a branch is not reset",
        _CONTROL + "_go_on",
        'self.put("br = 0u;")',
        "pass",
        "control/irreducible_three.atlas",
    ),
    _wgsl(
        "reductions have 16 accumulators",
        "reductions:reduction",
        "(k & 31u)",
        "(k & 15u)",
        "reduce/order_orbits.atlas",
    ),
    _wgsl(
        "wide integers: the carry of a sum is lost",
        "library:library_for",
        "text for name, text",
        "text.replace('carry = select(0u, 1u', 'carry = select(0u, 0u') for name, text",
        "wide/sum.atlas:u128",
    ),
)

CODE_MUTANTS = (*_COMPILER, *_WASM, *_PACKETS, *_WGSL)
