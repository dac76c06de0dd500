import { expect, test } from 'vitest'
import {
  analysisOfRelease,
  decisions,
  failedAnalysis,
  measurement,
  requestsOf,
  rolledBackByAnalysis,
  startCrashingService,
  successfulAnalysis,
} from './analysis-world.ts'

test('analysis of a function continues once and rolls back once, and each result counts once, whenever the service dies', async () => {
  const { service, cloud, people, user, deadly, answeredMeasurements } = await startCrashingService()
  const isMove = /^PUT .*\/aliases\//

  deadly.push({ at: 'sent', operation: isMove })
  const { id } = await user.deploy(people.functionBefore, 'fine', { s3_key: 'fine.zip' })
  const fine = await user.lookOn(id)
  expect(fine.status).toBe('SUCCESS')
  expect(await analysisOfRelease(people, fine)).toMatchObject(successfulAnalysis)
  expect(decisions(fine)).toHaveLength(1)
  expect(await requestsOf(cloud, 'UpdateAlias')).toMatchObject([{ FunctionVersion: '2' }])

  const before = answeredMeasurements()
  deadly.push({ at: 'done', operation: measurement }, { at: 'sent', operation: isMove })
  const started = await user.deploy(people.functionAfter, 'wrong', { s3_key: 'wrong.zip' })
  const wrong = await user.lookOn(started.id)
  expect(wrong).toMatchObject(rolledBackByAnalysis)
  expect(await analysisOfRelease(people, wrong)).toMatchObject(failedAnalysis)
  expect(answeredMeasurements() - before, 'measurements that the service lived to see').toBeGreaterThanOrEqual(2)
  expect(decisions(wrong)).toHaveLength(1)
  const moves = (await requestsOf(cloud, 'UpdateAlias')).slice(1)
  expect(moves, 'to the new version, and back').toMatchObject([{ FunctionVersion: '2' }, { FunctionVersion: '1' }])

  expect(service.kills).toBe(3)
  expect(service.ownEnds).toEqual([])
})
