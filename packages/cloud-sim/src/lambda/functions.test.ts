import { createHash } from 'node:crypto'
import {
  CreateAliasCommand,
  CreateFunctionCommand,
  type CreateFunctionCommandInput,
  DeleteFunctionCommand,
  GetAliasCommand,
  GetFunctionCommand,
  GetFunctionConfigurationCommand,
  LambdaClient,
  ListTagsCommand,
  ListVersionsByFunctionCommand,
  PublishVersionCommand,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateAliasCommand,
  type UpdateAliasCommandInput,
  UpdateFunctionCodeCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda'
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { account, region, startCloud, type TestCloud, until } from '../testing/cloud.ts'

const FunctionName = 'thumbnails'
const functionArn = `arn:aws:lambda:${region}:${account}:function:thumbnails`
const Role = `arn:aws:iam::${account}:role/thumbnails`
const repository = `${account}.dkr.ecr.${region}.amazonaws.com/thumbnails`
const zip = { Role, Runtime: 'nodejs22.x', Handler: 'index.handler' } as const
const image = { Role, PackageType: 'Image' } as const

/** Starts a cloud with the active function `thumbnails`. */
async function startWithFunction(
  input: Omit<CreateFunctionCommandInput, 'FunctionName' | 'Code' | 'Role'> & {
    Code?: CreateFunctionCommandInput['Code']
  } = zip,
) {
  const cloud = await startCloud()
  const lambda = new LambdaClient(cloud.settings)
  const Code = input.Code ?? { S3Bucket: 'artifacts', S3Key: 'v1.zip' }
  await lambda.send(new CreateFunctionCommand({ Role, ...input, FunctionName, Code }))
  await settled(cloud, lambda)
  const update = (S3Key: string, more: object = {}) =>
    lambda.send(new UpdateFunctionCodeCommand({ FunctionName, S3Bucket: 'artifacts', S3Key, ...more }))
  return {
    cloud,
    lambda,
    update,
    async publish(more: object = {}) {
      const { Version = '' } = await lambda.send(new PublishVersionCommand({ FunctionName, ...more }))
      await settled(cloud, lambda, Version)
      return Version
    },
    [Symbol.asyncDispose]: () => cloud[Symbol.asyncDispose](),
  }
}

const settled = (cloud: TestCloud, lambda: LambdaClient, Qualifier?: string) =>
  until(
    cloud,
    () => lambda.send(new GetFunctionConfigurationCommand({ FunctionName, ...(Qualifier ? { Qualifier } : {}) })),
    ({ State, LastUpdateStatus }) => State !== 'Pending' && LastUpdateStatus !== 'InProgress',
  )

test('an update takes time, and until it completes nothing else can be changed', async () => {
  await using world = await startWithFunction()
  const { lambda, update, cloud } = world
  const before = await settled(cloud, lambda)

  expect(await update('v2.zip')).toMatchObject({ LastUpdateStatus: 'InProgress', State: 'Active', Version: '$LATEST' })
  const busy = { name: 'ResourceConflictException', $metadata: { httpStatusCode: 409 } }
  await expect(update('v3.zip')).rejects.toMatchObject(busy)
  await expect(lambda.send(new PublishVersionCommand({ FunctionName }))).rejects.toMatchObject(busy)
  await expect(lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Timeout: 9 }))).rejects.toMatchObject(
    busy,
  )

  const after = await settled(cloud, lambda)
  expect(after).toMatchObject({ LastUpdateStatus: 'Successful', State: 'Active' })
  expect(after.CodeSha256).not.toBe(before.CodeSha256)
})

test('an outdated revision is rejected; a dry run changes nothing and returns the hash', async () => {
  await using world = await startWithFunction()
  const { lambda, update, cloud } = world
  const { RevisionId, CodeSha256 } = await settled(cloud, lambda)

  const dry = await update('v2.zip', { DryRun: true, RevisionId })
  expect(await settled(cloud, lambda)).toMatchObject({ CodeSha256, RevisionId })
  const { CodeSha256: updated } = await update('v2.zip', { RevisionId })
  expect(dry.CodeSha256).toBe(updated)
  expect(updated).not.toBe(CodeSha256)
  await settled(cloud, lambda)
  await expect(update('v3.zip', { RevisionId })).rejects.toMatchObject({
    name: 'PreconditionFailedException',
    $metadata: { httpStatusCode: 412 },
  })
})

