(module
  (import "env" "memory" (memory 1 65536))
  (func $kernel (export "kernel") (param i32) (param i32) (param i32)
    (local i32 i32 i32 i32 i64 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i64 i64 i64 i64 i64 i64 i64 i32 i64 i32 i32 i32 i32)
    local.get 0
    i32.load offset=88
    local.set 3
    local.get 0
    i32.load offset=96
    local.set 4
    local.get 0
    i32.load offset=104
    local.set 5
    local.get 0
    i32.load offset=112
    local.set 6
    local.get 0
    i32.load offset=108
    i64.extend_i32_u
    i64.const 3
    i64.sub
    local.tee 7
    i64.const 0
    local.get 7
    i64.const 0
    i64.gt_s
    select
    local.set 7
    local.get 0
    i32.load offset=116
    i64.extend_i32_u
    i64.const 3
    i64.sub
    local.tee 8
    i64.const 0
    local.get 8
    i64.const 0
    i64.gt_s
    select
    local.set 8
    local.get 1
    local.tee 9
    local.get 2
    i32.lt_s
    if
      local.get 9
      local.set 10
      local.get 0
      i32.load offset=32
      local.set 11
      local.get 10
      local.get 11
      i32.rem_u
      local.set 12
      local.get 10
      local.get 11
      i32.div_u
      local.set 10
      local.get 0
      i32.load offset=36
      local.set 13
      local.get 10
      local.get 13
      i32.rem_u
      local.set 14
      local.get 10
      local.get 13
      i32.div_u
      local.set 10
      local.get 10
      local.set 15
      i32.const 1
      local.set 16
      local.get 0
      i32.load offset=36
      local.get 0
      i32.load offset=40
      i32.mul
      i32.const 1
      i32.eq
      if
        i32.const 64
        local.set 16
      end
      loop
        local.get 0
        i32.atomic.load offset=24
        if
          local.get 0
          i32.const 9
          i32.const -1
          i32.const -1
          i32.const -1
          i32.const 0
          i64.const 0
          i64.const 0
          call $fault
          return
        end
        block
          local.get 0
          i32.load offset=44
          local.get 12
          i32.const 256
          i32.mul
          i32.sub
          local.set 17
          i32.const 256
          local.get 16
          i32.mul
          local.tee 18
          local.get 17
          local.get 18
          local.get 17
          i32.lt_s
          select
          local.set 17
          local.get 2
          local.get 9
          i32.sub
          i32.const 256
          i32.mul
          local.tee 18
          local.get 17
          local.get 18
          local.get 17
          i32.lt_s
          select
          local.set 17
          local.get 17
          i32.const 0
          i32.le_s
          br_if 0
          local.get 0
          i32.load offset=48
          local.get 14
          i32.const 1
          i32.mul
          i32.sub
          local.set 19
          i32.const 1
          local.tee 18
          local.get 19
          local.get 18
          local.get 19
          i32.lt_s
          select
          local.set 19
          local.get 19
          i32.const 0
          i32.le_s
          br_if 0
          local.get 0
          i32.load offset=52
          local.get 15
          i32.const 1
          i32.mul
          i32.sub
          local.set 20
          i32.const 1
          local.tee 18
          local.get 20
          local.get 18
          local.get 20
          i32.lt_s
          select
          local.set 20
          local.get 20
          i32.const 0
          i32.le_s
          br_if 0
          local.get 9
          i32.const 256
          i32.mul
          local.set 21
          local.get 21
          local.get 17
          i32.add
          local.set 22
          local.get 4
          i64.extend_i32_u
          local.set 23
          i64.const 0
          local.set 24
          local.get 23
          local.set 25
          local.get 24
          local.get 25
          local.get 24
          local.get 25
          i64.gt_s
          select
          local.set 26
          local.get 21
          local.get 17
          i32.const 1
          i32.sub
          i32.const 1
          i32.mul
          i32.add
          local.get 19
          i32.const 1
          i32.sub
          i32.const 256
          i32.mul
          i32.add
          local.get 20
          i32.const 1
          i32.sub
          i32.const 256
          i32.mul
          i32.add
          i64.extend_i32_u
          local.set 24
          local.get 3
          i64.extend_i32_u
          i64.const -1
          i64.add
          local.set 25
          local.get 24
          local.get 25
          local.get 24
          local.get 25
          i64.lt_s
          select
          local.set 27
          local.get 27
          local.get 23
          i64.mul
          local.set 28
          local.get 28
          local.get 26
          local.set 24
          local.get 23
          i64.const -1
          i64.add
          local.set 25
          local.get 24
          local.get 25
          local.get 24
          local.get 25
          i64.lt_s
          select
          i64.add
          local.set 29
          i32.const 1
          local.get 26
          i64.const 1
          i64.add
          i64.const 4294967295
          i64.le_s
          i32.and
          local.get 23
          i64.const 2147483648
          i64.le_s
          i32.and
          local.get 28
          i64.const 4294967295
          i64.le_s
          i32.and
          local.get 29
          i64.const 4294967295
          i64.le_s
          i32.and
          i64.const 0
          local.get 21
          i64.extend_i32_u
          local.get 23
          local.set 24
          i64.const 1
          local.set 25
          local.get 24
          local.get 25
          local.get 24
          local.get 25
          i64.gt_s
          select
          i64.mul
          i64.const 4
          i64.mul
          i64.le_s
          i32.and
          local.get 29
          i64.const 4
          i64.mul
          local.get 7
          i64.lt_s
          i32.and
          i64.const 0
          local.get 21
          i64.extend_i32_u
          i64.const 4
          i64.mul
          i64.le_s
          i32.and
          local.get 27
          i64.const 4
          i64.mul
          local.get 8
          i64.lt_s
          i32.and
          if
            local.get 21
            local.set 30
            loop
              block
                local.get 0
                i64.load offset=64
                local.set 31
                local.get 30
                i64.extend_i32_u
                i32.wrap_i64
                local.get 3
                i32.lt_u
                if
                  local.get 30
                  i64.extend_i32_u
                  i32.wrap_i64
                  local.get 4
                  i32.mul
                  local.set 32
                  i32.const 0
                  i32.const 0
                  local.set 33
                  local.set 34
                  loop
                    local.get 4
                    local.get 34
                    i32.le_u
                    if
                      local.get 6
                      local.get 30
                      i64.extend_i32_u
                      i32.wrap_i64
                      i32.const 4
                      i32.mul
                      i32.add
                      local.get 33
                      i32.store
                      br 3
                    else
                      local.get 5
                      local.get 32
                      local.get 34
                      i32.add
                      i32.const 4
                      i32.mul
                      i32.add
                      i32.load
                      local.set 35
                      local.get 34
                      i32.const 1
                      i32.add
                      local.get 35
                      local.get 35
                      i32.mul
                      local.get 33
                      i32.add
                      local.set 33
                      local.set 34
                      local.get 31
                      i64.const 1
                      i64.sub
                      local.tee 31
                      i32.wrap_i64
                      i32.const 65535
                      i32.and
                      i32.eqz
                      if
                        local.get 31
                        i64.eqz
                        if
                          local.get 0
                          i32.const 6
                          i32.const 13
                          i32.const -1
                          local.get 30
                          i32.const 0
                          i64.const 0
                          i64.const 0
                          call $fault
                          return
                        end
                        local.get 0
                        i32.atomic.load offset=24
                        if
                          local.get 0
                          i32.const 9
                          i32.const 13
                          i32.const -1
                          i32.const -1
                          i32.const 0
                          i64.const 0
                          i64.const 0
                          call $fault
                          return
                        end
                      end
                      br 1
                    end
                  end
                else
                  br 1
                end
              end
              local.get 30
              i32.const 1
              i32.add
              local.tee 30
              local.get 22
              i32.lt_s
              br_if 0
            end
          else
            local.get 21
            local.set 30
            loop
              block
                local.get 0
                i64.load offset=64
                local.set 31
                local.get 30
                i64.extend_i32_u
                i32.wrap_i64
                local.get 3
                i32.lt_u
                if
                  local.get 30
                  i64.extend_i32_u
                  i32.wrap_i64
                  local.get 4
                  i32.mul
                  local.set 32
                  i32.const 0
                  i32.const 0
                  local.set 33
                  local.set 34
                  loop
                    local.get 4
                    local.get 34
                    i32.le_u
                    if
                      local.get 30
                      i64.extend_i32_u
                      i32.wrap_i64
                      i64.extend_i32_u
                      i64.const 4
                      i64.mul
                      local.set 24
                      local.get 24
                      local.get 8
                      i64.ge_u
                      if
                        local.get 0
                        i32.const 1
                        i32.const 14
                        i32.const 1
                        local.get 30
                        i32.const 0
                        local.get 24
                        i64.const 4
                        call $fault
                        return
                      end
                      local.get 6
                      local.get 24
                      i32.wrap_i64
                      i32.add
                      local.get 33
                      i32.store
                      br 3
                    else
                      local.get 32
                      local.get 34
                      i32.add
                      i64.extend_i32_u
                      i64.const 4
                      i64.mul
                      local.set 24
                      local.get 24
                      local.get 7
                      i64.ge_u
                      if
                        local.get 0
                        i32.const 1
                        i32.const 10
                        i32.const 0
                        local.get 30
                        i32.const 0
                        local.get 24
                        i64.const 4
                        call $fault
                        return
                      end
                      local.get 5
                      local.get 24
                      i32.wrap_i64
                      i32.add
                      i32.load
                      local.set 35
                      local.get 34
                      i32.const 1
                      i32.add
                      local.get 35
                      local.get 35
                      i32.mul
                      local.get 33
                      i32.add
                      local.set 33
                      local.set 34
                      local.get 31
                      i64.const 1
                      i64.sub
                      local.tee 31
                      i32.wrap_i64
                      i32.const 65535
                      i32.and
                      i32.eqz
                      if
                        local.get 31
                        i64.eqz
                        if
                          local.get 0
                          i32.const 6
                          i32.const 13
                          i32.const -1
                          local.get 30
                          i32.const 0
                          i64.const 0
                          i64.const 0
                          call $fault
                          return
                        end
                        local.get 0
                        i32.atomic.load offset=24
                        if
                          local.get 0
                          i32.const 9
                          i32.const 13
                          i32.const -1
                          i32.const -1
                          i32.const 0
                          i64.const 0
                          i64.const 0
                          call $fault
                          return
                        end
                      end
                      br 1
                    end
                  end
                else
                  br 1
                end
              end
              local.get 30
              i32.const 1
              i32.add
              local.tee 30
              local.get 22
              i32.lt_s
              br_if 0
            end
          end
        end
        local.get 12
        local.get 16
        i32.add
        local.set 12
        local.get 12
        local.get 11
        i32.ge_u
        if
          i32.const 0
          local.set 12
          local.get 14
          i32.const 1
          i32.add
          local.set 14
          local.get 14
          local.get 13
          i32.ge_u
          if
            i32.const 0
            local.set 14
            local.get 15
            i32.const 1
            i32.add
            local.set 15
          end
        end
        local.get 9
        local.get 16
        i32.add
        local.tee 9
        local.get 2
        i32.lt_s
        br_if 0
      end
    end
  )
  (func $fault (param i32) (param i32) (param i32) (param i32) (param i32) (param i32) (param i64) (param i64)
    local.get 0
    local.get 1
    i32.store
    local.get 0
    local.get 2
    i32.store offset=4
    local.get 0
    local.get 3
    i32.store offset=8
    local.get 0
    local.get 4
    i32.store offset=12
    local.get 0
    local.get 5
    i32.store offset=28
    local.get 0
    local.get 6
    i64.store offset=16
    local.get 0
    local.get 7
    i64.store offset=80
  )
)
