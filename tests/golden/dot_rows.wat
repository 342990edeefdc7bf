(module
  (type $t0 (func (param i32 i32 i32)))
  (type $t1 (func (param i32 i32 i32 i32 i32 i32 i64 i64)))
  (import "env" "memory" (memory 1 65536))
  (func $kernel (export "kernel") (type $t0)  ;; 1057 bytes at 0x47
    (param $arguments i32) (param $begin i32) (param $end i32)
    (local $param.rows i32) (local $param.n i32) (local $base.buffer_x i32)
    (local $base.buffer_y i32) (local $limit.buffer_x.4 i64) (local $limit.buffer_y.4 i64)
    (local $block i32) (local $rest i32) (local $grid.0 i32) (local $BLOCK_IDX_X i32)
    (local $grid.1 i32) (local $BLOCK_IDX_Y i32) (local $BLOCK_IDX_Z i32) (local $span i32)
    (local $on.0 i32) (local $l18 i32) (local $on.1 i32) (local $on.2 i32) (local $start i32)
    (local $stop i32) (local $l23 i64) (local $l24 i64) (local $l25 i64) (local $l26 i64)
    (local $l27 i64) (local $l28 i64) (local $l29 i64) (local $lane i32) (local $budget i64)
    (local $l32 i32) (local $l33 i32) (local $l34 i32) (local $l35 i32)
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
      local.get $arguments
      i32.load offset=36
      local.get $arguments
      i32.load offset=40
      i32.mul
      i32.const 1
      i32.eq
      if $if1
        i32.const 64
        local.set $span
      end  ;; $if1
      loop $loop2
        local.get $arguments
        i32.atomic.load offset=24
        if $if3
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
        end  ;; $if3
        block $block4
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
          local.tee $l18
          local.get $on.0
          local.get $l18
          local.get $on.0
          i32.lt_s
          select
          local.set $on.0
          local.get $end
          local.get $block
          i32.sub
          i32.const 256
          i32.mul
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
          br_if $block4
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
          br_if $block4
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
          br_if $block4
          local.get $block
          i32.const 256
          i32.mul
          local.set $start
          local.get $start
          local.get $on.0
          i32.add
          local.set $stop
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
          local.get $start
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
          if $if5
            local.get $start
            local.set $lane
            block $block6
              loop $loop7
                block $block8
                  local.get $arguments
                  i64.load offset=64 align=4
                  local.set $budget
                  local.get $lane
                  i64.extend_i32_u
                  i32.wrap_i64
                  local.get $param.rows
                  i32.lt_u
                  if $if9
                    local.get $lane
                    i64.extend_i32_u
                    i32.wrap_i64
                    local.get $param.n
                    i32.mul
                    local.set $l32
                    i32.const 0
                    i32.const 0
                    local.set $l33
                    local.set $l34
                    block $block10
                      loop $loop11
                        local.get $param.n
                        local.get $l34
                        i32.le_u
                        if $if12
                          br $block10
                        else  ;; $if12
                          local.get $base.buffer_x
                          local.get $l32
                          local.get $l34
                          i32.add
                          i32.const 4
                          i32.mul
                          i32.add
                          i32.load
                          local.set $l35
                          local.get $l34
                          i32.const 1
                          i32.add
                          local.get $l35
                          local.get $l35
                          i32.mul
                          local.get $l33
                          i32.add
                          local.set $l33
                          local.set $l34
                          local.get $budget
                          i64.const 1
                          i64.sub
                          local.tee $budget
                          i32.wrap_i64
                          i32.const 65535
                          i32.and
                          i32.eqz
                          if $if13
                            local.get $budget
                            i64.eqz
                            if $if14
                              local.get $arguments
                              i32.const 6
                              i32.const 13
                              i32.const -1
                              local.get $lane
                              i32.const 0
                              i64.const 0
                              i64.const 0
                              call $fault
                              return
                            end  ;; $if14
                            local.get $arguments
                            i32.atomic.load offset=24
                            if $if15
                              local.get $arguments
                              i32.const 9
                              i32.const 13
                              i32.const -1
                              i32.const -1
                              i32.const 0
                              i64.const 0
                              i64.const 0
                              call $fault
                              return
                            end  ;; $if15
                          end  ;; $if13
                          br $loop11
                        end  ;; $if12
                      end  ;; $loop11
                    end  ;; $block10
                    local.get $base.buffer_y
                    local.get $lane
                    i64.extend_i32_u
                    i32.wrap_i64
                    i32.const 4
                    i32.mul
                    i32.add
                    local.get $l33
                    i32.store
                    br $block8
                  else  ;; $if9
                    br $block8
                  end  ;; $if9
                end  ;; $block8
                local.get $lane
                i32.const 1
                i32.add
                local.set $lane
                local.get $lane
                local.get $stop
                i32.lt_s
                br_if $loop7
              end  ;; $loop7
            end  ;; $block6
          else  ;; $if5
            local.get $start
            local.set $lane
            block $block16
              loop $loop17
                block $block18
                  local.get $arguments
                  i64.load offset=64 align=4
                  local.set $budget
                  local.get $lane
                  i64.extend_i32_u
                  i32.wrap_i64
                  local.get $param.rows
                  i32.lt_u
                  if $if19
                    local.get $lane
                    i64.extend_i32_u
                    i32.wrap_i64
                    local.get $param.n
                    i32.mul
                    local.set $l32
                    i32.const 0
                    i32.const 0
                    local.set $l33
                    local.set $l34
                    block $block20
                      loop $loop21
                        local.get $param.n
                        local.get $l34
                        i32.le_u
                        if $if22
                          br $block20
                        else  ;; $if22
                          local.get $l32
                          local.get $l34
                          i32.add
                          i64.extend_i32_u
                          i64.const 4
                          i64.mul
                          local.set $l24
                          local.get $l24
                          local.get $limit.buffer_x.4
                          i64.ge_u
                          if $if23
                            local.get $arguments
                            i32.const 1
                            i32.const 10
                            i32.const 0
                            local.get $lane
                            i32.const 0
                            local.get $l24
                            i64.const 4
                            call $fault
                            return
                          end  ;; $if23
                          local.get $base.buffer_x
                          local.get $l24
                          i32.wrap_i64
                          i32.add
                          i32.load
                          local.set $l35
                          local.get $l34
                          i32.const 1
                          i32.add
                          local.get $l35
                          local.get $l35
                          i32.mul
                          local.get $l33
                          i32.add
                          local.set $l33
                          local.set $l34
                          local.get $budget
                          i64.const 1
                          i64.sub
                          local.tee $budget
                          i32.wrap_i64
                          i32.const 65535
                          i32.and
                          i32.eqz
                          if $if24
                            local.get $budget
                            i64.eqz
                            if $if25
                              local.get $arguments
                              i32.const 6
                              i32.const 13
                              i32.const -1
                              local.get $lane
                              i32.const 0
                              i64.const 0
                              i64.const 0
                              call $fault
                              return
                            end  ;; $if25
                            local.get $arguments
                            i32.atomic.load offset=24
                            if $if26
                              local.get $arguments
                              i32.const 9
                              i32.const 13
                              i32.const -1
                              i32.const -1
                              i32.const 0
                              i64.const 0
                              i64.const 0
                              call $fault
                              return
                            end  ;; $if26
                          end  ;; $if24
                          br $loop21
                        end  ;; $if22
                      end  ;; $loop21
                    end  ;; $block20
                    local.get $lane
                    i64.extend_i32_u
                    i32.wrap_i64
                    i64.extend_i32_u
                    i64.const 4
                    i64.mul
                    local.set $l24
                    local.get $l24
                    local.get $limit.buffer_y.4
                    i64.ge_u
                    if $if27
                      local.get $arguments
                      i32.const 1
                      i32.const 14
                      i32.const 1
                      local.get $lane
                      i32.const 0
                      local.get $l24
                      i64.const 4
                      call $fault
                      return
                    end  ;; $if27
                    local.get $base.buffer_y
                    local.get $l24
                    i32.wrap_i64
                    i32.add
                    local.get $l33
                    i32.store
                    br $block18
                  else  ;; $if19
                    br $block18
                  end  ;; $if19
                end  ;; $block18
                local.get $lane
                i32.const 1
                i32.add
                local.set $lane
                local.get $lane
                local.get $stop
                i32.lt_s
                br_if $loop17
              end  ;; $loop17
            end  ;; $block16
          end  ;; $if5
        end  ;; $block4
        local.get $BLOCK_IDX_X
        local.get $span
        i32.add
        local.set $BLOCK_IDX_X
        local.get $BLOCK_IDX_X
        local.get $grid.0
        i32.ge_u
        if $if28
          i32.const 0
          local.set $BLOCK_IDX_X
          local.get $BLOCK_IDX_Y
          i32.const 1
          i32.add
          local.set $BLOCK_IDX_Y
          local.get $BLOCK_IDX_Y
          local.get $grid.1
          i32.ge_u
          if $if29
            i32.const 0
            local.set $BLOCK_IDX_Y
            local.get $BLOCK_IDX_Z
            i32.const 1
            i32.add
            local.set $BLOCK_IDX_Z
          end  ;; $if29
        end  ;; $if28
        local.get $block
        local.get $span
        i32.add
        local.tee $block
        local.get $end
        i32.lt_s
        br_if $loop2
      end  ;; $loop2
    end  ;; $if0
  )
  (func $fault (type $t1)  ;; 51 bytes at 0x469
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
