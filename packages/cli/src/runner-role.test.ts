import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { untilPasses } from '../../../testing/until-passes.ts'
import { createTestDatabase } from '../../server/src/testing/database.ts'
import { emptyDirectory, run } from './testing/command-line.ts'

/** Nothing listens on the discard port: neither role calls the engine at its start. */
const nowhere = 'http://127.0.0.1:9'

test('the runner role of earlier versions still starts with its database, logs how to change that, and executes steps', async ({
  skip,
}) => {
  const database = await createTestDatabase()
  onTestFinished(database.drop)
  skip(database.url === undefined, 'skipped: PostgreSQL')
  const common = {
    DATABASE_URL: database.url ?? '',
    SLUICE_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    ENGINE_INGRESS_URL: nowhere,
    ENGINE_ADMIN_URL: nowhere,
    SLUICE_LOG_FORMAT: 'json',
  }
  const api = run(await emptyDirectory(), ['serve', '--roles', 'api', '--port', '0'], common)
  await untilPasses(() => expect(api.output.text).toMatch(/"url":"http:[^"]+"/))
  const [, SLUICE_PUBLIC_URL = ''] = /"url":"(http:[^"]+)"/.exec(api.output.text) ?? []

  const runner = run(await emptyDirectory(), ['serve', '--roles', 'runner'], { ...common, SLUICE_PUBLIC_URL })
  // Logged once the API knows the runner, which gets steps from then on.
  await untilPasses(() => expect(runner.output.text).toContain('the runner is ready'))
  expect(runner.output.text).toContain('A runner needs none of DATABASE_URL')
  expect(runner.output.text).toContain('sluice runner --url')
  expect(api.output.text).toContain('a runner is here')
})
