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

test('analysis of a service continues once and rolls back once, and each result counts once, whenever the service dies', async () => {
  const { service, cloud, people, user, deadly, answeredMeasurements } = await startCrashingService()

  deadly.push({ at: 'sent', operation: /ContinueServiceDeployment/ })
  const fine = await user.lookOn((await user.deploy(people.service, 'shop/app:fine')).id)
  expect(fine.status).toBe('SUCCESS')
  expect(await analysisOfRelease(people, fine)).toMatchObject(successfulAnalysis)
  expect(decisions(fine)).toHaveLength(1)
  expect(await requestsOf(cloud, 'ContinueServiceDeployment')).toHaveLength(1)

  const before = answeredMeasurements()
  deadly.push({ at: 'done', operation: measurement }, { at: 'sent', operation: /StopServiceDeployment/ })
  const wrong = await user.lookOn((await user.deploy(people.service, 'shop/app:wrong')).id)
  expect(wrong).toMatchObject(rolledBackByAnalysis)
  expect(await analysisOfRelease(people, wrong)).toMatchObject(failedAnalysis)
  expect(answeredMeasurements() - before, 'measurements that the service lived to see').toBeGreaterThanOrEqual(2)
  expect(decisions(wrong)).toHaveLength(1)
  expect(await requestsOf(cloud, 'StopServiceDeployment')).toHaveLength(1)

  expect(service.kills).toBe(3)
  expect(service.ownEnds).toEqual([])
})
