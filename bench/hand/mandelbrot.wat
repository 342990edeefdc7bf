;; How many rounds z = z * z + c stays within the circle of radius 2, at most `most`, for each pixel.
(module
  (import "env" "memory" (memory 1 65536))
  (func (export "run") (param $width i32) (param $step f32) (param $most i32) (param $z i32) (param $n i32)
    (local $pixel i32) (local $rounds i32)
    (local $cx f32) (local $cy f32) (local $x f32) (local $y f32) (local $xx f32) (local $yy f32) (local $xy f32)
    (loop $next
      (local.set $cx (f32.add (f32.const -2)
        (f32.mul (f32.convert_i32_u (i32.rem_u (local.get $pixel) (local.get $width))) (local.get $step))))
      (local.set $cy (f32.add (f32.const -1.5)
        (f32.mul (f32.convert_i32_u (i32.div_u (local.get $pixel) (local.get $width))) (local.get $step))))
      (local.set $x (f32.const 0))
      (local.set $y (f32.const 0))
      (local.set $rounds (i32.const 0))
      (block $out
        (loop $round
          (local.set $xx (f32.mul (local.get $x) (local.get $x)))
          (local.set $yy (f32.mul (local.get $y) (local.get $y)))
          (br_if $out (f32.gt (f32.add (local.get $xx) (local.get $yy)) (f32.const 4)))
          (local.set $xy (f32.mul (local.get $x) (local.get $y)))
          (local.set $y (f32.add (f32.add (local.get $xy) (local.get $xy)) (local.get $cy)))
          (local.set $x (f32.add (f32.sub (local.get $xx) (local.get $yy)) (local.get $cx)))
          (br_if $round
            (i32.lt_u (local.tee $rounds (i32.add (local.get $rounds) (i32.const 1))) (local.get $most)))))
      (i32.store (i32.add (local.get $z) (i32.shl (local.get $pixel) (i32.const 2))) (local.get $rounds))
      (br_if $next
        (i32.lt_u (local.tee $pixel (i32.add (local.get $pixel) (i32.const 1))) (local.get $n))))))
