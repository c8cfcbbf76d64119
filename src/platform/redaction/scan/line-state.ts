import { type KubernetesState, outsideKubernetes } from '../layers/kubernetes-secret.ts'
import type { PemState } from '../layers/pem-blocks.ts'
import type { SecretColumns } from '../layers/secret-columns.ts'
import type { KeyLevel } from '../looks/key-names.ts'

/** What earlier lines say about the next one. */
export interface LineState {
  pem: PemState
  kubernetes: KubernetesState
  /** A name that still waits for its value: the next line holds it, or a `value` on the next lines does. */
  waiting: { level: KeyLevel; isOpen: boolean; isQuoted?: true; isMany?: true; lines: number } | undefined
  /** The rule of a secret that reaches over the end of what was looked at, on the same line. */
  reachesOver: string | undefined
  /** Lines of a diff have a sign before them, which is no part of them. */
  isDiff: boolean
  /** What was looked at last was not the end of its line. */
  isMidLine: boolean
  /** The lines are those of a table that has columns for secrets. */
  table: SecretColumns | undefined
}

export function atStart(): LineState {
  return {
    pem: 'outside',
    kubernetes: outsideKubernetes(),
    waiting: undefined,
    reachesOver: undefined,
    isDiff: false,
    isMidLine: false,
    table: undefined,
  }
}

/** The same state, to go on from twice. */
export function copyState(state: LineState): LineState {
  return { ...state, kubernetes: { ...state.kubernetes }, waiting: state.waiting && { ...state.waiting } }
}

/** Whether the lines belong to a block that is hidden, or to an object with secret data. */
export function isInBlock({ pem, kubernetes }: LineState): boolean {
  return pem !== 'outside' || kubernetes.kind !== 'none'
}

/** Whether the next line has to be looked at even if nothing on it stands out. */
export function isWatching(state: LineState): boolean {
  return (
    isInBlock(state) ||
    state.waiting !== undefined ||
    state.table !== undefined ||
    state.reachesOver !== undefined
  )
}
