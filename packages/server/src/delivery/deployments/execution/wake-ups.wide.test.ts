import { expect, test } from 'vitest'
import { startWorld } from '../../../testing/world.ts'

const token = 'reads-the-metrics-of-this-test-alone'
const running = (command: string) => ({ container_overrides: [{ name: 'app', command: [command] }] })
const deploy = { pre_deploy: running('migrate'), post_deploy: { ...running('exit 1'), failure_action: 'ROLLBACK' } }

test('a deployment without events continues by its own timers, without the reconciler', async () => {
  await using world = await startWorld({ env: { SLUICE_METRICS_TOKEN: token } })
  const org = await world.organization({ delivery: false, deploy })
  const { moduleInstanceId } = await org.service(null)

  const sentAgain: number[] = []
  // Not on every try: on a busy machine, the engine may be late enough for the reconciler to send the message again.
  for (let times = 0; times < 4 && !sentAgain.includes(0); times++) {
    const before = await sentAgainIn(world.url)
    const { id } = await org.deploy(moduleInstanceId, `shop/app:${times}`)
    await org.untilStatus(id, 'ROLLED_BACK')
    sentAgain.push((await sentAgainIn(world.url)) - before)
  }

  expect(sentAgain, 'wake-ups that were lost, in each deployment').toContain(0)
})

async function sentAgainIn(url: string): Promise<number> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  expect(answer.status).toBe(200)
  const [, count = '0'] =
    /^sluice_wakeups_sent_again_total\{object="deployment"\} (\d+)$/m.exec(await answer.text()) ?? []
  return Number(count)
}

test('no message is sent again for a deployment whose handler takes longer than its wake-up', async () => {
  await using world = await startWorld({ env: { SLUICE_METRICS_TOKEN: token } })
  const org = await world.organization({ delivery: false })
  const { moduleInstanceId } = await org.service(null)
  await org.fault({ kind: 'slow', operation: 'RegisterTaskDefinition', delayMs: 9_000, times: 1 })
  const before = await sentAgainIn(world.url)
  const { id } = await org.deploy(moduleInstanceId)
  await org.untilStatus(id, 'SUCCESS')
  expect((await sentAgainIn(world.url)) - before, 'messages sent again: see reconciler.ts').toBe(0)
})
