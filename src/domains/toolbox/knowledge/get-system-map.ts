import { relative } from 'node:path'
import { z } from 'zod'
import { FileFault } from '../../../platform/guard/guard.ts'
import { FilePath } from '../files/file-path.ts'
import { guardScopeOf } from '../guard-scope.ts'
import type { ToolCall, ToolDeclaration } from '../tool.ts'
import { TOOL_ROLES } from '../tool-context.ts'
import { ToolFault } from '../tool-fault.ts'
import { MapOutput, type SystemMap } from './map/map-shape.ts'
import { isFile } from './related/path-kind.ts'
import type { MapJob } from './usage/tree-job.ts'
import { runTreeJob } from './usage/tree-process.ts'

const Input = z.strictObject({
  root_dir: FilePath.optional().describe('A folder, relative to the service; without it the whole project'),
})
type Call = ToolCall<z.output<typeof Input>>

/** Shows how a project is put together. */
export const getSystemMap: ToolDeclaration<typeof Input, z.output<typeof MapOutput>> = {
  name: 'get_system_map',
  description: [
    'Shows how the project is put together: its services, docs, infrastructure and tests, from the tree as it is now.',
    'Services are found by their manifests, and as every folder in services/, apps/ and packages/; they have',
    'languages, entry points, documents, tests and which others they depend on. Infrastructure is compose, Terraform,',
    'Kubernetes, Helm and CI. Entities has services, infrastructure and test folders',
    'by human name with Type, DesignRoot and RequiredDocs (overview_*, then architecture_*, then README.md).',
    'Of what your tools cannot read, such as sibling services, only names of folders are told, nothing in them.',
    'Without root_dir paths are relative to the project: leave out the folder of your service (service) to use them',
    'in other tools. With root_dir only that folder of your service is shown, in paths that other tools take.',
  ].join(' '),
  effect: 'read',
  idempotent: true,
  roles: TOOL_ROLES,
  input: Input,
  output: MapOutput,
  check({ guard, input: { root_dir } }) {
    if (root_dir === undefined) return
    guard.check(root_dir, 'read')
    if (isFile(guard, root_dir))
      throw new FileFault('NotADirectory', root_dir, `${root_dir}: is not a folder`)
  },
  async handle(call) {
    const job = toJob(call)
    let map: SystemMap | undefined
    await runTreeJob(job, call.signal, (message) => {
      if ('map' in message) map = message.map
    })
    if (!map) throw new ToolFault('Timeout', 'The map took too long.', 'Name a root_dir.')
    return { map: toShown(map, job) }
  },
}

/** The whole project is looked at by the names of its folders; whatever is read goes through the seat's own guard. */
function toJob({ context, policy, hub, input }: Call): MapJob {
  const scope = guardScopeOf(context, policy, [hub.home.folder])
  const { root_dir } = input
  if (root_dir !== undefined) return { task: 'map', scope, outer: undefined, root_dir, service: undefined }
  const { only_in: _, ...open } = scope
  const outer = { ...open, service_root: context.project_root, shared_roots: [], hard_link_stores: [] }
  const service = relative(context.project_root, context.service_root) || '.'
  return { task: 'map', scope, outer, root_dir: '.', service }
}

function toShown(map: SystemMap, { root_dir, service }: MapJob): z.output<typeof MapOutput>['map'] {
  const base =
    service === undefined ? `the folder ${root_dir}; paths are relative to the service` : 'the project'
  return { _comment: `Made from the tree as it is, of ${base}.`, service: service ?? null, ...map }
}