test('an unchanged function is published once, and a version never changes', async () => {
  await using world = await startWithFunction()
  const { lambda, update, publish, cloud } = world

  expect(await publish({ Description: 'first' })).toBe('1')
  expect(await publish({ Description: 'again' })).toBe('1')
  const first = await settled(cloud, lambda, '1')
  const { CodeSha256 } = await update('v2.zip')
  await settled(cloud, lambda)
  await expect(publish({ CodeSha256: first.CodeSha256 })).rejects.toMatchObject({
    name: 'InvalidParameterValueException',
    message: expect.stringContaining('is different from current CodeSHA256'),
  })
  expect(await publish({ CodeSha256 })).toBe('2')

  const { Versions } = await lambda.send(new ListVersionsByFunctionCommand({ FunctionName }))
  expect(Versions?.map(({ Version }) => Version)).toEqual(['$LATEST', '1', '2'])
  expect(Versions?.[1]).toMatchObject({ FunctionArn: `${functionArn}:1`, State: 'Active', Description: 'first' })
  expect(await settled(cloud, lambda, '1')).toEqual({ ...first, $metadata: expect.anything() })
})

test.for([
  ['broken', { State: 'Active', LastUpdateStatus: 'Failed', LastUpdateStatusReasonCode: 'InvalidZipFileException' }],
  ['slow', { State: 'Active', LastUpdateStatus: 'Successful' }],
] as const)('an archive that is %s determines the result of its update', async ([ending, end]) => {
  await using world = await startWithFunction()
  await world.update(`v2-${ending}.zip`)
  expect(await settled(world.cloud, world.lambda)).toMatchObject(end)
})

test('a missing archive is rejected; one that hangs never ends; one that cannot start fails its version', async () => {
  await using world = await startWithFunction()
  const { lambda, update, publish, cloud } = world

  await expect(update('v2-missing.zip')).rejects.toMatchObject({
    name: 'InvalidParameterValueException',
    message: expect.stringContaining('NoSuchKey'),
  })
  await update('v2-inactive.zip')
  await settled(cloud, lambda)
  expect(await settled(cloud, lambda, await publish())).toMatchObject({ State: 'Failed' })
  await update('v3-hang.zip')
  await cloud.control.advance(7_200)
  expect(await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }))).toMatchObject({
    LastUpdateStatus: 'InProgress',
  })
})

test('an archive in an existing bucket must exist and is identified by its content', async () => {
  await using world = await startWithFunction()
  const { lambda, update, cloud } = world
  await cloud.s3.send(
    new CreateBucketCommand({ Bucket: 'artifacts', CreateBucketConfiguration: { LocationConstraint: region } }),
  )
  await expect(update('v2.zip')).rejects.toMatchObject({ message: expect.stringContaining('NoSuchKey') })
  await cloud.s3.send(new PutObjectCommand({ Bucket: 'artifacts', Key: 'v2.zip', Body: 'PK two' }))
  const { CodeSha256, CodeSize } = await update('v2.zip')
  expect([CodeSha256, CodeSize]).toEqual([createHash('sha256').update('PK two').digest('base64'), 6])
  await settled(cloud, lambda)
})

test('an image is resolved to its digest; packages of the other type are rejected', async () => {
  await using world = await startWithFunction({ ...image, Code: { ImageUri: `${repository}:v1` } })
  const { lambda, cloud, update } = world
  const digest = 'a'.repeat(64)

  const ImageUri = `${repository}@sha256:${digest}`
  await lambda.send(new UpdateFunctionCodeCommand({ FunctionName, ImageUri }))
  expect(await settled(cloud, lambda)).toMatchObject({ CodeSha256: digest, PackageType: 'Image' })
  expect((await lambda.send(new GetFunctionCommand({ FunctionName }))).Code).toMatchObject({
    ImageUri,
    ResolvedImageUri: ImageUri,
  })
  await expect(update('v2.zip')).rejects.toMatchObject({ name: 'InvalidParameterValueException' })
  const elsewhere = new UpdateFunctionCodeCommand({ FunctionName, ImageUri: 'registry.example/thumbnails:v2' })
  await expect(lambda.send(elsewhere)).rejects.toMatchObject({ message: expect.stringContaining('is not valid') })
})

