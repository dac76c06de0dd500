import {
  BatchGetBuildsCommand,
  BatchGetProjectsCommand,
  type Build,
  CodeBuildClient,
  CreateProjectCommand,
  type CreateProjectInput,
  ListBuildsForProjectCommand,
  StartBuildCommand,
  StopBuildCommand,
  UpdateProjectCommand,
} from '@aws-sdk/client-codebuild'
import { expect, test } from 'vitest'
import { account, startCloud, until } from '../testing/cloud.ts'

const serviceRole = `arn:aws:iam::${account}:role/build`
const trustedService = 'codebuild.amazonaws.com'

const project = (image = 'builder:1'): CreateProjectInput => ({
  name: 'web',
  description: 'The web.',
  source: { type: 'NO_SOURCE', buildspec: '{"version":0.2,"phases":{"build":{"commands":["make"]}}}' },
  artifacts: { type: 'NO_ARTIFACTS' },
  environment: { type: 'LINUX_CONTAINER', image, computeType: 'BUILD_GENERAL1_SMALL', privilegedMode: true },
  serviceRole,
  logsConfig: { cloudWatchLogs: { status: 'ENABLED', groupName: '/builds', streamName: 'web' } },
})

async function cloudWithBuilds() {
  const cloud = await startCloud()
  const builds = new CodeBuildClient(cloud.settings)
  await cloud.control.putRole({ roleArn: serviceRole, trustedService })
  const untilOver = (id = '') =>
    until(
      cloud,
      async () => (await builds.send(new BatchGetBuildsCommand({ ids: [id] }))).builds?.[0] as Build,
      ({ buildComplete }) => buildComplete === true,
    )
  const start = async (more: object = {}) =>
    (await builds.send(new StartBuildCommand({ projectName: 'web', ...more }))).build
  return Object.assign(cloud, { builds, untilOver, start })
}

test('a build passes its phases and reports how each of them ended', async () => {
  await using cloud = await cloudWithBuilds()
  const made = await cloud.builds.send(new CreateProjectCommand(project()))
  expect(made.project).toMatchObject({
    name: 'web',
    timeoutInMinutes: 60,
    arn: expect.stringMatching(/:project\/web$/),
  })
  const variables = [{ name: 'STAGE', value: 'test', type: 'PLAINTEXT' as const }]
  const begun = await cloud.start({
    computeTypeOverride: 'BUILD_GENERAL1_LARGE',
    environmentVariablesOverride: variables,
  })
  expect(begun).toMatchObject({
    id: expect.stringMatching(/^web:[0-9a-f-]{36}$/),
    buildNumber: 1,
    buildStatus: 'IN_PROGRESS',
    currentPhase: 'SUBMITTED',
    buildComplete: false,
    environment: { computeType: 'BUILD_GENERAL1_LARGE', environmentVariables: variables },
  })
  const over = await cloud.untilOver(begun?.id)
  expect(over.buildStatus).toBe('SUCCEEDED')
  expect(over.phases?.map(({ phaseType, phaseStatus }) => [phaseType, phaseStatus])).toEqual([
    ...[
      ...['SUBMITTED', 'QUEUED', 'PROVISIONING', 'DOWNLOAD_SOURCE', 'INSTALL', 'PRE_BUILD', 'BUILD'],
      ...['POST_BUILD', 'UPLOAD_ARTIFACTS', 'FINALIZING'],
    ].map((type) => [type, 'SUCCEEDED']),
    ['COMPLETED', undefined],
  ])
  expect(over.logs).toMatchObject({ groupName: '/builds', streamName: `web/${begun?.id?.split(':')[1]}` })
})

