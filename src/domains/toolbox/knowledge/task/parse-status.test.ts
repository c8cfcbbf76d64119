import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseStatus, StatusDamaged, type StatusTask } from './parse-status.ts'
import { checkStatus, listTasks } from './read-status.ts'

interface Planned {
  readonly name: string
  readonly mark: string
  readonly children: readonly Planned[]
}

const { tree } = fc.letrec<{ tree: Planned[]; task: Planned }>((tie) => ({
  tree: fc.array(tie('task'), { maxLength: 4, depthIdentifier: 'tasks' }),
  task: fc.record({
    name: fc.stringMatching(/^[a-z][a-z :*]{0,8}[a-z]$/),
    mark: fc.constantFrom(' ', '/', 'x', 'X', 'v', 'V', '-'),
    children: fc.oneof({ depthSize: 'small', depthIdentifier: 'tasks' }, fc.constant([]), tie('tree')),
  }),
}))

function render(tasks: readonly Planned[], depth = 0): string {
  return tasks
    .map(
      ({ name, mark, children }) =>
        `${' '.repeat(depth * 4)}- [${mark}] ${name}\n${render(children, depth + 1)}`,
    )
    .join('')
}

function shapeOf(tasks: readonly StatusTask[]): unknown {
  return tasks.map(({ name, marker, children }) => ({
    name,
    mark: marker.slice(1, -1),
    children: shapeOf(children),
  }))
}

const DEEP = Array.from({ length: 21 }, (_, depth) => `${' '.repeat(depth * 4)}- [ ] t${depth}`).join('\n')

/** The line at which a text is refused, or what is wrong where none is named. */
function problemOf(text: string, check = false): string {
  try {
    const { tasks } = parseStatus(text, 'status.md')
    if (check) checkStatus(tasks)
    return 'fine'
  } catch (error) {
    if (!(error instanceof StatusDamaged)) throw error
    return `${error.problem} ${error.line}`
  }
}

describe('a task list', () => {
  test('is read as the tree that was written, with ids by position', () => {
    fc.assert(
      fc.property(tree, (planned) => {
        const { tasks } = parseStatus(render(planned), 'status.md')
        expect(shapeOf(tasks)).toEqual(JSON.parse(JSON.stringify(planned)))
        const all = listTasks(tasks)
        expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
        for (const [index, task] of tasks.entries()) expect(task.id).toBe(String(index + 1))
        for (const task of all)
          for (const [index, child] of task.children.entries())
            expect(child.id).toBe(`${task.id}.${index + 1}`)
      }),
    )
  })

  test('is any text, or is refused with the line', () => {
    const line = fc.oneof(
      fc.string(),
      fc.stringMatching(/^ {0,9}- \[.?\] ?.{0,5}$/),
      fc.constantFrom(
        '<!--',
        '-->',
        '```',
        '# A',
        '## 3. B',
        'Key: value',
        '\t- [ ] a',
        '- note',
        '__proto__: x',
      ),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        expect(problemOf(lines.join('\n'), true)).toMatch(/^(fine|Status(ParsingError|Conflict) \d+)$/)
      }),
    )
  })

  test('has a header, notes, comments and blocks of code that are no tasks', () => {
    const text = [
      '\ufeffProject: Shop',
      'Owner: one',
      'Owner: two',
      '',
      '<!-- - [ ] not this -->',
      '- [ ] A',
      '    - a note',
      'Later: no header',
      '<!--',
      '- [ ] nor this',
      '-->',
      '```',
      '- [ ] nor that',
      '```',
      '    - [x] B @ "sub files/b.md"',
      "- [ ] C @ 'c.md'",
      '- [ ] D @ d.md',
      '- [ ] mail a@b.c',
    ].join('\r\n')
    const { header, tasks } = parseStatus(text, 'status.md')
    expect(header).toEqual({ Project: 'Shop', Owner: 'two' })
    expect(listTasks(tasks).map(({ id, name, line, sub_file }) => [id, name, line, sub_file])).toEqual([
      ['1', 'A', 6, undefined],
      ['1.1', 'B', 15, 'sub files/b.md'],
      ['2', 'C', 16, 'c.md'],
      ['3', 'D', 17, 'd.md'],
      ['4', 'mail a@b.c', 18, undefined],
    ])
  })

  test('has steps of two blanks, other signs, ids of its own and numbers of headings', () => {
    const text = [
      '## 3.2 Pay',
      '* [ ] TASK-431 first',
      '  + [x] [TASK-432] second',
      '    - [ ] **AB_C-1**: third',
      '- [ ] UTF-8 everywhere',
      '* [a link](x.md) is a note',
      '## 4) Ship',
      '- [ ] fourth',
      '# 2027 later',
      '- [ ] fifth',
    ].join('\n')
    const { tasks } = parseStatus(text, 'status.md')
    expect(listTasks(tasks).map(({ id, name }) => `${id} ${name}`)).toEqual([
      'TASK-431 first',
      'TASK-432 second',
      'AB_C-1 third',
      '3.2.2 UTF-8 everywhere',
      '4.1 fourth',
      '4 fifth',
    ])
  })

  test('is refused where the form is broken', () => {
    const broken: Readonly<Record<string, string>> = {
      '- [ ] a\n\t- [ ] b': 'StatusParsingError 2',
      '- [ ] a\n   - [ ] b': 'StatusParsingError 2',
      '- [ ] a\n  - [ ] b\n      - [ ] c': 'StatusParsingError 3',
      '- [ ] a\n  - [ ] b\n - [ ] c': 'StatusParsingError 3',
      '* [y] a': 'StatusParsingError 1',
      '+ [] a': 'StatusParsingError 1',
      '- [ ] a\n        - [ ] b': 'StatusParsingError 2',
      '    - [ ] a': 'StatusParsingError 1',
      '- [y] a': 'StatusParsingError 1',
      '- [] a': 'StatusParsingError 1',
      '- [ ]': 'StatusParsingError 1',
      '- [ ] a\n- [': 'StatusParsingError 2',
      [DEEP]: 'StatusParsingError 21',
      [`- [ ] ${'a '.repeat(2_000)}`]: 'StatusParsingError 1',
      [`# a${' '.repeat(100_000)}b`]: 'fine',
      [' '.repeat(500_000)]: 'fine',
    }
    for (const [text, problem] of Object.entries(broken)) expect(problemOf(text), text).toBe(problem)
  })

  test('is refused where it contradicts itself', () => {
    const wrong: Readonly<Record<string, string>> = {
      '- [ ] a\n- [ ] b\n- [ ] a': 'StatusConflict 3',
      '- [/] a\n- [ ] b\n- [/] c': 'StatusConflict 3',
      '- [x] a\n    - [x] b\n    - [ ] c': 'StatusConflict 3',
      '- [v] a\n    - [/] b': 'StatusConflict 2',
      '- [/] a\n    - [/] b\n    - [-] c': 'fine',
      '- [x] a\n    - [-] b\n    - [v] c': 'fine',
      '# A\n- [/] a\n# B\n- [/] a': 'fine',
    }
    for (const [text, problem] of Object.entries(wrong)) expect(problemOf(text, true), text).toBe(problem)
  })
})
