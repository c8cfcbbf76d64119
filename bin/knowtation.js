#!/usr/bin/env node
// Any Node that knows modules can read this file, so that an old one gets a sentence and not a syntax error.
// Node's own modules come by `require`: imported, `node:fs` alone would cost a tenth of a short command.
import * as nodeModule from 'module'

var OLDEST_NODE = 22
var require = nodeModule.createRequire(import.meta.url)
var program = new URL('../dist/main.js', import.meta.url)
var sources = new URL('../src/main.ts', import.meta.url)
var broughtAlong = new URL('../node_modules/node/bin/node', import.meta.url)

function refuse(sentence) {
  process.stderr.write(sentence + '\n')
  process.exitCode = 1
}

// A server's memory is mostly room for short-lived things that Node and the C library keep once taken. That room can
// be bounded only when Node starts, and so can the engine's guess from the first calls that such things live long: it
// would keep them until the next full collection. Where Node cannot replace itself in place, the hub just uses more.
var SERVER_OPTIONS = ['--max-semi-space-size=8', '--no-allocation-site-pretenuring']

function restartAsServer() {
  if (!process.execve || process.execArgv.indexOf(SERVER_OPTIONS[0]) >= 0) return
  process.removeAllListeners('warning')
  var rest = process.execArgv.concat(process.argv.slice(1))
  var env = Object.assign({ MALLOC_ARENA_MAX: '2' }, process.env)
  try {
    process.execve(process.execPath, [process.execPath].concat(SERVER_OPTIONS, rest), env)
  } catch {
    // Windows has the function, and no way to do it.
  }
}

if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
  var needed = 'Knowtation needs Node ' + OLDEST_NODE + ' or newer; this is Node ' + process.versions.node + '.'
  // `npx` puts what the packages brought along first, and in a checkout that is a Node.
  var way = require('fs').existsSync(broughtAlong) ? ' Start it as npx knowtation: that takes a newer one.' : ''
  refuse(needed + way)
} else if (require('fs').existsSync(program)) {
  if (process.argv[2] === 'serve') restartAsServer()
  if (nodeModule.enableCompileCache) nodeModule.enableCompileCache()
  import(program.href)
} else if (require('fs').existsSync(sources)) {
  refuse('Knowtation is not built yet: run npm run build.')
} else {
  refuse('This installation of Knowtation is incomplete: install it again.')
}
