import { execFileSync } from 'node:child_process'
import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type IndexProject, makeIndexProject } from './index-project.fixture.ts'

const NOTES = {
  'docs/a.md': '# A\n\nAn otter.\n',
  'docs/b.md': '# B\n\nA badger.\n',
  'src/c.ts': 'export const c = 1\n',
}

describe('a run', () => {
  test('reads only what may have changed, and is not deceived by equal sizes and times', async () => {
    using project = makeIndexProject(NOTES)
    const path = join(project.root, 'docs/a.md')
    await project.run()
    writeFileSync(path, readFileSync(path))
    expect(await project.run()).toMatchObject({ mode: 'delta', embedded: 0, removed: 0 })
    for (const text of ['The lynx one.\n', 'The lynx two.\n', 'The lynx six.\n']) {
      writeFileSync(path, text)
      expect(await project.run()).toMatchObject({ embedded: 1 })
    }
    const { atime, mtime } = statSync(path)
    writeFileSync(path, 'The lynx ten.\n')
    utimesSync(path, atime, mtime)
    expect(await project.run()).toMatchObject({ embedded: 1 })
  })

  test('over single paths does what one over all would do', async () => {
    const names = ['a.md', 'b.md', 'sub/c.md', 'sub/deep/d.md', 'sub']
    const step = fc.record({
      path: fc.constantFrom(...names),
      content: fc.option(fc.constantFrom('# One\n\nkoala\n', '# Two\n\nkoala\n', 'bin\0ary'), {
        nil: undefined,
      }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { maxLength: 4 }),
        async (rounds) => {
          using project = makeIndexProject(NOTES)
          await project.run()
          for (const round of rounds) {
            for (const { path, content } of round) applyStep(project, path, content)
            await project.run({ paths: round.map(({ path }) => path) })
          }
          const by_paths = project.manifest()
          const found = (await project.find('koala')).toSorted()
          expect(await project.run()).toMatchObject({ embedded: 0, removed: 0, warnings: [] })
          expect(project.manifest()).toEqual(by_paths)
          await project.run({ rebuild: true })
          expect(project.manifest()).toEqual(by_paths)
          expect((await project.find('koala')).toSorted()).toEqual(found)
        },
      ),
      { numRuns: 15 },
    )
  }, 60_000)

  test('over single paths takes a folder that came or went, and what a new .gitignore says', async () => {
    using project = makeIndexProject({ ...NOTES, '.git/HEAD': 'x' })
    await project.run()
    renameSync(join(project.root, 'docs'), join(project.root, 'papers'))
    expect(await project.run({ paths: ['docs', 'papers'] })).toMatchObject({ embedded: 2, removed: 2 })
    expect(project.manifest()).toEqual(project.hashes('papers/a.md', 'papers/b.md', 'src/c.ts'))
    project.write('.gitignore', 'papers/\n')
    await project.run({ paths: ['.gitignore'] })
    expect(Object.keys(project.manifest())).toEqual(['.gitignore', 'src/c.ts'])
    project.write('papers/new.md', 'x\n')
    expect(await project.run({ paths: ['papers/new.md', '../escape', '/etc/passwd', ''] })).toMatchObject({
      embedded: 0,
    })
  })
})

function applyStep(project: IndexProject, path: string, content: string | undefined): void {
  project.remove(path)
  // A name that is a folder in one step may be a file in the next.
  const parts = path.split('/')
  for (let depth = 1; depth < parts.length; depth += 1) {
    const above = join(project.root, ...parts.slice(0, depth))
    if (statSync(above, { throwIfNoEntry: false })?.isFile()) return
  }
  if (content !== undefined) project.write(path, content)
}

const DAMAGES: Record<string, (place: IndexProject['place']) => void> = {
  'a manifest that is no JSON': ({ manifest }) => writeFileSync(manifest, 'not json'),
  'a manifest of another form': ({ manifest }) => writeFileSync(manifest, '{"a": 5}'),
  'a manifest cut short': ({ manifest }) => truncateSync(manifest, 100),
  'a manifest that is a link': ({ manifest }) => {
    rmSync(manifest)
    symlinkSync('/etc/passwd', manifest)
  },
  'an index that is no database': ({ index }) => writeFileSync(index, 'x'.repeat(10_000)),
  'an index cut short': ({ index }) => truncateSync(index, 5_000),
  'an index overwritten in its midst': ({ index }) => {
    const bytes = readFileSync(index)
    writeFileSync(index, bytes.fill(0xff, 8_192, bytes.length - 4_096))
  },
  'an index of another form': ({ index }) => {
    const db = new BetterSqlite(index)
    db.pragma('user_version = 77')
    db.close()
  },
}

