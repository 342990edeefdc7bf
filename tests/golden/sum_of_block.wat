(module
  (type $t0 (func))
  (type $t1 (func (param i32 i32 i32)))
  (type $t2 (func (param i32 i32 i32 i32 i32 i32 i64 i64)))
  (type $t3 (func (param i32 i32) (result i64)))
  (type $t4 (func (param i32 i32 i32 i32 i32 i32 i64 i64 i32) (result v128)))
  (type $t5 (func (param i32 i32 i32 i32 i32 i32 i64 i64 i64 i64 i64 v128) (result v128)))
  (type $t6 (func (param i32 v128) (result v128)))
  (type $t7 (func (param i32 v128 v128)))
  (type $t8 (func (param i32 v128 v128) (result i64)))
  (type $t9 (func (param v128 v128 v128)))
  (import "env" "memory" (memory 1 65536))
  (import "env" "poll" (func $poll (type $t0)))
  (global $c0 v128 (v128.const i32x4 0x0 0x1 0x2 0x3))
  (func $kernel (export "kernel") (type $t1)  ;; 2309 bytes at 0xb0
    (param $arguments i32) (param $begin i32) (param $end i32)
    (local $ticks i64) (local $base.buffer_x i32) (local $base.buffer_y i32)
    (local $limit.buffer_x.4 i64) (local $limit.shared_memory.4 i64) (local $limit.buffer_y.4 i64)
    (local $base.shared_memory i32) (local $block i32) (local $grid.0 i32) (local $grid.1 i32)
    (local $BLOCK_IDX_X i32) (local $BLOCK_IDX_Y i32) (local $BLOCK_IDX_Z i32) (local $span i32)
    (local $on.0 i32) (local $l18 i32) (local $on.1 i32) (local $on.2 i32) (local $first i32)
    (local $taken i64) (local $least_lane i32) (local $budget i64) (local $least i64)
    (local $safe i32) (local $from i32) (local $lane i32) (local $kept i32) (local $l30 v128)
    (local $l31 v128) (local $l32 i64) (local $live v128) (local $l34 i32) (local $l35 i64)
    (local $l36 i64) (local $l37 i64) (local $low i64) (local $high i64) (local $until i32)
    (local $l41 v128) (local $l42 i32) (local $l43 i32) (local $l44 v128) (local $l45 i32)
    (local $l46 v128) (local $l47 v128) (local $l48 v128) (local $l49 v128) (local $l50 v128)
    (local $l51 v128) (local $l52 v128) (local $l53 v128) (local $l54 i32) (local $l55 v128)
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
        i32.const 1
        local.set $span
        local.get $ticks
        i64.const 6656
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
          local.tee $l18
          local.get $on.0
          local.get $l18
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
          local.tee $l18
          local.get $on.1
          local.get $l18
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
          local.tee $l18
          local.get $on.2
          local.get $l18
          local.get $on.2
          i32.lt_s
          select
          local.set $on.2
          local.get $on.2
          i32.const 0
          i32.le_s
          br_if $block6
          local.get $base.shared_memory
          i32.const 0
          local.get $arguments
          i32.load offset=56
          memory.fill
          local.get $block
          i32.const 256
          i32.mul
          local.set $first
          block $block7
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
            block $block8
              local.get $lane
              local.get $from
              i32.lt_s
              br_if $block8
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
            end  ;; $block8
            block $block9
              local.get $lane
              local.get $on.0
              i32.ge_s
              br_if $block9
              loop $loop10
                block $block11
                  local.get $lane
                  local.set $kept
                  local.get $on.0
                  local.get $lane
                  i32.sub
                  local.tee $l18
                  i32.const 4
                  local.get $l18
                  i32.const 4
                  i32.lt_s
                  select
                  i32x4.splat
                  global.get $c0  ;; i32x4 0x0 0x1 0x2 0x3
                  i32x4.gt_s
                  local.set $l30
                  block $block12
                    local.get $safe
                    i32.eqz
                    if $if13
                      local.get $first
                      local.get $lane
                      i32.add
                      i64.extend_i32_u
                      i64.const 4
                      i64.mul
                      local.tee $l32
                      local.get $limit.buffer_x.4
                      i64.ge_u
                      local.get $l32
                      i64.const 12
                      i64.add
                      local.get $limit.buffer_x.4
                      i64.ge_u
                      i32.or
                      if $if14
                        local.get $arguments
                        i32.const 1
                        i32.const 0
                        i32.const 0
                        local.get $first
                        local.get $lane
                        i32.add
                        i32.const 0
                        local.get $l32
                        i64.const 4
                        local.get $limit.buffer_x.4
                        i64.const 4
                        i64.const 0
                        local.get $l30
                        call $beyond4
                        local.tee $live
                        i8x16.all_true
                        i32.eqz
                        if $if15
                          local.get $l30
                          local.get $live
                          v128.and
                          local.set $l30
                          local.get $l30
                          v128.any_true
                          i32.eqz
                          br_if $block12
                        end  ;; $if15
                      end  ;; $if14
                    end  ;; $if13
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
                    if $if16
                      local.get $base.buffer_x
                      local.get $first
                      local.get $lane
                      i32.add
                      i64.extend_i32_u
                      i32.wrap_i64
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l18
                      local.get $l18
                      v128.load align=4
                      local.set $l31
                    else  ;; $if16
                      local.get $base.buffer_x
                      local.get $first
                      local.get $lane
                      i32.add
                      i64.extend_i32_u
                      i32.wrap_i64
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l30
                      call $row_f32_f32x4
                      local.set $l31
                    end  ;; $if16
                    local.get $safe
                    i32.eqz
                    if $if17
                      local.get $lane
                      i64.extend_i32_u
                      i64.const 4
                      i64.mul
                      local.tee $l32
                      local.get $limit.shared_memory.4
                      i64.ge_u
                      local.get $l32
                      i64.const 12
                      i64.add
                      local.get $limit.shared_memory.4
                      i64.ge_u
                      i32.or
                      if $if18
                        local.get $arguments
                        i32.const 1
                        i32.const 1
                        i32.const 2
                        local.get $first
                        local.get $lane
                        i32.add
                        i32.const 0
                        local.get $l32
                        i64.const 4
                        local.get $limit.shared_memory.4
                        i64.const 4
                        i64.const 0
                        local.get $l30
                        call $beyond4
                        local.tee $live
                        i8x16.all_true
                        i32.eqz
                        if $if19
                          local.get $l30
                          local.get $live
                          v128.and
                          local.set $l30
                          local.get $l30
                          v128.any_true
                          i32.eqz
                          br_if $block12
                        end  ;; $if19
                      end  ;; $if18
                    end  ;; $if17
                    local.get $l30
                    i32x4.all_true
                    if $if20
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l18
                      local.get $l18
                      local.get $l31
                      v128.store align=4
                    else  ;; $if20
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l31
                      local.get $l30
                      call $scatter32_32_row
                    end  ;; $if20
                  end  ;; $block12
                  local.get $l30
                  v128.any_true
                  if $if21
                    br $block11
                  end  ;; $if21
                end  ;; $block11
                local.get $arguments
                i32.load
                if $if22
                  return
                end  ;; $if22
                local.get $lane
                i32.const 4
                i32.add
                local.set $lane
                local.get $lane
                local.get $on.0
                i32.lt_s
                br_if $loop10
              end  ;; $loop10
            end  ;; $block9
            i32.const 128
            local.set $l34
            block $block23
              loop $loop24
                local.get $ticks
                i64.const 2822
                i64.sub
                local.set $ticks
                local.get $ticks
                i64.const 0
                i64.lt_s
                if $if25
                  local.get $arguments
                  i32.const -1
                  call $look
                  local.set $ticks
                  local.get $ticks
                  i64.const 0
                  i64.lt_s
                  if $if26
                    return
                  end  ;; $if26
                end  ;; $if25
                local.get $l34
                i32.const 0
                i32.eq
                if $if27
                  br $block23
                else  ;; $if27
                  local.get $l34
                  i64.extend_i32_u
                  local.set $l35
                  local.get $on.0
                  i32.const 1
                  i32.sub
                  i64.extend_i32_u
                  local.set $l32
                  local.get $l35
                  i64.const -1
                  i64.add
                  local.set $l36
                  local.get $l32
                  local.get $l36
                  local.get $l32
                  local.get $l36
                  i64.lt_s
                  select
                  local.get $l35
                  i64.add
                  local.set $l37
                  i32.const 1
                  local.get $l37
                  i64.const 4294967295
                  i64.le_s
                  i32.and
                  local.get $l37
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
                  local.get $l34
                  i64.extend_i32_u
                  i64.const 0
                  i64.add
                  local.tee $l32
                  local.get $high
                  local.get $l32
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
                  if $if28
                    block $block29
                      local.get $lane
                      local.get $from
                      i32.lt_s
                      br_if $block29
                      local.get $until
                      i32.const 4
                      i32.sub
                      local.tee $l18
                      local.get $lane
                      i32.lt_s
                      br_if $block29
                      local.get $lane
                      local.get $l34
                      i32.add
                      i32.const 2
                      i32.shl
                      local.get $base.shared_memory
                      i32.add
                      local.set $l42
                      local.get $lane
                      i32.const 2
                      i32.shl
                      local.get $base.shared_memory
                      i32.add
                      local.set $l45
                      loop $loop30
                        block $block31
                          local.get $lane
                          local.set $kept
                          local.get $l42
                          local.set $l43
                          local.get $l43
                          v128.load align=4
                          local.set $l41
                          local.get $l45
                          local.set $l43
                          local.get $l43
                          v128.load align=4
                          local.set $l44
                          local.get $l45
                          local.set $l43
                          local.get $l43
                          local.get $l44
                          local.get $l41
                          f32x4.add
                          v128.store align=4
                          br $block31
                        end  ;; $block31
                        local.get $lane
                        i32.const 4
                        i32.add
                        local.set $lane
                        local.get $l42
                        i32.const 16
                        i32.add
                        local.set $l42
                        local.get $l45
                        i32.const 16
                        i32.add
                        local.set $l45
                        local.get $lane
                        local.get $l18
                        i32.le_s
                        br_if $loop30
                      end  ;; $loop30
                    end  ;; $block29
                    block $block32
                      local.get $lane
                      local.get $until
                      i32.ge_s
                      br_if $block32
                      loop $loop33
                        block $block34
                          local.get $lane
                          local.set $kept
                          local.get $until
                          local.get $lane
                          i32.sub
                          local.tee $l18
                          i32.const 4
                          local.get $l18
                          i32.const 4
                          i32.lt_s
                          select
                          i32x4.splat
                          global.get $c0  ;; i32x4 0x0 0x1 0x2 0x3
                          i32x4.gt_s
                          local.set $l46
                          block $block35
                            local.get $safe
                            i32.eqz
                            if $if36
                              local.get $lane
                              local.get $l34
                              i32.add
                              i32x4.splat
                              global.get $c0  ;; i32x4 0x0 0x1 0x2 0x3
                              i32x4.add
                              local.set $l47
                              local.get $l47
                              i64x2.extend_low_i32x4_u
                              local.set $l48
                              local.get $l47
                              i64x2.extend_high_i32x4_u
                              local.set $l49
                              local.get $l48
                              i32.const 2
                              i64x2.shl
                              local.set $l50
                              local.get $l49
                              i32.const 2
                              i64x2.shl
                              local.set $l51
                              local.get $l46
                              local.get $l50
                              v128.const i32x4 0x0 0x0 0x0 0x0
                              i64x2.lt_s
                              local.get $l51
                              v128.const i32x4 0x0 0x0 0x0 0x0
                              i64x2.lt_s
                              i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27
                              local.get $limit.shared_memory.4
                              i64x2.splat
                              local.get $l50
                              i64x2.le_s
                              local.get $limit.shared_memory.4
                              i64x2.splat
                              local.get $l51
                              i64x2.le_s
                              i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27
                              v128.or
                              v128.and
                              local.set $l52
                              local.get $l52
                              v128.any_true
                              if $if37
                                local.get $l52
                                i32x4.bitmask
                                i32.ctz
                                local.set $l18
                                local.get $arguments
                                i32.const 1
                                i32.const 11
                                i32.const 2
                                local.get $first
                                local.get $lane
                                i32.add
                                i32.const 0
                                local.get $l18
                                local.get $l50
                                local.get $l51
                                call $pick4
                                i64.const 4
                                local.get $l18
                                call $end4
                                local.set $live
                                local.get $l46
                                local.get $live
                                v128.and
                                local.set $l46
                                local.get $l46
                                v128.any_true
                                i32.eqz
                                br_if $block35
                              end  ;; $if37
                            end  ;; $if36
                            local.get $lane
                            local.get $l34
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
                            if $if38
                              local.get $base.shared_memory
                              local.get $lane
                              local.get $l34
                              i32.add
                              i32.const 4
                              i32.mul
                              i32.add
                              local.set $l18
                              local.get $l18
                              v128.load align=4
                              local.set $l41
                            else  ;; $if38
                              local.get $base.shared_memory
                              local.get $lane
                              local.get $l34
                              i32.add
                              i32.const 4
                              i32.mul
                              i32.add
                              local.get $l46
                              call $row_f32_f32x4
                              local.set $l41
                            end  ;; $if38
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
                            if $if39
                              local.get $base.shared_memory
                              local.get $lane
                              i32.const 4
                              i32.mul
                              i32.add
                              local.set $l18
                              local.get $l18
                              v128.load align=4
                              local.set $l44
                            else  ;; $if39
                              local.get $base.shared_memory
                              local.get $lane
                              i32.const 4
                              i32.mul
                              i32.add
                              local.get $l46
                              call $row_f32_f32x4
                              local.set $l44
                            end  ;; $if39
                            local.get $l46
                            i32x4.all_true
                            if $if40
                              local.get $base.shared_memory
                              local.get $lane
                              i32.const 4
                              i32.mul
                              i32.add
                              local.set $l18
                              local.get $l18
                              local.get $l44
                              local.get $l41
                              f32x4.add
                              v128.store align=4
                            else  ;; $if40
                              local.get $base.shared_memory
                              local.get $lane
                              i32.const 4
                              i32.mul
                              i32.add
                              local.get $l44
                              local.get $l41
                              f32x4.add
                              local.get $l46
                              call $scatter32_32_row
                            end  ;; $if40
                          end  ;; $block35
                          local.get $l46
                          v128.any_true
                          if $if41
                            br $block34
                          end  ;; $if41
                        end  ;; $block34
                        local.get $arguments
                        i32.load
                        if $if42
                          return
                        end  ;; $if42
                        local.get $lane
                        i32.const 4
                        i32.add
                        local.set $lane
                        local.get $lane
                        local.get $until
                        i32.lt_s
                        br_if $loop33
                      end  ;; $loop33
                    end  ;; $block32
                  end  ;; $if28
                  local.get $l34
                  i32.const 1
                  i32.shr_u
                  local.set $l34
                  local.get $taken
                  i64.const 1
                  i64.add
                  local.tee $taken
                  local.get $least
                  i64.ge_s
                  if $if43
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
                  end  ;; $if43
                  br $loop24
                end  ;; $if27
              end  ;; $loop24
            end  ;; $block23
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
            local.tee $l32
            local.get $low
            local.get $l32
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
            local.tee $l32
            local.get $high
            local.get $l32
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
            if $if44
              block $block45
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block45
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block45
                local.get $BLOCK_IDX_X
                i32.const 2
                i32.shl
                local.get $base.buffer_y
                i32.add
                local.set $l54
                loop $loop46
                  block $block47
                    local.get $lane
                    local.set $kept
                    local.get $base.shared_memory
                    i32.const 0
                    i32.add
                    f32.load
                    f32x4.splat
                    local.set $l51
                    local.get $l51
                    local.set $l53
                    local.get $l54
                    i32.const 0
                    i32.add
                    i32x4.splat
                    v128.const i32x4 0x0 0x0 0x0 0x0
                    i32x4.add
                    local.set $l51
                    local.get $l51
                    i64x2.extract_lane 0
                    local.tee $l32
                    i32.wrap_i64
                    local.get $l53
                    v128.store32_lane 0
                    local.get $l32
                    i64.const 32
                    i64.shr_u
                    i32.wrap_i64
                    local.get $l53
                    v128.store32_lane 1
                    local.get $l51
                    i64x2.extract_lane 1
                    local.tee $l32
                    i32.wrap_i64
                    local.get $l53
                    v128.store32_lane 2
                    local.get $l32
                    i64.const 32
                    i64.shr_u
                    i32.wrap_i64
                    local.get $l53
                    v128.store32_lane 3
                    br $block47
                  end  ;; $block47
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $lane
                  local.get $l18
                  i32.le_s
                  br_if $loop46
                end  ;; $loop46
              end  ;; $block45
              block $block48
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block48
                loop $loop49
                  block $block50
                    local.get $lane
                    local.set $kept
                    local.get $until
                    local.get $lane
                    i32.sub
                    local.tee $l18
                    i32.const 4
                    local.get $l18
                    i32.const 4
                    i32.lt_s
                    select
                    i32x4.splat
                    global.get $c0  ;; i32x4 0x0 0x1 0x2 0x3
                    i32x4.gt_s
                    local.set $l55
                    block $block51
                      local.get $safe
                      i32.eqz
                      if $if52
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
                        if $if53
                          local.get $l55
                          i32x4.bitmask
                          i32.ctz
                          local.set $l18
                          local.get $arguments
                          i32.const 1
                          i32.const 19
                          i32.const 2
                          local.get $first
                          local.get $lane
                          i32.add
                          i32.const 0
                          i64.const 0
                          i32.const 2
                          i64.extend_i32_u
                          i64.shl
                          i64.const 4
                          local.get $l18
                          call $end4
                          local.set $live
                          local.get $l55
                          local.get $live
                          v128.and
                          local.set $l55
                          local.get $l55
                          v128.any_true
                          i32.eqz
                          br_if $block51
                        end  ;; $if53
                      end  ;; $if52
                      local.get $base.shared_memory
                      i32.const 0
                      i32.add
                      f32.load
                      f32x4.splat
                      local.set $l51
                      local.get $l51
                      local.set $l53
                      local.get $safe
                      i32.eqz
                      if $if54
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
                        if $if55
                          local.get $l55
                          i32x4.bitmask
                          i32.ctz
                          local.set $l18
                          local.get $arguments
                          i32.const 1
                          i32.const 20
                          i32.const 1
                          local.get $first
                          local.get $lane
                          i32.add
                          i32.const 0
                          local.get $BLOCK_IDX_X
                          i64.extend_i32_u
                          i32.const 2
                          i64.extend_i32_u
                          i64.shl
                          i64.const 4
                          local.get $l18
                          call $end4
                          local.set $live
                          local.get $l55
                          local.get $live
                          v128.and
                          local.set $l55
                          local.get $l55
                          v128.any_true
                          i32.eqz
                          br_if $block51
                        end  ;; $if55
                      end  ;; $if54
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
                      local.set $l51
                      local.get $l51
                      local.get $l53
                      local.get $l55
                      call $scatter32_32
                    end  ;; $block51
                    local.get $l55
                    v128.any_true
                    if $if56
                      br $block50
                    end  ;; $if56
                  end  ;; $block50
                  local.get $arguments
                  i32.load
                  if $if57
                    return
                  end  ;; $if57
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop49
                end  ;; $loop49
              end  ;; $block48
            end  ;; $if44
            br $block7
          end  ;; $block7
        end  ;; $block6
        local.get $BLOCK_IDX_X
        local.get $span
        i32.add
        local.set $BLOCK_IDX_X
        local.get $BLOCK_IDX_X
        local.get $grid.0
        i32.ge_u
        if $if58
          i32.const 0
          local.set $BLOCK_IDX_X
          local.get $BLOCK_IDX_Y
          i32.const 1
          i32.add
          local.set $BLOCK_IDX_Y
          local.get $BLOCK_IDX_Y
          local.get $grid.1
          i32.ge_u
          if $if59
            i32.const 0
            local.set $BLOCK_IDX_Y
            local.get $BLOCK_IDX_Z
            i32.const 1
            i32.add
            local.set $BLOCK_IDX_Z
          end  ;; $if59
        end  ;; $if58
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
  (func $fault (type $t2)  ;; 51 bytes at 0x9b6
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
  (func $look (type $t3)  ;; 57 bytes at 0x9ea
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
  (func $end4 (type $t4)  ;; 31 bytes at 0xa24
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
  (func $beyond4 (type $t5)  ;; 127 bytes at 0xa44
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
  (func $row_f32_f32x4 (type $t6)  ;; 96 bytes at 0xac4
    (param $l0 i32) (param $l1 v128)
    (result v128)
    (local $l2 v128) (local $bits i32)
    local.get $l1
    i32x4.bitmask
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
  )
  (func $scatter32_32_row (type $t7)  ;; 91 bytes at 0xb25
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
  (func $pick4 (type $t8)  ;; 48 bytes at 0xb81
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
  (func $scatter32_32 (type $t9)  ;; 91 bytes at 0xbb2
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
