;; BLAKE3, 32 bytes of hash. Written from the paper (O'Connor, Aumasson, Neves, Wilcox-O'Hearn 2020).
;;
;; Put up to 65,536 bytes at 4,096, and call `update(length, more)`. As long as `more` is 1 bytes follow, and the length is
;; a multiple of 1,024; with 0 the hash is at 0 afterwards, and the next call starts a new one.
;;
;; Memory: 0 chaining value (32 bytes), and the hash at the end; 32 table of initial values; 64 block of two chaining
;; values (64); 128 stack of chaining values, one for each bit of the number of chunks (54 * 32); 4,096 the input.
(module
  (memory (export "memory") 2)
  (global $chunks (mut i64) (i64.const 0))   ;; whole chunks before this one
  (global $depth (mut i32) (i32.const 0))    ;; chaining values on the stack

  (data (i32.const 32)
    "\67\e6\09\6a\85\ae\67\bb\72\f3\6e\3c\3a\f5\4f\a5\7f\52\0e\51\8c\68\05\9b\ab\d9\83\1f\19\cd\e0\5b")

  ;; Sets the chaining value at 0 to the initial one.
  (func $start
    (v128.store (i32.const 0) (v128.load (i32.const 32)))
    (v128.store (i32.const 16) (v128.load (i32.const 48))))

  ;; Compresses the 64 bytes at $block into the chaining value at 0. $a to $d are the rows of the state; $x and $y hold the
  ;; message words of the columns (0 2 4 6 and 1 3 5 7), $z and $w those of the diagonals (8 10 12 14 and 9 11 13 15).
  (func $compress (param $block i32) (param $counter i64) (param $length i32) (param $flags i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local $x v128) (local $y v128) (local $z v128) (local $w v128) (local $t v128) (local $u v128)
    (local $round i32)
    (local.set $a (v128.load (i32.const 0)))
    (local.set $b (v128.load (i32.const 16)))
    (local.set $c (v128.load (i32.const 32)))
    (local.set $d (i64x2.replace_lane 0 (i32x4.splat (local.get $length)) (local.get $counter)))
    (local.set $d (i32x4.replace_lane 3 (local.get $d) (local.get $flags)))
    (local.set $t (v128.load (local.get $block)))
    (local.set $u (v128.load offset=16 (local.get $block)))
    (local.set $x (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $t) (local.get $u)))
    (local.set $y (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $t) (local.get $u)))
    (local.set $t (v128.load offset=32 (local.get $block)))
    (local.set $u (v128.load offset=48 (local.get $block)))
    (local.set $z (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $t) (local.get $u)))
    (local.set $w (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $t) (local.get $u)))
    (loop $rounds
      ;; The columns. Rotations by 16 and 8 move bytes.
      (local.set $a (i32x4.add (i32x4.add (local.get $a) (local.get $b)) (local.get $x)))
      (local.set $d (v128.xor (local.get $d) (local.get $a)))
      (local.set $d (i8x16.shuffle 2 3 0 1 6 7 4 5 10 11 8 9 14 15 12 13 (local.get $d) (local.get $d)))
      (local.set $c (i32x4.add (local.get $c) (local.get $d)))
      (local.set $b (v128.xor (local.get $b) (local.get $c)))
      (local.set $b (v128.or (i32x4.shr_u (local.get $b) (i32.const 12)) (i32x4.shl (local.get $b) (i32.const 20))))
      (local.set $a (i32x4.add (i32x4.add (local.get $a) (local.get $b)) (local.get $y)))
      (local.set $d (v128.xor (local.get $d) (local.get $a)))
      (local.set $d (i8x16.shuffle 1 2 3 0 5 6 7 4 9 10 11 8 13 14 15 12 (local.get $d) (local.get $d)))
      (local.set $c (i32x4.add (local.get $c) (local.get $d)))
      (local.set $b (v128.xor (local.get $b) (local.get $c)))
      (local.set $b (v128.or (i32x4.shr_u (local.get $b) (i32.const 7)) (i32x4.shl (local.get $b) (i32.const 25))))
      ;; Turn the rows, so that the diagonals stand in columns.
      (local.set $b (i8x16.shuffle 4 5 6 7 8 9 10 11 12 13 14 15 0 1 2 3 (local.get $b) (local.get $b)))
      (local.set $c (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $c) (local.get $c)))
      (local.set $d (i8x16.shuffle 12 13 14 15 0 1 2 3 4 5 6 7 8 9 10 11 (local.get $d) (local.get $d)))
      (local.set $a (i32x4.add (i32x4.add (local.get $a) (local.get $b)) (local.get $z)))
      (local.set $d (v128.xor (local.get $d) (local.get $a)))
      (local.set $d (i8x16.shuffle 2 3 0 1 6 7 4 5 10 11 8 9 14 15 12 13 (local.get $d) (local.get $d)))
      (local.set $c (i32x4.add (local.get $c) (local.get $d)))
      (local.set $b (v128.xor (local.get $b) (local.get $c)))
      (local.set $b (v128.or (i32x4.shr_u (local.get $b) (i32.const 12)) (i32x4.shl (local.get $b) (i32.const 20))))
      (local.set $a (i32x4.add (i32x4.add (local.get $a) (local.get $b)) (local.get $w)))
      (local.set $d (v128.xor (local.get $d) (local.get $a)))
      (local.set $d (i8x16.shuffle 1 2 3 0 5 6 7 4 9 10 11 8 13 14 15 12 (local.get $d) (local.get $d)))
      (local.set $c (i32x4.add (local.get $c) (local.get $d)))
      (local.set $b (v128.xor (local.get $b) (local.get $c)))
      (local.set $b (v128.or (i32x4.shr_u (local.get $b) (i32.const 7)) (i32x4.shl (local.get $b) (i32.const 25))))
      (local.set $b (i8x16.shuffle 12 13 14 15 0 1 2 3 4 5 6 7 8 9 10 11 (local.get $b) (local.get $b)))
      (local.set $c (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $c) (local.get $c)))
      (local.set $d (i8x16.shuffle 4 5 6 7 8 9 10 11 12 13 14 15 0 1 2 3 (local.get $d) (local.get $d)))
      ;; Permute the message: word i becomes word P(i), P = 2 6 3 10 7 0 4 13 1 11 12 5 9 14 15 8.
      (local.set $t (i8x16.shuffle 4 5 6 7 20 21 22 23 28 29 30 31 8 9 10 11 (local.get $x) (local.get $y)))    ;; 2 3 7 4
      (local.set $u (i8x16.shuffle 12 13 14 15 20 21 22 23 0 1 2 3 0 1 2 3 (local.get $x) (local.get $z)))      ;; 6 10 0 -
      (local.set $x (local.get $t))
      (local.set $t (i8x16.shuffle 0 1 2 3 4 5 6 7 8 9 10 11 24 25 26 27 (local.get $u) (local.get $w)))        ;; 6 10 0 13
      (local.set $u (i8x16.shuffle 4 5 6 7 24 25 26 27 12 13 14 15 0 1 2 3 (local.get $z) (local.get $w)))      ;; 10 13 14 8
      (local.set $u (i8x16.shuffle 20 21 22 23 8 9 10 11 8 9 10 11 12 13 14 15 (local.get $u) (local.get $w)))  ;; 11 - 14 8
      (local.set $z (i8x16.shuffle 0 1 2 3 24 25 26 27 0 1 2 3 0 1 2 3 (local.get $y) (local.get $z)))          ;; 1 12 - -
      (local.set $z (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 28 29 30 31 (local.get $z) (local.get $w)))      ;; 1 12 9 15
      (local.set $w (i8x16.shuffle 0 1 2 3 24 25 26 27 8 9 10 11 12 13 14 15 (local.get $u) (local.get $y)))    ;; 11 5 14 8
      (local.set $y (local.get $t))
      (br_if $rounds (i32.lt_u (local.tee $round (i32.add (local.get $round) (i32.const 1))) (i32.const 7))))
    (v128.store (i32.const 0) (v128.xor (local.get $a) (local.get $c)))
    (v128.store (i32.const 16) (v128.xor (local.get $b) (local.get $d))))

  ;; The chaining value of a chunk of at most 1,024 bytes, at 0. $root is 8 if it is all there is, else 0.
  (func $chunk (param $at i32) (param $length i32) (param $root i32)
    (local $flags i32)
    (call $start)
    (local.set $flags (i32.const 1))                                     ;; CHUNK_START
    (loop $blocks
      (if (i32.gt_u (local.get $length) (i32.const 64))
        (then
          (call $compress (local.get $at) (global.get $chunks) (i32.const 64) (local.get $flags))
          (local.set $flags (i32.const 0))
          (local.set $at (i32.add (local.get $at) (i32.const 64)))
          (local.set $length (i32.sub (local.get $length) (i32.const 64)))
          (br $blocks))))
    (memory.fill (i32.add (local.get $at) (local.get $length)) (i32.const 0) (i32.sub (i32.const 64) (local.get $length)))
    (local.set $flags (i32.or (i32.or (local.get $flags) (local.get $root)) (i32.const 2)))  ;; CHUNK_END
    (call $compress (local.get $at) (global.get $chunks) (local.get $length) (local.get $flags)))

  ;; Takes a chaining value off the stack and sets the one at 0 to the parent of both.
  (func $parent (param $flags i32)
    (local $at i32)
    (global.set $depth (i32.sub (global.get $depth) (i32.const 1)))
    (local.set $at (i32.add (i32.const 128) (i32.shl (global.get $depth) (i32.const 5))))
    (memory.copy (i32.const 64) (local.get $at) (i32.const 32))
    (memory.copy (i32.const 96) (i32.const 0) (i32.const 32))
    (call $start)
    (call $compress (i32.const 64) (i64.const 0) (i32.const 64) (local.get $flags)))

  (func (export "update") (param $length i32) (param $more i32)
    (local $at i32) (local $left i64)
    (local.set $at (i32.const 4096))
    (loop $all
      (if (i32.or (i32.gt_u (local.get $length) (i32.const 1024))
                  (i32.and (local.get $more) (i32.gt_u (local.get $length) (i32.const 0))))
        (then                                                            ;; a whole chunk, and bytes follow it
          (call $chunk (local.get $at) (i32.const 1024) (i32.const 0))
          (global.set $chunks (i64.add (global.get $chunks) (i64.const 1)))
          (local.set $left (global.get $chunks))
          (loop $merge                                                   ;; subtrees that are full
            (if (i64.eqz (i64.and (local.get $left) (i64.const 1)))
              (then
                (call $parent (i32.const 4))
                (local.set $left (i64.shr_u (local.get $left) (i64.const 1)))
                (br $merge))))
          (memory.copy (i32.add (i32.const 128) (i32.shl (global.get $depth) (i32.const 5))) (i32.const 0) (i32.const 32))
          (global.set $depth (i32.add (global.get $depth) (i32.const 1)))
          (local.set $at (i32.add (local.get $at) (i32.const 1024)))
          (local.set $length (i32.sub (local.get $length) (i32.const 1024)))
          (br $all))))
    (if (local.get $more) (then (return)))
    (call $chunk (local.get $at) (local.get $length) (i32.shl (i32.eqz (global.get $depth)) (i32.const 3)))
    (loop $up
      (if (global.get $depth)
        (then
          (call $parent (select (i32.const 4) (i32.const 12) (i32.gt_u (global.get $depth) (i32.const 1))))
          (br $up))))
    (global.set $chunks (i64.const 0))))
