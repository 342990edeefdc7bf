;; Threads that share the blocks of a launch. Each has an instance of this module, and one of every kernel, in its table;
;; all have one memory. The device that launches says what there is to do in the words of the crew:
;;
;;   0 generation: another one for each launch and each call  4 calls: how often workers were called out of `work`
;;   8 end: the blocks of the launch        12 least: blocks to take at once at least   16 share: log2 of how many parts
;;  20 kernel: its place in the tables      24 arguments: the launch's block    28 size of that    32 base of its memory
;;  36 ending: what polls answer, above 0 to end kernels      40 failed: whether there was a fault
;;  64 next: the first block that nobody took                128 active: how many workers are in; below 0 while they may
;;
;; and a worker has a slot:  0 arguments, 4 memory, 8 scratch: its own   12 known: kernels in its table   16 seen: the
;; generation   20 called: the calls   24 taken: how often it took blocks   28 pulse: counts its polls and its looks
;;
;; What a launch is is written while nobody is in. A worker that comes late finds `active` closed, or the next launch.
(module
  (type $kernel (func (param i32 i32 i32)))
  (import "env" "memory" (memory 1 65536 shared))
  (import "env" "look" (func $look))
  (table $kernels (export "kernels") 64 funcref)
  (global $crew (mut i32) (i32.const 0))
  (global $slot (mut i32) (i32.const 0))
  ;; How often a worker looks for another launch before it sleeps, at least and at most: 12 and 200 us or so.
  (global $few i32 (i32.const 2500))
  (global $many i32 (i32.const 40000))
  (global $arguments (mut i32) (i32.const 0))

  ;; `env.poll` of kernels of workers: the crew's `ending`, which is 0 mostly, is the answer.
  (func $poll (export "poll")
    (i32.atomic.store offset=28 (global.get $slot) (i32.add (i32.load offset=28 (global.get $slot)) (i32.const 1)))
    (i32.store offset=24 (global.get $arguments) (i32.atomic.load offset=36 (global.get $crew))))

  ;; Takes blocks and runs them, until none are left or one has a fault. Parts become smaller towards the end.
  (func $run (param $crew i32) (param $arguments i32)
    (local $begin i32) (local $end i32) (local $part i32) (local $least i32)
    (local.set $end (i32.load offset=8 (local.get $crew)))
    (local.set $least (i32.load offset=12 (local.get $crew)))
    (loop $more
      (local.set $begin (i32.atomic.load offset=64 (local.get $crew)))
      (if (i32.ge_u (local.get $begin) (local.get $end)) (then (return)))
      (local.set $part (i32.shr_u (i32.sub (local.get $end) (local.get $begin)) (i32.load offset=16 (local.get $crew))))
      (if (i32.lt_u (local.get $part) (local.get $least)) (then (local.set $part (local.get $least))))
      (local.set $begin (i32.atomic.rmw.add offset=64 (local.get $crew) (local.get $part)))
      (if (i32.ge_u (local.get $begin) (local.get $end)) (then (return)))
      (if (i32.gt_u (local.get $part) (i32.sub (local.get $end) (local.get $begin)))
        (then (local.set $part (i32.sub (local.get $end) (local.get $begin)))))
      (call_indirect (type $kernel) (local.get $arguments) (local.get $begin)
        (i32.add (local.get $begin) (local.get $part)) (i32.load offset=20 (local.get $crew)))
      (if (i32.load (local.get $arguments)) (then
        (i32.atomic.store offset=64 (local.get $crew) (local.get $end))
        (i32.atomic.store offset=40 (local.get $crew) (i32.const 1))
        (return)))
      (br $more)))

  ;; Says that a worker is out: the last one to whoever waits for it.
  (func $leave (export "leave") (param $crew i32)
    (if (i32.eq (i32.atomic.rmw.sub offset=128 (local.get $crew) (i32.const 1)) (i32.const 1))
      (then (drop (memory.atomic.notify offset=128 (local.get $crew) (i32.const 1))))))

  ;; What a worker does: launch after launch, until it is called out. Launches often follow each other, and to be woken takes
  ;; as long as many a launch: so who took blocks looks for the next launch before it sleeps, twice as long as the last time
  ;; if one came then, else a quarter of that: where launches are rare, or others have the processors, it only takes time
  ;; from them. An addition between two looks takes the same few nanoseconds on all engines, and leaves the words of the
  ;; crew to who launches.
  (func (export "work") (param $crew i32) (param $slot i32)
    (local $generation i32) (local $active i32) (local $own i32) (local $launch i32) (local $move i32)
    (local $looks i32) (local $patience i32)
    (global.set $crew (local.get $crew))
    (global.set $slot (local.get $slot))
    (local.set $patience (global.get $few))
    (loop $next
      (local.set $generation (i32.atomic.load (local.get $crew)))
      (if (i32.ne (i32.atomic.load offset=4 (local.get $crew)) (i32.load offset=20 (local.get $slot))) (then
        (i32.store offset=20 (local.get $slot) (i32.atomic.load offset=4 (local.get $crew)))
        (return)))
      (if (i32.eq (local.get $generation) (i32.load offset=16 (local.get $slot))) (then
        (if (local.get $looks) (then
          (local.set $looks (i32.sub (local.get $looks) (i32.const 1)))
          (drop (i32.atomic.rmw.add offset=28 (local.get $slot) (i32.const 1)))
          (br_if $next (local.get $looks))
          (local.set $patience (i32.shr_u (local.get $patience) (i32.const 2)))
          (if (i32.lt_u (local.get $patience) (global.get $few)) (then (local.set $patience (global.get $few))))
          (br $next)))
        (drop (memory.atomic.wait32 (local.get $crew) (local.get $generation) (i64.const -1)))
        (br $next)))
      (i32.store offset=16 (local.get $slot) (local.get $generation))
      (if (local.get $looks) (then
        (local.set $looks (i32.const 0))
        (local.set $patience (i32.shl (local.get $patience) (i32.const 1)))
        (if (i32.gt_u (local.get $patience) (global.get $many)) (then (local.set $patience (global.get $many))))))
      (loop $enter
        (local.set $active (i32.atomic.load offset=128 (local.get $crew)))
        (br_if $next (i32.ge_s (local.get $active) (i32.const 0)))
        (br_if $enter (i32.ne (local.get $active) (i32.atomic.rmw.cmpxchg offset=128
          (local.get $crew) (local.get $active) (i32.add (local.get $active) (i32.const 1))))))
      ;; Where nothing is left its status stays: it may have been here, and have had a fault.
      (if (i32.and
          (i32.lt_u (i32.load offset=20 (local.get $crew)) (i32.load offset=12 (local.get $slot)))
          (i32.lt_u (i32.atomic.load offset=64 (local.get $crew)) (i32.load offset=8 (local.get $crew)))) (then
        (i32.store offset=24 (local.get $slot) (i32.add (i32.load offset=24 (local.get $slot)) (i32.const 1)))
        ;; The launch's arguments, with memory of its own.
        (local.set $own (i32.load (local.get $slot)))
        (global.set $arguments (local.get $own))
        (local.set $launch (i32.load offset=24 (local.get $crew)))
        (memory.copy (local.get $own) (local.get $launch) (i32.load offset=28 (local.get $crew)))
        (memory.fill (local.get $own) (i32.const 0) (i32.const 32))
        (local.set $move (i32.sub (i32.load offset=4 (local.get $slot)) (i32.load offset=32 (local.get $crew))))
        (i32.store offset=60 (local.get $own) (i32.add (i32.load offset=60 (local.get $launch)) (local.get $move)))
        (i32.store offset=72 (local.get $own) (i32.add (i32.load offset=72 (local.get $launch)) (local.get $move)))
        (i32.store offset=76 (local.get $own) (i32.load offset=8 (local.get $slot)))
        (call $run (local.get $crew) (local.get $own))
        (local.set $looks (local.get $patience))))
      (call $leave (local.get $crew))
      (br $next)))

  ;; Lets workers in, and wakes so many.
  (func (export "wake") (param $crew i32) (param $count i32)
    (drop (i32.atomic.rmw.add (local.get $crew) (i32.const 1)))
    (drop (memory.atomic.notify (local.get $crew) (local.get $count))))

  ;; Runs a launch, as one of those who do, and wakes so many others; returns when all are out.
  (func (export "lead") (param $crew i32) (param $count i32)
    (local $arguments i32)
    (local.set $arguments (i32.load offset=24 (local.get $crew)))
    (i32.store offset=28 (local.get $arguments) (i32.const 0))
    (i32.atomic.store offset=64 (local.get $crew) (i32.const 0))
    (i32.atomic.store offset=128 (local.get $crew) (i32.const 0x80000000))
    (if (local.get $count) (then
      (drop (i32.atomic.rmw.add (local.get $crew) (i32.const 1)))
      (drop (memory.atomic.notify (local.get $crew) (local.get $count)))))
    (call $run (local.get $crew) (local.get $arguments))
    (call $join (local.get $crew)))

  ;; Lets nobody in any more, and waits until all are out. Meanwhile it looks whether the launch is to end.
  (func $join (export "join") (param $crew i32)
    (local $arguments i32) (local $active i32) (local $spins i32)
    (local.set $arguments (i32.load offset=24 (local.get $crew)))
    (drop (i32.atomic.rmw.and offset=128 (local.get $crew) (i32.const 0x7fffffff)))
    (local.set $spins (i32.const 4096))
    (block $out
      (loop $wait
        (local.set $active (i32.atomic.load offset=128 (local.get $crew)))
        (br_if $out (i32.eqz (local.get $active)))
        (if (i32.gt_s (i32.load offset=24 (local.get $arguments)) (i32.const 0)) (then
          (i32.atomic.store offset=36 (local.get $crew) (i32.load offset=24 (local.get $arguments)))))
        (if (local.get $spins) (then
          (local.set $spins (i32.sub (local.get $spins) (i32.const 1)))
          (br $wait)))
        (drop (memory.atomic.wait32 offset=128 (local.get $crew) (local.get $active) (i64.const 20000000)))
        (call $look)
        (br $wait)))
    (if (i32.eqz (i32.load (local.get $arguments))) (then (i32.store offset=28 (local.get $arguments) (i32.const 1))))))
