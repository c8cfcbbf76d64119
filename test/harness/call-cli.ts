import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { textKind } from '../../src/operations/coerce-input.ts'
import { positionals } from '../../src/operations/registry.ts'
import { runCli } from '../../src/surfaces/cli/run-cli.ts'
import type { Reply, Request } from './call.ts'
import type { TestHub } from './test-hub.ts'

/** What a command line left behind. */
export interface CliRun {
  exit: number
  stdout: string
  stderr: string
}

/** Runs a command line in this process, as a program reads it. */
export async function runInProcess(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  stdin = '',
): Promise<CliRun> {
  const [input, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const written = Promise.all([text(stdout), text(stderr)])
  input.end(stdin)
  const streams = { stdin: input, stdout, stderr }
  const exit = await runCli(argv, env, {
    ...streams,
    isTerminal: false,
    isErrorTerminal: false,
    columns: Number.POSITIVE_INFINITY,
  })
  stdout.end()
  stderr.end()
  const [out, err] = await written
  return { exit, stdout: out, stderr: err }
}

/** Calls an operation by its command, which asks the running hub. */
export async function callCli(hub: TestHub, request: Request): Promise<Reply> {
  const bearer = hub.credentials.bearers[request.as]
  const env = { ...(bearer && { KNOWTATION_TOKEN: bearer }), ...grantVariables(request) }
  const { argv, stdin } = commandLine(request)
  return replyOf(await runInProcess([...argv, '--url', request.gateway ?? hub.url], env, stdin))
}

/** Calls an operation by its command, on the files of the hub's home: as the one who runs the hub. */
export async function callCliAtHome(hub: TestHub, request: Request): Promise<Reply> {
  const { argv, stdin } = commandLine(request)
  return replyOf(await runInProcess(argv, { ...hub.options.env, ...grantVariables(request) }, stdin))
}

/** The variables in which a grant travels: on the command line others would see it. */
function grantVariables({ presented = {} }: Request): NodeJS.ProcessEnv {
  const { external_bearer, grant_id } = presented
  return {
    ...(external_bearer !== undefined && { KNOWTATION_GRANT_BEARER: external_bearer }),
    ...(grant_id !== undefined && { KNOWTATION_GRANT_ID: grant_id }),
  }
}

/** The words that ask for an operation; a document goes in through stdin. */
export function commandLine({ operation, input, vault }: Request): { argv: string[]; stdin: string } {
  const placed = positionals(operation.cli ?? '')
  const words = (operation.cli ?? '').split(' ').filter((word) => !word.startsWith('<'))
  const isDocument = (key: string) => {
    const schema = operation.input.shape[key]
    return schema !== undefined && textKind(schema) === 'json'
  }
  const written = (key: string) => (isDocument(key) ? '-' : String(input[key]))
  const flags = Object.keys(input).filter((key) => !placed.includes(key))
  const documents = Object.keys(input).filter(isDocument)
  return {
    argv: [
      ...words,
      ...flags.flatMap((key) => [`--${key.replaceAll('_', '-')}`, written(key)]),
      ...(vault ? ['--vault', vault] : []),
      '--json',
      ...placed.map(written),
    ],
    stdin: documents.map((key) => JSON.stringify(input[key])).join(''),
  }
}

/** What the command line says to a person, behind the hub's own document. */
const ADVICE = /,"message":"(?:[^"\\]|\\.)*","hint":"(?:[^"\\]|\\.)+"\}\n$/

function replyOf({ exit, stdout, stderr }: CliRun): Reply {
  if (!stdout.endsWith('\n')) throw new Error(`exit ${exit}: ${stderr}`)
  if (exit === 0) return { ok: true, status: undefined, text: stdout.slice(0, -1) }
  if (exit === 2 && !/"(BAD_REQUEST|invalid_request)"/.test(stdout)) throw new Error(`exit 2: ${stdout}`)
  return { ok: false, status: undefined, text: withoutAdvice(stdout).slice(0, -1) }
}

/** What the hub itself answered, in what --json printed of it. */
export function withoutAdvice(stdout: string): string {
  const isRefusal = stdout.startsWith('{"error":')
  if (isRefusal && !ADVICE.test(stdout)) throw new Error(`A refusal without advice: ${stdout}`)
  return stdout.replace(ADVICE, '}\n')
}
