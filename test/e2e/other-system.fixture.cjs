// Loaded before the program: makes the machine one that is no Linux. What a real one would have for the database and for
// passwords is loaded first, from the builds for this machine.
const { createRequire, syncBuiltinESMExports } = require('node:module')
const Module = require('node:module')
const fs = require('node:fs')
const { join } = require('node:path')

const load = createRequire(join(process.env.PACKAGE_OF_TEST, 'package.json'))
for (const name of ['better-sqlite3', '@node-rs/argon2']) load(name)
;new (load('better-sqlite3'))(':memory:').close()

const missing = (path) =>
  Object.assign(new Error(`ENOENT: no such file or directory, '${path}'`), { code: 'ENOENT' })
const isAbsent = (path) => /^\/proc(\/|$)|^\/sys\/fs\/cgroup|\/bwrap$/.test(String(path))
for (const name of [
  'readFileSync',
  'readdirSync',
  'readlinkSync',
  'openSync',
  'opendirSync',
  'realpathSync',
  'accessSync',
])
  replace(fs, name, (real) => (path, ...rest) => {
    if (isAbsent(path)) throw missing(path)
    return real.call(fs, path, ...rest)
  })
for (const name of ['statSync', 'lstatSync'])
  replace(fs, name, (real) => (path, options) => {
    if (!isAbsent(path)) return real.call(fs, path, options)
    if (options?.throwIfNoEntry === false) return undefined
    throw missing(path)
  })
replace(fs, 'existsSync', (real) => (path) => !isAbsent(path) && real.call(fs, path))
for (const name of ['readFile', 'open', 'stat', 'readdir', 'readlink'])
  replace(fs.promises, name, (real) => async (path, ...rest) => {
    if (isAbsent(path)) throw missing(path)
    return real.call(fs.promises, path, ...rest)
  })

const find = Module._resolveFilename
Module._resolveFilename = function (request, ...rest) {
  if (/^(koffi|@koromix\/|@ast-grep\/)/.test(request))
    throw Object.assign(new Error(`Cannot find module '${request}'`), { code: 'MODULE_NOT_FOUND' })
  return find.call(this, request, ...rest)
}

Object.defineProperty(process, 'platform', { value: process.env.SYSTEM_OF_TEST })
syncBuiltinESMExports()

function replace(owner, name, make) {
  owner[name] = Object.assign(make(owner[name]), owner[name])
}
