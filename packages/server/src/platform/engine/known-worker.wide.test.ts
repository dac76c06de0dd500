import { expect, test } from 'vitest'
import { untilPasses } from '../../../../../testing/until-passes.ts'
import { eventually } from '../../testing/eventually.ts'
import { ask } from './address.ts'
import { listDeployments } from './admin.ts'
import { emptyDirectory, openEngine, recorder } from './engine.fixture.ts'

test('a worker whose registration was removed registers again, and running work continues', async () => {
  const { service, received, gate } = recorder()
  const { engine, admin } = await openEngine(await emptyDirectory())
  await engine.serve([service])
  expect(await engine.knowsWorker()).toBe(true)
  gate.closed = true
  await engine.send('recorder', 'under way', 'pass')
  await engine.send('recorder', 'under way', 'record', 'after it')
  await untilPasses(() => expect(gate.knocks).toBeGreaterThan(0))

  const [known] = await listDeployments(admin)
  const question = { method: 'DELETE', withinMs: 5_000 } as const
  expect(await ask(admin, `/deployments/${known?.id}?force=true`, question)).toMatchObject({ status: 202 })
  await untilPasses(async () => expect(await engine.knowsWorker()).toBe(false))
  await eventually('the worker to be registered again', () => engine.knowsWorker().catch(() => false), Boolean)
  gate.closed = false
  await engine.send('recorder', 'new', 'record', 1)
  await untilPasses(() => expect(received.new).toEqual([1]))
  await untilPasses(() => expect(received['under way']).toEqual(['passed', 'after it']))
})
