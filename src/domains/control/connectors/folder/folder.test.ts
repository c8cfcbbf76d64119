import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { collectBrokenOff, collectPages, openTestSource } from '../source.fixture.ts'
import { folderCollector } from './collector.ts'
import { findContent, toNote } from './read-note.ts'
import { walkNotes } from './walk-notes.ts'

const GONE = { recursive: true, force: true }
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'knowtation-folder-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (path: string, text: string | Buffer) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
const open = (signal?: AbortSignal) => openTestSource({ settings: { folder }, ...(signal && { signal }) })

describe('a notes folder', () => {
  test('gives its notes, then what has changed in it, and tells what is gone', async () => {
    write('one.md', '---\ntitle: "First"\n---\n# Not this\ntext')
    write('sub/two.txt', 'plain')
    write('sub/three.md', '# Third\nmore')
    write('picture.png', 'no note')
    write('.hidden/four.md', 'unseen')
    await using source = open()
    const first = await collectPages(folderCollector, source)
    expect([...first.records.keys()]).toEqual(['notes:one.md', 'notes:sub/three.md', 'notes:sub/two.txt'])
    expect(first.records.get('notes:one.md')).toMatchObject({ path: 'one.md', title: 'First', is_cut: false })
    expect(first.records.get('notes:sub/three.md')).toMatchObject({ title: 'Third', text: '# Third\nmore' })
    expect(first.records.get('notes:sub/two.txt')).toMatchObject({ title: 'two' })
    expect((await collectPages(folderCollector, source, { before: first })).upserted).toEqual([])

    write('one.md', 'changed')
    rmSync(join(folder, 'sub/two.txt'))
    renameSync(join(folder, 'sub/three.md'), join(folder, 'sub/moved.md'))
    const later = await collectPages(folderCollector, source, { before: first })
    expect(later.upserted).toEqual(['notes:one.md', 'notes:sub/moved.md'])
    expect(later.removed.toSorted()).toEqual(['notes:sub/three.md', 'notes:sub/two.txt'])
  })

  test('gives what is left when a folder in it goes while it is read', async () => {
    write('a.md', 'stays')
    write('sub/b.md', 'goes')
    const { signal } = new AbortController()
    // Asked at each name that is listed: the folder was seen by then, and not yet opened.
    const during = Object.assign(signal, { throwIfAborted: () => rmSync(join(folder, 'sub'), GONE) })
    expect((await walkNotes(folder, during)).map(({ path }) => path)).toEqual(['a.md'])
  })

  test('is not left through a folder that becomes a link while it is read', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'knowtation-outside-'))
    writeFileSync(join(outside, 'secret.md'), 'sentinel')
    write('a.md', 'stays')
    write('sub/secret.md', 'a note')
    const swap = () => {
      rmSync(join(folder, 'sub'), GONE)
      symlinkSync(outside, join(folder, 'sub'))
    }
    // As above: between the listing of the folder and its opening.
    const { signal } = new AbortController()
    const during = Object.assign(signal, { throwIfAborted: swap })
    expect((await walkNotes(folder, during)).map(({ path }) => path)).toEqual(['a.md'])
    // And between the listing of a note and its reading.
    const note = { path: 'sub/secret.md', modified_ms: 0, size_bytes: 8 }
    expect(await findContent(folder, note)).toBeUndefined()
    rmSync(outside, GONE)
  })

  test('tells no size and no time of what lies behind a link that came while it was read', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'knowtation-outside-'))
    writeFileSync(join(outside, 'a.md'), 'a sentinel of some length')
    write('sub/a.md', 'a note')
    const { signal } = new AbortController()
    let asked = 0
    // Asked for the second time at the note: its folder is being listed then.
    const swap = () => {
      if (++asked !== 2) return
      renameSync(join(folder, 'sub'), join(folder, 'aside'))
      symlinkSync(outside, join(folder, 'sub'))
    }
    const found = await walkNotes(folder, Object.assign(signal, { throwIfAborted: swap }))
    expect(found).toMatchObject([{ path: 'sub/a.md', size_bytes: 'a note'.length }])
    rmSync(outside, GONE)
  })

  test('says that a folder in it is closed, and takes nothing in it for gone', () => {
    mkdirSync(join(folder, 'closed'), { mode: 0 })
    chmodSync(folder, 0o755)
    const code = `import { folderCollector } from ${JSON.stringify(import.meta.resolve('./collector.ts'))}
      if (process.getuid() === 0) process.setuid(65534)
      const source = { settings: { folder: ${JSON.stringify(folder)} }, signal: new AbortController().signal }
      await folderCollector.probe(source).catch(({ code, message }) => console.log(code, message))`
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' })
    expect(said).toBe(
      'refused A folder in it may not be read. Let the user of the hub read it, or move it.\n',
    )
  })

  test('gives a note whose time no calendar has', () => {
    const note = { path: 'a.md', modified_ms: 1e17, size_bytes: 2 }
    expect(toNote(note, Buffer.from('hi'))).toMatchObject({ modified_at: '+275760-09-13T00:00:00.000Z' })
    const early = { ...note, modified_ms: -1e17 }
    expect(toNote(early, Buffer.from('hi'))).toMatchObject({ modified_at: '-271821-04-20T00:00:00.000Z' })
  })

  test('takes a touched file for no change, and a changed one of the same size for one', async () => {
    write('a.md', 'same')
    write('b.md', 'aaaa')
    await using source = open()
    const first = await collectPages(folderCollector, source)
    utimesSync(join(folder, 'a.md'), new Date(), new Date(Date.now() + 10_000))
    write('b.md', 'bbbb')
    utimesSync(join(folder, 'b.md'), new Date(), new Date(Date.now() + 10_000))
    const later = await collectPages(folderCollector, source, { before: first })
    expect(later.upserted).toEqual(['notes:b.md'])
    expect(later.checkpoint).not.toEqual(first.checkpoint)
  })

  test('goes on where it was broken off', async () => {
    for (let n = 0; n < 1_150; n++) write(`${n % 7}/${n}.md`, `note ${n}`)
    await using source = open()
    const { whole, broken } = await collectBrokenOff(folderCollector, source)
    expect([whole.records.size, broken.length]).toEqual([1_150, 2])
    expect(whole.pages[0]).toMatchObject({ total: 1_150 })
    for (const { records, upserted } of broken) {
      expect(records).toEqual(whole.records)
      expect(new Set(upserted).size).toBe(upserted.length)
    }
  })

  test('is neither left through a link nor walked in a circle, and a pipe does not hold it up', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'knowtation-outside-'))
    writeFileSync(join(outside, 'secret.md'), 'sentinel')
    write('a/note.md', 'in')
    symlinkSync('..', join(folder, 'a', 'up'))
    symlinkSync(outside, join(folder, 'out'))
    symlinkSync(join(outside, 'secret.md'), join(folder, 'secret.md'))
    execFileSync('mkfifo', [join(folder, 'pipe.md')])
    await using source = open()
    const { records } = await collectPages(folderCollector, source)
    expect([...records.keys()]).toEqual(['notes:a/note.md'])
    rmSync(outside, { recursive: true })
  })

  test('in a project where agents work is reached through no link there, but through the owner\u2019s', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'knowtation-outside-'))
    writeFileSync(join(outside, 'secret.md'), 'sentinel')
    write('project/.flow/config.json', '{}')
    write('project/docs/notes/a.md', 'in')
    symlinkSync('project', join(folder, 'alias'))
    const named = join(folder, 'alias/docs/notes')
    await using source = openTestSource({ settings: { folder: named } })
    const { records } = await collectPages(folderCollector, source)
    expect([...records.keys()]).toEqual(['notes:a.md'])
    for (const moved of ['project/docs/notes', 'project/docs']) {
      rmSync(join(folder, moved), GONE)
      symlinkSync(outside, join(folder, moved))
      await expect(collectPages(folderCollector, source)).rejects.toMatchObject({ code: 'refused' })
    }
    rmSync(outside, { recursive: true })
  })

  test('lists a huge file without its text, and bytes that are no text as far as they can be read', async () => {
    write('huge.md', '')
    truncateSync(join(folder, 'huge.md'), 300 * 1024 * 1024)
    write('bytes.txt', Buffer.from([0xff, 0xfe, 0, 0x41]))
    write('__proto__.md', 'odd name')
    await using source = open()
    const { records } = await collectPages(folderCollector, source)
    expect(records.get('notes:huge.md')).toMatchObject({ text: '', is_cut: true, size_bytes: 314_572_800 })
    expect(records.get('notes:bytes.txt')?.text).not.toContain('\0')
    expect(records.has('notes:__proto__.md')).toBe(true)
  })

  test('that is missing, no folder, or not named in full cannot be used', async () => {
    write('file.md', 'x')
    for (const [name, code] of [
      [join(folder, 'missing'), 'not_found'],
      [join(folder, 'file.md'), 'not_found'],
      ['relative', 'needs_attention'],
    ] as const) {
      await using source = openTestSource({ settings: { folder: name } })
      await expect(folderCollector.probe(source)).rejects.toMatchObject({ code })
    }
  })

  test('stops at once when the run is cancelled', async () => {
    write('a.md', 'x')
    const cancel = new AbortController()
    await using source = open(cancel.signal)
    cancel.abort(new Error('enough'))
    await expect(collectPages(folderCollector, source)).rejects.toEqual(new Error('enough'))
  })
})

test('a watched folder tells of new, changed and removed notes, also in new folders, until it is let go', async () => {
  write('a.md', 'x')
  await using source = open()
  const told: string[] = []
  const stop = folderCollector.watch?.(source, () => told.push('change'))
  const changes = [
    () => write('new/deep/b.md', 'y'),
    () => write('a.md', 'changed'),
    () => rmSync(join(folder, 'new/deep/b.md')),
  ]
  // Nothing says when watching has begun: the first change is made until it is seen.
  for (let tries = 0; told.length === 0 && tries < 200; tries++) {
    write('first.md', `try ${tries}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  for (const change of changes) {
    // What belongs to the change before must have come in.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    told.length = 0
    change()
    await expect.poll(() => told.length, { timeout: 15_000 }).toBeGreaterThan(0)
  }
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  await stop?.()
  told.length = 0
  write('c.md', 'z')
  await new Promise((resolve) => setTimeout(resolve, 800))
  expect(told).toEqual([])
})
