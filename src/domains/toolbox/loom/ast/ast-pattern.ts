import type { SgNode } from '@ast-grep/napi'
import type { AstLanguage } from './ast-languages.ts'

/** Parses a text in the language at hand. */
export type Parse = (text: string) => Promise<SgNode>

/** A pattern as the engine takes it. */
export type ReadPattern = string | { readonly context: string; readonly selector: string }

const VARIABLE = /^\$(?:\$\$(?:[A-Z_][A-Z0-9_]*)?|\$?[A-Z_][A-Z0-9_]*)$/
/** The ends of statements may be left out of a pattern: the engine does not ask for them. */
const ENDS_OF_STATEMENTS = ['', ';', '\n']
/** What is within quotes or tags may be nothing. */
const MAY_BE_NOTHING = /text|content|fragment/

/**
 * Reads a pattern strictly, in every way that it can be: what is the declaration of a variable by itself may be
 * that of a field in a class. The engine takes broken patterns too, and finds with them whatever their sound parts
 * happen to match; here anything that the parser could not read, or had to add, makes a pattern no pattern.
 */
export async function listReadings(
  pattern: string,
  language: AstLanguage,
  parse: Parse,
): Promise<ReadPattern[]> {
  const sound: ReadPattern[] = []
  const second_best: ReadPattern[] = []
  for (const [before, after] of language.settings) {
    const text = before + withSigil(pattern, language.sigil) + after
    const root = await parse(text)
    const soundness = judge(root, language.sigil)
    if (soundness === 'broken') continue
    const selector = findSelector(root, before.length, text.length - after.length)
    if (before !== '' && selector === undefined) continue
    const reading =
      before === '' || selector === undefined ? pattern : { context: before + pattern + after, selector }
    if (soundness === 'sound') sound.push(reading)
    else second_best.push(reading)
  }
  return sound.length > 0 ? sound : second_best.slice(0, 1)
}

/** Writes the variables of a pattern as names that the language knows. */
function withSigil(pattern: string, sigil: string): string {
  return pattern.replaceAll(/\$+(?=[A-Z_])|(?<!\$)\$\$\$(?!\$)/g, (dollars) => sigil.repeat(dollars.length))
}

/** A variable in a place where no name can be is an error to the parser, but not to the engine. */
function judge(root: SgNode, sigil: string): 'sound' | 'odd_variables' | 'broken' {
  let has_odd_variable = false
  const todo = [root]
  for (let node = todo.pop(); node; node = todo.pop()) {
    if (node.kind() === 'ERROR') {
      if (!isVariable(node.text(), sigil)) return 'broken'
      has_odd_variable = true
    } else if (node !== root && isAdded(node)) return 'broken'
    todo.push(...node.children())
  }
  return has_odd_variable ? 'odd_variables' : 'sound'
}

/** Whether the parser put a node in that the text does not have. */
function isAdded(node: SgNode): boolean {
  const { start, end } = node.range()
  if (start.index < end.index || !node.isLeaf()) return false
  const kind = String(node.kind())
  return !ENDS_OF_STATEMENTS.includes(kind) && !MAY_BE_NOTHING.test(kind)
}

function isVariable(text: string, sigil: string): boolean {
  return VARIABLE.test(text.replaceAll(sigil, () => '$'))
}

/** The kind of the innermost node that is the whole pattern, if no other of its kind stands before it. */
function findSelector(root: SgNode, start: number, end: number): string | undefined {
  let found: SgNode | undefined
  for (let node: SgNode | undefined = root; node; node = childAround(node, start, end)) {
    const range = node.range()
    if (node !== root && range.start.index >= start && range.end.index <= end) found = node
  }
  if (found === undefined) return undefined
  const kind = String(found.kind())
  return root.find({ rule: { kind } })?.id() === found.id() ? kind : undefined
}

/** The only child with anything in it between the two indexes, if it is one that has a name. */
function childAround(node: SgNode, start: number, end: number): SgNode | undefined {
  const inside = node.children().filter((child) => {
    const range = child.range()
    return range.start.index < end && range.end.index > start && child.text().trim() !== ''
  })
  const [only] = inside
  return inside.length === 1 && only?.isNamed() ? only : undefined
}
