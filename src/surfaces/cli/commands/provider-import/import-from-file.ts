import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { MCP_CLIENTS } from '../../../../domains/control/clients/mcp-clients.ts'
import { mergeSettings, UnmergeableFile } from '../../../../domains/control/clients/merge-settings.ts'
import type { ProviderListOutput } from '../../../../domains/flows/providers/provider-reads.ts'
import { homeAt } from '../../../../platform/basics/home.ts'
import { replacePrivateFile } from '../../../../platform/basics/private-file.ts'
import { realSystem } from '../../../../platform/basics/system.ts'
import { CommandFailure, UsageError } from '../../cli-errors.ts'
import { findFlag, type Invocation, isFlagOn } from '../../command.ts'
import { withConnection } from '../../hub/connection.ts'
import { readAnswer } from '../../hub/parse-answer.ts'
import type { Extension } from '../../operation-command.ts'
import { askYesNo } from '../../output/ask-yes-no.ts'
import { writeFileAtomically } from '../../output/atomic-file.ts'
import { printAnswer, printForPerson, printRefusal } from '../../output/output.ts'
import { reachOf } from '../mcp-config/mcp-config-command.ts'
import { type ProviderPlan, planProviders } from './plan-providers.ts'
import { type ClientFile, readClientFile } from './read-client-file.ts'
import { withoutServers } from './without-servers.ts'

/**
 * Moves the servers of a client's file behind the hub: providers in the policy, credentials in files of the owner's, and
 * in the client's file the hub in their place. Nothing is changed before the owner has said yes.
 */
export async function importFromFile(invocation: Invocation, path: string): Promise<number> {
  if (invocation.globals.url !== undefined)
    throw new UsageError(
      '--from works on the home of the hub, without --url.',
      'Run it on the machine of the hub.',
    )
  const file = readClientFile(path)
  const home = homeAt(invocation.globals.home, invocation.env)
  const folder = join(home.folder, 'provider-secrets')
  const plan = planProviders(file.servers, { folder, taken: await takenNames(invocation) })
  const isPointed = isFlagOn(invocation, 'write') && file.key !== 'registry'
  // Whatever speaks against the new text of the client's file is found before anything is done.
  const after = isPointed ? pointedAtHub(file, plan, invocation) : undefined
  tellPlan(invocation, file, plan, after !== undefined)
  if (plan.providers.length === 0) return 0
  if (isFlagOn(invocation, 'dry-run')) return 0
  const isWanted =
    isFlagOn(invocation, 'yes') || (await askYesNo(invocation, 'Move them behind the hub? [y/N] '))
  if (!isWanted) {
    printForPerson(invocation, 'Nothing was done. --yes says yes beforehand.')
    return 1
  }
  const code = await moveIn(invocation, plan, folder)
  if (code !== 0) return code
  if (after !== undefined) putInClient(invocation, file, after, folder)
  const names = plan.providers.map(({ name }) => `knowtation provider import ${name}`)
  printForPerson(invocation, `Next, review the tools of each:\n${names.join('\n')}`)
  return 0
}

/** The names of providers that the policy has. */
export async function takenNames(invocation: Invocation): Promise<string[]> {
  const { providerList } = await import('../../../../domains/flows/providers/provider-reads.ts')
  const answer = await withConnection(invocation, ({ call }) => call(providerList, {}))
  if (!answer.ok) throw new CommandFailure(answer.code ?? 'RUNTIME_ERROR', 'The policy cannot be read.')
  return readAnswer<typeof ProviderListOutput>(answer).data.map(({ name }) => name)
}

