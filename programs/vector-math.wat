;; The loop that a search spends its time in, sixteen numbers at a step.
;; `npm run generate` makes vector-math.wasm of it. All lengths are in bytes, and multiples of 16.
(module
  (memory (export "memory") 1)

  ;; Writes the dot product of one vector of small numbers with each of those that lie one after the other from
  ;; $vectors on, until $out has come to $end.
  (func (export "dots")
    (param $query i32) (param $length i32) (param $vectors i32) (param $out i32) (param $end i32)
    (local $at i32) (local $sum v128) (local $a v128) (local $b v128)
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (local.set $at (i32.const 0))
        (loop $part
          (local.set $a (v128.load (i32.add (local.get $vectors) (local.get $at))))
          (local.set $b (v128.load (i32.add (local.get $query) (local.get $at))))
          (local.set $sum
            (i32x4.add
              (local.get $sum)
              (i32x4.add
                (i32x4.dot_i16x8_s
                  (i16x8.extend_low_i8x16_s (local.get $a))
                  (i16x8.extend_low_i8x16_s (local.get $b)))
                (i32x4.dot_i16x8_s
                  (i16x8.extend_high_i8x16_s (local.get $a))
                  (i16x8.extend_high_i8x16_s (local.get $b))))))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $part (i32.lt_u (local.get $at) (local.get $length))))
        (i32.store
          (local.get $out)
          (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
            (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))
        (local.set $vectors (i32.add (local.get $vectors) (local.get $length)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $next)))))
