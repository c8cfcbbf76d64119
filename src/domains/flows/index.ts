import { flowCheck } from './flow-check.ts'
import { flowExport } from './flow-export.ts'
import { flowGet } from './flow-get.ts'
import { flowList } from './flow-list.ts'
import { flowProject } from './flow-project.ts'

/** What can be done with flows. */
export const flowOperations = [flowList, flowGet, flowProject, flowExport, flowCheck]
