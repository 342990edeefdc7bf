;; Kernels of bench.peers as one would write them by hand for v128, of one thread: nothing is checked, nothing can be cancelled, and sides
;; are multiples of four. `blur` loads three of its weights again: nine in registers took wasmtime 1.04 times as long.
;; `gray_scott` leaves out the first four columns and the last four, where the picture goes round.
(module
  (import "env" "memory" (memory 1 65536))
  (func (export "blur") (param $x i32) (param $w i32) (param $z i32) (param $side i32)
    (local $row i32) (local $end i32) (local $a i32) (local $b i32) (local $c i32) (local $pitch i32)
    (local $w0 v128) (local $w1 v128) (local $w2 v128) (local $w3 v128) (local $w4 v128)
    (local $w5 v128)
    (local.set $w0 (v128.load32_splat offset=0 (local.get $w)))
    (local.set $w1 (v128.load32_splat offset=4 (local.get $w)))
    (local.set $w2 (v128.load32_splat offset=8 (local.get $w)))
    (local.set $w3 (v128.load32_splat offset=12 (local.get $w)))
    (local.set $w4 (v128.load32_splat offset=16 (local.get $w)))
    (local.set $w5 (v128.load32_splat offset=20 (local.get $w)))
    (local.set $pitch (i32.shl (i32.add (local.get $side) (i32.const 2)) (i32.const 2)))
    (local.set $row (local.get $side))
    (loop $rows
      (local.set $a (local.get $x))
      (local.set $b (i32.add (local.get $a) (local.get $pitch)))
      (local.set $c (i32.add (local.get $b) (local.get $pitch)))
      (local.set $end (i32.add (local.get $z) (i32.shl (local.get $side) (i32.const 2))))
      (loop $next
        (v128.store align=4 (local.get $z)
          (f32x4.add (f32x4.add (f32x4.add (f32x4.add (f32x4.add (f32x4.add (f32x4.add (f32x4.add
            (f32x4.mul (local.get $w0) (v128.load offset=0 align=4 (local.get $a)))
            (f32x4.mul (local.get $w1) (v128.load offset=4 align=4 (local.get $a))))
            (f32x4.mul (local.get $w2) (v128.load offset=8 align=4 (local.get $a))))
            (f32x4.mul (local.get $w3) (v128.load offset=0 align=4 (local.get $b))))
            (f32x4.mul (local.get $w4) (v128.load offset=4 align=4 (local.get $b))))
            (f32x4.mul (local.get $w5) (v128.load offset=8 align=4 (local.get $b))))
            (f32x4.mul (v128.load32_splat offset=24 (local.get $w)) (v128.load offset=0 align=4 (local.get $c))))
            (f32x4.mul (v128.load32_splat offset=28 (local.get $w)) (v128.load offset=4 align=4 (local.get $c))))
            (f32x4.mul (v128.load32_splat offset=32 (local.get $w)) (v128.load offset=8 align=4 (local.get $c)))))
        (local.set $a (i32.add (local.get $a) (i32.const 16)))
        (local.set $b (i32.add (local.get $b) (i32.const 16)))
        (local.set $c (i32.add (local.get $c) (i32.const 16)))
        (br_if $next (i32.lt_u (local.tee $z (i32.add (local.get $z) (i32.const 16))) (local.get $end))))
      (local.set $x (i32.add (local.get $x) (local.get $pitch)))
      (br_if $rows (local.tee $row (i32.sub (local.get $row) (i32.const 1))))))
  (func (export "gray_scott") (param $x i32) (param $none i32) (param $z i32) (param $side i32)
    (local $row i32) (local $end i32) (local $at i32) (local $up i32) (local $down i32) (local $pitch i32) (local $plane i32)
    (local $u v128) (local $v v128) (local $uvv v128) (local $four v128) (local $one v128)
    (local $du v128) (local $dv v128) (local $feed v128) (local $both v128)
    (local.set $four (f32x4.splat (f32.const 4)))
    (local.set $one (f32x4.splat (f32.const 1)))
    (local.set $du (f32x4.splat (f32.const 0.16)))
    (local.set $dv (f32x4.splat (f32.const 0.08)))
    (local.set $feed (f32x4.splat (f32.const 0.037)))
    (local.set $both (f32x4.splat (f32.const 0.097)))
    (local.set $pitch (i32.shl (local.get $side) (i32.const 2)))
    (local.set $plane (i32.mul (local.get $side) (local.get $pitch)))
    (loop $rows
      (local.set $at (i32.add (i32.const 16) (i32.mul (local.get $row) (local.get $pitch))))
      (local.set $up (i32.add (i32.const 16) (i32.mul (local.get $pitch)
        (select (i32.sub (local.get $row) (i32.const 1)) (i32.sub (local.get $side) (i32.const 1)) (local.get $row)))))
      (local.set $down (i32.add (i32.const 16) (i32.mul (local.get $pitch)
        (select (i32.add (local.get $row) (i32.const 1)) (i32.const 0)
          (i32.lt_u (local.get $row) (i32.sub (local.get $side) (i32.const 1)))))))
      (local.set $end (i32.add (local.get $at) (i32.sub (local.get $pitch) (i32.const 32))))
      (local.set $end (i32.add (local.get $end) (local.get $x)))
      (local.set $up (i32.add (local.get $up) (local.get $x)))
      (local.set $down (i32.add (local.get $down) (local.get $x)))
      (local.set $at (i32.add (local.get $at) (local.get $x)))
      (loop $next
        (local.set $u (v128.load (local.get $at)))
        (local.set $v (v128.load (i32.add (local.get $at) (local.get $plane))))
        (local.set $uvv (f32x4.mul (f32x4.mul (local.get $u) (local.get $v)) (local.get $v)))
        (v128.store (i32.add (local.get $z) (i32.sub (local.get $at) (local.get $x)))
          (f32x4.add (local.get $u) (f32x4.add (f32x4.sub (f32x4.mul (local.get $du) (f32x4.sub
            (f32x4.add (f32x4.add (f32x4.add (v128.load (local.get $up)) (v128.load (local.get $down)))
              (v128.load align=4 (i32.sub (local.get $at) (i32.const 4)))) (v128.load offset=4 align=4 (local.get $at)))
            (f32x4.mul (local.get $four) (local.get $u)))) (local.get $uvv))
            (f32x4.mul (local.get $feed) (f32x4.sub (local.get $one) (local.get $u))))))
        (v128.store (i32.add (i32.add (local.get $z) (local.get $plane)) (i32.sub (local.get $at) (local.get $x)))
          (f32x4.add (local.get $v) (f32x4.sub (f32x4.add (f32x4.mul (local.get $dv) (f32x4.sub
            (f32x4.add (f32x4.add (f32x4.add (v128.load (i32.add (local.get $up) (local.get $plane)))
              (v128.load (i32.add (local.get $down) (local.get $plane))))
              (v128.load align=4 (i32.sub (i32.add (local.get $at) (local.get $plane)) (i32.const 4))))
              (v128.load offset=4 align=4 (i32.add (local.get $at) (local.get $plane))))
            (f32x4.mul (local.get $four) (local.get $v)))) (local.get $uvv))
            (f32x4.mul (local.get $both) (local.get $v)))))
        (local.set $up (i32.add (local.get $up) (i32.const 16)))
        (local.set $down (i32.add (local.get $down) (i32.const 16)))
        (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $end))))
      (br_if $rows (i32.lt_u (local.tee $row (i32.add (local.get $row) (i32.const 1))) (local.get $side)))))
  (func (export "histogram") (param $x i32) (param $none i32) (param $z i32) (param $count i32)
    (local $end i32) (local $at i32)
    (memory.fill (local.get $z) (i32.const 0) (i32.const 1024))
    (local.set $end (i32.add (local.get $x) (local.get $count)))
    (loop $next
      (local.set $at (i32.add (local.get $z) (i32.shl (i32.load8_u (local.get $x)) (i32.const 2))))
      (i32.store (local.get $at) (i32.add (i32.load (local.get $at)) (i32.const 1)))
      (local.set $at (i32.add (local.get $z) (i32.shl (i32.load8_u offset=1 (local.get $x)) (i32.const 2))))
      (i32.store (local.get $at) (i32.add (i32.load (local.get $at)) (i32.const 1)))
      (local.set $at (i32.add (local.get $z) (i32.shl (i32.load8_u offset=2 (local.get $x)) (i32.const 2))))
      (i32.store (local.get $at) (i32.add (i32.load (local.get $at)) (i32.const 1)))
      (local.set $at (i32.add (local.get $z) (i32.shl (i32.load8_u offset=3 (local.get $x)) (i32.const 2))))
      (i32.store (local.get $at) (i32.add (i32.load (local.get $at)) (i32.const 1)))
      (br_if $next (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 4))) (local.get $end)))))
  (func (export "search") (param $x i32) (param $p i32) (param $z i32) (param $count i32)
    (local $k i32) (local $end i32)
    (local.set $end (i32.add (local.get $x) (local.get $count)))
    (loop $next
      (local.set $k (i32.const 0))
      (block $found
        (loop $letters
          (br_if $found (i32.ge_u (local.get $k) (i32.const 8)))
          (br_if $found (i32.ne (i32.load8_u (i32.add (local.get $x) (local.get $k)))
            (i32.load8_u (i32.add (local.get $p) (local.get $k)))))
          (local.set $k (i32.add (local.get $k) (i32.const 1)))
          (br $letters)))
      (i32.store8 (local.get $z) (i32.eq (local.get $k) (i32.const 8)))
      (local.set $z (i32.add (local.get $z) (i32.const 1)))
      (br_if $next (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 1))) (local.get $end)))))
  ;; A tree in each block of 256 elements: what barriers part by a lane of a block is in registers here.
  (func (export "block_sum") (param $x i32) (param $none i32) (param $z i32) (param $count i32)
    (local $end i32)
    (local $s0 v128) (local $s1 v128) (local $s2 v128) (local $s3 v128)
    (local $s4 v128) (local $s5 v128) (local $s6 v128) (local $s7 v128)
    (local.set $end (i32.add (local.get $x) (i32.shl (local.get $count) (i32.const 2))))
    (loop $next
      (local.set $s0
        (f32x4.add
          (f32x4.add
            (f32x4.add (v128.load offset=0 (local.get $x)) (v128.load offset=512 (local.get $x)))
            (f32x4.add (v128.load offset=256 (local.get $x)) (v128.load offset=768 (local.get $x))))
          (f32x4.add
            (f32x4.add (v128.load offset=128 (local.get $x)) (v128.load offset=640 (local.get $x)))
            (f32x4.add (v128.load offset=384 (local.get $x)) (v128.load offset=896 (local.get $x))))))
      (local.set $s1
        (f32x4.add
          (f32x4.add
            (f32x4.add (v128.load offset=16 (local.get $x)) (v128.load offset=528 (local.get $x)))
            (f32x4.add (v128.load offset=272 (local.get $x)) (v128.load offset=784 (local.get $x))))
          (f32x4.add
            (f32x4.add (v128.load offset=144 (local.get $x)) (v128.load offset=656 (local.get $x)))
            (f32x4.add (v128.load offset=400 (local.get $x)) (v128.load offset=912 (local.get $x))))))
      (local.set $s2
        (f32x4.add
          (f32x4.add
            (f32x4.add (v128.load offset=32 (local.get $x)) (v128.load offset=544 (local.get $x)))
            (f32x4.add (v128.load offset=288 (local.get $x)) (v128.load offset=800 (local.get $x))))
          (f32x4.add
            (f32x4.add (v128.load offset=160 (local.get $x)) (v128.load offset=672 (local.get $x)))
            (f32x4.add (v128.load offset=416 (local.get $x)) (v128.load offset=928 (local.get $x))))))
      (local.set $s3
        (f32x4.add
          (f32x4.add
            (f32x4.add (v128.load offset=48 (local.get $x)) (v128.load offset=560 (local.get $x)))
            (f32x4.add (v128.load offset=304 (local.get $x)) (v128.load offset=816 (local.get $x))))
          (f32x4.add
            (f32x4.add (v128.load offset=176 (local.get $x)) (v128.load offset=688 (local.get $x)))
            (f32x4.add (v128.load offset=432 (local.get $x)) (v128.load offset=944 (local.get $x))))))
      (local.set $s4
        (f32x4.add
          (f32x4.add
            (f32x4.add (v128.load offset=64 (local.get $x)) (v128.load offset=576 (local.get $x)))
            (f32x4.add (v128.load offset=320 (local.get $x)) (v128.load offset=832 (local.get $x))))
          (f32x4.add
            (f32x4.add (v128.load offset=192 (local.get $x)) (v128.load offset=704 (local.get $x)))
            (f32x4.add (v128.load offset=448 (local.get $x)) (v128.load offset=960 (local.get $x))))))
      (local.set $s5
        (f32x4.add
          (f32x4.add
            (f32x4.add (v128.load offset=80 (local.get $x)) (v128.load offset=592 (local.get $x)))
            (f32x4.add (v128.load offset=336 (local.get $x)) (v128.load offset=848 (local.get $x))))
          (f32x4.add
            (f32x4.add (v128.load offset=208 (local.get $x)) (v128.load offset=720 (local.get $x)))
            (f32x4.add (v128.load offset=464 (local.get $x)) (v128.load offset=976 (local.get $x))))))
      (local.set $s6
        (f32x4.add
          (f32x4.add
            (f32x4.add (v128.load offset=96 (local.get $x)) (v128.load offset=608 (local.get $x)))
            (f32x4.add (v128.load offset=352 (local.get $x)) (v128.load offset=864 (local.get $x))))
          (f32x4.add
            (f32x4.add (v128.load offset=224 (local.get $x)) (v128.load offset=736 (local.get $x)))
            (f32x4.add (v128.load offset=480 (local.get $x)) (v128.load offset=992 (local.get $x))))))
      (local.set $s7
        (f32x4.add
          (f32x4.add
            (f32x4.add (v128.load offset=112 (local.get $x)) (v128.load offset=624 (local.get $x)))
            (f32x4.add (v128.load offset=368 (local.get $x)) (v128.load offset=880 (local.get $x))))
          (f32x4.add
            (f32x4.add (v128.load offset=240 (local.get $x)) (v128.load offset=752 (local.get $x)))
            (f32x4.add (v128.load offset=496 (local.get $x)) (v128.load offset=1008 (local.get $x))))))
      (local.set $s0 (f32x4.add
        (f32x4.add (f32x4.add (local.get $s0) (local.get $s4)) (f32x4.add (local.get $s2) (local.get $s6)))
        (f32x4.add (f32x4.add (local.get $s1) (local.get $s5)) (f32x4.add (local.get $s3) (local.get $s7)))))
      (local.set $s0 (f32x4.add (local.get $s0)
        (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $s0) (local.get $s0))))
      (f32.store (local.get $z)
        (f32.add (f32x4.extract_lane 0 (local.get $s0)) (f32x4.extract_lane 1 (local.get $s0))))
      (local.set $z (i32.add (local.get $z) (i32.const 4)))
      (br_if $next (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 1024))) (local.get $end)))))
  ;; The same as lanes do it, in the KiB at 1024: level after level, four lanes in a vector.
  (func (export "block_tree") (param $x i32) (param $none i32) (param $z i32) (param $count i32)
    (local $end i32) (local $at i32) (local $half i32) (local $s v128)
    (local.set $end (i32.add (local.get $x) (i32.shl (local.get $count) (i32.const 2))))
    (loop $next
      (local.set $at (i32.const 0))
      (loop $load
        (v128.store offset=1024 (local.get $at) (v128.load (i32.add (local.get $x) (local.get $at))))
        (v128.store offset=1040 (local.get $at) (v128.load offset=16 (i32.add (local.get $x) (local.get $at))))
        (v128.store offset=1056 (local.get $at) (v128.load offset=32 (i32.add (local.get $x) (local.get $at))))
        (v128.store offset=1072 (local.get $at) (v128.load offset=48 (i32.add (local.get $x) (local.get $at))))
        (br_if $load (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 64))) (i32.const 1024))))
      (local.set $half (i32.const 512))
      (loop $level
        (local.set $at (i32.const 0))
        (loop $lanes
          (v128.store offset=1024 (local.get $at) (f32x4.add (v128.load offset=1024 (local.get $at))
            (v128.load offset=1024 (i32.add (local.get $at) (local.get $half)))))
          (br_if $lanes (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $half))))
        (br_if $level (i32.ge_u (local.tee $half (i32.shr_u (local.get $half) (i32.const 1))) (i32.const 16))))
      (local.set $s (v128.load (i32.const 1024)))
      (local.set $s (f32x4.add (local.get $s)
        (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $s) (local.get $s))))
      (f32.store (local.get $z)
        (f32.add (f32x4.extract_lane 0 (local.get $s)) (f32x4.extract_lane 1 (local.get $s))))
      (local.set $z (i32.add (local.get $z) (i32.const 4)))
      (br_if $next (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 1024))) (local.get $end)))))
  ;; The same, whose last levels go through memory with masks, and which counts steps and asks whether to go on.
  (func (export "block_tree_memory") (param $x i32) (param $none i32) (param $z i32) (param $count i32)
    (local $end i32) (local $at i32) (local $half i32) (local $s v128)
    (local $mask v128) (local $taken i64) (local $least i64) (local $ticks i64)
    (local.set $end (i32.add (local.get $x) (i32.shl (local.get $count) (i32.const 2))))
    (local.set $ticks (i64.const 0x7fffffffffff))
    (block $fault (loop $next
      (br_if $fault (i64.lt_s (local.tee $ticks (i64.sub (local.get $ticks) (i64.const 28672))) (i64.const 0)))
      (local.set $taken (i64.const 0))
      (local.set $least (i64.const 1000000000))
      (local.set $at (i32.const 0))
      (loop $load
        (v128.store offset=1024 (local.get $at) (v128.load (i32.add (local.get $x) (local.get $at))))
        (v128.store offset=1040 (local.get $at) (v128.load offset=16 (i32.add (local.get $x) (local.get $at))))
        (v128.store offset=1056 (local.get $at) (v128.load offset=32 (i32.add (local.get $x) (local.get $at))))
        (v128.store offset=1072 (local.get $at) (v128.load offset=48 (i32.add (local.get $x) (local.get $at))))
        (br_if $load (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 64))) (i32.const 1024))))
      (local.set $half (i32.const 512))
      (loop $level
        (local.set $at (i32.const 0))
        (loop $lanes
          (v128.store offset=1024 (local.get $at) (f32x4.add (v128.load offset=1024 (local.get $at))
            (v128.load offset=1024 (i32.add (local.get $at) (local.get $half)))))
          (br_if $lanes (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $half))))
        (br_if $fault (i64.ge_s (local.tee $taken (i64.add (local.get $taken) (i64.const 1))) (local.get $least)))
        (br_if $level (i32.ge_u (local.tee $half (i32.shr_u (local.get $half) (i32.const 1))) (i32.const 16))))
      (local.set $mask (i32x4.gt_s
        (i32x4.splat (select (local.get $count) (i32.const 2) (i32.lt_s (local.get $count) (i32.const 2))))
        (v128.const i32x4 0 1 2 3)))
      (local.set $s (f32x4.add (v128.load (i32.const 1024)) (v128.load (i32.const 1032))))
      (v128.store (i32.const 1024)
        (v128.bitselect (local.get $s) (v128.load (i32.const 1024)) (local.get $mask)))
      (br_if $fault (i64.ge_s (local.tee $taken (i64.add (local.get $taken) (i64.const 1))) (local.get $least)))
      (local.set $mask (i32x4.gt_s
        (i32x4.splat (select (local.get $count) (i32.const 1) (i32.lt_s (local.get $count) (i32.const 1))))
        (v128.const i32x4 0 1 2 3)))
      (local.set $s (f32x4.add (v128.load (i32.const 1024)) (v128.load (i32.const 1028))))
      (v128.store (i32.const 1024)
        (v128.bitselect (local.get $s) (v128.load (i32.const 1024)) (local.get $mask)))
      (br_if $fault (i64.ge_s (local.tee $taken (i64.add (local.get $taken) (i64.const 1))) (local.get $least)))
      (f32.store (local.get $z) (f32.load (i32.const 1024)))
      (local.set $z (i32.add (local.get $z) (i32.const 4)))
      (br_if $next (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 1024))) (local.get $end))))))
  (func (export "add") (param $x i32) (param $y i32) (param $z i32) (param $count i32) (local $end i32)
    (local.set $end (i32.add (local.get $x) (i32.shl (local.get $count) (i32.const 2))))
    (loop $next
      (v128.store (local.get $z) (f32x4.add (v128.load (local.get $x)) (v128.load (local.get $y))))
      (v128.store offset=16 (local.get $z) (f32x4.add (v128.load offset=16 (local.get $x)) (v128.load offset=16 (local.get $y))))
      (v128.store offset=32 (local.get $z) (f32x4.add (v128.load offset=32 (local.get $x)) (v128.load offset=32 (local.get $y))))
      (v128.store offset=48 (local.get $z) (f32x4.add (v128.load offset=48 (local.get $x)) (v128.load offset=48 (local.get $y))))
      (local.set $y (i32.add (local.get $y) (i32.const 64)))
      (local.set $z (i32.add (local.get $z) (i32.const 64)))
      (br_if $next (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 64))) (local.get $end)))))
  (func (export "fused8") (param $x i32) (param $y i32) (param $z i32) (param $count i32)
    (local $end i32) (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local $t v128) (local $p v128) (local $q v128) (local $zero v128) (local $half v128)
    (local.set $half (f32x4.splat (f32.const 0.5)))
    (local.set $end (i32.add (local.get $x) (i32.shl (local.get $count) (i32.const 2))))
    (loop $next
      (local.set $a (v128.load (local.get $x)))
      (local.set $b (v128.load offset=16 (local.get $x)))
      (local.set $c (v128.load (local.get $y)))
      (local.set $d (v128.load offset=16 (local.get $y)))
      (local.set $t (f32x4.add (f32x4.mul (f32x4.sub (f32x4.mul (f32x4.pmax (f32x4.add (f32x4.mul (local.get $a) (local.get $c))
        (local.get $a)) (local.get $zero)) (local.get $c)) (local.get $a)) (local.get $half)) (local.get $c)))
      (local.set $p (f32x4.pmax (local.get $t) (local.get $a)))
      (local.set $q (f32x4.pmax (local.get $a) (local.get $t)))
      (v128.store offset=0 (local.get $z) (v128.or (v128.and (local.get $p) (local.get $q)) (f32x4.ne (local.get $p) (local.get $q))))
      (local.set $t (f32x4.add (f32x4.mul (f32x4.sub (f32x4.mul (f32x4.pmax (f32x4.add (f32x4.mul (local.get $b) (local.get $d))
        (local.get $b)) (local.get $zero)) (local.get $d)) (local.get $b)) (local.get $half)) (local.get $d)))
      (local.set $p (f32x4.pmax (local.get $t) (local.get $b)))
      (local.set $q (f32x4.pmax (local.get $b) (local.get $t)))
      (v128.store offset=16 (local.get $z) (v128.or (v128.and (local.get $p) (local.get $q)) (f32x4.ne (local.get $p) (local.get $q))))
      (local.set $y (i32.add (local.get $y) (i32.const 32)))
      (local.set $z (i32.add (local.get $z) (i32.const 32)))
      (br_if $next (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 32))) (local.get $end))))))
