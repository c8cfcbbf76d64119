import type { Command, Flag } from '../command.ts'

/** What stands in an example for an input of this name. */
const SAMPLES: Readonly<Record<string, string>> = {
  agent_id: 'coder-1',
  approval_id: 'appr_4f1c2a9be07d5386',
  base_state_id: 'flst1_4f1c2a9be07d5386',
  base_version: '1.0.0',
  bundle: 'bundle.json',
  callback_url: 'https://example.test/events',
  client: 'claude-code',
  code: 'K7Q2-M4XW',
  connection_id: 'conn_4f1c2a9be07d5386',
  connector_id: 'feed',
  consent_id: 'cons_4f1c2a9be07d5386',
  dead_letter_id: 'bdead_4f1c2a9be07d53861c2a9be0',
  display_name: '"Garden diary"',
  engine: 'scorer',
  flow_id: 'flow_research_brief',
  flow_version: '0.1.0',
  folder: '/home/ann/notes',
  from: 'knowledge.bundle',
  gate: 'external_agent',
  grant_id: 'fgrnt_4f1c2a9be07d53864f1c2a9be07d5386',
  harness: 'cursor_rule',
  input: 'input.json',
  intent: '"What it is for"',
  intent_id: 'cint_4f1c2a9be07d5386',
  passkey_id: 'opkey_4f1c2a9be07d5386',
  key: 'entry-1',
  kind: 'all',
  ledger_id: 'led-1',
  name: 'read_file',
  objective: 'objective.json',
  out: 'knowledge.bundle',
  path: '/backups/hub',
  payload: 'payload.json',
  project: '.',
  query: 'heron',
  proposal_id: 'prop_1',
  provider: 'files',
  providers: 'providers.json',
  ref: 'docs/brief.md',
  requested_tools: 'echo',
  review_id: 'pinr_4f1c2a9be07d5386',
  revision: '3',
  robot_id: 'r-1',
  run_id: 'run_1',
  service: 'docs',
  session_id: 'tses_4f1c2a9be07d5386',
  shell: 'bash',
  side: 'input',
  snapshot: 'snapshot.json',
  source: 'crm',
  step_id: 'flow_research_brief#1',
  stream: 'items',
  subscription_id: 'sub_4f1c2a9be07d53861c2a9be0',
  tenant_id: 't-1',
  token_id: 'tok_4f1c2a9be07d5386',
  tool_id: 'echo',
  type: 'signal',
  user_code: 'K7Q2-M4XW',
}

/** Examples that show more than what a command cannot do without. */
const SHOWN: Readonly<Record<string, string>> = {
  'flow propose': '--bundle bundle.json --intent "A first flow"',
  'flow project': 'flow_research_brief --harness cursor_rule --out rule.mdc',
  'flow export': 'flow_research_brief --out bundle.json',
  'flow read': '--text "# A flow as Markdown"',
  'label set': 'fgrnt_4f1c2a9be07d53864f1c2a9be07d5386 "Friday digest"',
  'label remove': 'fgrnt_4f1c2a9be07d53864f1c2a9be07d5386',
  'flow grant mint': 'flow_research_brief --flow-version 0.1.0 --requested-tools echo --ttl 10m',
  'flow tool invoke':
    'echo --flow-id flow_say_it_back --flow-version 1.0.0 --payload \'{"message":"hello"}\'',
  'provider take':
    'files --tools read --digest sha256:4f1c2a9be07d53864f1c2a9be07d53864f1c2a9be07d53864f1c2a9be07d5386',
  'provider review accept':
    'pinr_4f1c2a9be07d5386 --digest sha256:4f1c2a9be07d53864f1c2a9be07d53864f1c2a9be07d53864f1c2a9be07d5386',
  'audit list': '--outcome denied --limit 10',
  'audit export': '--out log.jsonl',
  'audit verify': '--file log.jsonl',
  'token create': '--role viewer --ttl 30d',
  'lock release': 'all',
  lock: 'agent coder-1 --reason "a look first"',
  'owner schedule set': 'conn_4f1c2a9be07d5386 --interval 1h',
  'owner intent complete': 'cint_4f1c2a9be07d5386 --set url=https://example.test/feed.xml',
  'mcp config': '--client claude-code --write',
  serve: '--port 4748',
  'tool call': 'read_file --service docs --args \'{"path":"readme.md"}\'',
  'tool list': '--role dev',
  'boundary check': '--input input.json --output output.json',
  'backup create': '/backups/hub',
  'boundary show': 'brun_4f1c2a9be07d53864f1c2a9be07d5386',
  'boundary cancel': 'brun_4f1c2a9be07d53864f1c2a9be07d5386',
  'owner agent revoke': 'oagt_4f1c2a9be07d5386',
}

/** A line that a person can type, with names of their own put in. */
export function exampleOf(command: Command): string {
  const name = command.words.join(' ')
  const shown = Object.hasOwn(SHOWN, name) ? SHOWN[name] : undefined
  const rest = shown ?? [...placesOf(command), ...flagsOf(command)].join(' ')
  return `knowtation ${name} ${rest}`.trim()
}

function placesOf({ positionals }: Command): string[] {
  return positionals.filter(({ required }) => required).map(({ name }) => sampleOf(name))
}

function flagsOf({ flags }: Command): string[] {
  return flags.filter(({ required }) => required).map((flag) => `--${flag.name} ${valueOf(flag)}`)
}

function valueOf({ name, value = '' }: Flag): string {
  const isChoice = /^[a-z_]+(\|[a-z_]+)+$/.test(value)
  return isChoice ? (value.split('|')[0] as string) : sampleOf(name)
}

function sampleOf(name: string): string {
  const key = name.replaceAll('-', '_')
  return (Object.hasOwn(SAMPLES, key) ? SAMPLES[key] : undefined) ?? `<${name}>`
}
