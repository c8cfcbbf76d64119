import { Lang, parse, type SgNode } from '@ast-grep/napi'
import { sqlMutants } from './sql-mutants.ts'

/** One small change of a source file. */
export interface Change {
  readonly start: number
  readonly end: number
  /** What stands there instead. */
  readonly text: string
  readonly kind: string
}

const SWAPPED: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
}

type Made = readonly (readonly [kind: string, at: SgNode, text: string])[]
type Rule = (node: SgNode) => Made

/** By the kind of node, what can be changed there. */
const RULES: Readonly<Record<string, Rule>> = {
  if_statement: (node) => negated(node.field('condition')),
  ternary_expression: (node) => negated(node.field('condition')),
  binary_expression(node): Made {
    const operator = node.field('operator')
    const swapped = SWAPPED[operator?.text() ?? '']
    if (!operator || swapped === undefined || (operator.text() === '+' && holdsText(node))) return []
    return [['operator', operator, swapped]]
  },
  number: (node) => (/^[\d_]+$/.test(node.text()) ? [['off by one', node, `(${node.text()} + 1)`]] : []),
  true: (node) => (node.parent()?.kind() === 'literal_type' ? [] : [['constant', node, 'false']]),
  false: (node) => (node.parent()?.kind() === 'literal_type' ? [] : [['constant', node, 'true']]),
  throw_statement: (node) => [['removed throw', node, ';']],
  call_expression: (node) =>
    /(^|\.)refuse\w*$/.test(node.field('function')?.text() ?? '')
      ? [['removed refusal', node, '(undefined as never)']]
      : [],
  expression_statement(node) {
    const inner = node.child(0)?.kind()
    const isAct = inner === 'call_expression' || inner === 'await_expression'
    return isAct ? [['removed statement', node, ';']] : []
  },
  return_statement: (node) => constantReturns(node.child(1)),
  arrow_function: (node) => constantReturns(node.field('body')),
}

function negated(condition: SgNode | null): Made {
  return condition ? [['negated condition', condition, `(!(${condition.text()}))`]] : []
}

const holdsText = (node: SgNode) =>
  [node.field('left'), node.field('right')].some((side) => /string|template/.test(String(side?.kind())))

/** Only what plainly is a yes or no is made a constant; of everything else the types would tell. */
function constantReturns(value: SgNode | null): Made {
  if (!value || !isCondition(value)) return []
  return ['true', 'false'].map((text) => ['constant return', value, text] as const)
}

function isCondition(value: SgNode): boolean {
  if (value.kind() === 'parenthesized_expression') return isCondition(value.child(1) as SgNode)
  if (value.kind() === 'unary_expression') return value.text().startsWith('!')
  if (value.kind() !== 'binary_expression') return false
  return /^(===|!==|[<>]=?|in|instanceof)$/.test(value.field('operator')?.text() ?? '')
}

/** Every change that can be made to a source, in the order of their places. */
export function listChanges(source: string): Change[] {
  const changes: Change[] = []
  const visit = (node: SgNode) => {
    const kind = String(node.kind())
    if (kind === 'import_statement' || kind.endsWith('type_annotation')) return
    if (node.isNamed()) {
      for (const [what, at, text] of RULES[kind]?.(node) ?? []) changes.push(changeAt(source, at, text, what))
      if (kind === 'string' || kind === 'template_string') changes.push(...changesOfSql(node))
    }
    for (const child of node.children()) visit(child)
  }
  visit(parse(Lang.TypeScript, source).root())
  return changes.toSorted((a, b) => a.start - b.start || a.text.localeCompare(b.text))
}

function changeAt(source: string, node: SgNode, text: string, kind: string): Change {
  const [start, end] = [node.range().start.index, node.range().end.index]
  if (source.slice(start, end) !== node.text())
    throw new Error(`The places of the parser do not fit at ${start}.`)
  return { start, end, text, kind }
}

function changesOfSql(node: SgNode): Change[] {
  const offset = node.range().start.index
  return sqlMutants(node.text()).map((change) => ({
    ...change,
    start: change.start + offset,
    end: change.end + offset,
  }))
}

/** The source with a change made. */
export function withChange(source: string, { start, end, text }: Change): string {
  return source.slice(0, start) + text + source.slice(end)
}
