import { CreateLogGroupCommand } from '@aws-sdk/client-cloudwatch-logs'
import { CreatePullThroughCacheRuleCommand } from '@aws-sdk/client-ecr'
import { UpdateServiceCommand } from '@aws-sdk/client-ecs'
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager'
import { PutParameterCommand } from '@aws-sdk/client-ssm'
import type { DeploymentCheck } from '@sluice/contract'
import { beforeAll, expect, test } from 'vitest'
import { shopNetwork } from '../../../../demo/cloud.ts'
import { blueGreen, pausing } from '../../../testing/strategies.ts'
import { sharedWorld, type TestOrganization, type World } from '../../../testing/world.ts'

const region = 'eu-west-1'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

const organization = (wishes: Parameters<World['organization']>[0] = {}) =>
  world.organization({ hasNetwork: true, ...wishes })

const check = (org: TestOrganization, moduleInstanceId: string, image = 'shop/app:2') =>
  org.client.done<DeploymentCheck>('POST', '/deployment-checks', {
    data: { moduleInstanceId, description: '', inputs: { image_ref: image } },
  })

const codesOf = ({ findings }: DeploymentCheck) => findings.map(({ severity, code }) => `${severity} ${code}`)
const messagesOf = ({ findings }: DeploymentCheck) => findings.map(({ message }) => message).join('\n')

/** Returns the remedy for a part that could not be checked. */
const remedyOf = ({ unchecked }: DeploymentCheck, code: string) => unchecked.find((one) => one.code === code)?.remedy

/** Returns a deploy block of the tests' module, with additional properties of the task definition and its container. */
const deployOf = (more: Record<string, unknown>, container: Record<string, unknown> = {}) => ({
  task_definition: {
    family: '<< module.input.family >>',
    cpu: '<< module.input.cpu >>',
    memory: '<< module.input.memory >>',
    network_mode: 'awsvpc',
    requires_compatibilities: ['FARGATE'],
    execution_role_arn: '<< module.input.execution_role_arn >>',
    container_definitions: [
      {
        name: 'app',
        image: '<< deploy.input.image_ref >>',
        essential: true,
        port_mappings: [{ container_port: 8080, protocol: 'tcp' }],
        ...container,
      },
    ],
    ...more,
  },
})

/** Creates a repository with an image for each architecture, and one for both. */
async function withImages(org: TestOrganization): Promise<string> {
  const { accountNumber: account } = org
  const images = [
    { tags: ['amd'], secondsAgo: 60 },
    { tags: ['arm'], secondsAgo: 60, architectures: ['arm64'] },
    { tags: ['both'], secondsAgo: 60, architectures: ['amd64', 'arm64'] },
  ]
  await world.cloud.putRepository({ account, region, name: 'shop/app', images })
  return `${account}.dkr.ecr.${region}.amazonaws.com/shop/app`
}

test('an image must exist and run on the CPU architecture of the tasks', async () => {
  const org = await organization()
  const { moduleInstanceId } = await org.service()
  const repository = await withImages(org)

  expect(await check(org, moduleInstanceId, `${repository}:amd`)).toMatchObject({
    outcome: 'CAN_SUCCEED',
    unchecked: [],
  })
  expect(await check(org, moduleInstanceId, `${repository}:both`)).toMatchObject({ outcome: 'CAN_SUCCEED' })
  expect(await check(org, moduleInstanceId, `${repository}:arm`)).toMatchObject({
    outcome: 'WILL_FAIL',
    findings: [
      {
        code: 'IMAGE_ARCHITECTURE_WRONG',
        path: 'deploy.task_definition.container_definitions[0].image',
        inputs: [{ of: 'DEPLOYMENT', name: 'image_ref' }],
      },
    ],
  })
  expect(codesOf(await check(org, moduleInstanceId, `${repository}:none`))).toEqual(['ERROR IMAGE_MISSING'])
  expect(codesOf(await check(org, moduleInstanceId, `${repository}-other:amd`))).toEqual(['ERROR IMAGE_MISSING'])

  const outside = await check(org, moduleInstanceId, 'registry.example/shop/app:2')
  expect(outside).toMatchObject({ outcome: 'UNKNOWN', unchecked: [{ code: 'IMAGE_MISSING' }] })
  await org.deny('ecr:BatchGetImage')
  expect(remedyOf(await check(org, moduleInstanceId, `${repository}:arm`), 'IMAGE_MISSING')).toContain(
    'ecr:BatchGetImage',
  )
})

