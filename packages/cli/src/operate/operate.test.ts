import { randomBytes } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createEmptyDatabase } from '@sluice/server/testing/database'
import { expect, onTestFinished, test, vi } from 'vitest'
import { emptyDirectory, finished, preparedDirectory, run } from '../testing/command-line.ts'

const soon = { timeout: 50_000, interval: 20 }

vi.setConfig({ testTimeout: 150_000 }) // a start can take its time, and some of these are of several

async function serving(cwd: string, env: Record<string, string> = {}) {
  const server = run(cwd, ['serve', '--port', '0', '--log-format', 'json'], env)
  await vi.waitFor(() => expect(server.output.text).toContain('Sluice is ready'), soon)
  const ready = server.output.text.split('\n').find((line) => line.includes('Sluice is ready')) ?? '{}'
  const { url } = JSON.parse(ready) as { url: string }
  return {
    ...server,
    ask: (token: string, path: string, init: RequestInit = {}) =>
      fetch(url + path, { ...init, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } }),
    async stop() {
      server.child.kill('SIGTERM')
      expect(await server.exitCode).toBe(0)
    },
  }
}

const sensitive = async (server: Awaited<ReturnType<typeof serving>>, token: string) => {
  const post = async (path: string, data: object) => {
    const answer = await server.ask(token, path, { method: 'POST', body: JSON.stringify({ data }) })
    expect(answer.ok).toBe(true)
    const { data: made } = (await answer.json()) as { data: { id: string } }
    return made.id
  }
  const defaultValueDefinitionId = await post('/default-value-definitions', {
    key: 'password',
    schema: { type: 'string' },
    isSensitive: true,
  })
  const { data: me } = (await (await server.ask(token, '/auth/whoami')).json()) as { data: { organizationId: string } }
  await post('/default-values', {
    defaultValueDefinitionId,
    parentType: 'organization',
    parentId: me.organizationId,
    value: 'correct-horse',
  })
}

test('a key is rotated: with both, then sealed anew, then with the new one alone; and a lost one has a way out', async () => {
  const cwd = await preparedDirectory()
  const token = `slc_${'first'.repeat(8)}`
  const server = await serving(cwd, { SLUICE_BOOTSTRAP_TOKEN: token })
  await sensitive(server, token)
  expect(await finished(cwd, ['reseal'])).toMatchObject({
    code: 1,
    text: expect.stringContaining('is in use by process'),
  })
  await server.stop()

  const old = (await readFile(join(cwd, '.sluice', 'encryption-key'), 'utf8')).trim()
  const fresh = randomBytes(32).toString('base64')
  const alone = { SLUICE_ENCRYPTION_KEYS: fresh }
  expect(await finished(cwd, ['reseal'], alone)).toMatchObject({
    code: 1,
    text: expect.stringContaining('another encryption key'),
  })
  const resealed = await finished(cwd, ['reseal'], { SLUICE_ENCRYPTION_KEYS: `${fresh},${old}` })
  expect(resealed).toMatchObject({ code: 0, text: expect.stringContaining('default_values.held: 1 of 1\n') })
  await (await serving(cwd, alone)).stop()

  const another = { SLUICE_ENCRYPTION_KEYS: randomBytes(32).toString('base64') }
  expect(await finished(cwd, ['forget-lost-keys'], another)).toMatchObject({
    code: 1,
    text: expect.stringContaining('--yes'),
  })
  const forgotten = await finished(cwd, ['forget-lost-keys', '--yes'], another)
  expect(forgotten).toMatchObject({ code: 0, text: expect.stringContaining('Forgot 1 key.') })
  expect((await finished(cwd, ['reseal'], another)).text).toContain('default_values.held: 0 of 1, 1 cannot be opened')
  await (await serving(cwd, another)).stop()
})

test("an owner's key is made by way of the database, and its organization's audit log tells of it", async () => {
  const cwd = await preparedDirectory()
  expect(await finished(cwd, ['owner-token'])).toMatchObject({
    code: 1,
    text: expect.stringContaining('no organization yet'),
  })
  await (await serving(cwd)).stop()
  const { code, stdout } = await finished(cwd, ['owner-token'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^slc_\S{32,}\n$/)
  expect(await finished(cwd, ['owner-token', '--organization', 'nobody'])).toMatchObject({
    code: 1,
    text: expect.stringContaining('given id nobody'),
  })
  const server = await serving(cwd)
  const answer = await server.ask(stdout.trim(), '/audit-events')
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject({
    data: expect.arrayContaining([
      expect.objectContaining({ action: 'api-keys.create', actorName: 'sluice owner-token' }),
    ]),
  })
  expect(server.output.text).not.toContain(stdout.trim())
  await server.stop()
})

test("the engine's key is made once, for its owner alone, and what workers trust is printed", async () => {
  const cwd = await preparedDirectory()
  const made = await finished(cwd, ['engine-identity', 'keys/engine.pem'])
  expect(made).toMatchObject({ code: 0, text: expect.stringMatching(/^publickeyv1_[1-9A-HJ-NP-Za-km-z]+\n$/) })
  expect(await finished(cwd, ['engine-identity', 'keys/engine.pem'])).toEqual(made)
  expect((await stat(join(cwd, 'keys/engine.pem'))).mode & 0o777).toBe(0o600)
})

test('the schema of a server is brought up to date as a job, twice without harm', async ({ skip }) => {
  skip(process.env.TEST_DATABASE_URL === undefined, 'skipped: PostgreSQL')
  const cwd = await preparedDirectory()
  const { url = '', drop } = await createEmptyDatabase()
  onTestFinished(drop)
  const done = { code: 0, text: `The schema in ${new URL(url).host} is up to date.\n` }
  expect(await finished(cwd, ['migrate'], { DATABASE_URL: url })).toMatchObject(done)
  expect(await finished(cwd, ['migrate'], { DATABASE_URL: url })).toMatchObject(done)
})

test('an embedded database needs no such job', async () => {
  expect(await finished(await preparedDirectory(), ['migrate'])).toMatchObject({
    code: 1,
    text: expect.stringContaining('DATABASE_URL is not set'),
  })
})

test('what the embedded database holds is moved to a server, once, and served from there', async ({ skip }) => {
  skip(process.env.TEST_DATABASE_URL === undefined, 'skipped: PostgreSQL')
  const { url = '', drop } = await createEmptyDatabase()
  onTestFinished(drop)
  const cwd = await emptyDirectory() // with an embedded database, which is not what tests on a server prepare
  const token = `slc_${'first'.repeat(8)}`
  const server = await serving(cwd, { SLUICE_BOOTSTRAP_TOKEN: token })
  const there = { DATABASE_URL: url }
  expect(await finished(cwd, ['move'], there)).toMatchObject({
    code: 1,
    text: expect.stringContaining('is in use by process'),
  })
  await sensitive(server, token)
  await server.stop()
  expect(await finished(cwd, ['move'])).toMatchObject({
    code: 1,
    text: expect.stringContaining('DATABASE_URL is not set'),
  })

  expect(await finished(cwd, ['move'], there)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^organizations: 1\n(.*\n)*\d+ rows were moved to /m),
  })
  const left = await readdir(join(cwd, '.sluice'))
  expect(left).toContainEqual(expect.stringMatching(/^database-moved-\d+$/))
  expect(await finished(cwd, ['move'], there)).toMatchObject({
    code: 1,
    text: expect.stringContaining('There is no embedded database'),
  })
  const moved = await serving(cwd, there)
  const answer = await moved.ask(token, '/default-value-definitions')
  expect(await answer.json()).toMatchObject({ data: [{ key: 'password' }] })
  await moved.stop()
})
