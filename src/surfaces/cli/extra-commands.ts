import type { Command } from './command.ts'
import { SEAT_FLAGS } from './line/seat-flags.ts'

const CLIENTS = 'claude-code, claude-desktop, cursor, vscode or codex'
const MEMBER_FLAG = {
  name: 'role',
  value: 'ROLE',
  description:
    'Of a member: viewer, editor, evaluator or admin; at a seat: dev, sre, release_manager or product_owner',
}
const MCP_FLAGS = SEAT_FLAGS.map((flag) => (flag.name === 'role' ? MEMBER_FLAG : flag))

/** Commands that are not one operation. Each loads what it does only when it is run. */
export const EXTRA_COMMANDS: readonly Command[] = [
  {
    words: ['serve'],
    summary: 'Run the hub: REST and MCP over HTTP.',
    positionals: [],
    flags: [
      { name: 'host', value: 'HOST', description: 'The address to listen at (default 127.0.0.1)' },
      { name: 'port', value: 'PORT', description: 'The port (default 4747; 0 picks one)' },
      { name: 'log', value: 'json|text', description: 'What is printed when the hub is ready' },
    ],
    reach: 'home',
    run: async (invocation) => (await import('./commands/serve-command.ts')).serve(invocation),
  },
  {
    words: ['quickstart'],
    summary:
      'From nothing to a first call: start the hub, sign in, move servers behind it, connect a client.',
    positionals: [],
    flags: [
      { name: 'client', value: 'NAME', description: 'The client to connect (default: asked for)' },
      { name: 'role', value: 'ROLE', description: 'What it may do at most (default viewer: read flows)' },
      { name: 'port', value: 'PORT', description: 'The port of a hub that has to be started (default 4747)' },
      {
        name: 'wait',
        value: 'SECONDS',
        description: 'How long to wait for the client (default 300; 0: not)',
      },
      { name: 'yes', description: 'Do not ask: take the servers that are found behind the hub' },
      {
        name: 'service',
        value: 'systemd|launchd',
        description: 'Only print the file of a service for this machine',
      },
    ],
    reach: 'home',
    beginsHome: true,
    tellsProgress: true,
    run: async (invocation) =>
      (await import('./commands/quickstart/quickstart-command.ts')).quickstart(invocation),
  },
  {
    words: ['mcp'],
    summary: 'Serve MCP over stdin and stdout, for a client that starts this program.',
    positionals: [],
    flags: MCP_FLAGS,
    reach: 'home',
    beginsHome: true,
    run: async (invocation) => (await import('./commands/mcp-command.ts')).serveMcp(invocation),
  },
  {
    words: ['mcp', 'config'],
    summary: "Print the configuration that connects an MCP client, or merge it into the client's file.",
    positionals: [],
    flags: [
      { name: 'client', value: 'NAME', description: `The program to connect: ${CLIENTS}`, required: true },
      { name: 'write', description: "Merge it into the client's own file, keeping a backup" },
      {
        name: 'name',
        value: 'NAME',
        description: 'What the client calls it (default knowtation, for a seat with its folder)',
      },
      ...MCP_FLAGS,
    ],
    reach: 'nothing',
    run: async (invocation) =>
      (await import('./commands/mcp-config/mcp-config-command.ts')).configureClient(invocation),
  },
  {
    words: ['connect'],
    summary: "Put the hub's address into an MCP client's settings, and wait until it has signed in.",
    positionals: [
      {
        name: 'client',
        description:
          'claude-code, claude-desktop, cursor, vscode, codex, gemini, windsurf, zed, goose or opencode',
        required: true,
      },
    ],
    flags: [
      { name: 'name', value: 'NAME', description: 'What the client calls it (default knowtation)' },
      { name: 'print', description: "Print the settings instead of writing them into the client's file" },
      {
        name: 'wait',
        value: 'SECONDS',
        description: 'How long to wait for the client (default 300; 0: not)',
      },
      { name: 'role', value: 'ROLE', description: 'Tick this role on the page where you decide' },
      { name: 'flow', value: 'ID', description: 'Tick this flow there instead of a role' },
      { name: 'tools', value: 'A,B', description: 'Tick these tools of the flow' },
      {
        name: 'ttl',
        value: 'DURATION',
        description: 'How long each grant of the flow is to live (1m to 1h)',
      },
    ],
    reach: 'hub',
    beginsHome: true,
    tellsProgress: true,
    run: async (invocation) =>
      (await import('./commands/connect/connect-command.ts')).connectClient(invocation),
  },
  {
    words: ['tool', 'list'],
    summary: 'List the tools that a role sees, or with --url those of a session.',
    positionals: [],
    flags: SEAT_FLAGS,
    reach: 'hub',
    run: async (invocation) => (await import('./commands/tool-commands.ts')).listTools(invocation),
  },
  {
    words: ['tool', 'call'],
    summary: 'Call one tool of the toolbox and print its result.',
    positionals: [{ name: 'name', description: 'The tool', required: true }],
    flags: [
      { name: 'args', value: 'JSON', description: 'Its arguments: inline, a file, or - for stdin' },
      ...SEAT_FLAGS,
    ],
    reach: 'hub',
    run: async (invocation) => (await import('./commands/tool-commands.ts')).callTool(invocation),
  },
  {
    words: ['boundary', 'check'],
    summary: "Check an engine's answer against its input, without any hub.",
    positionals: [],
    flags: [
      {
        name: 'input',
        value: 'JSON|FILE|-',
        description: 'The AgentInput that was given',
        required: true,
      },
      {
        name: 'output',
        value: 'JSON|FILE|-',
        description: 'The AgentOutput that came back; without it only the input is checked',
      },
    ],
    reach: 'nothing',
    run: async (invocation) =>
      (await import('./commands/boundary-check-command.ts')).checkBoundary(invocation),
  },
  {
    words: ['boundary', 'schema'],
    summary: 'Print the JSON Schema of what an engine is given, or of what it may answer.',
    positionals: [{ name: 'side', description: 'input or output', required: true }],
    flags: [],
    reach: 'nothing',
    run: async (invocation) =>
      (await import('./commands/boundary-check-command.ts')).printBoundarySchema(invocation),
  },
  {
    words: ['owner', 'agent', 'login'],
    summary: 'Ask the owner of a hub to be let in as an owner agent, and keep the bearer in a private file.',
    positionals: [],
    flags: [
      { name: 'name', value: 'NAME', description: 'What the owner is shown (default: client and machine)' },
      { name: 'client-id', value: 'ID', description: 'What the program is called (default knowtation-cli)' },
      { name: 'credential', value: 'FILE', description: 'Where the bearer is kept (default: in the home)' },
    ],
    reach: 'nothing',
    run: async (invocation) =>
      (await import('./commands/owner-agent-login-command.ts')).loginAgent(invocation),
  },
  {
    words: ['backup', 'create'],
    summary: 'Copy the home into a new folder, while the hub may be running.',
    positionals: [
      { name: 'path', description: 'The new folder (default: a dated one here)', required: false },
    ],
    flags: [],
    reach: 'home',
    run: async (invocation) => (await import('./commands/backup-commands.ts')).backUp(invocation),
  },
  {
    words: ['backup', 'restore'],
    summary: 'Bring a home back from a backup.',
    positionals: [{ name: 'path', description: 'The backup', required: true }],
    flags: [
      { name: 'force', description: 'Replace a home that holds data; what was there is kept aside' },
      {
        name: 'yes',
        description: 'Do not ask, also where that takes back what was revoked, locked or deleted since',
      },
    ],
    reach: 'home',
    run: async (invocation) => (await import('./commands/backup-commands.ts')).restore(invocation),
  },
  {
    words: ['upgrade', 'check'],
    summary: 'Say what the first start of this program would change in a home, and change nothing.',
    positionals: [],
    flags: [],
    reach: 'home',
    run: async (invocation) =>
      (await import('./commands/upgrade-check/upgrade-check-command.ts')).checkUpgrade(invocation),
  },
  {
    words: ['audit', 'accept-loss'],
    summary: 'Go on with a database that has lost what was once written, and put that on record.',
    positionals: [],
    flags: [],
    reach: 'home',
    run: async (invocation) => (await import('./commands/accept-loss-command.ts')).acceptLoss(invocation),
  },
  {
    words: ['version'],
    summary: 'Print the version of this program.',
    positionals: [],
    flags: [],
    reach: 'nothing',
    run: async ({ globals, io }) =>
      (await import('./commands/version-command.ts')).printVersion(globals.json, io),
  },
  {
    words: ['completion'],
    summary: 'Print a script that completes commands and flags in a shell.',
    positionals: [{ name: 'shell', description: 'bash, zsh or fish', required: true }],
    flags: [],
    reach: 'nothing',
    run: async (invocation) => (await import('./help/completion-command.ts')).printCompletion(invocation),
  },
]
