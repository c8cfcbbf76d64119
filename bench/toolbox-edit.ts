import { closeSync, fdatasyncSync, mkdirSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { allOperations } from '../src/domains/index.ts'
import { openHub } from '../src/operations/hub.ts'
import { buildRegistry } from '../src/operations/registry.ts'
import { runOperation } from '../src/operations/run-operation.ts'
import { homeAt } from '../src/platform/basics/home.ts'
import { realSystem } from '../src/platform/basics/system.ts'
import { toolboxCaller } from '../src/platform/identity/caller.ts'
import { median } from './machine.ts'
import { sourceText } from './toolbox-project.ts'
import { tellVerdict } from './verdict.ts'

const EDITS = 300
const WARM = 60
const FILE_BYTES = 4_096

/** One edit through the pipeline, record and redaction included, against a bare write, sync and rename here. */
export async function compareDurableEdit(folder: string): Promise<void> {
  const project_root = join(folder, 'durable')
  const service_root = join(project_root, 'service')
  mkdirSync(service_root, { recursive: true })
  const text = sourceText(1, FILE_BYTES)
  const contentAt = (at: number) => `${text}const answer = ${at % 2}\n`
  writeFileSync(join(service_root, 'ours.ts'), contentAt(0))
  writeFileSync(join(service_root, 'bare.ts'), contentAt(0))
  const log = pino({ level: 'silent' })
  const hub = await openHub({
    home: homeAt(join(folder, 'durable-home'), {}),
    env: {},
    system: realSystem,
    log,
  })
  const operation = buildRegistry(allOperations).get('edit_file')
  if (!operation) throw new Error('there is no edit_file')
  const caller = toolboxCaller(
    'bench',
    'default',
    { project_root, service_root, role: 'dev', agent_id: 'bench' },
    'other',
  )
  const editOnce = async (at: number) => {
    const edits = [{ operation: 'replace', spec: `answer = ${at % 2}`, content: `answer = ${(at + 1) % 2}` }]
    const input = { path: 'ours.ts', edits }
    const { ok, text: answer } = await runOperation(hub, {
      operation,
      surface: 'mcp',
      caller,
      address: 'bench',
      vault: undefined,
      input,
    })
    if (!ok) throw new Error(answer)
  }
  const times = { ours: [] as number[], bare: [] as number[] }
  try {
    for (let at = 0; at < EDITS + WARM; at++) {
      const started = performance.now()
      writeDurably(join(service_root, 'bare.ts'), contentAt(at + 1))
      const between = performance.now()
      await editOnce(at)
      if (at < WARM) continue
      times.bare.push(between - started)
      times.ours.push(performance.now() - between)
    }
  } finally {
    await hub.close()
  }
  const [mine, bare] = [median(times.ours), median(times.bare)]
  console.log(
    `  durable edit ${(mine * 1_000).toFixed(0)} µs, bare write, sync and rename ${(bare * 1_000).toFixed(0)} µs`,
  )
  tellVerdict({
    name: 'durable edit against a bare write, sync and rename',
    measured: mine / bare,
    bar: '≤ 2.5',
    unit: '×',
  })
}

function writeDurably(path: string, content: string): void {
  const draft = `${path}.draft`
  const fd = openSync(draft, 'w')
  try {
    writeSync(fd, content)
    fdatasyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(draft, path)
}
