import { join } from 'node:path'
import { runGit } from './git-project.fixture.ts'
import { type HostileCase, set } from './hostile-repositories.fixture.ts'

const PUSH = ['push', 'origin', 'main']

/** Repositories that turn against whoever pushes from them. */
export const HOSTILE_REMOTES: readonly HostileCase[] = [
  {
    name: 'an ext:: remote',
    plant: (project, program) =>
      set(project, ['remote.origin.url', `ext::${program}`], ['protocol.ext.allow', 'always']),
    control: PUSH,
    codes: { git_push: 'ValidationError' },
  },
  {
    name: 'an address rewritten to ext::',
    plant(project, program) {
      set(project, ['remote.origin.url', 'https://127.0.0.1:9/x'], ['protocol.ext.allow', 'always'])
      set(project, [`url.ext::${program} .insteadOf`, 'https://'])
    },
    control: PUSH,
    codes: { git_push: 'CommandFailed' },
  },
  {
    name: 'an own address for pushing',
    plant(project, program) {
      set(project, ['remote.origin.url', 'https://127.0.0.1:9/x'], ['protocol.ext.allow', 'always'])
      set(project, ['remote.origin.pushurl', `ext::${program}`])
    },
    control: PUSH,
    codes: { git_push: 'CommandFailed' },
  },
  {
    name: 'core.sshCommand',
    plant: (project, program) =>
      set(project, ['remote.origin.url', 'ssh://git@127.0.0.1:9/x'], ['core.sshCommand', program]),
    control: PUSH,
    codes: { git_push: 'NotSupported' },
  },
  {
    name: "a receiving program of the remote's",
    plant(project, program) {
      runGit(project.base, ['init', '--quiet', '--bare', 'bare.git'])
      set(
        project,
        ['remote.origin.url', join(project.base, 'bare.git')],
        ['remote.origin.receivepack', program],
      )
    },
    control: PUSH,
    codes: { git_push: 'success' },
  },
  {
    name: 'a credential helper',
    plant: (project, program) =>
      set(project, ['remote.origin.url', 'https://127.0.0.1:9/x'], ['credential.helper', `!${program}`]),
    codes: { git_push: 'CommandFailed' },
  },
]
