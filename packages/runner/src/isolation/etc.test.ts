import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEtc } from './etc.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-etc-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

test('the /etc of programs has only their own user and no secrets of the machine', async () => {
  const { etc, etcMounts } = await createEtc(directory, true)
  expect(await readFile(join(etc, 'passwd'), 'utf8')).not.toContain('root')
  expect(await readFile(join(etc, 'resolv.conf'), 'utf8')).toContain('198.18.73.3')
  const names = await readdir(etc)
  for (const name of ['shadow', 'gshadow', 'ssh', 'sudoers']) expect(names).not.toContain(name)
  // Mount points must exist, because the folder is read-only by then.
  for (const path of etcMounts) expect(names.map((name) => `/etc/${name}`)).toContain(path)
})

test('a later start of the runner keeps the folder that running programs see', async () => {
  const { etc } = await createEtc(directory, false)
  const before = await stat(etc)
  expect((await createEtc(directory, false)).etc).toBe(etc)
  expect((await stat(etc)).ino).toBe(before.ino)
  expect(await readdir(etc)).toContain('group')
})
