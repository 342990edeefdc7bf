;; Wide integers: values of $size bytes (a multiple of 16) in memory, limbs of 64 bits, the lowest first.
;;
;; The compiler links the functions that a kernel calls into its module. tools/assemble_wasm.py assembles them for it, and
;; knows this much of the text format: functions, named parameters, locals and labels, and one instruction after the
;; other, never folded.
;; $dst may be $a or $b where limbs are read before they are written at the same place: not in $wide_mul, $wide_divide,
;; and the shifts. $work is memory for 5 values and 16 bytes.
(module
  (memory (export "memory") 16)

  (func $wide_add (export "wide_add") (param $dst i32) (param $a i32) (param $b i32) (param $size i32)
    (local $carry i64) (local $x i64) (local $y i64) (local $end i32)
    local.get $a
    local.get $size
    i32.add
    local.set $end
    loop $limbs
      local.get $a
      i64.load
      local.tee $x
      local.get $b
      i64.load
      i64.add
      local.tee $y
      local.get $x
      i64.lt_u
      local.get $dst
      local.get $y
      local.get $carry
      i64.add
      local.tee $x
      i64.store
      local.get $x
      local.get $y
      i64.lt_u
      i32.or
      i64.extend_i32_u
      local.set $carry
      local.get $dst
      i32.const 8
      i32.add
      local.set $dst
      local.get $b
      i32.const 8
      i32.add
      local.set $b
      local.get $a
      i32.const 8
      i32.add
      local.tee $a
      local.get $end
      i32.ne
      br_if $limbs
    end)

  (func $wide_sub (export "wide_sub") (param $dst i32) (param $a i32) (param $b i32) (param $size i32)
    (local $borrow i64) (local $x i64) (local $y i64) (local $end i32)
    local.get $a
    local.get $size
    i32.add
    local.set $end
    loop $limbs
      local.get $a
      i64.load
      local.tee $x
      local.get $b
      i64.load
      local.tee $y
      i64.lt_u
      local.get $x
      local.get $y
      i64.sub
      local.tee $x
      local.get $borrow
      i64.lt_u
      i32.or
      local.get $dst
      local.get $x
      local.get $borrow
      i64.sub
      i64.store
      i64.extend_i32_u
      local.set $borrow
      local.get $dst
      i32.const 8
      i32.add
      local.set $dst
      local.get $b
      i32.const 8
      i32.add
      local.set $b
      local.get $a
      i32.const 8
      i32.add
      local.tee $a
      local.get $end
      i32.ne
      br_if $limbs
    end)

  (func $wide_neg (export "wide_neg") (param $dst i32) (param $a i32) (param $size i32)
    (local $carry i64) (local $x i64) (local $end i32)
    i64.const 1
    local.set $carry
    local.get $a
    local.get $size
    i32.add
    local.set $end
    loop $limbs
      local.get $dst
      local.get $a
      i64.load
      i64.const -1
      i64.xor
      local.get $carry
      i64.add
      local.tee $x
      i64.store
      local.get $x
      local.get $carry
      i64.lt_u
      i64.extend_i32_u
      local.set $carry
      local.get $dst
      i32.const 8
      i32.add
      local.set $dst
      local.get $a
      i32.const 8
      i32.add
      local.tee $a
      local.get $end
      i32.ne
      br_if $limbs
    end)

  ;; The product of the lowest $rows bytes of $a and the lowest $columns bytes of $b, modulo $size bytes. Limbs are
  ;; multiplied in halves of 32 bits: of two halves, two further halves fit 64 bits.
  (func $wide_mul (export "wide_mul")
    (param $dst i32) (param $a i32) (param $b i32) (param $size i32) (param $rows i32) (param $columns i32)
    (local $x i64) (local $x1 i64) (local $y i64) (local $p i64) (local $q i64) (local $r i64) (local $carry i64)
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
        local.get $x
        i64.const 32
        i64.shr_u
        local.set $x1
        local.get $x
        i64.const 0xffffffff
        i64.and
        local.set $x
        i64.const 0
        local.set $carry
        loop $limbs
          local.get $x
          local.get $from
          i64.load
          local.tee $y
          i64.const 0xffffffff
          i64.and
          local.tee $q
          i64.mul
          local.tee $p
          i64.const 32
          i64.shr_u
          local.get $x1
          local.get $q
          i64.mul
          i64.add
          local.tee $q
          i64.const 0xffffffff
          i64.and
          local.get $x
          local.get $y
          i64.const 32
          i64.shr_u
          local.tee $y
          i64.mul
          i64.add
          local.set $r
          ;; the high limb, to which carries of the low one are added
          local.get $x1
          local.get $y
          i64.mul
          local.get $q
          i64.const 32
          i64.shr_u
          i64.add
          local.get $r
          i64.const 32
          i64.shr_u
          i64.add
          local.get $r
          i64.const 32
          i64.shl
          local.get $p
          i64.const 0xffffffff
          i64.and
          i64.or
          local.get $carry
          i64.add
          local.tee $p
          local.get $carry
          i64.lt_u
          i64.extend_i32_u
          i64.add
          local.get $at
          local.get $at
          i64.load
          local.get $p
          i64.add
          local.tee $q
          i64.store
          local.get $q
          local.get $p
          i64.lt_u
          i64.extend_i32_u
          i64.add
          local.set $carry
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

  (func $wide_and (export "wide_and") (param $dst i32) (param $a i32) (param $b i32) (param $size i32)
    loop $limbs
      local.get $size
      i32.const 8
      i32.sub
      local.tee $size
      local.get $dst
      i32.add
      local.get $a
      local.get $size
      i32.add
      i64.load
      local.get $b
      local.get $size
      i32.add
      i64.load
      i64.and
      i64.store
      local.get $size
      br_if $limbs
    end)

  (func $wide_or (export "wide_or") (param $dst i32) (param $a i32) (param $b i32) (param $size i32)
    loop $limbs
      local.get $size
      i32.const 8
      i32.sub
      local.tee $size
      local.get $dst
      i32.add
      local.get $a
      local.get $size
      i32.add
      i64.load
      local.get $b
      local.get $size
      i32.add
      i64.load
      i64.or
      i64.store
      local.get $size
      br_if $limbs
    end)

  (func $wide_xor (export "wide_xor") (param $dst i32) (param $a i32) (param $b i32) (param $size i32)
    loop $limbs
      local.get $size
      i32.const 8
      i32.sub
      local.tee $size
      local.get $dst
      i32.add
      local.get $a
      local.get $size
      i32.add
      i64.load
      local.get $b
      local.get $size
      i32.add
      i64.load
      i64.xor
      i64.store
      local.get $size
      br_if $limbs
    end)

  (func $wide_not (export "wide_not") (param $dst i32) (param $a i32) (param $size i32)
    loop $limbs
      local.get $size
      i32.const 8
      i32.sub
      local.tee $size
      local.get $dst
      i32.add
      local.get $a
      local.get $size
      i32.add
      i64.load
      i64.const -1
      i64.xor
      i64.store
      local.get $size
      br_if $limbs
    end)

  (func $wide_eq (export "wide_eq") (param $a i32) (param $b i32) (param $size i32) (result i32)
    loop $limbs
      local.get $size
      i32.const 8
      i32.sub
      local.tee $size
      local.get $a
      i32.add
      i64.load
      local.get $b
      local.get $size
      i32.add
      i64.load
      i64.ne
      if
        i32.const 0
        return
      end
      local.get $size
      br_if $limbs
    end
    i32.const 1)

  ;; Whether $a is less than $b; $flip is the sign bit for signed numbers, 0 for unsigned ones.
  (func $wide_lt (export "wide_lt") (param $a i32) (param $b i32) (param $size i32) (param $flip i64) (result i32)
    (local $x i64) (local $y i64)
    loop $limbs
      local.get $size
      i32.const 8
      i32.sub
      local.tee $size
      local.get $a
      i32.add
      i64.load
      local.get $flip
      i64.xor
      local.tee $x
      local.get $b
      local.get $size
      i32.add
      i64.load
      local.get $flip
      i64.xor
      local.tee $y
      i64.ne
      if
        local.get $x
        local.get $y
        i64.lt_u
        return
      end
      i64.const 0
      local.set $flip
      local.get $size
      br_if $limbs
    end
    i32.const 0)

  (func $wide_shl (export "wide_shl") (param $dst i32) (param $a i32) (param $amount i32) (param $size i32)
    (local $bits i64) (local $from i32) (local $x i64)
    local.get $amount
    i32.const 63
    i32.and
    i64.extend_i32_u
    local.set $bits
    ;; the place in $a that the limb at $size comes from
    local.get $size
    local.get $amount
    i32.const 3
    i32.shr_u
    local.get $size
    i32.const 8
    i32.sub
    i32.and
    i32.sub
    local.set $from
    loop $limbs
      local.get $size
      i32.const 8
      i32.sub
      local.tee $size
      local.get $dst
      i32.add
      i64.const 0
      local.set $x
      local.get $from
      i32.const 8
      i32.sub
      local.tee $from
      i32.const 0
      i32.ge_s
      if
        local.get $from
        local.get $a
        i32.add
        i64.load
        local.get $bits
        i64.shl
        local.set $x
        local.get $from
        if
          local.get $from
          local.get $a
          i32.add
          i32.const 8
          i32.sub
          i64.load
          i64.const 1
          i64.shr_u
          i64.const 63
          local.get $bits
          i64.sub
          i64.shr_u
          local.get $x
          i64.or
          local.set $x
        end
      end
      local.get $x
      i64.store
      local.get $size
      br_if $limbs
    end)

  ;; $fill is what is above the highest limb: 0, or all ones.
  (func $wide_shr (export "wide_shr")
    (param $dst i32) (param $a i32) (param $amount i32) (param $size i32) (param $fill i64)
    (local $bits i64) (local $from i32) (local $low i64) (local $high i64) (local $at i32)
    local.get $amount
    i32.const 63
    i32.and
    i64.extend_i32_u
    local.set $bits
    local.get $amount
    i32.const 3
    i32.shr_u
    local.get $size
    i32.const 8
    i32.sub
    i32.and
    local.tee $from
    local.get $a
    i32.add
    i64.load
    local.set $low
    loop $limbs
      local.get $fill
      local.set $high
      local.get $from
      i32.const 8
      i32.add
      local.tee $from
      local.get $size
      i32.lt_s
      if
        local.get $from
        local.get $a
        i32.add
        i64.load
        local.set $high
      end
      local.get $at
      local.get $dst
      i32.add
      local.get $low
      local.get $bits
      i64.shr_u
      local.get $high
      i64.const 1
      i64.shl
      i64.const 63
      local.get $bits
      i64.sub
      i64.shl
      i64.or
      i64.store
      local.get $high
      local.set $low
      local.get $at
      i32.const 8
      i32.add
      local.tee $at
      local.get $size
      i32.ne
      br_if $limbs
    end)

  ;; How many digits of 32 bits are up to the highest that is not 0.
  (func $wide_digits (export "wide_digits") (param $a i32) (param $size i32) (result i32)
    block $found
      loop $limbs
        local.get $a
        local.get $size
        i32.add
        i32.const 4
        i32.sub
        i32.load
        br_if $found
        local.get $size
        i32.const 4
        i32.sub
        local.tee $size
        br_if $limbs
      end
    end
    local.get $size
    i32.const 2
    i32.shr_u)

  ;; The magnitude of a signed number: $a, or -$a in $work.
  (func $wide_magnitude (export "wide_magnitude") (param $a i32) (param $size i32) (param $work i32) (result i32)
    local.get $a
    local.get $size
    i32.add
    i32.const 8
    i32.sub
    i64.load
    i64.const 0
    i64.ge_s
    if
      local.get $a
      return
    end
    local.get $work
    local.get $a
    local.get $size
    call $wide_neg
    local.get $work)

  ;; The quotient of unsigned numbers, or the remainder if $rest: Knuth, The Art of Computer Programming, 4.3.1,
  ;; algorithm D with digits of 32 bits. Dividing by 0 gives 0.
  (func $wide_divide (export "wide_divide")
    (param $dst i32) (param $a i32) (param $b i32) (param $size i32) (param $rest i32) (param $work i32)
    (local $m i32) (local $n i32) (local $j i32) (local $u i32) (local $v i32) (local $i i32)
    (local $top i64) (local $next i64) (local $digit i64) (local $left i64) (local $t i64) (local $k i64)
    (local $shift i64)
    local.get $dst
    i32.const 0
    local.get $size
    memory.fill
    local.get $a
    local.get $size
    call $wide_digits
    local.set $m
    local.get $b
    local.get $size
    call $wide_digits
    local.tee $n
    i32.eqz
    if
      return
    end
    local.get $m
    local.get $n
    i32.lt_u
    if
      local.get $rest
      if
        local.get $dst
        local.get $a
        local.get $size
        memory.copy
      end
      return
    end
    ;; One digit: short division.
    local.get $n
    i32.const 1
    i32.eq
    if
      local.get $b
      i64.load32_u
      local.set $top
      local.get $m
      i32.const 2
      i32.shl
      local.set $j
      loop $short
        local.get $left
        i64.const 32
        i64.shl
        local.get $j
        i32.const 4
        i32.sub
        local.tee $j
        local.get $a
        i32.add
        i64.load32_u
        i64.or
        local.tee $t
        local.get $top
        i64.rem_u
        local.set $left
        local.get $rest
        i32.eqz
        if
          local.get $dst
          local.get $j
          i32.add
          local.get $t
          local.get $top
          i64.div_u
          i64.store32
        end
        local.get $j
        br_if $short
      end
      local.get $rest
      if
        local.get $dst
        local.get $left
        i64.store32
      end
      return
    end
    ;; Both are shifted left so that the highest digit of the divisor has its highest bit: $v and $u, in $work.
    local.get $n
    i32.const 2
    i32.shl
    local.set $n
    local.get $m
    i32.const 2
    i32.shl
    local.set $m
    local.get $b
    local.get $n
    i32.add
    i32.const 4
    i32.sub
    i32.load
    i32.clz
    i64.extend_i32_u
    local.set $shift
    local.get $work
    local.set $v
    local.get $work
    local.get $size
    i32.add
    local.set $u
    loop $normalise
      local.get $v
      local.get $i
      i32.add
      local.get $b
      local.get $i
      i32.add
      i64.load32_u
      local.get $shift
      i64.shl
      local.get $k
      i64.or
      local.tee $t
      i64.store32
      local.get $t
      i64.const 32
      i64.shr_u
      local.set $k
      local.get $i
      i32.const 4
      i32.add
      local.tee $i
      local.get $n
      i32.ne
      br_if $normalise
    end
    i32.const 0
    local.set $i
    i64.const 0
    local.set $k
    loop $normalise
      local.get $u
      local.get $i
      i32.add
      local.get $a
      local.get $i
      i32.add
      i64.load32_u
      local.get $shift
      i64.shl
      local.get $k
      i64.or
      local.tee $t
      i64.store32
      local.get $t
      i64.const 32
      i64.shr_u
      local.set $k
      local.get $i
      i32.const 4
      i32.add
      local.tee $i
      local.get $m
      i32.ne
      br_if $normalise
    end
    local.get $u
    local.get $m
    i32.add
    local.get $k
    i64.store32
    local.get $v
    local.get $n
    i32.add
    local.tee $i
    i32.const 4
    i32.sub
    i64.load32_u
    local.set $top
    local.get $i
    i32.const 8
    i32.sub
    i64.load32_u
    local.set $next
    ;; A digit of the quotient each round; $u + $j is where the divisor is taken off.
    local.get $u
    local.get $m
    i32.add
    local.get $n
    i32.sub
    local.set $j
    loop $quotient
      local.get $j
      local.get $n
      i32.add
      local.tee $i
      i32.const 4
      i32.sub
      i64.load align=4
      local.tee $t
      local.get $top
      i64.div_u
      local.tee $digit
      local.get $top
      i64.mul
      local.set $left
      local.get $t
      local.get $left
      i64.sub
      local.set $left
      local.get $i
      i32.const 8
      i32.sub
      i64.load32_u
      local.set $t
      block $right
        loop $lower
          local.get $digit
          i64.const 32
          i64.shr_u
          i64.eqz
          if
            local.get $digit
            local.get $next
            i64.mul
            local.get $left
            i64.const 32
            i64.shl
            local.get $t
            i64.or
            i64.le_u
            br_if $right
          end
          local.get $digit
          i64.const 1
          i64.sub
          local.set $digit
          local.get $left
          local.get $top
          i64.add
          local.tee $left
          i64.const 32
          i64.shr_u
          i64.eqz
          br_if $lower
        end
      end
      ;; $u -= $digit * $v
      i64.const 0
      local.set $k
      i32.const 0
      local.set $i
      loop $subtract
        local.get $j
        local.get $i
        i32.add
        local.get $j
        local.get $i
        i32.add
        i64.load32_u
        local.get $k
        i64.sub
        local.get $digit
        local.get $v
        local.get $i
        i32.add
        i64.load32_u
        i64.mul
        local.tee $left
        i64.const 4294967295
        i64.and
        i64.sub
        local.tee $t
        i64.store32
        local.get $left
        i64.const 32
        i64.shr_u
        local.get $t
        i64.const 32
        i64.shr_s
        i64.sub
        local.set $k
        local.get $i
        i32.const 4
        i32.add
        local.tee $i
        local.get $n
        i32.ne
        br_if $subtract
      end
      local.get $j
      local.get $n
      i32.add
      local.get $j
      local.get $n
      i32.add
      i64.load32_u
      local.get $k
      i64.sub
      local.tee $t
      i64.store32
      local.get $t
      i64.const 0
      i64.lt_s
      if
        ;; The digit was one too large: the divisor is added back.
        local.get $digit
        i64.const 1
        i64.sub
        local.set $digit
        i64.const 0
        local.set $k
        i32.const 0
        local.set $i
        loop $back
          local.get $j
          local.get $i
          i32.add
          local.get $j
          local.get $i
          i32.add
          i64.load32_u
          local.get $v
          local.get $i
          i32.add
          i64.load32_u
          i64.add
          local.get $k
          i64.add
          local.tee $t
          i64.store32
          local.get $t
          i64.const 32
          i64.shr_u
          local.set $k
          local.get $i
          i32.const 4
          i32.add
          local.tee $i
          local.get $n
          i32.ne
          br_if $back
        end
        local.get $j
        local.get $n
        i32.add
        local.get $j
        local.get $n
        i32.add
        i64.load32_u
        local.get $k
        i64.add
        i64.store32
      end
      local.get $rest
      i32.eqz
      if
        local.get $dst
        local.get $j
        i32.add
        local.get $u
        i32.sub
        local.get $digit
        i64.store32
      end
      local.get $j
      i32.const 4
      i32.sub
      local.tee $j
      local.get $u
      i32.ge_u
      br_if $quotient
    end
    local.get $rest
    if
      i32.const 0
      local.set $i
      loop $remainder
        local.get $dst
        local.get $i
        i32.add
        local.get $u
        local.get $i
        i32.add
        i64.load align=4
        local.get $shift
        i64.shr_u
        i64.store32
        local.get $i
        i32.const 4
        i32.add
        local.tee $i
        local.get $n
        i32.ne
        br_if $remainder
      end
    end)

  ;; The same of signed numbers: the quotient is truncated, the remainder has the sign of $a.
  (func $wide_divide_signed (export "wide_divide_signed")
    (param $dst i32) (param $a i32) (param $b i32) (param $size i32) (param $rest i32) (param $work i32)
    (local $sign i32)
    local.get $a
    local.get $size
    i32.add
    i32.const 4
    i32.sub
    i32.load
    local.set $sign
    local.get $rest
    i32.eqz
    if
      local.get $b
      local.get $size
      i32.add
      i32.const 4
      i32.sub
      i32.load
      local.get $sign
      i32.xor
      local.set $sign
    end
    local.get $dst
    local.get $a
    local.get $size
    local.get $work
    call $wide_magnitude
    local.get $b
    local.get $size
    local.get $work
    local.get $size
    i32.add
    local.tee $work
    call $wide_magnitude
    local.get $size
    local.get $rest
    local.get $work
    local.get $size
    i32.add
    call $wide_divide
    local.get $sign
    i32.const 0
    i32.lt_s
    if
      local.get $dst
      local.get $dst
      local.get $size
      call $wide_neg
    end)

  ;; The highest 64 bits, shifted so that the highest is 1, what is below as a sticky last bit; 0 for 0.
  (func $wide_leading (export "wide_leading") (param $a i32) (param $size i32) (result i64)
    (local $x i64) (local $below i64) (local $shift i64) (local $sticky i64)
    local.get $a
    local.get $size
    i32.add
    local.set $size
    loop $limbs
      local.get $size
      local.get $a
      i32.eq
      if
        i64.const 0
        return
      end
      local.get $size
      i32.const 8
      i32.sub
      local.tee $size
      i64.load
      local.tee $x
      i64.eqz
      br_if $limbs
    end
    local.get $x
    i64.clz
    local.set $shift
    local.get $size
    local.get $a
    i32.ne
    if
      local.get $size
      i32.const 8
      i32.sub
      local.tee $size
      i64.load
      local.tee $below
      local.get $shift
      i64.shl
      local.set $sticky
      loop $rest
        local.get $size
        local.get $a
        i32.ne
        if
          local.get $size
          i32.const 8
          i32.sub
          local.tee $size
          i64.load
          local.get $sticky
          i64.or
          local.set $sticky
          br $rest
        end
      end
    end
    local.get $x
    local.get $shift
    i64.shl
    local.get $below
    i64.const 1
    i64.shr_u
    i64.const 63
    local.get $shift
    i64.sub
    i64.shr_u
    i64.or
    local.get $sticky
    i64.eqz
    i32.eqz
    i64.extend_i32_u
    i64.or)

  ;; How far the number is shifted to the left of its $wide_leading.
  (func $wide_exponent (export "wide_exponent") (param $a i32) (param $size i32) (result i32)
    local.get $a
    local.get $size
    call $wide_digits
    local.tee $size
    i32.const 5
    i32.shl
    i32.const 64
    i32.sub
    local.get $a
    local.get $size
    i32.const 2
    i32.shl
    i32.add
    i32.const 4
    i32.sub
    i32.load
    i32.clz
    i32.sub)

  ;; $x * 2 ** $exponent, for an exponent from -64 on: half of it twice, so that the factors are finite.
  (func $wide_scale (export "wide_scale") (param $x f64) (param $exponent i32) (result f64)
    (local $half i32)
    local.get $exponent
    i32.const 2046
    local.get $exponent
    i32.const 2046
    i32.lt_s
    select
    local.tee $exponent
    i32.const 1
    i32.shr_s
    local.set $half
    local.get $x
    local.get $half
    i32.const 1023
    i32.add
    i64.extend_i32_u
    i64.const 52
    i64.shl
    f64.reinterpret_i64
    f64.mul
    local.get $exponent
    local.get $half
    i32.sub
    i32.const 1023
    i32.add
    i64.extend_i32_u
    i64.const 52
    i64.shl
    f64.reinterpret_i64
    f64.mul)

  ;; An unsigned number to F64, to nearest even.
  (func $wide_to_f64 (export "wide_to_f64") (param $a i32) (param $size i32) (result f64)
    (local $x i64)
    local.get $a
    local.get $size
    call $wide_leading
    local.tee $x
    i64.eqz
    if
      f64.const 0
      return
    end
    local.get $x
    f64.convert_i64_u
    local.get $a
    local.get $size
    call $wide_exponent
    call $wide_scale)

  ;; An unsigned number to F64, to odd, so that it can be rounded once more.
  (func $wide_to_f64_odd (export "wide_to_f64_odd") (param $a i32) (param $size i32) (result f64)
    (local $x i64)
    local.get $a
    local.get $size
    call $wide_leading
    local.tee $x
    i64.eqz
    if
      f64.const 0
      return
    end
    local.get $x
    i64.const 2047
    i64.and
    i64.eqz
    i32.eqz
    i64.extend_i32_u
    i64.const 11
    i64.shl
    local.get $x
    i64.const -2048
    i64.and
    i64.or
    f64.convert_i64_u
    local.get $a
    local.get $size
    call $wide_exponent
    local.tee $size
    i32.const 200
    local.get $size
    i32.const 200
    i32.lt_s
    select
    call $wide_scale)

  ;; An unsigned number to F32, to nearest even.
  (func $wide_to_f32 (export "wide_to_f32") (param $a i32) (param $size i32) (result f32)
    (local $x i64)
    local.get $a
    local.get $size
    call $wide_leading
    local.tee $x
    i64.eqz
    if
      f32.const 0
      return
    end
    ;; F64 holds an F32 times a power of two exactly, but for those that are infinite as F32, too.
    local.get $x
    f32.convert_i64_u
    f64.promote_f32
    local.get $a
    local.get $size
    call $wide_exponent
    call $wide_scale
    f32.demote_f64)

  ;; An F64 without its fraction; the nearest number of the type beyond its range; 0 for NaN.
  (func $wide_from_f64 (export "wide_from_f64")
    (param $dst i32) (param $x f64) (param $size i32) (param $signed i32)
    (local $bits i64) (local $exponent i32) (local $at i32) (local $shift i64)
    local.get $dst
    i32.const 0
    local.get $size
    memory.fill
    local.get $x
    f64.abs
    f64.const 1
    f64.ge
    i32.eqz
    if
      return
    end
    local.get $signed
    i32.eqz
    local.get $x
    f64.const 0
    f64.lt
    i32.and
    if
      return
    end
    local.get $x
    i64.reinterpret_f64
    local.tee $bits
    i64.const 52
    i64.shr_u
    i32.wrap_i64
    i32.const 2047
    i32.and
    local.tee $exponent
    i32.const 2047
    i32.eq
    local.get $exponent
    i32.const 1023
    i32.sub
    local.get $size
    i32.const 3
    i32.shl
    local.get $signed
    i32.sub
    i32.ge_s
    i32.or
    if
      local.get $x
      f64.const 0
      f64.gt
      if
        local.get $dst
        i32.const 255
        local.get $size
        memory.fill
      end
      local.get $signed
      if
        local.get $dst
        local.get $size
        i32.add
        i32.const 1
        i32.sub
        local.tee $dst
        local.get $dst
        i32.load8_u
        i32.const 128
        i32.xor
        i32.store8
      end
      return
    end
    local.get $bits
    i64.const 4503599627370495
    i64.and
    i64.const 4503599627370496
    i64.or
    local.set $bits
    local.get $exponent
    i32.const 1075
    i32.sub
    local.tee $exponent
    i32.const 0
    i32.le_s
    if
      local.get $dst
      local.get $bits
      i32.const 0
      local.get $exponent
      i32.sub
      i64.extend_i32_u
      i64.shr_u
      i64.store
    else
      local.get $exponent
      i32.const 3
      i32.shr_u
      i32.const -8
      i32.and
      local.tee $at
      local.get $dst
      i32.add
      local.get $bits
      local.get $exponent
      i32.const 63
      i32.and
      i64.extend_i32_u
      local.tee $shift
      i64.shl
      i64.store
      local.get $at
      i32.const 8
      i32.add
      local.tee $at
      local.get $size
      i32.lt_u
      if
        local.get $at
        local.get $dst
        i32.add
        local.get $bits
        i64.const 1
        i64.shr_u
        i64.const 63
        local.get $shift
        i64.sub
        i64.shr_u
        i64.store
      end
    end
    local.get $x
    f64.const 0
    f64.lt
    if
      local.get $dst
      local.get $dst
      local.get $size
      call $wide_neg
    end)
)
