import { setFlagsFromString } from 'node:v8'

/** Loops are compiled as they stand: to write their first rounds out beside them takes longer than it saves. */
const LOOPS_AS_THEY_ARE = ['--no-maglev-loop-peeling', '--no-wasm-loop-peeling', '--no-wasm-loop-unrolling']
const FLAGS = ['--no-opt', '--no-maglev-inlining', ...LOOPS_AS_THEY_ARE, '--heap-growing-percent=900']

/**
 * For a process that computes for a few seconds and does its heavy work in WebAssembly. The little JavaScript that is
 * left is fast enough as the quicker compiler makes it of each function by itself: to make more of it takes longer than
 * it saves, and takes the cores from the work. Blocks that are handed between threads are no reason to look through the
 * memory, of which their process has a fixed share. It counts for the whole process, and is to be called by a thread that
 * has started: what comes compiled with Node is of no use under other flags, and a start without it takes longer.
 * An engine that does not know one of these goes on without it.
 */
export function compileLittle(): void {
  for (const flag of FLAGS) setFlagsFromString(flag)
}
