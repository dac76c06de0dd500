import {
  CreateAliasCommand,
  CreateFunctionCommand,
  type CreateFunctionCommandInput,
  GetProvisionedConcurrencyConfigCommand,
  LambdaClient,
  PublishVersionCommand,
  PutFunctionConcurrencyCommand,
  PutProvisionedConcurrencyConfigCommand,
  UpdateAliasCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda'
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { account, startCloud, type TestCloud } from '../testing/cloud.ts'

let cloud: TestCloud
let lambda: LambdaClient
const FunctionName = 'resizer'
const role = (name: string) => `arn:aws:iam::${account}:role/${name}`

beforeAll(async () => {
  cloud = await startCloud()
  lambda = new LambdaClient(cloud.settings)
  const abroad = new S3Client({ ...cloud.settings, region: 'us-east-1' })
  await abroad.send(new CreateBucketCommand({ Bucket: 'abroad' }))
  await abroad.send(new PutObjectCommand({ Bucket: 'abroad', Key: 'v1.zip', Body: 'PK' }))
  await create({ FunctionName })
  await cloud.control.advance(60)
})
afterAll(() => cloud[Symbol.asyncDispose]())

const create = (changes: Partial<CreateFunctionCommandInput>) =>
  lambda.send(
    new CreateFunctionCommand({
      FunctionName: 'refused',
      Role: role('one'),
      Runtime: 'nodejs22.x',
      Handler: 'index.handler',
      Code: { S3Bucket: 'artifacts', S3Key: 'v1.zip' },
      ...changes,
    }),
  )

const invalid = (message: RegExp) => ({
  name: 'InvalidParameterValueException',
  message: expect.stringMatching(message),
  $metadata: { httpStatusCode: 400 },
})

/** Returns an archive whose directory declares this unzipped size. */
function archiveOf(bytes: number): Uint8Array {
  const entry = Buffer.alloc(46)
  entry.write('PK\u0001\u0002', 'latin1')
  entry.writeUInt32LE(bytes, 24)
  return Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), entry])
}

test(
  'an invalid function is rejected',
  everyCase<[string, Partial<CreateFunctionCommandInput>, RegExp]>(
    [
      [
        'a runtime of the past',
        { Runtime: 'nodejs16.x' },
        /nodejs16.x is no longer supported for creating or updating/,
      ],
      ['a bucket that is not there', { Code: { S3Bucket: 'nowhere', S3Key: 'v1.zip' } }, /S3 Error Code: NoSuchBucket/],
      [
        'a bucket of another region',
        { Code: { S3Bucket: 'abroad', S3Key: 'v1.zip' } },
        /PermanentRedirect.*region: us-east-1/,
      ],
      [
        'too much unpacked',
        { Code: { ZipFile: archiveOf(300_000_000) } },
        /Unzipped size must be smaller than 262144000/,
      ],
      [
        'a variable of the runtime',
        { Environment: { Variables: { AWS_REGION: 'x' } } },
        /Reserved keys used in this request: AWS_REGION/,
      ],
      [
        'a snapshot of a runtime that has none',
        { SnapStart: { ApplyOn: 'PublishedVersions' } },
        /nodejs22.x is not supported for SnapStart/,
      ],
      [
        'a snapshot with much storage',
        { Runtime: 'python3.13', SnapStart: { ApplyOn: 'PublishedVersions' }, EphemeralStorage: { Size: 1024 } },
        /Ephemeral storage above 512 MB/,
      ],
      ['variables beyond 4 KB', { Environment: { Variables: { BIG: 'x'.repeat(4096) } } }, /exceeded the 4KB limit/],
    ],
    async (_, changes, message) => {
      await expect(create(changes)).rejects.toMatchObject(invalid(message))
    },
  ),
)

test('an archive with the maximum unzipped size is accepted', async () => {
  await expect(create({ FunctionName: 'small', Code: { ZipFile: archiveOf(1000) } })).resolves.toBeDefined()
})

