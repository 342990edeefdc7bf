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
  (func $kernel (export "kernel") (type $t1)  ;; 4985 bytes at 0xa8
    (param $arguments i32) (param $begin i32) (param $end i32)
    (local $ticks i64) (local $base.buffer_x i32) (local $base.buffer_y i32)
    (local $limit.buffer_x.4 i64) (local $limit.shared_memory.4 i64) (local $limit.buffer_y.4 i64)
    (local $base.shared_memory i32) (local $block i32) (local $grid.0 i32) (local $grid.1 i32)
    (local $BLOCK_IDX_X i32) (local $BLOCK_IDX_Y i32) (local $BLOCK_IDX_Z i32) (local $span i32)
    (local $on.0 i32) (local $l18 i32) (local $on.1 i32) (local $on.2 i32) (local $first i32)
    (local $taken i64) (local $least_lane i32) (local $budget i64) (local $least i64)
    (local $safe i32) (local $from i32) (local $lane i32) (local $kept i32) (local $l30 v128)
    (local $l31 v128) (local $l32 i64) (local $live v128) (local $until i32) (local $l35 v128)
    (local $l36 i32) (local $l37 i32) (local $l38 v128) (local $l39 v128) (local $l40 v128)
    (local $l41 i32) (local $l42 v128) (local $l43 v128) (local $l44 v128) (local $l45 i32)
    (local $l46 v128) (local $l47 v128) (local $l48 v128) (local $l49 i32) (local $l50 v128)
    (local $l51 v128) (local $l52 v128) (local $l53 i32) (local $l54 v128) (local $l55 v128)
    (local $l56 v128) (local $l57 i32) (local $l58 v128) (local $l59 v128) (local $l60 v128)
    (local $l61 i32) (local $l62 v128) (local $l63 v128) (local $l64 v128) (local $l65 i32)
    (local $l66 v128) (local $l67 v128) (local $l68 v128) (local $l69 v128) (local $l70 i32)
    (local $l71 v128)
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
                local.set $l36
                loop $loop26
                  block $block27
                    local.get $lane
                    local.set $kept
                    local.get $l36
                    local.set $l37
                    local.get $l37
                    v128.load offset=512 align=4
                    local.set $l35
                    local.get $l36
                    local.set $l37
                    local.get $l37
                    v128.load align=4
                    local.set $l38
                    local.get $l36
                    local.set $l37
                    local.get $l37
                    local.get $l38
                    local.get $l35
                    f32x4.add
                    v128.store align=4
                    br $block27
                  end  ;; $block27
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $l36
                  i32.const 16
                  i32.add
                  local.set $l36
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
                    local.set $l39
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
                    if $if31
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
                      local.set $l35
                    else  ;; $if31
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 128
                      i32.add
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l39
                      call $row_f32_f32x4
                      local.set $l35
                    end  ;; $if31
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
                    if $if32
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l18
                      local.get $l18
                      v128.load align=4
                      local.set $l38
                    else  ;; $if32
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l39
                      call $row_f32_f32x4
                      local.set $l38
                    end  ;; $if32
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
                    if $if33
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l18
                      local.get $l18
                      local.get $l38
                      local.get $l35
                      f32x4.add
                      local.get $l18
                      v128.load align=4
                      local.get $l39
                      v128.bitselect
                      v128.store align=4
                    else  ;; $if33
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l38
                      local.get $l35
                      f32x4.add
                      local.get $l39
                      call $scatter32_32_row
                    end  ;; $if33
                    br $block30
                  end  ;; $block30
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
            if $if34
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
            end  ;; $if34
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
            if $if35
              block $block36
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block36
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block36
                local.get $lane
                i32.const 2
                i32.shl
                local.get $base.shared_memory
                i32.add
                local.set $l41
                loop $loop37
                  block $block38
                    local.get $lane
                    local.set $kept
                    local.get $l41
                    local.set $l37
                    local.get $l37
                    v128.load offset=256 align=4
                    local.set $l40
                    local.get $l41
                    local.set $l37
                    local.get $l37
                    v128.load align=4
                    local.set $l42
                    local.get $l41
                    local.set $l37
                    local.get $l37
                    local.get $l42
                    local.get $l40
                    f32x4.add
                    v128.store align=4
                    br $block38
                  end  ;; $block38
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $l41
                  i32.const 16
                  i32.add
                  local.set $l41
                  local.get $lane
                  local.get $l18
                  i32.le_s
                  br_if $loop37
                end  ;; $loop37
              end  ;; $block36
              block $block39
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block39
                loop $loop40
                  block $block41
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
                    local.set $l43
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
                    if $if42
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
                      local.set $l40
                    else  ;; $if42
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 64
                      i32.add
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l43
                      call $row_f32_f32x4
                      local.set $l40
                    end  ;; $if42
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
                    if $if43
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l18
                      local.get $l18
                      v128.load align=4
                      local.set $l42
                    else  ;; $if43
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l43
                      call $row_f32_f32x4
                      local.set $l42
                    end  ;; $if43
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
                    if $if44
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l18
                      local.get $l18
                      local.get $l42
                      local.get $l40
                      f32x4.add
                      local.get $l18
                      v128.load align=4
                      local.get $l43
                      v128.bitselect
                      v128.store align=4
                    else  ;; $if44
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l42
                      local.get $l40
                      f32x4.add
                      local.get $l43
                      call $scatter32_32_row
                    end  ;; $if44
                    br $block41
                  end  ;; $block41
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop40
                end  ;; $loop40
              end  ;; $block39
            end  ;; $if35
            local.get $taken
            i64.const 1
            i64.add
            local.tee $taken
            local.get $least
            i64.ge_s
            if $if45
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
            end  ;; $if45
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
            if $if46
              block $block47
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block47
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block47
                local.get $lane
                i32.const 2
                i32.shl
                local.get $base.shared_memory
                i32.add
                local.set $l45
                loop $loop48
                  block $block49
                    local.get $lane
                    local.set $kept
                    local.get $l45
                    local.set $l37
                    local.get $l37
                    v128.load offset=128 align=4
                    local.set $l44
                    local.get $l45
                    local.set $l37
                    local.get $l37
                    v128.load align=4
                    local.set $l46
                    local.get $l45
                    local.set $l37
                    local.get $l37
                    local.get $l46
                    local.get $l44
                    f32x4.add
                    v128.store align=4
                    br $block49
                  end  ;; $block49
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $l45
                  i32.const 16
                  i32.add
                  local.set $l45
                  local.get $lane
                  local.get $l18
                  i32.le_s
                  br_if $loop48
                end  ;; $loop48
              end  ;; $block47
              block $block50
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block50
                loop $loop51
                  block $block52
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
                    local.set $l47
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
                    if $if53
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
                      local.set $l44
                    else  ;; $if53
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 32
                      i32.add
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l47
                      call $row_f32_f32x4
                      local.set $l44
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
                      v128.load align=4
                      local.set $l46
                    else  ;; $if54
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l47
                      call $row_f32_f32x4
                      local.set $l46
                    end  ;; $if54
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
                    if $if55
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l18
                      local.get $l18
                      local.get $l46
                      local.get $l44
                      f32x4.add
                      local.get $l18
                      v128.load align=4
                      local.get $l47
                      v128.bitselect
                      v128.store align=4
                    else  ;; $if55
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l46
                      local.get $l44
                      f32x4.add
                      local.get $l47
                      call $scatter32_32_row
                    end  ;; $if55
                    br $block52
                  end  ;; $block52
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop51
                end  ;; $loop51
              end  ;; $block50
            end  ;; $if46
            local.get $taken
            i64.const 1
            i64.add
            local.tee $taken
            local.get $least
            i64.ge_s
            if $if56
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
            end  ;; $if56
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
            if $if57
              block $block58
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block58
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block58
                local.get $lane
                i32.const 2
                i32.shl
                local.get $base.shared_memory
                i32.add
                local.set $l49
                loop $loop59
                  block $block60
                    local.get $lane
                    local.set $kept
                    local.get $l49
                    local.set $l37
                    local.get $l37
                    v128.load offset=64 align=4
                    local.set $l48
                    local.get $l49
                    local.set $l37
                    local.get $l37
                    v128.load align=4
                    local.set $l50
                    local.get $l49
                    local.set $l37
                    local.get $l37
                    local.get $l50
                    local.get $l48
                    f32x4.add
                    v128.store align=4
                    br $block60
                  end  ;; $block60
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $l49
                  i32.const 16
                  i32.add
                  local.set $l49
                  local.get $lane
                  local.get $l18
                  i32.le_s
                  br_if $loop59
                end  ;; $loop59
              end  ;; $block58
              block $block61
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block61
                loop $loop62
                  block $block63
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
                    local.set $l51
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
                    if $if64
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
                      local.set $l48
                    else  ;; $if64
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 16
                      i32.add
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l51
                      call $row_f32_f32x4
                      local.set $l48
                    end  ;; $if64
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
                    if $if65
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l18
                      local.get $l18
                      v128.load align=4
                      local.set $l50
                    else  ;; $if65
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l51
                      call $row_f32_f32x4
                      local.set $l50
                    end  ;; $if65
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
                    if $if66
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l18
                      local.get $l18
                      local.get $l50
                      local.get $l48
                      f32x4.add
                      local.get $l18
                      v128.load align=4
                      local.get $l51
                      v128.bitselect
                      v128.store align=4
                    else  ;; $if66
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l50
                      local.get $l48
                      f32x4.add
                      local.get $l51
                      call $scatter32_32_row
                    end  ;; $if66
                    br $block63
                  end  ;; $block63
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop62
                end  ;; $loop62
              end  ;; $block61
            end  ;; $if57
            local.get $taken
            i64.const 1
            i64.add
            local.tee $taken
            local.get $least
            i64.ge_s
            if $if67
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
            end  ;; $if67
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
            if $if68
              block $block69
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block69
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block69
                local.get $lane
                i32.const 2
                i32.shl
                local.get $base.shared_memory
                i32.add
                local.set $l53
                loop $loop70
                  block $block71
                    local.get $lane
                    local.set $kept
                    local.get $l53
                    local.set $l37
                    local.get $l37
                    v128.load offset=32 align=4
                    local.set $l52
                    local.get $l53
                    local.set $l37
                    local.get $l37
                    v128.load align=4
                    local.set $l54
                    local.get $l53
                    local.set $l37
                    local.get $l37
                    local.get $l54
                    local.get $l52
                    f32x4.add
                    v128.store align=4
                    br $block71
                  end  ;; $block71
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $l53
                  i32.const 16
                  i32.add
                  local.set $l53
                  local.get $lane
                  local.get $l18
                  i32.le_s
                  br_if $loop70
                end  ;; $loop70
              end  ;; $block69
              block $block72
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block72
                loop $loop73
                  block $block74
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
                    if $if75
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
                      local.set $l52
                    else  ;; $if75
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 8
                      i32.add
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l55
                      call $row_f32_f32x4
                      local.set $l52
                    end  ;; $if75
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
                    if $if76
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l18
                      local.get $l18
                      v128.load align=4
                      local.set $l54
                    else  ;; $if76
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l55
                      call $row_f32_f32x4
                      local.set $l54
                    end  ;; $if76
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
                    if $if77
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l18
                      local.get $l18
                      local.get $l54
                      local.get $l52
                      f32x4.add
                      local.get $l18
                      v128.load align=4
                      local.get $l55
                      v128.bitselect
                      v128.store align=4
                    else  ;; $if77
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l54
                      local.get $l52
                      f32x4.add
                      local.get $l55
                      call $scatter32_32_row
                    end  ;; $if77
                    br $block74
                  end  ;; $block74
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop73
                end  ;; $loop73
              end  ;; $block72
            end  ;; $if68
            local.get $taken
            i64.const 1
            i64.add
            local.tee $taken
            local.get $least
            i64.ge_s
            if $if78
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
            end  ;; $if78
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
            if $if79
              block $block80
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block80
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block80
                local.get $lane
                i32.const 2
                i32.shl
                local.get $base.shared_memory
                i32.add
                local.set $l57
                loop $loop81
                  block $block82
                    local.get $lane
                    local.set $kept
                    local.get $l57
                    local.set $l37
                    local.get $l37
                    v128.load offset=16 align=4
                    local.set $l56
                    local.get $l57
                    local.set $l37
                    local.get $l37
                    v128.load align=4
                    local.set $l58
                    local.get $l57
                    local.set $l37
                    local.get $l37
                    local.get $l58
                    local.get $l56
                    f32x4.add
                    v128.store align=4
                    br $block82
                  end  ;; $block82
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $l57
                  i32.const 16
                  i32.add
                  local.set $l57
                  local.get $lane
                  local.get $l18
                  i32.le_s
                  br_if $loop81
                end  ;; $loop81
              end  ;; $block80
              block $block83
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block83
                loop $loop84
                  block $block85
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
                    local.set $l59
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
                    if $if86
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
                      local.set $l56
                    else  ;; $if86
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.add
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l59
                      call $row_f32_f32x4
                      local.set $l56
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
                      local.set $l58
                    else  ;; $if87
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l59
                      call $row_f32_f32x4
                      local.set $l58
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
                      local.get $l58
                      local.get $l56
                      f32x4.add
                      local.get $l18
                      v128.load align=4
                      local.get $l59
                      v128.bitselect
                      v128.store align=4
                    else  ;; $if88
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l58
                      local.get $l56
                      f32x4.add
                      local.get $l59
                      call $scatter32_32_row
                    end  ;; $if88
                    br $block85
                  end  ;; $block85
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop84
                end  ;; $loop84
              end  ;; $block83
            end  ;; $if79
            local.get $taken
            i64.const 1
            i64.add
            local.tee $taken
            local.get $least
            i64.ge_s
            if $if89
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
            end  ;; $if89
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
            if $if90
              block $block91
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block91
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block91
                local.get $lane
                i32.const 2
                i32.shl
                local.get $base.shared_memory
                i32.add
                local.set $l61
                loop $loop92
                  block $block93
                    local.get $lane
                    local.set $kept
                    local.get $l61
                    local.set $l37
                    local.get $l37
                    v128.load offset=8 align=4
                    local.set $l60
                    local.get $l61
                    local.set $l37
                    local.get $l37
                    v128.load align=4
                    local.set $l62
                    local.get $l61
                    local.set $l37
                    local.get $l37
                    local.get $l62
                    local.get $l60
                    f32x4.add
                    v128.store align=4
                    br $block93
                  end  ;; $block93
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $l61
                  i32.const 16
                  i32.add
                  local.set $l61
                  local.get $lane
                  local.get $l18
                  i32.le_s
                  br_if $loop92
                end  ;; $loop92
              end  ;; $block91
              block $block94
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block94
                loop $loop95
                  block $block96
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
                    local.set $l63
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
                    if $if97
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
                      local.set $l60
                    else  ;; $if97
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 2
                      i32.add
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l63
                      call $row_f32_f32x4
                      local.set $l60
                    end  ;; $if97
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
                    if $if98
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l18
                      local.get $l18
                      v128.load align=4
                      local.set $l62
                    else  ;; $if98
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l63
                      call $row_f32_f32x4
                      local.set $l62
                    end  ;; $if98
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
                    if $if99
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l18
                      local.get $l18
                      local.get $l62
                      local.get $l60
                      f32x4.add
                      local.get $l18
                      v128.load align=4
                      local.get $l63
                      v128.bitselect
                      v128.store align=4
                    else  ;; $if99
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l62
                      local.get $l60
                      f32x4.add
                      local.get $l63
                      call $scatter32_32_row
                    end  ;; $if99
                    br $block96
                  end  ;; $block96
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop95
                end  ;; $loop95
              end  ;; $block94
            end  ;; $if90
            local.get $taken
            i64.const 1
            i64.add
            local.tee $taken
            local.get $least
            i64.ge_s
            if $if100
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
            end  ;; $if100
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
            if $if101
              block $block102
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block102
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block102
                local.get $lane
                i32.const 2
                i32.shl
                local.get $base.shared_memory
                i32.add
                local.set $l65
                loop $loop103
                  block $block104
                    local.get $lane
                    local.set $kept
                    local.get $l65
                    local.set $l37
                    local.get $l37
                    v128.load offset=4 align=4
                    local.set $l64
                    local.get $l65
                    local.set $l37
                    local.get $l37
                    v128.load align=4
                    local.set $l66
                    local.get $l65
                    local.set $l37
                    local.get $l37
                    local.get $l66
                    local.get $l64
                    f32x4.add
                    v128.store align=4
                    br $block104
                  end  ;; $block104
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $l65
                  i32.const 16
                  i32.add
                  local.set $l65
                  local.get $lane
                  local.get $l18
                  i32.le_s
                  br_if $loop103
                end  ;; $loop103
              end  ;; $block102
              block $block105
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block105
                loop $loop106
                  block $block107
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
                    local.set $l67
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
                    if $if108
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
                      local.set $l64
                    else  ;; $if108
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 1
                      i32.add
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l67
                      call $row_f32_f32x4
                      local.set $l64
                    end  ;; $if108
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
                    if $if109
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l18
                      local.get $l18
                      v128.load align=4
                      local.set $l66
                    else  ;; $if109
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l67
                      call $row_f32_f32x4
                      local.set $l66
                    end  ;; $if109
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
                    if $if110
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.set $l18
                      local.get $l18
                      local.get $l66
                      local.get $l64
                      f32x4.add
                      local.get $l18
                      v128.load align=4
                      local.get $l67
                      v128.bitselect
                      v128.store align=4
                    else  ;; $if110
                      local.get $base.shared_memory
                      local.get $lane
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l66
                      local.get $l64
                      f32x4.add
                      local.get $l67
                      call $scatter32_32_row
                    end  ;; $if110
                    br $block107
                  end  ;; $block107
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop106
                end  ;; $loop106
              end  ;; $block105
            end  ;; $if101
            local.get $taken
            i64.const 1
            i64.add
            local.tee $taken
            local.get $least
            i64.ge_s
            if $if111
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
            end  ;; $if111
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
            if $if112
              block $block113
                local.get $lane
                local.get $from
                i32.lt_s
                br_if $block113
                local.get $until
                i32.const 4
                i32.sub
                local.tee $l18
                local.get $lane
                i32.lt_s
                br_if $block113
                local.get $BLOCK_IDX_X
                i32.const 2
                i32.shl
                local.get $base.buffer_y
                i32.add
                local.set $l70
                loop $loop114
                  block $block115
                    local.get $lane
                    local.set $kept
                    local.get $base.shared_memory
                    i32.const 0
                    i32.add
                    f32.load
                    f32x4.splat
                    local.set $l69
                    local.get $l69
                    local.set $l68
                    local.get $l70
                    i32.const 0
                    i32.add
                    i32x4.splat
                    v128.const i32x4 0x0 0x0 0x0 0x0
                    i32x4.add
                    local.set $l69
                    local.get $l69
                    i64x2.extract_lane 0
                    local.tee $l32
                    i32.wrap_i64
                    local.get $l68
                    v128.store32_lane 0
                    local.get $l32
                    i64.const 32
                    i64.shr_u
                    i32.wrap_i64
                    local.get $l68
                    v128.store32_lane 1
                    local.get $l69
                    i64x2.extract_lane 1
                    local.tee $l32
                    i32.wrap_i64
                    local.get $l68
                    v128.store32_lane 2
                    local.get $l32
                    i64.const 32
                    i64.shr_u
                    i32.wrap_i64
                    local.get $l68
                    v128.store32_lane 3
                    br $block115
                  end  ;; $block115
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $lane
                  local.get $l18
                  i32.le_s
                  br_if $loop114
                end  ;; $loop114
              end  ;; $block113
              block $block116
                local.get $lane
                local.get $until
                i32.ge_s
                br_if $block116
                loop $loop117
                  block $block118
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
                    local.set $l71
                    block $block119
                      local.get $safe
                      i32.eqz
                      if $if120
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
                        if $if121
                          local.get $l71
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
                          local.get $l71
                          local.get $live
                          v128.and
                          local.set $l71
                          local.get $l71
                          v128.any_true
                          i32.eqz
                          br_if $block119
                        end  ;; $if121
                      end  ;; $if120
                      local.get $base.shared_memory
                      i32.const 0
                      i32.add
                      f32.load
                      f32x4.splat
                      local.set $l69
                      local.get $l69
                      local.set $l68
                      local.get $safe
                      i32.eqz
                      if $if122
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
                        if $if123
                          local.get $l71
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
                          local.get $l71
                          local.get $live
                          v128.and
                          local.set $l71
                          local.get $l71
                          v128.any_true
                          i32.eqz
                          br_if $block119
                        end  ;; $if123
                      end  ;; $if122
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
                      local.set $l69
                      local.get $l69
                      local.get $l68
                      local.get $l71
                      call $scatter32_32
                    end  ;; $block119
                    local.get $l71
                    v128.any_true
                    if $if124
                      br $block118
                    end  ;; $if124
                  end  ;; $block118
                  local.get $arguments
                  i32.load
                  if $if125
                    return
                  end  ;; $if125
                  local.get $lane
                  i32.const 4
                  i32.add
                  local.set $lane
                  local.get $lane
                  local.get $until
                  i32.lt_s
                  br_if $loop117
                end  ;; $loop117
              end  ;; $block116
            end  ;; $if112
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
        if $if126
          i32.const 0
          local.set $BLOCK_IDX_X
          local.get $BLOCK_IDX_Y
          i32.const 1
          i32.add
          local.set $BLOCK_IDX_Y
          local.get $BLOCK_IDX_Y
          local.get $grid.1
          i32.ge_u
          if $if127
            i32.const 0
            local.set $BLOCK_IDX_Y
            local.get $BLOCK_IDX_Z
            i32.const 1
            i32.add
            local.set $BLOCK_IDX_Z
          end  ;; $if127
        end  ;; $if126
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
  (func $fault (type $t2)  ;; 51 bytes at 0x1422
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
  (func $look (type $t3)  ;; 57 bytes at 0x1456
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
  (func $end4 (type $t4)  ;; 31 bytes at 0x1490
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
  (func $beyond4 (type $t5)  ;; 127 bytes at 0x14b0
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
  (func $row_f32_f32x4 (type $t6)  ;; 96 bytes at 0x1530
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
  (func $scatter32_32_row (type $t7)  ;; 91 bytes at 0x1591
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
  (func $scatter32_32 (type $t8)  ;; 91 bytes at 0x15ed
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
