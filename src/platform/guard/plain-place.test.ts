import { afterAll, expect, test } from 'vitest'
import { makeProject } from './guard-project.fixture.ts'
import { parseInputPath } from './input-path.ts'
import { closeAll } from './kernel/descriptors.ts'
import { loadKernelCalls } from './kernel/kernel-calls.ts'
import { closeScope, openScope } from './open-scope.ts'
import { findPlainPlace } from './plain-place.ts'

const project = makeProject()
const scope = openScope({ ...project.scope, closed_paths: [project.in('docs')] }, loadKernelCalls)

afterAll(() => {
  closeScope(scope)
  project.remove()
})

/** Whether a path is taken for a plain one. */
function isPlain(path: string): boolean {
  const place = findPlainPlace(scope, path, parseInputPath(path))
  closeAll(place?.fds ?? [])
  return place !== undefined
}

test('files by their own names are found in one step', () => {
  const paths = ['readme.md', 'src/main.ts', './src//deep/er/x.ts', 'my_node_modules/ok.js', 'hard-link']
  expect(paths.filter((path) => !isPlain(path))).toEqual([])
})

test('everything else is left to the walk', () => {
  const links = ['link-in', 'link-folder/main.ts', 'link-out', 'link-out-folder/secret.txt', 'link-shared']
  const closed = ['.env', 'sub/.ENV', 'secrets/k', '.lock.main.ts', 'docs/a.md']
  const ways = ['src/../readme.md', 'src/', 'src/main.ts/.', '.', '..', project.in('readme.md')]
  const others = ['src', 'missing', 'readme.md/x', 'fifo', 'shared/util.ts', 'a/'.repeat(129) + 'x']
  expect([...links, ...closed, ...ways, ...others].filter(isPlain)).toEqual([])
})

test('nothing is found in one step without the kernel’s calls', () => {
  const without = { ...scope, kernel: () => undefined }
  expect(findPlainPlace(without, 'readme.md', parseInputPath('readme.md'))).toBeUndefined()
})
