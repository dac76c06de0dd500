import { CreateClusterCommand, DescribeClustersCommand, ECSClient, ListClustersCommand } from '@aws-sdk/client-ecs'
import { DescribeLoadBalancersCommand, ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2'
import { ListBucketsCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'
import { expect, test } from 'vitest'
import { account, createLoadBalancer, startCloud, type TestCloud } from './testing/cloud.ts'

const roleArn = 'arn:aws:iam::111122223333:role/sluice'

async function assume(cloud: TestCloud, input: { ExternalId?: string; DurationSeconds?: number } = {}) {
  const command = new AssumeRoleCommand({ RoleArn: roleArn, RoleSessionName: 'session', ...input })
  const { Credentials } = await cloud.sts.send(command)
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '', Expiration } = Credentials ?? {}
  return { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken, Expiration }
}

test('an assumed role works in its own account and cannot access others', async () => {
  await using cloud = await startCloud()
  await cloud.control.putRole({ roleArn, externalId: 'org-1' })
  const before = Date.now()
  const credentials = await assume(cloud, { ExternalId: 'org-1', DurationSeconds: 900 })
  expect(credentials.Expiration?.getTime()).toBeGreaterThanOrEqual(before + 900_000)
  const settings = { ...cloud.settings, credentials }
  const [ecs, elb, sts] = [new ECSClient(settings), new ElasticLoadBalancingV2Client(settings), new STSClient(settings)]
  expect(await sts.send(new GetCallerIdentityCommand())).toMatchObject({
    Account: '111122223333',
    Arn: 'arn:aws:sts::111122223333:assumed-role/sluice/session',
  })
  expect(await cloud.sts.send(new GetCallerIdentityCommand())).toMatchObject({ Account: account })
  await cloud.ecs.send(new CreateClusterCommand({ clusterName: 'main' }))
  await createLoadBalancer(cloud)
  expect((await ecs.send(new ListClustersCommand())).clusterArns).toEqual([])
  const foreign = `arn:aws:ecs:eu-west-1:${account}:cluster/main`
  const { clusters, failures } = await ecs.send(new DescribeClustersCommand({ clusters: [foreign] }))
  expect([clusters, failures]).toEqual([[], [{ arn: foreign, reason: 'MISSING' }]])
  expect((await elb.send(new DescribeLoadBalancersCommand())).LoadBalancers).toEqual([])
  await ecs.send(new CreateClusterCommand({ clusterName: 'main' }))
  expect((await ecs.send(new ListClustersCommand())).clusterArns).toEqual([
    'arn:aws:ecs:eu-west-1:111122223333:cluster/main',
  ])
})

test.for([
  ['no such role', {}, { RoleArn: 'arn:aws:iam::111122223333:role/other' }, 'AccessDenied', 403],
  ['no external id', { externalId: 'org-1' }, {}, 'AccessDenied', 403],
  ['another external id', { externalId: 'org-1' }, { ExternalId: 'org-2' }, 'AccessDenied', 403],
  ['a bad session name', {}, { RoleSessionName: 'a b' }, 'ValidationError', 400],
  ['too short', {}, { DurationSeconds: 899 }, 'ValidationError', 400],
  ['longer than the role allows', { maxSessionSeconds: 3600 }, { DurationSeconds: 3601 }, 'ValidationError', 400],
] as const)('a role is rejected: %s', async ([, role, input, name, status]) => {
  await using cloud = await startCloud()
  await cloud.control.putRole({ roleArn, ...role })
  const command = new AssumeRoleCommand({ RoleArn: roleArn, RoleSessionName: 'session', ...input })
  const rejection = await cloud.sts.send(command).catch((error: unknown) => error)
  expect(rejection).toMatchObject({ name, $metadata: { httpStatusCode: status } })
})

test('a denied action is rejected with the message of the cloud', async () => {
  await using cloud = await startCloud()
  await cloud.control.putRole({ roleArn, deny: ['ecs:CreateCluster'] })
  const ecs = new ECSClient({ ...cloud.settings, credentials: await assume(cloud) })
  await ecs.send(new ListClustersCommand())
  await expect(ecs.send(new CreateClusterCommand({ clusterName: 'main' }))).rejects.toMatchObject({
    name: 'AccessDeniedException',
    message:
      'User: arn:aws:sts::111122223333:assumed-role/sluice/session is not authorized to perform: ecs:CreateCluster on resource: arn:aws:ecs:eu-west-1:111122223333:cluster/main with an explicit deny in an identity-based policy',
  })
})

test('a role with some allowed operations can call these and no others', async () => {
  await using cloud = await startCloud()
  await cloud.control.putRole({ roleArn, allow: ['ecs:List*', 's3:ListBucket'] })
  const settings = { ...cloud.settings, credentials: await assume(cloud) }
  const ecs = new ECSClient(settings)
  await ecs.send(new ListClustersCommand())
  const refused = { name: 'AccessDeniedException' }
  await expect(ecs.send(new CreateClusterCommand({ clusterName: 'main' }))).rejects.toMatchObject(refused)
  const s3 = new S3Client(settings)
  const refusedThere = { name: 'AccessDenied', message: expect.stringContaining('s3:PutObject') }
  await expect(s3.send(new PutObjectCommand({ Bucket: 'a', Key: 'b', Body: 'c' }))).rejects.toMatchObject(refusedThere)
  await expect(s3.send(new ListObjectsV2Command({ Bucket: 'a' }))).rejects.toMatchObject({ name: 'NoSuchBucket' })
  s3.destroy()
})

test('permission to send or delete a message includes batches', async () => {
  await using cloud = await startCloud()
  await cloud.control.putRole({ roleArn, allow: ['sqs:CreateQueue', 'sqs:ReceiveMessage', 'sqs:SendMessage'] })
  const sqs = new SQSClient({ ...cloud.settings, credentials: await assume(cloud) })
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'events' }))
  await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries: [{ Id: '0', MessageBody: 'one' }] }))
  const { Messages: [message] = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl }))
  const Entries = [{ Id: '0', ReceiptHandle: message?.ReceiptHandle }]
  const remove = new DeleteMessageBatchCommand({ QueueUrl, Entries })
  const refused = { message: expect.stringContaining('not authorized to perform: sqs:DeleteMessage on') }
  await expect(sqs.send(remove)).rejects.toMatchObject(refused)
  await cloud.control.putRole({ roleArn, allow: ['sqs:DeleteMessage'] })
  expect(await sqs.send(remove)).toMatchObject({ Successful: [{ Id: '0' }] })
  sqs.destroy()
})

