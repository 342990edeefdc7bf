(module
  (type $t0 (func))
  (type $t1 (func (param i32 i32 i32)))
  (type $t2 (func (param i32 i32 i32 i32 i32 i32 i64 i64)))
  (type $t3 (func (param i32 i32) (result i64)))
  (type $t4 (func (param i32 i32 i32 i32 i32 i32 i64 i64 i32) (result v128)))
  (type $t5 (func (param i32 i32 i32 i32 i32 i32 i64 i64 i64 i64 i64 v128) (result v128)))
  (type $t6 (func (param i32 v128) (result v128)))
  (type $t7 (func (param i32 v128 v128)))
  (type $t8 (func (param v128 v128 v128)))
  (import "env" "memory" (memory 1 65536))
  (import "env" "poll" (func $poll (type $t0)))
  (global $c0 v128 (v128.const i32x4 0x0 0x1 0x2 0x3))
  (func $kernel (export "kernel") (type $t1)  ;; 6076 bytes at 0xa8
    (param $arguments i32) (param $begin i32) (param $end i32)
    (local $ticks i64) (local $base.buffer_x i32) (local $base.buffer_y i32)
    (local $limit.buffer_x.4 i64) (local $limit.shared_memory.4 i64) (local $limit.buffer_y.4 i64)
    (local $base.shared_memory i32) (local $block i32) (local $grid.0 i32) (local $grid.1 i32)
    (local $BLOCK_IDX_X i32) (local $BLOCK_IDX_Y i32) (local $BLOCK_IDX_Z i32) (local $span i32)
    (local $on.0 i32) (local $l18 i32) (local $on.1 i32) (local $on.2 i32) (local $first i32)
    (local $taken i64) (local $least_lane i32) (local $budget i64) (local $least i64)
    (local $safe i32) (local $from i32) (local $lane i32) (local $kept i32) (local $l30 v128)
    (local $l31 v128) (local $l32 i64) (local $live v128) (local $l34 i64) (local $until i32)
    (local $l36 v128) (local $l37 i32) (local $l38 i32) (local $l39 v128) (local $l40 v128)
    (local $l41 v128) (local $l42 i32) (local $l43 v128) (local $l44 v128) (local $l45 v128)
    (local $l46 i32) (local $l47 v128) (local $l48 v128) (local $l49 v128) (local $l50 i32)
    (local $l51 v128) (local $l52 v128) (local $l53 v128) (local $l54 i32) (local $l55 v128)
    (local $l56 v128) (local $l57 v128) (local $l58 i32) (local $l59 v128) (local $l60 v128)
    (local $l61 v128) (local $l62 i32) (local $l63 v128) (local $l64 v128) (local $l65 v128)
    (local $l66 i32) (local $l67 v128) (local $l68 v128) (local $l69 v128) (local $l70 v128)
    (local $l71 i32) (local $l72 v128)
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
        i64.const 29440
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
          local.get $on.0
          i32.const 256
          i32.lt_s
          local.get $arguments
          i32.load offset=56
          i32.const 1024
          i32.gt_u
          i32.or
          if $if7
            local.get $base.shared_memory
            i32.const 0
            local.get $arguments
            i32.load offset=56
            memory.fill
          end  ;; $if7
          local.get $block
          i32.const 256
          i32.mul
          local.set $first
          block $block8
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
            block $block9
              local.get $lane
              local.get $from
              i32.lt_s
              br_if $block9
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
            end  ;; $block9
            block $block10
              local.get $lane
              local.get $on.0
              i32.ge_s
              br_if $block10
              loop $loop11
                block $block12
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
                      local.tee $l32
                      local.get $limit.buffer_x.4
                      i64.ge_u
                      local.get $l32
                      i64.const 12
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
                        if $if16
                          local.get $l30
                          local.get $live
                          v128.and
                          local.set $l30
                          local.get $l30
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
                    i64.const 12
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
                      local.set $l18
                      local.get $l18
                      v128.load align=4
                      local.set $l31
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
                      local.get $l30
                      call $row_f32_f32x4
                      local.set $l31
                    end  ;; $if17
                    local.get $safe
                    i32.eqz
                    if $if18
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
                      if $if19
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
                        if $if20
                          local.get $l30
                          local.get $live
                          v128.and
                          local.set $l30
                          local.get $l30
                          v128.any_true
                          i32.eqz
                          br_if $block13
                        end  ;; $if20
                      end  ;; $if19
                    end  ;; $if18
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
                    if $if21
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l18
                      local.get $l18
                      local.get $l31
                      local.get $l18
                      v128.load align=4
                      local.get $l30
                      v128.bitselect
                      v128.store align=4
                    else  ;; $if21
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l31
                      local.get $l30
                      call $scatter32_32_row
                    end  ;; $if21
                  end  ;; $block13
                  local.get $l30
                  v128.any_true
                  if $if22
                    br $block12
                  end  ;; $if22
                end  ;; $block12
                local.get $arguments
                i32.load
                if $if23
                  return
                end  ;; $if23
                local.get $lane
                i32.const 4
                i32.add
                local.set $lane
                local.get $lane
                local.get $on.0
                i32.lt_s
                br_if $loop11
              end  ;; $loop11
            end  ;; $block10
            i32.const 1
            local.get $on.0
            i32.const 1
            i32.sub
            i64.extend_i32_u
            local.tee $l32
            i64.const 127
            local.get $l32
            i64.const 127
            i64.lt_s
            select
            i64.const 128
            i64.add
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
            local.get $on.0
            local.set $until
            i32.const 128
            local.tee $l18
            local.get $until
            local.get $l18
            local.get $until
            i32.lt_s
            select
            local.set $until
            i32.const 0
            local.tee $lane
            local.get $until
            i32.lt_s
            if $if24
              block $block25
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block25
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block25
                local.get $lane
                i32.const 2
                i32.shl
                local.get $base.shared_memory
                i32.add
                local.set $l37
                loop $loop26
                  block $block27
                    local.get $lane
                    local.set $kept
                    local.get $l37
                    local.set $l38
                    local.get $l38
                    v128.load offset=512 align=4
                    local.set $l36
                    local.get $l37
                    local.set $l38
                    local.get $l38
                    v128.load align=4
                    local.set $l39
                    local.get $l37
                    local.set $l38
                    local.get $l38
                    local.get $l39
                    local.get $l36
                    f32x4.add
                    v128.store align=4
                    br $block27
                  end  ;; $block27
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $l37
                  i32.const 16
                  i32.add
                  local.set $l37
                  local.get $lane
                  local.get $l18
                  i32.le_s
                  br_if $loop26
                end  ;; $loop26
              end  ;; $block25
              block $block28
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block28
                loop $loop29
                  block $block30
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
                    local.set $l40
                    block $block31
                      local.get $safe
                      i32.eqz
                      if $if32
                        local.get $lane
                        i32.const 128
                        i32.add
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
                        if $if33
                          local.get $arguments
                          i32.const 1
                          i32.const 11
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
                          local.get $l40
                          call $beyond4
                          local.tee $live
                          i8x16.all_true
                          i32.eqz
                          if $if34
                            local.get $l40
                            local.get $live
                            v128.and
                            local.set $l40
                            local.get $l40
                            v128.any_true
                            i32.eqz
                            br_if $block31
                          end  ;; $if34
                        end  ;; $if33
                      end  ;; $if32
                      local.get $lane
                      i32.const 128
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
                      if $if35
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 128
                        i32.add
                        i32.const 4
                        i32.mul
                        i32.add
                        local.set $l18
                        local.get $l18
                        v128.load align=4
                        local.set $l36
                      else  ;; $if35
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 128
                        i32.add
                        i32.const 4
                        i32.mul
                        i32.add
                        local.get $l40
                        call $row_f32_f32x4
                        local.set $l36
                      end  ;; $if35
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
                      if $if36
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.set $l18
                        local.get $l18
                        v128.load align=4
                        local.set $l39
                      else  ;; $if36
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.get $l40
                        call $row_f32_f32x4
                        local.set $l39
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
                        local.set $l18
                        local.get $l18
                        local.get $l39
                        local.get $l36
                        f32x4.add
                        local.get $l18
                        v128.load align=4
                        local.get $l40
                        v128.bitselect
                        v128.store align=4
                      else  ;; $if37
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.get $l39
                        local.get $l36
                        f32x4.add
                        local.get $l40
                        call $scatter32_32_row
                      end  ;; $if37
                    end  ;; $block31
                    local.get $l40
                    v128.any_true
                    if $if38
                      br $block30
                    end  ;; $if38
                  end  ;; $block30
                  local.get $arguments
                  i32.load
                  if $if39
                    return
                  end  ;; $if39
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop29
                end  ;; $loop29
              end  ;; $block28
            end  ;; $if24
            local.get $taken
            i64.const 1
            i64.add
            local.tee $taken
            local.get $least
            i64.ge_s
            if $if40
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
            end  ;; $if40
            i32.const 1
            local.get $on.0
            i32.const 1
            i32.sub
            i64.extend_i32_u
            local.tee $l32
            i64.const 63
            local.get $l32
            i64.const 63
            i64.lt_s
            select
            i64.const 64
            i64.add
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
            local.get $on.0
            local.set $until
            i32.const 64
            local.tee $l18
            local.get $until
            local.get $l18
            local.get $until
            i32.lt_s
            select
            local.set $until
            i32.const 0
            local.tee $lane
            local.get $until
            i32.lt_s
            if $if41
              block $block42
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block42
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block42
                local.get $lane
                i32.const 2
                i32.shl
                local.get $base.shared_memory
                i32.add
                local.set $l42
                loop $loop43
                  block $block44
                    local.get $lane
                    local.set $kept
                    local.get $l42
                    local.set $l38
                    local.get $l38
                    v128.load offset=256 align=4
                    local.set $l41
                    local.get $l42
                    local.set $l38
                    local.get $l38
                    v128.load align=4
                    local.set $l43
                    local.get $l42
                    local.set $l38
                    local.get $l38
                    local.get $l43
                    local.get $l41
                    f32x4.add
                    v128.store align=4
                    br $block44
                  end  ;; $block44
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $l42
                  i32.const 16
                  i32.add
                  local.set $l42
                  local.get $lane
                  local.get $l18
                  i32.le_s
                  br_if $loop43
                end  ;; $loop43
              end  ;; $block42
              block $block45
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block45
                loop $loop46
                  block $block47
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
                    local.set $l44
                    block $block48
                      local.get $safe
                      i32.eqz
                      if $if49
                        local.get $lane
                        i32.const 64
                        i32.add
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
                        if $if50
                          local.get $arguments
                          i32.const 1
                          i32.const 11
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
                          local.get $l44
                          call $beyond4
                          local.tee $live
                          i8x16.all_true
                          i32.eqz
                          if $if51
                            local.get $l44
                            local.get $live
                            v128.and
                            local.set $l44
                            local.get $l44
                            v128.any_true
                            i32.eqz
                            br_if $block48
                          end  ;; $if51
                        end  ;; $if50
                      end  ;; $if49
                      local.get $lane
                      i32.const 64
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
                      if $if52
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 64
                        i32.add
                        i32.const 4
                        i32.mul
                        i32.add
                        local.set $l18
                        local.get $l18
                        v128.load align=4
                        local.set $l41
                      else  ;; $if52
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 64
                        i32.add
                        i32.const 4
                        i32.mul
                        i32.add
                        local.get $l44
                        call $row_f32_f32x4
                        local.set $l41
                      end  ;; $if52
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
                      if $if53
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.set $l18
                        local.get $l18
                        v128.load align=4
                        local.set $l43
                      else  ;; $if53
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.get $l44
                        call $row_f32_f32x4
                        local.set $l43
                      end  ;; $if53
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
                      if $if54
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.set $l18
                        local.get $l18
                        local.get $l43
                        local.get $l41
                        f32x4.add
                        local.get $l18
                        v128.load align=4
                        local.get $l44
                        v128.bitselect
                        v128.store align=4
                      else  ;; $if54
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.get $l43
                        local.get $l41
                        f32x4.add
                        local.get $l44
                        call $scatter32_32_row
                      end  ;; $if54
                    end  ;; $block48
                    local.get $l44
                    v128.any_true
                    if $if55
                      br $block47
                    end  ;; $if55
                  end  ;; $block47
                  local.get $arguments
                  i32.load
                  if $if56
                    return
                  end  ;; $if56
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop46
                end  ;; $loop46
              end  ;; $block45
            end  ;; $if41
            local.get $taken
            i64.const 1
            i64.add
            local.tee $taken
            local.get $least
            i64.ge_s
            if $if57
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
            end  ;; $if57
            i32.const 1
            local.get $on.0
            i32.const 1
            i32.sub
            i64.extend_i32_u
            local.tee $l32
            i64.const 31
            local.get $l32
            i64.const 31
            i64.lt_s
            select
            i64.const 32
            i64.add
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
            local.get $on.0
            local.set $until
            i32.const 32
            local.tee $l18
            local.get $until
            local.get $l18
            local.get $until
            i32.lt_s
            select
            local.set $until
            i32.const 0
            local.tee $lane
            local.get $until
            i32.lt_s
            if $if58
              block $block59
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block59
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block59
                local.get $lane
                i32.const 2
                i32.shl
                local.get $base.shared_memory
                i32.add
                local.set $l46
                loop $loop60
                  block $block61
                    local.get $lane
                    local.set $kept
                    local.get $l46
                    local.set $l38
                    local.get $l38
                    v128.load offset=128 align=4
                    local.set $l45
                    local.get $l46
                    local.set $l38
                    local.get $l38
                    v128.load align=4
                    local.set $l47
                    local.get $l46
                    local.set $l38
                    local.get $l38
                    local.get $l47
                    local.get $l45
                    f32x4.add
                    v128.store align=4
                    br $block61
                  end  ;; $block61
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $l46
                  i32.const 16
                  i32.add
                  local.set $l46
                  local.get $lane
                  local.get $l18
                  i32.le_s
                  br_if $loop60
                end  ;; $loop60
              end  ;; $block59
              block $block62
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block62
                loop $loop63
                  block $block64
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
                    local.set $l48
                    block $block65
                      local.get $safe
                      i32.eqz
                      if $if66
                        local.get $lane
                        i32.const 32
                        i32.add
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
                        if $if67
                          local.get $arguments
                          i32.const 1
                          i32.const 11
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
                          local.get $l48
                          call $beyond4
                          local.tee $live
                          i8x16.all_true
                          i32.eqz
                          if $if68
                            local.get $l48
                            local.get $live
                            v128.and
                            local.set $l48
                            local.get $l48
                            v128.any_true
                            i32.eqz
                            br_if $block65
                          end  ;; $if68
                        end  ;; $if67
                      end  ;; $if66
                      local.get $lane
                      i32.const 32
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
                      if $if69
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 32
                        i32.add
                        i32.const 4
                        i32.mul
                        i32.add
                        local.set $l18
                        local.get $l18
                        v128.load align=4
                        local.set $l45
                      else  ;; $if69
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 32
                        i32.add
                        i32.const 4
                        i32.mul
                        i32.add
                        local.get $l48
                        call $row_f32_f32x4
                        local.set $l45
                      end  ;; $if69
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
                      if $if70
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.set $l18
                        local.get $l18
                        v128.load align=4
                        local.set $l47
                      else  ;; $if70
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.get $l48
                        call $row_f32_f32x4
                        local.set $l47
                      end  ;; $if70
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
                      if $if71
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.set $l18
                        local.get $l18
                        local.get $l47
                        local.get $l45
                        f32x4.add
                        local.get $l18
                        v128.load align=4
                        local.get $l48
                        v128.bitselect
                        v128.store align=4
                      else  ;; $if71
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.get $l47
                        local.get $l45
                        f32x4.add
                        local.get $l48
                        call $scatter32_32_row
                      end  ;; $if71
                    end  ;; $block65
                    local.get $l48
                    v128.any_true
                    if $if72
                      br $block64
                    end  ;; $if72
                  end  ;; $block64
                  local.get $arguments
                  i32.load
                  if $if73
                    return
                  end  ;; $if73
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop63
                end  ;; $loop63
              end  ;; $block62
            end  ;; $if58
            local.get $taken
            i64.const 1
            i64.add
            local.tee $taken
            local.get $least
            i64.ge_s
            if $if74
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
            end  ;; $if74
            i32.const 1
            local.get $on.0
            i32.const 1
            i32.sub
            i64.extend_i32_u
            local.tee $l32
            i64.const 15
            local.get $l32
            i64.const 15
            i64.lt_s
            select
            i64.const 16
            i64.add
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
            local.get $on.0
            local.set $until
            i32.const 16
            local.tee $l18
            local.get $until
            local.get $l18
            local.get $until
            i32.lt_s
            select
            local.set $until
            i32.const 0
            local.tee $lane
            local.get $until
            i32.lt_s
            if $if75
              block $block76
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block76
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block76
                local.get $lane
                i32.const 2
                i32.shl
                local.get $base.shared_memory
                i32.add
                local.set $l50
                loop $loop77
                  block $block78
                    local.get $lane
                    local.set $kept
                    local.get $l50
                    local.set $l38
                    local.get $l38
                    v128.load offset=64 align=4
                    local.set $l49
                    local.get $l50
                    local.set $l38
                    local.get $l38
                    v128.load align=4
                    local.set $l51
                    local.get $l50
                    local.set $l38
                    local.get $l38
                    local.get $l51
                    local.get $l49
                    f32x4.add
                    v128.store align=4
                    br $block78
                  end  ;; $block78
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $l50
                  i32.const 16
                  i32.add
                  local.set $l50
                  local.get $lane
                  local.get $l18
                  i32.le_s
                  br_if $loop77
                end  ;; $loop77
              end  ;; $block76
              block $block79
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block79
                loop $loop80
                  block $block81
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
                    local.set $l52
                    block $block82
                      local.get $safe
                      i32.eqz
                      if $if83
                        local.get $lane
                        i32.const 16
                        i32.add
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
                        if $if84
                          local.get $arguments
                          i32.const 1
                          i32.const 11
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
                          local.get $l52
                          call $beyond4
                          local.tee $live
                          i8x16.all_true
                          i32.eqz
                          if $if85
                            local.get $l52
                            local.get $live
                            v128.and
                            local.set $l52
                            local.get $l52
                            v128.any_true
                            i32.eqz
                            br_if $block82
                          end  ;; $if85
                        end  ;; $if84
                      end  ;; $if83
                      local.get $lane
                      i32.const 16
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
                      if $if86
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 16
                        i32.add
                        i32.const 4
                        i32.mul
                        i32.add
                        local.set $l18
                        local.get $l18
                        v128.load align=4
                        local.set $l49
                      else  ;; $if86
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 16
                        i32.add
                        i32.const 4
                        i32.mul
                        i32.add
                        local.get $l52
                        call $row_f32_f32x4
                        local.set $l49
                      end  ;; $if86
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
                      if $if87
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.set $l18
                        local.get $l18
                        v128.load align=4
                        local.set $l51
                      else  ;; $if87
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.get $l52
                        call $row_f32_f32x4
                        local.set $l51
                      end  ;; $if87
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
                      if $if88
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.set $l18
                        local.get $l18
                        local.get $l51
                        local.get $l49
                        f32x4.add
                        local.get $l18
                        v128.load align=4
                        local.get $l52
                        v128.bitselect
                        v128.store align=4
                      else  ;; $if88
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.get $l51
                        local.get $l49
                        f32x4.add
                        local.get $l52
                        call $scatter32_32_row
                      end  ;; $if88
                    end  ;; $block82
                    local.get $l52
                    v128.any_true
                    if $if89
                      br $block81
                    end  ;; $if89
                  end  ;; $block81
                  local.get $arguments
                  i32.load
                  if $if90
                    return
                  end  ;; $if90
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop80
                end  ;; $loop80
              end  ;; $block79
            end  ;; $if75
            local.get $taken
            i64.const 1
            i64.add
            local.tee $taken
            local.get $least
            i64.ge_s
            if $if91
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
            end  ;; $if91
            i32.const 1
            local.get $on.0
            i32.const 1
            i32.sub
            i64.extend_i32_u
            local.tee $l32
            i64.const 7
            local.get $l32
            i64.const 7
            i64.lt_s
            select
            i64.const 8
            i64.add
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
            local.get $on.0
            local.set $until
            i32.const 8
            local.tee $l18
            local.get $until
            local.get $l18
            local.get $until
            i32.lt_s
            select
            local.set $until
            i32.const 0
            local.tee $lane
            local.get $until
            i32.lt_s
            if $if92
              block $block93
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block93
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block93
                local.get $lane
                i32.const 2
                i32.shl
                local.get $base.shared_memory
                i32.add
                local.set $l54
                loop $loop94
                  block $block95
                    local.get $lane
                    local.set $kept
                    local.get $l54
                    local.set $l38
                    local.get $l38
                    v128.load offset=32 align=4
                    local.set $l53
                    local.get $l54
                    local.set $l38
                    local.get $l38
                    v128.load align=4
                    local.set $l55
                    local.get $l54
                    local.set $l38
                    local.get $l38
                    local.get $l55
                    local.get $l53
                    f32x4.add
                    v128.store align=4
                    br $block95
                  end  ;; $block95
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $l54
                  i32.const 16
                  i32.add
                  local.set $l54
                  local.get $lane
                  local.get $l18
                  i32.le_s
                  br_if $loop94
                end  ;; $loop94
              end  ;; $block93
              block $block96
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block96
                loop $loop97
                  block $block98
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
                    local.set $l56
                    block $block99
                      local.get $safe
                      i32.eqz
                      if $if100
                        local.get $lane
                        i32.const 8
                        i32.add
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
                        if $if101
                          local.get $arguments
                          i32.const 1
                          i32.const 11
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
                          local.get $l56
                          call $beyond4
                          local.tee $live
                          i8x16.all_true
                          i32.eqz
                          if $if102
                            local.get $l56
                            local.get $live
                            v128.and
                            local.set $l56
                            local.get $l56
                            v128.any_true
                            i32.eqz
                            br_if $block99
                          end  ;; $if102
                        end  ;; $if101
                      end  ;; $if100
                      local.get $lane
                      i32.const 8
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
                      if $if103
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 8
                        i32.add
                        i32.const 4
                        i32.mul
                        i32.add
                        local.set $l18
                        local.get $l18
                        v128.load align=4
                        local.set $l53
                      else  ;; $if103
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 8
                        i32.add
                        i32.const 4
                        i32.mul
                        i32.add
                        local.get $l56
                        call $row_f32_f32x4
                        local.set $l53
                      end  ;; $if103
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
                      if $if104
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.set $l18
                        local.get $l18
                        v128.load align=4
                        local.set $l55
                      else  ;; $if104
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.get $l56
                        call $row_f32_f32x4
                        local.set $l55
                      end  ;; $if104
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
                      if $if105
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.set $l18
                        local.get $l18
                        local.get $l55
                        local.get $l53
                        f32x4.add
                        local.get $l18
                        v128.load align=4
                        local.get $l56
                        v128.bitselect
                        v128.store align=4
                      else  ;; $if105
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.get $l55
                        local.get $l53
                        f32x4.add
                        local.get $l56
                        call $scatter32_32_row
                      end  ;; $if105
                    end  ;; $block99
                    local.get $l56
                    v128.any_true
                    if $if106
                      br $block98
                    end  ;; $if106
                  end  ;; $block98
                  local.get $arguments
                  i32.load
                  if $if107
                    return
                  end  ;; $if107
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop97
                end  ;; $loop97
              end  ;; $block96
            end  ;; $if92
            local.get $taken
            i64.const 1
            i64.add
            local.tee $taken
            local.get $least
            i64.ge_s
            if $if108
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
            end  ;; $if108
            i32.const 1
            local.get $on.0
            i32.const 1
            i32.sub
            i64.extend_i32_u
            local.tee $l32
            i64.const 3
            local.get $l32
            i64.const 3
            i64.lt_s
            select
            i64.const 4
            i64.add
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
            local.get $on.0
            local.set $until
            i32.const 4
            local.tee $l18
            local.get $until
            local.get $l18
            local.get $until
            i32.lt_s
            select
            local.set $until
            i32.const 0
            local.tee $lane
            local.get $until
            i32.lt_s
            if $if109
              block $block110
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block110
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block110
                local.get $lane
                i32.const 2
                i32.shl
                local.get $base.shared_memory
                i32.add
                local.set $l58
                loop $loop111
                  block $block112
                    local.get $lane
                    local.set $kept
                    local.get $l58
                    local.set $l38
                    local.get $l38
                    v128.load offset=16 align=4
                    local.set $l57
                    local.get $l58
                    local.set $l38
                    local.get $l38
                    v128.load align=4
                    local.set $l59
                    local.get $l58
                    local.set $l38
                    local.get $l38
                    local.get $l59
                    local.get $l57
                    f32x4.add
                    v128.store align=4
                    br $block112
                  end  ;; $block112
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $l58
                  i32.const 16
                  i32.add
                  local.set $l58
                  local.get $lane
                  local.get $l18
                  i32.le_s
                  br_if $loop111
                end  ;; $loop111
              end  ;; $block110
              block $block113
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block113
                loop $loop114
                  block $block115
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
                    local.set $l60
                    block $block116
                      local.get $safe
                      i32.eqz
                      if $if117
                        local.get $lane
                        i32.const 4
                        i32.add
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
                        if $if118
                          local.get $arguments
                          i32.const 1
                          i32.const 11
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
                          local.get $l60
                          call $beyond4
                          local.tee $live
                          i8x16.all_true
                          i32.eqz
                          if $if119
                            local.get $l60
                            local.get $live
                            v128.and
                            local.set $l60
                            local.get $l60
                            v128.any_true
                            i32.eqz
                            br_if $block116
                          end  ;; $if119
                        end  ;; $if118
                      end  ;; $if117
                      local.get $lane
                      i32.const 4
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
                      if $if120
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.add
                        i32.const 4
                        i32.mul
                        i32.add
                        local.set $l18
                        local.get $l18
                        v128.load align=4
                        local.set $l57
                      else  ;; $if120
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.add
                        i32.const 4
                        i32.mul
                        i32.add
                        local.get $l60
                        call $row_f32_f32x4
                        local.set $l57
                      end  ;; $if120
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
                      if $if121
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.set $l18
                        local.get $l18
                        v128.load align=4
                        local.set $l59
                      else  ;; $if121
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.get $l60
                        call $row_f32_f32x4
                        local.set $l59
                      end  ;; $if121
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
                      if $if122
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.set $l18
                        local.get $l18
                        local.get $l59
                        local.get $l57
                        f32x4.add
                        local.get $l18
                        v128.load align=4
                        local.get $l60
                        v128.bitselect
                        v128.store align=4
                      else  ;; $if122
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.get $l59
                        local.get $l57
                        f32x4.add
                        local.get $l60
                        call $scatter32_32_row
                      end  ;; $if122
                    end  ;; $block116
                    local.get $l60
                    v128.any_true
                    if $if123
                      br $block115
                    end  ;; $if123
                  end  ;; $block115
                  local.get $arguments
                  i32.load
                  if $if124
                    return
                  end  ;; $if124
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop114
                end  ;; $loop114
              end  ;; $block113
            end  ;; $if109
            local.get $taken
            i64.const 1
            i64.add
            local.tee $taken
            local.get $least
            i64.ge_s
            if $if125
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
            end  ;; $if125
            i32.const 1
            local.get $on.0
            i32.const 1
            i32.sub
            i64.extend_i32_u
            local.tee $l32
            i64.const 1
            local.get $l32
            i64.const 1
            i64.lt_s
            select
            i64.const 2
            i64.add
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
            local.get $on.0
            local.set $until
            i32.const 2
            local.tee $l18
            local.get $until
            local.get $l18
            local.get $until
            i32.lt_s
            select
            local.set $until
            i32.const 0
            local.tee $lane
            local.get $until
            i32.lt_s
            if $if126
              block $block127
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block127
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block127
                local.get $lane
                i32.const 2
                i32.shl
                local.get $base.shared_memory
                i32.add
                local.set $l62
                loop $loop128
                  block $block129
                    local.get $lane
                    local.set $kept
                    local.get $l62
                    local.set $l38
                    local.get $l38
                    v128.load offset=8 align=4
                    local.set $l61
                    local.get $l62
                    local.set $l38
                    local.get $l38
                    v128.load align=4
                    local.set $l63
                    local.get $l62
                    local.set $l38
                    local.get $l38
                    local.get $l63
                    local.get $l61
                    f32x4.add
                    v128.store align=4
                    br $block129
                  end  ;; $block129
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $l62
                  i32.const 16
                  i32.add
                  local.set $l62
                  local.get $lane
                  local.get $l18
                  i32.le_s
                  br_if $loop128
                end  ;; $loop128
              end  ;; $block127
              block $block130
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block130
                loop $loop131
                  block $block132
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
                    local.set $l64
                    block $block133
                      local.get $safe
                      i32.eqz
                      if $if134
                        local.get $lane
                        i32.const 2
                        i32.add
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
                        if $if135
                          local.get $arguments
                          i32.const 1
                          i32.const 11
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
                          local.get $l64
                          call $beyond4
                          local.tee $live
                          i8x16.all_true
                          i32.eqz
                          if $if136
                            local.get $l64
                            local.get $live
                            v128.and
                            local.set $l64
                            local.get $l64
                            v128.any_true
                            i32.eqz
                            br_if $block133
                          end  ;; $if136
                        end  ;; $if135
                      end  ;; $if134
                      local.get $lane
                      i32.const 2
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
                      if $if137
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 2
                        i32.add
                        i32.const 4
                        i32.mul
                        i32.add
                        local.set $l18
                        local.get $l18
                        v128.load align=4
                        local.set $l61
                      else  ;; $if137
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 2
                        i32.add
                        i32.const 4
                        i32.mul
                        i32.add
                        local.get $l64
                        call $row_f32_f32x4
                        local.set $l61
                      end  ;; $if137
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
                      if $if138
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.set $l18
                        local.get $l18
                        v128.load align=4
                        local.set $l63
                      else  ;; $if138
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.get $l64
                        call $row_f32_f32x4
                        local.set $l63
                      end  ;; $if138
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
                      if $if139
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.set $l18
                        local.get $l18
                        local.get $l63
                        local.get $l61
                        f32x4.add
                        local.get $l18
                        v128.load align=4
                        local.get $l64
                        v128.bitselect
                        v128.store align=4
                      else  ;; $if139
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.get $l63
                        local.get $l61
                        f32x4.add
                        local.get $l64
                        call $scatter32_32_row
                      end  ;; $if139
                    end  ;; $block133
                    local.get $l64
                    v128.any_true
                    if $if140
                      br $block132
                    end  ;; $if140
                  end  ;; $block132
                  local.get $arguments
                  i32.load
                  if $if141
                    return
                  end  ;; $if141
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop131
                end  ;; $loop131
              end  ;; $block130
            end  ;; $if126
            local.get $taken
            i64.const 1
            i64.add
            local.tee $taken
            local.get $least
            i64.ge_s
            if $if142
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
            end  ;; $if142
            i32.const 1
            local.get $on.0
            i32.const 1
            i32.sub
            i64.extend_i32_u
            local.tee $l32
            i64.const 0
            local.get $l32
            i64.const 0
            i64.lt_s
            select
            i64.const 1
            i64.add
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
            local.get $on.0
            local.set $until
            i32.const 1
            local.tee $l18
            local.get $until
            local.get $l18
            local.get $until
            i32.lt_s
            select
            local.set $until
            i32.const 0
            local.tee $lane
            local.get $until
            i32.lt_s
            if $if143
              block $block144
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block144
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block144
                local.get $lane
                i32.const 2
                i32.shl
                local.get $base.shared_memory
                i32.add
                local.set $l66
                loop $loop145
                  block $block146
                    local.get $lane
                    local.set $kept
                    local.get $l66
                    local.set $l38
                    local.get $l38
                    v128.load offset=4 align=4
                    local.set $l65
                    local.get $l66
                    local.set $l38
                    local.get $l38
                    v128.load align=4
                    local.set $l67
                    local.get $l66
                    local.set $l38
                    local.get $l38
                    local.get $l67
                    local.get $l65
                    f32x4.add
                    v128.store align=4
                    br $block146
                  end  ;; $block146
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $l66
                  i32.const 16
                  i32.add
                  local.set $l66
                  local.get $lane
                  local.get $l18
                  i32.le_s
                  br_if $loop145
                end  ;; $loop145
              end  ;; $block144
              block $block147
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block147
                loop $loop148
                  block $block149
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
                    local.set $l68
                    block $block150
                      local.get $safe
                      i32.eqz
                      if $if151
                        local.get $lane
                        i32.const 1
                        i32.add
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
                        if $if152
                          local.get $arguments
                          i32.const 1
                          i32.const 11
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
                          local.get $l68
                          call $beyond4
                          local.tee $live
                          i8x16.all_true
                          i32.eqz
                          if $if153
                            local.get $l68
                            local.get $live
                            v128.and
                            local.set $l68
                            local.get $l68
                            v128.any_true
                            i32.eqz
                            br_if $block150
                          end  ;; $if153
                        end  ;; $if152
                      end  ;; $if151
                      local.get $lane
                      i32.const 1
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
                      if $if154
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 1
                        i32.add
                        i32.const 4
                        i32.mul
                        i32.add
                        local.set $l18
                        local.get $l18
                        v128.load align=4
                        local.set $l65
                      else  ;; $if154
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 1
                        i32.add
                        i32.const 4
                        i32.mul
                        i32.add
                        local.get $l68
                        call $row_f32_f32x4
                        local.set $l65
                      end  ;; $if154
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
                      if $if155
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.set $l18
                        local.get $l18
                        v128.load align=4
                        local.set $l67
                      else  ;; $if155
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.get $l68
                        call $row_f32_f32x4
                        local.set $l67
                      end  ;; $if155
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
                      if $if156
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.set $l18
                        local.get $l18
                        local.get $l67
                        local.get $l65
                        f32x4.add
                        local.get $l18
                        v128.load align=4
                        local.get $l68
                        v128.bitselect
                        v128.store align=4
                      else  ;; $if156
                        local.get $base.shared_memory
                        local.get $lane
                        i32.const 4
                        i32.mul
                        i32.add
                        local.get $l67
                        local.get $l65
                        f32x4.add
                        local.get $l68
                        call $scatter32_32_row
                      end  ;; $if156
                    end  ;; $block150
                    local.get $l68
                    v128.any_true
                    if $if157
                      br $block149
                    end  ;; $if157
                  end  ;; $block149
                  local.get $arguments
                  i32.load
                  if $if158
                    return
                  end  ;; $if158
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop148
                end  ;; $loop148
              end  ;; $block147
            end  ;; $if143
            local.get $taken
            i64.const 1
            i64.add
            local.tee $taken
            local.get $least
            i64.ge_s
            if $if159
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
            end  ;; $if159
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
            local.get $on.0
            local.set $until
            i32.const 1
            local.tee $l18
            local.get $until
            local.get $l18
            local.get $until
            i32.lt_s
            select
            local.set $until
            i32.const 0
            local.tee $lane
            local.get $until
            i32.lt_s
            if $if160
              block $block161
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block161
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block161
                local.get $BLOCK_IDX_X
                i32.const 2
                i32.shl
                local.get $base.buffer_y
                i32.add
                local.set $l71
                loop $loop162
                  block $block163
                    local.get $lane
                    local.set $kept
                    local.get $base.shared_memory
                    i32.const 0
                    i32.add
                    f32.load
                    f32x4.splat
                    local.set $l70
                    local.get $l70
                    local.set $l69
                    local.get $l71
                    i32.const 0
                    i32.add
                    i32x4.splat
                    v128.const i32x4 0x0 0x0 0x0 0x0
                    i32x4.add
                    local.set $l70
                    local.get $l70
                    i64x2.extract_lane 0
                    local.tee $l32
                    i32.wrap_i64
                    local.get $l69
                    v128.store32_lane 0
                    local.get $l32
                    i64.const 32
                    i64.shr_u
                    i32.wrap_i64
                    local.get $l69
                    v128.store32_lane 1
                    local.get $l70
                    i64x2.extract_lane 1
                    local.tee $l32
                    i32.wrap_i64
                    local.get $l69
                    v128.store32_lane 2
                    local.get $l32
                    i64.const 32
                    i64.shr_u
                    i32.wrap_i64
                    local.get $l69
                    v128.store32_lane 3
                    br $block163
                  end  ;; $block163
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $lane
                  local.get $l18
                  i32.le_s
                  br_if $loop162
                end  ;; $loop162
              end  ;; $block161
              block $block164
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block164
                loop $loop165
                  block $block166
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
                    local.set $l72
                    block $block167
                      local.get $safe
                      i32.eqz
                      if $if168
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
                        if $if169
                          local.get $l72
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
                          local.get $l72
                          local.get $live
                          v128.and
                          local.set $l72
                          local.get $l72
                          v128.any_true
                          i32.eqz
                          br_if $block167
                        end  ;; $if169
                      end  ;; $if168
                      local.get $base.shared_memory
                      i32.const 0
                      i32.add
                      f32.load
                      f32x4.splat
                      local.set $l70
                      local.get $l70
                      local.set $l69
                      local.get $safe
                      i32.eqz
                      if $if170
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
                        if $if171
                          local.get $l72
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
                          local.get $l72
                          local.get $live
                          v128.and
                          local.set $l72
                          local.get $l72
                          v128.any_true
                          i32.eqz
                          br_if $block167
                        end  ;; $if171
                      end  ;; $if170
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
                      local.set $l70
                      local.get $l70
                      local.get $l69
                      local.get $l72
                      call $scatter32_32
                    end  ;; $block167
                    local.get $l72
                    v128.any_true
                    if $if172
                      br $block166
                    end  ;; $if172
                  end  ;; $block166
                  local.get $arguments
                  i32.load
                  if $if173
                    return
                  end  ;; $if173
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop165
                end  ;; $loop165
              end  ;; $block164
            end  ;; $if160
            br $block8
          end  ;; $block8
        end  ;; $block6
        local.get $BLOCK_IDX_X
        local.get $span
        i32.add
        local.set $BLOCK_IDX_X
        local.get $BLOCK_IDX_X
        local.get $grid.0
        i32.ge_u
        if $if174
          i32.const 0
          local.set $BLOCK_IDX_X
          local.get $BLOCK_IDX_Y
          i32.const 1
          i32.add
          local.set $BLOCK_IDX_Y
          local.get $BLOCK_IDX_Y
          local.get $grid.1
          i32.ge_u
          if $if175
            i32.const 0
            local.set $BLOCK_IDX_Y
            local.get $BLOCK_IDX_Z
            i32.const 1
            i32.add
            local.set $BLOCK_IDX_Z
          end  ;; $if175
        end  ;; $if174
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
  (func $fault (type $t2)  ;; 51 bytes at 0x1865
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
  (func $look (type $t3)  ;; 57 bytes at 0x1899
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
  (func $end4 (type $t4)  ;; 31 bytes at 0x18d3
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
  (func $beyond4 (type $t5)  ;; 127 bytes at 0x18f3
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
  (func $row_f32_f32x4 (type $t6)  ;; 96 bytes at 0x1973
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
  (func $scatter32_32_row (type $t7)  ;; 91 bytes at 0x19d4
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
  (func $scatter32_32 (type $t8)  ;; 91 bytes at 0x1a30
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
