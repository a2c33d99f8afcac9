;; The inner loops over a tile of floats: predictor 3, counting symbols, packing bits, the checksum;
;; `npm run wasm` assembles them into planes-binary.ts. What they compute is what plain-planes.ts
;; computes, to the byte; where they read and write is said in wasm-planes.ts, which makes the room.
;; Words of 64 bits may be read up to 8 bytes past what is asked for, and written as far past the end.
(module
  (import "tile" "memory" (memory 1))

  ;; Bits on their way out, how many, and where the next whole byte goes.
  (global $waiting (mut i64) (i64.const 0))
  (global $bits (mut i64) (i64.const 0))
  (global $out (mut i32) (i32.const 0))

  ;; A row of samples as its four planes at `out`. Before `words` is room for the samples of a cell.
  (func (export "predict")
    (param $words i32) (param $samples i32) (param $bands i32) (param $out i32)
    (local $i i32) (local $at i32) (local $before i32) (local $plane i32)
    (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local $ab_high v128) (local $ab_low v128) (local $cd_high v128) (local $cd_low v128)
    (local $word i32) (local $last i32)
    (loop $sixteen
      (local.set $at (i32.add (local.get $words) (i32.shl (local.get $i) (i32.const 2))))
      (local.set $before
        (i32.sub (local.get $at) (i32.shl (local.get $bands) (i32.const 2))))
      (local.set $a
        (i8x16.sub (v128.load (local.get $at)) (v128.load (local.get $before))))
      (local.set $b
        (i8x16.sub (v128.load offset=16 (local.get $at)) (v128.load offset=16 (local.get $before))))
      (local.set $c
        (i8x16.sub (v128.load offset=32 (local.get $at)) (v128.load offset=32 (local.get $before))))
      (local.set $d
        (i8x16.sub (v128.load offset=48 (local.get $at)) (v128.load offset=48 (local.get $before))))
      (local.set $ab_high
        (i8x16.shuffle 3 7 11 15 19 23 27 31 2 6 10 14 18 22 26 30 (local.get $a) (local.get $b)))
      (local.set $ab_low
        (i8x16.shuffle 1 5 9 13 17 21 25 29 0 4 8 12 16 20 24 28 (local.get $a) (local.get $b)))
      (local.set $cd_high
        (i8x16.shuffle 3 7 11 15 19 23 27 31 2 6 10 14 18 22 26 30 (local.get $c) (local.get $d)))
      (local.set $cd_low
        (i8x16.shuffle 1 5 9 13 17 21 25 29 0 4 8 12 16 20 24 28 (local.get $c) (local.get $d)))
      (local.set $plane (i32.add (local.get $out) (local.get $i)))
      (v128.store (local.get $plane)
        (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23
          (local.get $ab_high) (local.get $cd_high)))
      (local.set $plane (i32.add (local.get $plane) (local.get $samples)))
      (v128.store (local.get $plane)
        (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31
          (local.get $ab_high) (local.get $cd_high)))
      (local.set $plane (i32.add (local.get $plane) (local.get $samples)))
      (v128.store (local.get $plane)
        (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23
          (local.get $ab_low) (local.get $cd_low)))
      (local.set $plane (i32.add (local.get $plane) (local.get $samples)))
      (v128.store (local.get $plane)
        (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31
          (local.get $ab_low) (local.get $cd_low)))
      (local.set $i (i32.add (local.get $i) (i32.const 16)))
      (br_if $sixteen (i32.lt_u (local.get $i) (local.get $samples))))
    ;; Before the first cell's bytes stand the last cell's of the plane before, or nothing.
    (local.set $i (i32.const 0))
    (loop $band
      (local.set $at (i32.add (local.get $words) (i32.shl (local.get $i) (i32.const 2))))
      (local.set $word (i32.load (local.get $at)))
      (local.set $last
        (i32.load
          (i32.add (local.get $at)
            (i32.shl (i32.sub (local.get $samples) (local.get $bands)) (i32.const 2)))))
      (local.set $plane (i32.add (local.get $out) (local.get $i)))
      (i32.store8 (local.get $plane) (i32.shr_u (local.get $word) (i32.const 24)))
      (local.set $plane (i32.add (local.get $plane) (local.get $samples)))
      (i32.store8 (local.get $plane)
        (i32.sub
          (i32.shr_u (local.get $word) (i32.const 16)) (i32.shr_u (local.get $last) (i32.const 24))))
      (local.set $plane (i32.add (local.get $plane) (local.get $samples)))
      (i32.store8 (local.get $plane)
        (i32.sub
          (i32.shr_u (local.get $word) (i32.const 8)) (i32.shr_u (local.get $last) (i32.const 16))))
      (local.set $plane (i32.add (local.get $plane) (local.get $samples)))
      (i32.store8 (local.get $plane)
        (i32.sub (local.get $word) (i32.shr_u (local.get $last) (i32.const 8))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $band (i32.lt_u (local.get $i) (local.get $bands)))))

  ;; Where bytes like those of the pattern end.
  (func $run_end (param $at i32) (param $end i32) (param $pattern i64) (result i32)
    (local $other i64)
    (block $found
      (loop $eight
        (br_if $found (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $other (i64.xor (i64.load (local.get $at)) (local.get $pattern)))
        (if (i64.ne (local.get $other) (i64.const 0))
          (then
            (local.set $at
              (i32.add (local.get $at)
                (i32.wrap_i64 (i64.shr_u (i64.ctz (local.get $other)) (i64.const 3)))))
            (br $found)))
        (local.set $at (i32.add (local.get $at) (i32.const 8)))
        (br $eight)))
    (select (local.get $at) (local.get $end) (i32.lt_u (local.get $at) (local.get $end))))

  ;; How much of a run the next match takes.
  (func $match_of (param $run i32) (result i32)
    (if (result i32) (i32.le_u (local.get $run) (i32.const 258))
      (then (local.get $run))
      (else
        (select (i32.const 255) (i32.const 258) (i32.lt_u (local.get $run) (i32.const 261))))))

  ;; The kind of a plane, by how many bytes equal the one before.
  (func $kind (param $at i32) (param $length i32) (result i32)
    (local $end i32) (local $equal i32)
    (local.set $end (i32.add (local.get $at) (local.get $length)))
    (loop $sixteen
      (local.set $equal
        (i32.add (local.get $equal)
          (i32.popcnt
            (i8x16.bitmask
              (i8x16.eq
                (v128.load (local.get $at))
                (v128.load (i32.sub (local.get $at) (i32.const 1))))))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $sixteen (i32.lt_u (local.get $at) (local.get $end))))
    (if (i32.ge_u
          (i32.shl (local.get $equal) (i32.const 3))
          (i32.mul (local.get $length) (i32.const 7)))
      (then (return (i32.const 0))))
    (if (i32.ge_u (i32.shl (local.get $equal) (i32.const 1)) (local.get $length))
      (then (return (i32.const 1))))
    (if (i32.ge_u (i32.shl (local.get $equal) (i32.const 3)) (local.get $length))
      (then (return (i32.const 2))))
    (select (i32.const 3) (i32.const 4)
      (i32.ge_u (i32.shl (local.get $equal) (i32.const 5)) (local.get $length))))

  (func $count (param $counter i32)
    (i32.store (local.get $counter) (i32.add (i32.load (local.get $counter)) (i32.const 1))))

  ;; Counts a plane's symbols: bytes by four tables in turns, so that one count need not wait for the
  ;; one before it; then lengths of matches.
  (func $tally_plane
    (param $at i32) (param $end i32) (param $counts i32) (param $length_symbols i32)
    (local $pattern i64) (local $stop i32) (local $left i32) (local $match i32)
    (local $word i32) (local $four i32) (local $counter i32)
    (block $rest
      (loop $eight
        (br_if $rest
          (i32.gt_u (i32.add (local.get $at) (i32.const 8)) (local.get $end)))
        (local.set $pattern
          (i64.mul
            (i64.load8_u (i32.sub (local.get $at) (i32.const 1)))
            (i64.const 0x0101010101010101)))
        (if (i64.eq (i64.load (local.get $at)) (local.get $pattern))
          (then
            (local.set $stop
              (call $run_end (local.get $at) (local.get $end) (local.get $pattern)))
            (local.set $left (i32.sub (local.get $stop) (local.get $at)))
            (loop $matches
              (local.set $match (call $match_of (local.get $left)))
              (call $count
                (i32.add
                  (i32.add (local.get $counts) (i32.const 4096))
                  (i32.shl
                    (i32.load8_u
                      (i32.add
                        (local.get $length_symbols) (i32.sub (local.get $match) (i32.const 3))))
                    (i32.const 2))))
              (local.set $left (i32.sub (local.get $left) (local.get $match)))
              (br_if $matches (local.get $left)))
            (local.set $at (local.get $stop))
            (br $eight)))
        (local.set $four (i32.add (local.get $at) (i32.const 8)))
        (loop $literals
          (local.set $word (i32.load (local.get $at)))
          (local.set $counter
            (i32.add (local.get $counts)
              (i32.and (i32.shl (local.get $word) (i32.const 2)) (i32.const 0x3fc))))
          (i32.store (local.get $counter)
            (i32.add (i32.load (local.get $counter)) (i32.const 1)))
          (local.set $counter
            (i32.add (local.get $counts)
              (i32.and (i32.shr_u (local.get $word) (i32.const 6)) (i32.const 0x3fc))))
          (i32.store offset=1024 (local.get $counter)
            (i32.add (i32.load offset=1024 (local.get $counter)) (i32.const 1)))
          (local.set $counter
            (i32.add (local.get $counts)
              (i32.and (i32.shr_u (local.get $word) (i32.const 14)) (i32.const 0x3fc))))
          (i32.store offset=2048 (local.get $counter)
            (i32.add (i32.load offset=2048 (local.get $counter)) (i32.const 1)))
          (local.set $counter
            (i32.add (local.get $counts)
              (i32.and (i32.shr_u (local.get $word) (i32.const 22)) (i32.const 0x3fc))))
          (i32.store offset=3072 (local.get $counter)
            (i32.add (i32.load offset=3072 (local.get $counter)) (i32.const 1)))
          (local.set $at (i32.add (local.get $at) (i32.const 4)))
          (br_if $literals (i32.lt_u (local.get $at) (local.get $four))))
        (br $eight)))
    (block $done
      (loop $byte
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (call $count
          (i32.add (local.get $counts)
            (i32.shl (i32.load8_u (local.get $at)) (i32.const 2))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $byte))))

  ;; The kind of each plane, and each kind's counts, which were zero.
  (func (export "tally")
    (param $at i32) (param $plane_bytes i32) (param $kinds i32) (param $planes i32)
    (param $counts i32) (param $counts_bytes i32) (param $length_symbols i32)
    (local $stop i32) (local $kind i32)
    (call $begin (local.get $at))
    (local.set $stop (i32.add (local.get $kinds) (local.get $planes)))
    (loop $plane
      (local.set $kind (call $kind (local.get $at) (local.get $plane_bytes)))
      (i32.store8 (local.get $kinds) (local.get $kind))
      (call $tally_plane
        (local.get $at)
        (i32.add (local.get $at) (local.get $plane_bytes))
        (i32.add (local.get $counts) (i32.mul (local.get $kind) (local.get $counts_bytes)))
        (local.get $length_symbols))
      (local.set $at (i32.add (local.get $at) (local.get $plane_bytes)))
      (local.set $kinds (i32.add (local.get $kinds) (i32.const 1)))
      (br_if $plane (i32.lt_u (local.get $kinds) (local.get $stop)))))

  ;; Before the first byte stands one that is unlike it: no run begins there.
  (func $begin (param $at i32)
    (i32.store8
      (i32.sub (local.get $at) (i32.const 1))
      (i32.xor (i32.load8_u (local.get $at)) (i32.const 0xff))))

  ;; At most 56 bits.
  (func $put (param $value i64) (param $count i64)
    (global.set $waiting
      (i64.or (global.get $waiting) (i64.shl (local.get $value) (global.get $bits))))
    (global.set $bits (i64.add (global.get $bits) (local.get $count)))
    (i64.store (global.get $out) (global.get $waiting))
    (global.set $out
      (i32.add (global.get $out) (i32.wrap_i64 (i64.shr_u (global.get $bits) (i64.const 3)))))
    (global.set $waiting
      (i64.shr_u (global.get $waiting) (i64.and (global.get $bits) (i64.const 56))))
    (global.set $bits (i64.and (global.get $bits) (i64.const 7))))

  (func $put_entry (param $entry i32)
    (call $put
      (i64.extend_i32_u (i32.and (local.get $entry) (i32.const 0xffffff)))
      (i64.extend_i32_u (i32.shr_u (local.get $entry) (i32.const 24)))))

  (func $put_bits (param $from i32) (param $bits i32)
    (block $rest
      (loop $word
        (br_if $rest (i32.lt_u (local.get $bits) (i32.const 32)))
        (call $put (i64.load32_u (local.get $from)) (i64.const 32))
        (local.set $from (i32.add (local.get $from) (i32.const 4)))
        (local.set $bits (i32.sub (local.get $bits) (i32.const 32)))
        (br $word)))
    (call $put
      (i64.extend_i32_u
        (i32.and
          (i32.load (local.get $from))
          (i32.sub (i32.shl (i32.const 1) (local.get $bits)) (i32.const 1))))
      (i64.extend_i32_u (local.get $bits))))

  (func $align
    (global.set $out
      (i32.add (global.get $out) (i64.ne (global.get $bits) (i64.const 0))))
    (global.set $waiting (i64.const 0))
    (global.set $bits (i64.const 0)))

  ;; Stored blocks: BTYPE 0, to the next byte, LEN, its complement, the bytes.
  (func $put_stored (param $from i32) (param $end i32)
    (local $piece i32)
    (loop $block
      (local.set $piece (i32.sub (local.get $end) (local.get $from)))
      (local.set $piece
        (select (local.get $piece) (i32.const 65535)
          (i32.lt_u (local.get $piece) (i32.const 65535))))
      (call $put (i64.const 0) (i64.const 3))
      (call $align)
      (i32.store (global.get $out)
        (i32.or
          (local.get $piece)
          (i32.shl (i32.xor (local.get $piece) (i32.const 0xffff)) (i32.const 16))))
      (memory.copy
        (i32.add (global.get $out) (i32.const 4)) (local.get $from) (local.get $piece))
      (global.set $out
        (i32.add (i32.add (global.get $out) (i32.const 4)) (local.get $piece)))
      (local.set $from (i32.add (local.get $from) (local.get $piece)))
      (br_if $block (i32.lt_u (local.get $from) (local.get $end)))))

  ;; A plane's literals and runs, by the entries of its code.
  (func $put_plane (param $at i32) (param $end i32) (param $entries i32)
    (local $waiting i64) (local $bits i64) (local $out i32)
    (local $pattern i64) (local $stop i32) (local $left i32) (local $match i32)
    (local $word i32) (local $four i32) (local $entry i32)
    (local.set $waiting (global.get $waiting))
    (local.set $bits (global.get $bits))
    (local.set $out (global.get $out))
    (block $rest
      (loop $eight
        (br_if $rest
          (i32.gt_u (i32.add (local.get $at) (i32.const 8)) (local.get $end)))
        (local.set $pattern
          (i64.mul
            (i64.load8_u (i32.sub (local.get $at) (i32.const 1)))
            (i64.const 0x0101010101010101)))
        (if (i64.eq (i64.load (local.get $at)) (local.get $pattern))
          (then
            (local.set $stop
              (call $run_end (local.get $at) (local.get $end) (local.get $pattern)))
            (local.set $left (i32.sub (local.get $stop) (local.get $at)))
            (global.set $waiting (local.get $waiting))
            (global.set $bits (local.get $bits))
            (global.set $out (local.get $out))
            (loop $matches
              (local.set $match (call $match_of (local.get $left)))
              (call $put_entry
                (i32.load offset=1024
                  (i32.add
                    (local.get $entries)
                    (i32.shl (i32.sub (local.get $match) (i32.const 3)) (i32.const 2)))))
              (local.set $left (i32.sub (local.get $left) (local.get $match)))
              (br_if $matches (local.get $left)))
            (local.set $waiting (global.get $waiting))
            (local.set $bits (global.get $bits))
            (local.set $out (global.get $out))
            (local.set $at (local.get $stop))
            (br $eight)))
        (local.set $four (i32.add (local.get $at) (i32.const 8)))
        ;; Four codes of at most 14 bits beside 7 that wait: one word.
        (loop $literals
          (local.set $word (i32.load (local.get $at)))
          (local.set $entry
            (i32.load
              (i32.add (local.get $entries)
                (i32.and (i32.shl (local.get $word) (i32.const 2)) (i32.const 0x3fc)))))
          (local.set $waiting
            (i64.or (local.get $waiting)
              (i64.shl
                (i64.extend_i32_u (i32.and (local.get $entry) (i32.const 0xffffff)))
                (local.get $bits))))
          (local.set $bits
            (i64.add (local.get $bits)
              (i64.extend_i32_u (i32.shr_u (local.get $entry) (i32.const 24)))))
          (local.set $entry
            (i32.load
              (i32.add (local.get $entries)
                (i32.and (i32.shr_u (local.get $word) (i32.const 6)) (i32.const 0x3fc)))))
          (local.set $waiting
            (i64.or (local.get $waiting)
              (i64.shl
                (i64.extend_i32_u (i32.and (local.get $entry) (i32.const 0xffffff)))
                (local.get $bits))))
          (local.set $bits
            (i64.add (local.get $bits)
              (i64.extend_i32_u (i32.shr_u (local.get $entry) (i32.const 24)))))
          (local.set $entry
            (i32.load
              (i32.add (local.get $entries)
                (i32.and (i32.shr_u (local.get $word) (i32.const 14)) (i32.const 0x3fc)))))
          (local.set $waiting
            (i64.or (local.get $waiting)
              (i64.shl
                (i64.extend_i32_u (i32.and (local.get $entry) (i32.const 0xffffff)))
                (local.get $bits))))
          (local.set $bits
            (i64.add (local.get $bits)
              (i64.extend_i32_u (i32.shr_u (local.get $entry) (i32.const 24)))))
          (local.set $entry
            (i32.load
              (i32.add (local.get $entries)
                (i32.and (i32.shr_u (local.get $word) (i32.const 22)) (i32.const 0x3fc)))))
          (local.set $waiting
            (i64.or (local.get $waiting)
              (i64.shl
                (i64.extend_i32_u (i32.and (local.get $entry) (i32.const 0xffffff)))
                (local.get $bits))))
          (local.set $bits
            (i64.add (local.get $bits)
              (i64.extend_i32_u (i32.shr_u (local.get $entry) (i32.const 24)))))
          (i64.store (local.get $out) (local.get $waiting))
          (local.set $out
            (i32.add (local.get $out)
              (i32.wrap_i64 (i64.shr_u (local.get $bits) (i64.const 3)))))
          (local.set $waiting
            (i64.shr_u (local.get $waiting) (i64.and (local.get $bits) (i64.const 56))))
          (local.set $bits (i64.and (local.get $bits) (i64.const 7)))
          (local.set $at (i32.add (local.get $at) (i32.const 4)))
          (br_if $literals (i32.lt_u (local.get $at) (local.get $four))))
        (br $eight)))
    (global.set $waiting (local.get $waiting))
    (global.set $bits (local.get $bits))
    (global.set $out (local.get $out))
    (block $done
      (loop $byte
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (call $put_entry
          (i32.load
            (i32.add (local.get $entries)
              (i32.shl (i32.load8_u (local.get $at)) (i32.const 2)))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $byte))))

  ;; Deflate's blocks for all planes; gives where they end. A code is 512 entries, its end of block,
  ;; the length of its header in bits, and its header; kinds with the code 255 are stored.
  (func (export "write")
    (param $at i32) (param $plane_bytes i32) (param $kinds i32) (param $planes i32)
    (param $code_of_kind i32) (param $codes i32) (param $code_bytes i32) (param $out i32)
    (result i32)
    (local $stop i32) (local $number i32) (local $code i32) (local $open i32) (local $next i32)
    (global.set $waiting (i64.const 0))
    (global.set $bits (i64.const 0))
    (global.set $out (local.get $out))
    (call $begin (local.get $at))
    (local.set $stop (i32.add (local.get $kinds) (local.get $planes)))
    (loop $block
      (local.set $number
        (i32.load8_u (i32.add (local.get $code_of_kind) (i32.load8_u (local.get $kinds)))))
      ;; As many planes as have the same code.
      (local.set $next (local.get $at))
      (block $changed
        (loop $same
          (local.set $next (i32.add (local.get $next) (local.get $plane_bytes)))
          (local.set $kinds (i32.add (local.get $kinds) (i32.const 1)))
          (br_if $changed (i32.ge_u (local.get $kinds) (local.get $stop)))
          (br_if $same
            (i32.eq
              (i32.load8_u (i32.add (local.get $code_of_kind) (i32.load8_u (local.get $kinds))))
              (local.get $number)))))
      (if (i32.eq (local.get $number) (i32.const 255))
        (then (call $put_stored (local.get $at) (local.get $next)))
        (else
          (local.set $code
            (i32.add (local.get $codes) (i32.mul (local.get $number) (local.get $code_bytes))))
          (call $put_bits
            (i32.add (local.get $code) (i32.const 2056))
            (i32.load offset=2052 (local.get $code)))
          (loop $plane
            (call $put_plane
              (local.get $at)
              (i32.add (local.get $at) (local.get $plane_bytes))
              (local.get $code))
            (local.set $at (i32.add (local.get $at) (local.get $plane_bytes)))
            (br_if $plane (i32.lt_u (local.get $at) (local.get $next))))
          (call $put_entry (i32.load offset=2048 (local.get $code)))))
      (local.set $at (local.get $next))
      (br_if $block (i32.lt_u (local.get $kinds) (local.get $stop))))
    ;; The last block is an empty one with fixed codes: BFINAL 1, BTYPE 1, seven zeros.
    (call $put (i64.const 3) (i64.const 10))
    (call $align)
    (global.get $out))

  ;; Adler-32 (RFC 1950, section 8.2) of a length that is a multiple of 16. Sums are reduced before
  ;; they could leave 32 bits.
  (func (export "adler32") (param $at i32) (param $length i32) (result i32)
    (local $end i32) (local $stop i32) (local $bytes v128)
    (local $a i32) (local $b i32)
    (local $sum v128) (local $before v128) (local $weighted v128)
    (local.set $a (i32.const 1))
    (local.set $end (i32.add (local.get $at) (local.get $length)))
    (loop $stretch
      (local.set $stop (i32.add (local.get $at) (i32.const 5536)))
      (local.set $stop
        (select (local.get $stop) (local.get $end)
          (i32.lt_u (local.get $stop) (local.get $end))))
      (local.set $b
        (i32.add (local.get $b)
          (i32.mul (local.get $a) (i32.sub (local.get $stop) (local.get $at)))))
      (local.set $sum (v128.const i32x4 0 0 0 0))
      (local.set $before (v128.const i32x4 0 0 0 0))
      (local.set $weighted (v128.const i32x4 0 0 0 0))
      (loop $sixteen
        (local.set $bytes (v128.load (local.get $at)))
        (local.set $before (i32x4.add (local.get $before) (local.get $sum)))
        (local.set $sum
          (i32x4.add (local.get $sum)
            (i32x4.extadd_pairwise_i16x8_u
              (i16x8.extadd_pairwise_i8x16_u (local.get $bytes)))))
        (local.set $weighted
          (i32x4.add (local.get $weighted)
            (i32x4.add
              (i32x4.extadd_pairwise_i16x8_u
                (i16x8.extmul_low_i8x16_u (local.get $bytes)
                  (v128.const i8x16 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1)))
              (i32x4.extadd_pairwise_i16x8_u
                (i16x8.extmul_high_i8x16_u (local.get $bytes)
                  (v128.const i8x16 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1))))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $sixteen (i32.lt_u (local.get $at) (local.get $stop))))
      (local.set $weighted
        (i32x4.add (local.get $weighted) (i32x4.shl (local.get $before) (i32.const 4))))
      (local.set $a
        (i32.rem_u (i32.add (local.get $a) (call $across (local.get $sum))) (i32.const 65521)))
      (local.set $b
        (i32.rem_u
          (i32.add (local.get $b) (call $across (local.get $weighted))) (i32.const 65521)))
      (br_if $stretch (i32.lt_u (local.get $at) (local.get $end))))
    (i32.or (i32.shl (local.get $b) (i32.const 16)) (local.get $a)))

  (func $across (param $lanes v128) (result i32)
    (i32.add
      (i32.add
        (i32x4.extract_lane 0 (local.get $lanes)) (i32x4.extract_lane 1 (local.get $lanes)))
      (i32.add
        (i32x4.extract_lane 2 (local.get $lanes)) (i32x4.extract_lane 3 (local.get $lanes))))))
