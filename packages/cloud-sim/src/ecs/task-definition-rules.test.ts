import {
  type ContainerDefinition,
  RegisterTaskDefinitionCommand,
  type RegisterTaskDefinitionCommandInput,
  TagResourceCommand,
} from '@aws-sdk/client-ecs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import { fargateSize, startCloud, type TestCloud } from '../testing/cloud.ts'

let cloud: TestCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterAll(() => cloud[Symbol.asyncDispose]())

type Changes = Partial<RegisterTaskDefinitionCommandInput>

const web: ContainerDefinition = { name: 'web', image: 'web:1' }
const executionRoleArn = 'arn:aws:iam::000000000001:role/execution'

const register = async (changes: Changes) =>
  (
    await cloud.ecs.send(
      new RegisterTaskDefinitionCommand({
        family: 'rules',
        containerDefinitions: [web],
        ...fargateSize,
        executionRoleArn,
        ...changes,
      }),
    )
  ).taskDefinition

/** Returns changes whose first container has these fields. */
const having = (container: Partial<ContainerDefinition>, ...others: ContainerDefinition[]): Changes => ({
  containerDefinitions: [{ ...web, ...container }, ...others],
})

const onInstances = { requiresCompatibilities: ['EC2' as const], cpu: undefined, memory: undefined }
const logging = (options: Record<string, string>) =>
  having({ logConfiguration: { logDriver: 'awslogs', options: { 'awslogs-region': 'eu-west-1', ...options } } })
const streams = { 'awslogs-group': '/web', 'awslogs-stream-prefix': 'web' }
const secret = { name: 'TOKEN', valueFrom: 'arn:aws:ssm:eu-west-1:000000000001:parameter/token' }

test(
  'an invalid task definition is rejected',
  everyCase<[string, Changes, RegExp]>(
    [
      [
        'a size of Fargate that is not sold',
        { cpu: '256', memory: '1536' },
        /No Fargate configuration exists.*256 CPU, 1536/,
      ],
      ['a size beyond the largest', { cpu: '32768', memory: '131072' }, /No Fargate configuration exists/],
      ['Fargate without a size', { memory: undefined }, /Fargate requires that 'memory' be defined at the task level/],
      ['CPU that is no number', { cpu: 'much' }, /Invalid 'cpu' setting for task/],
      ['memory that is no number', { memory: '1 TB' }, /Invalid 'memory' setting for task/],
      ['Fargate on a bridge', { networkMode: 'bridge' }, /Fargate only supports network mode/],
      ['Fargate without a network mode', { networkMode: undefined }, /Fargate only supports network mode/],
      ['a role that is none', { taskRoleArn: 'arn:aws:iam::1:user/x' }, /Role is not valid/],
      ['negative CPU', having({ cpu: -1 }), /Invalid 'cpu' setting for container 'web'/],
      ['memory below the least', having({ memory: 3 }), /Invalid 'memory' setting for container 'web'/],
      ['a negative time to stop', having({ stopTimeout: -1 }), /Invalid 'stopTimeout' setting for container 'web'/],
      [
        'a soft limit above the hard one',
        having({ ulimits: [{ name: 'nofile', softLimit: 2, hardLimit: 1 }] }),
        /between 0 and its hard limit/,
      ],
      ['no essential container', having({ essential: false }), /At least one container must be essential/],
      ['two containers of a name', having({}, web), /unique names/],
      ['a name with a blank', having({ name: 'my web' }), /Container.name contains invalid characters/],
      [
        'a condition on a stranger',
        having({ dependsOn: [{ containerName: 'db', condition: 'START' }] }),
        /'db', which is not/,
      ],
      [
        'waiting for the end of an essential container',
        having({ dependsOn: [{ containerName: 'db', condition: 'SUCCESS' }] }, { name: 'db', image: 'db:1' }),
        /SUCCESS cannot be set on the essential container 'db'/,
      ],
      [
        'waiting for health that nobody checks',
        having({ dependsOn: [{ containerName: 'db', condition: 'HEALTHY' }] }, { name: 'db', image: 'db:1' }),
        /needs a health check on container 'db'/,
      ],
      [
        'containers that wait for each other',
        having(
          { dependsOn: [{ containerName: 'db', condition: 'START' }] },
          { name: 'db', image: 'db:1', dependsOn: [{ containerName: 'web', condition: 'START' }] },
        ),
        /depends on itself in a circle/,
      ],
      [
        'a volume that is not there',
        having({ mountPoints: [{ sourceVolume: 'data', containerPath: '/d' }] }),
        /Unknown volume 'data'/,
      ],
      ['two volumes of a name', { volumes: [{ name: 'a' }, { name: 'a' }] }, /Volume names must be unique/],
      [
        'a path of the host on Fargate',
        { volumes: [{ name: 'a', host: { sourcePath: '/' } }] },
        /Host.sourcePath should not be set/,
      ],
      [
        'volumes from a stranger',
        having({ volumesFrom: [{ sourceContainer: 'db' }] }),
        /no container 'db' to take volumes from/,
      ],
      [
        'another port of the host',
        having({ portMappings: [{ containerPort: 80, hostPort: 8080 }] }),
        /When networkMode=awsvpc, the host ports and container ports in port mappings must match/,
      ],
      [
        'a port beyond the last',
        having({ portMappings: [{ containerPort: 65_536 }] }),
        /Invalid 'containerPort' setting/,
      ],
      [
        'one port for two containers',
        having(
          { portMappings: [{ containerPort: 80 }] },
          { name: 'b', image: 'b:1', portMappings: [{ containerPort: 80 }] },
        ),
        /Only one container can have the host port 80/,
      ],
      [
        'a tag of the cloud',
        { tags: [{ key: 'aws:owner', value: 'me' }] },
        /aws: prefixed tag key names are not allowed/,
      ],
      ['little ephemeral storage', { ephemeralStorage: { sizeInGiB: 20 } }, /between 21 and 200 GiB/],
      [
        'ephemeral storage of instances',
        { ...onInstances, memory: '512', ephemeralStorage: { sizeInGiB: 30 } },
        /only supported/,
      ],
      [
        'a secret that nobody may read',
        { executionRoleArn: undefined, ...having({ secrets: [secret] }) },
        /must also specify a value for 'executionRoleArn'/,
      ],
      [
        'a secret that is a variable as well',
        having({ secrets: [secret], environment: [{ name: 'TOKEN', value: 'x' }] }),
        /The secret name must be unique/,
      ],
      [
        'logs without a group',
        logging({ 'awslogs-stream-prefix': 'web' }),
        /Log driver awslogs requires options: awslogs-group/,
      ],
      ['logs without a prefix on Fargate', logging({ 'awslogs-group': '/web' }), /awslogs-stream-prefix/],
      [
        'logs without an execution role',
        { executionRoleArn: undefined, ...logging(streams) },
        /to support log driver awslogs/,
      ],
      [
        'another log driver on Fargate',
        having({ logConfiguration: { logDriver: 'syslog' } }),
        /does not support the log driver syslog/,
      ],
      [
        'a private image without an execution role',
        { executionRoleArn: undefined, ...having({ image: '111122223333.dkr.ecr.eu-west-1.amazonaws.com/web:1' }) },
        /to support ECR images/,
      ],
      ['privileges on Fargate', having({ privileged: true }), /does not support privileged containers/],
      ['a long stop on Fargate', having({ stopTimeout: 121 }), /stopTimeout of at most 120 seconds/],
      ['links of an own interface', having({ links: ['db'] }), /Links are not supported when networkMode=awsvpc/],
      ['a name of the host', having({ hostname: 'web' }), /hostname is not supported on container/],
      ['a check that is no command', having({ healthCheck: { command: ['curl', 'x'] } }), /must begin with CMD/],
      [
        'a check each second',
        having({ healthCheck: { command: ['CMD', 'x'], interval: 1 } }),
        /interval must be between 5 and 300/,
      ],
      ['a container larger than its task', having({ memory: 1024 }), /must not be more than that of the task/],
      [
        'no memory anywhere',
        { ...onInstances, networkMode: 'bridge' },
        /At least one of 'memory' or 'memoryReservation'/,
      ],
      ['more reserved than allowed', having({ memory: 256, memoryReservation: 512 }), /must not be more than 'memory'/],
      [
        'rules of placement on Fargate',
        { placementConstraints: [{ type: 'memberOf', expression: 'attribute:ecs.os-type == linux' }] },
        /not supported on Fargate/,
      ],
      [
        'a proxy that is not there',
        { proxyConfiguration: { containerName: 'envoy' } },
        /The proxy container envoy is not in the task definition/,
      ],
      [
        'more than ten containers',
        having({}, ...Array.from({ length: 10 }, (_, n) => ({ name: `c${n}`, image: 'c' }))),
        /at most 10/,
      ],
    ],
    async (_, changes, message) => {
      await expect(register(changes)).rejects.toMatchObject({
        name: expect.stringMatching(/^(Client|InvalidParameter)Exception$/),
        message: expect.stringMatching(message),
      })
    },
  ),
)

