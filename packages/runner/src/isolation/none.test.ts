import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { createNoIsolation } from './none.ts'

const isolation = createNoIsolation([])
let root: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sluice-none-'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

/** Creates a program whose temporary folder has a path of the given length. */
async function programIn(name: string, length: number) {
  const records = join(root, name)
  const temporary = join(records, 'd'.repeat(Math.max(1, length - records.length - 1)))
  await mkdir(temporary, { recursive: true })
  const argv: [string, ...string[]] = [process.execPath, '-e', listen]
  return {
    organizationId: 'org_1',
    attempt: name,
    argv,
    cwd: root,
    env: { TMPDIR: temporary },
    records,
    temporary,
    writable: [root],
    readOnly: [],
  }
}

/** Listens as plugins of Terraform do when they start. */
const listen = `
  const server = require('node:net').createServer()
  server.listen(process.env.TMPDIR + '/plugin0123456789', () => server.close())
`

const run = async ({ argv: [program, ...args], cwd, env }: Awaited<ReturnType<typeof isolation.wrap>>) =>
  promisify(execFile)(program, args, { cwd, env })

test(
  'a program listens in a temporary directory with a path of any length',
  everyCase([60, 85, 86, 150, 200], async (length) => {
    const program = await programIn(`length-${length}`, length)
    const wrapped = await isolation.wrap(program)
    await run(wrapped)
    expect((await stat(wrapped.env.TMPDIR ?? '')).ino, 'the same folder').toBe((await stat(program.temporary)).ino)

    const again = await isolation.wrap(program)
    expect(again.env, 'a later runner reuses the link').toEqual(wrapped.env)

    await isolation.release(program.records)
    expect((await stat(program.temporary)).isDirectory()).toBe(true)
    if (length > 85) await expect(stat(wrapped.env.TMPDIR ?? '')).rejects.toThrow('ENOENT')
  }),
)

test('a link to another folder is not used', async () => {
  const program = await programIn('elsewhere', 150)
  const link = (await isolation.wrap(program)).env.TMPDIR ?? ''
  await isolation.release(program.records)
  await symlink('/etc', link)
  expect((await isolation.wrap(program)).env.TMPDIR).toBe(program.temporary)
  await isolation.release(program.records)
})

test('a temporary folder that the step sets is kept', async () => {
  const program = await programIn('own', 150)
  expect((await isolation.wrap({ ...program, env: { TMPDIR: '/var/tmp' } })).env.TMPDIR).toBe('/var/tmp')
})
