(module
  (type $t0 (func))
  (type $t1 (func (param i32 i32 i32)))
  (type $t2 (func (param i32 i32 i32 i32 i32 i32 i64 i64)))
  (type $t3 (func (param i32 i32) (result i64)))
  (type $t4 (func (param i32 i32 i32 i32) (result i64 i32 i32)))
  (import "env" "memory" (memory 1 65536))
  (import "env" "poll" (func $poll (type $t0)))
  (func $kernel (export "kernel") (type $t1)  ;; 1110 bytes at 0x67
    (param $arguments i32) (param $begin i32) (param $end i32)
    (local $ticks i64) (local $param.rows i32) (local $param.n i32) (local $base.buffer_x i32)
    (local $base.buffer_y i32) (local $limit.buffer_x.4 i64) (local $limit.buffer_y.4 i64)
    (local $block i32) (local $rest i32) (local $grid.0 i32) (local $BLOCK_IDX_X i32)
    (local $grid.1 i32) (local $BLOCK_IDX_Y i32) (local $BLOCK_IDX_Z i32) (local $span i32)
    (local $on.0 i32) (local $l19 i32) (local $l20 i32) (local $on.1 i32) (local $on.2 i32)
    (local $start i32) (local $stop i32) (local $l25 i64) (local $l26 i64) (local $l27 i64)
    (local $l28 i64) (local $l29 i64) (local $l30 i64) (local $l31 i64) (local $lane i32)
    (local $budget i64) (local $l34 i32) (local $l35 i32) (local $l36 i32) (local $l37 i32)
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
        local.get $ticks
        i64.const 278528
        i64.sub
        local.set $ticks
        local.get $ticks
        i64.const 0
        i64.lt_s
        if $if3
          local.get $arguments
          i32.const -1
          call $look
          local.set $ticks
          local.get $ticks
          i64.const 0
          i64.lt_s
          if $if4
            return
          end  ;; $if4
        end  ;; $if3
        block $block5
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
          local.tee $l19
          local.get $on.0
          local.get $l19
          local.get $on.0
          i32.lt_s
          select
          local.set $on.0
          local.get $end
          local.get $block
          i32.sub
          local.set $l19
          local.get $span
          local.tee $l20
          local.get $l19
          local.get $l20
          local.get $l19
          i32.lt_s
          select
          local.set $l19
          local.get $l19
          i32.const 256
          i32.mul
          local.tee $l20
          local.get $on.0
          local.get $l20
          local.get $on.0
          i32.lt_s
          select
          local.set $on.0
          local.get $on.0
          i32.const 0
          i32.le_s
          br_if $block5
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
          br_if $block5
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
          br_if $block5
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
          local.set $l25
          i64.const 0
          local.set $l26
          local.get $l25
          local.set $l27
          local.get $l26
          local.get $l27
          local.get $l26
          local.get $l27
          i64.gt_s
          select
          local.set $l28
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
          local.set $l26
          local.get $param.rows
          i64.extend_i32_u
          i64.const -1
          i64.add
          local.set $l27
          local.get $l26
          local.get $l27
          local.get $l26
          local.get $l27
          i64.lt_s
          select
          local.set $l29
          local.get $l29
          local.get $l25
          i64.mul
          local.set $l30
          local.get $l30
          local.get $l28
          local.set $l26
          local.get $l25
          i64.const -1
          i64.add
          local.set $l27
          local.get $l26
          local.get $l27
          local.get $l26
          local.get $l27
          i64.lt_s
          select
          i64.add
          local.set $l31
          i32.const 1
          local.get $l28
          i64.const 1
          i64.add
          i64.const 4294967295
          i64.le_s
          i32.and
          local.get $l25
          i64.const 2147483648
          i64.le_s
          i32.and
          local.get $l30
          i64.const 4294967295
          i64.le_s
          i32.and
          local.get $l31
          i64.const 4294967295
          i64.le_s
          i32.and
          local.get $l31
          i64.const 4
          i64.mul
          local.get $limit.buffer_x.4
          i64.lt_s
          i32.and
          local.get $l29
          i64.const 4
          i64.mul
          local.get $limit.buffer_y.4
          i64.lt_s
          i32.and
          if $if6
            local.get $start
            local.set $lane
            block $block7
              loop $loop8
                block $block9
                  local.get $arguments
                  i64.load offset=64 align=4
                  local.set $budget
                  local.get $lane
                  i64.extend_i32_u
                  i32.wrap_i64
                  local.get $param.rows
                  i32.lt_u
                  if $if10
                    local.get $lane
                    i64.extend_i32_u
                    i32.wrap_i64
                    local.get $param.n
                    i32.mul
                    local.set $l34
                    i32.const 0
                    i32.const 0
                    local.set $l35
                    local.set $l36
                    block $block11
                      block $block12
                        loop $loop13
                          block $block14
                            loop $loop15
                              local.get $param.n
                              local.get $l36
                              i32.le_u
                              if $if16
                                br $block11
                              else  ;; $if16
                                local.get $base.buffer_x
                                local.get $l34
                                local.get $l36
                                i32.add
                                i32.const 4
                                i32.mul
                                i32.add
                                i32.load
                                local.set $l37
                                local.get $l36
                                i32.const 1
                                i32.add
                                local.get $l37
                                local.get $l37
                                i32.mul
                                local.get $l35
                                i32.add
                                local.set $l35
                                local.set $l36
                                local.get $budget
                                i64.const 1
                                i64.sub
                                local.tee $budget
                                i64.eqz
                                if $if17
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
                                end  ;; $if17
                                local.get $ticks
                                i64.const 10
                                i64.sub
                                local.tee $ticks
                                i64.const 0
                                i64.lt_s
                                br_if $block14
                                br $loop15
                              end  ;; $if16
                            end  ;; $loop15
                            br $block12
                          end  ;; $block14
                          local.get $arguments
                          i32.const 13
                          local.get $l36
                          local.get $l35
                          call $look_i32_i32
                          local.set $l35
                          local.set $l36
                          local.set $ticks
                          local.get $ticks
                          i64.const 0
                          i64.lt_s
                          if $if18
                            return
                          end  ;; $if18
                          br $loop13
                        end  ;; $loop13
                      end  ;; $block12
                    end  ;; $block11
                    local.get $base.buffer_y
                    local.get $lane
                    i64.extend_i32_u
                    i32.wrap_i64
                    i32.const 4
                    i32.mul
                    i32.add
                    local.get $l35
                    i32.store
                    br $block9
                  else  ;; $if10
                    br $block9
                  end  ;; $if10
                end  ;; $block9
                local.get $lane
                i32.const 1
                i32.add
                local.set $lane
                local.get $lane
                local.get $stop
                i32.lt_s
                br_if $loop8
              end  ;; $loop8
            end  ;; $block7
          else  ;; $if6
            local.get $start
            local.set $lane
            block $block19
              loop $loop20
                block $block21
                  local.get $arguments
                  i64.load offset=64 align=4
                  local.set $budget
                  local.get $lane
                  i64.extend_i32_u
                  i32.wrap_i64
                  local.get $param.rows
                  i32.lt_u
                  if $if22
                    local.get $lane
                    i64.extend_i32_u
                    i32.wrap_i64
                    local.get $param.n
                    i32.mul
                    local.set $l34
                    i32.const 0
                    i32.const 0
                    local.set $l35
                    local.set $l36
                    block $block23
                      block $block24
                        loop $loop25
                          block $block26
                            loop $loop27
                              local.get $param.n
                              local.get $l36
                              i32.le_u
                              if $if28
                                br $block23
                              else  ;; $if28
                                local.get $l34
                                local.get $l36
                                i32.add
                                i64.extend_i32_u
                                i64.const 4
                                i64.mul
                                local.set $l26
                                local.get $l26
                                local.get $limit.buffer_x.4
                                i64.ge_u
                                if $if29
                                  local.get $arguments
                                  i32.const 1
                                  i32.const 10
                                  i32.const 0
                                  local.get $lane
                                  i32.const 0
                                  local.get $l26
                                  i64.const 4
                                  call $fault
                                  return
                                end  ;; $if29
                                local.get $base.buffer_x
                                local.get $l26
                                i32.wrap_i64
                                i32.add
                                i32.load
                                local.set $l37
                                local.get $l36
                                i32.const 1
                                i32.add
                                local.get $l37
                                local.get $l37
                                i32.mul
                                local.get $l35
                                i32.add
                                local.set $l35
                                local.set $l36
                                local.get $budget
                                i64.const 1
                                i64.sub
                                local.tee $budget
                                i64.eqz
                                if $if30
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
                                end  ;; $if30
                                local.get $ticks
                                i64.const 10
                                i64.sub
                                local.tee $ticks
                                i64.const 0
                                i64.lt_s
                                br_if $block26
                                br $loop27
                              end  ;; $if28
                            end  ;; $loop27
                            br $block24
                          end  ;; $block26
                          local.get $arguments
                          i32.const 13
                          local.get $l36
                          local.get $l35
                          call $look_i32_i32
                          local.set $l35
                          local.set $l36
                          local.set $ticks
                          local.get $ticks
                          i64.const 0
                          i64.lt_s
                          if $if31
                            return
                          end  ;; $if31
                          br $loop25
                        end  ;; $loop25
                      end  ;; $block24
                    end  ;; $block23
                    local.get $lane
                    i64.extend_i32_u
                    i32.wrap_i64
                    i64.extend_i32_u
                    i64.const 4
                    i64.mul
                    local.set $l26
                    local.get $l26
                    local.get $limit.buffer_y.4
                    i64.ge_u
                    if $if32
                      local.get $arguments
                      i32.const 1
                      i32.const 14
                      i32.const 1
                      local.get $lane
                      i32.const 0
                      local.get $l26
                      i64.const 4
                      call $fault
                      return
                    end  ;; $if32
                    local.get $base.buffer_y
                    local.get $l26
                    i32.wrap_i64
                    i32.add
                    local.get $l35
                    i32.store
                    br $block21
                  else  ;; $if22
                    br $block21
                  end  ;; $if22
                end  ;; $block21
                local.get $lane
                i32.const 1
                i32.add
                local.set $lane
                local.get $lane
                local.get $stop
                i32.lt_s
                br_if $loop20
              end  ;; $loop20
            end  ;; $block19
          end  ;; $if6
        end  ;; $block5
        local.get $BLOCK_IDX_X
        local.get $span
        i32.add
        local.set $BLOCK_IDX_X
        local.get $BLOCK_IDX_X
        local.get $grid.0
        i32.ge_u
        if $if33
          i32.const 0
          local.set $BLOCK_IDX_X
          local.get $BLOCK_IDX_Y
          i32.const 1
          i32.add
          local.set $BLOCK_IDX_Y
          local.get $BLOCK_IDX_Y
          local.get $grid.1
          i32.ge_u
          if $if34
            i32.const 0
            local.set $BLOCK_IDX_Y
            local.get $BLOCK_IDX_Z
            i32.const 1
            i32.add
            local.set $BLOCK_IDX_Z
          end  ;; $if34
        end  ;; $if33
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
  (func $fault (type $t2)  ;; 51 bytes at 0x4be
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
  (func $look (type $t3)  ;; 57 bytes at 0x4f2
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
  (func $look_i32_i32 (type $t4)  ;; 61 bytes at 0x52c
    (param $arguments i32) (param $at i32) (param $l2 i32) (param $l3 i32)
    (result i64) (result i32) (result i32)
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
)
