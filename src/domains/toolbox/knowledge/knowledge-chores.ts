import type { Hub } from '../../../operations/hub.ts'
import { recordIndexOf } from '../../../platform/knowledge/record-index.ts'

const EVERY_MS = 5_000

/** What is done for the index of records while the hub runs. */
export const knowledgeChores = [
  {
    name: 'bring the index of records up to date',
    every_ms: EVERY_MS,
    run: (hub: Hub) => recordIndexOf(hub).refresh(),
  },
]
