;; z = a x + y, rounded twice. `guarded` compares every offset with the size before it is used, as a safe runtime does.
(module
  (import "env" "memory" (memory 1 65536))
  (func (export "run") (param $a f32) (param $x i32) (param $y i32) (param $z i32) (param $n i32)
    (local $at i32) (local $end i32)
    (local.set $end (i32.shl (local.get $n) (i32.const 2)))
    (loop $next
      (f32.store (i32.add (local.get $z) (local.get $at))
        (f32.add
          (f32.mul (local.get $a) (f32.load (i32.add (local.get $x) (local.get $at))))
          (f32.load (i32.add (local.get $y) (local.get $at)))))
      (br_if $next (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 4))) (local.get $end)))))
  (func (export "guarded") (param $a f32) (param $x i32) (param $y i32) (param $z i32) (param $n i32) (param $size i32)
    (local $i i32) (local $at i64) (local $limit i64)
    (local.set $limit (i64.sub (i64.extend_i32_u (local.get $size)) (i64.const 3)))
    (loop $next
      (local.set $at (i64.mul (i64.extend_i32_u (local.get $i)) (i64.const 4)))
      (if (i64.ge_u (local.get $at) (local.get $limit)) (then (return)))  ;; x
      (if (i64.ge_u (local.get $at) (local.get $limit)) (then (return)))  ;; y
      (if (i64.ge_u (local.get $at) (local.get $limit)) (then (return)))  ;; z
      (f32.store (i32.add (local.get $z) (i32.wrap_i64 (local.get $at)))
        (f32.add
          (f32.mul (local.get $a) (f32.load (i32.add (local.get $x) (i32.wrap_i64 (local.get $at)))))
          (f32.load (i32.add (local.get $y) (i32.wrap_i64 (local.get $at))))))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))))
