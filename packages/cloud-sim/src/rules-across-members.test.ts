import { CreateAutoScalingGroupCommand } from '@aws-sdk/client-auto-scaling'
import { CloudWatchClient, ListMetricsCommand, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch'
import { CreateRepositoryCommand, ECRClient } from '@aws-sdk/client-ecr'
import { CreateTargetGroupCommand } from '@aws-sdk/client-elastic-load-balancing-v2'
import {
  CreateBucketCommand,
  GetBucketAclCommand,
  PutBucketAclCommand,
  PutBucketOwnershipControlsCommand,
} from '@aws-sdk/client-s3'
import { CreateSecretCommand, GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { PutParameterCommand } from '@aws-sdk/client-ssm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { region, startCloud, type TestCloud } from './testing/cloud.ts'

let cloud: TestCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterAll(() => cloud[Symbol.asyncDispose]())

test('a group has one source of its instances', async () => {
  const sizes = { AutoScalingGroupName: 'workers', MinSize: 0, MaxSize: 1 }
  const LaunchTemplate = { LaunchTemplateId: 'lt-0a1b2c3d4e5f60718' }
  for (const sources of [{}, { LaunchConfigurationName: 'old', LaunchTemplate }]) {
    const create = cloud.autoScaling.send(new CreateAutoScalingGroupCommand({ ...sizes, ...sources }))
    await expect(create).rejects.toMatchObject({ name: 'ValidationError', message: /^Valid requests must contain/ })
  }
  await cloud.autoScaling.send(new CreateAutoScalingGroupCommand({ ...sizes, LaunchTemplate }))
})

test('a repository can have tag filters only with a mutability that has exclusions', async () => {
  const ecr = new ECRClient(cloud.settings)
  const imageTagMutabilityExclusionFilters = [{ filterType: 'WILDCARD' as const, filter: 'latest*' }]
  const create = (imageTagMutability: 'MUTABLE' | 'IMMUTABLE_WITH_EXCLUSION') =>
    ecr.send(
      new CreateRepositoryCommand({ repositoryName: 'web', imageTagMutability, imageTagMutabilityExclusionFilters }),
    )
  await expect(create('MUTABLE')).rejects.toMatchObject({ name: 'InvalidParameterException' })
  await create('IMMUTABLE_WITH_EXCLUSION')
  ecr.destroy()
})

test('overwriting a parameter cannot set tags', async () => {
  const input = { Name: '/shop/level', Value: 'info', Type: 'String' as const, Tags: [{ Key: 'team', Value: 'shop' }] }
  await cloud.ssm.send(new PutParameterCommand(input))
  const overwrite = cloud.ssm.send(new PutParameterCommand({ ...input, Overwrite: true }))
  await expect(overwrite).rejects.toMatchObject({ name: 'ValidationException', message: /tags and overwrite/ })
})

test('health checks of a target group expect codes that its protocol allows', async () => {
  const create = (Name: string, HttpCode: string) =>
    cloud.elb.send(new CreateTargetGroupCommand({ Name, Port: 80, Protocol: 'HTTP', Matcher: { HttpCode } }))
  await create('codes', '200,301-302')
  for (const code of ['abc', '500', '200-']) {
    await expect(create('wrong', code)).rejects.toMatchObject({ name: 'ValidationError' })
  }
})

test('a secret has a value only for its current stage', async () => {
  const secrets = new SecretsManagerClient(cloud.settings)
  await secrets.send(new CreateSecretCommand({ Name: 'token', SecretString: 'x' }))
  const read = (VersionStage: string) => secrets.send(new GetSecretValueCommand({ SecretId: 'token', VersionStage }))
  expect(await read('AWSCURRENT')).toMatchObject({ SecretString: 'x' })
  await expect(read('AWSPENDING')).rejects.toMatchObject({ name: 'ResourceNotFoundException' })
  secrets.destroy()
})

test('metrics are listed by dimension without a token', async () => {
  const cloudWatch = new CloudWatchClient(cloud.settings)
  const data = ['web', 'api'].map((Value) => ({
    MetricName: 'Errors',
    Value: 1,
    Dimensions: [{ Name: 'Service', Value }],
  }))
  await cloudWatch.send(new PutMetricDataCommand({ Namespace: 'Shop', MetricData: data }))
  const list = (input: object) => cloudWatch.send(new ListMetricsCommand({ Namespace: 'Shop', ...input }))
  expect((await list({ Dimensions: [{ Name: 'Service' }] })).Metrics).toHaveLength(2)
  expect((await list({ Dimensions: [{ Name: 'Service', Value: 'web' }] })).Metrics).toHaveLength(1)
  await expect(list({ NextToken: 'abc' })).rejects.toMatchObject({ name: 'InvalidParameterValueException' })
  cloudWatch.destroy()
})

test('a bucket policy can allow log delivery, which the model of S3 lacks', async () => {
  const { s3 } = cloud
  const Bucket = 'logs'
  const CreateBucketConfiguration = { LocationConstraint: region as 'eu-west-1' }
  await s3.send(new CreateBucketCommand({ Bucket, CreateBucketConfiguration }))
  const Rules = [{ ObjectOwnership: 'BucketOwnerPreferred' as const }]
  await s3.send(new PutBucketOwnershipControlsCommand({ Bucket, OwnershipControls: { Rules } }))
  await s3.send(new PutBucketAclCommand({ Bucket, ACL: 'log-delivery-write' as 'private' }))
  const { Grants } = await s3.send(new GetBucketAclCommand({ Bucket }))
  expect(Grants?.map(({ Permission }) => Permission)).toEqual(['FULL_CONTROL', 'WRITE', 'READ_ACP'])
})