test('a reservation must leave a hundred for functions without one', async () => {
  const reserve = (ReservedConcurrentExecutions: number) =>
    lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions }))
  await expect(reserve(901)).rejects.toMatchObject(invalid(/below its minimum value of \[100\]/))
  await expect(reserve(900)).resolves.toBeDefined()
})

test('an alias cannot split traffic between versions with different roles or with provisioned concurrency', async () => {
  const changeAndPublish = async (Role: string, Description: string) => {
    await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Role, Description, Timeout: 5 }))
    await cloud.control.advance(60)
    const { Version = '' } = await lambda.send(new PublishVersionCommand({ FunctionName }))
    await cloud.control.advance(60)
    return Version
  }
  const one = await changeAndPublish(role('one'), 'a')
  const other = await changeAndPublish(role('two'), 'b')
  await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Role: role('one'), MemorySize: 256 }))
  await cloud.control.advance(60)
  const { Version: same = '' } = await lambda.send(new PublishVersionCommand({ FunctionName }))
  await lambda.send(new CreateAliasCommand({ FunctionName, Name: 'live', FunctionVersion: one }))
  const share = (version: string, weight = 0.1) =>
    lambda.send(
      new UpdateAliasCommand({
        FunctionName,
        Name: 'live',
        RoutingConfig: { AdditionalVersionWeights: version === '' ? {} : { [version]: weight } },
      }),
    )
  await expect(share(other)).rejects.toMatchObject(invalid(/same execution role/))
  await share(same)

  const keepReady = (Qualifier: string) =>
    lambda.send(
      new PutProvisionedConcurrencyConfigCommand({ FunctionName, Qualifier, ProvisionedConcurrentExecutions: 2 }),
    )
  const asked = new GetProvisionedConcurrencyConfigCommand({ FunctionName, Qualifier: 'live' })
  await expect(keepReady('live')).rejects.toMatchObject(invalid(/Alias with weights can not be used/))
  await expect(keepReady('$LATEST')).rejects.toMatchObject(invalid(/unpublished function versions/))
  await expect(lambda.send(asked)).rejects.toMatchObject({ name: 'ProvisionedConcurrencyConfigNotFoundException' })
  await share('')
  await keepReady('live')
  expect(await lambda.send(asked)).toMatchObject({ Status: 'READY', AllocatedProvisionedConcurrentExecutions: 2 })
  await expect(share(same)).rejects.toMatchObject(invalid(/Alias with weights can not be used/))
})

test('provisioned concurrency requires a version or its alias, fits the reservation, and excludes SnapStart', async () => {
  const FunctionName = 'ready'
  const publish = async (snapshot: 'None' | 'PublishedVersions') => {
    const SnapStart = { ApplyOn: snapshot }
    await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, SnapStart }))
    await cloud.control.advance(60)
    const { Version = '' } = await lambda.send(new PublishVersionCommand({ FunctionName }))
    await cloud.control.advance(60)
    return Version
  }
  await create({ FunctionName, Runtime: 'python3.13' })
  await cloud.control.advance(60)
  const version = await publish('None')
  await lambda.send(new CreateAliasCommand({ FunctionName, Name: 'live', FunctionVersion: version }))
  const reserve = (ReservedConcurrentExecutions: number) =>
    lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions }))
  const keepReady = (Qualifier: string, ProvisionedConcurrentExecutions: number) =>
    lambda.send(
      new PutProvisionedConcurrencyConfigCommand({ FunctionName, Qualifier, ProvisionedConcurrentExecutions }),
    )
  await reserve(5)
  await expect(keepReady('live', 6)).rejects.toMatchObject(invalid(/greater than the reservedConcurrentExecution/))
  await keepReady('live', 5)
  await expect(keepReady(version, 1)).rejects.toMatchObject(invalid(/an alias and the version/))
  await expect(reserve(4)).rejects.toMatchObject(invalid(/less than the Provisioned Concurrency/))
  const withSnapshot = await publish('PublishedVersions')
  await expect(keepReady(withSnapshot, 1)).rejects.toMatchObject(invalid(/not supported on functions with SnapStart/))
})
