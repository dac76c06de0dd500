import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createEmptyDatabase } from '@sluice/server/testing/database'
import { expect, onTestFinished, test } from 'vitest'
import { untilPasses } from '../../../../testing/until-passes.ts'
import { emptyDirectory, preparedDirectory, run, runToCompletion } from '../testing/command-line.ts'
import { startReadyService, storeSensitiveValue } from './serving.fixture.ts'

test('the schema of a server is migrated by a job, which can be repeated', async ({ skip }) => {
  skip(process.env.TEST_DATABASE_URL === undefined, 'skipped: PostgreSQL')
  const cwd = await preparedDirectory()
  const { url = '', drop } = await createEmptyDatabase()
  onTestFinished(drop)
  const done = { code: 0, text: `The schema in ${new URL(url).host} is up to date.\n` }
  expect(await runToCompletion(cwd, ['migrate'], { DATABASE_URL: url })).toMatchObject(done)
  expect(await runToCompletion(cwd, ['migrate'], { DATABASE_URL: url })).toMatchObject(done)
})

test('a process waits for the migration by another one and changes nothing itself', async ({ skip }) => {
  skip(process.env.TEST_DATABASE_URL === undefined, 'skipped: PostgreSQL')
  const cwd = await preparedDirectory()
  const { url = '', drop } = await createEmptyDatabase()
  onTestFinished(drop)
  const waiting = run(cwd, ['migrate', '--wait'], { DATABASE_URL: url })
  const reason = 'The database has no tables of Sluice yet. Waiting for sluice migrate.'
  await untilPasses(() => expect(waiting.output.text).toContain(reason))
  const done = `The schema in ${new URL(url).host} is up to date.\n`
  expect(await runToCompletion(cwd, ['migrate'], { DATABASE_URL: url })).toMatchObject({ code: 0, text: done })
  expect(await waiting.exitCode).toBe(0)
  expect(waiting.output.text).toBe(`${reason}\n${done}`)
})

test('an embedded database is moved to a server once and served from there', async ({ skip }) => {
  skip(process.env.TEST_DATABASE_URL === undefined, 'skipped: PostgreSQL')
  const { url = '', drop } = await createEmptyDatabase()
  onTestFinished(drop)
  const cwd = await emptyDirectory() // with an embedded database, which tests on a server do not prepare
  const token = `slc_${'first'.repeat(8)}`
  const server = await startReadyService(cwd, { SLUICE_BOOTSTRAP_TOKEN: token })
  const there = { DATABASE_URL: url }
  expect(await runToCompletion(cwd, ['move'], there)).toMatchObject({
    code: 1,
    text: expect.stringContaining('is in use by process'),
  })
  await storeSensitiveValue(server, token)
  await server.stop()
  expect(await runToCompletion(cwd, ['move'])).toMatchObject({
    code: 1,
    text: expect.stringContaining('DATABASE_URL is not set'),
  })

  expect(await runToCompletion(cwd, ['move'], there)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^organizations: 1\n(.*\n)*\d+ rows were moved to /m),
  })
  const left = await readdir(join(cwd, '.sluice'))
  expect(left).toContainEqual(expect.stringMatching(/^database-moved-\d+$/))
  expect(await runToCompletion(cwd, ['move'], there)).toMatchObject({
    code: 1,
    text: expect.stringContaining('There is no embedded database'),
  })
  const moved = await startReadyService(cwd, there)
  const answer = await moved.ask(token, '/default-value-definitions')
  expect(await answer.json()).toMatchObject({ data: [{ key: 'password' }] })
  await moved.stop()
})
