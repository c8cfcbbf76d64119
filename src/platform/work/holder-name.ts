import { hash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'

/** The name under which a process holds leases: the machine as it was booted, the process, and chance. */
const NAME = /^hub_([0-9a-f]{16})_(\d{1,10})_(\d{1,20})_[0-9a-f]+$/

/** When a process began, as the kernel counts it: a number that is used again is another process. */
function beginningOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

/** This boot of this machine, and where its processes are numbered: a container has numbers of its own. */
function machineName(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return hash('sha256', `${boot} ${readlinkSync('/proc/self/ns/pid')}`).slice(0, 16)
  } catch {
    return undefined
  }
}

/** A name for this process; one that says no more than chance where the system tells nothing of processes. */
export function holderName(chance: string): string {
  const machine = machineName()
  const begun = beginningOf(process.pid)
  return machine && begun ? `hub_${machine}_${process.pid}_${begun}_${chance}` : `hub_${chance}`
}

/** Whether the holder of this name was a process of this machine that has ended. Of others nothing is known. */
export function isHolderGone(name: string): boolean {
  const [, machine, pid, begun] = NAME.exec(name) ?? []
  if (machine === undefined || machine !== machineName()) return false
  return beginningOf(Number(pid)) !== begun
}
