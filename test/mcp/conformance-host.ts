import { createHmac, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type InputRequests,
  inputRequired,
  MissingRequiredClientCapabilityError,
  ProtocolError,
} from '@modelcontextprotocol/server'
import type { McpCaller } from '../../src/surfaces/mcp/mcp-door.ts'
import type { CallContext, ToolAnswer, ToolDescription, ToolHost } from '../../src/surfaces/mcp/tool-host.ts'

/** One red pixel, and a sound without samples. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=='
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA='
const image = { type: 'image', data: PNG, mimeType: 'image/png' } as const
const textOf = (text: string) => ({ type: 'text', text }) as const
const embedded = (uri: string, mimeType: string, text: string) =>
  ({ type: 'resource', resource: { uri, mimeType, text } }) as const

/** What a client is asked, by the name of the question. */
const elicit = (message: string, name: string, type = 'string') =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [name]: { type } }, required: [name] } as never,
  })
const sample = (text: string) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: textOf(text) }], maxTokens: 100 })

const key = randomBytes(32)
const seal = (text: string) => `${text}.${createHmac('sha256', key).update(text).digest('hex')}`

/** What a client brings back, unchanged: what it was given to keep is no proof before. */
function stateOf({ state }: CallContext): string | undefined {
  if (state === undefined) return undefined
  const text = state.slice(0, state.lastIndexOf('.'))
  if (seal(text) !== state) throw new ProtocolError(-32_602, 'The state is not the one that was given.')
  return text
}

type Run = (args: Record<string, unknown>, context: CallContext) => Promise<object> | object

/** Asks for what is missing, and goes on once all of it is there. */
function asking(inputs: (context: CallContext) => InputRequests, state?: string): Run {
  return (_args, context) => {
    const kept = stateOf(context)
    const wanted = inputs(context)
    const responses = context.responses ?? {}
    const isThere = Object.keys(wanted).every((name) => isResponse(responses[name]))
    if (isThere && (state === undefined || kept === state))
      return { content: [textOf(`state-ok ${JSON.stringify(responses)}`)] }
    return inputRequired({ inputRequests: wanted, ...(state !== undefined && { requestState: seal(state) }) })
  }
}

function isResponse(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { action, content, role, roots } = value as Record<string, unknown>
  if (action !== undefined) return action !== 'accept' || (typeof content === 'object' && content !== null)
  return role !== undefined || Array.isArray(roots)
}

const multiRound: Run = (_args, context) => {
  const kept = stateOf(context)
  const { responses = {} } = context
  if (kept === 'second' && responses.step2) return { content: [textOf('done')] }
  const isSecond = kept === 'first' && responses.step1 !== undefined
  const [name, question] = isSecond
    ? ['step2', 'What is your favorite color?']
    : ['step1', 'What is your name?']
  const inputRequests = { [name as string]: elicit(question as string, isSecond ? 'color' : 'name') }
  return inputRequired({ inputRequests, requestState: seal(isSecond ? 'second' : 'first') })
}

const onlyDeclared: Run = (_args, { capabilities = {} }) => {
  const all: Record<string, InputRequests[string]> = {
    elicitation: elicit('Name?', 'name'),
    sampling: sample('Hello'),
  }
  return inputRequired({
    inputRequests: Object.fromEntries(Object.entries(all).filter(([name]) => name in capabilities)),
  })
}

const needsSampling: Run = (_args, { capabilities = {} }) => {
  if (!('sampling' in capabilities))
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
  return { content: [textOf('sampled')] }
}

const logging: Run = async (_args, { log }) => {
  for (const word of ['started', 'processing data', 'completed']) {
    log?.('info', `Tool ${word}`)
    await pause(50)
  }
  return { content: [textOf('logged')] }
}

const progressing: Run = async (_args, { progress }) => {
  for (const done of [0, 50, 100]) {
    progress?.(done, 100)
    await pause(50)
  }
  return { content: [textOf('done')] }
}

const refuses: Run = () => ({
  content: [textOf('This tool intentionally returns an error for testing')],
  isError: true,
})

const says =
  (...content: object[]): Run =>
  () => ({ content })
const confirm = () => ({ confirm: elicit('Please confirm', 'ok', 'boolean') })
const name = () => ({ user_name: elicit('What is your name?', 'name') })