test('an alias splits traffic between two published versions, with its own revision id', async () => {
  await using world = await startWithFunction()
  const { lambda, update, publish, cloud } = world
  await publish()
  await update('v2.zip')
  await settled(cloud, lambda)
  await publish()
  const Name = 'live'
  const made = await lambda.send(new CreateAliasCommand({ FunctionName, Name, FunctionVersion: '1' }))
  const move = (more: Omit<UpdateAliasCommandInput, 'FunctionName' | 'Name'>) =>
    lambda.send(new UpdateAliasCommand({ FunctionName, Name, ...more }))
  const share = (weights: Record<string, number>) => ({ RoutingConfig: { AdditionalVersionWeights: weights } })

  const { RevisionId } = made
  const moved = await move({ FunctionVersion: '1', ...share({ 2: 0.1 }), ...(RevisionId ? { RevisionId } : {}) })
  expect(moved).toMatchObject({ FunctionVersion: '1', RoutingConfig: { AdditionalVersionWeights: { 2: 0.1 } } })
  expect(moved.RevisionId).not.toBe(RevisionId)
  await expect(move({ FunctionVersion: '2', RevisionId: RevisionId ?? '' })).rejects.toMatchObject({
    name: 'PreconditionFailedException',
  })
  // Without weights in the request, they stay unchanged.
  await expect(move({ FunctionVersion: '2' })).rejects.toMatchObject({ name: 'InvalidParameterValueException' })
  for (const wrong of [
    { FunctionVersion: '1', ...share({ 1: 0.5 }) },
    { FunctionVersion: '$LATEST', ...share({ 2: 0.5 }) },
  ]) {
    await expect(move(wrong)).rejects.toMatchObject({ name: 'InvalidParameterValueException' })
  }
  await expect(move({ FunctionVersion: '1', ...share({ 2: 1.5 }) })).rejects.toMatchObject({
    name: 'ValidationException',
  })
  await expect(move({ FunctionVersion: '9' })).rejects.toMatchObject({ name: 'ResourceNotFoundException' })

  await move({ FunctionVersion: '2', ...share({}) })
  const alias = await lambda.send(new GetAliasCommand({ FunctionName: functionArn, Name }))
  expect(alias).toMatchObject({ AliasArn: `${functionArn}:live`, FunctionVersion: '2' })
  expect(alias.RoutingConfig).toBeUndefined()
  expect(await lambda.send(new GetFunctionConfigurationCommand({ FunctionName: `${functionArn}:live` }))).toMatchObject(
    { Version: '2' },
  )

  await expect(lambda.send(new DeleteFunctionCommand({ FunctionName, Qualifier: '2' }))).rejects.toMatchObject({
    name: 'ResourceConflictException',
  })
  await lambda.send(new DeleteFunctionCommand({ FunctionName, Qualifier: '1' }))
  await lambda.send(new DeleteFunctionCommand({ FunctionName }))
  await expect(lambda.send(new GetFunctionCommand({ FunctionName }))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
    $metadata: { httpStatusCode: 404 },
  })
})

test('settings and tags can be changed and survive a crash', async () => {
  await using world = await startWithFunction({ ...zip, Tags: { team: 'media' } })
  const { lambda, cloud } = world
  await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Timeout: 30, Description: 'Thumbnails' }))
  await lambda.send(new TagResourceCommand({ Resource: functionArn, Tags: { stage: 'test' } }))
  await cloud.killAndRestart()

  const configuration = await settled(cloud, lambda)
  expect(configuration).toMatchObject({ Timeout: 30, Description: 'Thumbnails', Runtime: 'nodejs22.x' })
  expect((await lambda.send(new ListTagsCommand({ Resource: functionArn }))).Tags).toEqual({
    team: 'media',
    stage: 'test',
  })
  await lambda.send(new UntagResourceCommand({ Resource: functionArn, TagKeys: ['team', 'stage'] }))
  expect((await lambda.send(new GetFunctionCommand({ FunctionName }))).Tags).toBeUndefined()
})

test.for([
  ['no role', { Role: 'thumbnails' }, 'ValidationException'],
  ['no handler', { Role, Runtime: 'nodejs22.x' }, 'InvalidParameterValueException'],
  ['an hour of time', { ...zip, Timeout: 3_600 }, 'ValidationException'],
  ['a processor of its own', { ...zip, Architectures: ['riscv'] }, 'ValidationException'],
] as [string, object, string][])('a function with %s is rejected', async ([, input, name]) => {
  await using cloud = await startCloud()
  const lambda = new LambdaClient(cloud.settings)
  const Code = { S3Bucket: 'artifacts', S3Key: 'v1.zip' }
  const command = new CreateFunctionCommand({ FunctionName, Code, ...input } as CreateFunctionCommandInput)
  await expect(lambda.send(command)).rejects.toMatchObject({ name })
})
