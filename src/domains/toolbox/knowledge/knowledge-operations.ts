import { knowledgeExport } from './knowledge-export.ts'
import { knowledgeImport } from './knowledge-import.ts'
import { knowledgeIndex } from './knowledge-index.ts'
import { knowledgeStatus } from './knowledge-status.ts'

/** What the owner does about the indexes of projects. */
export const knowledgeOperations = [knowledgeStatus, knowledgeIndex, knowledgeExport, knowledgeImport]
