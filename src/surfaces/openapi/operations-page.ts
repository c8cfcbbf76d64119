import type { Authority } from '../../operations/authority.ts'
import type { Operation } from '../../operations/define-operation.ts'
import { type Registry, writtenRoute } from '../../operations/registry.ts'

const HEADER = `# Operations

Generated from the operations' definitions by \`npm run generate\`; a test keeps it in step. Besides the
errors named here every operation may give the common ones of \`src/operations/errors.ts\`.

| operation | effect | REST | MCP | CLI | authority | gate | errors |
|---|---|---|---|---|---|---|---|
`

/** The table of everything the hub can do, for people. */
export function renderOperationsPage(registry: Registry): string {
  return `${HEADER}${[...registry.values()].map(renderRow).join('\n')}\n`
}

function renderRow(operation: Operation): string {
  const { authority, gate } = operation
  const cells = [
    `**${operation.name}**<br>${operation.summary}`,
    operation.effect,
    operation.rest ? `\`${writtenRoute(operation.rest)}\`` : '–',
    operation.mcp ? `\`${operation.name}\`` : '–',
    operation.cli ? `\`knowtation ${operation.cli}\`` : '–',
    renderAuthority(authority),
    gate ? `\`${gate.flag}\`` : '–',
    renderErrors(operation),
  ]
  return `| ${cells.join(' | ')} |`
}

function renderAuthority(authority: Authority): string {
  if (authority.kind === 'owner') return 'owner'
  if (authority.kind === 'owner_surface') return authority.session_only ? 'owner' : 'owner, owner agent'
  if (authority.kind === 'visitor') return 'anyone'
  if (authority.kind === 'any_seat') return 'seat: any'
  if (authority.kind === 'member') return `member: ${authority.needs}`
  return `seat: ${authority.roles.join(', ')}`
}

/** Tools may all give the same faults, which are listed once in the guide of the toolbox. */
function renderErrors({ authority, errors }: Operation): string {
  if (authority.kind === 'seat') return 'faults of the toolbox'
  const codes = Object.entries(errors).map(([code, { status }]) => `${code} (${status})`)
  return codes.join(', ') || '–'
}
