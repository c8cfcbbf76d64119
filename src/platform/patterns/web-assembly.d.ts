/** The part of WebAssembly that is used here: the types of Node do not describe it. */
declare namespace WebAssembly {
  interface Module {
    readonly [Symbol.toStringTag]: 'WebAssembly.Module'
  }
  interface Memory {
    readonly buffer: ArrayBuffer
    grow(by_pages: number): number
  }
  interface Table {
    readonly length: number
    get(index: number): unknown
    set(index: number, value: unknown): void
    grow(by: number): number
  }
  const Module: {
    new (bytes: Uint8Array): Module
    imports(module: Module): { name: string }[]
  }
  const Instance: new (module: Module, imports: object) => { readonly exports: unknown }
  function compile(bytes: Uint8Array): Promise<Module>
}
