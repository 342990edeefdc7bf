;; How often each brightness occurs in a picture of red, green and blue bytes, as 256 numbers from 0 on: first.mjs.
(module
  (memory (export "memory") 1)
  (func (export "histogram") (param $at i32) (param $pixels i32) (local $bin i32)
    (loop $next
      (local.set $bin
        (i32.shl
          (i32.shr_u
            (i32.add
              (i32.add
                (i32.mul (i32.load8_u (local.get $at)) (i32.const 19595))
                (i32.mul (i32.load8_u offset=1 (local.get $at)) (i32.const 38470)))
              (i32.add
                (i32.mul (i32.load8_u offset=2 (local.get $at)) (i32.const 7471))
                (i32.const 128)))
            (i32.const 16))
          (i32.const 2)))
      (i32.store (local.get $bin) (i32.add (i32.load (local.get $bin)) (i32.const 1)))
      (local.set $at (i32.add (local.get $at) (i32.const 3)))
      (br_if $next (local.tee $pixels (i32.sub (local.get $pixels) (i32.const 1)))))))
