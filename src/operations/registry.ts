import type { Operation } from './define-operation.ts'
import { COMMON_ERRORS } from './errors.ts'

/** All operations by name. Built once; anything that contradicts itself stops the start. */
export type Registry = ReadonlyMap<string, Operation>

const AUTHORITY_KINDS = ['member', 'owner', 'seat', 'owner_surface', 'visitor', 'any_seat']
/** Neither what is the owner's nor what is for strangers may become a tool of an agent's; MCP lists tools by itself. */
const CLOSED_TO_MCP = ['owner', 'owner_surface', 'visitor', 'any_seat']
const NAME = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/

/** Collects the domains' operations and checks what types alone cannot. */
export function buildRegistry(operations: readonly Operation[]): Registry {
  const registry = new Map<string, Operation>()
  const taken = new Set<string>()
  const claim = (what: string | undefined, owner: string) => {
    if (what === undefined) return
    if (taken.has(what)) throw new Error(`${owner}: ${what} is taken by another operation.`)
    taken.add(what)
  }
  for (const operation of operations) {
    checkOperation(operation)
    claim(`the name ${operation.name}`, operation.name)
    claim(operation.rest && `the route ${operation.rest.replace(/\{\w+\}/g, '{}')}`, operation.name)
    claim(operation.cli && `the command ${operation.cli.replace(/ <.*$/, '')}`, operation.name)
    registry.set(operation.name, operation)
  }
  return registry
}

function checkOperation(operation: Operation): void {
  const fault = findFault(operation)
  if (fault) throw new Error(`${operation.name}: ${fault}`)
}

function findFault(operation: Operation): string | undefined {
  if (!NAME.test(operation.name)) return 'the name must be snake case.'
  const { authority, gate } = operation
  if (!AUTHORITY_KINDS.includes(authority?.kind)) return 'it declares no authority.'
  if (CLOSED_TO_MCP.includes(authority.kind) && operation.mcp)
    return "an owner's operation cannot be an MCP tool."
  const own = [gate?.whenOff, gate?.whenForbidden, operation.whenHostDenied, operation.whenInvalid]
  for (const code of [authority.otherwise, ...own]) {
    if (code && !isDeclared(operation, code)) return `the code ${code} is not among its errors.`
  }
  const known = new Set(Object.keys(operation.input.shape))
  const named = [...pathParameters(operation.rest ?? ''), ...positionals(operation.cli ?? '')]
  const stray = named.find((parameter) => !known.has(parameter))
  return stray && `${stray} is in its route or command but not in its input.`
}

/** The operation of a name that the hub cannot be without. */
export function requireOperation(registry: Registry, name: string): Operation {
  const operation = registry.get(name)
  if (!operation) throw new Error(`The operation ${name} is missing.`)
  return operation
}

/** Whether an operation may give this code. */
export function isDeclared(operation: Operation, code: string): boolean {
  return Object.hasOwn(operation.errors, code) || Object.hasOwn(COMMON_ERRORS, code)
}

/** The names in braces of a route. */
export function pathParameters(route: string): string[] {
  return [...route.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string)
}

/** A route as the contract writes it: the id of a flow is called by its full name only among the inputs. */
export function writtenRoute(route: string): string {
  return route.replace('/flows/{flow_id}', '/flows/{id}')
}

/** The names in angle brackets of a command. */
export function positionals(command: string): string[] {
  return [...command.matchAll(/<(\w+)>/g)].map((match) => match[1] as string)
}
