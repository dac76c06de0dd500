import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readResult } from './read-result.ts'

let directory: string
let file: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-result-'))
  file = join(directory, 'output.json')
})
afterEach(() => rm(directory, { recursive: true, force: true }))

test('a file is read', async () => {
  await writeFile(file, '{"a":1}')
  expect(await readResult(file, 100)).toEqual({ text: '{"a":1}' })
})

test('no file is no result', async () => {
  expect(await readResult(file, 100)).toBeUndefined()
})

test('a file that is too large is not read', async () => {
  await writeFile(file, '12345')
  expect(await readResult(file, 4)).toEqual({ refused: '5 bytes; at most 4 are kept' })
})

test('a link to another file is not followed', async () => {
  await writeFile(join(directory, 'token'), 'secret')
  await symlink(join(directory, 'token'), file)
  expect(await readResult(file, 100)).toEqual({ refused: 'it is no regular file' })
})

test('nobody waits at a pipe', async () => {
  execFileSync('mkfifo', [file])
  expect(await readResult(file, 100)).toEqual({ refused: 'it is no regular file' })
})

test('a folder and a socket are refused', async () => {
  expect(await readResult(directory, 1_000_000)).toEqual({ refused: 'it is no regular file' })
  const server = createServer().listen(file)
  await new Promise((resolve) => server.once('listening', resolve))
  expect(await readResult(file, 100)).toEqual({ refused: 'it is no regular file' })
  server.close()
})