test(
  'a valid task definition is accepted',
  everyCase<[string, Changes]>(
    [
      ['the smallest size', { cpu: '.25 vCPU', memory: '0.5 GB' }],
      ['the largest size', { cpu: '16384', memory: '122880' }],
      ['a role by its name', { taskRoleArn: 'web' }],
      ['a role under a path', { taskRoleArn: 'arn:aws:iam::000000000001:role/teams/web' }],
      ['logs, secrets and a private image with an execution role', { ...logging(streams) }],
      [
        'containers that wait for a migration',
        having(
          { dependsOn: [{ containerName: 'migrate', condition: 'SUCCESS' }] },
          { name: 'migrate', image: 'web:1', essential: false },
        ),
      ],
      [
        'any free port of instances',
        {
          ...onInstances,
          networkMode: 'bridge',
          ...having({ memory: 128, portMappings: [{ containerPort: 80, hostPort: 0 }] }),
        },
      ],
    ],
    async (_, changes) => {
      expect(await register(changes)).toMatchObject({ status: 'ACTIVE' })
    },
  ),
)

test('a task definition lists the launch types with which it is compatible', async () => {
  expect((await register({}))?.compatibilities).toEqual(['EC2', 'FARGATE'])
  const bridged = await register({ ...onInstances, networkMode: 'bridge', ...having({ memory: 128 }) })
  expect(bridged?.compatibilities).toEqual(['EC2'])
})

test('reserved tags are also rejected for existing resources', async () => {
  const resourceArn = (await register({}))?.taskDefinitionArn
  const tag = new TagResourceCommand({ resourceArn, tags: [{ key: 'AWS:x', value: '1' }] })
  await expect(cloud.ecs.send(tag)).rejects.toMatchObject({ name: 'InvalidParameterException' })
})
