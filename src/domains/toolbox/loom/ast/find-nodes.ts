import { hasVeil, toParsable } from '../../../../platform/redaction/veil.ts'
import { ToolFault } from '../../tool-fault.ts'
import type { Span } from '../edit.ts'
import type { AstAnswer } from './ast-job.ts'
import { AST_EXTENSIONS, findLanguage } from './ast-languages.ts'
import { AstStopped, runAstJob } from './ast-process.ts'

export const AST_PATTERN_MAX_CHARS = 1_000

/**
 * Finds what ast-grep patterns match in a file, in its language; for each pattern in turn. The text may be veiled:
 * what has something hidden in it is no match.
 */
export async function findNodes(
  file_name: string,
  patterns: readonly string[],
  text: string,
  time_limit_ms?: number,
): Promise<Span[][]> {
  const language = findLanguage(file_name)
  if (!language) throw unknownLanguage(file_name)
  const long = patterns.find((pattern) => pattern.length > AST_PATTERN_MAX_CHARS)
  if (long !== undefined) throw brokenPattern(`has more than ${AST_PATTERN_MAX_CHARS} characters`, long)
  const answer = await answerOf(runAstJob({ language, text: toParsable(text), patterns }, time_limit_ms))
  if ('broken' in answer)
    throw brokenPattern(`is no single node of ${language.name}`, patterns[answer.broken] ?? '')
  return answer.found.map((nodes) =>
    nodes.map(([start, end]) => ({ start, end })).filter((span) => !hasVeil(text, span)),
  )
}

async function answerOf(running: Promise<AstAnswer>): Promise<AstAnswer> {
  try {
    return await running
  } catch (error) {
    if (!(error instanceof AstStopped)) throw error
    throw new ToolFault(
      error.code,
      `The file could not be looked through by its syntax: ${error.message}. Nothing was changed.`,
      'Use match_mode exact or regex for this file.',
      { cause: error },
    )
  }
}

function unknownLanguage(file_name: string): ToolFault {
  return new ToolFault(
    'ValidationError',
    `match_mode ast knows no language for ${file_name}.`,
    `It works on ${AST_EXTENSIONS.join(' ')}. Use match_mode exact or regex for other files.`,
  )
}

const SHOWN_CHARS = 80

function brokenPattern(why: string, pattern: string): ToolFault {
  const shown = pattern.slice(0, SHOWN_CHARS).toWellFormed()
  return new ToolFault(
    'ValidationError',
    `The ast pattern ${JSON.stringify(shown)} ${why}.`,
    'Write one complete expression, statement or declaration, such as function $NAME($$$) { $$$ }: $NAME (in ' +
      'capitals) stands for one node, $$$ for any number of them. Or use match_mode exact.',
  )
}
