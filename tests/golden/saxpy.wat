(module
  (type $t0 (func))
  (type $t1 (func (param i32 i32 i32)))
  (type $t2 (func (param i32 i32 i32 i32 i32 i32 i64 i64)))
  (type $t3 (func (param i32 i32) (result i64)))
  (import "env" "memory" (memory 1 65536))
  (import "env" "poll" (func $poll (type $t0)))
  (func $kernel (export "kernel") (type $t1)  ;; 932 bytes at 0x5c
    (param $arguments i32) (param $begin i32) (param $end i32)
    (local $ticks i64) (local $param.a f32) (local $base.buffer_x i32) (local $base.buffer_y i32)
    (local $limit.buffer_x.4 i64) (local $limit.buffer_y.4 i64) (local $block i32) (local $rest i32)
    (local $grid.0 i32) (local $BLOCK_IDX_X i32) (local $grid.1 i32) (local $BLOCK_IDX_Y i32)
    (local $BLOCK_IDX_Z i32) (local $span i32) (local $on.0 i32) (local $l18 i32) (local $l19 i32)
    (local $on.1 i32) (local $on.2 i32) (local $start i32) (local $stop i32) (local $l24 i64)
    (local $lane i32) (local $l26 i32) (local $l27 f32) (local $l28 i32) (local $l29 f32)
    (local $l30 i32) (local $l31 i64)
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
        i64.const 147456
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
          local.set $l18
          local.get $span
          local.tee $l19
          local.get $l18
          local.get $l19
          local.get $l18
          i32.lt_s
          select
          local.set $l18
          local.get $l18
          i32.const 256
          i32.mul
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
          br_if $block5
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
          br_if $block5
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
          br_if $block5
          local.get $block
          i32.const 256
          i32.mul
          local.set $start
          local.get $start
          local.get $on.0
          i32.add
          local.set $stop
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
          i64.const 4
          i64.mul
          local.set $l24
          i32.const 1
          local.get $l24
          local.get $limit.buffer_x.4
          i64.lt_s
          i32.and
          local.get $l24
          local.get $limit.buffer_y.4
          i64.lt_s
          i32.and
          if $if6
            local.get $start
            local.set $lane
            local.get $lane
            i32.const 3
            i32.add
            local.get $stop
            i32.lt_s
            if $if7
              loop $loop8
                block $block9
                  local.get $base.buffer_x
                  local.get $lane
                  i64.extend_i32_u
                  i32.wrap_i64
                  i32.const 4
                  i32.mul
                  i32.add
                  local.tee $l26
                  f32.load
                  local.set $l27
                  local.get $base.buffer_y
                  local.get $lane
                  i64.extend_i32_u
                  i32.wrap_i64
                  i32.const 4
                  i32.mul
                  i32.add
                  local.tee $l28
                  f32.load
                  local.set $l29
                  local.get $base.buffer_y
                  local.get $lane
                  i64.extend_i32_u
                  i32.wrap_i64
                  i32.const 4
                  i32.mul
                  i32.add
                  local.tee $l30
                  local.get $param.a
                  local.get $l27
                  f32.mul
                  local.get $l29
                  f32.add
                  f32.store
                  br $block9
                end  ;; $block9
                local.get $lane
                i32.const 1
                i32.add
                local.set $lane
                block $block10
                  local.get $l26
                  f32.load offset=4
                  local.set $l27
                  local.get $l28
                  f32.load offset=4
                  local.set $l29
                  local.get $l30
                  local.get $param.a
                  local.get $l27
                  f32.mul
                  local.get $l29
                  f32.add
                  f32.store offset=4
                  br $block10
                end  ;; $block10
                local.get $lane
                i32.const 1
                i32.add
                local.set $lane
                block $block11
                  local.get $l26
                  f32.load offset=8
                  local.set $l27
                  local.get $l28
                  f32.load offset=8
                  local.set $l29
                  local.get $l30
                  local.get $param.a
                  local.get $l27
                  f32.mul
                  local.get $l29
                  f32.add
                  f32.store offset=8
                  br $block11
                end  ;; $block11
                local.get $lane
                i32.const 1
                i32.add
                local.set $lane
                block $block12
                  local.get $l26
                  f32.load offset=12
                  local.set $l27
                  local.get $l28
                  f32.load offset=12
                  local.set $l29
                  local.get $l30
                  local.get $param.a
                  local.get $l27
                  f32.mul
                  local.get $l29
                  f32.add
                  f32.store offset=12
                  br $block12
                end  ;; $block12
                local.get $lane
                i32.const 1
                i32.add
                local.set $lane
                local.get $lane
                i32.const 3
                i32.add
                local.get $stop
                i32.lt_s
                br_if $loop8
              end  ;; $loop8
            end  ;; $if7
            local.get $lane
            local.get $stop
            i32.lt_s
            if $if13
              loop $loop14
                block $block15
                  local.get $base.buffer_x
                  local.get $lane
                  i64.extend_i32_u
                  i32.wrap_i64
                  i32.const 4
                  i32.mul
                  i32.add
                  f32.load
                  local.set $l27
                  local.get $base.buffer_y
                  local.get $lane
                  i64.extend_i32_u
                  i32.wrap_i64
                  i32.const 4
                  i32.mul
                  i32.add
                  f32.load
                  local.set $l29
                  local.get $base.buffer_y
                  local.get $lane
                  i64.extend_i32_u
                  i32.wrap_i64
                  i32.const 4
                  i32.mul
                  i32.add
                  local.get $param.a
                  local.get $l27
                  f32.mul
                  local.get $l29
                  f32.add
                  f32.store
                  br $block15
                end  ;; $block15
                local.get $lane
                i32.const 1
                i32.add
                local.set $lane
                local.get $lane
                local.get $stop
                i32.lt_s
                br_if $loop14
              end  ;; $loop14
            end  ;; $if13
          else  ;; $if6
            local.get $start
            local.set $lane
            block $block16
              loop $loop17
                block $block18
                  local.get $lane
                  i64.extend_i32_u
                  i64.const 4
                  i64.mul
                  local.set $l31
                  local.get $l31
                  local.get $limit.buffer_x.4
                  i64.ge_u
                  if $if19
                    local.get $arguments
                    i32.const 1
                    i32.const 0
                    i32.const 0
                    local.get $lane
                    i32.const 0
                    local.get $l31
                    i64.const 4
                    call $fault
                    return
                  end  ;; $if19
                  local.get $base.buffer_x
                  local.get $l31
                  i32.wrap_i64
                  i32.add
                  f32.load
                  local.set $l27
                  local.get $lane
                  i64.extend_i32_u
                  i64.const 4
                  i64.mul
                  local.set $l31
                  local.get $l31
                  local.get $limit.buffer_y.4
                  i64.ge_u
                  if $if20
                    local.get $arguments
                    i32.const 1
                    i32.const 1
                    i32.const 1
                    local.get $lane
                    i32.const 0
                    local.get $l31
                    i64.const 4
                    call $fault
                    return
                  end  ;; $if20
                  local.get $base.buffer_y
                  local.get $l31
                  i32.wrap_i64
                  i32.add
                  f32.load
                  local.set $l29
                  local.get $base.buffer_y
                  local.get $lane
                  i64.extend_i32_u
                  i32.wrap_i64
                  i32.const 4
                  i32.mul
                  i32.add
                  local.get $param.a
                  local.get $l27
                  f32.mul
                  local.get $l29
                  f32.add
                  f32.store
                  br $block18
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
          end  ;; $if6
        end  ;; $block5
        local.get $BLOCK_IDX_X
        local.get $span
        i32.add
        local.set $BLOCK_IDX_X
        local.get $BLOCK_IDX_X
        local.get $grid.0
        i32.ge_u
        if $if21
          i32.const 0
          local.set $BLOCK_IDX_X
          local.get $BLOCK_IDX_Y
          i32.const 1
          i32.add
          local.set $BLOCK_IDX_Y
          local.get $BLOCK_IDX_Y
          local.get $grid.1
          i32.ge_u
          if $if22
            i32.const 0
            local.set $BLOCK_IDX_Y
            local.get $BLOCK_IDX_Z
            i32.const 1
            i32.add
            local.set $BLOCK_IDX_Z
          end  ;; $if22
        end  ;; $if21
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
  (func $fault (type $t2)  ;; 51 bytes at 0x401
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
  (func $look (type $t3)  ;; 57 bytes at 0x435
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
