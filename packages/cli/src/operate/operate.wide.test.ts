import { randomBytes } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { preparedDirectory, runToCompletion } from '../testing/command-line.ts'
import { startReadyService, storeSensitiveValue } from './serving.fixture.ts'

test('a key is rotated: with both keys, then after reencryption with the new one alone; and a lost key has a remedy', async () => {
  const cwd = await preparedDirectory()
  const token = `slc_${'first'.repeat(8)}`
  const server = await startReadyService(cwd, { SLUICE_BOOTSTRAP_TOKEN: token })
  await storeSensitiveValue(server, token)
  expect(await runToCompletion(cwd, ['reseal'])).toMatchObject({
    code: 1,
    text: expect.stringContaining('is in use by process'),
  })
  await server.stop()

  const old = (await readFile(join(cwd, '.sluice', 'encryption-key'), 'utf8')).trim()
  const fresh = randomBytes(32).toString('base64')
  const alone = { SLUICE_ENCRYPTION_KEYS: fresh }
  expect(await runToCompletion(cwd, ['reseal'], alone)).toMatchObject({
    code: 1,
    text: expect.stringContaining('encrypted with another key'),
  })
  const resealed = await runToCompletion(cwd, ['reseal'], { SLUICE_ENCRYPTION_KEYS: `${fresh},${old}` })
  expect(resealed).toMatchObject({ code: 0, text: expect.stringContaining('default_values.held: 1 of 1\n') })
  await (await startReadyService(cwd, alone)).stop()

  const another = { SLUICE_ENCRYPTION_KEYS: randomBytes(32).toString('base64') }
  expect(await runToCompletion(cwd, ['forget-lost-keys'], another)).toMatchObject({
    code: 1,
    text: expect.stringContaining('--yes'),
  })
  const forgotten = await runToCompletion(cwd, ['forget-lost-keys', '--yes'], another)
  expect(forgotten).toMatchObject({ code: 0, text: expect.stringContaining('Forgot 1 key.') })
  expect((await runToCompletion(cwd, ['reseal'], another)).text).toContain(
    'default_values.held: 0 of 1, 1 cannot be opened',
  )
  await (await startReadyService(cwd, another)).stop()
})

test('an owner’s key is created through the database and recorded in the organization’s audit log', async () => {
  const cwd = await preparedDirectory()
  expect(await runToCompletion(cwd, ['owner-token'])).toMatchObject({
    code: 1,
    text: expect.stringContaining('no organization yet'),
  })
  await (await startReadyService(cwd)).stop()
  const { code, stdout } = await runToCompletion(cwd, ['owner-token'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^slc_\S{32,}\n$/)
  expect(await runToCompletion(cwd, ['owner-token', '--organization', 'nobody'])).toMatchObject({
    code: 1,
    text: expect.stringContaining('given id nobody'),
  })
  const server = await startReadyService(cwd)
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

test('the engine’s key is created once, readable only by its owner, and the public key is printed', async () => {
  const cwd = await preparedDirectory()
  const made = await runToCompletion(cwd, ['engine-identity', 'keys/engine.pem'])
  expect(made).toMatchObject({ code: 0, text: expect.stringMatching(/^publickeyv1_[1-9A-HJ-NP-Za-km-z]+\n$/) })
  expect(await runToCompletion(cwd, ['engine-identity', 'keys/engine.pem'])).toEqual(made)
  expect((await stat(join(cwd, 'keys/engine.pem'))).mode & 0o777).toBe(0o600)
})

test('an embedded database needs no migration job', async () => {
  expect(await runToCompletion(await preparedDirectory(), ['migrate'])).toMatchObject({
    code: 1,
    text: expect.stringContaining('DATABASE_URL is not set'),
  })
})
