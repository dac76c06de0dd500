import { expect, test } from 'vitest'
import { everyCase } from '../../../../../../testing/every-case.ts'
import type { NetworkReading, ServiceSettings } from '../../../cloud/facts/release-parts.ts'
import { checkFargateSize } from './fargate-size.ts'
import { checkNetwork } from './network.ts'
import { checkTargets } from './running-service.ts'
import { placeOfSecret } from './secrets.ts'

const place = { region: 'eu-west-1', account: '111122223333' }

test(
  'a secret is found by its reference in a task definition',
  everyCase(
    [
      ['/shop/password', { service: 'ssm', id: '/shop/password' }],
      ['password', { service: 'ssm', id: 'password' }],
      ['arn:aws:ssm:eu-west-1:111122223333:parameter/shop/a', { service: 'ssm', ...place, id: '/shop/a' }],
      ['arn:aws:ssm:eu-west-1:111122223333:parameter/a', { service: 'ssm', ...place, id: 'a' }],
      [
        'arn:aws:secretsmanager:eu-west-1:111122223333:secret:shop/token-AbCdEf:key:AWSCURRENT:',
        {
          service: 'secretsmanager',
          ...place,
          id: 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:shop/token-AbCdEf',
        },
      ],
    ] as const,
    (valueFrom, found) => {
      expect(placeOfSecret(valueFrom)).toEqual(found)
    },
  ),
)

test(
  'Fargate offers certain combinations of CPU and memory',
  everyCase(
    [
      ['256', '512', true],
      ['.25 vCPU', '0.5 GB', true],
      ['1 vcpu', '8GB', true],
      ['16384', '122880', true],
      ['256', '4096', false],
      ['300', '512', false],
      ['', '', false],
      ['256 GB', '512', false],
    ] as const,
    (cpu, memory, isOffered) => {
      expect(checkFargateSize({ cpu, memory }, true)).toHaveLength(isOffered ? 0 : 1)
      expect(checkFargateSize({ cpu, memory }, false), 'instances of a cluster have no such sizes').toEqual([])
    },
  ),
)

const settings: ServiceSettings = {
  isFargate: true,
  desiredCount: 4,
  maximumPercent: 200,
  subnetIds: ['subnet-1'],
  securityGroupIds: [],
}
const network = (availableIpAddressCount: number): NetworkReading => ({
  subnets: [{ id: 'subnet-1', availableIpAddressCount }],
  missingSubnetIds: [],
  missingSecurityGroupIds: [],
})

test(
  'a release needs addresses for the tasks that it starts before it stops others',
  everyCase(
    [
      ['rolling', 200, 4, []],
      ['rolling', 200, 3, ['WARNING']],
      ['rolling', 150, 2, []],
      ['rolling', 200, 0, ['ERROR']],
      ['rolling', 100, 0, []],
      ['blue_green', 100, 4, []],
      ['blue_green', 200, 3, ['ERROR']],
    ] as const,
    (type, maximumPercent, free, severities) => {
      const strategy = type === 'rolling' ? { type } : { type, bakeTimeInMinutes: 0, pauseStages: [] }
      const findings = checkNetwork({ strategy }, { ...settings, maximumPercent }, network(free))
      expect(findings.map(({ severity }) => severity)).toEqual(severities)
    },
  ),
)

test('unhealthy targets of the running version cause a warning with the reason', () => {
  const healthy = { address: '10.0.0.1', state: 'healthy', reason: undefined }
  const unhealthy = { address: '10.0.0.2', state: 'unhealthy', reason: 'Target.ResponseCodeMismatch: 404' }
  expect(checkTargets({ arn: 'arn:blue', targets: [healthy] })).toEqual([])
  expect(checkTargets({ arn: 'arn:blue', targets: [healthy, unhealthy] })).toMatchObject([
    {
      severity: 'WARNING',
      code: 'TARGETS_UNHEALTHY',
      message: expect.stringContaining('1 of 2 targets of the running version in arn:blue are unhealthy (Target.Resp'),
    },
  ])
})
