import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PACKAGE_FOLDER } from '../../src/platform/basics/package-folder.ts'
import { loadAllCommands } from '../../src/surfaces/cli/load-commands.ts'
import { cliAt } from '../../src/surfaces/cli/run-cli.fixture.ts'

const run = promisify(execFile)

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'knowtation-services-'))
  chmodSync(folder, 0o755)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const serviceFile = async (kind: string) =>
  (await cliAt(join(folder, 'home'))(['quickstart', '--service', kind])).stdout

/** What the program is started with has to be what it takes. */
async function checkServe(words: string[]): Promise<void> {
  const [, program, command, ...flags] = words
  expect([program, command]).toEqual([join(PACKAGE_FOLDER, 'bin/knowtation.js'), 'serve'])
  const serve = (await loadAllCommands()).find((one) => one.words.join() === 'serve')
  const known = serve?.flags.map(({ name }) => `--${name}`)
  expect(known).toEqual(expect.arrayContaining(flags.filter((word) => word.startsWith('--'))))
}

test('the unit names the Node and the program of this machine, and systemd finds no fault in it', async () => {
  const text = await serviceFile('systemd')
  const [, start = ''] = /^ExecStart=(.*)$/m.exec(text) ?? []
  expect(start.split(' ')[0]).toBe(process.execPath)
  await checkServe(start.split(' '))
  // It is to be a user of its own, which this machine may not have.
  const file = join(folder, 'knowtation.service')
  writeFileSync(file, text.replace(/^(User|Group)=.*$/gm, '$1=daemon'))
  const { stdout, stderr } = await run('systemd-analyze', ['verify', '--man=no', file])
  expect(`${stdout}${stderr}`.split('\n').filter((line) => line.includes('knowtation.service'))).toEqual([])
})

test('the unit as it is handed out runs no Node that an install script fetched', () => {
  const text = readFileSync(join(PACKAGE_FOLDER, 'deploy/systemd/knowtation.service'), 'utf8')
  expect(text).toMatch(
    /^ExecStart=\/usr\/bin\/node \/usr\/lib\/node_modules\/knowtation\/bin\/knowtation\.js serve --log json$/m,
  )
  expect(text).toMatch(/^User=knowtation$/m)
  // What the sandbox of commands needs is not taken from it.
  expect(text).not.toMatch(
    /^(RestrictNamespaces|ProtectProc|ProtectKernelTunables|PrivateDevices|MemoryDenyWriteExecute)=/m,
  )
})

test('the file for launchd is a property list that starts the hub as a user of its own', async () => {
  const file = join(folder, 'hub.plist')
  writeFileSync(file, await serviceFile('launchd'))
  const script = 'import json,plistlib,sys; print(json.dumps(plistlib.load(open(sys.argv[1],"rb"))))'
  const list = JSON.parse((await run('python3', ['-c', script, file])).stdout)
  expect(list).toMatchObject({
    Label: 'store.knowtation.hub',
    UserName: '_knowtation',
    Umask: 0o77,
    RunAtLoad: true,
    KeepAlive: { SuccessfulExit: false },
  })
  expect(list.ProgramArguments[0]).toBe(process.execPath)
  await checkServe(list.ProgramArguments)
  expect(list.WorkingDirectory).toBe(list.EnvironmentVariables.KNOWTATION_HOME)
})

test('any other service is not known', async () => {
  expect(await cliAt(join(folder, 'home'))(['quickstart', '--service', 'init'])).toMatchObject({ exit: 2 })
})

/** A hub where nothing can be written but its home and /tmp, as a container with a read-only file system has it. */
const READ_ONLY = [
  '--ro-bind',
  '/',
  '/',
  '--dev',
  '/dev',
  '--proc',
  '/proc',
  '--tmpfs',
  '/tmp',
  '--unshare-pid',
]

test('a hub starts, answers and stops where its home is all that can be written', async () => {
  const home = join(folder, 'kept')
  mkdirSync(home, { mode: 0o700 })
  const inside = `
    node ${join(PACKAGE_FOLDER, 'src/main.ts')} serve --port 0 --log json > "$HOME/ready" 2> "$HOME/log" & hub=$!
    until grep -q ready "$HOME/ready"; do sleep 0.1; kill -0 $hub || exit 9; done
    node ${join(PACKAGE_FOLDER, 'src/main.ts')} flow list && touch /usr/not-written 2>&1
    kill -TERM $hub; wait $hub; echo "ended with $?"`
  const words = [
    ...READ_ONLY,
    // The checkout may lie in the folder for temporary files, which is another one there.
    '--ro-bind',
    PACKAGE_FOLDER,
    PACKAGE_FOLDER,
    '--bind',
    home,
    home,
    '--setenv',
    'HOME',
    home,
    '--setenv',
    'KNOWTATION_HOME',
    home,
  ]
  const env = { PATH: `${join(process.execPath, '..')}:/usr/bin:/bin` }
  const { stdout } = await run('bwrap', [...words, 'bash', '-c', inside], { env })
  expect(stdout).toContain('flow_research_brief')
  expect(stdout).toContain('ended with 0')
}, 60_000)

test('where no namespaces can be had, the doctor says that no commands are run, and why', async () => {
  const home = join(folder, 'jailed')
  mkdirSync(home, { mode: 0o700 })
  const closed = ['--unshare-user', '--disable-userns', '--dev-bind', '/', '/', '--cap-drop', 'ALL']
  const words = [...closed, process.execPath, join(PACKAGE_FOLDER, 'src/main.ts'), 'doctor', '--home', home]
  const { stdout } = await run('bwrap', words)
  expect(stdout).toMatch(/off +sandbox +tools run no commands: /)
  expect(stdout).toContain('in a container')
}, 60_000)
