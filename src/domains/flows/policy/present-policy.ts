import type { z } from 'zod'
import type { PolicyChange } from '../../../operations/policy/change-policy.ts'
import { withLeftOut } from '../../../operations/present/list-end.ts'
import type { Page } from '../../../operations/present/page.ts'
import { renderTable } from '../../../operations/present/table.ts'
import { printable, printableLine } from '../../../platform/basics/printable.ts'
import { faultLine } from '../../../platform/policy-edits/policy-faults.ts'
import type { GateOutput } from './policy-gates.ts'
import type { HistoryOutput } from './policy-history.ts'
import type { PolicyOutput } from './policy-show.ts'
import type { ToolTestOutput } from './policy-tool-test.ts'
import type { ToolChangeOutput, ToolOutput } from './policy-tools.ts'
import type { GateShape } from './policy-view.ts'

type Shown = z.output<typeof PolicyOutput>

/** The policy: what is wrong first, then what it says. */
export function presentPolicy(policy: Shown, page: Page): string {
  const { path, exists, revision, errors, text, gates, providers, tools } = policy
  const head = exists ? `${path}, revision ${revision}` : `${path} does not exist: everything is closed.`
  const parts = [printableLine(head)]
  if (errors.length > 0) parts.push(presentFaults(path, errors, page))
  parts.push(presentGates(gates, page))
  if (providers.length > 0)
    parts.push(
      renderTable(
        ['provider', 'kind', 'address', 'tools'],
        providers.map(({ name, kind, address, tools: own }) => [name, kind, address, own]),
        page,
      ),
    )
  if (tools.length > 0) parts.push(presentTools(tools, page))
  if (exists) parts.push(`${page.dim('The file')}\n${printable(text.trimEnd())}`)
  return parts.join('\n\n')
}

export function presentFaults(path: string, errors: Shown['errors'], page: Page): string {
  const lines = errors.map((fault) => printableLine(faultLine(path, fault)))
  return `${page.red('The policy is damaged: nothing that it could allow counts.')}\n${lines.join('\n')}`
}

function presentGates(gates: Shown['gates'], page: Page): string {
  const rows = gates.map((gate) => [gate.gate, gate.open ? 'open' : 'closed', reasonOf(gate), gate.setting])
  return renderTable(['gate', 'state', 'because', 'setting'], rows, page)
}

/** Which control makes a gate what it is. */
function reasonOf({ forbidden_by, set_by, flag }: z.output<typeof GateShape>): string {
  if (forbidden_by === 'damage') return 'the policy is damaged, and counts as forbidding'
  if (forbidden_by) return `the ${forbidden_by} forbids it`
  if (set_by === 'environment') return `${flag} in the environment of the hub`
  return set_by === 'policy' ? 'the policy says so' : 'off unless switched on'
}

function presentTools(tools: Shown['tools'], page: Page): string {
  const rows = tools.map((tool) => [
    tool.id,
    tool.provider ?? tool.provider_kind ?? 'nothing behind it',
    tool.provider_tool ?? '',
    tool.approval === 'never' ? '' : tool.approval,
    tool.pin === null ? '' : 'pinned',
  ])
  return renderTable(['tool', 'provider', 'its tool', 'asks first', 'pin'], rows, page)
}

/** What became of a gate. */
export function presentGate(gate: z.output<typeof GateOutput>, page: Page): string {
  const state = gate.open ? page.green('open') : 'closed'
  return `${gate.gate} is ${state}: ${reasonOf(gate)}.\n${changeLine(gate, page)}`
}

/** Where a change was written, and how it is taken back. */
export function changeLine({ path, changed, base_revision, revision }: PolicyChange, page: Page): string {
  if (!changed) return page.dim(printableLine(`${path} said so before. Nothing was written.`))
  return page.dim(printableLine(`${path}: revision ${base_revision} → ${revision}`))
}

/** What the policy has said, a line each. */
export function presentHistory(
  { path, revision: now, data, truncated }: z.output<typeof HistoryOutput>,
  page: Page,
): string {
  if (data.length === 0) return printableLine(`${path} was never there.`)
  const rows = data.map((one) => [
    one.number,
    one.revision === now && one.here && one.state === 'kept' ? `${one.revision} (now)` : one.revision,
    one.at,
    one.origin === 'operation' ? one.changed_by : `${one.changed_by}, by hand`,
    one.operation ?? '',
    one.state === 'kept' ? '' : one.state,
    one.reason ?? '',
  ])
  const list = renderTable(['number', 'revision', 'at', 'by', 'operation', 'state', 'why'], rows, page)
  return withLeftOut(`${printableLine(path)}\n${list}`, truncated, page)
}

/** What the policy says from now on, after a change that has no words of its own. */
export function presentChange(change: PolicyChange, page: Page): string {
  return changeLine(change, page)
}

/** What became of the allowlist. */
export function presentToolChange(change: z.output<typeof ToolChangeOutput>, page: Page): string {
  return `${printableLine(change.tool_id)}: the allowlist was changed.\n${changeLine(change, page)}`
}

/** What a tool answered when it was tried. */
export function presentToolTest(tried: z.output<typeof ToolTestOutput>, page: Page): string {
  const { tool_id, answered, says, status, result, path } = tried
  const verdict = `${printableLine(tool_id)}: ${says}${status === null ? '' : ` Status ${status}.`}`
  const told = answered ? `\n${printable(JSON.stringify(result, null, 2))}` : ''
  return `${answered ? page.green(verdict) : page.red(verdict)}${told}\n${page.dim(printableLine(path))}`
}

/** One tool, a setting each line. */
export function presentTool(tool: z.output<typeof ToolOutput>, page: Page): string {
  const { object: _, path, ...settings } = tool
  const rows = Object.entries(settings).map(([name, value]) => [name, value])
  return `${page.dim(printableLine(path))}\n${renderTable(['setting', 'value'], rows, page)}`
}
