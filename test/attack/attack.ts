import type { World } from './world.ts'

/** A call that is made while the attacker is at work. */
export interface Visit {
  readonly tool: string
  readonly args: object
}

/** Something that agent code does to what a tool works on at the same time. */
export interface Attack {
  readonly name: string
  /** Puts there what the attacker needs, before it starts. */
  prepare?(world: World): void
  /** The attacker's acts, as attacker.c reads them. */
  acts(world: World, round: number): readonly string[]
  /** Calls that are made beside it, all of them one after the other, over and over. */
  visits(world: World, round: number): readonly Visit[]
  /** How often all visits are made in a round at most. */
  readonly passes?: number
  /** How long the attacker works in a round. */
  readonly limit_ms?: number
  /** Where the attacker and the calls have to sit for it; both in the service without it. */
  readonly seats?: { readonly attacker?: SeatName; readonly caller?: SeatName }
  /** Where the attacker runs: as agent code, or as a program that got out of the jail's care; both without it. */
  readonly only?: 'jailed' | 'loose'
  /** Places that the caller may see anyway. */
  readonly may_see?: readonly string[]
  /** Looks for what only this attack leaves; gives sentences. */
  look?(world: World): readonly string[] | Promise<readonly string[]>
  /**
   * The same against a careless program, tried until it wins or the time is over. It has the attacker's acts
   * running beside it. An attack without a control proves nothing.
   */
  readonly control: Control
}

export type SeatName = 'service' | 'project'

export interface Control {
  /** Runs the careless program once; gives whether the attack won. */
  once(world: World, round: number): boolean | Promise<boolean>
  /** Whether the attacker has to be started anew for each try. */
  readonly each_anew?: boolean
}

/** How the attacker gets to run, and through which connection the calls come beside it. */
export interface Way {
  readonly name: string
  /** Runs a plan; `undefined` where the attacker is a process of its own, outside of any jail. */
  readonly run?: { readonly session: Door; readonly tool: 'run_test' | 'run_lint' }
  readonly caller: Door
}

/**
 * The hubs of a world: one that a client started, a second one on its home, one over HTTP, one of another home, one that
 * spells the project's path otherwise, and one that is killed while agent code runs.
 */
export type Door = 'stdio' | 'second' | 'rest' | 'other_home' | 'alias' | 'doomed'
