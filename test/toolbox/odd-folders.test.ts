import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runTest } from '../../src/domains/toolbox/commands/run-test.ts'
import { faultOf, makeService } from './commands-service.fixture.ts'

/** A script that goes to a folder to which no path leads, and makes something there. */
const goAnd = (way: string, make: string) => `import fs from 'node:fs'\n${way}\n${make}\nconsole.log('made')`
const WAYS = {
  'a name that is no text': `const name = Buffer.from([0x61, 0xff])
    fs.mkdirSync(name, { recursive: true })
    const at = (path) => Buffer.concat([name, Buffer.from('/' + path)])`,
  'a path that is too long': `for (let n = 0; n < 20; n++) {
      fs.mkdirSync('x'.repeat(250), { recursive: true })
      process.chdir('x'.repeat(250))
    }
    const at = (path) => path`,
} as const
const THINGS = {
  'a repository': `fs.mkdirSync(at('.git/refs'), { recursive: true })`,
  'a repository without a .git': `for (const path of ['objects', 'refs']) fs.mkdirSync(at(path))
    fs.writeFileSync(at('HEAD'), 'ref: refs/heads/main')`,
  'a policy deeper down': `fs.mkdirSync(at('more/.flow'), { recursive: true })`,
  'a repository in a folder that is closed': `fs.mkdirSync(at('in/.git'), { recursive: true })
    fs.chmodSync(at('in'), 0)`,
} as const
const CASES = Object.entries(WAYS).flatMap(([where, way]) =>
  Object.entries(THINGS).map(([what, make]) => [what, where, goAnd(way, make)] as const),
)

let service: ReturnType<typeof makeService>
beforeEach(() => {
  service = makeService({ files: { 'ok.mjs': 'console.log(1)' } })
})
// Node cannot remove what no path leads to.
afterEach(() => {
  execFileSync('chmod', ['-R', 'u+rwx', service.root])
  execFileSync('rm', ['-rf', service.root])
  service.remove()
})

const found = (...names: string[]) =>
  execFileSync('find', [service.root, ...names.flatMap((name) => ['-o', '-name', name]).slice(1)], {
    encoding: 'latin1',
  })

describe('where no path leads to', () => {
  test.each(CASES)('%s that a command leaves is moved aside and told: %s', async (_what, _where, script) => {
    service.write('plant.mjs', script)
    const fault = await faultOf(service.call(runTest, { target: 'plant.mjs' }))
    expect([fault.code, fault.violation?.violation_type]).toEqual(['SecurityError', 'planted_repository'])
    expect(fault.details).toMatchObject({ stdout: 'made\n' })
    execFileSync('chmod', ['-R', 'u+rwx', service.root])
    expect(found('.git', '.flow', 'HEAD')).toBe('')
    expect((await service.call(runTest, { target: 'ok.mjs' })).stdout).toBe('1\n')
  })

  test('what is harmless stays, and commands run beside it', async () => {
    service.write('make.mjs', goAnd(WAYS['a path that is too long'], `fs.writeFileSync(at('a.txt'), '')`))
    expect((await service.call(runTest, { target: 'make.mjs' })).stdout).toBe('made\n')
    const odd = Buffer.concat([Buffer.from(`${service.root}/`), Buffer.from([0xff])])
    mkdirSync(odd)
    expect((await service.call(runTest, { target: 'ok.mjs' })).stdout).toBe('1\n')
    expect(found('a.txt')).not.toBe('')
    // What is closed cannot be covered there.
    writeFileSync(Buffer.concat([odd, Buffer.from('/.env')]), 'A=1\n')
    const fault = await faultOf(service.call(runTest, { target: 'ok.mjs' }))
    expect(fault.code).toBe('NotSupported')
    expect(fault.message).toContain('whose name is no text')
  })
})
