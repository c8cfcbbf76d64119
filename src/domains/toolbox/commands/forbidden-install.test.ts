import { expect, test } from 'vitest'
import { findForbiddenInstall } from './forbidden-install.ts'

const FORBIDDEN = [
  'npm install',
  'npm i',
  'npm add x',
  'npm --prefix sub install',
  'npm -s i x',
  '/usr/bin/npm install',
  'env CI=1 npm install',
  'timeout 5 pip install x',
  'npx npm install',
  'pip install -r requirements.txt',
  'pip3 install x',
  'pip3.12 install x',
  'python3 -m pip install x',
  'yarn',
  'yarn add x',
  'yarn install',
  'pnpm i',
  'bun add x',
  'poetry add x',
  'cargo install x',
  'go get x',
  'uv pip install x',
]
const ALLOWED = [
  'npm ci',
  'npm test',
  'npm run install-check',
  'npm test -- install',
  'npm run build',
  'pytest install',
  'node --test install',
  'cargo test install',
  'poetry install',
  'poetry run pytest',
  'python3 -m pytest',
  'yarn test',
  'go test ./...',
  'eslint src',
]

test('installations past the lockfile are found, behind wrappers too', () => {
  for (const line of FORBIDDEN) expect(findForbiddenInstall(line.split(' ')), line).toBeTypeOf('string')
})

test('ordinary commands are not taken for one', () => {
  for (const line of ALLOWED) expect(findForbiddenInstall(line.split(' ')), line).toBeUndefined()
})

test('a line for a shell is looked into', () => {
  for (const line of [
    'npm install',
    'cd x && npm  i y',
    'true; pip3 install z',
    '(yarn add q)',
    '$(npm -g install x)',
  ]) {
    expect(findForbiddenInstall(['bash', '-c', `${line} `]), line).toBeTypeOf('string')
  }
  for (const line of ['npm ci && npm test', 'echo npm installs nothing', 'run-npm install-check x']) {
    expect(findForbiddenInstall(['bash', '-c', `${line} `]), line).toBeUndefined()
  }
})
