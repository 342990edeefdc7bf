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
  (func $kernel (export "kernel") (type $t1)  ;; 5209 bytes at 0xa8
    (param $arguments i32) (param $begin i32) (param $end i32)
    (local $ticks i64) (local $base.buffer_x i32) (local $base.buffer_y i32)
    (local $limit.buffer_x.4 i64) (local $limit.shared_memory.4 i64) (local $limit.buffer_y.4 i64)
    (local $base.shared_memory i32) (local $block i32) (local $grid.0 i32) (local $grid.1 i32)
    (local $BLOCK_IDX_X i32) (local $BLOCK_IDX_Y i32) (local $BLOCK_IDX_Z i32) (local $span i32)
    (local $on.0 i32) (local $l18 i32) (local $on.1 i32) (local $on.2 i32) (local $first i32)
    (local $taken i64) (local $least_lane i32) (local $budget i64) (local $least i64)
    (local $safe i32) (local $from i32) (local $lane i32) (local $l29 i32) (local $l30 i32)
    (local $kept i32) (local $l32 v128) (local $l33 v128) (local $l34 i64) (local $live v128)
    (local $until i32) (local $l37 v128) (local $l38 i32) (local $l39 v128) (local $l40 v128)
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
              i32.const 0
              i32.add
              local.set $l18
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
              local.set $l29
              local.get $on.0
              local.get $lane
              i32.sub
              i32.const 4
              i32.mul
              local.set $l30
              local.get $l30
              i32.const 64
              i32.ge_s
              if $if10
                loop $loop11
                  local.get $l18
                  local.get $l29
                  v128.load align=4
                  v128.store align=4
                  local.get $l18
                  local.get $l29
                  v128.load offset=16 align=4
                  v128.store offset=16 align=4
                  local.get $l18
                  local.get $l29
                  v128.load offset=32 align=4
                  v128.store offset=32 align=4
                  local.get $l18
                  local.get $l29
                  v128.load offset=48 align=4
                  v128.store offset=48 align=4
                  local.get $l18
                  i32.const 64
                  i32.add
                  local.set $l18
                  local.get $l29
                  i32.const 64
                  i32.add
                  local.set $l29
                  local.get $l30
                  i32.const -64
                  i32.add
                  local.set $l30
                  local.get $l30
                  i32.const 64
                  i32.ge_s
                  br_if $loop11
                end  ;; $loop11
              end  ;; $if10
              local.get $l30
              if $if12
                local.get $l18
                local.get $l29
                local.get $l30
                memory.copy
              end  ;; $if12
              local.get $on.0
              local.set $lane
            end  ;; $block9
            block $block13
              local.get $lane
              local.get $on.0
              i32.ge_s
              br_if $block13
              loop $loop14
                block $block15
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
                  local.set $l32
                  block $block16
                    local.get $safe
                    i32.eqz
                    if $if17
                      local.get $first
                      local.get $lane
                      i32.add
                      i64.extend_i32_u
                      i64.const 4
                      i64.mul
                      local.tee $l34
                      local.get $limit.buffer_x.4
                      i64.ge_u
                      local.get $l34
                      i64.const 12
                      i64.add
                      local.get $limit.buffer_x.4
                      i64.ge_u
                      i32.or
                      if $if18
                        local.get $arguments
                        i32.const 1
                        i32.const 0
                        i32.const 0
                        local.get $first
                        local.get $lane
                        i32.add
                        i32.const 0
                        local.get $l34
                        i64.const 4
                        local.get $limit.buffer_x.4
                        i64.const 4
                        i64.const 0
                        local.get $l32
                        call $beyond4
                        local.tee $live
                        i8x16.all_true
                        i32.eqz
                        if $if19
                          local.get $l32
                          local.get $live
                          v128.and
                          local.set $l32
                          local.get $l32
                          v128.any_true
                          i32.eqz
                          br_if $block16
                        end  ;; $if19
                      end  ;; $if18
                    end  ;; $if17
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
                    if $if20
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
                      local.set $l33
                    else  ;; $if20
                      local.get $base.buffer_x
                      local.get $first
                      local.get $lane
                      i32.add
                      i64.extend_i32_u
                      i32.wrap_i64
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l32
                      call $row_f32_f32x4
                      local.set $l33
                    end  ;; $if20
                    local.get $safe
                    i32.eqz
                    if $if21
                      local.get $lane
                      i64.extend_i32_u
                      i64.const 4
                      i64.mul
                      local.tee $l34
                      local.get $limit.shared_memory.4
                      i64.ge_u
                      local.get $l34
                      i64.const 12
                      i64.add
                      local.get $limit.shared_memory.4
                      i64.ge_u
                      i32.or
                      if $if22
                        local.get $arguments
                        i32.const 1
                        i32.const 1
                        i32.const 2
                        local.get $first
                        local.get $lane
                        i32.add
                        i32.const 0
                        local.get $l34
                        i64.const 4
                        local.get $limit.shared_memory.4
                        i64.const 4
                        i64.const 0
                        local.get $l32
                        call $beyond4
                        local.tee $live
                        i8x16.all_true
                        i32.eqz
                        if $if23
                          local.get $l32
                          local.get $live
                          v128.and
                          local.set $l32
                          local.get $l32
                          v128.any_true
                          i32.eqz
                          br_if $block16
                        end  ;; $if23
                      end  ;; $if22
                    end  ;; $if21
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
                    if $if24
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l18
                      local.get $l18
                      local.get $l33
                      local.get $l18
                      v128.load align=4
                      local.get $l32
                      v128.bitselect
                      v128.store align=4
                    else  ;; $if24
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l33
                      local.get $l32
                      call $scatter32_32_row
                    end  ;; $if24
                  end  ;; $block16
                  local.get $l32
                  v128.any_true
                  if $if25
                    br $block15
                  end  ;; $if25
                end  ;; $block15
                local.get $arguments
                i32.load
                if $if26
                  return
                end  ;; $if26
                local.get $lane
                i32.const 4
                i32.add
                local.tee $lane
                local.get $on.0
                i32.lt_s
                br_if $loop14
              end  ;; $loop14
            end  ;; $block13
            i32.const 0
            i32.const 2147483647
            i32.const 1
            i32.const 1
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
            if $if27
              block $block28
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block28
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block28
                local.get $lane
                i32.const 2
                i32.shl
                local.get $base.shared_memory
                i32.add
                local.set $l38
                local.get $l18
                local.get $lane
                i32.sub
                i32.const -4
                i32.and
                i32.const 4
                i32.add
                local.tee $l18
                local.get $lane
                i32.add
                local.set $lane
                local.get $l18
                i32.const 4
                i32.mul
                local.get $l38
                i32.add
                local.set $l18
                loop $loop29
                  block $block30
                    local.get $l38
                    local.set $l29
                    local.get $l29
                    v128.load offset=512 align=4
                    local.set $l37
                    local.get $l38
                    local.set $l29
                    local.get $l29
                    v128.load align=4
                    local.set $l39
                    local.get $l38
                    local.set $l29
                    local.get $l29
                    local.get $l39
                    local.get $l37
                    f32x4.add
                    v128.store align=4
                    br $block30
                  end  ;; $block30
                  local.get $l38
                  i32.const 16
                  i32.add
                  local.set $l38
                  local.get $l38
                  local.get $l18
                  i32.ne
                  br_if $loop29
                end  ;; $loop29
              end  ;; $block28
              block $block31
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block31
                loop $loop32
                  block $block33
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
                    if $if34
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
                      local.set $l37
                    else  ;; $if34
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 128
                      i32.add
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l40
                      call $row_f32_f32x4
                      local.set $l37
                    end  ;; $if34
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
                    if $if35
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l18
                      local.get $l18
                      v128.load align=4
                      local.set $l39
                    else  ;; $if35
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l40
                      call $row_f32_f32x4
                      local.set $l39
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
                      local.get $l39
                      local.get $l37
                      f32x4.add
                      local.get $l18
                      v128.load align=4
                      local.get $l40
                      v128.bitselect
                      v128.store align=4
                    else  ;; $if36
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l39
                      local.get $l37
                      f32x4.add
                      local.get $l40
                      call $scatter32_32_row
                    end  ;; $if36
                    br $block33
                  end  ;; $block33
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.tee $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop32
                end  ;; $loop32
              end  ;; $block31
            end  ;; $if27
            local.get $taken
            i64.const 1
            i64.add
            local.tee $taken
            local.get $least
            i64.ge_s
            if $if37
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
            end  ;; $if37
            i32.const 0
            i32.const 2147483647
            i32.const 1
            i32.const 1
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
            if $if38
              block $block39
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block39
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block39
                local.get $lane
                i32.const 2
                i32.shl
                local.get $base.shared_memory
                i32.add
                local.set $l42
                local.get $l18
                local.get $lane
                i32.sub
                i32.const -4
                i32.and
                i32.const 4
                i32.add
                local.tee $l18
                local.get $lane
                i32.add
                local.set $lane
                local.get $l18
                i32.const 4
                i32.mul
                local.get $l42
                i32.add
                local.set $l18
                loop $loop40
                  block $block41
                    local.get $l42
                    local.set $l29
                    local.get $l29
                    v128.load offset=256 align=4
                    local.set $l41
                    local.get $l42
                    local.set $l29
                    local.get $l29
                    v128.load align=4
                    local.set $l43
                    local.get $l42
                    local.set $l29
                    local.get $l29
                    local.get $l43
                    local.get $l41
                    f32x4.add
                    v128.store align=4
                    br $block41
                  end  ;; $block41
                  local.get $l42
                  i32.const 16
                  i32.add
                  local.set $l42
                  local.get $l42
                  local.get $l18
                  i32.ne
                  br_if $loop40
                end  ;; $loop40
              end  ;; $block39
              block $block42
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block42
                loop $loop43
                  block $block44
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
                    if $if45
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
                    else  ;; $if45
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
                    end  ;; $if45
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
                    if $if46
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l18
                      local.get $l18
                      v128.load align=4
                      local.set $l43
                    else  ;; $if46
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l44
                      call $row_f32_f32x4
                      local.set $l43
                    end  ;; $if46
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
                    if $if47
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
                    else  ;; $if47
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
                    end  ;; $if47
                    br $block44
                  end  ;; $block44
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.tee $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop43
                end  ;; $loop43
              end  ;; $block42
            end  ;; $if38
            local.get $taken
            i64.const 1
            i64.add
            local.tee $taken
            local.get $least
            i64.ge_s
            if $if48
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
            end  ;; $if48
            i32.const 0
            i32.const 2147483647
            i32.const 1
            i32.const 1
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
            if $if49
              block $block50
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block50
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block50
                local.get $lane
                i32.const 2
                i32.shl
                local.get $base.shared_memory
                i32.add
                local.set $l46
                local.get $l18
                local.get $lane
                i32.sub
                i32.const -4
                i32.and
                i32.const 4
                i32.add
                local.tee $l18
                local.get $lane
                i32.add
                local.set $lane
                local.get $l18
                i32.const 4
                i32.mul
                local.get $l46
                i32.add
                local.set $l18
                loop $loop51
                  block $block52
                    local.get $l46
                    local.set $l29
                    local.get $l29
                    v128.load offset=128 align=4
                    local.set $l45
                    local.get $l46
                    local.set $l29
                    local.get $l29
                    v128.load align=4
                    local.set $l47
                    local.get $l46
                    local.set $l29
                    local.get $l29
                    local.get $l47
                    local.get $l45
                    f32x4.add
                    v128.store align=4
                    br $block52
                  end  ;; $block52
                  local.get $l46
                  i32.const 16
                  i32.add
                  local.set $l46
                  local.get $l46
                  local.get $l18
                  i32.ne
                  br_if $loop51
                end  ;; $loop51
              end  ;; $block50
              block $block53
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block53
                loop $loop54
                  block $block55
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
                    if $if56
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
                    else  ;; $if56
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
                    end  ;; $if56
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
                    if $if57
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l18
                      local.get $l18
                      v128.load align=4
                      local.set $l47
                    else  ;; $if57
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l48
                      call $row_f32_f32x4
                      local.set $l47
                    end  ;; $if57
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
                    if $if58
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
                    else  ;; $if58
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
                    end  ;; $if58
                    br $block55
                  end  ;; $block55
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.tee $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop54
                end  ;; $loop54
              end  ;; $block53
            end  ;; $if49
            local.get $taken
            i64.const 1
            i64.add
            local.tee $taken
            local.get $least
            i64.ge_s
            if $if59
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
            end  ;; $if59
            i32.const 0
            i32.const 2147483647
            i32.const 1
            i32.const 1
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
            if $if60
              block $block61
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block61
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block61
                local.get $lane
                i32.const 2
                i32.shl
                local.get $base.shared_memory
                i32.add
                local.set $l50
                local.get $l18
                local.get $lane
                i32.sub
                i32.const -4
                i32.and
                i32.const 4
                i32.add
                local.tee $l18
                local.get $lane
                i32.add
                local.set $lane
                local.get $l18
                i32.const 4
                i32.mul
                local.get $l50
                i32.add
                local.set $l18
                loop $loop62
                  block $block63
                    local.get $l50
                    local.set $l29
                    local.get $l29
                    v128.load offset=64 align=4
                    local.set $l49
                    local.get $l50
                    local.set $l29
                    local.get $l29
                    v128.load align=4
                    local.set $l51
                    local.get $l50
                    local.set $l29
                    local.get $l29
                    local.get $l51
                    local.get $l49
                    f32x4.add
                    v128.store align=4
                    br $block63
                  end  ;; $block63
                  local.get $l50
                  i32.const 16
                  i32.add
                  local.set $l50
                  local.get $l50
                  local.get $l18
                  i32.ne
                  br_if $loop62
                end  ;; $loop62
              end  ;; $block61
              block $block64
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block64
                loop $loop65
                  block $block66
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
                    if $if67
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
                    else  ;; $if67
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
                    end  ;; $if67
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
                    if $if68
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l18
                      local.get $l18
                      v128.load align=4
                      local.set $l51
                    else  ;; $if68
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l52
                      call $row_f32_f32x4
                      local.set $l51
                    end  ;; $if68
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
                    if $if69
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
                    else  ;; $if69
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
                    end  ;; $if69
                    br $block66
                  end  ;; $block66
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.tee $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop65
                end  ;; $loop65
              end  ;; $block64
            end  ;; $if60
            local.get $taken
            i64.const 1
            i64.add
            local.tee $taken
            local.get $least
            i64.ge_s
            if $if70
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
            end  ;; $if70
            i32.const 0
            i32.const 2147483647
            i32.const 1
            i32.const 1
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
            if $if71
              block $block72
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block72
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block72
                local.get $lane
                i32.const 2
                i32.shl
                local.get $base.shared_memory
                i32.add
                local.set $l54
                local.get $l18
                local.get $lane
                i32.sub
                i32.const -4
                i32.and
                i32.const 4
                i32.add
                local.tee $l18
                local.get $lane
                i32.add
                local.set $lane
                local.get $l18
                i32.const 4
                i32.mul
                local.get $l54
                i32.add
                local.set $l18
                loop $loop73
                  block $block74
                    local.get $l54
                    local.set $l29
                    local.get $l29
                    v128.load offset=32 align=4
                    local.set $l53
                    local.get $l54
                    local.set $l29
                    local.get $l29
                    v128.load align=4
                    local.set $l55
                    local.get $l54
                    local.set $l29
                    local.get $l29
                    local.get $l55
                    local.get $l53
                    f32x4.add
                    v128.store align=4
                    br $block74
                  end  ;; $block74
                  local.get $l54
                  i32.const 16
                  i32.add
                  local.set $l54
                  local.get $l54
                  local.get $l18
                  i32.ne
                  br_if $loop73
                end  ;; $loop73
              end  ;; $block72
              block $block75
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block75
                loop $loop76
                  block $block77
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
                    if $if78
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
                    else  ;; $if78
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
                    end  ;; $if78
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
                    if $if79
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l18
                      local.get $l18
                      v128.load align=4
                      local.set $l55
                    else  ;; $if79
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l56
                      call $row_f32_f32x4
                      local.set $l55
                    end  ;; $if79
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
                    if $if80
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
                    else  ;; $if80
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
                    end  ;; $if80
                    br $block77
                  end  ;; $block77
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.tee $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop76
                end  ;; $loop76
              end  ;; $block75
            end  ;; $if71
            local.get $taken
            i64.const 1
            i64.add
            local.tee $taken
            local.get $least
            i64.ge_s
            if $if81
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
            end  ;; $if81
            i32.const 0
            i32.const 2147483647
            i32.const 1
            i32.const 1
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
            if $if82
              block $block83
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block83
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block83
                local.get $lane
                i32.const 2
                i32.shl
                local.get $base.shared_memory
                i32.add
                local.set $l58
                local.get $l18
                local.get $lane
                i32.sub
                i32.const -4
                i32.and
                i32.const 4
                i32.add
                local.tee $l18
                local.get $lane
                i32.add
                local.set $lane
                local.get $l18
                i32.const 4
                i32.mul
                local.get $l58
                i32.add
                local.set $l18
                loop $loop84
                  block $block85
                    local.get $l58
                    local.set $l29
                    local.get $l29
                    v128.load offset=16 align=4
                    local.set $l57
                    local.get $l58
                    local.set $l29
                    local.get $l29
                    v128.load align=4
                    local.set $l59
                    local.get $l58
                    local.set $l29
                    local.get $l29
                    local.get $l59
                    local.get $l57
                    f32x4.add
                    v128.store align=4
                    br $block85
                  end  ;; $block85
                  local.get $l58
                  i32.const 16
                  i32.add
                  local.set $l58
                  local.get $l58
                  local.get $l18
                  i32.ne
                  br_if $loop84
                end  ;; $loop84
              end  ;; $block83
              block $block86
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block86
                loop $loop87
                  block $block88
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
                    if $if89
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
                    else  ;; $if89
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
                    end  ;; $if89
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
                    if $if90
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l18
                      local.get $l18
                      v128.load align=4
                      local.set $l59
                    else  ;; $if90
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l60
                      call $row_f32_f32x4
                      local.set $l59
                    end  ;; $if90
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
                    if $if91
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
                    else  ;; $if91
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
                    end  ;; $if91
                    br $block88
                  end  ;; $block88
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.tee $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop87
                end  ;; $loop87
              end  ;; $block86
            end  ;; $if82
            local.get $taken
            i64.const 1
            i64.add
            local.tee $taken
            local.get $least
            i64.ge_s
            if $if92
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
            end  ;; $if92
            i32.const 0
            i32.const 2147483647
            i32.const 1
            i32.const 1
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
            if $if93
              block $block94
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block94
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block94
                local.get $lane
                i32.const 2
                i32.shl
                local.get $base.shared_memory
                i32.add
                local.set $l62
                local.get $l18
                local.get $lane
                i32.sub
                i32.const -4
                i32.and
                i32.const 4
                i32.add
                local.tee $l18
                local.get $lane
                i32.add
                local.set $lane
                local.get $l18
                i32.const 4
                i32.mul
                local.get $l62
                i32.add
                local.set $l18
                loop $loop95
                  block $block96
                    local.get $l62
                    local.set $l29
                    local.get $l29
                    v128.load offset=8 align=4
                    local.set $l61
                    local.get $l62
                    local.set $l29
                    local.get $l29
                    v128.load align=4
                    local.set $l63
                    local.get $l62
                    local.set $l29
                    local.get $l29
                    local.get $l63
                    local.get $l61
                    f32x4.add
                    v128.store align=4
                    br $block96
                  end  ;; $block96
                  local.get $l62
                  i32.const 16
                  i32.add
                  local.set $l62
                  local.get $l62
                  local.get $l18
                  i32.ne
                  br_if $loop95
                end  ;; $loop95
              end  ;; $block94
              block $block97
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block97
                loop $loop98
                  block $block99
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
                    if $if100
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
                    else  ;; $if100
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
                    end  ;; $if100
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
                    if $if101
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l18
                      local.get $l18
                      v128.load align=4
                      local.set $l63
                    else  ;; $if101
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l64
                      call $row_f32_f32x4
                      local.set $l63
                    end  ;; $if101
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
                    if $if102
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
                    else  ;; $if102
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
                    end  ;; $if102
                    br $block99
                  end  ;; $block99
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.tee $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop98
                end  ;; $loop98
              end  ;; $block97
            end  ;; $if93
            local.get $taken
            i64.const 1
            i64.add
            local.tee $taken
            local.get $least
            i64.ge_s
            if $if103
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
            end  ;; $if103
            i32.const 0
            i32.const 2147483647
            i32.const 1
            i32.const 1
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
            if $if104
              block $block105
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block105
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block105
                local.get $lane
                i32.const 2
                i32.shl
                local.get $base.shared_memory
                i32.add
                local.set $l66
                local.get $l18
                local.get $lane
                i32.sub
                i32.const -4
                i32.and
                i32.const 4
                i32.add
                local.tee $l18
                local.get $lane
                i32.add
                local.set $lane
                local.get $l18
                i32.const 4
                i32.mul
                local.get $l66
                i32.add
                local.set $l18
                loop $loop106
                  block $block107
                    local.get $l66
                    local.set $l29
                    local.get $l29
                    v128.load offset=4 align=4
                    local.set $l65
                    local.get $l66
                    local.set $l29
                    local.get $l29
                    v128.load align=4
                    local.set $l67
                    local.get $l66
                    local.set $l29
                    local.get $l29
                    local.get $l67
                    local.get $l65
                    f32x4.add
                    v128.store align=4
                    br $block107
                  end  ;; $block107
                  local.get $l66
                  i32.const 16
                  i32.add
                  local.set $l66
                  local.get $l66
                  local.get $l18
                  i32.ne
                  br_if $loop106
                end  ;; $loop106
              end  ;; $block105
              block $block108
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block108
                loop $loop109
                  block $block110
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
                    if $if111
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
                    else  ;; $if111
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
                    end  ;; $if111
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
                    if $if112
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l18
                      local.get $l18
                      v128.load align=4
                      local.set $l67
                    else  ;; $if112
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l68
                      call $row_f32_f32x4
                      local.set $l67
                    end  ;; $if112
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
                    if $if113
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
                    else  ;; $if113
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
                    end  ;; $if113
                    br $block110
                  end  ;; $block110
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.tee $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop109
                end  ;; $loop109
              end  ;; $block108
            end  ;; $if104
            local.get $taken
            i64.const 1
            i64.add
            local.tee $taken
            local.get $least
            i64.ge_s
            if $if114
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
            end  ;; $if114
            i32.const 1
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
            if $if115
              block $block116
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block116
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block116
                local.get $BLOCK_IDX_X
                i32.const 2
                i32.shl
                local.get $base.buffer_y
                i32.add
                local.set $l71
                loop $loop117
                  block $block118
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
                    local.tee $l34
                    i32.wrap_i64
                    local.get $l69
                    v128.store32_lane 0
                    local.get $l34
                    i64.const 32
                    i64.shr_u
                    i32.wrap_i64
                    local.get $l69
                    v128.store32_lane 1
                    local.get $l70
                    i64x2.extract_lane 1
                    local.tee $l34
                    i32.wrap_i64
                    local.get $l69
                    v128.store32_lane 2
                    local.get $l34
                    i64.const 32
                    i64.shr_u
                    i32.wrap_i64
                    local.get $l69
                    v128.store32_lane 3
                    br $block118
                  end  ;; $block118
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.tee $lane
                  local.get $l18
                  i32.le_s
                  br_if $loop117
                end  ;; $loop117
              end  ;; $block116
              block $block119
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block119
                loop $loop120
                  block $block121
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
                    block $block122
                      local.get $safe
                      i32.eqz
                      if $if123
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
                        if $if124
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
                          br_if $block122
                        end  ;; $if124
                      end  ;; $if123
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
                      if $if125
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
                        if $if126
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
                          br_if $block122
                        end  ;; $if126
                      end  ;; $if125
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
                    end  ;; $block122
                    local.get $l72
                    v128.any_true
                    if $if127
                      br $block121
                    end  ;; $if127
                  end  ;; $block121
                  local.get $arguments
                  i32.load
                  if $if128
                    return
                  end  ;; $if128
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.tee $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop120
                end  ;; $loop120
              end  ;; $block119
            end  ;; $if115
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
        if $if129
          i32.const 0
          local.set $BLOCK_IDX_X
          local.get $BLOCK_IDX_Y
          i32.const 1
          i32.add
          local.set $BLOCK_IDX_Y
          local.get $BLOCK_IDX_Y
          local.get $grid.1
          i32.ge_u
          if $if130
            i32.const 0
            local.set $BLOCK_IDX_Y
            local.get $BLOCK_IDX_Z
            i32.const 1
            i32.add
            local.set $BLOCK_IDX_Z
          end  ;; $if130
        end  ;; $if129
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
  (func $fault (type $t2)  ;; 51 bytes at 0x1502
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
  (func $look (type $t3)  ;; 57 bytes at 0x1536
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
  (func $end4 (type $t4)  ;; 31 bytes at 0x1570
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
  (func $beyond4 (type $t5)  ;; 127 bytes at 0x1590
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
  (func $row_f32_f32x4 (type $t6)  ;; 96 bytes at 0x1610
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
  (func $scatter32_32_row (type $t7)  ;; 91 bytes at 0x1671
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
  (func $scatter32_32 (type $t8)  ;; 91 bytes at 0x16cd
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
