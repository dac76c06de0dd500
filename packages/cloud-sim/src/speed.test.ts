import { CreateClusterCommand, CreateServiceCommand } from '@aws-sdk/client-ecs'
import { expect, test } from 'vitest'
import { untilPasses } from '../../../testing/until-passes.ts'
import type { SimControl } from './sim-control.ts'
import { account, onFargate, registerTaskDefinition, startCloud } from './testing/cloud.ts'

/** Many services, because the race has a window of a millisecond. */
const names = Array.from({ length: 200 }, (_, number) => `web-${number}`)

test('at any speed of the clock, every deployment completes', async () => {
  await using cloud = await startCloud()
  const { ecs, control } = cloud
  await control.setSpeed(6_000)
  await ecs.send(new CreateClusterCommand({ clusterName: 'main' }))
  const taskDefinition = await registerTaskDefinition(cloud, 'web:1')
  for (const serviceName of names) {
    await ecs.send(
      new CreateServiceCommand({ cluster: 'main', serviceName, taskDefinition, desiredCount: 1, ...onFargate }),
    )
  }
  for (const name of names) {
    await untilPasses(async () => expect(await endsOf(control, name)).toEqual(['SUCCESSFUL']))
  }
})

async function endsOf(control: SimControl, name: string): Promise<string[]> {
  const { deployments } = (await control.service(account, 'main', name)) as { deployments: { status: string }[] }
  return deployments.map(({ status }) => status)
}
