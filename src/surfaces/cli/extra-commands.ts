import type { Command } from './command.ts'

const CLIENTS = 'claude-code, claude-desktop, cursor, vscode or codex'

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
    run: async (invocation) => (await import('./serve-command.ts')).serve(invocation),
  },
  {
    words: ['mcp'],
    summary: 'Serve MCP over stdin and stdout, for a client that starts this program.',
    positionals: [],
    flags: [],
    reach: 'home',
    run: async (invocation) => (await import('./mcp-command.ts')).serveMcp(invocation),
  },
  {
    words: ['mcp', 'config'],
    summary: "Print the configuration that connects an MCP client, or merge it into the client's file.",
    positionals: [],
    flags: [
      { name: 'client', value: 'NAME', description: `The program to connect: ${CLIENTS}`, required: true },
      { name: 'write', description: "Merge it into the client's own file, keeping a backup" },
    ],
    reach: 'nothing',
    run: async (invocation) => (await import('./mcp-config-command.ts')).configureClient(invocation),
  },
  {
    words: ['backup', 'create'],
    summary: 'Copy the home into a new folder, while the hub may be running.',
    positionals: [
      { name: 'path', description: 'The new folder (default: a dated one here)', required: false },
    ],
    flags: [],
    reach: 'home',
    run: async (invocation) => (await import('./backup-commands.ts')).backUp(invocation),
  },
  {
    words: ['backup', 'restore'],
    summary: 'Bring a home back from a backup.',
    positionals: [{ name: 'path', description: 'The backup', required: true }],
    flags: [{ name: 'force', description: 'Replace a home that holds data; what was there is kept aside' }],
    reach: 'home',
    run: async (invocation) => (await import('./backup-commands.ts')).restore(invocation),
  },
]
