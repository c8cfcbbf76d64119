import { type StdioOptions, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { inheritedDescriptors } from './inherited-descriptors.ts'
import type { Descriptor, JailProcess, ProcessStart } from './jail-process.ts'
import { loadQuickStart, type QuickStart } from './quick-start.ts'

/** Loading what starts programs quickly takes as long as a few starts save. */
const WORTH_AFTER_STARTS = 3

let starts = 0
let quick: QuickStart | undefined
let is_settled = false

/** Starts a program as the leader of a session of its own, in `/`, without variables or descriptors of ours. */
export function startProcess(start: ProcessStart): JailProcess {
  if (!is_settled && ++starts > WORTH_AFTER_STARTS) chooseStart('quick')
  const child = quick?.(start) ?? startByNode(start)
  // A command that does not start or does not read leaves broken pipes, which is no fault of ours.
  for (const stream of child.stdio ?? []) stream?.on('error', () => {})
  return child
}

/** Settles how programs are started. */
export function chooseStart(which: 'plain' | 'quick'): void {
  is_settled = true
  quick = which === 'quick' ? loadQuickStart() : undefined
}

function startByNode({ path, args, descriptors }: ProcessStart): JailProcess {
  const empty_fd = openSync('/dev/null', 'r')
  try {
    const stdio = nodeDescriptors(descriptors, empty_fd)
    const child = spawn(path, args, { stdio, env: {}, cwd: '/', detached: true }) as JailProcess
    descriptors.forEach((descriptor, fd) => {
      const stream = child.stdio?.[fd] as Writable | null | undefined
      if (typeof descriptor === 'object') stream?.end(descriptor.content)
    })
    return child
  } finally {
    closeSync(empty_fd)
  }
}

function nodeDescriptors(descriptors: readonly Descriptor[], empty_fd: number): StdioOptions {
  const list: ('ignore' | 'pipe' | number)[] = descriptors.map((one) => (one === 'empty' ? empty_fd : 'pipe'))
  for (const fd of inheritedDescriptors()) {
    while (list.length < fd) list.push('ignore')
    if (fd >= list.length || list[fd] === 'ignore') list[fd] = empty_fd
  }
  return list
}
