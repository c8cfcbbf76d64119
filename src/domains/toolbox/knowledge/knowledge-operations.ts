import type { Hub } from '../../../operations/hub.ts'
import { recordIndexOf } from '../../../platform/knowledge/records/record-index.ts'
import { knowledgeExport, knowledgeImport, knowledgeIndex } from './indexing/knowledge-index.ts'
import { knowledgeStatus } from './indexing/knowledge-status.ts'

const EVERY_MS = 5_000

/** What the owner does about the indexes of projects. */
export const knowledgeOperations = [knowledgeStatus, knowledgeIndex, knowledgeExport, knowledgeImport]

/** What is done for the index of records while the hub runs. */
export const knowledgeChores = [
  {
    name: 'bring the index of records up to date',
    every_ms: EVERY_MS,
    run: (hub: Hub) => recordIndexOf(hub).refresh(),
  },
]
