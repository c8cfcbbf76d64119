import type { AgentInput } from '../../../boundary/index.ts'
import type { EnginePolicy } from '../../../platform/policy/engine-policy.ts'
import type { EngineProgress } from '../engines/engine-end.ts'
import type { Claim } from './execution-work.ts'

/** An execution that this hub works on, by its claim. */
export interface Job extends Claim {
  readonly attempt: number
  readonly input: AgentInput
  readonly engine: EnginePolicy
  progress?: EngineProgress | undefined
  /** What has been written of it. */
  written?: EngineProgress | undefined
}
