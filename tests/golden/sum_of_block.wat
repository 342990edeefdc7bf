(module
  (type $t0 (func (param i32 i32 i32)))
  (type $t1 (func (param i32 i32 i32 i32 i32 i32 i64 i64)))
  (import "env" "memory" (memory 1 65536))
  (func $kernel (export "kernel") (type $t0)  ;; 1451 bytes at 0x47
    (param $arguments i32) (param $begin i32) (param $end i32)
    (local $base.buffer_x i32) (local $base.buffer_y i32) (local $limit.buffer_x.4 i64)
    (local $limit.shared_memory.4 i64) (local $limit.buffer_y.4 i64) (local $base.shared_memory i32)
    (local $block i32) (local $rest i32) (local $grid.0 i32) (local $BLOCK_IDX_X i32)
    (local $grid.1 i32) (local $BLOCK_IDX_Y i32) (local $BLOCK_IDX_Z i32) (local $span i32)
    (local $on.0 i32) (local $l18 i32) (local $on.1 i32) (local $on.2 i32) (local $first i32)
    (local $taken i64) (local $least_lane i32) (local $budget i64) (local $least i64)
    (local $lane i32) (local $l27 f32) (local $l28 i64) (local $l29 i32) (local $l30 i64)
    (local $l31 i64) (local $l32 i64) (local $l33 f32) (local $l34 f32) (local $l35 i64)
    (local $l36 f32)
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
            i64.const 9223372036854775807
            local.set $least
            i32.const 1
            i64.const 0
            local.get $first
            i64.extend_i32_u
            i64.const 4
            i64.mul
            i64.le_s
            i32.and
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
                  f32.load
                  local.set $l27
                  local.get $base.shared_memory
                  local.get $lane
                  i32.const 4
                  i32.mul
                  i32.add
                  local.get $l27
                  f32.store
                  local.get $budget
                  local.tee $l28
                  local.get $least
                  i64.lt_s
                  if $if8
                    local.get $l28
                    local.set $least
                    local.get $lane
                    local.set $least_lane
                  end  ;; $if8
                  br $block7
                end  ;; $block7
                local.get $lane
                i32.const 1
                i32.add
                local.tee $lane
                local.get $on.0
                i32.lt_s
                br_if $loop6
              end  ;; $loop6
            else  ;; $if5
              i32.const 0
              local.set $lane
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
                  local.set $l27
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
                  local.get $l27
                  f32.store
                  local.get $budget
                  local.tee $l28
                  local.get $least
                  i64.lt_s
                  if $if13
                    local.get $l28
                    local.set $least
                    local.get $lane
                    local.set $least_lane
                  end  ;; $if13
                  br $block10
                end  ;; $block10
                local.get $lane
                i32.const 1
                i32.add
                local.tee $lane
                local.get $on.0
                i32.lt_s
                br_if $loop9
              end  ;; $loop9
            end  ;; $if5
            i32.const 128
            local.set $l29
            block $block14
              loop $loop15
                local.get $arguments
                i32.atomic.load offset=24
                if $if16
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
                end  ;; $if16
                local.get $l29
                i32.const 0
                i32.eq
                if $if17
                  br $block14
                else  ;; $if17
                  i64.const 9223372036854775807
                  local.set $least
                  local.get $l29
                  i64.extend_i32_u
                  local.set $l30
                  local.get $on.0
                  i32.const 1
                  i32.sub
                  i64.extend_i32_u
                  local.set $l28
                  local.get $l30
                  i64.const -1
                  i64.add
                  local.set $l31
                  local.get $l28
                  local.get $l31
                  local.get $l28
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
                  i64.const 0
                  i64.const 0
                  local.get $l30
                  local.set $l28
                  i64.const 1
                  local.set $l31
                  local.get $l28
                  local.get $l31
                  local.get $l28
                  local.get $l31
                  i64.gt_s
                  select
                  i64.add
                  i64.const 4
                  i64.mul
                  i64.le_s
                  i32.and
                  local.get $l32
                  i64.const 4
                  i64.mul
                  local.get $limit.shared_memory.4
                  i64.lt_s
                  i32.and
                  if $if18
                    i32.const 0
                    local.set $lane
                    loop $loop19
                      block $block20
                        block $block21
                          local.get $l29
                          local.get $lane
                          i32.le_u
                          if $if22
                            br $block21
                          else  ;; $if22
                            local.get $base.shared_memory
                            local.get $lane
                            local.get $l29
                            i32.add
                            i32.const 4
                            i32.mul
                            i32.add
                            f32.load
                            local.set $l33
                            local.get $base.shared_memory
                            local.get $lane
                            i32.const 4
                            i32.mul
                            i32.add
                            f32.load
                            local.set $l34
                            local.get $base.shared_memory
                            local.get $lane
                            i32.const 4
                            i32.mul
                            i32.add
                            local.get $l34
                            local.get $l33
                            f32.add
                            f32.store
                            br $block21
                          end  ;; $if22
                        end  ;; $block21
                        local.get $budget
                        local.tee $l28
                        local.get $least
                        i64.lt_s
                        if $if23
                          local.get $l28
                          local.set $least
                          local.get $lane
                          local.set $least_lane
                        end  ;; $if23
                        br $block20
                      end  ;; $block20
                      local.get $lane
                      i32.const 1
                      i32.add
                      local.tee $lane
                      local.get $on.0
                      i32.lt_s
                      br_if $loop19
                    end  ;; $loop19
                  else  ;; $if18
                    i32.const 0
                    local.set $lane
                    loop $loop24
                      block $block25
                        block $block26
                          local.get $l29
                          local.get $lane
                          i32.le_u
                          if $if27
                            br $block26
                          else  ;; $if27
                            local.get $lane
                            local.get $l29
                            i32.add
                            i64.extend_i32_u
                            i64.const 4
                            i64.mul
                            local.set $l28
                            local.get $l28
                            local.get $limit.shared_memory.4
                            i64.ge_u
                            if $if28
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
                            end  ;; $if28
                            local.get $base.shared_memory
                            local.get $l28
                            i32.wrap_i64
                            i32.add
                            f32.load
                            local.set $l33
                            local.get $base.shared_memory
                            local.get $lane
                            i32.const 4
                            i32.mul
                            i32.add
                            f32.load
                            local.set $l34
                            local.get $base.shared_memory
                            local.get $lane
                            i32.const 4
                            i32.mul
                            i32.add
                            local.get $l34
                            local.get $l33
                            f32.add
                            f32.store
                            br $block26
                          end  ;; $if27
                        end  ;; $block26
                        local.get $budget
                        local.tee $l28
                        local.get $least
                        i64.lt_s
                        if $if29
                          local.get $l28
                          local.set $least
                          local.get $lane
                          local.set $least_lane
                        end  ;; $if29
                        br $block25
                      end  ;; $block25
                      local.get $lane
                      i32.const 1
                      i32.add
                      local.tee $lane
                      local.get $on.0
                      i32.lt_s
                      br_if $loop24
                    end  ;; $loop24
                  end  ;; $if18
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
                  if $if30
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
                  end  ;; $if30
                  br $loop15
                end  ;; $if17
              end  ;; $loop15
            end  ;; $block14
            local.get $BLOCK_IDX_X
            i64.extend_i32_u
            i64.const 4
            i64.mul
            local.set $l35
            i32.const 1
            i64.const 0
            local.get $limit.shared_memory.4
            i64.lt_s
            i32.and
            i64.const 0
            local.get $l35
            i64.le_s
            i32.and
            local.get $l35
            local.get $limit.buffer_y.4
            i64.lt_s
            i32.and
            if $if31
              i32.const 0
              local.set $lane
              loop $loop32
                block $block33
                  block $block34
                    local.get $lane
                    i32.const 0
                    i32.eq
                    i32.eqz
                    if $if35
                      br $block34
                    else  ;; $if35
                      i64.const 0
                      local.set $l28
                      local.get $l28
                      i32.wrap_i64
                      i32.const 3
                      i32.and
                      if $if36
                        local.get $arguments
                        i32.const 3
                        i32.const 19
                        i32.const 2
                        local.get $first
                        local.get $lane
                        i32.add
                        i32.const 0
                        local.get $l28
                        i64.const 0
                        call $fault
                        return
                      end  ;; $if36
                      local.get $base.shared_memory
                      local.get $l28
                      i32.wrap_i64
                      i32.add
                      f32.load
                      local.set $l36
                      local.get $base.buffer_y
                      local.get $BLOCK_IDX_X
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get $l36
                      f32.store
                      br $block34
                    end  ;; $if35
                  end  ;; $block34
                  br $block33
                end  ;; $block33
                local.get $lane
                i32.const 1
                i32.add
                local.tee $lane
                local.get $on.0
                i32.lt_s
                br_if $loop32
              end  ;; $loop32
            else  ;; $if31
              i32.const 0
              local.set $lane
              loop $loop37
                block $block38
                  block $block39
                    local.get $lane
                    i32.const 0
                    i32.eq
                    i32.eqz
                    if $if40
                      br $block39
                    else  ;; $if40
                      i64.const 0
                      local.set $l28
                      local.get $l28
                      local.get $limit.shared_memory.4
                      i64.ge_u
                      if $if41
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
                      end  ;; $if41
                      local.get $l28
                      i32.wrap_i64
                      i32.const 3
                      i32.and
                      if $if42
                        local.get $arguments
                        i32.const 3
                        i32.const 19
                        i32.const 2
                        local.get $first
                        local.get $lane
                        i32.add
                        i32.const 0
                        local.get $l28
                        i64.const 0
                        call $fault
                        return
                      end  ;; $if42
                      local.get $base.shared_memory
                      local.get $l28
                      i32.wrap_i64
                      i32.add
                      f32.load
                      local.set $l36
                      local.get $BLOCK_IDX_X
                      i64.extend_i32_u
                      i64.const 4
                      i64.mul
                      local.set $l28
                      local.get $l28
                      local.get $limit.buffer_y.4
                      i64.ge_u
                      if $if43
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
                      end  ;; $if43
                      local.get $base.buffer_y
                      local.get $l28
                      i32.wrap_i64
                      i32.add
                      local.get $l36
                      f32.store
                      br $block39
                    end  ;; $if40
                  end  ;; $block39
                  br $block38
                end  ;; $block38
                local.get $lane
                i32.const 1
                i32.add
                local.tee $lane
                local.get $on.0
                i32.lt_s
                br_if $loop37
              end  ;; $loop37
            end  ;; $if31
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
        if $if44
          i32.const 0
          local.set $BLOCK_IDX_X
          local.get $BLOCK_IDX_Y
          i32.const 1
          i32.add
          local.set $BLOCK_IDX_Y
          local.get $BLOCK_IDX_Y
          local.get $grid.1
          i32.ge_u
          if $if45
            i32.const 0
            local.set $BLOCK_IDX_Y
            local.get $BLOCK_IDX_Z
            i32.const 1
            i32.add
            local.set $BLOCK_IDX_Z
          end  ;; $if45
        end  ;; $if44
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
  (func $fault (type $t1)  ;; 51 bytes at 0x5f3
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
