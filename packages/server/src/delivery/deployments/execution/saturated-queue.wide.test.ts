import { expect, test } from 'vitest'
import { startWorld } from '../../../testing/world.ts'

const token = 'reads-the-metrics-of-this-test-alone'
/** More than the maximum number of concurrent handlers of one organization, so that the last ones wait. */
const deploymentCount = 26
/** Three times the interval after which the reconciler retries a record, in milliseconds. */
const slowMs = 9_000

const messages = /^sluice_engine_message_duration_seconds_count\{object="deployment",result="ok"\} (\d+)$/m
const sentAgain = /^sluice_wakeups_sent_again_total\{object="deployment"\} (\d+)$/m

test('deployments that wait in a saturated queue use as many messages as others', async () => {
  await using world = await startWorld({ env: { SLUICE_METRICS_TOKEN: token } })
  const org = await world.organization({ delivery: false })
  const instances: Awaited<ReturnType<typeof org.service>>[] = []
  while (instances.length < deploymentCount) instances.push(await org.service(null))
  const countOf = async (metric: RegExp) => {
    const answer = await fetch(`${world.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
    return Number(metric.exec(await answer.text())?.[1] ?? 0)
  }
  const releaseAll = async (image: string) => {
    const before = [await countOf(messages), await countOf(sentAgain)] as const
    const begun = await Promise.all(instances.map(({ moduleInstanceId }) => org.deploy(moduleInstanceId, image)))
    await Promise.all(begun.map(({ id }) => org.untilStatus(id, 'SUCCESS')))
    return { sent: (await countOf(messages)) - before[0], sentAgain: (await countOf(sentAgain)) - before[1] }
  }

  const free = await releaseAll('shop/app:2')
  await org.fault({ kind: 'slow', operation: 'RegisterTaskDefinition', delayMs: slowMs })
  const saturated = await releaseAll('shop/app:3')
  const perDeployment = ({ sent }: { sent: number }) => Math.round((sent / deploymentCount) * 10) / 10
  console.log(`messages of each deployment: ${perDeployment(free)}, in a saturated queue ${perDeployment(saturated)}`)
  expect(saturated.sentAgain, 'messages that a sweep sent again: see reconciler.ts').toBe(0)
  expect(perDeployment(saturated), 'messages of each deployment').toBeLessThan(perDeployment(free) + 1)
})