/** Names and places alone: no value of the file is printed. */
function tellPlan(invocation: Invocation, file: ClientFile, plan: ProviderPlan, isPointed: boolean): void {
  const lines = plan.providers.flatMap(({ server, name, entry, secrets, notes }) => [
    `${server} → provider ${name} (${entry.command ? 'a program' : 'an address'})`,
    ...secrets.map(({ at, file: kept }) => `  ${at} is kept in ${kept}`),
    ...notes.map((note) => `  ${note}`),
  ])
  const skipped = plan.skipped.map(({ server, reason }) => `${server} stays: ${reason}`)
  const end = isPointed
    ? [`${file.path} then names the hub in their place; the former file goes into the home.`]
    : [`${file.path} is left as it is; --write puts the hub into it in their place.`]
  printForPerson(invocation, [...lines, ...skipped, ...(plan.providers.length > 0 ? end : [])].join('\n'))
}

/** Credentials first, then the policy: what it names is there. A refusal leaves nothing behind. */
async function moveIn(invocation: Invocation, { providers }: ProviderPlan, folder: string): Promise<number> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const secrets = providers.flatMap((one) => one.secrets)
  const taken = secrets.find(({ file }) => existsSync(file))
  if (taken)
    throw new CommandFailure('FILE_EXISTS', `${taken.file} is there already, and is not written over.`)
  for (const { file, value } of secrets) writeFileSync(file, value, { mode: 0o600, flag: 'wx' })
  const { providerAddMany } = await import('../../../../domains/flows/providers/provider-changes.ts')
  const input = { providers: Object.fromEntries(providers.map(({ name, entry }) => [name, entry])) }
  const forget = () => secrets.forEach(({ file }) => rmSync(file, { force: true }))
  try {
    const answer = await withConnection(invocation, ({ call }) => call(providerAddMany, input))
    if (answer.ok) return 0
    forget()
    return printRefusal(answer, invocation)
  } catch (error) {
    forget()
    throw error
  }
}

/** The client's file with the hub in the place of what was moved. */
function pointedAtHub(file: ClientFile, { providers }: ProviderPlan, invocation: Invocation): string {
  const client = MCP_CLIENTS[clientOf(file)]
  if (!client) throw new UsageError('The client of the file is not known.', 'Leave out --write.')
  const settings = client.settings(reachOf(invocation, undefined))
  try {
    const rest = withoutServers(
      file,
      providers.map(({ server }) => server),
    )
    return mergeSettings(rest, settings, file.format)
  } catch (error) {
    if (!(error instanceof UnmergeableFile)) throw error
    throw new CommandFailure(
      'FILE_NOT_MERGED',
      `${file.path} was left as it is. ${error.message}`,
      'Leave out --write, and change it by hand.',
    )
  }
}

function clientOf({ key, path }: ClientFile): string {
  if (key === 'mcp_servers') return 'codex'
  if (key === 'servers') return 'vscode'
  if (basename(dirname(path)) === '.cursor') return 'cursor'
  return basename(path).startsWith('claude_desktop') ? 'claude-desktop' : 'claude-code'
}

/** The former file may hold credentials: it is kept in the home, where only the owner reads. */
function putInClient(invocation: Invocation, file: ClientFile, after: string, folder: string): void {
  const stamp = realSystem.now().toISOString().replace(/[:.]/g, '-')
  const kept = join(folder, `${basename(file.path)}.${stamp}.bak`)
  replacePrivateFile(kept, file.text)
  writeFileAtomically(file.path, after)
  printForPerson(invocation, `Wrote ${file.path}. The former file is ${kept}.`)
}

/** `provider import --from FILE`: the other way to import than by the name of a provider. */
export const providerImportExtension: Extension = {
  flags: [
    {
      name: 'from',
      value: 'FILE',
      description: "Move the servers of an MCP client's file behind the hub",
      fillsIn: true,
    },
    { name: 'write', description: "Put the hub into the client's file in their place" },
    { name: 'dry-run', description: 'With --from: say what would be done, and do nothing' },
    { name: 'yes', description: 'With --from: do not ask' },
  ],
  async before(invocation) {
    const path = findFlag(invocation, 'from')
    return path === undefined ? undefined : importFromFile(invocation, path)
  },
  act: async ({ operation, invocation, call }) => printAnswer(operation, await call(), invocation),
}
