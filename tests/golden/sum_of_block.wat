(module
  (type $t0 (func (param i32 i32 i32)))
  (type $t1 (func (param i32 i32 i32 i32 i32 i32 i64 i64)))
  (import "env" "memory" (memory 1 65536))
  (func $kernel (export "kernel") (type $t0)  ;; 1761 bytes at 0x47
    (param $arguments i32) (param $begin i32) (param $end i32)
    (local $base.buffer_x i32) (local $base.buffer_y i32) (local $limit.buffer_x.4 i64)
    (local $limit.shared_memory.4 i64) (local $limit.buffer_y.4 i64) (local $base.shared_memory i32)
    (local $block i32) (local $rest i32) (local $grid.0 i32) (local $BLOCK_IDX_X i32)
    (local $grid.1 i32) (local $BLOCK_IDX_Y i32) (local $BLOCK_IDX_Z i32) (local $span i32)
    (local $on.0 i32) (local $l18 i32) (local $on.1 i32) (local $on.2 i32) (local $first i32)
    (local $taken i64) (local $least_lane i32) (local $budget i64) (local $least i64)
    (local $lane i32) (local $l27 i64) (local $l28 f32) (local $l29 i32) (local $l30 i64)
    (local $l31 i64) (local $l32 i64) (local $low i64) (local $high i64) (local $until i32)
    (local $l36 i32) (local $l37 f32) (local $l38 i32) (local $l39 f32) (local $l40 i32)
    (local $l41 f32)
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
      i32.const 1
      local.set $span
      loop $loop1
        local.get $arguments
        i32.atomic.load offset=24
        if $if2
          local.get $arguments
          i32.const 9
          i32.const -1
          i32.const -1
          i32.const -1
          i32.const 0
          i64.const 0
          i64.const 0
          call $fault
          return
        end  ;; $if2
        block $block3
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
          br_if $block3
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
          br_if $block3
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
          br_if $block3
          local.get $base.shared_memory
          i32.const 0
          local.get $arguments
          i32.load offset=56
          memory.fill
          local.get $block
          i32.const 256
          i32.mul
          local.set $first
          block $block4
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
            if $if5
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
              block $block6
              end  ;; $block6
            else  ;; $if5
              i32.const 0
              local.set $lane
              block $block7
                loop $loop8
                  block $block9
                    local.get $first
                    local.get $lane
                    i32.add
                    i64.extend_i32_u
                    i64.const 4
                    i64.mul
                    local.set $l27
                    local.get $l27
                    local.get $limit.buffer_x.4
                    i64.ge_u
                    if $if10
                      local.get $arguments
                      i32.const 1
                      i32.const 0
                      i32.const 0
                      local.get $first
                      local.get $lane
                      i32.add
                      i32.const 0
                      local.get $l27
                      i64.const 4
                      call $fault
                      return
                    end  ;; $if10
                    local.get $base.buffer_x
                    local.get $l27
                    i32.wrap_i64
                    i32.add
                    f32.load
                    local.set $l28
                    local.get $lane
                    i64.extend_i32_u
                    i64.const 4
                    i64.mul
                    local.set $l27
                    local.get $l27
                    local.get $limit.shared_memory.4
                    i64.ge_u
                    if $if11
                      local.get $arguments
                      i32.const 1
                      i32.const 1
                      i32.const 2
                      local.get $first
                      local.get $lane
                      i32.add
                      i32.const 0
                      local.get $l27
                      i64.const 4
                      call $fault
                      return
                    end  ;; $if11
                    local.get $base.shared_memory
                    local.get $l27
                    i32.wrap_i64
                    i32.add
                    local.get $l28
                    f32.store
                    br $block9
                  end  ;; $block9
                  local.get $lane
                  i32.const 1
                  i32.add
                  local.set $lane
                  local.get $lane
                  local.get $on.0
                  i32.lt_s
                  br_if $loop8
                end  ;; $loop8
              end  ;; $block7
            end  ;; $if5
            i32.const 128
            local.set $l29
            block $block12
              loop $loop13
                local.get $arguments
                i32.atomic.load offset=24
                if $if14
                  local.get $arguments
                  i32.const 9
                  i32.const -1
                  i32.const -1
                  i32.const -1
                  i32.const 0
                  i64.const 0
                  i64.const 0
                  call $fault
                  return
                end  ;; $if14
                local.get $l29
                i32.const 0
                i32.eq
                if $if15
                  br $block12
                else  ;; $if15
                  local.get $l29
                  i64.extend_i32_u
                  local.set $l30
                  local.get $on.0
                  i32.const 1
                  i32.sub
                  i64.extend_i32_u
                  local.set $l27
                  local.get $l30
                  i64.const -1
                  i64.add
                  local.set $l31
                  local.get $l27
                  local.get $l31
                  local.get $l27
                  local.get $l31
                  i64.lt_s
                  select
                  local.get $l30
                  i64.add
                  local.set $l32
                  i32.const 1
                  local.get $l32
                  i64.const 4294967295
                  i64.le_s
                  i32.and
                  local.get $l32
                  i64.const 4
                  i64.mul
                  local.get $limit.shared_memory.4
                  i64.lt_s
                  i32.and
                  if $if16
                    i32.const 0
                    local.set $lane
                    i64.const 0
                    local.set $low
                    local.get $on.0
                    i64.extend_i32_s
                    local.set $high
                    local.get $l29
                    i64.extend_i32_u
                    i64.const 0
                    i64.add
                    local.tee $l27
                    local.get $high
                    local.get $l27
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
                    if $if17
                      local.get $lane
                      i32.const 3
                      i32.add
                      local.get $until
                      i32.lt_s
                      if $if18
                        loop $loop19
                          block $block20
                            local.get $base.shared_memory
                            local.get $lane
                            local.get $l29
                            i32.add
                            i32.const 4
                            i32.mul
                            i32.add
                            local.tee $l36
                            f32.load
                            local.set $l37
                            local.get $base.shared_memory
                            local.get $lane
                            i32.const 4
                            i32.mul
                            i32.add
                            local.tee $l38
                            f32.load
                            local.set $l39
                            local.get $base.shared_memory
                            local.get $lane
                            i32.const 4
                            i32.mul
                            i32.add
                            local.tee $l40
                            local.get $l39
                            local.get $l37
                            f32.add
                            f32.store
                            br $block20
                          end  ;; $block20
                          local.get $lane
                          i32.const 1
                          i32.add
                          local.set $lane
                          block $block21
                            local.get $l36
                            f32.load offset=4
                            local.set $l37
                            local.get $l38
                            f32.load offset=4
                            local.set $l39
                            local.get $l40
                            local.get $l39
                            local.get $l37
                            f32.add
                            f32.store offset=4
                            br $block21
                          end  ;; $block21
                          local.get $lane
                          i32.const 1
                          i32.add
                          local.set $lane
                          block $block22
                            local.get $l36
                            f32.load offset=8
                            local.set $l37
                            local.get $l38
                            f32.load offset=8
                            local.set $l39
                            local.get $l40
                            local.get $l39
                            local.get $l37
                            f32.add
                            f32.store offset=8
                            br $block22
                          end  ;; $block22
                          local.get $lane
                          i32.const 1
                          i32.add
                          local.set $lane
                          block $block23
                            local.get $l36
                            f32.load offset=12
                            local.set $l37
                            local.get $l38
                            f32.load offset=12
                            local.set $l39
                            local.get $l40
                            local.get $l39
                            local.get $l37
                            f32.add
                            f32.store offset=12
                            br $block23
                          end  ;; $block23
                          local.get $lane
                          i32.const 1
                          i32.add
                          local.set $lane
                          local.get $lane
                          i32.const 3
                          i32.add
                          local.get $until
                          i32.lt_s
                          br_if $loop19
                        end  ;; $loop19
                      end  ;; $if18
                      local.get $lane
                      local.get $until
                      i32.lt_s
                      if $if24
                        loop $loop25
                          block $block26
                            local.get $base.shared_memory
                            local.get $lane
                            local.get $l29
                            i32.add
                            i32.const 4
                            i32.mul
                            i32.add
                            f32.load
                            local.set $l37
                            local.get $base.shared_memory
                            local.get $lane
                            i32.const 4
                            i32.mul
                            i32.add
                            f32.load
                            local.set $l39
                            local.get $base.shared_memory
                            local.get $lane
                            i32.const 4
                            i32.mul
                            i32.add
                            local.get $l39
                            local.get $l37
                            f32.add
                            f32.store
                            br $block26
                          end  ;; $block26
                          local.get $lane
                          i32.const 1
                          i32.add
                          local.set $lane
                          local.get $lane
                          local.get $until
                          i32.lt_s
                          br_if $loop25
                        end  ;; $loop25
                      end  ;; $if24
                    end  ;; $if17
                  else  ;; $if16
                    i32.const 0
                    local.set $lane
                    i64.const 0
                    local.set $low
                    local.get $on.0
                    i64.extend_i32_s
                    local.set $high
                    local.get $l29
                    i64.extend_i32_u
                    i64.const 0
                    i64.add
                    local.tee $l27
                    local.get $high
                    local.get $l27
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
                    if $if27
                      block $block28
                        loop $loop29
                          block $block30
                            local.get $lane
                            local.get $l29
                            i32.add
                            i64.extend_i32_u
                            i64.const 4
                            i64.mul
                            local.set $l27
                            local.get $l27
                            local.get $limit.shared_memory.4
                            i64.ge_u
                            if $if31
                              local.get $arguments
                              i32.const 1
                              i32.const 11
                              i32.const 2
                              local.get $first
                              local.get $lane
                              i32.add
                              i32.const 0
                              local.get $l27
                              i64.const 4
                              call $fault
                              return
                            end  ;; $if31
                            local.get $base.shared_memory
                            local.get $l27
                            i32.wrap_i64
                            i32.add
                            f32.load
                            local.set $l37
                            local.get $base.shared_memory
                            local.get $lane
                            i32.const 4
                            i32.mul
                            i32.add
                            f32.load
                            local.set $l39
                            local.get $base.shared_memory
                            local.get $lane
                            i32.const 4
                            i32.mul
                            i32.add
                            local.get $l39
                            local.get $l37
                            f32.add
                            f32.store
                            br $block30
                          end  ;; $block30
                          local.get $lane
                          i32.const 1
                          i32.add
                          local.set $lane
                          local.get $lane
                          local.get $until
                          i32.lt_s
                          br_if $loop29
                        end  ;; $loop29
                      end  ;; $block28
                    end  ;; $if27
                  end  ;; $if16
                  local.get $l29
                  i32.const 1
                  i32.shr_u
                  local.set $l29
                  local.get $taken
                  i64.const 1
                  i64.add
                  local.tee $taken
                  local.get $least
                  i64.ge_s
                  if $if32
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
                  end  ;; $if32
                  br $loop13
                end  ;; $if15
              end  ;; $loop13
            end  ;; $block12
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
            if $if33
              i32.const 0
              local.set $lane
              i64.const 0
              local.set $low
              i32.const 0
              i64.extend_i32_u
              i64.const 0
              i64.add
              local.tee $l27
              local.get $low
              local.get $l27
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
              local.tee $l27
              local.get $high
              local.get $l27
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
              if $if34
                local.get $lane
                i32.const 3
                i32.add
                local.get $until
                i32.lt_s
                if $if35
                  loop $loop36
                    block $block37
                      local.get $base.shared_memory
                      f32.load
                      local.set $l41
                      local.get $base.buffer_y
                      local.get $BLOCK_IDX_X
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l41
                      f32.store
                      br $block37
                    end  ;; $block37
                    local.get $lane
                    i32.const 1
                    i32.add
                    local.set $lane
                    block $block38
                      local.get $base.shared_memory
                      f32.load
                      local.set $l41
                      local.get $base.buffer_y
                      local.get $BLOCK_IDX_X
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l41
                      f32.store
                      br $block38
                    end  ;; $block38
                    local.get $lane
                    i32.const 1
                    i32.add
                    local.set $lane
                    block $block39
                      local.get $base.shared_memory
                      f32.load
                      local.set $l41
                      local.get $base.buffer_y
                      local.get $BLOCK_IDX_X
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l41
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
                      local.set $l41
                      local.get $base.buffer_y
                      local.get $BLOCK_IDX_X
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l41
                      f32.store
                      br $block40
                    end  ;; $block40
                    local.get $lane
                    i32.const 1
                    i32.add
                    local.set $lane
                    local.get $lane
                    i32.const 3
                    i32.add
                    local.get $until
                    i32.lt_s
                    br_if $loop36
                  end  ;; $loop36
                end  ;; $if35
                local.get $lane
                local.get $until
                i32.lt_s
                if $if41
                  loop $loop42
                    block $block43
                      local.get $base.shared_memory
                      f32.load
                      local.set $l41
                      local.get $base.buffer_y
                      local.get $BLOCK_IDX_X
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l41
                      f32.store
                      br $block43
                    end  ;; $block43
                    local.get $lane
                    i32.const 1
                    i32.add
                    local.set $lane
                    local.get $lane
                    local.get $until
                    i32.lt_s
                    br_if $loop42
                  end  ;; $loop42
                end  ;; $if41
              end  ;; $if34
            else  ;; $if33
              i32.const 0
              local.set $lane
              i64.const 0
              local.set $low
              i32.const 0
              i64.extend_i32_u
              i64.const 0
              i64.add
              local.tee $l27
              local.get $low
              local.get $l27
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
              local.tee $l27
              local.get $high
              local.get $l27
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
                  loop $loop46
                    block $block47
                      i64.const 0
                      i64.const 4
                      i64.mul
                      local.set $l27
                      local.get $l27
                      local.get $limit.shared_memory.4
                      i64.ge_u
                      if $if48
                        local.get $arguments
                        i32.const 1
                        i32.const 19
                        i32.const 2
                        local.get $first
                        local.get $lane
                        i32.add
                        i32.const 0
                        local.get $l27
                        i64.const 4
                        call $fault
                        return
                      end  ;; $if48
                      local.get $base.shared_memory
                      local.get $l27
                      i32.wrap_i64
                      i32.add
                      f32.load
                      local.set $l41
                      local.get $BLOCK_IDX_X
                      i64.extend_i32_u
                      i64.const 4
                      i64.mul
                      local.set $l27
                      local.get $l27
                      local.get $limit.buffer_y.4
                      i64.ge_u
                      if $if49
                        local.get $arguments
                        i32.const 1
                        i32.const 20
                        i32.const 1
                        local.get $first
                        local.get $lane
                        i32.add
                        i32.const 0
                        local.get $l27
                        i64.const 4
                        call $fault
                        return
                      end  ;; $if49
                      local.get $base.buffer_y
                      local.get $l27
                      i32.wrap_i64
                      i32.add
                      local.get $l41
                      f32.store
                      br $block47
                    end  ;; $block47
                    local.get $lane
                    i32.const 1
                    i32.add
                    local.set $lane
                    local.get $lane
                    local.get $until
                    i32.lt_s
                    br_if $loop46
                  end  ;; $loop46
                end  ;; $block45
              end  ;; $if44
            end  ;; $if33
            br $block4
          end  ;; $block4
        end  ;; $block3
        local.get $BLOCK_IDX_X
        local.get $span
        i32.add
        local.set $BLOCK_IDX_X
        local.get $BLOCK_IDX_X
        local.get $grid.0
        i32.ge_u
        if $if50
          i32.const 0
          local.set $BLOCK_IDX_X
          local.get $BLOCK_IDX_Y
          i32.const 1
          i32.add
          local.set $BLOCK_IDX_Y
          local.get $BLOCK_IDX_Y
          local.get $grid.1
          i32.ge_u
          if $if51
            i32.const 0
            local.set $BLOCK_IDX_Y
            local.get $BLOCK_IDX_Z
            i32.const 1
            i32.add
            local.set $BLOCK_IDX_Z
          end  ;; $if51
        end  ;; $if50
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
  (func $fault (type $t1)  ;; 51 bytes at 0x729
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
)
