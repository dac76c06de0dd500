import { expect, test } from 'vitest'
import { untilPasses } from '../../../../../testing/until-passes.ts'
import { createClock } from '../clock.ts'
import { TurnTimeout } from '../db/connections/turns.ts'
import { emptyDirectory, openEngine, watchfulLog } from './engine.fixture.ts'
import { createRecordObject } from './keyed-by-record.ts'

test('a call that gets no turn comes again later, without a failed attempt', async () => {
  const { log, troubles } = watchfulLog()
  const { engine } = await openEngine(await emptyDirectory(), { log })
  const payloads: unknown[] = []
  let isBusy = true
  const service = createRecordObject<object, { seq: number }>({
    service: 'record',
    handler: 'advance',
    journaledAs: 'advance',
    async workOn(_id, work) {
      if (!isBusy) return work({})
      isBusy = false
      throw new TurnTimeout('it was not its turn')
    },
    async step(_parts, { payload }) {
      payloads.push(payload)
      return []
    },
  })
  await engine.serve([service(createClock(() => new Date()))])
  await engine.send('record', 'one', 'advance', { seq: 7 })
  await untilPasses(() => expect(payloads, 'see TurnTimeout in keyed-by-record.ts').toHaveLength(1))
  expect(payloads[0]).toMatchObject({ seq: 7 })
  expect(troubles, 'no attempt failed').toEqual([])
})