test('the architecture of the task definition applies', async () => {
  const deploy = deployOf({ runtime_platform: { cpu_architecture: 'ARM64', operating_system_family: 'LINUX' } })
  const org = await organization({ deploy })
  const { moduleInstanceId } = await org.service()
  const repository = await withImages(org)

  expect(codesOf(await check(org, moduleInstanceId, `${repository}:amd`))).toEqual(['ERROR IMAGE_ARCHITECTURE_WRONG'])
  expect(codesOf(await check(org, moduleInstanceId, `${repository}:arm`))).toEqual([])
})

test('a missing image is a warning if a pull-through cache may fetch it, or if that is unknown', async () => {
  const org = await organization()
  const { moduleInstanceId } = await org.service()
  const cached = `${org.accountNumber}.dkr.ecr.${region}.amazonaws.com/docker-hub/library/nginx:1`
  const rule = { ecrRepositoryPrefix: 'docker-hub', upstreamRegistryUrl: 'registry-1.docker.io' }
  await org.clients.images.send(new CreatePullThroughCacheRuleCommand(rule))

  expect(codesOf(await check(org, moduleInstanceId, cached))).toEqual(['WARNING IMAGE_MISSING'])
  await org.deny('ecr:DescribePullThroughCacheRules')
  expect(codesOf(await check(org, moduleInstanceId, cached))).toEqual(['WARNING IMAGE_MISSING'])
})

test('the roles that a release passes must exist and trust the service', async () => {
  const org = await organization()
  const other = `arn:aws:iam::${org.accountNumber}:role/other`
  const { moduleInstanceId } = await org.service(null, { change: { execution_role_arn: other } })

  const missing = await check(org, moduleInstanceId)
  expect(missing.findings).toMatchObject([
    {
      severity: 'ERROR',
      code: 'ROLE_MISSING',
      path: 'deploy.task_definition.execution_role_arn',
      inputs: [{ of: 'MODULE_INSTANCE', name: 'execution_role_arn' }],
    },
  ])
  await world.cloud.putRole({ roleArn: other, trustedService: 'lambda.amazonaws.com' })
  expect(codesOf(await check(org, moduleInstanceId))).toEqual(['ERROR ROLE_NOT_TRUSTED'])
  await world.cloud.putRole({ roleArn: other, trustedService: 'ecs-tasks.amazonaws.com' })
  expect(codesOf(await check(org, moduleInstanceId))).toEqual([])
  await org.deny('iam:GetRole')
  expect(remedyOf(await check(org, moduleInstanceId), 'ROLE_MISSING')).toContain('iam:GetRole')
})

