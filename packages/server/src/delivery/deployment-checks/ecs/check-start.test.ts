import { expect, test, vi } from 'vitest'
import type { CloudClients } from '../../../cloud/adapter/access.ts'
import { CloudTransientError } from '../../../cloud/adapter/cloud-call.ts'
import type { EcsRelease } from '../../deployments/types/ecs/release.ts'
import { createStartChecks } from './check-start.ts'

const release = {
  type: 'cloud:ecs',
  region: 'eu-west-1',
  serviceArn: 'arn:aws:ecs:eu-west-1:123456789012:service/shop/web',
  taskDefinition: {
    register: {
      family: 'web',
      executionRoleArn: 'arn:aws:iam::123456789012:role/web',
      containerDefinitions: [{ name: 'web', image: '123456789012.dkr.ecr.eu-west-1.amazonaws.com/web:1' }],
    },
  },
} as unknown as EcsRelease

/** Returns clients all of whose members throw an error. */
const failing = (error: Error) =>
  new Proxy({} as CloudClients, {
    get() {
      throw error
    },
  })

test('a release starts in spite of a defect in a check, which is logged', async () => {
  const log = { error: vi.fn() }
  const check = createStartChecks(log)(failing(new TypeError('a defect')), release, new Date())
  await expect(check).resolves.toBeUndefined()
  expect(log.error).toHaveBeenCalledWith({ err: new TypeError('a defect') }, expect.stringContaining('unchecked'))
})

test('a read that the cloud did not answer is no defect', async () => {
  const log = { error: vi.fn() }
  await createStartChecks(log)(failing(new CloudTransientError('Rate exceeded')), release, new Date()).catch(() => {})
  expect(log.error).not.toHaveBeenCalled()
})