describe('an index that is damaged', () => {
  test.each(Object.entries(DAMAGES))('by %s is made anew with a warning', async (_, damage) => {
    using project = makeIndexProject(NOTES)
    await project.run()
    const before = project.manifest()
    damage(project.place)
    const told = await project.run()
    expect(told.mode).toBe('full')
    expect(told.warnings.join()).toMatch(/damaged/)
    expect(project.manifest()).toEqual(before)
    expect(statSync(project.place.manifest).isFile()).toBe(true)
    expect(await project.find('otter')).toEqual(['docs/a.md'])
  })

  test('or is not there is made anew', async () => {
    using project = makeIndexProject(NOTES)
    await project.run()
    for (const lose of [() => rmSync(project.place.index), () => truncateSync(project.place.index, 0)]) {
      lose()
      expect(await project.run()).toMatchObject({ mode: 'full', embedded: 3 })
      expect(project.manifest()).toEqual(project.hashes('docs/a.md', 'docs/b.md', 'src/c.ts'))
    }
  })

  test('by a manifest that tells of other content is not believed', async () => {
    using project = makeIndexProject(NOTES)
    await project.run()
    const before = project.manifest()
    writeFileSync(
      project.place.manifest,
      JSON.stringify({ 'docs/a.md': 'f'.repeat(64), gone: 'a'.repeat(64) }),
    )
    const told = await project.run()
    expect(told.warnings.join()).toMatch(/manifest/)
    expect([told.embedded, project.manifest()]).toEqual([0, before])
  })

  test('by another embedder, or other redaction patterns, is made anew', async () => {
    using project = makeIndexProject({ ...NOTES, 'z.md': 'The mark is zz-abcdef0123456789.\n' })
    await project.run()
    const db = new BetterSqlite(project.place.index)
    db.prepare("UPDATE facts SET value = 'other' WHERE name = 'embedder'").run()
    db.close()
    expect(await project.run()).toMatchObject({ mode: 'full', embedded: 4 })
    expect(await project.run({ redact_patterns: ['zz-...'] })).toMatchObject({ mode: 'full', embedded: 4 })
    expect(readFileSync(project.place.index).includes('zz-abcdef')).toBe(false)
  })
})

