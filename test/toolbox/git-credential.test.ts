import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeGitProject, runGit, writeAt } from '../../src/domains/toolbox/git/git-project.fixture.ts'
import { pushConfig } from '../../src/domains/toolbox/git/git-push.ts'
import { findCredential } from '../../src/domains/toolbox/git/push-credential.ts'
import { findRemoteAddress, type RemoteAddress } from '../../src/domains/toolbox/git/remote-address.ts'
import { readSettings } from '../../src/domains/toolbox/git/trusted-config.ts'

function address(text: string): RemoteAddress {
  return findRemoteAddress(text) as RemoteAddress
}

describe('the credential of a push', () => {
  test('goes to its own host only', async () => {
    await using project = makeGitProject()
    writeAt(join(project.base, 'home/git-credentials/git.example'), 'bot:a-token\n')
    chmodSync(join(project.base, 'home/git-credentials/git.example'), 0o600)
    const home = join(project.base, 'home')
    expect(findCredential(home, address('https://git.example.evil/x'))).toBeUndefined()
    expect(findCredential(home, address('git@git.example:x'))).toBeUndefined()
    const remote = address('https://Git.Example/team/x.git')
    const credential = findCredential(home, remote)
    const text = pushConfig(
      { settings: readSettings([]) },
      { name: 'origin', remote, is_in_policy: true },
      credential,
    )
    const file = join(project.base, 'push.config')
    writeFileSync(file, text)
    const header = (url: string) =>
      runGit(project.base, ['config', '-f', file, '--get-urlmatch', 'http.extraHeader', url])
    expect(header('https://git.example/team/x.git').trim()).toBe(
      `Authorization: Basic ${Buffer.from('bot:a-token').toString('base64')}`,
    )
    for (const other of ['https://evil.example/', 'http://git.example/', 'https://git.example:444/']) {
      expect(() => header(other), other).toThrow()
    }
  })

  test('that others may read, or that is no credential, is refused', async () => {
    await using project = makeGitProject()
    const home = join(project.base, 'home')
    const path = join(home, 'git-credentials/git.example')
    const remote = address('https://git.example/x')
    writeAt(path, 'bot:a-token\n')
    expect(() => findCredential(home, remote)).toThrow(expect.objectContaining({ code: 'ConfigDamaged' }))
    chmodSync(path, 0o600)
    expect(findCredential(home, remote)?.secrets).toContain('a-token')
    for (const wrong of ['', 'a-token', 'bot:a\r\nX: y', 'a:b\nc:d']) {
      writeFileSync(path, wrong)
      expect(() => findCredential(home, remote), wrong).toThrow(
        expect.objectContaining({ code: 'ConfigDamaged' }),
      )
    }
  })
})
