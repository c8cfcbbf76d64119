import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { PACKAGE_VERSION } from '../../src/platform/basics/package-folder.ts'
import { blocksOf, ROOT, readPage } from './run-guide.fixture.ts'

test('after the export of the README the program runs by its name, in any folder', async () => {
  const [block = ''] = blocksOf(readPage('README.md'), '').filter((text) =>
    text.includes('knowtation version'),
  )
  const typed = [...block.matchAll(/^\$ (.+)$/gm)].map(([, line = '']) => line)
  expect(typed).toEqual(['export PATH=$PWD/node_modules/.bin:$PATH', 'knowtation version'])
  const script = `cd ${JSON.stringify(ROOT)}\n${typed[0]}\ncd /\nknowtation version && command -v knowtation`
  // Only what every machine has is on the path before.
  const env = { HOME: '/tmp', PATH: '/usr/bin:/bin' }
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { env })
  expect(stdout).toBe(`knowtation ${PACKAGE_VERSION}\n${ROOT}/node_modules/.bin/knowtation\n`)
  expect(block).toContain(`\nknowtation ${PACKAGE_VERSION}`)
})