describe('a tree made to stop the indexer', () => {
  test('does not: what cannot be indexed is left out, with its reason', async () => {
    using project = makeIndexProject(NOTES)
    const at = (path: string) => join(project.root, path)
    symlinkSync('.', at('docs/loop'))
    symlinkSync('../..', at('docs/up'))
    symlinkSync('/etc/passwd', at('docs/passwd.md'))
    symlinkSync('nowhere', at('docs/dangling.md'))
    symlinkSync('self.md', at('docs/self.md'))
    execFileSync('mkfifo', [at('docs/pipe.md')])
    linkSync(at('docs/a.md'), at('docs/second-name.md'))
    project.write('docs/binary.md', Buffer.from([0x23, 0, 1, 2]))
    project.write('docs/latin.md', Buffer.from([0xe9, 0xe8, 0x0a]))
    project.write('docs/huge.md', 'x '.repeat(700_000))
    project.write('docs/long-line.md', 'word '.repeat(200_000))
    project.write('docs/empty.md', '')
    project.write('docs/odd \u{1f980} name.md', 'A crab.\n')
    writeFileSync(
      Buffer.concat([Buffer.from(at('docs/')), Buffer.from([0xff, 0xfe]), Buffer.from('.md')]),
      'x',
    )
    project.write('docs/new\nline.md', 'x')
    const socket = createServer().listen(at('docs/socket.md'))
    await new Promise((resolve) => socket.once('listening', resolve))
    let deep = 'deep'
    for (let depth = 0; depth < 300; depth += 1) {
      mkdirSync(at(deep), { recursive: true })
      deep += '/d'
      if (deep.length > 3_000) break
    }
    const told = await project.run()
    expect(Object.fromEntries(project.skipped)).toEqual({
      'docs/loop': 'link',
      'docs/up': 'link',
      'docs/passwd.md': 'link',
      'docs/dangling.md': 'link',
      'docs/self.md': 'link',
      'docs/pipe.md': 'special_file',
      'docs/socket.md': 'special_file',
      'docs/a.md': 'hard_link',
      'docs/second-name.md': 'hard_link',
      'docs/binary.md': 'binary',
      'docs/latin.md': 'binary',
      'docs/huge.md': 'too_large',
    })
    expect(told.skipped).toEqual({ link: 5, special_file: 2, hard_link: 2, binary: 2, too_large: 1 })
    const indexed = [
      'docs/b.md',
      'docs/empty.md',
      'docs/long-line.md',
      'docs/odd \u{1f980} name.md',
      'src/c.ts',
    ]
    expect(project.manifest()).toEqual(project.hashes(...indexed))
    expect(await project.run()).toMatchObject({ embedded: 0, skipped: told.skipped })
    socket.close()
  }, 60_000)

  test('that changes all the while is indexed as it is at the end', async () => {
    using project = makeIndexProject()
    for (let at = 0; at < 60; at += 1) project.write(`docs/n${at}.md`, `# Note ${at}\n`)
    let turns = 0
    const churn = setInterval(() => {
      const at = turns++ % 60
      if (turns % 3 === 0) project.remove(`docs/n${at}.md`)
      else project.write(`docs/n${at}.md`, `# Turn ${turns}\n`)
    }, 1)
    for (let round = 0; round < 3; round += 1) await project.run()
    clearInterval(churn)
    await project.run()
    const left = Array.from({ length: 60 }, (_, at) => `docs/n${at}.md`).filter((path) =>
      statSync(join(project.root, path), { throwIfNoEntry: false }),
    )
    expect(project.manifest()).toEqual(project.hashes(...left))
  })

  test('and a file that became a link, a folder or too large is out of the index', async () => {
    using project = makeIndexProject({ ...NOTES, 'docs/d.md': 'A dingo.\n' })
    await project.run()
    for (const path of ['docs/a.md', 'docs/b.md', 'docs/d.md']) project.remove(path)
    symlinkSync('/etc/passwd', join(project.root, 'docs/a.md'))
    project.write('docs/b.md/inner.md', 'A bison.\n')
    project.write('docs/d.md', 'x'.repeat(1_048_577))
    expect(await project.run()).toMatchObject({ removed: 3, embedded: 1 })
    expect(project.manifest()).toEqual(project.hashes('docs/b.md/inner.md', 'src/c.ts'))
    expect(await project.find('dingo')).toEqual([])
  })

  test('never brings a secret into the index', async () => {
    const token = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`
    using project = makeIndexProject({
      'docs/a.md': `The token is ${token}.\n`,
      'src/b.ts': `const k = 'hunter2-of-the-hub'\n`,
      'c.ipynb': '{"cells": [{"cell_type": "code", "source": ["k = \\u0068unter2-of-the-hub"]}]}',
    })
    const modes = new Set<number>()
    await project.run({ environment: { SECRET_KEY: 'hunter2-of-the-hub' } }, () => {
      for (const end of ['', '-wal', '-shm']) modes.add(statSync(`${project.place.index}${end}`).mode & 0o777)
    })
    expect([...modes]).toEqual([0o600])
    expect(Object.keys(project.manifest())).toHaveLength(3)
    const bytes = readFileSync(project.place.index)
    for (const secret of [token, 'hunter2-of-the-hub']) expect(bytes.includes(secret), secret).toBe(false)
    expect(statSync(project.place.index).mode & 0o777).toBe(0o600)
  })

  test('that is gone when the run begins does not come back', async () => {
    using project = makeIndexProject(NOTES)
    rmSync(project.root, { recursive: true })
    await expect(project.run()).rejects.toThrow(/ENOENT/)
    expect(statSync(project.root, { throwIfNoEntry: false })).toBeUndefined()
  })

  test('whose .flow is a link is refused, and nothing is written there', async () => {
    using project = makeIndexProject(NOTES)
    using other = makeIndexProject()
    symlinkSync(other.root, join(project.root, '.flow'))
    await expect(project.run()).rejects.toThrow(/not a folder/)
    expect(statSync(join(other.root, 'rag_index.db'), { throwIfNoEntry: false })).toBeUndefined()
  })
})
