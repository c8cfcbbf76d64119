import { runGit } from '../../src/domains/toolbox/git/git-project.fixture.ts'
import { putLink, type World } from './world.ts'

/** Files of a folder that git is busy with for a while. */
const MANY = 300
/** The file that tells an attack that git has begun. */
export const FIRST = 'd/a0003'
const PADDING = `${'so that git has something to do '.repeat(40)}\n`

/** A configuration that runs a program when git looks at a work tree. */
export function planted(world: Pick<World, 'ran'>, more = ''): string {
  return `[core]\n\trepositoryformatversion = 0\n\tbare = false\n${more}\tfsmonitor = "touch ${world.ran}; true"\n`
}

/** A program as a hook. */
export function plantedHook(world: Pick<World, 'ran'>): string {
  return `#!/bin/sh\ntouch ${world.ran}\n`
}

/** A folder that is mounted after all the others, for its name is the longest. */
export const LONG = 'a-folder-whose-name-is-so-long-that-it-comes-last'

/** Where that folder leads to, a link, on the branches `lay-…`. */
export const LAID = {
  outside: '../../../outside',
  shared: '../../shared_contracts',
  toolchain: '../../../toolchain',
  home: '../../../home/canary',
  sibling: '../pay',
} as const

/**
 * Makes the branches that the attacks switch to. `work` is the one that the agent is on, `main` the owner's,
 * which nothing here may move.
 */
export function commitBranches(world: World): void {
  const git = (...args: string[]) => runGit(world.project, args)
  git('init', '--quiet', '--initial-branch=main', '--template=')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'first')
  git('branch', 'work')
  const branch = (name: string, files: Record<string, string>) => {
    git('switch', '--quiet', '--create', name, 'main')
    git('rm', '-rq', 'services/web/d')
    for (const [path, content] of Object.entries({ ...many(), ...files })) world.put(path, content)
    git('add', '--all')
    git('commit', '--quiet', '--message', name)
  }
  // The common folder that a planted `commondir` leads to is a folder of the service.
  branch('wide-commondir', {
    'd/commondir': '../services/web/common\n',
    'common/config': planted(world),
    'common/objects/keep': '',
    'common/refs/keep': '',
  })
  branch('wide-pieces', {
    'd/config': planted(world),
    'd/config.worktree': planted(world),
    'd/hooks/post-index-change': plantedHook(world),
    'd/info/attributes': '* filter=planted\n',
    'd/objects/info/alternates': '/nonexistent\n',
    'd/refs/heads/main': `${'0'.repeat(39)}1\n`,
  })
  branch('wide-files', { 'd/f.txt': 'overwritten by the branch\n', 'd/sub/deep/x.txt': 'and this\n' })
  branch('bare', { 'p/config': planted(world, '\tworktree = ..\n'), 'p/objects/x': 'x\n', 'p/refs/x': 'x\n' })
  for (const [name, target] of Object.entries(LAID)) {
    git('switch', '--quiet', '--create', `lay-${name}`, 'main')
    git('rm', '-rq', `services/web/${LONG}`)
    putLink(world, LONG, target)
    git('add', '--all')
    git('commit', '--quiet', '--message', `lay ${name}`)
  }
  git('switch', '--quiet', 'work')
  git('pack-refs', '--all')
  git('gc', '--quiet', '--prune=now')
  git('update-ref', 'refs/heads/main', 'main')
}

function many(): Record<string, string> {
  const names = Array.from({ length: MANY }, (_, index) => `d/a${String(index).padStart(4, '0')}`)
  return Object.fromEntries(names.map((name) => [name, `${name}\n${PADDING}`]))
}
