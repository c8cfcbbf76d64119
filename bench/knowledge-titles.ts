import { extname } from 'node:path'
import { splitTerms } from '../src/platform/knowledge/words/split-terms.ts'

/** A test by the words of its title, and the line that it begins on. */
export interface TitledTest {
  title: string
  line: number
}

const SHORTEST_TITLE_WORDS = 3
const SCRIPT = /^\s*(?:it|test|t\.test|specify)(?:\.\w+)?\(\s*(['"`])(.{5,200}?)\1/
const MARKED_JAVA = /(?:void|fun)\s+(?:`([^`]+)`|(\w+))\s*\(/
/** By the end of a path: what a test's first line is like, and what stands on a line before it where that is needed. */
const FORMS: Record<string, { title: RegExp; mark?: RegExp }> = {
  '.ts': { title: SCRIPT },
  '.tsx': { title: SCRIPT },
  '.js': { title: SCRIPT },
  '.py': { title: /^\s*(?:async )?def test_(\w+)/ },
  '.go': { title: /^func Test(\w+)\(/ },
  '.rs': { title: /^\s*(?:async )?fn (\w+)\(/, mark: /^\s*#\[(?:\w+::)?test\b/ },
  '.zig': { title: /^\s*test "([^"]+)"/ },
  '.java': { title: MARKED_JAVA, mark: /^\s*@Test\b/ },
  '.kt': { title: MARKED_JAVA, mark: /^\s*@Test\b/ },
  '.cs': { title: /^\s*public (?:async )?[\w<>]+ (\w+)\(/, mark: /^\s*\[(?:Fact|Theory|Test)\b/ },
  '.php': { title: /function test_?(\w+)\(/ },
  '.cpp': { title: /^\s*(?:TEST_CASE|SCENARIO)\(\s*(")([^"]{5,200})"/ },
  '.rb': { title: /^\s*(?:it|test)\s+(['"])(.{5,200}?)\1/ },
}
const MARK_LINES = 4

/** The tests of a source whose titles have several words. */
export function titledTests(path: string, text: string): TitledTest[] {
  const form = FORMS[extname(path)]
  if (!form) return []
  const lines = text.split('\n')
  return lines.flatMap((line, at) => {
    const found = form.title.exec(line)
    const is_marked =
      !form.mark || lines.slice(Math.max(0, at - MARK_LINES), at).some((one) => form.mark?.test(one))
    const words =
      found && is_marked ? splitTerms(found.slice(1).findLast((part) => part && part.length > 1) ?? '') : []
    return words.length < SHORTEST_TITLE_WORDS ? [] : [{ title: words.join(' '), line: at + 1 }]
  })
}
