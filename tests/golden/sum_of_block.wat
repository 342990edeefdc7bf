(module
  (type $t0 (func))
  (type $t1 (func (param i32 i32 i32)))
  (type $t2 (func (param i32 i32 i32 i32 i32 i32 i64 i64)))
  (type $t3 (func (param i32 i32) (result i64)))
  (type $t4 (func (param i32 v128 v128) (result i64)))
  (type $t5 (func (param v128) (result v128)))
  (type $t6 (func (param v128 v128 v128)))
  (import "env" "memory" (memory 1 65536))
  (import "env" "poll" (func $poll (type $t0)))
  (global $c0 v128 (v128.const i32x4 0x0 0x1 0x2 0x3))
  (global $c1 v128 (v128.const i32x4 0x0 0x0 0x1 0x0))
  (global $c2 v128 (v128.const i32x4 0x2 0x0 0x3 0x0))
  (global $c3 v128 (v128.const i32x4 0x0 0x4 0x8 0xc))
  (func $kernel (export "kernel") (type $t1)  ;; 2754 bytes at 0xc8
    (param $arguments i32) (param $begin i32) (param $end i32)
    (local $ticks i64) (local $base.buffer_x i32) (local $base.buffer_y i32)
    (local $limit.buffer_x.4 i64) (local $limit.shared_memory.4 i64) (local $limit.buffer_y.4 i64)
    (local $base.shared_memory i32) (local $block i32) (local $rest i32) (local $grid.0 i32)
    (local $BLOCK_IDX_X i32) (local $grid.1 i32) (local $BLOCK_IDX_Y i32) (local $BLOCK_IDX_Z i32)
    (local $span i32) (local $on.0 i32) (local $l19 i32) (local $on.1 i32) (local $on.2 i32)
    (local $first i32) (local $taken i64) (local $least_lane i32) (local $budget i64)
    (local $least i64) (local $safe i32) (local $from i32) (local $lane i32) (local $kept i32)
    (local $l31 v128) (local $l32 v128) (local $l33 i64) (local $l34 v128) (local $l35 v128)
    (local $l36 v128) (local $l37 i32) (local $live v128) (local $l39 i32) (local $l40 i64)
    (local $l41 i64) (local $l42 i64) (local $low i64) (local $high i64) (local $until i32)
    (local $l46 v128) (local $l47 v128) (local $l48 v128) (local $l49 v128) (local $l50 v128)
    (local $l51 v128) (local $l52 v128) (local $l53 i32) (local $l54 v128)
    i64.const 1048576
    local.set $ticks
    local.get $arguments
    i32.load offset=88
    local.set $base.buffer_x
    local.get $arguments
    i32.load offset=96
    local.set $base.buffer_y
    local.get $arguments
    i32.load offset=92
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
    i32.load offset=56
    i64.extend_i32_u
    i64.const 3
    i64.sub
    local.tee $limit.shared_memory.4
    i64.const 0
    local.get $limit.shared_memory.4
    i64.const 0
    i64.gt_s
    select
    local.set $limit.shared_memory.4
    local.get $arguments
    i32.load offset=100
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
    local.get $arguments
    i32.load offset=60
    local.set $base.shared_memory
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
        i32.const 1
        local.set $span
        local.get $ticks
        i64.const 6656
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
          local.tee $l19
          local.get $on.0
          local.get $l19
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
          local.tee $l19
          local.get $on.1
          local.get $l19
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
          local.tee $l19
          local.get $on.2
          local.get $l19
          local.get $on.2
          i32.lt_s
          select
          local.set $on.2
          local.get $on.2
          i32.const 0
          i32.le_s
          br_if $block4
          local.get $base.shared_memory
          i32.const 0
          local.get $arguments
          i32.load offset=56
          memory.fill
          local.get $block
          i32.const 256
          i32.mul
          local.set $first
          block $block5
            i64.const 0
            local.set $taken
            i32.const 0
            local.set $least_lane
            local.get $arguments
            i64.load offset=64 align=4
            local.tee $budget
            local.set $least
            i32.const 1
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
            local.get $limit.buffer_x.4
            i64.lt_s
            i32.and
            local.get $on.0
            i32.const 1
            i32.sub
            i64.extend_i32_u
            i64.const 4
            i64.mul
            local.get $limit.shared_memory.4
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
            block $block6
              local.get $lane
              local.get $from
              i32.lt_s
              br_if $block6
              local.get $base.shared_memory
              local.get $lane
              i32.const 4
              i32.mul
              i32.add
              local.get $base.buffer_x
              local.get $first
              local.get $lane
              i32.add
              i64.extend_i32_u
              i32.wrap_i64
              i32.const 4
              i32.mul
              i32.add
              local.get $on.0
              local.get $lane
              i32.sub
              i32.const 4
              i32.mul
              memory.copy
              local.get $on.0
              local.set $lane
            end  ;; $block6
            block $block7
              local.get $lane
              local.get $on.0
              i32.ge_s
              br_if $block7
              loop $loop8
                block $block9
                  local.get $lane
                  local.set $kept
                  local.get $on.0
                  local.get $lane
                  i32.sub
                  local.tee $l19
                  i32.const 4
                  local.get $l19
                  i32.const 4
                  i32.lt_s
                  select
                  i32x4.splat
                  global.get $c0  ;; i32x4 0x0 0x1 0x2 0x3
                  i32x4.gt_s
                  local.set $l31
                  block $block10
                    local.get $safe
                    i32.eqz
                    if $if11
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
                      i64.const 12
                      i64.add
                      local.get $limit.buffer_x.4
                      i64.ge_u
                      i32.or
                      if $if12
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
                        local.get $l31
                        local.get $l34
                        v128.const i32x4 0x0 0x0 0x0 0x0
                        i64x2.lt_s
                        local.get $l35
                        v128.const i32x4 0x0 0x0 0x0 0x0
                        i64x2.lt_s
                        i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27
                        local.get $limit.buffer_x.4
                        i64x2.splat
                        local.get $l34
                        i64x2.le_s
                        local.get $limit.buffer_x.4
                        i64x2.splat
                        local.get $l35
                        i64x2.le_s
                        i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27
                        v128.or
                        v128.and
                        local.set $l36
                        local.get $l36
                        v128.any_true
                        if $if13
                          local.get $l36
                          i32x4.bitmask
                          i32.ctz
                          local.set $l19
                          local.get $arguments
                          i32.const 1
                          i32.const 0
                          i32.const 0
                          local.get $first
                          local.get $lane
                          i32.add
                          local.get $l19
                          i32.add
                          i32.const 0
                          local.get $l19
                          local.get $l34
                          local.get $l35
                          call $pick4
                          i64.const 4
                          call $fault
                          local.get $l19
                          local.tee $l37
                          i32.const 4
                          local.get $l37
                          i32.const 4
                          i32.lt_s
                          select
                          i32x4.splat
                          global.get $c0  ;; i32x4 0x0 0x1 0x2 0x3
                          i32x4.gt_s
                          local.set $live
                          local.get $l31
                          local.get $live
                          v128.and
                          local.set $l31
                          local.get $l31
                          v128.any_true
                          i32.eqz
                          br_if $block10
                        end  ;; $if13
                      end  ;; $if12
                    end  ;; $if11
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
                    i64.const 12
                    i64.add
                    local.get $limit.buffer_x.4
                    i64.lt_u
                    if $if14
                      local.get $base.buffer_x
                      local.get $first
                      local.get $lane
                      i32.add
                      i64.extend_i32_u
                      i32.wrap_i64
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l19
                      local.get $l19
                      v128.load align=4
                      local.set $l32
                    else  ;; $if14
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
                      global.get $c3  ;; i32x4 0x0 0x4 0x8 0xc
                      i32x4.add
                      local.get $l31
                      v128.and
                      local.set $l35
                      local.get $l35
                      call $gather_f32_f32x4
                      local.set $l32
                    end  ;; $if14
                    local.get $safe
                    i32.eqz
                    if $if15
                      local.get $lane
                      i64.extend_i32_u
                      i64.const 4
                      i64.mul
                      local.tee $l33
                      local.get $limit.shared_memory.4
                      i64.ge_u
                      local.get $l33
                      i64.const 12
                      i64.add
                      local.get $limit.shared_memory.4
                      i64.ge_u
                      i32.or
                      if $if16
                        local.get $lane
                        i64.extend_i32_u
                        i64x2.splat
                        global.get $c1  ;; i32x4 0x0 0x0 0x1 0x0
                        i64x2.add
                        i32.const 2
                        i64x2.shl
                        local.set $l35
                        local.get $lane
                        i64.extend_i32_u
                        i64x2.splat
                        global.get $c2  ;; i32x4 0x2 0x0 0x3 0x0
                        i64x2.add
                        i32.const 2
                        i64x2.shl
                        local.set $l34
                        local.get $l31
                        local.get $l35
                        v128.const i32x4 0x0 0x0 0x0 0x0
                        i64x2.lt_s
                        local.get $l34
                        v128.const i32x4 0x0 0x0 0x0 0x0
                        i64x2.lt_s
                        i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27
                        local.get $limit.shared_memory.4
                        i64x2.splat
                        local.get $l35
                        i64x2.le_s
                        local.get $limit.shared_memory.4
                        i64x2.splat
                        local.get $l34
                        i64x2.le_s
                        i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27
                        v128.or
                        v128.and
                        local.set $l36
                        local.get $l36
                        v128.any_true
                        if $if17
                          local.get $l36
                          i32x4.bitmask
                          i32.ctz
                          local.set $l19
                          local.get $arguments
                          i32.const 1
                          i32.const 1
                          i32.const 2
                          local.get $first
                          local.get $lane
                          i32.add
                          local.get $l19
                          i32.add
                          i32.const 0
                          local.get $l19
                          local.get $l35
                          local.get $l34
                          call $pick4
                          i64.const 4
                          call $fault
                          local.get $l19
                          local.tee $l37
                          i32.const 4
                          local.get $l37
                          i32.const 4
                          i32.lt_s
                          select
                          i32x4.splat
                          global.get $c0  ;; i32x4 0x0 0x1 0x2 0x3
                          i32x4.gt_s
                          local.set $live
                          local.get $l31
                          local.get $live
                          v128.and
                          local.set $l31
                          local.get $l31
                          v128.any_true
                          i32.eqz
                          br_if $block10
                        end  ;; $if17
                      end  ;; $if16
                    end  ;; $if15
                    local.get $l31
                    i32x4.all_true
                    if $if18
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l19
                      local.get $l19
                      local.get $l32
                      v128.store align=4
                    else  ;; $if18
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      i32.const 0
                      i32.add
                      i32x4.splat
                      global.get $c3  ;; i32x4 0x0 0x4 0x8 0xc
                      i32x4.add
                      local.set $l34
                      local.get $l34
                      local.get $l32
                      local.get $l31
                      call $scatter32_32
                    end  ;; $if18
                  end  ;; $block10
                  local.get $l31
                  v128.any_true
                  if $if19
                    br $block9
                  end  ;; $if19
                end  ;; $block9
                local.get $arguments
                i32.load
                if $if20
                  return
                end  ;; $if20
                local.get $lane
                i32.const 4
                i32.add
                local.set $lane
                local.get $lane
                local.get $on.0
                i32.lt_s
                br_if $loop8
              end  ;; $loop8
            end  ;; $block7
            i32.const 128
            local.set $l39
            block $block21
              loop $loop22
                local.get $ticks
                i64.const 2822
                i64.sub
                local.set $ticks
                local.get $ticks
                i64.const 0
                i64.lt_s
                if $if23
                  local.get $arguments
                  i32.const -1
                  call $look
                  local.set $ticks
                  local.get $ticks
                  i64.const 0
                  i64.lt_s
                  if $if24
                    return
                  end  ;; $if24
                end  ;; $if23
                local.get $l39
                i32.const 0
                i32.eq
                if $if25
                  br $block21
                else  ;; $if25
                  local.get $l39
                  i64.extend_i32_u
                  local.set $l40
                  local.get $on.0
                  i32.const 1
                  i32.sub
                  i64.extend_i32_u
                  local.set $l33
                  local.get $l40
                  i64.const -1
                  i64.add
                  local.set $l41
                  local.get $l33
                  local.get $l41
                  local.get $l33
                  local.get $l41
                  i64.lt_s
                  select
                  local.get $l40
                  i64.add
                  local.set $l42
                  i32.const 1
                  local.get $l42
                  i64.const 4294967295
                  i64.le_s
                  i32.and
                  local.get $l42
                  i64.const 4
                  i64.mul
                  local.get $limit.shared_memory.4
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
                  i64.const 0
                  local.set $low
                  local.get $on.0
                  i64.extend_i32_s
                  local.set $high
                  local.get $l39
                  i64.extend_i32_u
                  i64.const 0
                  i64.add
                  local.tee $l33
                  local.get $high
                  local.get $l33
                  local.get $high
                  i64.lt_s
                  select
                  local.set $high
                  local.get $low
                  i32.wrap_i64
                  local.set $lane
                  local.get $high
                  i32.wrap_i64
                  local.set $until
                  local.get $low
                  local.get $high
                  i64.lt_s
                  if $if26
                    block $block27
                      local.get $lane
                      local.get $from
                      i32.lt_s
                      br_if $block27
                      local.get $lane
                      i32.const 4
                      i32.add
                      local.get $until
                      i32.le_s
                      i32.eqz
                      br_if $block27
                      loop $loop28
                        block $block29
                          local.get $lane
                          local.set $kept
                          local.get $base.shared_memory
                          local.get $lane
                          local.get $l39
                          i32.add
                          i32.const 4
                          i32.mul
                          i32.add
                          local.set $l19
                          local.get $l19
                          v128.load align=4
                          local.set $l46
                          local.get $base.shared_memory
                          local.get $lane
                          i32.const 4
                          i32.mul
                          i32.add
                          local.set $l19
                          local.get $l19
                          v128.load align=4
                          local.set $l47
                          local.get $base.shared_memory
                          local.get $lane
                          i32.const 4
                          i32.mul
                          i32.add
                          local.set $l19
                          local.get $l19
                          local.get $l47
                          local.get $l46
                          f32x4.add
                          v128.store align=4
                          br $block29
                        end  ;; $block29
                        local.get $lane
                        i32.const 4
                        i32.add
                        local.set $lane
                        local.get $lane
                        i32.const 4
                        i32.add
                        local.get $until
                        i32.le_s
                        br_if $loop28
                      end  ;; $loop28
                    end  ;; $block27
                    block $block30
                      local.get $lane
                      local.get $until
                      i32.ge_s
                      br_if $block30
                      loop $loop31
                        block $block32
                          local.get $lane
                          local.set $kept
                          local.get $until
                          local.get $lane
                          i32.sub
                          local.tee $l19
                          i32.const 4
                          local.get $l19
                          i32.const 4
                          i32.lt_s
                          select
                          i32x4.splat
                          global.get $c0  ;; i32x4 0x0 0x1 0x2 0x3
                          i32x4.gt_s
                          local.set $l48
                          block $block33
                            local.get $safe
                            i32.eqz
                            if $if34
                              local.get $lane
                              local.get $l39
                              i32.add
                              i32x4.splat
                              global.get $c0  ;; i32x4 0x0 0x1 0x2 0x3
                              i32x4.add
                              local.set $l34
                              local.get $l34
                              i64x2.extend_low_i32x4_u
                              local.set $l35
                              local.get $l34
                              i64x2.extend_high_i32x4_u
                              local.set $l36
                              local.get $l35
                              i32.const 2
                              i64x2.shl
                              local.set $l49
                              local.get $l36
                              i32.const 2
                              i64x2.shl
                              local.set $l50
                              local.get $l48
                              local.get $l49
                              v128.const i32x4 0x0 0x0 0x0 0x0
                              i64x2.lt_s
                              local.get $l50
                              v128.const i32x4 0x0 0x0 0x0 0x0
                              i64x2.lt_s
                              i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27
                              local.get $limit.shared_memory.4
                              i64x2.splat
                              local.get $l49
                              i64x2.le_s
                              local.get $limit.shared_memory.4
                              i64x2.splat
                              local.get $l50
                              i64x2.le_s
                              i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27
                              v128.or
                              v128.and
                              local.set $l51
                              local.get $l51
                              v128.any_true
                              if $if35
                                local.get $l51
                                i32x4.bitmask
                                i32.ctz
                                local.set $l19
                                local.get $arguments
                                i32.const 1
                                i32.const 11
                                i32.const 2
                                local.get $first
                                local.get $lane
                                i32.add
                                local.get $l19
                                i32.add
                                i32.const 0
                                local.get $l19
                                local.get $l49
                                local.get $l50
                                call $pick4
                                i64.const 4
                                call $fault
                                local.get $l19
                                local.tee $l37
                                i32.const 4
                                local.get $l37
                                i32.const 4
                                i32.lt_s
                                select
                                i32x4.splat
                                global.get $c0  ;; i32x4 0x0 0x1 0x2 0x3
                                i32x4.gt_s
                                local.set $live
                                local.get $l48
                                local.get $live
                                v128.and
                                local.set $l48
                                local.get $l48
                                v128.any_true
                                i32.eqz
                                br_if $block33
                              end  ;; $if35
                            end  ;; $if34
                            local.get $lane
                            local.get $l39
                            i32.add
                            i32.const 4
                            i32.mul
                            i32.const 0
                            i32.add
                            i64.extend_i32_u
                            i64.const 12
                            i64.add
                            local.get $limit.shared_memory.4
                            i64.lt_u
                            if $if36
                              local.get $base.shared_memory
                              local.get $lane
                              local.get $l39
                              i32.add
                              i32.const 4
                              i32.mul
                              i32.add
                              local.set $l19
                              local.get $l19
                              v128.load align=4
                              local.set $l46
                            else  ;; $if36
                              local.get $base.shared_memory
                              local.get $lane
                              local.get $l39
                              i32.add
                              i32.const 4
                              i32.mul
                              i32.add
                              i32.const 0
                              i32.add
                              i32x4.splat
                              global.get $c3  ;; i32x4 0x0 0x4 0x8 0xc
                              i32x4.add
                              local.get $l48
                              v128.and
                              local.set $l50
                              local.get $l50
                              call $gather_f32_f32x4
                              local.set $l46
                            end  ;; $if36
                            local.get $lane
                            i32.const 4
                            i32.mul
                            i32.const 0
                            i32.add
                            i64.extend_i32_u
                            i64.const 12
                            i64.add
                            local.get $limit.shared_memory.4
                            i64.lt_u
                            if $if37
                              local.get $base.shared_memory
                              local.get $lane
                              i32.const 4
                              i32.mul
                              i32.add
                              local.set $l19
                              local.get $l19
                              v128.load align=4
                              local.set $l47
                            else  ;; $if37
                              local.get $base.shared_memory
                              local.get $lane
                              i32.const 4
                              i32.mul
                              i32.add
                              i32.const 0
                              i32.add
                              i32x4.splat
                              global.get $c3  ;; i32x4 0x0 0x4 0x8 0xc
                              i32x4.add
                              local.get $l48
                              v128.and
                              local.set $l50
                              local.get $l50
                              call $gather_f32_f32x4
                              local.set $l47
                            end  ;; $if37
                            local.get $l48
                            i32x4.all_true
                            if $if38
                              local.get $base.shared_memory
                              local.get $lane
                              i32.const 4
                              i32.mul
                              i32.add
                              local.set $l19
                              local.get $l19
                              local.get $l47
                              local.get $l46
                              f32x4.add
                              v128.store align=4
                            else  ;; $if38
                              local.get $base.shared_memory
                              local.get $lane
                              i32.const 4
                              i32.mul
                              i32.add
                              i32.const 0
                              i32.add
                              i32x4.splat
                              global.get $c3  ;; i32x4 0x0 0x4 0x8 0xc
                              i32x4.add
                              local.set $l50
                              local.get $l50
                              local.get $l47
                              local.get $l46
                              f32x4.add
                              local.get $l48
                              call $scatter32_32
                            end  ;; $if38
                          end  ;; $block33
                          local.get $l48
                          v128.any_true
                          if $if39
                            br $block32
                          end  ;; $if39
                        end  ;; $block32
                        local.get $arguments
                        i32.load
                        if $if40
                          return
                        end  ;; $if40
                        local.get $lane
                        i32.const 4
                        i32.add
                        local.set $lane
                        local.get $lane
                        local.get $until
                        i32.lt_s
                        br_if $loop31
                      end  ;; $loop31
                    end  ;; $block30
                  end  ;; $if26
                  local.get $l39
                  i32.const 1
                  i32.shr_u
                  local.set $l39
                  local.get $taken
                  i64.const 1
                  i64.add
                  local.tee $taken
                  local.get $least
                  i64.ge_s
                  if $if41
                    local.get $least_lane
                    local.set $lane
                    local.get $arguments
                    i32.const 6
                    i32.const 16
                    i32.const -1
                    local.get $first
                    local.get $lane
                    i32.add
                    i32.const 0
                    i64.const 0
                    i64.const 0
                    call $fault
                    return
                  end  ;; $if41
                  br $loop22
                end  ;; $if25
              end  ;; $loop22
            end  ;; $block21
            i32.const 1
            i64.const 0
            local.get $limit.shared_memory.4
            i64.lt_s
            i32.and
            local.get $BLOCK_IDX_X
            i64.extend_i32_u
            i64.const 4
            i64.mul
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
            i64.const 0
            local.set $low
            i32.const 0
            i64.extend_i32_u
            i64.const 0
            i64.add
            local.tee $l33
            local.get $low
            local.get $l33
            local.get $low
            i64.gt_s
            select
            local.set $low
            local.get $on.0
            i64.extend_i32_s
            local.set $high
            i32.const 0
            i64.extend_i32_u
            i64.const 1
            i64.add
            local.tee $l33
            local.get $high
            local.get $l33
            local.get $high
            i64.lt_s
            select
            local.set $high
            local.get $low
            i32.wrap_i64
            local.set $lane
            local.get $high
            i32.wrap_i64
            local.set $until
            local.get $low
            local.get $high
            i64.lt_s
            if $if42
              block $block43
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block43
                local.get $lane
                i32.const 4
                i32.add
                local.get $until
                i32.le_s
                i32.eqz
                br_if $block43
                local.get $BLOCK_IDX_X
                i32.const 2
                i32.shl
                local.get $base.buffer_y
                i32.add
                local.set $l53
                loop $loop44
                  block $block45
                    local.get $lane
                    local.set $kept
                    local.get $base.shared_memory
                    i32.const 0
                    i32.add
                    f32.load
                    f32x4.splat
                    local.set $l50
                    local.get $l50
                    local.set $l52
                    local.get $l53
                    i32.const 0
                    i32.add
                    i32x4.splat
                    v128.const i32x4 0x0 0x0 0x0 0x0
                    i32x4.add
                    local.set $l50
                    local.get $l50
                    i64x2.extract_lane 0
                    local.tee $l33
                    i32.wrap_i64
                    local.get $l52
                    v128.store32_lane 0
                    local.get $l33
                    i64.const 32
                    i64.shr_u
                    i32.wrap_i64
                    local.get $l52
                    v128.store32_lane 1
                    local.get $l50
                    i64x2.extract_lane 1
                    local.tee $l33
                    i32.wrap_i64
                    local.get $l52
                    v128.store32_lane 2
                    local.get $l33
                    i64.const 32
                    i64.shr_u
                    i32.wrap_i64
                    local.get $l52
                    v128.store32_lane 3
                    br $block45
                  end  ;; $block45
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.get $until
                  i32.le_s
                  br_if $loop44
                end  ;; $loop44
              end  ;; $block43
              block $block46
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block46
                loop $loop47
                  block $block48
                    local.get $lane
                    local.set $kept
                    local.get $until
                    local.get $lane
                    i32.sub
                    local.tee $l19
                    i32.const 4
                    local.get $l19
                    i32.const 4
                    i32.lt_s
                    select
                    i32x4.splat
                    global.get $c0  ;; i32x4 0x0 0x1 0x2 0x3
                    i32x4.gt_s
                    local.set $l54
                    block $block49
                      local.get $safe
                      i32.eqz
                      if $if50
                        i64.const 0
                        i32.const 2
                        i64.extend_i32_u
                        i64.shl
                        i64.const 0
                        i64.lt_s
                        local.get $limit.shared_memory.4
                        i64.const 0
                        i32.const 2
                        i64.extend_i32_u
                        i64.shl
                        i64.le_s
                        i32.or
                        if $if51
                          local.get $l54
                          i32x4.bitmask
                          i32.ctz
                          local.set $l19
                          local.get $arguments
                          i32.const 1
                          i32.const 19
                          i32.const 2
                          local.get $first
                          local.get $lane
                          i32.add
                          local.get $l19
                          i32.add
                          i32.const 0
                          i64.const 0
                          i32.const 2
                          i64.extend_i32_u
                          i64.shl
                          i64.const 4
                          call $fault
                          local.get $l19
                          local.tee $l37
                          i32.const 4
                          local.get $l37
                          i32.const 4
                          i32.lt_s
                          select
                          i32x4.splat
                          global.get $c0  ;; i32x4 0x0 0x1 0x2 0x3
                          i32x4.gt_s
                          local.set $live
                          local.get $l54
                          local.get $live
                          v128.and
                          local.set $l54
                          local.get $l54
                          v128.any_true
                          i32.eqz
                          br_if $block49
                        end  ;; $if51
                      end  ;; $if50
                      local.get $base.shared_memory
                      i32.const 0
                      i32.add
                      f32.load
                      f32x4.splat
                      local.set $l50
                      local.get $l50
                      local.set $l52
                      local.get $safe
                      i32.eqz
                      if $if52
                        local.get $BLOCK_IDX_X
                        i64.extend_i32_u
                        i32.const 2
                        i64.extend_i32_u
                        i64.shl
                        i64.const 0
                        i64.lt_s
                        local.get $limit.buffer_y.4
                        local.get $BLOCK_IDX_X
                        i64.extend_i32_u
                        i32.const 2
                        i64.extend_i32_u
                        i64.shl
                        i64.le_s
                        i32.or
                        if $if53
                          local.get $l54
                          i32x4.bitmask
                          i32.ctz
                          local.set $l19
                          local.get $arguments
                          i32.const 1
                          i32.const 20
                          i32.const 1
                          local.get $first
                          local.get $lane
                          i32.add
                          local.get $l19
                          i32.add
                          i32.const 0
                          local.get $BLOCK_IDX_X
                          i64.extend_i32_u
                          i32.const 2
                          i64.extend_i32_u
                          i64.shl
                          i64.const 4
                          call $fault
                          local.get $l19
                          local.tee $l37
                          i32.const 4
                          local.get $l37
                          i32.const 4
                          i32.lt_s
                          select
                          i32x4.splat
                          global.get $c0  ;; i32x4 0x0 0x1 0x2 0x3
                          i32x4.gt_s
                          local.set $live
                          local.get $l54
                          local.get $live
                          v128.and
                          local.set $l54
                          local.get $l54
                          v128.any_true
                          i32.eqz
                          br_if $block49
                        end  ;; $if53
                      end  ;; $if52
                      local.get $base.buffer_y
                      local.get $BLOCK_IDX_X
                      i32.const 4
                      i32.mul
                      i32.add
                      i32.const 0
                      i32.add
                      i32x4.splat
                      v128.const i32x4 0x0 0x0 0x0 0x0
                      i32x4.add
                      local.set $l50
                      local.get $l50
                      local.get $l52
                      local.get $l54
                      call $scatter32_32
                    end  ;; $block49
                    local.get $l54
                    v128.any_true
                    if $if54
                      br $block48
                    end  ;; $if54
                  end  ;; $block48
                  local.get $arguments
                  i32.load
                  if $if55
                    return
                  end  ;; $if55
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop47
                end  ;; $loop47
              end  ;; $block46
            end  ;; $if42
            br $block5
          end  ;; $block5
        end  ;; $block4
        local.get $BLOCK_IDX_X
        local.get $span
        i32.add
        local.set $BLOCK_IDX_X
        local.get $BLOCK_IDX_X
        local.get $grid.0
        i32.ge_u
        if $if56
          i32.const 0
          local.set $BLOCK_IDX_X
          local.get $BLOCK_IDX_Y
          i32.const 1
          i32.add
          local.set $BLOCK_IDX_Y
          local.get $BLOCK_IDX_Y
          local.get $grid.1
          i32.ge_u
          if $if57
            i32.const 0
            local.set $BLOCK_IDX_Y
            local.get $BLOCK_IDX_Z
            i32.const 1
            i32.add
            local.set $BLOCK_IDX_Z
          end  ;; $if57
        end  ;; $if56
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
  (func $fault (type $t2)  ;; 51 bytes at 0xb8b
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
  (func $look (type $t3)  ;; 57 bytes at 0xbbf
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
  (func $pick4 (type $t4)  ;; 48 bytes at 0xbf9
    (param $l0 i32) (param $l1 v128) (param $l2 v128)
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
  )
  (func $gather_f32_f32x4 (type $t5)  ;; 65 bytes at 0xc2a
    (param $l0 v128)
    (result v128)
    (local $l1 v128) (local $l2 i64)
    local.get $l0
    i64x2.extract_lane 0
    local.tee $l2
    i32.wrap_i64
    v128.load32_zero
    local.set $l1
    local.get $l2
    i64.const 32
    i64.shr_u
    i32.wrap_i64
    local.get $l1
    v128.load32_lane 1
    local.set $l1
    local.get $l0
    i64x2.extract_lane 1
    local.tee $l2
    i32.wrap_i64
    local.get $l1
    v128.load32_lane 2
    local.set $l1
    local.get $l2
    i64.const 32
    i64.shr_u
    i32.wrap_i64
    local.get $l1
    v128.load32_lane 3
  )
  (func $scatter32_32 (type $t6)  ;; 91 bytes at 0xc6c
    (param $l0 v128) (param $l1 v128) (param $l2 v128)
    (local $bits i32)
    local.get $l2
    i32x4.bitmask
    local.set $bits
    local.get $bits
    i32.const 1
    i32.and
    if $if0
      local.get $l0
      i32x4.extract_lane 0
      local.get $l1
      v128.store32_lane 0
    end  ;; $if0
    local.get $bits
    i32.const 2
    i32.and
    if $if1
      local.get $l0
      i32x4.extract_lane 1
      local.get $l1
      v128.store32_lane 1
    end  ;; $if1
    local.get $bits
    i32.const 4
    i32.and
    if $if2
      local.get $l0
      i32x4.extract_lane 2
      local.get $l1
      v128.store32_lane 2
    end  ;; $if2
    local.get $bits
    i32.const 8
    i32.and
    if $if3
      local.get $l0
      i32x4.extract_lane 3
      local.get $l1
      v128.store32_lane 3
    end  ;; $if3
  )
)
