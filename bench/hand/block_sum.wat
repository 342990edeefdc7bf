;; Sums of blocks of 256 elements, as a tree: element j and j + 128, then j and j + 64, down to one.
;; What barriers separate on a GPU are loops over the block here; the block is kept in the KiB at address 1024.
(module
  (import "env" "memory" (memory 1 65536))
  (func (export "run") (param $x i32) (param $z i32) (param $n i32)
    (local $block i32) (local $blocks i32) (local $at i32) (local $half i32)
    (local.set $blocks (i32.shr_u (local.get $n) (i32.const 8)))
    (loop $next
      (memory.copy (i32.const 1024)
        (i32.add (local.get $x) (i32.shl (local.get $block) (i32.const 10))) (i32.const 1024))
      (local.set $half (i32.const 512))  ;; in bytes
      (loop $level
        (local.set $at (i32.const 0))
        (loop $lane
          (f32.store offset=1024 (local.get $at)
            (f32.add
              (f32.load offset=1024 (local.get $at))
              (f32.load offset=1024 (i32.add (local.get $at) (local.get $half)))))
          (br_if $lane
            (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 4))) (local.get $half))))
        (br_if $level
          (i32.ge_u (local.tee $half (i32.shr_u (local.get $half) (i32.const 1))) (i32.const 4))))
      (f32.store (i32.add (local.get $z) (i32.shl (local.get $block) (i32.const 2))) (f32.load (i32.const 1024)))
      (br_if $next
        (i32.lt_u (local.tee $block (i32.add (local.get $block) (i32.const 1))) (local.get $blocks))))))
