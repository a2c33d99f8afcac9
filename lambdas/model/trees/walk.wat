;; The inner loops of the tree evaluator; `npm run wasm` assembles them into walk-binary.ts.
;; They compute the same as reference.ts, in the same order and precision.
;;
;; A block of points passes through a tree together: each node splits the list of points into those
;; that take the first child and those that take the second. Each point is written to both ends of the
;; next list, and the comparison only advances one of the ends. So no branch depends on a comparison:
;; the processor would mispredict half of these, which dominates the time of a point-by-point walk. Nor
;; does a step depend on the previous one.
;;
;; Every memory address is valid, because build-forest.ts checks the forest and block-memory.ts
;; allocates the memory.
(module
  (import "forest" "memory" (memory 1 65536 shared))

  ;; Flags in a node's first word (forest.ts).
  (global $EQUALS i32 (i32.const 0x40000000))
  (global $MISSING_TAKES_FIRST i32 (i32.const 0x20000000))
  (global $FLAGS i32 (i32.const 0x60000000))
  (global $FEATURE i32 (i32.const 0x1fffffff))

  ;; 1 if the value takes the first child of a node with a test other than x <= threshold.
  (func $takes_first
    (param $question i32) (param $value f32) (param $threshold f32) (result i32)
    (if (result i32) (f32.ne (local.get $value) (local.get $value))
      (then (i32.ne (i32.and (local.get $question) (global.get $MISSING_TAKES_FIRST)) (i32.const 0)))
      (else
        (select
          (f32.eq (local.get $value) (local.get $threshold))
          (f32.le (local.get $value) (local.get $threshold))
          (i32.and (local.get $question) (global.get $EQUALS))))))

  ;; Adds a tree's leaves to the sums of the block's points. Lists hold points as 16-bit numbers.
  (func $walk
    (param $root i32)
    (param $nodes i32)
    (param $leaves i32)
    (param $stride i32)       ;; values per leaf, and sums per point
    (param $columns i32)      ;; the block's features, by column
    (param $column_bytes i32)
    (param $sums i32)
    (param $all i32)          ;; the list of all the block's points
    (param $list_bytes i32)   ;; and its length
    (param $even i32)         ;; list buffer of nodes at an even depth
    (param $odd i32)
    (param $stack i32)        ;; second children to walk later: reference, first, end, list
    (param $bounds i32)       ;; minimum and maximum of each column; NaN if it contains NaN
    (local $at i32)
    (local $list i32) (local $next i32)
    (local $first i32) (local $end i32)  ;; of the current list, in bytes
    (local $top i32)
    (local $node i32) (local $question i32) (local $column i32) (local $threshold f32)
    (local $from i32) (local $stop i32) (local $left i32) (local $right i32)
    (local $point i32) (local $takes_first i32)
    (local $leaf i32) (local $value f64) (local $sum i32) (local $sum_stop i32)

    (local.set $at (local.get $root))
    (local.set $list (local.get $all))
    (local.set $next (local.get $even))
    (local.set $end (local.get $list_bytes))
    (local.set $top (local.get $stack))

    (loop $reference
      ;; A single point is walked to its leaf.
      (if (i32.eq (i32.sub (local.get $end) (local.get $first)) (i32.const 2))
        (then
          (local.set $point
            (i32.add
              (local.get $columns)
              (i32.shl
                (i32.load16_u (i32.add (local.get $list) (local.get $first)))
                (i32.const 2))))
          (block $leaf_reached
            (loop $step
              (br_if $leaf_reached (i32.lt_s (local.get $at) (i32.const 0)))
              (local.set $node
                (i32.add (local.get $nodes) (i32.shl (local.get $at) (i32.const 2))))
              (local.set $question (i32.load (local.get $node)))
              (local.set $at
                (i32.load offset=8
                  (i32.add
                    (local.get $node)
                    (i32.shl
                      (i32.eqz
                        (call $takes_first
                          (local.get $question)
                          (f32.load
                            (i32.add
                              (local.get $point)
                              (i32.mul
                                (i32.and (local.get $question) (global.get $FEATURE))
                                (local.get $column_bytes))))
                          (f32.load offset=4 (local.get $node))))
                      (i32.const 2)))))
              (br $step)))))

      (if (i32.ge_s (local.get $at) (i32.const 0))
        (then
          (local.set $node (i32.add (local.get $nodes) (i32.shl (local.get $at) (i32.const 2))))
          (local.set $question (i32.load (local.get $node)))
          (local.set $threshold (f32.load offset=4 (local.get $node)))
          ;; Adjacent cells often all take the same child, which the block's bounds show.
          (if (i32.eqz (i32.and (local.get $question) (global.get $FLAGS)))
            (then
              (local.set $column
                (i32.add (local.get $bounds) (i32.shl (local.get $question) (i32.const 3))))
              (if (f32.le (f32.load offset=4 (local.get $column)) (local.get $threshold))
                (then
                  (local.set $at (i32.load offset=8 (local.get $node)))
                  (br $reference)))
              (if (f32.gt (f32.load (local.get $column)) (local.get $threshold))
                (then
                  (local.set $at (i32.load offset=12 (local.get $node)))
                  (br $reference)))))
          (local.set $column
            (i32.add
              (local.get $columns)
              (i32.mul
                (i32.and (local.get $question) (global.get $FEATURE))
                (local.get $column_bytes))))
          (local.set $from (i32.add (local.get $list) (local.get $first)))
          (local.set $stop (i32.add (local.get $list) (local.get $end)))
          (local.set $left (i32.add (local.get $next) (local.get $first)))
          (local.set $right
            (i32.sub (i32.add (local.get $next) (local.get $end)) (i32.const 2)))

          (if (i32.eqz (i32.and (local.get $question) (global.get $FLAGS)))
            (then
              (loop $plain
                (local.set $point (i32.load16_u (local.get $from)))
                (local.set $takes_first
                  (i32.shl
                    (f32.le
                      (f32.load
                        (i32.add
                          (local.get $column)
                          (i32.shl (local.get $point) (i32.const 2))))
                      (local.get $threshold))
                    (i32.const 1)))
                (i32.store16 (local.get $left) (local.get $point))
                (i32.store16 (local.get $right) (local.get $point))
                (local.set $left (i32.add (local.get $left) (local.get $takes_first)))
                (local.set $right
                  (i32.sub (i32.add (local.get $right) (local.get $takes_first)) (i32.const 2)))
                (local.set $from (i32.add (local.get $from) (i32.const 2)))
                (br_if $plain (i32.lt_u (local.get $from) (local.get $stop)))))
            (else
              (loop $any
                (local.set $point (i32.load16_u (local.get $from)))
                (local.set $takes_first
                  (i32.shl
                    (call $takes_first
                      (local.get $question)
                      (f32.load
                        (i32.add
                          (local.get $column)
                          (i32.shl (local.get $point) (i32.const 2))))
                      (local.get $threshold))
                    (i32.const 1)))
                (i32.store16 (local.get $left) (local.get $point))
                (i32.store16 (local.get $right) (local.get $point))
                (local.set $left (i32.add (local.get $left) (local.get $takes_first)))
                (local.set $right
                  (i32.sub (i32.add (local.get $right) (local.get $takes_first)) (i32.const 2)))
                (local.set $from (i32.add (local.get $from) (i32.const 2)))
                (br_if $any (i32.lt_u (local.get $from) (local.get $stop))))))

          ;; Start of the second child's part of the list.
          (local.set $left (i32.sub (local.get $left) (local.get $next)))
          (local.set $list (local.get $next))
          (local.set $next
            (select
              (local.get $odd)
              (local.get $even)
              (i32.eq (local.get $next) (local.get $even))))
          (if (i32.eq (local.get $left) (local.get $first))
            (then (local.set $at (i32.load offset=12 (local.get $node))))
            (else
              (local.set $at (i32.load offset=8 (local.get $node)))
              (if (i32.lt_u (local.get $left) (local.get $end))
                (then
                  (i32.store (local.get $top) (i32.load offset=12 (local.get $node)))
                  (i32.store offset=4 (local.get $top) (local.get $left))
                  (i32.store offset=8 (local.get $top) (local.get $end))
                  (i32.store offset=12 (local.get $top) (local.get $list))
                  (local.set $top (i32.add (local.get $top) (i32.const 16)))
                  (local.set $end (local.get $left))))))
          (br $reference)))

      ;; A leaf: add its values to the sums of every point in the list.
      (local.set $leaf
        (i32.add
          (local.get $leaves)
          (i32.mul
            (i32.xor (local.get $at) (i32.const -1))
            (i32.shl (local.get $stride) (i32.const 2)))))
      (local.set $from (i32.add (local.get $list) (local.get $first)))
      (local.set $stop (i32.add (local.get $list) (local.get $end)))
      (if (i32.eq (local.get $stride) (i32.const 1))
        (then
          (local.set $value (f64.promote_f32 (f32.load (local.get $leaf))))
          (loop $points
            (local.set $sum
              (i32.add
                (local.get $sums)
                (i32.shl (i32.load16_u (local.get $from)) (i32.const 3))))
            (f64.store (local.get $sum)
              (f64.add (f64.load (local.get $sum)) (local.get $value)))
            (local.set $from (i32.add (local.get $from) (i32.const 2)))
            (br_if $points (i32.lt_u (local.get $from) (local.get $stop)))))
        (else
          (loop $points
            (local.set $sum
              (i32.add
                (local.get $sums)
                (i32.mul
                  (i32.load16_u (local.get $from))
                  (i32.shl (local.get $stride) (i32.const 3)))))
            (local.set $sum_stop
              (i32.add (local.get $sum) (i32.shl (local.get $stride) (i32.const 3))))
            (local.set $node (local.get $leaf))
            (loop $pairs
              (v128.store (local.get $sum)
                (f64x2.add
                  (v128.load (local.get $sum))
                  (f64x2.promote_low_f32x4 (v128.load64_zero (local.get $node)))))
              (local.set $node (i32.add (local.get $node) (i32.const 8)))
              (local.set $sum (i32.add (local.get $sum) (i32.const 16)))
              (br_if $pairs (i32.lt_u (local.get $sum) (local.get $sum_stop))))
            (local.set $from (i32.add (local.get $from) (i32.const 2)))
            (br_if $points (i32.lt_u (local.get $from) (local.get $stop))))))

      (if (i32.ne (local.get $top) (local.get $stack))
        (then
          (local.set $top (i32.sub (local.get $top) (i32.const 16)))
          (local.set $at (i32.load (local.get $top)))
          (local.set $first (i32.load offset=4 (local.get $top)))
          (local.set $end (i32.load offset=8 (local.get $top)))
          (local.set $list (i32.load offset=12 (local.get $top)))
          (local.set $next
            (select
              (local.get $odd)
              (local.get $even)
              (i32.eq (local.get $list) (local.get $even))))
          (br $reference)))))

  ;; Predicts points `from` to `from + count` with a thread's scratch memory; block-memory.ts lays out
  ;; `header` and `scratch`.
  (func (export "predictBlock")
    (param $header i32) (param $scratch i32) (param $from i32) (param $count i32)
    (local $features i32) (local $targets i32) (local $stride i32)
    (local $column_bytes i32) (local $list_bytes i32)
    (local $sums i32) (local $all i32) (local $even i32) (local $odd i32) (local $stack i32)
    (local $i i32) (local $j i32) (local $point i32) (local $to i32)
    (local $root i32) (local $roots_end i32) (local $divisor f64) (local $base i32)
    (local $bounds i32) (local $least f32) (local $greatest f32)

    (local.set $features (i32.load offset=16 (local.get $header)))
    (local.set $targets (i32.load offset=20 (local.get $header)))
    (local.set $stride (i32.load offset=24 (local.get $header)))
    (local.set $column_bytes
      (i32.and (i32.add (i32.shl (local.get $count) (i32.const 2)) (i32.const 15)) (i32.const -16)))
    (local.set $list_bytes
      (i32.and (i32.add (i32.shl (local.get $count) (i32.const 1)) (i32.const 15)) (i32.const -16)))
    (local.set $sums
      (i32.add
        (local.get $scratch)
        (i32.mul (local.get $features) (local.get $column_bytes))))
    (local.set $all
      (i32.add
        (local.get $sums)
        (i32.and
          (i32.add
            (i32.mul (local.get $count) (i32.shl (local.get $stride) (i32.const 3)))
            (i32.const 15))
          (i32.const -16))))
    (local.set $even (i32.add (local.get $all) (local.get $list_bytes)))
    (local.set $odd (i32.add (local.get $even) (local.get $list_bytes)))
    (local.set $stack (i32.add (local.get $odd) (local.get $list_bytes)))
    (local.set $bounds
      (i32.add (local.get $stack) (i32.shl (local.get $count) (i32.const 4))))

    ;; Transpose the rows of points to columns of features, and fill the list of all points.
    (local.set $point
      (i32.add
        (i32.load offset=32 (local.get $header))
        (i32.mul (local.get $from) (i32.shl (local.get $features) (i32.const 2)))))
    (loop $rows
      (i32.store16
        (i32.add (local.get $all) (i32.shl (local.get $i) (i32.const 1)))
        (local.get $i))
      (local.set $to
        (i32.add (local.get $scratch) (i32.shl (local.get $i) (i32.const 2))))
      (local.set $j (i32.const 0))
      (loop $values
        (f32.store (local.get $to) (f32.load (local.get $point)))
        (local.set $point (i32.add (local.get $point) (i32.const 4)))
        (local.set $to (i32.add (local.get $to) (local.get $column_bytes)))
        (local.set $j (i32.add (local.get $j) (i32.const 1)))
        (br_if $values (i32.lt_u (local.get $j) (local.get $features))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $rows (i32.lt_u (local.get $i) (local.get $count))))

    ;; The columns' bounds; f32.min and f32.max propagate NaN.
    (local.set $j (i32.const 0))
    (loop $columns
      (local.set $to
        (i32.add (local.get $scratch) (i32.mul (local.get $j) (local.get $column_bytes))))
      (local.set $least (f32.load (local.get $to)))
      (local.set $greatest (local.get $least))
      (local.set $i (i32.const 0))
      (loop $values
        (local.set $least (f32.min (local.get $least) (f32.load (local.get $to))))
        (local.set $greatest (f32.max (local.get $greatest) (f32.load (local.get $to))))
        (local.set $to (i32.add (local.get $to) (i32.const 4)))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br_if $values (i32.lt_u (local.get $i) (local.get $count))))
      (local.set $to
        (i32.add (local.get $bounds) (i32.shl (local.get $j) (i32.const 3))))
      (f32.store (local.get $to) (local.get $least))
      (f32.store offset=4 (local.get $to) (local.get $greatest))
      (local.set $j (i32.add (local.get $j) (i32.const 1)))
      (br_if $columns (i32.lt_u (local.get $j) (local.get $features))))

    (memory.fill
      (local.get $sums)
      (i32.const 0)
      (i32.mul (local.get $count) (i32.shl (local.get $stride) (i32.const 3))))

    (local.set $root (i32.load offset=8 (local.get $header)))
    (local.set $roots_end
      (i32.add
        (local.get $root)
        (i32.shl (i32.load offset=12 (local.get $header)) (i32.const 2))))
    (loop $trees
      (call $walk
        (i32.load (local.get $root))
        (i32.load (local.get $header))
        (i32.load offset=4 (local.get $header))
        (local.get $stride)
        (local.get $scratch)
        (local.get $column_bytes)
        (local.get $sums)
        (local.get $all)
        (i32.shl (local.get $count) (i32.const 1))
        (local.get $even)
        (local.get $odd)
        (local.get $stack)
        (local.get $bounds))
      (local.set $root (i32.add (local.get $root) (i32.const 4)))
      (br_if $trees (i32.lt_u (local.get $root) (local.get $roots_end))))

    ;; Write the sums to the results.
    (local.set $divisor (f64.load offset=40 (local.get $header)))
    (local.set $to
      (i32.add
        (i32.load offset=36 (local.get $header))
        (i32.mul (local.get $from) (i32.shl (local.get $targets) (i32.const 2)))))
    (local.set $i (i32.const 0))
    (loop $points
      (local.set $point
        (i32.add
          (local.get $sums)
          (i32.mul (local.get $i) (i32.shl (local.get $stride) (i32.const 3)))))
      (local.set $base (i32.load offset=28 (local.get $header)))
      (local.set $j (i32.const 0))
      (loop $results
        (f32.store (local.get $to)
          (f32.demote_f64
            (f64.add
              (f64.div (f64.load (local.get $point)) (local.get $divisor))
              (f64.load (local.get $base)))))
        (local.set $to (i32.add (local.get $to) (i32.const 4)))
        (local.set $point (i32.add (local.get $point) (i32.const 8)))
        (local.set $base (i32.add (local.get $base) (i32.const 8)))
        (local.set $j (i32.add (local.get $j) (i32.const 1)))
        (br_if $results (i32.lt_u (local.get $j) (local.get $targets))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $points (i32.lt_u (local.get $i) (local.get $count))))))
