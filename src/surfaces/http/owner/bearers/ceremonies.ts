import { tokenCreate } from '../../../../domains/admin/token-create.ts'
import { budgetWords, type GrantBudgets } from '../../../../domains/flows/grants/grant-budgets.ts'
import { grantMint } from '../../../../domains/flows/grants/grant-mint.ts'
import { toolSessionCreate } from '../../../../domains/toolbox/sessions/tool-session-create.ts'
import type { Operation } from '../../../../operations/define-operation.ts'
import { counted } from '../../../../platform/basics/printable.ts'

/** What was chosen in the console: it decides nothing until an operation has checked it. */
export type Wanted = Readonly<Record<string, unknown>>

/** One thing that is allowed, or is not, or asks first. */
export interface Told {
  readonly is: 'yes' | 'no' | 'asks'
  readonly text: string
}

/** What a form made, for the page that shows its bearer. */
export interface Made {
  readonly id: string
  readonly bearer: string
  readonly sent: string
  readonly connect: Readonly<Record<string, string>>
}

/** How one kind of bearer comes to be. */
export interface Ceremony {
  readonly title: string
  readonly button: string
  readonly done: string
  readonly back: Readonly<Record<string, string>>
  readonly make: Operation
  /** The name of the operation that shows what it would allow. */
  readonly preview: string | undefined
  previewInputOf(wanted: Wanted): object
  inputOf(wanted: Wanted): object
  /** What the owner calls it, where that is not said to the operation itself. */
  labelOf(wanted: Wanted): string | undefined
  nameOf(wanted: Wanted): string | undefined
  tell(preview: Wanted, wanted: Wanted): readonly Told[]
  read(made: object): Made
}

export type CeremonyKind = 'grant' | 'seat' | 'token'

