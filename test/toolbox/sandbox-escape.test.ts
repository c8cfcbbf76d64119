import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeService, type TestService } from './commands-service.fixture.ts'
import { runHostile } from './sandbox-hostile.fixture.ts'

let service: TestService
beforeEach(() => {
  service = makeService()
})
afterEach(() => service.remove())

test('writes outside the service fail, or stay in the private /tmp', async () => {
  const system = ['/x', '/usr/x', '/etc/x', '/work/x', '/dev/x', '/proc/sys/kernel/x']
  const near = [
    join(service.project, 'planted'),
    join(service.other, 'planted'),
    join(service.project, 'contracts', 'x'),
  ]
  const seen = await runHostile(
    service,
    [...system, ...near]
      .map((path) => `attempt('${path}', () => fs.writeFileSync('${path}', 'x'))`)
      .join('\n'),
  )
  for (const path of system) expect(['EROFS', 'ENOENT', 'EACCES'], path).toContain(seen[path])
  expect(seen[join(service.project, 'contracts', 'x')]).toBe('EROFS')
  expect(near.filter((path) => existsSync(path))).toEqual([])
})

test('the settings of the kernel cannot be written, not even by the host’s root', async () => {
  const before = readFileSync('/proc/sys/vm/overcommit_ratio', 'utf8')
  const seen = await runHostile(
    service,
    `
    attempt('write', () => fs.writeFileSync('/proc/sys/vm/overcommit_ratio', ${JSON.stringify(before)}))
    attempt('mounts', () => fs.readFileSync('/proc/mounts', 'utf8').split('\\n').find((l) => l.startsWith('proc /proc ')))
  `,
  )
  expect(['EROFS', 'EACCES']).toContain(seen.write)
  expect(seen.mounts).toMatch(/ ro,/)
})

function read(name: string, path: string): string {
  return `attempt(${JSON.stringify(name)}, () => fs.readFileSync(${JSON.stringify(path)}, 'utf8'))`
}

test('nothing of the host can be read but the system and what is shared', async () => {
  writeFileSync(join(service.other, 'source.ts'), 'theirs')
  writeFileSync(join(service.project, 'contracts', 'api.yaml'), 'shared')
  writeFileSync(join(service.project, '.flow', 'config.json'), '{"secret":1}')
  writeFileSync(join(service.home, 'hub-token'), 'token')
  const seen = await runHostile(
    service,
    [
      read('shadow', '/etc/shadow'),
      read('other', join(service.other, 'source.ts')),
      read('policy', join(service.project, '.flow', 'config.json')),
      read('token', join(service.home, 'hub-token')),
      read('shared', join(service.project, 'contracts', 'api.yaml')),
      `attempt('homes', () => [...fs.readdirSync('/'), ...(fs.existsSync('/root') ? fs.readdirSync('/root') : [])])`,
      `attempt('passwd', () => fs.readFileSync('/etc/passwd', 'utf8').split('\\n').length)`,
    ].join('\n'),
  )
  expect(seen).toMatchObject({
    shadow: 'ENOENT',
    other: 'ENOENT',
    policy: 'ENOENT',
    token: 'ENOENT',
    shared: 'shared',
  })
  expect(seen.homes).not.toContain('.ssh')
  expect(seen.passwd).toBeLessThan(5)
})

test('neither the environment nor the command line of the hub can be seen', async () => {
  process.env.HUB_SECRET_FOR_TEST = 'never-seen-inside'
  try {
    const seen = await runHostile(
      service,
      `
      attempt('env', () => JSON.stringify(process.env))
      attempt('all', () => fs.readdirSync('/proc').filter((n) => /^\\d+$/.test(n)).map((n) => {
        try { return fs.readFileSync('/proc/' + n + '/environ', 'latin1') + fs.readFileSync('/proc/' + n + '/cmdline', 'latin1') } catch { return '' }
      }).join('|'))
      attempt('processes', () => fs.readdirSync('/proc').filter((n) => /^\\d+$/.test(n)).length)
    `,
    )
    expect(JSON.stringify(seen)).not.toContain('never-seen-inside')
    expect(seen.env).toContain('"CI":"1"')
    expect(String(seen.all)).not.toContain('vitest')
    expect(seen.processes).toBeLessThan(5)
  } finally {
    delete process.env.HUB_SECRET_FOR_TEST
  }
})

