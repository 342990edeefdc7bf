(module
  (type $t0 (func))
  (type $t1 (func (param i32 i32 i32)))
  (type $t2 (func (param i32 i32 i32 i32 i32 i32 i64 i64)))
  (type $t3 (func (param i32 i32) (result i64)))
  (type $t4 (func (param i32 i32 i32 i32 i32 i32 i64 i64 i32) (result v128)))
  (type $t5 (func (param i32 i32 i32 i32 i32 i32 i64 i64 i64 i64 i64 v128) (result v128)))
  (type $t6 (func (param i32 v128) (result v128 v128)))
  (type $t7 (func (param i32 v128 v128 v128)))
  (import "env" "memory" (memory 1 65536))
  (import "env" "poll" (func $poll (type $t0)))
  (global $c0 v128 (v128.const i32x4 0x10000 0x30002 0x50004 0x70006))
  (func $kernel (export "kernel") (type $t1)  ;; 1215 bytes at 0xa3
    (param $arguments i32) (param $begin i32) (param $end i32)
    (local $ticks i64) (local $param.a f32) (local $base.buffer_x i32) (local $base.buffer_y i32)
    (local $limit.buffer_x.4 i64) (local $limit.buffer_y.4 i64) (local $block i32)
    (local $grid.0 i32) (local $grid.1 i32) (local $BLOCK_IDX_X i32) (local $BLOCK_IDX_Y i32)
    (local $BLOCK_IDX_Z i32) (local $span i32) (local $l16 i32) (local $price i64) (local $on.0 i32)
    (local $on.1 i32) (local $on.2 i32) (local $first i32) (local $l22 i64) (local $safe i32)
    (local $from i32) (local $lane i32) (local $l26 v128) (local $l27 v128) (local $l28 i32)
    (local $l29 i32) (local $l30 v128) (local $l31 v128) (local $l32 i32) (local $l33 v128)
    (local $kept i32) (local $l35 v128) (local $l36 i64) (local $live v128)
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
        local.tee $l16
        local.get $span
        local.get $l16
        local.get $span
        i32.lt_s
        select
        local.set $span
        i32.const 64
        local.tee $l16
        local.get $span
        local.get $l16
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
          local.tee $l16
          local.get $on.0
          local.get $l16
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
          local.tee $l16
          local.get $on.1
          local.get $l16
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
          local.tee $l16
          local.get $on.2
          local.get $l16
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
          local.set $l22
          i32.const 1
          local.get $l22
          local.get $limit.buffer_x.4
          i64.lt_s
          i32.and
          local.get $l22
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
          block $block7
            local.get $lane
            local.get $from
            i32.lt_s
            br_if $block7
            local.get $on.0
            i32.const 8
            i32.sub
            local.tee $l16
            local.get $lane
            i32.lt_s
            br_if $block7
            local.get $first
            local.get $lane
            i32.add
            i64.extend_i32_u
            i32.wrap_i64
            i32.const 2
            i32.shl
            local.get $base.buffer_x
            i32.add
            local.set $l28
            local.get $first
            local.get $lane
            i32.add
            i64.extend_i32_u
            i32.wrap_i64
            i32.const 2
            i32.shl
            local.get $base.buffer_y
            i32.add
            local.set $l32
            local.get $arguments
            v128.load32_splat offset=88
            local.set $l33
            local.get $l16
            local.get $lane
            i32.sub
            i32.const -8
            i32.and
            i32.const 8
            i32.add
            local.tee $l16
            local.get $lane
            i32.add
            local.set $lane
            local.get $l16
            i32.const 4
            i32.mul
            local.get $l28
            i32.add
            local.set $l16
            loop $loop8
              block $block9
                local.get $l28
                local.set $l29
                local.get $l29
                v128.load align=4
                local.set $l26
                local.get $l29
                v128.load offset=16 align=4
                local.set $l27
                local.get $l32
                local.set $l29
                local.get $l29
                v128.load align=4
                local.set $l30
                local.get $l29
                v128.load offset=16 align=4
                local.set $l31
                local.get $l32
                local.set $l29
                local.get $l29
                local.get $l33
                local.get $l26
                f32x4.mul
                local.get $l30
                f32x4.add
                v128.store align=4
                local.get $l29
                local.get $l33
                local.get $l27
                f32x4.mul
                local.get $l31
                f32x4.add
                v128.store offset=16 align=4
                br $block9
              end  ;; $block9
              local.get $l28
              i32.const 32
              i32.add
              local.set $l28
              local.get $l32
              i32.const 32
              i32.add
              local.set $l32
              local.get $l28
              local.get $l16
              i32.ne
              br_if $loop8
            end  ;; $loop8
          end  ;; $block7
          block $block10
            local.get $lane
            local.get $on.0
            i32.ge_s
            br_if $block10
            loop $loop11
              block $block12
                local.get $on.0
                local.get $lane
                i32.sub
                local.tee $l16
                i32.const 8
                local.get $l16
                i32.const 8
                i32.lt_s
                select
                i16x8.splat
                global.get $c0  ;; i32x4 0x10000 0x30002 0x50004 0x70006
                i16x8.gt_s
                local.set $l35
                block $block13
                  local.get $safe
                  i32.eqz
                  if $if14
                    local.get $first
                    local.get $lane
                    i32.add
                    i64.extend_i32_u
                    i64.const 4
                    i64.mul
                    local.tee $l36
                    local.get $limit.buffer_x.4
                    i64.ge_u
                    local.get $l36
                    i64.const 28
                    i64.add
                    local.get $limit.buffer_x.4
                    i64.ge_u
                    i32.or
                    if $if15
                      local.get $arguments
                      i32.const 1
                      i32.const 0
                      i32.const 0
                      local.get $first
                      local.get $lane
                      i32.add
                      i32.const 0
                      local.get $l36
                      i64.const 4
                      local.get $limit.buffer_x.4
                      i64.const 4
                      i64.const 0
                      local.get $l35
                      call $beyond8
                      local.tee $live
                      i8x16.all_true
                      i32.eqz
                      if $if16
                        local.get $l35
                        local.get $live
                        v128.and
                        local.set $l35
                        local.get $l35
                        v128.any_true
                        i32.eqz
                        br_if $block13
                      end  ;; $if16
                    end  ;; $if15
                  end  ;; $if14
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
                  if $if17
                    local.get $base.buffer_x
                    local.get $first
                    local.get $lane
                    i32.add
                    i64.extend_i32_u
                    i32.wrap_i64
                    i32.const 4
                    i32.mul
                    i32.add
                    local.set $l16
                    local.get $l16
                    v128.load align=4
                    local.set $l26
                    local.get $l16
                    v128.load offset=16 align=4
                    local.set $l27
                  else  ;; $if17
                    local.get $base.buffer_x
                    local.get $first
                    local.get $lane
                    i32.add
                    i64.extend_i32_u
                    i32.wrap_i64
                    i32.const 4
                    i32.mul
                    i32.add
                    local.get $l35
                    call $row_f32_f32x4
                    local.set $l27
                    local.set $l26
                  end  ;; $if17
                  local.get $safe
                  i32.eqz
                  if $if18
                    local.get $first
                    local.get $lane
                    i32.add
                    i64.extend_i32_u
                    i64.const 4
                    i64.mul
                    local.tee $l36
                    local.get $limit.buffer_y.4
                    i64.ge_u
                    local.get $l36
                    i64.const 28
                    i64.add
                    local.get $limit.buffer_y.4
                    i64.ge_u
                    i32.or
                    if $if19
                      local.get $arguments
                      i32.const 1
                      i32.const 1
                      i32.const 1
                      local.get $first
                      local.get $lane
                      i32.add
                      i32.const 0
                      local.get $l36
                      i64.const 4
                      local.get $limit.buffer_y.4
                      i64.const 4
                      i64.const 0
                      local.get $l35
                      call $beyond8
                      local.tee $live
                      i8x16.all_true
                      i32.eqz
                      if $if20
                        local.get $l35
                        local.get $live
                        v128.and
                        local.set $l35
                        local.get $l35
                        v128.any_true
                        i32.eqz
                        br_if $block13
                      end  ;; $if20
                    end  ;; $if19
                  end  ;; $if18
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
                  if $if21
                    local.get $base.buffer_y
                    local.get $first
                    local.get $lane
                    i32.add
                    i64.extend_i32_u
                    i32.wrap_i64
                    i32.const 4
                    i32.mul
                    i32.add
                    local.set $l16
                    local.get $l16
                    v128.load align=4
                    local.set $l30
                    local.get $l16
                    v128.load offset=16 align=4
                    local.set $l31
                  else  ;; $if21
                    local.get $base.buffer_y
                    local.get $first
                    local.get $lane
                    i32.add
                    i64.extend_i32_u
                    i32.wrap_i64
                    i32.const 4
                    i32.mul
                    i32.add
                    local.get $l35
                    call $row_f32_f32x4
                    local.set $l31
                    local.set $l30
                  end  ;; $if21
                  local.get $l35
                  i16x8.all_true
                  if $if22
                    local.get $base.buffer_y
                    local.get $first
                    local.get $lane
                    i32.add
                    i64.extend_i32_u
                    i32.wrap_i64
                    i32.const 4
                    i32.mul
                    i32.add
                    local.set $l16
                    local.get $l16
                    local.get $param.a
                    f32x4.splat
                    local.get $l26
                    f32x4.mul
                    local.get $l30
                    f32x4.add
                    v128.store align=4
                    local.get $l16
                    local.get $param.a
                    f32x4.splat
                    local.get $l27
                    f32x4.mul
                    local.get $l31
                    f32x4.add
                    v128.store offset=16 align=4
                  else  ;; $if22
                    local.get $base.buffer_y
                    local.get $first
                    local.get $lane
                    i32.add
                    i64.extend_i32_u
                    i32.wrap_i64
                    i32.const 4
                    i32.mul
                    i32.add
                    local.get $param.a
                    f32x4.splat
                    local.get $l26
                    f32x4.mul
                    local.get $l30
                    f32x4.add
                    local.get $param.a
                    f32x4.splat
                    local.get $l27
                    f32x4.mul
                    local.get $l31
                    f32x4.add
                    local.get $l35
                    call $scatter32_32_row
                  end  ;; $if22
                end  ;; $block13
                local.get $l35
                v128.any_true
                if $if23
                  br $block12
                end  ;; $if23
              end  ;; $block12
              local.get $arguments
              i32.load
              if $if24
                return
              end  ;; $if24
              local.get $lane
              i32.const 8
              i32.add
              local.tee $lane
              local.get $on.0
              i32.lt_s
              br_if $loop11
            end  ;; $loop11
          end  ;; $block10
        end  ;; $block6
        local.get $BLOCK_IDX_X
        local.get $span
        i32.add
        local.set $BLOCK_IDX_X
        local.get $BLOCK_IDX_X
        local.get $grid.0
        i32.ge_u
        if $if25
          i32.const 0
          local.set $BLOCK_IDX_X
          local.get $BLOCK_IDX_Y
          i32.const 1
          i32.add
          local.set $BLOCK_IDX_Y
          local.get $BLOCK_IDX_Y
          local.get $grid.1
          i32.ge_u
          if $if26
            i32.const 0
            local.set $BLOCK_IDX_Y
            local.get $BLOCK_IDX_Z
            i32.const 1
            i32.add
            local.set $BLOCK_IDX_Z
          end  ;; $if26
        end  ;; $if25
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
  (func $fault (type $t2)  ;; 51 bytes at 0x563
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
  (func $look (type $t3)  ;; 57 bytes at 0x597
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
  (func $end8 (type $t4)  ;; 31 bytes at 0x5d1
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
    i16x8.splat
    global.get $c0  ;; i32x4 0x10000 0x30002 0x50004 0x70006
    i16x8.gt_s
  )
  (func $beyond8 (type $t5)  ;; 127 bytes at 0x5f1
    (param $l0 i32) (param $l1 i32) (param $l2 i32) (param $l3 i32) (param $l4 i32) (param $l5 i32)
    (param $l6 i64) (param $l7 i64) (param $l8 i64) (param $l9 i64) (param $l10 i64)
    (param $l11 v128)
    (result v128)
    (local $bits i32) (local $lane i32) (local $within i64)
    local.get $l11
    i16x8.bitmask
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
        call $end8
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
  (func $row_f32_f32x4 (type $t6)  ;; 181 bytes at 0x672
    (param $l0 i32) (param $l1 v128)
    (result v128) (result v128)
    (local $l2 v128) (local $bits i32)
    local.get $l1
    i16x8.bitmask
    local.set $bits
    local.get $l0
    i32.const 0
    i32.add
    i32.const 0
    local.get $bits
    i32.const 1
    i32.and
    select
    v128.load32_zero
    local.set $l2
    local.get $l0
    i32.const 4
    i32.add
    i32.const 0
    local.get $bits
    i32.const 2
    i32.and
    select
    local.get $l2
    v128.load32_lane 1
    local.set $l2
    local.get $l0
    i32.const 8
    i32.add
    i32.const 0
    local.get $bits
    i32.const 4
    i32.and
    select
    local.get $l2
    v128.load32_lane 2
    local.set $l2
    local.get $l0
    i32.const 12
    i32.add
    i32.const 0
    local.get $bits
    i32.const 8
    i32.and
    select
    local.get $l2
    v128.load32_lane 3
    local.get $l0
    i32.const 16
    i32.add
    i32.const 0
    local.get $bits
    i32.const 16
    i32.and
    select
    v128.load32_zero
    local.set $l2
    local.get $l0
    i32.const 20
    i32.add
    i32.const 0
    local.get $bits
    i32.const 32
    i32.and
    select
    local.get $l2
    v128.load32_lane 1
    local.set $l2
    local.get $l0
    i32.const 24
    i32.add
    i32.const 0
    local.get $bits
    i32.const 64
    i32.and
    select
    local.get $l2
    v128.load32_lane 2
    local.set $l2
    local.get $l0
    i32.const 28
    i32.add
    i32.const 0
    local.get $bits
    i32.const 128
    i32.and
    select
    local.get $l2
    v128.load32_lane 3
  )
  (func $scatter32_32_row (type $t7)  ;; 173 bytes at 0x729
    (param $l0 i32) (param $l1 v128) (param $l2 v128) (param $l3 v128)
    (local $bits i32)
    local.get $l3
    i16x8.bitmask
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
    local.get $bits
    i32.const 16
    i32.and
    if $if4
      local.get $l0
      i32.const 16
      i32.add
      local.get $l2
      v128.store32_lane 0
    end  ;; $if4
    local.get $bits
    i32.const 32
    i32.and
    if $if5
      local.get $l0
      i32.const 20
      i32.add
      local.get $l2
      v128.store32_lane 1
    end  ;; $if5
    local.get $bits
    i32.const 64
    i32.and
    if $if6
      local.get $l0
      i32.const 24
      i32.add
      local.get $l2
      v128.store32_lane 2
    end  ;; $if6
    local.get $bits
    i32.const 128
    i32.and
    if $if7
      local.get $l0
      i32.const 28
      i32.add
      local.get $l2
      v128.store32_lane 3
    end  ;; $if7
  )
)
