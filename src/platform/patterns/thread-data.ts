import type { OperationClock } from './operation-clock.ts'

/** What a thread that matches patterns is started with. */
export interface EngineThreadData {
  readonly clock: OperationClock
  readonly module: WebAssembly.Module
}
