import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CacheFolder } from './cache-folder.ts'

const kiB = 1024
let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-cache-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const fill = (bytes: number) => (folder: string) => writeFile(join(folder, 'content'), Buffer.alloc(bytes, 'x'))
const names = async () => (await readdir(directory)).sort()

test('the cache evicts the least recently used entries above its limit', async () => {
  const cache = new CacheFolder(directory, 1_000 * kiB)
  for (const name of ['a', 'b', 'c']) await cache.use(name, fill(300 * kiB))
  await cache.use('a', async () => {})
  await cache.use('d', fill(300 * kiB))
  expect(await names()).toEqual(['a', 'c', 'd'])
})

test('an entry in use is not evicted, even above the limit', async () => {
  const cache = new CacheFolder(directory, 100 * kiB)
  const { promise, resolve } = Promise.withResolvers<void>()
  const using = cache.use('a', async (folder) => {
    await fill(300 * kiB)(folder)
    await promise
  })
  await cache.use('b', fill(90 * kiB))
  await cache.use('a', async () => {})
  expect(await names()).toEqual(['a'])
  resolve()
  await using
  expect(await names()).toEqual([])
})

test('entries of earlier starts are evicted by their last use, and interrupted removals are completed', async () => {
  for (const [name, daysAgo] of [
    ['old', 2],
    ['new', 1],
  ] as const) {
    await mkdir(join(directory, name))
    await fill(400 * kiB)(join(directory, name))
    const at = new Date(Date.now() - daysAgo * 86_400_000)
    await utimes(join(directory, name), at, at)
  }
  await mkdir(join(directory, 'removed-x-1'))
  const cache = new CacheFolder(directory, 1_000 * kiB)
  await cache.use('a', fill(300 * kiB))
  expect(await names()).toEqual(['a', 'new'])
})

test('an entry above its share of the limit is evicted and has no room to grow', async () => {
  const cache = new CacheFolder(directory, 1_000 * kiB)
  await cache.use('a', async (folder) => {
    expect(await cache.hasRoom('a')).toBe(true)
    await fill(600 * kiB)(folder)
    expect(await cache.hasRoom('a')).toBe(false)
  })
  expect(existsSync(join(directory, 'a'))).toBe(false)
})

test('a cache with a limit of 0 bytes keeps nothing', async () => {
  await new CacheFolder(directory, 0).use('a', fill(kiB))
  expect(await names()).toEqual([])
})
