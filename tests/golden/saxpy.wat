(module
  (type $t0 (func))
  (type $t1 (func (param i32 i32 i32)))
  (type $t2 (func (param i32 i32 i32 i32 i32 i32 i64 i64)))
  (type $t3 (func (param i32 i32) (result i64)))
  (type $t4 (func (param i32 v128 v128 v128 v128) (result i64)))
  (type $t5 (func (param v128 v128) (result v128 v128)))
  (type $t6 (func (param v128 v128 v128 v128 v128)))
  (import "env" "memory" (memory 1 65536))
  (import "env" "poll" (func $poll (type $t0)))
  (global $c0 v128 (v128.const i32x4 0x10000 0x30002 0x50004 0x70006))
  (global $c1 v128 (v128.const i32x4 0x0 0x0 0x1 0x0))
  (global $c2 v128 (v128.const i32x4 0x2 0x0 0x3 0x0))
  (global $c3 v128 (v128.const i32x4 0x4 0x0 0x5 0x0))
  (global $c4 v128 (v128.const i32x4 0x6 0x0 0x7 0x0))
  (global $c5 v128 (v128.const i32x4 0x0 0x4 0x8 0xc))
  (global $c6 v128 (v128.const i32x4 0x10 0x14 0x18 0x1c))
  (func $kernel (export "kernel") (type $t1)  ;; 1958 bytes at 0x10e
    (param $arguments i32) (param $begin i32) (param $end i32)
    (local $ticks i64) (local $param.a f32) (local $base.buffer_x i32) (local $base.buffer_y i32)
    (local $limit.buffer_x.4 i64) (local $limit.buffer_y.4 i64) (local $block i32) (local $rest i32)
    (local $grid.0 i32) (local $BLOCK_IDX_X i32) (local $grid.1 i32) (local $BLOCK_IDX_Y i32)
    (local $BLOCK_IDX_Z i32) (local $span i32) (local $l17 i32) (local $price i64) (local $on.0 i32)
    (local $on.1 i32) (local $on.2 i32) (local $first i32) (local $l23 i64) (local $safe i32)
    (local $from i32) (local $lane i32) (local $l27 v128) (local $l28 v128) (local $l29 v128)
    (local $l30 v128) (local $l31 v128) (local $l32 v128) (local $l33 i64) (local $l34 v128)
    (local $l35 v128) (local $l36 v128) (local $l37 v128) (local $l38 v128) (local $l39 i32)
    (local $live v128)
    i64.const 1048576
    local.set $ticks
    local.get $arguments
    f32.load offset=88
    local.set $param.a
    local.get $arguments
    i32.load offset=96
    local.set $base.buffer_x
    local.get $arguments
    i32.load offset=104
    local.set $base.buffer_y
    local.get $arguments
    i32.load offset=100
    i64.extend_i32_u
    i64.const 3
    i64.sub
    local.tee $limit.buffer_x.4
    i64.const 0
    local.get $limit.buffer_x.4
    i64.const 0
    i64.gt_s
    select
    local.set $limit.buffer_x.4
    local.get $arguments
    i32.load offset=108
    i64.extend_i32_u
    i64.const 3
    i64.sub
    local.tee $limit.buffer_y.4
    i64.const 0
    local.get $limit.buffer_y.4
    i64.const 0
    i64.gt_s
    select
    local.set $limit.buffer_y.4
    local.get $begin
    local.tee $block
    local.get $end
    i32.lt_s
    if $if0
      local.get $block
      local.set $rest
      local.get $arguments
      i32.load offset=32
      local.set $grid.0
      local.get $rest
      local.get $grid.0
      i32.rem_u
      local.set $BLOCK_IDX_X
      local.get $rest
      local.get $grid.0
      i32.div_u
      local.set $rest
      local.get $arguments
      i32.load offset=36
      local.set $grid.1
      local.get $rest
      local.get $grid.1
      i32.rem_u
      local.set $BLOCK_IDX_Y
      local.get $rest
      local.get $grid.1
      i32.div_u
      local.set $rest
      local.get $rest
      local.set $BLOCK_IDX_Z
      loop $loop1
        local.get $end
        local.get $block
        i32.sub
        local.set $span
        local.get $grid.0
        local.get $BLOCK_IDX_X
        i32.sub
        local.tee $l17
        local.get $span
        local.get $l17
        local.get $span
        i32.lt_s
        select
        local.set $span
        i32.const 64
        local.tee $l17
        local.get $span
        local.get $l17
        local.get $span
        i32.lt_s
        select
        local.set $span
        local.get $span
        i64.extend_i32_u
        i64.const 2304
        i64.mul
        local.set $price
        local.get $ticks
        local.get $price
        i64.sub
        local.set $ticks
        local.get $ticks
        i64.const 0
        i64.lt_s
        if $if2
          local.get $arguments
          i32.const -1
          call $look
          local.set $ticks
          local.get $ticks
          i64.const 0
          i64.lt_s
          if $if3
            return
          end  ;; $if3
        end  ;; $if2
        block $block4
          local.get $arguments
          i32.load offset=44
          local.get $BLOCK_IDX_X
          i32.const 256
          i32.mul
          i32.sub
          local.set $on.0
          i32.const 256
          local.get $span
          i32.mul
          local.tee $l17
          local.get $on.0
          local.get $l17
          local.get $on.0
          i32.lt_s
          select
          local.set $on.0
          local.get $on.0
          i32.const 0
          i32.le_s
          br_if $block4
          local.get $arguments
          i32.load offset=48
          local.get $BLOCK_IDX_Y
          i32.const 1
          i32.mul
          i32.sub
          local.set $on.1
          i32.const 1
          local.tee $l17
          local.get $on.1
          local.get $l17
          local.get $on.1
          i32.lt_s
          select
          local.set $on.1
          local.get $on.1
          i32.const 0
          i32.le_s
          br_if $block4
          local.get $arguments
          i32.load offset=52
          local.get $BLOCK_IDX_Z
          i32.const 1
          i32.mul
          i32.sub
          local.set $on.2
          i32.const 1
          local.tee $l17
          local.get $on.2
          local.get $l17
          local.get $on.2
          i32.lt_s
          select
          local.set $on.2
          local.get $on.2
          i32.const 0
          i32.le_s
          br_if $block4
          local.get $block
          i32.const 256
          i32.mul
          local.set $first
          local.get $first
          local.get $on.0
          i32.const 1
          i32.sub
          i32.const 1
          i32.mul
          i32.add
          local.get $on.1
          i32.const 1
          i32.sub
          i32.const 256
          i32.mul
          i32.add
          local.get $on.2
          i32.const 1
          i32.sub
          i32.const 256
          i32.mul
          i32.add
          i64.extend_i32_u
          i64.const 4
          i64.mul
          local.set $l23
          i32.const 1
          local.get $l23
          local.get $limit.buffer_x.4
          i64.lt_s
          i32.and
          local.get $l23
          local.get $limit.buffer_y.4
          i64.lt_s
          i32.and
          local.set $safe
          i32.const 0
          i32.const 2147483647
          i32.const 1
          local.get $safe
          i32.and
          select
          local.set $from
          i32.const 0
          local.set $lane
          block $block5
            local.get $lane
            local.get $from
            i32.lt_s
            br_if $block5
            local.get $lane
            i32.const 8
            i32.add
            local.get $on.0
            i32.le_s
            i32.eqz
            br_if $block5
            local.get $param.a
            f32x4.splat
            local.set $l31
            loop $loop6
              block $block7
                local.get $base.buffer_x
                local.get $first
                local.get $lane
                i32.add
                i64.extend_i32_u
                i32.wrap_i64
                i32.const 4
                i32.mul
                i32.add
                local.set $l17
                local.get $l17
                v128.load align=4
                local.set $l27
                local.get $l17
                v128.load offset=16 align=4
                local.set $l28
                local.get $base.buffer_y
                local.get $first
                local.get $lane
                i32.add
                i64.extend_i32_u
                i32.wrap_i64
                i32.const 4
                i32.mul
                i32.add
                local.set $l17
                local.get $l17
                v128.load align=4
                local.set $l29
                local.get $l17
                v128.load offset=16 align=4
                local.set $l30
                local.get $base.buffer_y
                local.get $first
                local.get $lane
                i32.add
                i64.extend_i32_u
                i32.wrap_i64
                i32.const 4
                i32.mul
                i32.add
                local.set $l17
                local.get $l17
                local.get $l31
                local.get $l27
                f32x4.mul
                local.get $l29
                f32x4.add
                v128.store align=4
                local.get $l17
                local.get $l31
                local.get $l28
                f32x4.mul
                local.get $l30
                f32x4.add
                v128.store offset=16 align=4
                br $block7
              end  ;; $block7
              local.get $lane
              i32.const 8
              i32.add
              local.set $lane
              local.get $lane
              i32.const 8
              i32.add
              local.get $on.0
              i32.le_s
              br_if $loop6
            end  ;; $loop6
          end  ;; $block5
          block $block8
            local.get $lane
            local.get $on.0
            i32.ge_s
            br_if $block8
            loop $loop9
              block $block10
                local.get $on.0
                local.get $lane
                i32.sub
                local.tee $l17
                i32.const 8
                local.get $l17
                i32.const 8
                i32.lt_s
                select
                i16x8.splat
                global.get $c0  ;; i32x4 0x10000 0x30002 0x50004 0x70006
                i16x8.gt_s
                local.set $l32
                block $block11
                  local.get $safe
                  i32.eqz
                  if $if12
                    local.get $first
                    local.get $lane
                    i32.add
                    i64.extend_i32_u
                    i64.const 4
                    i64.mul
                    local.tee $l33
                    local.get $limit.buffer_x.4
                    i64.ge_u
                    local.get $l33
                    i64.const 28
                    i64.add
                    local.get $limit.buffer_x.4
                    i64.ge_u
                    i32.or
                    if $if13
                      local.get $first
                      local.get $lane
                      i32.add
                      i64.extend_i32_u
                      i64x2.splat
                      global.get $c1  ;; i32x4 0x0 0x0 0x1 0x0
                      i64x2.add
                      i32.const 2
                      i64x2.shl
                      local.set $l34
                      local.get $first
                      local.get $lane
                      i32.add
                      i64.extend_i32_u
                      i64x2.splat
                      global.get $c2  ;; i32x4 0x2 0x0 0x3 0x0
                      i64x2.add
                      i32.const 2
                      i64x2.shl
                      local.set $l35
                      local.get $first
                      local.get $lane
                      i32.add
                      i64.extend_i32_u
                      i64x2.splat
                      global.get $c3  ;; i32x4 0x4 0x0 0x5 0x0
                      i64x2.add
                      i32.const 2
                      i64x2.shl
                      local.set $l36
                      local.get $first
                      local.get $lane
                      i32.add
                      i64.extend_i32_u
                      i64x2.splat
                      global.get $c4  ;; i32x4 0x6 0x0 0x7 0x0
                      i64x2.add
                      i32.const 2
                      i64x2.shl
                      local.set $l37
                      local.get $l32
                      local.get $l34
                      v128.const i32x4 0x0 0x0 0x0 0x0
                      i64x2.lt_s
                      local.get $l35
                      v128.const i32x4 0x0 0x0 0x0 0x0
                      i64x2.lt_s
                      i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27
                      local.get $l36
                      v128.const i32x4 0x0 0x0 0x0 0x0
                      i64x2.lt_s
                      local.get $l37
                      v128.const i32x4 0x0 0x0 0x0 0x0
                      i64x2.lt_s
                      i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27
                      i16x8.narrow_i32x4_s
                      local.get $limit.buffer_x.4
                      i64x2.splat
                      local.get $l34
                      i64x2.le_s
                      local.get $limit.buffer_x.4
                      i64x2.splat
                      local.get $l35
                      i64x2.le_s
                      i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27
                      local.get $limit.buffer_x.4
                      i64x2.splat
                      local.get $l36
                      i64x2.le_s
                      local.get $limit.buffer_x.4
                      i64x2.splat
                      local.get $l37
                      i64x2.le_s
                      i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27
                      i16x8.narrow_i32x4_s
                      v128.or
                      v128.and
                      local.set $l38
                      local.get $l38
                      v128.any_true
                      if $if14
                        local.get $l38
                        i16x8.bitmask
                        i32.ctz
                        local.set $l17
                        local.get $arguments
                        i32.const 1
                        i32.const 0
                        i32.const 0
                        local.get $first
                        local.get $lane
                        i32.add
                        local.get $l17
                        i32.add
                        i32.const 0
                        local.get $l17
                        local.get $l34
                        local.get $l35
                        local.get $l36
                        local.get $l37
                        call $pick8
                        i64.const 4
                        call $fault
                        local.get $l17
                        local.tee $l39
                        i32.const 8
                        local.get $l39
                        i32.const 8
                        i32.lt_s
                        select
                        i16x8.splat
                        global.get $c0  ;; i32x4 0x10000 0x30002 0x50004 0x70006
                        i16x8.gt_s
                        local.set $live
                        local.get $l32
                        local.get $live
                        v128.and
                        local.set $l32
                        local.get $l32
                        v128.any_true
                        i32.eqz
                        br_if $block11
                      end  ;; $if14
                    end  ;; $if13
                  end  ;; $if12
                  local.get $first
                  local.get $lane
                  i32.add
                  i64.extend_i32_u
                  i32.wrap_i64
                  i32.const 4
                  i32.mul
                  i32.const 0
                  i32.add
                  i64.extend_i32_u
                  i64.const 28
                  i64.add
                  local.get $limit.buffer_x.4
                  i64.lt_u
                  if $if15
                    local.get $base.buffer_x
                    local.get $first
                    local.get $lane
                    i32.add
                    i64.extend_i32_u
                    i32.wrap_i64
                    i32.const 4
                    i32.mul
                    i32.add
                    local.set $l17
                    local.get $l17
                    v128.load align=4
                    local.set $l27
                    local.get $l17
                    v128.load offset=16 align=4
                    local.set $l28
                  else  ;; $if15
                    local.get $base.buffer_x
                    local.get $first
                    local.get $lane
                    i32.add
                    i64.extend_i32_u
                    i32.wrap_i64
                    i32.const 4
                    i32.mul
                    i32.add
                    i32.const 0
                    i32.add
                    i32x4.splat
                    global.get $c5  ;; i32x4 0x0 0x4 0x8 0xc
                    i32x4.add
                    local.get $l32
                    i32x4.extend_low_i16x8_s
                    v128.and
                    local.set $l37
                    local.get $base.buffer_x
                    local.get $first
                    local.get $lane
                    i32.add
                    i64.extend_i32_u
                    i32.wrap_i64
                    i32.const 4
                    i32.mul
                    i32.add
                    i32.const 0
                    i32.add
                    i32x4.splat
                    global.get $c6  ;; i32x4 0x10 0x14 0x18 0x1c
                    i32x4.add
                    local.get $l32
                    i32x4.extend_high_i16x8_s
                    v128.and
                    local.set $l36
                    local.get $l37
                    local.get $l36
                    call $gather_f32_f32x4
                    local.set $l28
                    local.set $l27
                  end  ;; $if15
                  local.get $safe
                  i32.eqz
                  if $if16
                    local.get $first
                    local.get $lane
                    i32.add
                    i64.extend_i32_u
                    i64.const 4
                    i64.mul
                    local.tee $l33
                    local.get $limit.buffer_y.4
                    i64.ge_u
                    local.get $l33
                    i64.const 28
                    i64.add
                    local.get $limit.buffer_y.4
                    i64.ge_u
                    i32.or
                    if $if17
                      local.get $first
                      local.get $lane
                      i32.add
                      i64.extend_i32_u
                      i64x2.splat
                      global.get $c1  ;; i32x4 0x0 0x0 0x1 0x0
                      i64x2.add
                      i32.const 2
                      i64x2.shl
                      local.set $l36
                      local.get $first
                      local.get $lane
                      i32.add
                      i64.extend_i32_u
                      i64x2.splat
                      global.get $c2  ;; i32x4 0x2 0x0 0x3 0x0
                      i64x2.add
                      i32.const 2
                      i64x2.shl
                      local.set $l37
                      local.get $first
                      local.get $lane
                      i32.add
                      i64.extend_i32_u
                      i64x2.splat
                      global.get $c3  ;; i32x4 0x4 0x0 0x5 0x0
                      i64x2.add
                      i32.const 2
                      i64x2.shl
                      local.set $l35
                      local.get $first
                      local.get $lane
                      i32.add
                      i64.extend_i32_u
                      i64x2.splat
                      global.get $c4  ;; i32x4 0x6 0x0 0x7 0x0
                      i64x2.add
                      i32.const 2
                      i64x2.shl
                      local.set $l34
                      local.get $l32
                      local.get $l36
                      v128.const i32x4 0x0 0x0 0x0 0x0
                      i64x2.lt_s
                      local.get $l37
                      v128.const i32x4 0x0 0x0 0x0 0x0
                      i64x2.lt_s
                      i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27
                      local.get $l35
                      v128.const i32x4 0x0 0x0 0x0 0x0
                      i64x2.lt_s
                      local.get $l34
                      v128.const i32x4 0x0 0x0 0x0 0x0
                      i64x2.lt_s
                      i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27
                      i16x8.narrow_i32x4_s
                      local.get $limit.buffer_y.4
                      i64x2.splat
                      local.get $l36
                      i64x2.le_s
                      local.get $limit.buffer_y.4
                      i64x2.splat
                      local.get $l37
                      i64x2.le_s
                      i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27
                      local.get $limit.buffer_y.4
                      i64x2.splat
                      local.get $l35
                      i64x2.le_s
                      local.get $limit.buffer_y.4
                      i64x2.splat
                      local.get $l34
                      i64x2.le_s
                      i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27
                      i16x8.narrow_i32x4_s
                      v128.or
                      v128.and
                      local.set $l38
                      local.get $l38
                      v128.any_true
                      if $if18
                        local.get $l38
                        i16x8.bitmask
                        i32.ctz
                        local.set $l17
                        local.get $arguments
                        i32.const 1
                        i32.const 1
                        i32.const 1
                        local.get $first
                        local.get $lane
                        i32.add
                        local.get $l17
                        i32.add
                        i32.const 0
                        local.get $l17
                        local.get $l36
                        local.get $l37
                        local.get $l35
                        local.get $l34
                        call $pick8
                        i64.const 4
                        call $fault
                        local.get $l17
                        local.tee $l39
                        i32.const 8
                        local.get $l39
                        i32.const 8
                        i32.lt_s
                        select
                        i16x8.splat
                        global.get $c0  ;; i32x4 0x10000 0x30002 0x50004 0x70006
                        i16x8.gt_s
                        local.set $live
                        local.get $l32
                        local.get $live
                        v128.and
                        local.set $l32
                        local.get $l32
                        v128.any_true
                        i32.eqz
                        br_if $block11
                      end  ;; $if18
                    end  ;; $if17
                  end  ;; $if16
                  local.get $first
                  local.get $lane
                  i32.add
                  i64.extend_i32_u
                  i32.wrap_i64
                  i32.const 4
                  i32.mul
                  i32.const 0
                  i32.add
                  i64.extend_i32_u
                  i64.const 28
                  i64.add
                  local.get $limit.buffer_y.4
                  i64.lt_u
                  if $if19
                    local.get $base.buffer_y
                    local.get $first
                    local.get $lane
                    i32.add
                    i64.extend_i32_u
                    i32.wrap_i64
                    i32.const 4
                    i32.mul
                    i32.add
                    local.set $l17
                    local.get $l17
                    v128.load align=4
                    local.set $l29
                    local.get $l17
                    v128.load offset=16 align=4
                    local.set $l30
                  else  ;; $if19
                    local.get $base.buffer_y
                    local.get $first
                    local.get $lane
                    i32.add
                    i64.extend_i32_u
                    i32.wrap_i64
                    i32.const 4
                    i32.mul
                    i32.add
                    i32.const 0
                    i32.add
                    i32x4.splat
                    global.get $c5  ;; i32x4 0x0 0x4 0x8 0xc
                    i32x4.add
                    local.get $l32
                    i32x4.extend_low_i16x8_s
                    v128.and
                    local.set $l34
                    local.get $base.buffer_y
                    local.get $first
                    local.get $lane
                    i32.add
                    i64.extend_i32_u
                    i32.wrap_i64
                    i32.const 4
                    i32.mul
                    i32.add
                    i32.const 0
                    i32.add
                    i32x4.splat
                    global.get $c6  ;; i32x4 0x10 0x14 0x18 0x1c
                    i32x4.add
                    local.get $l32
                    i32x4.extend_high_i16x8_s
                    v128.and
                    local.set $l35
                    local.get $l34
                    local.get $l35
                    call $gather_f32_f32x4
                    local.set $l30
                    local.set $l29
                  end  ;; $if19
                  local.get $l32
                  i16x8.all_true
                  if $if20
                    local.get $base.buffer_y
                    local.get $first
                    local.get $lane
                    i32.add
                    i64.extend_i32_u
                    i32.wrap_i64
                    i32.const 4
                    i32.mul
                    i32.add
                    local.set $l17
                    local.get $l17
                    local.get $param.a
                    f32x4.splat
                    local.get $l27
                    f32x4.mul
                    local.get $l29
                    f32x4.add
                    v128.store align=4
                    local.get $l17
                    local.get $param.a
                    f32x4.splat
                    local.get $l28
                    f32x4.mul
                    local.get $l30
                    f32x4.add
                    v128.store offset=16 align=4
                  else  ;; $if20
                    local.get $base.buffer_y
                    local.get $first
                    local.get $lane
                    i32.add
                    i64.extend_i32_u
                    i32.wrap_i64
                    i32.const 4
                    i32.mul
                    i32.add
                    i32.const 0
                    i32.add
                    i32x4.splat
                    global.get $c5  ;; i32x4 0x0 0x4 0x8 0xc
                    i32x4.add
                    local.set $l35
                    local.get $base.buffer_y
                    local.get $first
                    local.get $lane
                    i32.add
                    i64.extend_i32_u
                    i32.wrap_i64
                    i32.const 4
                    i32.mul
                    i32.add
                    i32.const 0
                    i32.add
                    i32x4.splat
                    global.get $c6  ;; i32x4 0x10 0x14 0x18 0x1c
                    i32x4.add
                    local.set $l34
                    local.get $l35
                    local.get $l34
                    local.get $param.a
                    f32x4.splat
                    local.get $l27
                    f32x4.mul
                    local.get $l29
                    f32x4.add
                    local.get $param.a
                    f32x4.splat
                    local.get $l28
                    f32x4.mul
                    local.get $l30
                    f32x4.add
                    local.get $l32
                    call $scatter32_32
                  end  ;; $if20
                end  ;; $block11
                local.get $l32
                v128.any_true
                if $if21
                  br $block10
                end  ;; $if21
              end  ;; $block10
              local.get $arguments
              i32.load
              if $if22
                return
              end  ;; $if22
              local.get $lane
              i32.const 8
              i32.add
              local.set $lane
              local.get $lane
              local.get $on.0
              i32.lt_s
              br_if $loop9
            end  ;; $loop9
          end  ;; $block8
        end  ;; $block4
        local.get $BLOCK_IDX_X
        local.get $span
        i32.add
        local.set $BLOCK_IDX_X
        local.get $BLOCK_IDX_X
        local.get $grid.0
        i32.ge_u
        if $if23
          i32.const 0
          local.set $BLOCK_IDX_X
          local.get $BLOCK_IDX_Y
          i32.const 1
          i32.add
          local.set $BLOCK_IDX_Y
          local.get $BLOCK_IDX_Y
          local.get $grid.1
          i32.ge_u
          if $if24
            i32.const 0
            local.set $BLOCK_IDX_Y
            local.get $BLOCK_IDX_Z
            i32.const 1
            i32.add
            local.set $BLOCK_IDX_Z
          end  ;; $if24
        end  ;; $if23
        local.get $block
        local.get $span
        i32.add
        local.tee $block
        local.get $end
        i32.lt_s
        br_if $loop1
      end  ;; $loop1
    end  ;; $if0
  )
  (func $fault (type $t2)  ;; 51 bytes at 0x8b5
    (param $l0 i32) (param $l1 i32) (param $l2 i32) (param $l3 i32) (param $l4 i32) (param $l5 i32)
    (param $l6 i64) (param $l7 i64)
    local.get $l0
    local.get $l1
    i32.store
    local.get $l0
    local.get $l2
    i32.store offset=4
    local.get $l0
    local.get $l3
    i32.store offset=8
    local.get $l0
    local.get $l4
    i32.store offset=12
    local.get $l0
    local.get $l5
    i32.store offset=28
    local.get $l0
    local.get $l6
    i64.store offset=16 align=4
    local.get $l0
    local.get $l7
    i64.store offset=80 align=4
  )
  (func $look (type $t3)  ;; 57 bytes at 0x8e9
    (param $arguments i32) (param $at i32)
    (result i64)
    (local $answer i32) (local $ticks i64)
    call $poll
    i64.const 0
    local.get $arguments
    i32.load offset=24
    local.tee $answer
    i64.extend_i32_s
    i64.sub
    i64.const 1048576
    local.get $answer
    select
    local.set $ticks
    local.get $answer
    i32.const 0
    i32.gt_s
    if $if0
      local.get $arguments
      i32.const 9
      local.get $at
      i32.const -1
      i32.const -1
      i32.const 0
      i64.const 0
      i64.const 0
      call $fault
    end  ;; $if0
    local.get $ticks
  )
  (func $pick8 (type $t4)  ;; 92 bytes at 0x923
    (param $l0 i32) (param $l1 v128) (param $l2 v128) (param $l3 v128) (param $l4 v128)
    (result i64)
    i64.const 0
    local.get $l1
    i64x2.extract_lane 0
    local.get $l0
    i32.const 0
    i32.ne
    select
    local.get $l1
    i64x2.extract_lane 1
    local.get $l0
    i32.const 1
    i32.ne
    select
    local.get $l2
    i64x2.extract_lane 0
    local.get $l0
    i32.const 2
    i32.ne
    select
    local.get $l2
    i64x2.extract_lane 1
    local.get $l0
    i32.const 3
    i32.ne
    select
    local.get $l3
    i64x2.extract_lane 0
    local.get $l0
    i32.const 4
    i32.ne
    select
    local.get $l3
    i64x2.extract_lane 1
    local.get $l0
    i32.const 5
    i32.ne
    select
    local.get $l4
    i64x2.extract_lane 0
    local.get $l0
    i32.const 6
    i32.ne
    select
    local.get $l4
    i64x2.extract_lane 1
    local.get $l0
    i32.const 7
    i32.ne
    select
  )
  (func $gather_f32_f32x4 (type $t5)  ;; 106 bytes at 0x980
    (param $l0 v128) (param $l1 v128)
    (result v128) (result v128)
    (local $l2 v128)
    local.get $l0
    i32x4.extract_lane 0
    v128.load32_zero
    local.set $l2
    local.get $l0
    i32x4.extract_lane 1
    local.get $l2
    v128.load32_lane 1
    local.set $l2
    local.get $l0
    i32x4.extract_lane 2
    local.get $l2
    v128.load32_lane 2
    local.set $l2
    local.get $l0
    i32x4.extract_lane 3
    local.get $l2
    v128.load32_lane 3
    local.get $l1
    i32x4.extract_lane 0
    v128.load32_zero
    local.set $l2
    local.get $l1
    i32x4.extract_lane 1
    local.get $l2
    v128.load32_lane 1
    local.set $l2
    local.get $l1
    i32x4.extract_lane 2
    local.get $l2
    v128.load32_lane 2
    local.set $l2
    local.get $l1
    i32x4.extract_lane 3
    local.get $l2
    v128.load32_lane 3
  )
  (func $scatter32_32 (type $t6)  ;; 173 bytes at 0x9ec
    (param $l0 v128) (param $l1 v128) (param $l2 v128) (param $l3 v128) (param $l4 v128)
    (local $bits i32)
    local.get $l4
    i16x8.bitmask
    local.set $bits
    local.get $bits
    i32.const 1
    i32.and
    if $if0
      local.get $l0
      i32x4.extract_lane 0
      local.get $l2
      v128.store32_lane 0
    end  ;; $if0
    local.get $bits
    i32.const 2
    i32.and
    if $if1
      local.get $l0
      i32x4.extract_lane 1
      local.get $l2
      v128.store32_lane 1
    end  ;; $if1
    local.get $bits
    i32.const 4
    i32.and
    if $if2
      local.get $l0
      i32x4.extract_lane 2
      local.get $l2
      v128.store32_lane 2
    end  ;; $if2
    local.get $bits
    i32.const 8
    i32.and
    if $if3
      local.get $l0
      i32x4.extract_lane 3
      local.get $l2
      v128.store32_lane 3
    end  ;; $if3
    local.get $bits
    i32.const 16
    i32.and
    if $if4
      local.get $l1
      i32x4.extract_lane 0
      local.get $l3
      v128.store32_lane 0
    end  ;; $if4
    local.get $bits
    i32.const 32
    i32.and
    if $if5
      local.get $l1
      i32x4.extract_lane 1
      local.get $l3
      v128.store32_lane 1
    end  ;; $if5
    local.get $bits
    i32.const 64
    i32.and
    if $if6
      local.get $l1
      i32x4.extract_lane 2
      local.get $l3
      v128.store32_lane 2
    end  ;; $if6
    local.get $bits
    i32.const 128
    i32.and
    if $if7
      local.get $l1
      i32x4.extract_lane 3
      local.get $l3
      v128.store32_lane 3
    end  ;; $if7
  )
)
