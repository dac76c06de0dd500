import { DeleteAliasCommand, UpdateAliasCommand } from '@aws-sdk/client-lambda'
import type { DeploymentCheck } from '@sluice/contract'
import { beforeAll, expect, test } from 'vitest'
import { testFunction } from '../../testing/functions.ts'
import { createGroup, untilReachable } from '../../testing/machine-group.ts'
import { createTestSite } from '../../testing/static-site.ts'
import { sharedWorld, type TestOrganization, type World } from '../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

const check = ({ client }: TestOrganization, moduleInstanceId: string, inputs: Record<string, unknown>) =>
  client.done<DeploymentCheck>('POST', '/deployment-checks', { data: { moduleInstanceId, description: '', inputs } })

const codesOf = ({ findings }: DeploymentCheck) => findings.map(({ severity, code }) => `${severity} ${code}`)
const remedies = ({ unchecked }: DeploymentCheck) => unchecked.map(({ remedy }) => remedy).join()

test('a function, its alias, role and code must exist', async () => {
  const org = await world.organization()
  const { moduleInstanceId, functionArn } = await testFunction(org)
  const name = functionArn.split(':').at(-1) ?? ''
  const roleArn = `arn:aws:iam::${org.accountNumber}:role/${name}`
  const checkCode = (s3_key: string) => check(org, moduleInstanceId, { s3_key })

  expect(codesOf(await checkCode('v2.zip'))).toEqual(['ERROR ROLE_MISSING'])
  await world.cloud.putRole({ roleArn, trustedService: 'lambda.amazonaws.com' })
  expect(await checkCode('v2.zip')).toMatchObject({ outcome: 'CAN_SUCCEED', findings: [], unchecked: [] })
  expect(codesOf(await checkCode('v2-missing.zip'))).toEqual(['ERROR CODE_MISSING'])

  await org.deny('lambda:UpdateFunctionCode', 'lambda:GetAlias')
  const denied = await checkCode('v2.zip')
  expect(codesOf(denied)).toEqual(['ERROR PERMISSION_MISSING', 'ERROR PERMISSION_MISSING'])
  expect(remedies(denied)).toMatch(/lambda:GetAlias.*lambda:UpdateFunctionCode/)

  await org.deny()
  await org.clients.lambda.send(new DeleteAliasCommand({ FunctionName: name, Name: 'live' }))
  expect(codesOf(await checkCode('v2.zip'))).toEqual(['ERROR ALIAS_MISSING'])
})

const canary = {
  type: 'canary',
  bake_time_in_minutes: 0,
  canary: { canary_percent: 10, canary_bake_time_in_minutes: 0 },
}

test('an alias at $LATEST does not support weighted routing', async () => {
  const org = await world.organization()
  const { moduleInstanceId, functionArn } = await testFunction(org, { strategy: canary })
  const name = functionArn.split(':').at(-1) ?? ''
  await world.cloud.putRole({
    roleArn: `arn:aws:iam::${org.accountNumber}:role/${name}`,
    trustedService: 'lambda.amazonaws.com',
  })
  await org.clients.lambda.send(
    new UpdateAliasCommand({ FunctionName: name, Name: 'live', FunctionVersion: '$LATEST' }),
  )
  expect(codesOf(await check(org, moduleInstanceId, { s3_key: 'v2.zip' }))).toEqual(['ERROR CALLS_NOT_SHARED'])
})

test('the files, distributions and store of a site must exist', async () => {
  const org = await world.organization()
  const { moduleInstanceId } = await createTestSite(world, org)
  const checkFiles = (directory: string) => check(org, moduleInstanceId, { directory })

  expect(await checkFiles('r/2')).toMatchObject({ outcome: 'CAN_SUCCEED', findings: [], unchecked: [] })
  const empty = await checkFiles('r/9')
  expect(codesOf(empty)).toEqual(['ERROR FILES_MISSING'])
  expect(empty.findings[0]?.inputs).toEqual([{ of: 'DEPLOYMENT', name: 'directory' }])

  await org.deny('s3:ListBucket', 'cloudfront:GetDistribution', 'cloudfront-keyvaluestore:*')
  const denied = await checkFiles('r/2')
  expect(new Set(codesOf(denied))).toEqual(new Set(['ERROR PERMISSION_MISSING']))
  expect(remedies(denied)).toMatch(/s3:ListBucket.*KeyValueStore.*cloudfront:GetDistribution/)

  await org.deny()
  const missing = await createTestSite(world, org, {
    site: {
      bucket: 'sluice-no-such-bucket',
      distribution_arn: `arn:aws:cloudfront::${org.accountNumber}:distribution/ENONE`,
      keyvaluestore_arn: `arn:aws:cloudfront::${org.accountNumber}:key-value-store/00000000-0000-4000-8000-000000000000`,
    },
    releases: [],
  } as never)
  const codes = codesOf(await check(org, missing.moduleInstanceId, { directory: 'r/1' })).toSorted()
  expect(codes).toEqual(['DISTRIBUTION_MISSING', 'FILES_MISSING', 'KEY_VALUE_STORE_MISSING'].map((c) => `ERROR ${c}`))
})

test('a group must exist, with instances that accept commands', async () => {
  const org = await world.organization()
  const group = await createGroup(world, org, { size: 2 })
  const [instanceId = ''] = await untilReachable(org, group, 2)
  const checkImage = (moduleInstanceId: string) => check(org, moduleInstanceId, { image_ref: 'shop/worker:2' })

  expect(await checkImage(group.moduleInstanceId)).toMatchObject({ outcome: 'UNKNOWN', findings: [] })
  await world.cloud.putAgent({ instanceId, status: 'ConnectionLost' })
  expect(codesOf(await checkImage(group.moduleInstanceId))).toEqual(['WARNING INSTANCE_UNREACHABLE'])

  await org.deny('ssm:SendCommand', 'ssm:DescribeInstanceInformation')
  const denied = await checkImage(group.moduleInstanceId)
  expect(new Set(codesOf(denied))).toEqual(new Set(['ERROR PERMISSION_MISSING']))
  expect(remedies(denied)).toContain('ssm:DescribeInstanceInformation')
})
