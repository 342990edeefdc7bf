;; z = x + y of blocks of 256 elements, called as kernels of artifacts are (docs/artifact.md): with an argument block, which has
;; a length, and addresses and sizes of x, y and z, and the blocks to run. Nothing is checked; `four` does four vectors a round.
(module
  (import "env" "memory" (memory 1 65536))
  (func (export "kernel") (param $arguments i32) (param $begin i32) (param $end i32)
    (local $x i32) (local $y i32) (local $z i32) (local $at i32) (local $stop i32)
    (local.set $x (i32.load offset=96 (local.get $arguments)))
    (local.set $y (i32.load offset=104 (local.get $arguments)))
    (local.set $z (i32.load offset=112 (local.get $arguments)))
    (local.set $at (i32.shl (local.get $begin) (i32.const 10)))
    (local.set $stop (i32.shl (local.get $end) (i32.const 10)))
    (loop $next
      (v128.store (i32.add (local.get $z) (local.get $at)) (f32x4.add
        (v128.load (i32.add (local.get $x) (local.get $at))) (v128.load (i32.add (local.get $y) (local.get $at)))))
      (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $stop)))))
  (func (export "four") (param $arguments i32) (param $begin i32) (param $end i32)
    (local $x i32) (local $y i32) (local $z i32) (local $at i32) (local $stop i32)
    (local.set $x (i32.load offset=96 (local.get $arguments)))
    (local.set $y (i32.load offset=104 (local.get $arguments)))
    (local.set $z (i32.load offset=112 (local.get $arguments)))
    (local.set $at (i32.shl (local.get $begin) (i32.const 10)))
    (local.set $stop (i32.shl (local.get $end) (i32.const 10)))
    (loop $next
      (v128.store (i32.add (local.get $z) (local.get $at)) (f32x4.add
        (v128.load (i32.add (local.get $x) (local.get $at))) (v128.load (i32.add (local.get $y) (local.get $at)))))
      (v128.store offset=16 (i32.add (local.get $z) (local.get $at)) (f32x4.add
        (v128.load offset=16 (i32.add (local.get $x) (local.get $at)))
        (v128.load offset=16 (i32.add (local.get $y) (local.get $at)))))
      (v128.store offset=32 (i32.add (local.get $z) (local.get $at)) (f32x4.add
        (v128.load offset=32 (i32.add (local.get $x) (local.get $at)))
        (v128.load offset=32 (i32.add (local.get $y) (local.get $at)))))
      (v128.store offset=48 (i32.add (local.get $z) (local.get $at)) (f32x4.add
        (v128.load offset=48 (i32.add (local.get $x) (local.get $at)))
        (v128.load offset=48 (i32.add (local.get $y) (local.get $at)))))
      (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 64))) (local.get $stop))))))
