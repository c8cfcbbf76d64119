import {
  agentInputSchema,
  agentOutputSchema,
  checkExchange,
  type ExchangeCode,
  parseAgentInput,
  readExactJson,
  type Violation,
} from '../../../boundary/index.ts'
import { counted, printable } from '../../../platform/basics/printable.ts'
import { isCommandFailure, UsageError } from '../cli-errors.ts'
import { findFlag, type Invocation } from '../command.ts'
import { jsonSource, parseJsonText, readJsonArgument, readJsonText } from '../line/read-json-argument.ts'
import { printError } from '../output/output.ts'

interface Verdict {
  valid: boolean
  code: ExchangeCode | null
  violations: readonly Violation[]
}

const HINTS: Readonly<Record<ExchangeCode, string>> = {
  VALIDATION_ERROR: 'Mend the input; `knowtation boundary schema input` prints the JSON Schema of inputs.',
  MODEL_OUTPUT_INVALID:
    'Mend the answer; `knowtation boundary schema output` prints the JSON Schema of answers.',
  COHERENCE_BLOCKED:
    'A hub does not call the engine with this input: refresh the snapshot, or make it a dry_run.',
}

/** Holds an answer against its input, without any hub; fails when something is wrong. */
export async function checkBoundary(invocation: Invocation): Promise<number> {
  const [input, output] = [findFlag(invocation, 'input') as string, findFlag(invocation, 'output')]
  if (input === '-' && output === '-') {
    throw new UsageError('Only one value can come from stdin.', 'Put the other one into a file.')
  }
  const verdict = await judge(invocation, input, output)
  const { io, globals } = invocation
  if (globals.json) {
    io.stdout.write(`${JSON.stringify({ schema: 'knowtation.boundary_check/v0', ...verdict })}\n`)
  } else if (verdict.code === null) {
    io.stdout.write(output === undefined ? 'The input is valid.\n' : 'The exchange is valid.\n')
  } else {
    io.stdout.write(`${printable(verdict.violations.map(renderViolation).join('\n'))}\n`)
    const found = counted(verdict.violations.length, 'violation')
    printError(io.stderr, `Error (${verdict.code})`, `${found}.`, HINTS[verdict.code])
  }
  return verdict.valid ? 0 : 1
}

function renderViolation({ path, message }: Violation): string {
  return `${path || 'the document'}: ${message}`
}

async function judge(
  { io }: Invocation,
  inputText: string,
  outputText: string | undefined,
): Promise<Verdict> {
  const input = await readJsonArgument('--input', inputText, io.stdin)
  if (outputText === undefined) return verdictOf(parseAgentInput(input))
  const source = jsonSource('--output', outputText)
  try {
    const text = await readJsonText('--output', outputText, io.stdin)
    parseJsonText(source, text)
    // A hub takes an engine's answer to the letter, which is more than is asked of other documents.
    const output = readExactJson(text)
    return output.ok ? verdictOf(checkExchange(input, output.value)) : noJson(output.message)
  } catch (error) {
    // An answer that is no JSON is a wrong answer, like any other.
    if (!isCommandFailure(error)) throw error
    const message = error.message.slice(source.length + 1).replace(/\.$/, '')
    return noJson(message)
  }
}

function noJson(message: string): Verdict {
  return { valid: false, code: 'MODEL_OUTPUT_INVALID', violations: [{ path: '', message }] }
}

function verdictOf(
  checked: { ok: true } | { ok: false; code: ExchangeCode; violations: readonly Violation[] },
): Verdict {
  if (checked.ok) return { valid: true, code: null, violations: [] }
  return { valid: false, code: checked.code, violations: checked.violations }
}

/** Prints the JSON Schema of one side of the contract. */
export async function printBoundarySchema({ positionals, io }: Invocation): Promise<number> {
  const schemas = { input: agentInputSchema, output: agentOutputSchema }
  const [side = ''] = positionals
  if (side !== 'input' && side !== 'output')
    throw new UsageError('The side is input or output.', 'Name one of them.')
  io.stdout.write(`${JSON.stringify(schemas[side], null, 2)}\n`)
  return 0
}
