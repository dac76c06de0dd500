import { expect, test } from 'vitest'
import { addExtraCost, type PricedResource } from './extra-cost.ts'
import type { EcsChange } from './job.ts'

const scenario = { name: 'NO_FAULT', status: 'SUCCESS' as const, extraTaskSeconds: 60, timeline: [] }

/** Returns the attributes by which the price of a task is looked up. */
async function attributesOf(definition: object, service: object): Promise<PricedResource['attributes'] | undefined> {
  let asked: PricedResource | undefined
  const change = { type: 'cloud:ecs', twin: { definition, service } } as unknown as EcsChange
  await addExtraCost([scenario], change, async (resource) => {
    asked = resource
    return undefined
  })
  return asked?.attributes
}

const providers = (...names: string[]) => ({
  capacityProviderStrategy: names.map((capacityProvider) => ({ capacityProvider })),
})

test.for([
  [
    'a launch type',
    { cpu: '256', memory: '512' },
    { launchType: 'FARGATE' },
    { cpu: '256', memory: '512', launch_type: 'FARGATE' },
  ],
  ['sizes in words', { cpu: '.25 vCPU', memory: '2 GB' }, {}, { cpu: '256', memory: '2048' }],
  ['no size', {}, { launchType: 'EC2' }, { launch_type: 'EC2' }],
  ['one capacity provider', {}, providers('FARGATE_SPOT'), { launch_type: 'FARGATE_SPOT' }],
  ['two capacity providers', {}, providers('FARGATE', 'FARGATE_SPOT'), {}],
] as const)('the price of a task with %s depends on these attributes', async ([, definition, service, attributes]) => {
  expect(await attributesOf(definition, service)).toEqual(attributes)
})

test('the cost is added to scenarios that ran', async () => {
  const change = { type: 'cloud:ecs', twin: { definition: {}, service: {} } } as unknown as EcsChange
  const failed = { name: 'TASKS_CRASH', status: 'ERROR' as const, timeline: [] }
  const costOf = (seconds: number) => ({ currency: 'EUR', amount: `${seconds}.00` })
  const scenarios = await addExtraCost([scenario, failed], change, async () => costOf)
  expect(scenarios).toEqual([{ ...scenario, extraCost: { currency: 'EUR', amount: '60.00' } }, failed])
})
