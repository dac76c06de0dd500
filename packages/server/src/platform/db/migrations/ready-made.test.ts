import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { takeReadyMade } from './ready-made.ts'

/** A folder with a ready-made database, which is a file here, and the directory that one is wanted in. */
async function place() {
  const parent = await mkdtemp(join(tmpdir(), 'sluice-ready-'))
  onTestFinished(() => rm(parent, { recursive: true, force: true }))
  const [source, directory] = [join(parent, 'ready'), join(parent, 'database')]
  for (const one of [source, directory]) await mkdir(one)
  await writeFile(join(source, 'PG_VERSION'), '17')
  return { parent, source, directory }
}

test('a ready-made database is put into an empty directory', async () => {
  const { source, directory } = await place()
  await takeReadyMade(directory, source)
  expect(await readFile(join(directory, 'PG_VERSION'), 'utf8')).toBe('17')
})

test('a directory with anything in it is left as it is', async () => {
  const { source, directory } = await place()
  await writeFile(join(directory, 'PG_VERSION'), '16')
  await takeReadyMade(directory, source)
  expect(await readFile(join(directory, 'PG_VERSION'), 'utf8')).toBe('16')
})

test('what a start that died has copied so far is taken away, and nothing else', async () => {
  const { parent, source, directory } = await place()
  for (const name of ['database.new-Xy12ab', 'databases']) await mkdir(join(parent, name))
  await writeFile(join(parent, 'database.new-Xy12ab', 'half'), '')
  await takeReadyMade(directory, source)
  expect((await readdir(parent)).sort()).toEqual(['database', 'databases', 'ready'])
  expect(await readdir(directory)).toEqual(['PG_VERSION'])
})

test('without one, the directory stays empty', async () => {
  const { parent, directory } = await place()
  await takeReadyMade(directory, join(parent, 'of-another-version'))
  expect(await readdir(directory)).toEqual([])
})