test('there is no network: not this machine’s, not the world’s, and no socket of a daemon', async () => {
  const server = createServer()
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as { port: number }
  const abstract = createServer()
  await new Promise<void>((listening) => abstract.listen('\0knowtation-escape-test', listening))
  try {
    const seen = await runHostile(
      service,
      `
      await connect('loopback', { host: '127.0.0.1', port: ${port} })
      await connect('world', { host: '192.0.2.1', port: 80 })
      await connect('abstract', { path: '\\0knowtation-escape-test' })
      await connect('docker', { path: '/var/run/docker.sock' })
      const own = net.createServer(); await new Promise((up) => own.listen(0, '127.0.0.1', up))
      await connect('own', { host: '127.0.0.1', port: own.address().port }); own.close()
    `,
    )
    expect(seen).toMatchObject({ loopback: 'ECONNREFUSED', world: 'ENETUNREACH', own: 'connected' })
    expect(['ECONNREFUSED', 'ENOENT']).toContain(seen.abstract)
    expect(seen.docker).toBe('ENOENT')
  } finally {
    server.close()
    abstract.close()
  }
})

test('tracing, namespaces, mounts, keys and odd sockets are refused by the kernel', async () => {
  const seen = await runHostile(
    service,
    `
    const call = (name, ...args) => {
      const code = '$r = syscall(' + args.join(',') + '); print $r < 0 ? -($!+0) : $r'
      seen[name] = spawnSync('perl', ['-e', code], { encoding: 'utf8' }).stdout
    }
    const x64 = process.arch === 'x64'
    call('ptrace', x64 ? 101 : 117, 0, 0, 0, 0)
    call('unshare', x64 ? 272 : 97, 0x10000000)
    call('clone', x64 ? 56 : 220, 0x10000011, 0, 0, 0, 0)
    call('keyctl', x64 ? 250 : 219, 0, -3, 1)
    call('io_uring', 425, 1, 0)
    call('mount', x64 ? 165 : 40, 0, 0, 0, 0, 0)
    call('vsock', x64 ? 41 : 198, 40, 1, 0)
    call('packet', x64 ? 41 : 198, 17, 3, 0)
    call('unix', x64 ? 41 : 198, 1, 1, 0)
  `,
  )
  expect(seen).toEqual({
    ptrace: '-1',
    unshare: '-1',
    clone: '-1',
    keyctl: '-1',
    io_uring: '-1',
    mount: '-1',
    vsock: '-97',
    packet: '-97',
    unix: '3',
  })
})

test('closed names that do not exist yet cannot be created, and leave no trace', async () => {
  const names = ['.env', '.env.local', '.npmrc', '.git', '.flow', 'secrets']
  const seen = await runHostile(
    service,
    names
      .map((name) => {
        const path = JSON.stringify(join(service.root, name))
        return `attempt('${name}', () => fs.writeFileSync(${path}, 'planted'))
          attempt('in ${name}', () => fs.writeFileSync(${path} + '/hooks', 'planted'))
          attempt('over ${name}', () => { fs.writeFileSync('seed', 'x'); fs.renameSync('seed', ${path}) })
          attempt('no ${name}', () => fs.rmSync(${path}, { recursive: true }))`
      })
      .join('\n'),
  )
  expect(Object.values(seen)).not.toContain('done')
  expect(readdirSync(service.root).toSorted()).toEqual(['hostile.mjs', 'seed'])
})

test('closed names that exist look empty and stay as they are, at any depth', async () => {
  service.write('.env', 'KEY=value-of-the-owner')
  service.write('deep/er/.env.production', 'KEY=deep-value')
  service.write('secrets/key.pem', 'pem-value')
  service.write('.flow/config.json', '{"tools":{}}')
  service.write('.npmrc', '//registry/:_authToken=npm-value')
  service.write('.git/config', '[remote]\nurl=https://user:git-value@host')
  service.write('.git/HEAD', 'ref: refs/heads/main')
  const seen = await runHostile(
    service,
    `
    for (const p of ['.env', 'deep/er/.env.production', '.npmrc', '.git/config']) {
      attempt('read ' + p, () => fs.readFileSync(p, 'utf8'))
      attempt('write ' + p, () => fs.writeFileSync(p, 'mine'))
      attempt('remove ' + p, () => fs.unlinkSync(p))
    }
    attempt('secrets', () => fs.readdirSync('secrets').join())
    attempt('flow', () => fs.readdirSync('.flow').join())
    attempt('edit flow', () => { fs.chmodSync('.flow', 0o755); fs.writeFileSync('.flow/config.json', '{}') })
    attempt('head', () => fs.readFileSync('.git/HEAD', 'utf8'))
    attempt('hook', () => { fs.mkdirSync('.git/hooks'); fs.writeFileSync('.git/hooks/pre-commit', 'x') })
    attempt('all', () => spawnSync('grep', ['-rsE', '(value-of-the-owner|deep-value|pem-value|npm-value|git-value)', '--exclude=hostile.mjs', '.'], { encoding: 'utf8' }).stdout)
  `,
  )
  expect(seen).toMatchObject({ secrets: '', flow: '', head: 'ref: refs/heads/main', all: '' })
  for (const path of ['.env', 'deep/er/.env.production', '.npmrc', '.git/config']) {
    expect(seen[`read ${path}`], path).toBe('')
    expect(['EROFS', 'EACCES', 'EBUSY'], path).toContain(seen[`write ${path}`])
    expect(['EROFS', 'EACCES', 'EBUSY'], path).toContain(seen[`remove ${path}`])
  }
  expect([seen['edit flow'], seen.hook]).not.toContain('done')
  expect(readFileSync(join(service.root, '.env'), 'utf8')).toBe('KEY=value-of-the-owner')
  expect(readFileSync(join(service.root, '.flow/config.json'), 'utf8')).toBe('{"tools":{}}')
})

