;; What takes the place of functions of wide.wat in engines with wide arithmetic: products of 64 bits by 64.
(module
  (memory (export "memory") 16)

  ;; The product of the lowest $rows bytes of $a and the lowest $columns bytes of $b, modulo $size bytes.
  ;; Of a limb and a limb, two further limbs fit 128 bits.
  (func $wide_mul (export "wide_mul")
    (param $dst i32) (param $a i32) (param $b i32) (param $size i32) (param $rows i32) (param $columns i32)
    (local $x i64) (local $low i64) (local $carry i64)
    (local $at i32) (local $from i32) (local $end i32) (local $last i32)
    local.get $dst
    local.get $size
    i32.add
    local.tee $end
    local.set $at
    loop $zeros
      local.get $at
      i32.const 8
      i32.sub
      local.tee $at
      i64.const 0
      i64.store
      local.get $at
      local.get $dst
      i32.ne
      br_if $zeros
    end
    local.get $a
    local.get $rows
    i32.add
    local.set $rows
    loop $next
      local.get $a
      i64.load
      local.tee $x
      i64.eqz
      i32.eqz
      if
        local.get $dst
        local.set $at
        local.get $b
        local.tee $from
        local.get $columns
        local.get $end
        local.get $dst
        i32.sub
        local.tee $last
        local.get $columns
        local.get $last
        i32.lt_u
        select
        i32.add
        local.set $last
        i64.const 0
        local.set $carry
        loop $limbs
          local.get $x
          local.get $from
          i64.load
          i64.mul_wide_u
          local.get $at
          i64.load
          i64.const 0
          i64.add128
          local.get $carry
          i64.const 0
          i64.add128
          local.set $carry
          local.set $low
          local.get $at
          local.get $low
          i64.store
          local.get $at
          i32.const 8
          i32.add
          local.set $at
          local.get $from
          i32.const 8
          i32.add
          local.tee $from
          local.get $last
          i32.ne
          br_if $limbs
        end
        local.get $at
        local.get $end
        i32.ne
        if
          local.get $at
          local.get $carry
          i64.store
        end
      end
      local.get $dst
      i32.const 8
      i32.add
      local.set $dst
      local.get $a
      i32.const 8
      i32.add
      local.tee $a
      local.get $rows
      i32.ne
      br_if $next
    end)
)
