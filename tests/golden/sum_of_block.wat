(module
  (type $t0 (func))
  (type $t1 (func (param i32 i32 i32)))
  (type $t2 (func (param i32 i32 i32 i32 i32 i32 i64 i64)))
  (type $t3 (func (param i32 i32) (result i64)))
  (import "env" "memory" (memory 1 65536))
  (import "env" "poll" (func $poll (type $t0)))
  (func $kernel (export "kernel") (type $t1)  ;; 1780 bytes at 0x5c
    (param $arguments i32) (param $begin i32) (param $end i32)
    (local $ticks i64) (local $base.buffer_x i32) (local $base.buffer_y i32)
    (local $limit.buffer_x.4 i64) (local $limit.shared_memory.4 i64) (local $limit.buffer_y.4 i64)
    (local $base.shared_memory i32) (local $block i32) (local $rest i32) (local $grid.0 i32)
    (local $BLOCK_IDX_X i32) (local $grid.1 i32) (local $BLOCK_IDX_Y i32) (local $BLOCK_IDX_Z i32)
    (local $span i32) (local $on.0 i32) (local $l19 i32) (local $on.1 i32) (local $on.2 i32)
    (local $first i32) (local $taken i64) (local $least_lane i32) (local $budget i64)
    (local $least i64) (local $lane i32) (local $l28 i64) (local $l29 f32) (local $l30 i32)
    (local $l31 i64) (local $l32 i64) (local $l33 i64) (local $low i64) (local $high i64)
    (local $until i32) (local $l37 i32) (local $l38 f32) (local $l39 i32) (local $l40 f32)
    (local $l41 i32) (local $l42 f32)
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
            if $if6
              i32.const 0
              local.set $lane
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
              block $block7
              end  ;; $block7
            else  ;; $if6
              i32.const 0
              local.set $lane
              block $block8
                loop $loop9
                  block $block10
                    local.get $first
                    local.get $lane
                    i32.add
                    i64.extend_i32_u
                    i64.const 4
                    i64.mul
                    local.set $l28
                    local.get $l28
                    local.get $limit.buffer_x.4
                    i64.ge_u
                    if $if11
                      local.get $arguments
                      i32.const 1
                      i32.const 0
                      i32.const 0
                      local.get $first
                      local.get $lane
                      i32.add
                      i32.const 0
                      local.get $l28
                      i64.const 4
                      call $fault
                      return
                    end  ;; $if11
                    local.get $base.buffer_x
                    local.get $l28
                    i32.wrap_i64
                    i32.add
                    f32.load
                    local.set $l29
                    local.get $lane
                    i64.extend_i32_u
                    i64.const 4
                    i64.mul
                    local.set $l28
                    local.get $l28
                    local.get $limit.shared_memory.4
                    i64.ge_u
                    if $if12
                      local.get $arguments
                      i32.const 1
                      i32.const 1
                      i32.const 2
                      local.get $first
                      local.get $lane
                      i32.add
                      i32.const 0
                      local.get $l28
                      i64.const 4
                      call $fault
                      return
                    end  ;; $if12
                    local.get $base.shared_memory
                    local.get $l28
                    i32.wrap_i64
                    i32.add
                    local.get $l29
                    f32.store
                    br $block10
                  end  ;; $block10
                  local.get $lane
                  i32.const 1
                  i32.add
                  local.set $lane
                  local.get $lane
                  local.get $on.0
                  i32.lt_s
                  br_if $loop9
                end  ;; $loop9
              end  ;; $block8
            end  ;; $if6
            i32.const 128
            local.set $l30
            block $block13
              loop $loop14
                local.get $ticks
                i64.const 2822
                i64.sub
                local.set $ticks
                local.get $ticks
                i64.const 0
                i64.lt_s
                if $if15
                  local.get $arguments
                  i32.const -1
                  call $look
                  local.set $ticks
                  local.get $ticks
                  i64.const 0
                  i64.lt_s
                  if $if16
                    return
                  end  ;; $if16
                end  ;; $if15
                local.get $l30
                i32.const 0
                i32.eq
                if $if17
                  br $block13
                else  ;; $if17
                  local.get $l30
                  i64.extend_i32_u
                  local.set $l31
                  local.get $on.0
                  i32.const 1
                  i32.sub
                  i64.extend_i32_u
                  local.set $l28
                  local.get $l31
                  i64.const -1
                  i64.add
                  local.set $l32
                  local.get $l28
                  local.get $l32
                  local.get $l28
                  local.get $l32
                  i64.lt_s
                  select
                  local.get $l31
                  i64.add
                  local.set $l33
                  i32.const 1
                  local.get $l33
                  i64.const 4294967295
                  i64.le_s
                  i32.and
                  local.get $l33
                  i64.const 4
                  i64.mul
                  local.get $limit.shared_memory.4
                  i64.lt_s
                  i32.and
                  if $if18
                    i32.const 0
                    local.set $lane
                    i64.const 0
                    local.set $low
                    local.get $on.0
                    i64.extend_i32_s
                    local.set $high
                    local.get $l30
                    i64.extend_i32_u
                    i64.const 0
                    i64.add
                    local.tee $l28
                    local.get $high
                    local.get $l28
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
                    if $if19
                      local.get $lane
                      i32.const 3
                      i32.add
                      local.get $until
                      i32.lt_s
                      if $if20
                        loop $loop21
                          block $block22
                            local.get $base.shared_memory
                            local.get $lane
                            local.get $l30
                            i32.add
                            i32.const 4
                            i32.mul
                            i32.add
                            local.tee $l37
                            f32.load
                            local.set $l38
                            local.get $base.shared_memory
                            local.get $lane
                            i32.const 4
                            i32.mul
                            i32.add
                            local.tee $l39
                            f32.load
                            local.set $l40
                            local.get $base.shared_memory
                            local.get $lane
                            i32.const 4
                            i32.mul
                            i32.add
                            local.tee $l41
                            local.get $l40
                            local.get $l38
                            f32.add
                            f32.store
                            br $block22
                          end  ;; $block22
                          local.get $lane
                          i32.const 1
                          i32.add
                          local.set $lane
                          block $block23
                            local.get $l37
                            f32.load offset=4
                            local.set $l38
                            local.get $l39
                            f32.load offset=4
                            local.set $l40
                            local.get $l41
                            local.get $l40
                            local.get $l38
                            f32.add
                            f32.store offset=4
                            br $block23
                          end  ;; $block23
                          local.get $lane
                          i32.const 1
                          i32.add
                          local.set $lane
                          block $block24
                            local.get $l37
                            f32.load offset=8
                            local.set $l38
                            local.get $l39
                            f32.load offset=8
                            local.set $l40
                            local.get $l41
                            local.get $l40
                            local.get $l38
                            f32.add
                            f32.store offset=8
                            br $block24
                          end  ;; $block24
                          local.get $lane
                          i32.const 1
                          i32.add
                          local.set $lane
                          block $block25
                            local.get $l37
                            f32.load offset=12
                            local.set $l38
                            local.get $l39
                            f32.load offset=12
                            local.set $l40
                            local.get $l41
                            local.get $l40
                            local.get $l38
                            f32.add
                            f32.store offset=12
                            br $block25
                          end  ;; $block25
                          local.get $lane
                          i32.const 1
                          i32.add
                          local.set $lane
                          local.get $lane
                          i32.const 3
                          i32.add
                          local.get $until
                          i32.lt_s
                          br_if $loop21
                        end  ;; $loop21
                      end  ;; $if20
                      local.get $lane
                      local.get $until
                      i32.lt_s
                      if $if26
                        loop $loop27
                          block $block28
                            local.get $base.shared_memory
                            local.get $lane
                            local.get $l30
                            i32.add
                            i32.const 4
                            i32.mul
                            i32.add
                            f32.load
                            local.set $l38
                            local.get $base.shared_memory
                            local.get $lane
                            i32.const 4
                            i32.mul
                            i32.add
                            f32.load
                            local.set $l40
                            local.get $base.shared_memory
                            local.get $lane
                            i32.const 4
                            i32.mul
                            i32.add
                            local.get $l40
                            local.get $l38
                            f32.add
                            f32.store
                            br $block28
                          end  ;; $block28
                          local.get $lane
                          i32.const 1
                          i32.add
                          local.set $lane
                          local.get $lane
                          local.get $until
                          i32.lt_s
                          br_if $loop27
                        end  ;; $loop27
                      end  ;; $if26
                    end  ;; $if19
                  else  ;; $if18
                    i32.const 0
                    local.set $lane
                    i64.const 0
                    local.set $low
                    local.get $on.0
                    i64.extend_i32_s
                    local.set $high
                    local.get $l30
                    i64.extend_i32_u
                    i64.const 0
                    i64.add
                    local.tee $l28
                    local.get $high
                    local.get $l28
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
                    if $if29
                      block $block30
                        loop $loop31
                          block $block32
                            local.get $lane
                            local.get $l30
                            i32.add
                            i64.extend_i32_u
                            i64.const 4
                            i64.mul
                            local.set $l28
                            local.get $l28
                            local.get $limit.shared_memory.4
                            i64.ge_u
                            if $if33
                              local.get $arguments
                              i32.const 1
                              i32.const 11
                              i32.const 2
                              local.get $first
                              local.get $lane
                              i32.add
                              i32.const 0
                              local.get $l28
                              i64.const 4
                              call $fault
                              return
                            end  ;; $if33
                            local.get $base.shared_memory
                            local.get $l28
                            i32.wrap_i64
                            i32.add
                            f32.load
                            local.set $l38
                            local.get $base.shared_memory
                            local.get $lane
                            i32.const 4
                            i32.mul
                            i32.add
                            f32.load
                            local.set $l40
                            local.get $base.shared_memory
                            local.get $lane
                            i32.const 4
                            i32.mul
                            i32.add
                            local.get $l40
                            local.get $l38
                            f32.add
                            f32.store
                            br $block32
                          end  ;; $block32
                          local.get $lane
                          i32.const 1
                          i32.add
                          local.set $lane
                          local.get $lane
                          local.get $until
                          i32.lt_s
                          br_if $loop31
                        end  ;; $loop31
                      end  ;; $block30
                    end  ;; $if29
                  end  ;; $if18
                  local.get $l30
                  i32.const 1
                  i32.shr_u
                  local.set $l30
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
                  br $loop14
                end  ;; $if17
              end  ;; $loop14
            end  ;; $block13
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
            if $if35
              i32.const 0
              local.set $lane
              i64.const 0
              local.set $low
              i32.const 0
              i64.extend_i32_u
              i64.const 0
              i64.add
              local.tee $l28
              local.get $low
              local.get $l28
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
              local.tee $l28
              local.get $high
              local.get $l28
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
              if $if36
                local.get $lane
                i32.const 3
                i32.add
                local.get $until
                i32.lt_s
                if $if37
                  loop $loop38
                    block $block39
                      local.get $base.shared_memory
                      f32.load
                      local.set $l42
                      local.get $base.buffer_y
                      local.get $BLOCK_IDX_X
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l42
                      f32.store
                      br $block39
                    end  ;; $block39
                    local.get $lane
                    i32.const 1
                    i32.add
                    local.set $lane
                    block $block40
                      local.get $base.shared_memory
                      f32.load
                      local.set $l42
                      local.get $base.buffer_y
                      local.get $BLOCK_IDX_X
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l42
                      f32.store
                      br $block40
                    end  ;; $block40
                    local.get $lane
                    i32.const 1
                    i32.add
                    local.set $lane
                    block $block41
                      local.get $base.shared_memory
                      f32.load
                      local.set $l42
                      local.get $base.buffer_y
                      local.get $BLOCK_IDX_X
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l42
                      f32.store
                      br $block41
                    end  ;; $block41
                    local.get $lane
                    i32.const 1
                    i32.add
                    local.set $lane
                    block $block42
                      local.get $base.shared_memory
                      f32.load
                      local.set $l42
                      local.get $base.buffer_y
                      local.get $BLOCK_IDX_X
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l42
                      f32.store
                      br $block42
                    end  ;; $block42
                    local.get $lane
                    i32.const 1
                    i32.add
                    local.set $lane
                    local.get $lane
                    i32.const 3
                    i32.add
                    local.get $until
                    i32.lt_s
                    br_if $loop38
                  end  ;; $loop38
                end  ;; $if37
                local.get $lane
                local.get $until
                i32.lt_s
                if $if43
                  loop $loop44
                    block $block45
                      local.get $base.shared_memory
                      f32.load
                      local.set $l42
                      local.get $base.buffer_y
                      local.get $BLOCK_IDX_X
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l42
                      f32.store
                      br $block45
                    end  ;; $block45
                    local.get $lane
                    i32.const 1
                    i32.add
                    local.set $lane
                    local.get $lane
                    local.get $until
                    i32.lt_s
                    br_if $loop44
                  end  ;; $loop44
                end  ;; $if43
              end  ;; $if36
            else  ;; $if35
              i32.const 0
              local.set $lane
              i64.const 0
              local.set $low
              i32.const 0
              i64.extend_i32_u
              i64.const 0
              i64.add
              local.tee $l28
              local.get $low
              local.get $l28
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
              local.tee $l28
              local.get $high
              local.get $l28
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
              if $if46
                block $block47
                  loop $loop48
                    block $block49
                      i64.const 0
                      i64.const 4
                      i64.mul
                      local.set $l28
                      local.get $l28
                      local.get $limit.shared_memory.4
                      i64.ge_u
                      if $if50
                        local.get $arguments
                        i32.const 1
                        i32.const 19
                        i32.const 2
                        local.get $first
                        local.get $lane
                        i32.add
                        i32.const 0
                        local.get $l28
                        i64.const 4
                        call $fault
                        return
                      end  ;; $if50
                      local.get $base.shared_memory
                      local.get $l28
                      i32.wrap_i64
                      i32.add
                      f32.load
                      local.set $l42
                      local.get $BLOCK_IDX_X
                      i64.extend_i32_u
                      i64.const 4
                      i64.mul
                      local.set $l28
                      local.get $l28
                      local.get $limit.buffer_y.4
                      i64.ge_u
                      if $if51
                        local.get $arguments
                        i32.const 1
                        i32.const 20
                        i32.const 1
                        local.get $first
                        local.get $lane
                        i32.add
                        i32.const 0
                        local.get $l28
                        i64.const 4
                        call $fault
                        return
                      end  ;; $if51
                      local.get $base.buffer_y
                      local.get $l28
                      i32.wrap_i64
                      i32.add
                      local.get $l42
                      f32.store
                      br $block49
                    end  ;; $block49
                    local.get $lane
                    i32.const 1
                    i32.add
                    local.set $lane
                    local.get $lane
                    local.get $until
                    i32.lt_s
                    br_if $loop48
                  end  ;; $loop48
                end  ;; $block47
              end  ;; $if46
            end  ;; $if35
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
        if $if52
          i32.const 0
          local.set $BLOCK_IDX_X
          local.get $BLOCK_IDX_Y
          i32.const 1
          i32.add
          local.set $BLOCK_IDX_Y
          local.get $BLOCK_IDX_Y
          local.get $grid.1
          i32.ge_u
          if $if53
            i32.const 0
            local.set $BLOCK_IDX_Y
            local.get $BLOCK_IDX_Z
            i32.const 1
            i32.add
            local.set $BLOCK_IDX_Z
          end  ;; $if53
        end  ;; $if52
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
  (func $fault (type $t2)  ;; 51 bytes at 0x751
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
  (func $look (type $t3)  ;; 57 bytes at 0x785
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
)
