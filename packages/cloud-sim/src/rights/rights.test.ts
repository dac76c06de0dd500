import { CloudWatchLogsClient, CreateLogGroupCommand, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import { ECSClient, RegisterTaskDefinitionCommand, UpdateServiceCommand } from '@aws-sdk/client-ecs'
import { LambdaClient, UpdateFunctionCodeCommand } from '@aws-sdk/client-lambda'
import { CopyObjectCommand, GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs'
import { GetParameterCommand, SendCommandCommand, SSMClient } from '@aws-sdk/client-ssm'
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { services } from '../services.ts'
import { fargateSize, startCloud, type TestCloud } from '../testing/cloud.ts'
import type { Statement } from './policy.ts'

const roleArn = 'arn:aws:iam::111122223333:role/narrow'
let cloud: TestCloud

beforeAll(async () => {
  cloud = await startCloud()
})
afterAll(() => cloud?.[Symbol.asyncDispose]())

/** Returns clients of a role with only these permissions. */
async function allowed(policy: Statement[]) {
  await cloud.control.putRole({ roleArn, policy })
  const { Credentials } = await cloud.sts.send(new AssumeRoleCommand({ RoleArn: roleArn, RoleSessionName: 'one' }))
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '' } = Credentials ?? {}
  const credentials = { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken }
  return { ...cloud.settings, credentials }
}

const allow = (Action: string | string[], Resource: string, Condition?: Statement['Condition']): Statement => ({
  Effect: 'Allow',
  Action,
  Resource,
  ...(Condition && { Condition }),
})

const refused = (action: string, resource: string) => ({
  message: expect.stringContaining(`not authorized to perform: ${action} on resource: ${resource} because`),
})

const definition = (taskRoleArn: string) =>
  new RegisterTaskDefinitionCommand({
    family: 'web',
    containerDefinitions: [{ name: 'web', image: 'web:1' }],
    taskRoleArn,
    ...fargateSize,
  })

test('registering a task definition requires permission to pass its roles to that service', async () => {
  const register = allow('ecs:RegisterTaskDefinition', '*')
  const to = (service: string) => allow('iam:PassRole', '*', { StringEquals: { 'iam:PassedToService': service } })
  const arn = 'arn:aws:iam::111122223333:role/web'
  const without = new ECSClient(await allowed([register, to('lambda.amazonaws.com')]))
  await expect(without.send(definition(arn))).rejects.toMatchObject(refused('iam:PassRole', arn))
  await expect(without.send(definition('web'))).rejects.toMatchObject(refused('iam:PassRole', arn))
  const withIt = new ECSClient(await allowed([register, to('ecs-tasks.amazonaws.com')]))
  expect((await withIt.send(definition(arn))).taskDefinition?.taskRoleArn).toBe(arn)
})

test('releasing a task definition requires permission to pass its roles, and other changes do not', async () => {
  const all = new ECSClient(await allowed([allow('*', '*')]))
  const { taskDefinition } = await all.send(definition('web'))
  const ecs = new ECSClient(await allowed([allow('ecs:UpdateService', '*')]))
  const release = { service: 'web', taskDefinition: taskDefinition?.taskDefinitionArn }
  const arn = 'arn:aws:iam::111122223333:role/web'
  await expect(ecs.send(new UpdateServiceCommand(release))).rejects.toMatchObject(refused('iam:PassRole', arn))
  const scale = new UpdateServiceCommand({ service: 'web', desiredCount: 3 })
  await expect(ecs.send(scale)).rejects.toMatchObject({ name: 'ClusterNotFoundException' })
})

test('a role of another account or partition cannot be passed to a service', async () => {
  const ecs = new ECSClient(await allowed([allow('*', '*')]))
  for (const role of ['arn:aws:iam::999999999999:role/web', 'arn:aws-cn:iam::111122223333:role/web']) {
    await expect(ecs.send(definition(role))).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringContaining('Cross-account pass role is not allowed'),
    })
  }
})

