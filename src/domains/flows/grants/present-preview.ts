import type { z } from 'zod'
import type { Page } from '../../../operations/present/page.ts'
import { cellOf } from '../../../operations/present/table.ts'
import { counted } from '../../../platform/basics/printable.ts'
import { budgetWords } from './grant-budgets.ts'
import type { GrantPreviewOutput } from './grant-preview.ts'

type Preview = z.output<typeof GrantPreviewOutput>
type Tool = Preview['tools'][number]

const ASKS: Readonly<Record<Tool['asks'], string>> = {
  never: '',
  first_call: ', after you said yes to arguments of that shape',
  each_call: ', each time only after you said yes',
}
const CLOSED: Readonly<Record<Exclude<Tool['state'], 'granted'>, string>> = {
  not_chosen: 'was not chosen',
  not_listed: 'is not on the allowlist',
  changed: 'is closed, for its server has changed it',
}

/** What a grant would allow, in the order in which one decides about it. */
export function presentPreview(preview: Preview, page: Page): string {
  const { flow_id, flow_version, steps, gate, tools, unknown_tools, expires_at, max_invocations } = preview
  const yes = (text: string) => `  ${page.green('yes')}  ${text}`
  const no = (text: string) => `  ${page.red('no')}   ${text}`
  const whole = preview.budgets && budgetWords(preview.budgets)
  return [
    `A grant of ${page.bold(cellOf(flow_id))} ${cellOf(flow_version)} would allow:`,
    yes(`read its ${counted(steps, 'step')}; a later version needs a new grant`),
    ...tools
      .filter(({ state }) => state === 'granted')
      .map((tool) => yes(`call ${cellOf(tool.tool_id)}${argumentWords(tool)}${ASKS[tool.asks]}`)),
    yes(
      `${max_invocations === 0 ? 'any number of calls' : counted(max_invocations, 'call')}, until ${cellOf(expires_at)}`,
    ),
    ...(whole ? [yes(`at most ${whole}`)] : []),
    ...tools.flatMap(({ tool_id, state }) =>
      state === 'granted' ? [] : [no(`${cellOf(tool_id)}: it ${CLOSED[state]}`)],
    ),
    ...unknown_tools.map((tool) => no(`${cellOf(tool)}: no step of this version names it`)),
    no('no other flow, no write, no grant of its own'),
    ...(gate.open ? [] : [no(`nothing for now: ${cellOf(gate.detail)}`)]),
  ].join('\n')
}

function argumentWords({ arguments: names }: Tool): string {
  return names === null ? '' : ` with {${cellOf(names)}}`
}