test.for([
  ['by another secret', { credentials: { accessKeyId: 'AKIAOPERATOR', secretAccessKey: 'other' } }, /does not match/],
  ['six minutes ago', { systemClockOffset: -360_000 }, /^Signature expired: \d{8}T\d{6}Z is now earlier than/],
  ['in six minutes', { systemClockOffset: 360_000 }, /^Signature not yet current/],
] as const)('a request signed %s is rejected with the error of each service', async ([, change, message]) => {
  await using cloud = await startCloud()
  const settings = { ...cloud.settings, ...change }
  const refused = (name: string) => ({ name, message: expect.stringMatching(message) })
  const ecs = new ECSClient(settings)
  await expect(ecs.send(new ListClustersCommand())).rejects.toMatchObject(refused('InvalidSignatureException'))
  const sts = new STSClient(settings)
  await expect(sts.send(new GetCallerIdentityCommand())).rejects.toMatchObject(refused('SignatureDoesNotMatch'))
})

test('S3 accepts a clock that is 15 minutes off', async () => {
  await using cloud = await startCloud()
  const ask = (systemClockOffset: number) =>
    new S3Client({ ...cloud.settings, systemClockOffset }).send(new ListBucketsCommand({}))
  expect((await ask(-14 * 60_000)).$metadata.httpStatusCode).toBe(200)
  await expect(ask(-16 * 60_000)).rejects.toMatchObject({ name: 'RequestTimeTooSkewed' })
})

test('a request modified in transit is rejected', async () => {
  await using cloud = await startCloud()
  const ecs = new ECSClient(cloud.settings)
  ecs.middlewareStack.add(
    (next) => (args) => {
      if (isRequest(args.request)) args.request.body = '{"maxResults":2}'
      return next(args)
    },
    { step: 'deserialize', priority: 'low', name: 'change' },
  )
  await expect(ecs.send(new ListClustersCommand({ maxResults: 1 }))).rejects.toMatchObject({
    name: 'InvalidSignatureException',
  })
})

const isRequest = (request: unknown): request is { body: unknown } =>
  typeof request === 'object' && request !== null && 'body' in request

test('credentials of an earlier state, or with another token, are invalid', async () => {
  await using cloud = await startCloud()
  await cloud.control.putRole({ roleArn })
  const credentials = await assume(cloud)
  const wrongToken = new ECSClient({ ...cloud.settings, credentials: { ...credentials, sessionToken: 'x' } })
  const gone = { name: 'UnrecognizedClientException' }
  await expect(wrongToken.send(new ListClustersCommand())).rejects.toMatchObject(gone)
  await cloud.killAndRestart()
  const ecs = new ECSClient({ ...cloud.settings, credentials })
  expect((await ecs.send(new ListClustersCommand())).clusterArns).toEqual([])
  await cloud.control.reset()
  await expect(ecs.send(new ListClustersCommand())).rejects.toMatchObject(gone)
})