test('a closed name that is a link shows nothing, and is put back when it was replaced', async () => {
  writeFileSync(join(service.project, 'common.env'), 'KEY=outside-value')
  service.write('real.txt', 'KEY=inside-value')
  symlinkSync('../../common.env', join(service.root, '.env'))
  symlinkSync('real.txt', join(service.root, '.env.local'))
  const seen = await runHostile(
    service,
    `
    attempt('outside', () => fs.readFileSync('.env', 'utf8'))
    attempt('inside', () => fs.readFileSync('.env.local', 'utf8'))
    fs.rmSync('.env'); fs.writeFileSync('.env', 'NODE_OPTIONS=--require=/tmp/x')
  `,
  )
  expect(seen).toEqual({ outside: 'ENOENT', inside: '' })
  expect(readlinkSync(join(service.root, '.env'))).toBe('../../common.env')
  expect(readFileSync(join(service.root, 'real.txt'), 'utf8')).toBe('KEY=inside-value')
})

test('links planted in the service lead nowhere outside, and hard links to the outside cannot be made', async () => {
  const seen = await runHostile(
    service,
    `
    fs.symlinkSync('/etc/shadow', 'shadow'); attempt('symlink', () => fs.readFileSync('shadow', 'utf8'))
    attempt('hard', () => fs.linkSync('/usr/bin/env', 'env'))
    attempt('etc', () => fs.linkSync('/etc/services', 'services'))
    attempt('fifo', () => spawnSync('mkfifo', ['pipe']).status)
    attempt('node', () => spawnSync('mknod', ['disk', 'b', '8', '0']).status)
  `,
  )
  expect(seen).toMatchObject({ symlink: 'ENOENT', hard: 'EXDEV', fifo: 0, node: 1 })
  expect(['EXDEV', 'ENOENT']).toContain(seen.etc)
  expect(lstatSync(join(service.root, 'pipe')).isFIFO()).toBe(true)
})

test('no file is left that runs as the user of the hub for somebody else', async () => {
  const seen = await runHostile(
    service,
    `fs.writeFileSync('sh', 'x', { mode: 0o755 })
    attempt('chmod', () => fs.chmodSync('sh', 0o4755))
    attempt('group', () => fs.chmodSync('sh', 0o2755))
    attempt('create', () => fs.writeFileSync('sh2', 'x', { mode: 0o4755 }))
    attempt('plain', () => fs.chmodSync('sh', 0o700))`,
  )
  expect(seen).toEqual({ chmod: 'EPERM', group: 'EPERM', create: 'EPERM', plain: 'done' })
  expect(lstatSync(join(service.root, 'sh')).mode & 0o7777).toBe(0o700)
})

test('no process outside can be seen or signalled, and what is left behind ends with the test', async () => {
  const mark = join(service.root, 'beat')
  const seen = await runHostile(
    service,
    `
    attempt('init', () => process.kill(1, 'SIGKILL'))
    attempt('hub', () => process.kill(${process.pid}, 0))
    const daemon = spawn('setsid', ['sh', '-c', 'while :; do date +%N > next; mv next beat; sleep 0.05; done'], { detached: true, stdio: 'ignore' })
    daemon.unref()
    await new Promise((go) => setTimeout(go, 500))
    attempt('beat', () => fs.readFileSync('beat', 'utf8').length > 1)
  `,
  )
  expect(seen).toMatchObject({ hub: 'ESRCH', beat: true })
  const last = readFileSync(mark, 'utf8')
  await new Promise((later) => setTimeout(later, 500))
  expect(readFileSync(mark, 'utf8')).toBe(last)
})

test('the private /tmp has an end, and nothing in it outlives the run', async () => {
  const seen = await runHostile(
    service,
    `
    const chunk = Buffer.alloc(16 * 1024 * 1024)
    attempt('fill', () => { for (let i = 0; i < 200; i++) fs.appendFileSync('/tmp/big', chunk) })
    attempt('size', () => fs.statSync('/tmp/big').size)
    attempt('others', () => fs.readdirSync('/tmp').length)
  `,
  )
  expect(seen.fill).toBe('ENOSPC')
  expect(seen.size).toBeLessThanOrEqual(512 * 1024 * 1024)
  expect(existsSync('/tmp/big')).toBe(false)
})
