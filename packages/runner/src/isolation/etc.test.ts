import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { composeEtc } from './etc.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-etc-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

test('what programs see of /etc names them alone, and holds no secret of the machine', async () => {
  const { etc, fromEtc } = await composeEtc(directory, true)
  expect(await readFile(join(etc, 'passwd'), 'utf8')).not.toContain('root')
  expect(await readFile(join(etc, 'resolv.conf'), 'utf8')).toContain('198.18.73.3')
  const names = await readdir(etc)
  for (const name of ['shadow', 'gshadow', 'ssh', 'sudoers']) expect(names).not.toContain(name)
  // Whatever is bound over it has a place there, since the folder itself is read-only by then.
  for (const path of fromEtc) expect(names.map((name) => `/etc/${name}`)).toContain(path)
})

test('a later start of the runner leaves the folder to those who look at it', async () => {
  const { etc } = await composeEtc(directory, false)
  const before = await stat(etc)
  expect((await composeEtc(directory, false)).etc).toBe(etc)
  expect((await stat(etc)).ino).toBe(before.ino)
  expect(await readdir(etc)).toContain('group')
})