test('the connected role must have the permissions of the release', async () => {
  const org = await organization()
  const { moduleInstanceId } = await org.service(pausing(blueGreen, ['PRE_SCALE_UP']))
  expect(codesOf(await check(org, moduleInstanceId))).toEqual(['INFO RELEASE_PAUSES'])

  await org.deny('ecs:ContinueServiceDeployment', 'iam:PassRole', 'ecs:StopServiceDeployment')
  const denied = await check(org, moduleInstanceId)
  expect(codesOf(denied)).toEqual([
    ...['ERROR PERMISSION_MISSING', 'ERROR ROLE_NOT_PASSABLE', 'ERROR ROLE_NOT_PASSABLE'],
    ...['WARNING PERMISSION_MISSING', 'INFO RELEASE_PAUSES'],
  ])
  expect(messagesOf(denied)).toMatch(/ecs:ContinueServiceDeployment on arn:aws:ecs:.*:service-deployment\//)
  expect(messagesOf(denied)).toMatch(/iam:PassRole on arn:.* if iam:PassedToService is ecs-tasks\.amazonaws\.com/)

  await org.deny('iam:SimulatePrincipalPolicy')
  const blind = (await check(org, moduleInstanceId)).unchecked.find(({ code }) => code === 'PERMISSION_MISSING')
  expect(blind).toMatchObject({
    message: expect.stringMatching(/The release requires .*ecs:UpdateService.*iam:PassRole/),
    remedy: expect.stringContaining('iam:SimulatePrincipalPolicy'),
  })
})

test('secrets, parameters and log groups of the task definition must exist', async () => {
  const container = {
    secrets: [
      { name: 'PASSWORD', value_from: '/shop/password' },
      { name: 'TOKEN', value_from: '<< deploy.input.token >>' },
    ],
    log_configuration: {
      log_driver: 'awslogs',
      options: { 'awslogs-group': '/shop/app', 'awslogs-region': region, 'awslogs-stream-prefix': 'app' },
    },
  }
  const inputs = ['image_ref', 'token'].map((id) => ({ id, type: 'string', required: true }))
  const org = await organization({ deploy: { ...deployOf({}, container), inputs } })
  const { moduleInstanceId } = await org.service()
  const checkWith = (token: string) =>
    org.client.done<DeploymentCheck>('POST', '/deployment-checks', {
      data: { moduleInstanceId, description: '', inputs: { image_ref: 'shop/app:2', token } },
    })
  const arn = `arn:aws:secretsmanager:${region}:${org.accountNumber}:secret:shop/token-AbCdEf`

  const missing = await checkWith(`${arn}:key::`)
  expect(codesOf(missing)).toEqual(['ERROR SECRET_MISSING', 'ERROR SECRET_MISSING', 'ERROR LOG_GROUP_MISSING'])
  expect(missing.findings[1]).toMatchObject({
    path: 'deploy.task_definition.container_definitions[0].secrets[1].value_from',
    inputs: [{ of: 'DEPLOYMENT', name: 'token' }],
  })

  const { ssm, secrets: manager, logs } = org.clients
  await ssm.send(new PutParameterCommand({ Name: '/shop/password', Value: 'x', Type: 'SecureString' }))
  const { ARN = '' } = await manager.send(new CreateSecretCommand({ Name: 'shop/token', SecretString: '{"key":"x"}' }))
  await logs.send(new CreateLogGroupCommand({ logGroupName: '/shop/app' }))
  expect(codesOf(await checkWith(`${ARN}:key::`))).toEqual([])

  await org.deny('ssm:DescribeParameters', 'secretsmanager:DescribeSecret', 'logs:FilterLogEvents')
  const blind = await checkWith(ARN)
  expect(blind.findings).toEqual([])
  expect(blind.unchecked.map(({ remedy }) => remedy).join()).toMatch(
    /ssm:DescribeParameters.*secretsmanager:DescribeSecret.*logs:FilterLogEvents/,
  )
})

test('Fargate must offer the CPU and memory', async () => {
  const org = await organization({ deploy: deployOf({ cpu: '512', memory: '512' }) })
  const { moduleInstanceId } = await org.service()
  const checked = await check(org, moduleInstanceId)
  expect(checked.findings).toMatchObject([
    {
      severity: 'ERROR',
      code: 'FARGATE_SIZE_INVALID',
      path: 'deploy.task_definition.memory',
      remedy: expect.stringContaining('1024, 2048'),
    },
  ])
})

test('the network of the service must exist and have addresses for the tasks of the strategy', async () => {
  const org = await organization()
  const { accountNumber: account } = org
  const { moduleInstanceId, input } = await org.service(blueGreen)
  const { moduleInstanceId: rolling } = await org.service()
  /** Occupies addresses until each subnet has this many left; the cloud reserves five of 256. */
  const leave = (free: number) => {
    const subnets = shopNetwork.subnets.map((subnet) => ({ ...subnet, taken: 251 - free }))
    return world.cloud.putNetwork({ account, region, ...shopNetwork, subnets })
  }

  await leave(0)
  expect(codesOf(await check(org, moduleInstanceId))).toEqual(['ERROR ADDRESSES_INSUFFICIENT'])
  expect(codesOf(await check(org, rolling))).toEqual(['ERROR ADDRESSES_INSUFFICIENT'])
  await leave(1)
  expect(codesOf(await check(org, moduleInstanceId))).toEqual([])

  const awsvpcConfiguration = { subnets: ['subnet-0123456789abcdef0'], securityGroups: ['sg-0123456789abcdef0'] }
  await org.clients.ecs.send(
    new UpdateServiceCommand({
      cluster: input.cluster_arn,
      service: input.service_arn,
      networkConfiguration: { awsvpcConfiguration },
    }),
  )
  expect(codesOf(await check(org, moduleInstanceId))).toEqual(['ERROR NETWORK_MISSING', 'ERROR NETWORK_MISSING'])
  await org.deny('ec2:DescribeSubnets')
  expect(remedyOf(await check(org, moduleInstanceId), 'NETWORK_MISSING')).toContain('ec2:DescribeSubnets')
})
