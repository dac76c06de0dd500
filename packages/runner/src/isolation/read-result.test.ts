import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
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

const read = (mostBytes: number, path = 'output.json') => readResult(directory, path, mostBytes)

test('a file is read', async () => {
  await writeFile(file, '{"a":1}')
  expect(await read(100)).toEqual({ content: Buffer.from('{"a":1}') })
})

test('a missing file has no result', async () => {
  expect(await read(100)).toBeUndefined()
  await writeFile(join(directory, 'source'), '')
  expect(await read(100, 'source/output.json')).toBeUndefined()
})

test('a file above the size limit is rejected', async () => {
  await writeFile(file, '12345')
  expect(await read(4)).toEqual({ refused: '5 bytes exceed the maximum of 4' })
})

test('a link is rejected', async () => {
  await writeFile(join(directory, 'token'), 'secret')
  await symlink(join(directory, 'token'), file)
  expect(await read(100)).toEqual({ refused: 'it is not a regular file' })
})

test('a link to a parent folder is rejected', async () => {
  await mkdir(join(directory, 'other'))
  await writeFile(join(directory, 'other/output.json'), 'secret')
  await symlink(join(directory, 'other'), join(directory, 'source'))
  const led = { refused: 'its path contains a link' }
  expect(await read(100, 'source/output.json')).toEqual(led)
  expect(await read(100, 'other/output.json')).toEqual({ content: Buffer.from('secret') })
})

test('a pipe is rejected without waiting for a writer', async () => {
  execFileSync('mkfifo', [file])
  expect(await read(100)).toEqual({ refused: 'it is not a regular file' })
})

test('a folder and a socket are rejected', async () => {
  await mkdir(join(directory, 'folder'))
  expect(await read(1_000_000, 'folder')).toEqual({ refused: 'it is not a regular file' })
  const server = createServer().listen(file)
  await new Promise((resolve) => server.once('listening', resolve))
  expect(await read(100)).toEqual({ refused: 'it is not a regular file' })
  server.close()
})
