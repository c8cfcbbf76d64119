import type { Stats } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { parseStrictJson } from '../../../platform/basics/strict-json.ts'
import { readPlainFile } from '../../../platform/policy/watched-file.ts'
import { NEWEST_VERSION, ProjectConfig } from '../policy/config-schema.ts'
import { CONFIG_FILE, checkConfigFolder, configDamaged } from '../policy/follow-project-policy.ts'
import type { ToolCall, ToolDeclaration } from '../tool.ts'
import { ToolFault } from '../tool-fault.ts'
import { replaceFile } from './replace-file.ts'
import { setTopLevelNumber } from './set-top-level-number.ts'

const SIZE_LIMIT_BYTES = 1_048_576

const Input = z.strictObject({
  target_version: z
    .union([z.int(), z.string().max(16)])
    .describe(`The version of the form that the file is to have; the newest is ${NEWEST_VERSION}`),
})

const Output = z.strictObject({
  path: z.string(),
  from_version: z.int(),
  to_version: z.int(),
  changed: z.boolean(),
  /** What the policy's reader still does not accept. */
  problem: z.string().nullable(),
})

/** Takes the text of each version to the next one. All keys stay, also those that nobody knows. */
const STEPS: readonly ((text: string) => string)[] = [
  // Version 2 says its version; what the keys mean is as before.
  (text) => setTopLevelNumber(text, 'version', 2),
]

type Call = Pick<ToolCall<z.output<typeof Input>>, 'input' | 'context'>

/** Brings the project's policy file to a newer form. */
export const migrateConfigTool: ToolDeclaration<typeof Input, z.output<typeof Output>> = {
  name: 'migrate_config',
  description:
    'Brings .flow/config.json of the project to a newer version of its form, in one step and without losing ' +
    `any key. The newest version is ${NEWEST_VERSION}; an older one than the file has is refused. Needs the role sre.`,
  effect: 'update',
  idempotent: true,
  roles: ['sre'],
  required_role: 'sre',
  critical: true,
  mends_policy: true,
  input: Input,
  output: Output,
  check: (call) => void plan(call),
  handle(call) {
    const { path, text, stats, from_version, to_version } = plan(call)
    const migrated = STEPS.slice(from_version - 1, to_version - 1).reduce(
      (before, step) => step(before),
      text,
    )
    const changed = migrated !== text
    if (changed && !replaceFile(path, migrated, stats, call.hub.system.random(6))) throw changedMeanwhile()
    return { path: CONFIG_FILE, from_version, to_version, changed, problem: findProblem(migrated) }
  },
}

function plan({ input, context }: Call) {
  const to_version = readTarget(input.target_version)
  const found = readConfig(context.project_root)
  const from_version = readVersion(found.text)
  if (to_version < from_version) {
    throw invalid(`The file has version ${from_version}, which is newer.`)
  }
  return { ...found, from_version, to_version }
}

function readTarget(target: string | number): number {
  const version = typeof target === 'string' && /^\d{1,4}$/.test(target) ? Number(target) : target
  if (typeof version === 'number' && version >= 1 && version <= NEWEST_VERSION) return version
  throw invalid('There is no such version.')
}

function invalid(message: string): ToolFault {
  return new ToolFault('ValidationError', message, `Use target_version ${NEWEST_VERSION}.`)
}

function readConfig(project_root: string): { path: string; text: string; stats: Stats } {
  checkConfigFolder(project_root)
  const path = join(project_root, CONFIG_FILE)
  try {
    return { path, ...readPlainFile(path, SIZE_LIMIT_BYTES) }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') {
      throw new ToolFault(
        'FileNotFound',
        `${CONFIG_FILE} does not exist.`,
        'Without a file there is nothing to migrate.',
      )
    }
    throw configDamaged(code ?? message)
  }
}

function readVersion(text: string): number {
  const value = parsed(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw configDamaged('not an object')
  const version = z
    .int()
    .min(1)
    .max(NEWEST_VERSION)
    .default(1)
    .safeParse((value as { version?: unknown }).version)
  if (!version.success) throw configDamaged('version is not known')
  return version.data
}

function parsed(text: string): unknown {
  try {
    return parseStrictJson(text)
  } catch (error) {
    throw configDamaged((error as Error).message)
  }
}

function findProblem(text: string): string | null {
  const issue = ProjectConfig.safeParse(parsed(text)).error?.issues[0]
  return issue ? `${issue.path.join('.') || 'the document'}: ${issue.message}` : null
}

function changedMeanwhile(): ToolFault {
  return new ToolFault(
    'ResourceBusy',
    `${CONFIG_FILE} was changed at the same moment.`,
    'Call the tool again.',
  )
}
