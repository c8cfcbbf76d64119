import fc from 'fast-check'
import { expect, test } from 'vitest'
import { systemCallFilter } from './system-call-filter.ts'
import {
  DENIED_CALLS,
  LENDING_CALLS,
  MODE_CALLS,
  SPECIAL_CALLS,
  UNCOUNTED_CALLS,
  UNSEEN_CALLS,
} from './system-calls.ts'

const ALLOW = 0x7fff0000
const EPERM = 0x00050001
const EINVAL = 0x00050016
const ENOSYS = 0x00050026
const EAFNOSUPPORT = 0x00050061

/** What the kernel would answer: the five instructions that the filter is made of. */
function answer(program: Buffer, arch: number, call: number, argument: number, place = 0): number {
  const data: Readonly<Record<number, number>> = { 0: call, 4: arch, [16 + place * 8]: argument }
  let loaded = 0
  for (let at = 0; at < program.length / 8; at++) {
    const operand = program.readUInt32LE(at * 8 + 4)
    const [yes, no] = [program.readUInt8(at * 8 + 2), program.readUInt8(at * 8 + 3)]
    const code = program.readUInt16LE(at * 8)
    if (code === 0x06) return operand
    if (code === 0x20) loaded = data[operand] ?? 0
    else if (code === 0x15) at += loaded === operand ? yes : no
    else if (code === 0x35) at += loaded >= operand ? yes : no
    else if (code === 0x45) at += (loaded & operand) !== 0 ? yes : no
  }
  throw new Error('the filter does not end')
}

for (const arch of ['x64', 'arm64']) {
  const { audit_arch, clone, socket } = SPECIAL_CALLS[arch] ?? { audit_arch: 0, clone: 0, socket: 0 }
  const denied = DENIED_CALLS[arch] ?? []
  const lending = LENDING_CALLS[arch] ?? []
  const missing = [...UNSEEN_CALLS, ...(UNCOUNTED_CALLS[arch] ?? [])]
  const modes = MODE_CALLS[arch] ?? []
  const program = systemCallFilter(false, arch) ?? Buffer.alloc(0)

  test(`on ${arch} the listed calls fail, and all others pass`, () => {
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(...denied), fc.nat(600)), fc.nat(), (call, argument) => {
        fc.pre(![clone, socket, ...lending, ...missing, ...modes.map(([mode]) => mode)].includes(call))
        expect(answer(program, audit_arch, call, argument)).toBe(denied.includes(call) ? EPERM : ALLOW)
      }),
    )
    for (const call of lending) expect(answer(program, audit_arch, call, 0)).toBe(EINVAL)
    for (const call of missing) expect(answer(program, audit_arch, call, 0)).toBe(ENOSYS)
  })

  test(`on ${arch} calls of another processor or numbering do not exist`, () => {
    fc.assert(
      fc.property(fc.nat(600), fc.nat(0xffff), (call, other) => {
        expect(answer(program, other, call, 0)).toBe(ENOSYS)
        expect(answer(program, audit_arch, 0x40000000 + call, 0)).toBe(ENOSYS)
      }),
    )
  })

  test(`on ${arch} no file gets the bits that make it run as its owner or group`, () => {
    fc.assert(
      fc.property(fc.constantFrom(...modes), fc.nat(0o7777), ([call, place], mode) => {
        const expected = (mode & 0o6000) === 0 ? ALLOW : EPERM
        expect(answer(program, audit_arch, call, mode, place)).toBe(expected)
      }),
    )
  })

  test(`on ${arch} processes start, namespaces do not`, () => {
    // SIGCHLD, as for fork; and the flags of a thread.
    for (const flags of [17, 0x3d0f00]) expect(answer(program, audit_arch, clone, flags)).toBe(ALLOW)
    for (const bit of [17, 25, 26, 27, 28, 29, 30]) {
      expect(answer(program, audit_arch, clone, (1 << bit) | 17)).toBe(EPERM)
    }
  })

  test(`on ${arch} sockets are of the internet, or local where there is no network`, () => {
    const with_network = systemCallFilter(true, arch) ?? Buffer.alloc(0)
    for (let family = 0; family < 64; family++) {
      const is_internet = [2, 10, 16].includes(family)
      const expected = is_internet || family === 1 ? ALLOW : EAFNOSUPPORT
      expect(answer(program, audit_arch, socket, family)).toBe(expected)
      expect(answer(with_network, audit_arch, socket, family)).toBe(is_internet ? ALLOW : EAFNOSUPPORT)
    }
  })
}