test.each([
  ['an image that is not there', 'builder:1-missing', 'PROVISIONING', 'BUILD_CONTAINER_UNABLE_TO_PULL_IMAGE'],
  ['a command that fails', 'builder:1-crash', 'BUILD', 'COMMAND_EXECUTION_ERROR'],
] as const)('%s is reported by its phase', async (_, image, phaseType, statusCode) => {
  await using cloud = await cloudWithBuilds()
  await cloud.builds.send(new CreateProjectCommand(project(image)))
  const over = await cloud.untilOver((await cloud.start())?.id)
  expect(over.buildStatus).toBe('FAILED')
  expect(over.phases?.find((phase) => phase.phaseType === phaseType)).toMatchObject({
    phaseStatus: 'FAILED',
    contexts: [{ statusCode }],
  })
})

test('a token identifies one build for five minutes and cannot be reused for another request', async () => {
  await using cloud = await cloudWithBuilds()
  await cloud.builds.send(new CreateProjectCommand(project()))
  const first = await cloud.start({ idempotencyToken: 'one' })
  expect((await cloud.start({ idempotencyToken: 'one' }))?.id).toBe(first?.id)
  await expect(cloud.start({ idempotencyToken: 'one', imageOverride: 'other' })).rejects.toMatchObject({
    name: 'InvalidInputException',
  })
  await cloud.control.advance(301)
  const later = await cloud.start({ idempotencyToken: 'one' })
  const { ids } = await cloud.builds.send(new ListBuildsForProjectCommand({ projectName: 'web' }))
  expect(ids).toEqual([later?.id, first?.id])
})

test('a stopped build stays stopped, and a hanging one times out', async () => {
  await using cloud = await cloudWithBuilds()
  await cloud.builds.send(new CreateProjectCommand({ ...project('builder:1-hang'), timeoutInMinutes: 5 }))
  const first = await cloud.start()
  await cloud.control.advance(30)
  const { build } = await cloud.builds.send(new StopBuildCommand({ id: first?.id }))
  expect(build).toMatchObject({ buildStatus: 'STOPPED', buildComplete: true })
  const second = await cloud.start()
  await cloud.control.advance(400)
  expect((await cloud.untilOver(second?.id)).buildStatus).toBe('TIMED_OUT')
  expect((await cloud.untilOver(first?.id)).buildStatus).toBe('STOPPED')
})

test('a project is created once and updated, and an incomplete one is rejected', async () => {
  await using cloud = await cloudWithBuilds()
  const { builds } = cloud
  await builds.send(new CreateProjectCommand(project()))
  await expect(builds.send(new CreateProjectCommand(project()))).rejects.toMatchObject({
    name: 'ResourceAlreadyExistsException',
  })
  await builds.send(new UpdateProjectCommand({ name: 'web', timeoutInMinutes: 90 }))
  const found = await builds.send(new BatchGetProjectsCommand({ names: ['web', 'other'] }))
  expect(found).toMatchObject({
    projects: [{ timeoutInMinutes: 90, environment: { image: 'builder:1' } }],
    projectsNotFound: ['other'],
  })
  await expect(builds.send(new UpdateProjectCommand({ name: 'other' }))).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  })
  const other = { ...project(), name: 'other' }
  const stranger = new CreateProjectCommand({ ...other, serviceRole: `${serviceRole}-other` })
  await expect(builds.send(stranger)).rejects.toThrow('sts:AssumeRole on service role')
  const vpcConfig = { vpcId: 'vpc-1', subnets: ['subnet-1'] }
  await expect(builds.send(new CreateProjectCommand({ ...other, vpcConfig }))).rejects.toThrow('Invalid vpc config')
})

test('a role that cannot write the log fails the build before its commands', async () => {
  await using cloud = await cloudWithBuilds()
  await cloud.control.putRole({ roleArn: serviceRole, trustedService, deny: ['logs:CreateLogStream'] })
  await cloud.builds.send(new CreateProjectCommand(project()))
  const over = await cloud.untilOver((await cloud.start())?.id)
  const failed = over.phases?.find(({ phaseStatus }) => phaseStatus === 'FAILED')
  expect(failed).toMatchObject({ phaseType: 'PROVISIONING', contexts: [{ statusCode: 'ACCESS_DENIED' }] })
})
