import { resolve } from 'node:path'
import type { Extension } from '../operation-command.ts'
import { printAnswer } from '../output/output.ts'

/** Folders are typed as seen from here; the hub, which may run elsewhere, is told where they are. */
export const toolSessionExtension: Extension = {
  flags: [],
  async act({ operation, invocation, input, call }) {
    const { service, project } = input as { service?: string; project?: string }
    const answer = await call({
      ...input,
      // With a project, the service is named from there.
      ...(service !== undefined && project === undefined && { service: resolve(service) }),
      ...(project !== undefined && { project: resolve(project) }),
    })
    return printAnswer(operation, answer, invocation)
  },
}
