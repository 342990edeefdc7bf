(module
  (type $t0 (func))
  (type $t1 (func (param i32 i32 i32)))
  (type $t2 (func (param i32 i32 i32 i32 i32 i32 i64 i64)))
  (type $t3 (func (param i32 i32) (result i64)))
  (type $t4 (func (param i32 i32 i32 v128) (result i64 i32 v128)))
  (type $t5 (func (param i32 v128 v128) (result i64)))
  (type $t6 (func (param i32 i32 i32 i32 i32 i32 i64 i64 i32) (result v128)))
  (type $t7 (func (param i32 i32 i32 v128 v128 v128) (result i64 i32 v128 v128 v128)))
  (type $t8 (func (param i64 v128 v128 v128 v128 i64) (result i64 v128 v128 v128)))
  (type $t9 (func (param i32 i32 i32 i32 i32 i32 i64 i64 i64 i64 i64 v128) (result v128)))
  (type $t10 (func (param i32 v128 v128)))
  (import "env" "memory" (memory 1 65536))
  (import "env" "poll" (func $poll (type $t0)))
  (global $c0 v128 (v128.const i32x4 0x0 0x1 0x2 0x3))
  (func $kernel (export "kernel") (type $t1)  ;; 2013 bytes at 0xca
    (param $arguments i32) (param $begin i32) (param $end i32)
    (local $ticks i64) (local $param.rows i32) (local $param.n i32) (local $base.buffer_x i32)
    (local $base.buffer_y i32) (local $limit.buffer_x.4 i64) (local $limit.buffer_y.4 i64)
    (local $block i32) (local $grid.0 i32) (local $grid.1 i32) (local $BLOCK_IDX_X i32)
    (local $BLOCK_IDX_Y i32) (local $BLOCK_IDX_Z i32) (local $span i32) (local $l17 i32)
    (local $price i64) (local $on.0 i32) (local $on.1 i32) (local $on.2 i32) (local $first i32)
    (local $l23 i64) (local $l24 i64) (local $l25 i64) (local $l26 i64) (local $l27 i64)
    (local $l28 i64) (local $l29 i64) (local $safe i32) (local $l31 i64) (local $from i32)
    (local $lane i32) (local $l34 v128) (local $l35 v128) (local $l36 v128) (local $l37 i32)
    (local $l38 v128) (local $l39 v128) (local $l40 v128) (local $l41 i32) (local $l42 i32)
    (local $kept i32) (local $own_budget i64) (local $counts.0 v128) (local $spent.0 v128)
    (local $spent.1 v128) (local $l48 v128) (local $l49 v128) (local $l50 v128) (local $l51 v128)
    (local $l52 v128) (local $l53 v128) (local $live v128)
    i64.const 1048576
    local.set $ticks
    local.get $arguments
    i32.load offset=88
    local.set $param.rows
    local.get $arguments
    i32.load offset=96
    local.set $param.n
    local.get $arguments
    i32.load offset=104
    local.set $base.buffer_x
    local.get $arguments
    i32.load offset=112
    local.set $base.buffer_y
    local.get $arguments
    i32.load offset=108
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
    i32.load offset=116
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
      local.get $arguments
      i32.load offset=32
      local.set $grid.0
      local.get $arguments
      i32.load offset=36
      local.set $grid.1
      local.get $block
      local.set $BLOCK_IDX_X
      local.get $BLOCK_IDX_X
      local.get $grid.0
      i32.ge_u
      if $if1
        local.get $BLOCK_IDX_X
        local.get $grid.0
        i32.div_u
        local.set $BLOCK_IDX_Y
        local.get $BLOCK_IDX_X
        local.get $BLOCK_IDX_Y
        local.get $grid.0
        i32.mul
        i32.sub
        local.set $BLOCK_IDX_X
        local.get $BLOCK_IDX_Y
        local.get $grid.1
        i32.ge_u
        if $if2
          local.get $BLOCK_IDX_Y
          local.get $grid.1
          i32.div_u
          local.set $BLOCK_IDX_Z
          local.get $BLOCK_IDX_Y
          local.get $BLOCK_IDX_Z
          local.get $grid.1
          i32.mul
          i32.sub
          local.set $BLOCK_IDX_Y
        end  ;; $if2
      end  ;; $if1
      loop $loop3
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
        i64.const 4608
        i64.mul
        local.set $price
        local.get $ticks
        local.get $price
        i64.sub
        local.set $ticks
        local.get $ticks
        i64.const 0
        i64.lt_s
        if $if4
          local.get $arguments
          i32.const -1
          call $look
          local.set $ticks
          local.get $ticks
          i64.const 0
          i64.lt_s
          if $if5
            return
          end  ;; $if5
        end  ;; $if4
        block $block6
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
          br_if $block6
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
          br_if $block6
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
          br_if $block6
          local.get $block
          i32.const 256
          i32.mul
          local.set $first
          local.get $param.n
          i64.extend_i32_u
          local.set $l23
          i64.const 0
          local.set $l24
          local.get $l23
          local.set $l25
          local.get $l24
          local.get $l25
          local.get $l24
          local.get $l25
          i64.gt_s
          select
          local.set $l26
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
          local.set $l24
          local.get $param.rows
          i64.extend_i32_u
          i64.const -1
          i64.add
          local.set $l25
          local.get $l24
          local.get $l25
          local.get $l24
          local.get $l25
          i64.lt_s
          select
          local.set $l27
          local.get $l27
          local.get $l23
          i64.mul
          local.set $l28
          local.get $l28
          local.get $l26
          local.set $l24
          local.get $l23
          i64.const -1
          i64.add
          local.set $l25
          local.get $l24
          local.get $l25
          local.get $l24
          local.get $l25
          i64.lt_s
          select
          i64.add
          local.set $l29
          i32.const 1
          local.get $l26
          i64.const 1
          i64.add
          i64.const 4294967295
          i64.le_s
          i32.and
          local.get $l23
          i64.const 2147483648
          i64.le_s
          i32.and
          local.get $l28
          i64.const 4294967295
          i64.le_s
          i32.and
          local.get $l29
          i64.const 4294967295
          i64.le_s
          i32.and
          local.get $l29
          i64.const 4
          i64.mul
          local.get $limit.buffer_x.4
          i64.lt_s
          i32.and
          local.get $l27
          i64.const 4
          i64.mul
          local.get $limit.buffer_y.4
          i64.lt_s
          i32.and
          local.set $safe
          i32.const 0
          i32.const 2147483647
          i64.const 0
          local.set $l24
          local.get $param.n
          i64.extend_i32_u
          local.set $l25
          local.get $l24
          local.get $l25
          local.get $l24
          local.get $l25
          i64.gt_s
          select
          i64.const 1
          i64.add
          local.set $l31
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
          local.get $param.rows
          i64.extend_i32_u
          i64.lt_s
          i32.and
          local.get $l31
          i64.const 4294967295
          i64.le_s
          i32.and
          i64.const 0
          i64.const 1
          local.get $l31
          i64.mul
          i64.add
          local.get $arguments
          i64.load offset=64 align=4
          i64.le_s
          i32.and
          local.get $safe
          i32.and
          select
          local.set $from
          i32.const 0
          local.set $lane
          block $block7
            local.get $lane
            local.get $from
            i32.lt_s
            br_if $block7
            local.get $on.0
            i32.const 4
            i32.sub
            local.tee $l17
            local.get $lane
            i32.lt_s
            br_if $block7
            local.get $arguments
            v128.load32_splat offset=96
            local.set $l35
            local.get $first
            local.get $lane
            i32.add
            i64.extend_i32_u
            i32.wrap_i64
            i32.const 2
            i32.shl
            local.get $base.buffer_y
            i32.add
            local.set $l41
            loop $loop8
              block $block9
                local.get $first
                local.get $lane
                i32.add
                i64.extend_i32_u
                i32.wrap_i64
                i32x4.splat
                global.get $c0  ;; i32x4 0x0 0x1 0x2 0x3
                i32x4.add
                local.get $l35
                i32x4.mul
                local.set $l34
                i32.const 0
                v128.const i32x4 0x0 0x0 0x0 0x0
                local.set $l36
                local.set $l37
                block $block10
                  block $block11
                    loop $loop12
                      block $block13
                        loop $loop14
                          local.get $param.n
                          local.get $l37
                          i32.le_u
                          if $if15
                            br $block10
                          else  ;; $if15
                            local.get $l34
                            local.get $l37
                            i32x4.splat
                            i32x4.add
                            i32.const 2
                            i32x4.shl
                            local.get $base.buffer_x
                            i32x4.splat
                            i32x4.add
                            local.set $l39
                            local.get $l39
                            i64x2.extract_lane 0
                            local.tee $l24
                            i32.wrap_i64
                            v128.load32_zero
                            local.set $l40
                            local.get $l24
                            i64.const 32
                            i64.shr_u
                            i32.wrap_i64
                            local.get $l40
                            v128.load32_lane 1
                            local.set $l40
                            local.get $l39
                            i64x2.extract_lane 1
                            local.tee $l24
                            i32.wrap_i64
                            local.get $l40
                            v128.load32_lane 2
                            local.set $l40
                            local.get $l24
                            i64.const 32
                            i64.shr_u
                            i32.wrap_i64
                            local.get $l40
                            v128.load32_lane 3
                            local.set $l38
                            local.get $l37
                            i32.const 1
                            i32.add
                            local.get $l38
                            local.get $l38
                            i32x4.mul
                            local.get $l36
                            i32x4.add
                            local.set $l36
                            local.set $l37
                            local.get $ticks
                            i64.const 10
                            i64.sub
                            local.tee $ticks
                            i64.const 0
                            i64.lt_s
                            br_if $block13
                            br $loop14
                          end  ;; $if15
                        end  ;; $loop14
                        br $block11
                      end  ;; $block13
                      local.get $arguments
                      i32.const 13
                      local.get $l37
                      local.get $l36
                      call $look_i32_v128
                      local.set $l36
                      local.set $l37
                      local.set $ticks
                      local.get $ticks
                      i64.const 0
                      i64.lt_s
                      if $if16
                        return
                      end  ;; $if16
                      br $loop12
                    end  ;; $loop12
                  end  ;; $block11
                end  ;; $block10
                local.get $l41
                local.set $l42
                local.get $l42
                local.get $l36
                v128.store align=4
                br $block9
              end  ;; $block9
              local.get $l41
              i32.const 16
              i32.add
              local.set $l41
              local.get $lane
              i32.const 4
              i32.add
              local.tee $lane
              local.get $l17
              i32.le_s
              br_if $loop8
            end  ;; $loop8
          end  ;; $block7
          block $block17
            local.get $lane
            local.get $on.0
            i32.ge_s
            br_if $block17
            loop $loop18
              block $block19
                local.get $arguments
                i64.load offset=64 align=4
                local.set $own_budget
                v128.const i32x4 0x0 0x0 0x0 0x0
                local.set $spent.0
                v128.const i32x4 0x0 0x0 0x0 0x0
                local.set $spent.1
                v128.const i32x4 0x0 0x0 0x0 0x0
                local.set $counts.0
                local.get $own_budget
                i64.const 1
                i64.sub
                local.get $ticks
                local.get $own_budget
                i64.const 1
                i64.sub
                local.get $ticks
                i64.lt_u
                select
                local.set $ticks
                local.get $on.0
                local.get $lane
                i32.sub
                local.tee $l17
                i32.const 4
                local.get $l17
                i32.const 4
                i32.lt_s
                select
                i32x4.splat
                global.get $c0  ;; i32x4 0x0 0x1 0x2 0x3
                i32x4.gt_s
                local.set $l48
                local.get $l48
                local.get $first
                local.get $lane
                i32.add
                i64.extend_i32_u
                i32.wrap_i64
                i32x4.splat
                global.get $c0  ;; i32x4 0x0 0x1 0x2 0x3
                i32x4.add
                local.get $param.rows
                i32x4.splat
                i32x4.lt_u
                v128.and
                local.set $l49
                local.get $l49
                v128.any_true
                if $if20
                  local.get $first
                  local.get $lane
                  i32.add
                  i64.extend_i32_u
                  i32.wrap_i64
                  i32x4.splat
                  global.get $c0  ;; i32x4 0x0 0x1 0x2 0x3
                  i32x4.add
                  local.get $param.n
                  i32x4.splat
                  i32x4.mul
                  local.set $l34
                  i32.const 0
                  v128.const i32x4 0x0 0x0 0x0 0x0
                  local.get $l36
                  local.get $l49
                  v128.bitselect
                  local.set $l36
                  local.set $l37
                  block $block21
                    block $block22
                      loop $loop23
                        block $block24
                          loop $loop25
                            local.get $param.n
                            local.get $l37
                            i32.le_u
                            if $if26
                              br $block21
                            else  ;; $if26
                              block $block27
                                local.get $safe
                                i32.eqz
                                if $if28
                                  local.get $l34
                                  local.get $l37
                                  i32x4.splat
                                  i32x4.add
                                  local.set $l39
                                  local.get $l39
                                  i64x2.extend_low_i32x4_u
                                  local.set $l40
                                  local.get $l39
                                  i64x2.extend_high_i32x4_u
                                  local.set $l50
                                  local.get $l40
                                  i32.const 2
                                  i64x2.shl
                                  local.set $l51
                                  local.get $l50
                                  i32.const 2
                                  i64x2.shl
                                  local.set $l52
                                  local.get $l49
                                  local.get $l51
                                  v128.const i32x4 0x0 0x0 0x0 0x0
                                  i64x2.lt_s
                                  local.get $l52
                                  v128.const i32x4 0x0 0x0 0x0 0x0
                                  i64x2.lt_s
                                  i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27
                                  local.get $limit.buffer_x.4
                                  i64x2.splat
                                  local.get $l51
                                  i64x2.le_s
                                  local.get $limit.buffer_x.4
                                  i64x2.splat
                                  local.get $l52
                                  i64x2.le_s
                                  i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27
                                  v128.or
                                  v128.and
                                  local.set $l53
                                  local.get $l53
                                  v128.any_true
                                  if $if29
                                    local.get $l53
                                    i32x4.bitmask
                                    i32.ctz
                                    local.set $l17
                                    local.get $arguments
                                    i32.const 1
                                    i32.const 10
                                    i32.const 0
                                    local.get $first
                                    local.get $lane
                                    i32.add
                                    i32.const 0
                                    local.get $l17
                                    local.get $l51
                                    local.get $l52
                                    call $pick4
                                    i64.const 4
                                    local.get $l17
                                    call $end4
                                    local.set $live
                                    local.get $l48
                                    local.get $live
                                    v128.and
                                    local.set $l48
                                    local.get $l49
                                    local.get $live
                                    v128.and
                                    local.set $l49
                                    local.get $l49
                                    v128.any_true
                                    i32.eqz
                                    br_if $block27
                                  end  ;; $if29
                                end  ;; $if28
                                local.get $l34
                                local.get $l37
                                i32x4.splat
                                i32x4.add
                                i32.const 2
                                i32x4.shl
                                local.get $base.buffer_x
                                i32x4.splat
                                i32x4.add
                                local.get $l49
                                v128.and
                                local.set $l52
                                local.get $l52
                                i64x2.extract_lane 0
                                local.tee $l24
                                i32.wrap_i64
                                v128.load32_zero
                                local.set $l51
                                local.get $l24
                                i64.const 32
                                i64.shr_u
                                i32.wrap_i64
                                local.get $l51
                                v128.load32_lane 1
                                local.set $l51
                                local.get $l52
                                i64x2.extract_lane 1
                                local.tee $l24
                                i32.wrap_i64
                                local.get $l51
                                v128.load32_lane 2
                                local.set $l51
                                local.get $l24
                                i64.const 32
                                i64.shr_u
                                i32.wrap_i64
                                local.get $l51
                                v128.load32_lane 3
                                local.set $l38
                                local.get $l37
                                i32.const 1
                                i32.add
                                local.get $l38
                                local.get $l38
                                i32x4.mul
                                local.get $l36
                                i32x4.add
                                local.get $l36
                                local.get $l49
                                v128.bitselect
                                local.set $l36
                                local.set $l37
                                local.get $counts.0
                                local.get $l49
                                i32x4.sub
                                local.set $counts.0
                              end  ;; $block27
                              local.get $l49
                              v128.any_true
                              if $if30
                                local.get $ticks
                                i64.const 14
                                i64.sub
                                local.tee $ticks
                                i64.const 0
                                i64.lt_s
                                br_if $block24
                                br $loop25
                              end  ;; $if30
                            end  ;; $if26
                          end  ;; $loop25
                          br $block22
                        end  ;; $block24
                        local.get $arguments
                        i32.const 13
                        local.get $l37
                        local.get $l36
                        local.get $l48
                        local.get $l49
                        call $look_i32_v128_v128_v128
                        local.set $l49
                        local.set $l48
                        local.set $l36
                        local.set $l37
                        local.set $ticks
                        local.get $ticks
                        i64.const 0
                        i64.lt_s
                        if $if31
                          return
                        end  ;; $if31
                        local.get $own_budget
                        local.get $counts.0
                        local.get $spent.0
                        local.get $spent.1
                        local.get $l49
                        local.get $ticks
                        call $steps4
                        local.set $l52
                        local.set $spent.1
                        local.set $spent.0
                        local.set $ticks
                        v128.const i32x4 0x0 0x0 0x0 0x0
                        local.set $counts.0
                        local.get $l49
                        local.get $l52
                        v128.and
                        local.set $l51
                        local.get $l51
                        v128.any_true
                        if $if32
                          local.get $l51
                          i32x4.bitmask
                          i32.ctz
                          local.set $l17
                          local.get $arguments
                          i32.const 6
                          i32.const 13
                          i32.const -1
                          local.get $first
                          local.get $lane
                          i32.add
                          i32.const 0
                          i64.const 0
                          i64.const 0
                          local.get $l17
                          call $end4
                          local.set $live
                          local.get $l48
                          local.get $live
                          v128.and
                          local.set $l48
                          local.get $l49
                          local.get $live
                          v128.and
                          local.set $l49
                          local.get $l49
                          v128.any_true
                          i32.eqz
                          br_if $block22
                        end  ;; $if32
                        br $loop23
                      end  ;; $loop23
                    end  ;; $block22
                  end  ;; $block21
                  local.get $l49
                  v128.any_true
                  if $if33
                    block $block34
                      local.get $safe
                      i32.eqz
                      if $if35
                        local.get $first
                        local.get $lane
                        i32.add
                        i64.extend_i32_u
                        i32.wrap_i64
                        i64.extend_i32_u
                        i64.const 4
                        i64.mul
                        local.tee $l24
                        local.get $limit.buffer_y.4
                        i64.ge_u
                        local.get $l24
                        i64.const 12
                        i64.add
                        local.get $limit.buffer_y.4
                        i64.ge_u
                        i32.or
                        if $if36
                          local.get $arguments
                          i32.const 1
                          i32.const 14
                          i32.const 1
                          local.get $first
                          local.get $lane
                          i32.add
                          i32.const 0
                          local.get $l24
                          i64.const 4
                          local.get $limit.buffer_y.4
                          i64.const 4
                          i64.const 0
                          local.get $l49
                          call $beyond4
                          local.tee $live
                          i8x16.all_true
                          i32.eqz
                          if $if37
                            local.get $l48
                            local.get $live
                            v128.and
                            local.set $l48
                            local.get $l49
                            local.get $live
                            v128.and
                            local.set $l49
                            local.get $l49
                            v128.any_true
                            i32.eqz
                            br_if $block34
                          end  ;; $if37
                        end  ;; $if36
                      end  ;; $if35
                      local.get $l49
                      i32x4.all_true
                      if $if38
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
                        local.get $l36
                        v128.store align=4
                      else  ;; $if38
                        local.get $base.buffer_y
                        local.get $first
                        local.get $lane
                        i32.add
                        i64.extend_i32_u
                        i32.wrap_i64
                        i32.const 4
                        i32.mul
                        i32.add
                        local.get $l36
                        local.get $l49
                        call $scatter32_32_row
                      end  ;; $if38
                    end  ;; $block34
                    local.get $l49
                    v128.any_true
                    if $if39
                      local.get $l48
                      local.get $l49
                      v128.andnot
                      local.set $l48
                      v128.const i32x4 0x0 0x0 0x0 0x0
                      local.set $l49
                    end  ;; $if39
                  end  ;; $if33
                end  ;; $if20
                local.get $l48
                v128.any_true
                if $if40
                  br $block19
                end  ;; $if40
              end  ;; $block19
              local.get $arguments
              i32.load
              if $if41
                return
              end  ;; $if41
              local.get $lane
              i32.const 4
              i32.add
              local.tee $lane
              local.get $on.0
              i32.lt_s
              br_if $loop18
            end  ;; $loop18
          end  ;; $block17
        end  ;; $block6
        local.get $BLOCK_IDX_X
        local.get $span
        i32.add
        local.set $BLOCK_IDX_X
        local.get $BLOCK_IDX_X
        local.get $grid.0
        i32.ge_u
        if $if42
          i32.const 0
          local.set $BLOCK_IDX_X
          local.get $BLOCK_IDX_Y
          i32.const 1
          i32.add
          local.set $BLOCK_IDX_Y
          local.get $BLOCK_IDX_Y
          local.get $grid.1
          i32.ge_u
          if $if43
            i32.const 0
            local.set $BLOCK_IDX_Y
            local.get $BLOCK_IDX_Z
            i32.const 1
            i32.add
            local.set $BLOCK_IDX_Z
          end  ;; $if43
        end  ;; $if42
        local.get $block
        local.get $span
        i32.add
        local.tee $block
        local.get $end
        i32.lt_s
        br_if $loop3
      end  ;; $loop3
    end  ;; $if0
  )
  (func $fault (type $t2)  ;; 51 bytes at 0x8a8
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
  (func $look (type $t3)  ;; 57 bytes at 0x8dc
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
  (func $look_i32_v128 (type $t4)  ;; 61 bytes at 0x916
    (param $arguments i32) (param $at i32) (param $l2 i32) (param $l3 v128)
    (result i64) (result i32) (result v128)
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
    local.get $l2
    local.get $l3
  )
  (func $pick4 (type $t5)  ;; 48 bytes at 0x954
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
  (func $end4 (type $t6)  ;; 31 bytes at 0x985
    (param $l0 i32) (param $l1 i32) (param $l2 i32) (param $l3 i32) (param $l4 i32) (param $l5 i32)
    (param $l6 i64) (param $l7 i64) (param $l8 i32)
    (result v128)
    local.get $l0
    local.get $l1
    local.get $l2
    local.get $l3
    local.get $l4
    local.get $l8
    i32.add
    local.get $l5
    local.get $l6
    local.get $l7
    call $fault
    local.get $l8
    i32x4.splat
    global.get $c0  ;; i32x4 0x0 0x1 0x2 0x3
    i32x4.gt_s
  )
  (func $look_i32_v128_v128_v128 (type $t7)  ;; 65 bytes at 0x9a5
    (param $arguments i32) (param $at i32) (param $l2 i32) (param $l3 v128) (param $l4 v128)
    (param $l5 v128)
    (result i64) (result i32) (result v128) (result v128) (result v128)
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
    local.get $l2
    local.get $l3
    local.get $l4
    local.get $l5
  )
  (func $steps4 (type $t8)  ;; 190 bytes at 0x9e8
    (param $l0 i64) (param $l1 v128) (param $l2 v128) (param $l3 v128) (param $l4 v128)
    (param $l5 i64)
    (result i64) (result v128) (result v128) (result v128)
    (local $rest i64)
    local.get $l1
    i64x2.extend_low_i32x4_u
    local.get $l2
    i64x2.add
    local.set $l2
    local.get $l0
    local.get $l2
    i64x2.extract_lane 0
    i64.sub
    i64.const 1
    i64.sub
    local.tee $rest
    i64.const 0
    i64.ge_s
    local.get $rest
    local.get $l5
    i64.lt_s
    i32.and
    if $if0
      local.get $rest
      local.set $l5
    end  ;; $if0
    local.get $l0
    local.get $l2
    i64x2.extract_lane 1
    i64.sub
    i64.const 1
    i64.sub
    local.tee $rest
    i64.const 0
    i64.ge_s
    local.get $rest
    local.get $l5
    i64.lt_s
    i32.and
    if $if1
      local.get $rest
      local.set $l5
    end  ;; $if1
    local.get $l1
    i64x2.extend_high_i32x4_u
    local.get $l3
    i64x2.add
    local.set $l3
    local.get $l0
    local.get $l3
    i64x2.extract_lane 0
    i64.sub
    i64.const 1
    i64.sub
    local.tee $rest
    i64.const 0
    i64.ge_s
    local.get $rest
    local.get $l5
    i64.lt_s
    i32.and
    if $if2
      local.get $rest
      local.set $l5
    end  ;; $if2
    local.get $l0
    local.get $l3
    i64x2.extract_lane 1
    i64.sub
    i64.const 1
    i64.sub
    local.tee $rest
    i64.const 0
    i64.ge_s
    local.get $rest
    local.get $l5
    i64.lt_s
    i32.and
    if $if3
      local.get $rest
      local.set $l5
    end  ;; $if3
    local.get $l5
    local.get $l2
    local.get $l3
    local.get $l2
    local.get $l0
    i64x2.splat
    i64x2.ge_s
    local.get $l3
    local.get $l0
    i64x2.splat
    i64x2.ge_s
    i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27
    local.get $l4
    v128.and
  )
  (func $beyond4 (type $t9)  ;; 127 bytes at 0xaa7
    (param $l0 i32) (param $l1 i32) (param $l2 i32) (param $l3 i32) (param $l4 i32) (param $l5 i32)
    (param $l6 i64) (param $l7 i64) (param $l8 i64) (param $l9 i64) (param $l10 i64)
    (param $l11 v128)
    (result v128)
    (local $bits i32) (local $lane i32) (local $within i64)
    local.get $l11
    i32x4.bitmask
    local.set $bits
    loop $loop0
      local.get $l6
      local.get $l8
      i64.ge_u
      local.get $bits
      i32.const 1
      i32.and
      i32.and
      if $if1
        i64.const 0
        local.get $l10
        local.get $l6
        i64.sub
        local.get $l9
        i64.ctz
        i64.shr_u
        local.get $l6
        local.get $l10
        i64.gt_u
        select
        local.tee $within
        i32.wrap_i64
        local.get $l2
        i32.add
        local.set $l2
        local.get $within
        local.get $l9
        i64.mul
        local.get $l6
        i64.add
        local.set $l6
        local.get $l0
        local.get $l1
        local.get $l2
        local.get $l3
        local.get $l4
        local.get $l5
        local.get $l6
        local.get $l9
        local.get $lane
        call $end4
        return
      end  ;; $if1
      local.get $l6
      local.get $l7
      i64.add
      local.set $l6
      local.get $lane
      i32.const 1
      i32.add
      local.set $lane
      local.get $bits
      i32.const 1
      i32.shr_u
      local.tee $bits
      br_if $loop0
    end  ;; $loop0
    v128.const i32x4 0xffffffff 0xffffffff 0xffffffff 0xffffffff
  )
  (func $scatter32_32_row (type $t10)  ;; 91 bytes at 0xb27
    (param $l0 i32) (param $l1 v128) (param $l2 v128)
    (local $bits i32)
    local.get $l2
    i32x4.bitmask
    local.set $bits
    local.get $bits
    i32.const 1
    i32.and
    if $if0
      local.get $l0
      i32.const 0
      i32.add
      local.get $l1
      v128.store32_lane 0
    end  ;; $if0
    local.get $bits
    i32.const 2
    i32.and
    if $if1
      local.get $l0
      i32.const 4
      i32.add
      local.get $l1
      v128.store32_lane 1
    end  ;; $if1
    local.get $bits
    i32.const 4
    i32.and
    if $if2
      local.get $l0
      i32.const 8
      i32.add
      local.get $l1
      v128.store32_lane 2
    end  ;; $if2
    local.get $bits
    i32.const 8
    i32.and
    if $if3
      local.get $l0
      i32.const 12
      i32.add
      local.get $l1
      v128.store32_lane 3
    end  ;; $if3
  )
)
