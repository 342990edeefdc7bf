;; What takes the place of functions of wide.wat in engines with wide arithmetic: products of 64 bits by 64.
(module
  (memory (export "memory") 16)

  ;; The low half of the product: of a limb and a limb, two further limbs fit 128 bits.
  (func $wide_mul (export "wide_mul") (param $dst i32) (param $a i32) (param $b i32) (param $size i32)
    (local $x i64) (local $low i64) (local $high i64) (local $at i32) (local $from i32) (local $end i32)
    local.get $dst
    i32.const 0
    local.get $size
    memory.fill
    local.get $dst
    local.get $size
    i32.add
    local.set $end
    loop $rows
      local.get $a
      i64.load
      local.tee $x
      i64.eqz
      i32.eqz
      if
        local.get $dst
        local.set $at
        local.get $b
        local.set $from
        i64.const 0
        local.set $high
        loop $limbs
          local.get $x
          local.get $from
          i64.load
          i64.mul_wide_u
          local.get $at
          i64.load
          i64.const 0
          i64.add128
          local.get $high
          i64.const 0
          i64.add128
          local.set $high
          local.set $low
          local.get $at
          local.get $low
          i64.store
          local.get $from
          i32.const 8
          i32.add
          local.set $from
          local.get $at
          i32.const 8
          i32.add
          local.tee $at
          local.get $end
          i32.ne
          br_if $limbs
        end
      end
      local.get $a
      i32.const 8
      i32.add
      local.set $a
      local.get $dst
      i32.const 8
      i32.add
      local.tee $dst
      local.get $end
      i32.ne
      br_if $rows
    end)
)
