import { expect, test } from 'vitest'
import { findForbiddenInstall } from './forbidden-install.ts'

test.each(['constructor', 'valueOf', '__proto__', 'toString', 'hasOwnProperty'])(
  'an argument that is called %s is a word like any other',
  (name) => {
    expect(findForbiddenInstall(['pytest', name, 'tests'])).toBeUndefined()
    expect(findForbiddenInstall(['pytest', `src/${name}.js`, '--flag', 'x'])).toBeUndefined()
    expect(findForbiddenInstall([name, 'npm', 'install'])).toBe('npm install')
  },
)
