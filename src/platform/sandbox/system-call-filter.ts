import {
  DENIED_CALLS,
  LENDING_CALLS,
  MODE_CALLS,
  SPECIAL_CALLS,
  UNCOUNTED_CALLS,
  UNSEEN_CALLS,
} from './system-calls.ts'

// One instruction of the kernel's packet filter language: what it does, where it jumps, and its operand.
interface Instruction {
  readonly code: number
  readonly yes?: number
  readonly no?: number
  readonly operand: number
}
const LOAD_WORD = 0x20
const JUMP_EQUAL = 0x15
const JUMP_GREATER_OR_EQUAL = 0x35
const JUMP_ANY_BIT = 0x45
const RETURN = 0x06

// Where the kernel lays what it tells the filter about a call.
const CALL_NUMBER = 0
const ARCHITECTURE = 4
const FIRST_ARGUMENT = 16
const ARGUMENT_SIZE = 8

const ALLOW = 0x7fff0000
const FAIL = 0x00050000
const EPERM = 1
const EINVAL = 22
const ENOSYS = 38
const EAFNOSUPPORT = 97

const FOREIGN_ABI_FROM = 0x40000000
// Any of the flags that make a new namespace.
const NEW_NAMESPACE_FLAGS = 0x7e020000
// A file that runs as its owner or group, whoever starts it.
const SET_ID_BITS = 0o6000
const AF_UNIX = 1
const INTERNET_FAMILIES = [2, 10, 16]

/**
 * The filter of system calls for a sandbox, or nothing on a processor without one. It takes away what a
 * command of a project has no use for and the kernel was attacked through: namespaces, mounts, keys,
 * io_uring, tracing, memory that cannot be counted, files that run as somebody else, and unusual socket families (one of them reaches
 * past the network namespace to the machine's own host). With the host's network, sockets in the file system and abstract ones close too.
 */
export function systemCallFilter(network: boolean, arch: string = process.arch): Buffer | undefined {
  const special = SPECIAL_CALLS[arch]
  if (special === undefined) return undefined
  const families = network ? INTERNET_FAMILIES : [AF_UNIX, ...INTERNET_FAMILIES]
  const program = [
    load(ARCHITECTURE),
    ...unless(special.audit_arch, fail(ENOSYS)),
    load(CALL_NUMBER),
    { code: JUMP_GREATER_OR_EQUAL, no: 1, operand: FOREIGN_ABI_FROM },
    fail(ENOSYS),
    ...(DENIED_CALLS[arch] ?? []).flatMap((call) => whenEqual(call, [fail(EPERM)])),
    ...(LENDING_CALLS[arch] ?? []).flatMap((call) => whenEqual(call, [fail(EINVAL)])),
    ...[...(UNCOUNTED_CALLS[arch] ?? []), ...UNSEEN_CALLS].flatMap((call) => whenEqual(call, [fail(ENOSYS)])),
    ...whenEqual(special.clone, withoutBits(0, NEW_NAMESPACE_FLAGS)),
    ...(MODE_CALLS[arch] ?? []).flatMap(([call, mode]) => whenEqual(call, withoutBits(mode, SET_ID_BITS))),
    ...whenEqual(special.socket, [load(FIRST_ARGUMENT), ...onlyFamilies(families)]),
    give(ALLOW),
  ]
  return encode(program)
}

function onlyFamilies(families: readonly number[]): Instruction[] {
  return [...families.flatMap((family) => whenEqual(family, [give(ALLOW)])), fail(EAFNOSUPPORT)]
}

function whenEqual(value: number, then: readonly Instruction[]): Instruction[] {
  return [{ code: JUMP_EQUAL, no: then.length, operand: value }, ...then]
}

function withoutBits(argument: number, bits: number): Instruction[] {
  const at = FIRST_ARGUMENT + argument * ARGUMENT_SIZE
  return [load(at), { code: JUMP_ANY_BIT, no: 1, operand: bits }, fail(EPERM), give(ALLOW)]
}

function unless(value: number, otherwise: Instruction): Instruction[] {
  return [{ code: JUMP_EQUAL, yes: 1, operand: value }, otherwise]
}

function load(offset: number): Instruction {
  return { code: LOAD_WORD, operand: offset }
}

function give(answer: number): Instruction {
  return { code: RETURN, operand: answer }
}

function fail(errno: number): Instruction {
  return give(FAIL | errno)
}

function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8)
  program.forEach(({ code, yes = 0, no = 0, operand }, index) => {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(yes, index * 8 + 2)
    bytes.writeUInt8(no, index * 8 + 3)
    bytes.writeUInt32LE(operand >>> 0, index * 8 + 4)
  })
  return bytes
}