describe('a permission applies only to the resources of its statement', () => {
  const at = (service: string, resource: string) => `arn:aws:${service}:eu-west-1:111122223333:${resource}`

  test('queues by name', async () => {
    const sqs = new SQSClient(await allowed([allow('sqs:*', 'arn:aws:sqs:*:111122223333:sluice-*')]))
    expect((await sqs.send(new CreateQueueCommand({ QueueName: 'sluice-events' }))).QueueUrl).toMatch(/sluice-events$/)
    const other = sqs.send(new CreateQueueCommand({ QueueName: 'events' }))
    await expect(other).rejects.toMatchObject(refused('sqs:CreateQueue', at('sqs', 'events')))
  })

  test('objects by bucket and key, for both source and target of a copy', async () => {
    const s3 = new S3Client(await allowed([allow('s3:GetObject', 'arn:aws:s3:::site/public/*')]))
    await expect(s3.send(new GetObjectCommand({ Bucket: 'site', Key: 'private/a' }))).rejects.toMatchObject(
      refused('s3:GetObject', 'arn:aws:s3:::site/private/a'),
    )
    const missing = s3.send(new GetObjectCommand({ Bucket: 'site', Key: 'public/a' }))
    await expect(missing).rejects.toMatchObject({ name: 'NoSuchBucket' })
    const copy = new CopyObjectCommand({ Bucket: 'site', Key: 'b', CopySource: 'site/private/a' })
    await expect(s3.send(copy)).rejects.toMatchObject(refused('s3:GetObject', 'arn:aws:s3:::site/private/a'))
    const onto = new CopyObjectCommand({ Bucket: 'site', Key: 'b', CopySource: 'site/public/a' })
    await expect(s3.send(onto)).rejects.toMatchObject(refused('s3:PutObject', 'arn:aws:s3:::site/b'))
  })

  test('functions, whose code is fetched with the caller’s permissions', async () => {
    const lambda = new LambdaClient(await allowed([allow('lambda:*', at('lambda', 'function:web'))]))
    const code = (FunctionName: string, more: object) =>
      lambda.send(new UpdateFunctionCodeCommand({ FunctionName, ...more }))
    const archive = { S3Bucket: 'artifacts', S3Key: 'web.zip' }
    await expect(code('api', archive)).rejects.toMatchObject(
      refused('lambda:UpdateFunctionCode', at('lambda', 'function:api')),
    )
    await expect(code('web', archive)).rejects.toMatchObject(refused('s3:GetObject', 'arn:aws:s3:::artifacts/web.zip'))
    const image = { ImageUri: '444455556666.dkr.ecr.eu-west-1.amazonaws.com/shop/web:1' }
    await expect(code('web', image)).rejects.toMatchObject(
      refused('ecr:BatchGetImage', 'arn:aws:ecr:eu-west-1:444455556666:repository/shop/web'),
    )
  })

  test('log groups with their streams', async () => {
    await new CloudWatchLogsClient(await allowed([allow('*', '*')])).send(
      new CreateLogGroupCommand({ logGroupName: 'a' }),
    )
    const find = new FilterLogEventsCommand({ logGroupName: 'a' })
    const narrow = new CloudWatchLogsClient(await allowed([allow('logs:*', at('logs', 'log-group:a'))]))
    await expect(narrow.send(find)).rejects.toMatchObject({ name: 'AccessDeniedException' })
    const whole = new CloudWatchLogsClient(await allowed([allow('logs:*', at('logs', 'log-group:a:*'))]))
    expect((await whole.send(find)).events).toEqual([])
  })

  test('commands by document and by each instance', async () => {
    const policy = [allow('ssm:*', 'arn:aws:ssm:*::document/AWS-*'), allow('ssm:*', at('ec2', 'instance/i-1*'))]
    const ssm = new SSMClient(await allowed(policy))
    const send = (DocumentName: string, ...InstanceIds: string[]) =>
      ssm.send(new SendCommandCommand({ DocumentName, InstanceIds, Parameters: { commands: ['true'] } }))
    const [first, second] = ['i-10000000000000000', 'i-20000000000000000']
    await expect(send('release', first)).rejects.toMatchObject(
      refused('ssm:SendCommand', at('ssm', 'document/release')),
    )
    await expect(send('AWS-RunShellScript', first, second)).rejects.toMatchObject(
      refused('ssm:SendCommand', at('ec2', `instance/${second}`)),
    )
    const parameter = new GetParameterCommand({ Name: '/shop/web' })
    await expect(ssm.send(parameter)).rejects.toMatchObject(
      refused('ssm:GetParameter', at('ssm', 'parameter/shop/web')),
    )
  })
})

test('every caller can read their own identity', async () => {
  const { Arn } = await new STSClient(await allowed([])).send(new GetCallerIdentityCommand())
  expect(Arn).toBe('arn:aws:sts::111122223333:assumed-role/narrow/one')
})

test('a role for a service cannot be assumed by others', async () => {
  const role = 'arn:aws:iam::111122223333:role/task'
  await cloud.control.putRole({ roleArn: role, trustedService: 'ecs-tasks.amazonaws.com' })
  const assume = cloud.sts.send(new AssumeRoleCommand({ RoleArn: role, RoleSessionName: 'one' }))
  await expect(assume).rejects.toMatchObject({ name: 'AccessDenied', message: expect.stringContaining(role) })
})

test('permissions exist only for existing operations', () => {
  for (const [name, { rights, operations }] of Object.entries(services)) {
    const others = Object.keys(rights).filter((operation) => !operations.has(operation))
    expect([name, others]).toEqual([name, []])
  }
})