const TOOLS: Readonly<Record<string, Run>> = {
  test_simple_text: says(textOf('This is a simple text response for testing.')),
  test_image_content: says(image),
  test_audio_content: says({ type: 'audio', data: WAV, mimeType: 'audio/wav' }),
  test_embedded_resource: says(
    embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ),
  test_multiple_content_types: says(
    textOf('Multiple content types test:'),
    image,
    embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ),
  test_tool_with_logging: logging,
  test_logging_tool: logging,
  test_tool_with_progress: progressing,
  test_error_handling: refuses,
  test_missing_capability: needsSampling,
  test_streaming_elicitation: asking(name),
  test_elicitation: asking(name),
  test_elicitation_sep1034_defaults: asking(name),
  test_elicitation_sep1330_enums: asking(name),
  test_sampling: asking(() => ({ answer: sample('Hello') })),
  test_input_required_result_elicitation: asking(name),
  test_input_required_result_sampling: asking(() => ({
    capital_question: sample('What is the capital of France?'),
  })),
  test_input_required_result_list_roots: asking(() => ({ client_roots: inputRequired.listRoots() })),
  test_input_required_result_request_state: asking(confirm, 'asked'),
  test_input_required_result_tampered_state: asking(confirm, 'asked'),
  test_input_required_result_multiple_inputs: asking(
    () => ({
      ...name(),
      greeting: sample('Generate a greeting'),
      client_roots: inputRequired.listRoots(),
    }),
    'asked',
  ),
  test_input_required_result_multi_round: multiRound,
  test_input_required_result_capabilities: onlyDeclared,
}

/** The keywords that a schema may have; none may get lost on the way to a client. */
const RICH_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
const described = (tool: string, inputSchema: object = { type: 'object' }): ToolDescription => ({
  name: tool,
  description: `A tool of the official suites: ${tool}.`,
  inputSchema,
  annotations,
})
const LIST = [
  ...Object.keys(TOOLS).map((tool) => described(tool)),
  described('json_schema_2020_12_tool', RICH_SCHEMA),
]

const PROMPTS = {
  test_simple_prompt: [],
  test_prompt_with_arguments: ['arg1', 'arg2'],
  test_prompt_with_embedded_resource: ['resourceUri'],
  test_prompt_with_image: [],
  test_input_required_result_prompt: [],
} as const
const by = (content: object) => ({ role: 'user', content })

function messagesOf(prompt: string, args: Record<string, string>): object[] {
  if (prompt === 'test_prompt_with_arguments')
    return [by(textOf(`Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`))]
  if (prompt === 'test_prompt_with_image') return [by(image), by(textOf('Please analyze the image above.'))]
  if (prompt === 'test_prompt_with_embedded_resource')
    return [
      by(embedded(args.resourceUri ?? '', 'text/plain', 'Embedded resource content for testing.')),
      by(textOf('Please process the embedded resource above.')),
    ]
  return [by(textOf('This is a simple prompt for testing.'))]
}

function read(uri: string): object | undefined {
  if (uri === 'test://static-text')
    return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: PNG }
  const id = /^test:\/\/template\/(\w+)\/data$/.exec(uri)?.[1]
  const data = { id, templateTest: true, data: `Data for ID: ${id}` }
  return id === undefined ? undefined : { uri, mimeType: 'application/json', text: JSON.stringify(data) }
}

/** Whatever the official suites want of a server, offered over the hub's own MCP surface. */
export const CONFORMANCE_HOST: ToolHost<McpCaller> = {
  serverInfo: { name: 'knowtation', version: '0.0.0' },
  listTools: () => LIST,
  async callTool(_caller, tool, args, _claim, context = {}): Promise<ToolAnswer | 'unknown_tool'> {
    const run = TOOLS[tool]
    if (!run) return 'unknown_tool'
    const result = await run((args ?? {}) as Record<string, unknown>, context)
    return { ok: true, text: '{}', result: JSON.stringify(result) }
  },
  prompts: {
    list: () =>
      Object.entries(PROMPTS).map(([prompt, args]) => ({
        name: prompt,
        description: `A prompt of the official suites: ${prompt}.`,
        arguments: args.map((one) => ({ name: one, required: true })),
      })),
    get(_caller, prompt, args, { responses }) {
      if (!Object.hasOwn(PROMPTS, prompt)) return undefined
      if (prompt === 'test_input_required_result_prompt' && !isResponse(responses?.user_context))
        return inputRequired({
          inputRequests: { user_context: elicit('What context should the prompt use?', 'context') },
        })
      return { messages: messagesOf(prompt, args) as never }
    },
  },
  resources: {
    list: () =>
      ['test://static-text', 'test://static-binary', 'test://watched-resource'].map((uri) => ({
        uri,
        name: uri,
        description: `A resource of the official suites: ${uri}.`,
      })),
    templates: () => [
      { uriTemplate: 'test://template/{id}/data', name: 'template', description: 'Data by id.' },
    ],
    read(_caller, uri) {
      const found = read(uri)
      return found && { contents: [found as never] }
    },
  },
  completions: (_caller, { value }) => ['paris', 'park', 'party'].filter((word) => word.startsWith(value)),
  logs: true,
}