export const CEREMONIES: Readonly<Record<CeremonyKind, Ceremony>> = {
  grant: {
    title: 'Mint this grant?',
    button: 'Mint the grant',
    done: 'The grant is minted',
    back: { tab: 'grants' },
    make: grantMint,
    preview: 'flow_external_grant_preview',
    previewInputOf: ({ flow_id, version, requested_tools, ttl_seconds }) =>
      given({ flow_id, version, requested_tools, ttl_seconds }),
    inputOf: ({ flow_id, version, requested_tools, ttl_seconds }) =>
      given({ flow_id, flow_version: version, requested_tools, ttl_seconds }),
    labelOf: ({ label }) => textOf(label),
    nameOf: ({ label }) => textOf(label),
    tell: (preview) => tellGrant(preview as unknown as Preview),
    read(made) {
      const { grant, bearer } = made as { grant: { grant_id: string }; bearer: string }
      const sent = 'The agent sends it in the header X-Flow-External-Bearer, beside a credential of its own.'
      return { id: grant.grant_id, bearer, sent, connect: { grant: grant.grant_id } }
    },
  },
  seat: {
    title: 'Give this seat?',
    button: 'Give the seat',
    done: 'The seat is taken',
    back: { tab: 'seats' },
    make: toolSessionCreate,
    preview: 'tool_session_preview',
    previewInputOf: (wanted) => wanted,
    inputOf: (wanted) => wanted,
    labelOf: () => undefined,
    nameOf: ({ agent_id }) => textOf(agent_id),
    tell: (preview) => tellSeat(preview as unknown as SeatPreview),
    read(made) {
      const { session, bearer } = made as { session: { session_id: string }; bearer: string }
      const sent = 'The agent sends it to the address of MCP of this hub in the header Authorization: Bearer.'
      return { id: session.session_id, bearer, sent, connect: { seat: session.session_id } }
    },
  },
  token: {
    title: 'Make this token?',
    button: 'Make the token',
    done: 'The token is made',
    back: { tab: 'tokens' },
    make: tokenCreate,
    preview: undefined,
    previewInputOf: (wanted) => wanted,
    inputOf: (wanted) => wanted,
    labelOf: () => undefined,
    nameOf: ({ label }) => textOf(label),
    tell: (_preview, wanted) => tellToken(wanted),
    read(made) {
      const { token, bearer } = made as { token: { token_id: string }; bearer: string }
      const sent = 'The program sends it in the header Authorization: Bearer.'
      return { id: token.token_id, bearer, sent, connect: { token: token.token_id } }
    },
  },
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

function given(values: Wanted): Wanted {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

interface Preview {
  readonly flow_id: string
  readonly flow_version: string
  readonly steps: number
  readonly gate: { readonly open: boolean; readonly detail: string }
  readonly tools: readonly {
    tool_id: string
    state: string
    asks: 'never' | 'first_call' | 'each_call'
    arguments: string[] | null
  }[]
  readonly unknown_tools: readonly string[]
  readonly expires_at: string
  readonly max_invocations: number
  readonly budgets?: GrantBudgets
}

const CLOSED: Readonly<Record<string, string>> = {
  not_chosen: 'was not chosen',
  not_listed: 'is not on the allowlist',
  changed: 'is closed, for its server has changed it',
}

function tellGrant(preview: Preview): Told[] {
  const { flow_id, flow_version, steps, tools, unknown_tools, budgets, gate } = preview
  const calls =
    preview.max_invocations === 0 ? 'Any number of calls' : counted(preview.max_invocations, 'call')
  const whole = budgets ? budgetWords(budgets) : ''
  return [
    yes(
      `Read the ${steps === 1 ? 'one step' : `${steps} steps`} of ${flow_id} ${flow_version}. A later version needs a new grant.`,
    ),
    ...tools.filter(({ state }) => state === 'granted').map(tellTool),
    yes(`${calls} in all, until ${preview.expires_at.slice(0, 16).replace('T', ' ')} UTC.`),
    ...(whole === '' ? [] : [yes(`At most ${whole}.`)]),
    ...tools.flatMap(({ tool_id, state }) =>
      state === 'granted' ? [] : [no(`Not ${tool_id}: it ${CLOSED[state] ?? 'is closed'}.`)],
    ),
    ...unknown_tools.map((tool) => no(`Not ${tool}: no step of this version names it.`)),
    no('No other flow, no write, no grant of its own, nothing without its own credential.'),
    ...(gate.open ? [] : [no(`Nothing for now: ${gate.detail}.`)]),
  ]
}

function tellTool({ tool_id, asks, arguments: names }: Preview['tools'][number]): Told {
  const call = `Call ${tool_id}${names === null ? '' : ` with {${names.join(', ')}}`}`
  if (asks === 'never') return yes(`${call}.`)
  return {
    is: 'asks',
    text:
      asks === 'each_call'
        ? `${call}, each time only after you said yes.`
        : `${call}, after you said yes to its arguments.`,
  }
}

interface SeatPreview {
  readonly project_root: string
  readonly service_root: string
  readonly role: string
  readonly expires_at: string
  readonly allowed_commands: readonly string[] | null
  readonly tools: readonly { name: string; allowed: boolean; reaches_out: boolean }[]
}

function tellSeat({ service_root, role, expires_at, allowed_commands, tools }: SeatPreview): Told[] {
  const allowed = tools.filter((tool) => tool.allowed)
  const closed = tools.filter((tool) => !tool.allowed)
  const out = allowed.filter(({ reaches_out }) => reaches_out)
  return [
    yes(`Work in ${service_root}, as ${role}.`),
    yes(`${counted(allowed.length, 'tool')}: ${allowed.map(({ name }) => name).join(', ')}.`),
    ...(out.length > 0 ? [yes(`Reach other machines with ${out.map(({ name }) => name).join(', ')}.`)] : []),
    yes(
      allowed_commands === null
        ? 'Run each command that the project lists, in the sandbox.'
        : `Run only ${allowed_commands.join(', ') || 'no command'}, in the sandbox.`,
    ),
    yes(`Until ${expires_at.slice(0, 16).replace('T', ' ')} UTC.`),
    ...(closed.length > 0
      ? [no(`Not ${closed.map(({ name }) => name).join(', ')}: those are for other roles.`)]
      : []),
    no('No file outside the service but what the project shares, no flow, no grant, no source.'),
  ]
}

const MAY: Readonly<Record<string, string>> = {
  viewer: 'Read the flows of this vault.',
  editor: 'Read flows, propose changes, start runs.',
  evaluator: 'Read flows and evaluate proposals.',
  admin: 'All of this vault: approve, make tokens, read the audit log. Rarely right for an agent.',
}

function tellToken({ role, ttl_seconds }: Wanted): Told[] {
  const days = typeof ttl_seconds === 'number' ? counted(Math.ceil(ttl_seconds / 86_400), 'day') : undefined
  return [
    yes(MAY[String(role)] ?? `Be a member as ${String(role)}.`),
    days === undefined ? yes('Without an end, until you revoke it.') : yes(`For ${days}.`),
    no('No other vault, no toolbox, nothing of the owner.'),
  ]
}

function yes(text: string): Told {
  return { is: 'yes', text }
}

function no(text: string): Told {
  return { is: 'no', text }
}
