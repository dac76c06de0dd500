import type { DeploymentType } from '@sluice/contract'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../../testing/every-case.ts'
import { cloudRequest } from '../../../delivery/deployments/types/ecs/cloud-request.ts'
import { checkConfig } from '../config.ts'
import { completeDeploy } from './complete-deploy.fixture.ts'
import { readDeployBlock } from './deploy-block.ts'

const faultsOf = (config: object): string[] =>
  checkConfig(JSON.parse(JSON.stringify({ inputs: [], ...config }))).faults.map((line) =>
    line.replace('$.data.config.', ''),
  )

const deployed = (type: DeploymentType, parts: object): string[] => faultsOf({ deploy: completeDeploy(type, parts) })

const app = { name: 'app', image: 'shop/web:1' }
const withTask = (parts: object): string[] =>
  deployed('cloud:ecs', { task_definition: { family: 'web', container_definitions: [app], ...parts } })

/** Parts of container and task definitions in AWS's notation and in that of modules. */
const parts: [of: 'container' | 'task', asPrinted: object, asWritten: object][] = [
  [
    'container',
    { portMappings: [{ containerPort: 80, hostPort: 80, appProtocol: 'http', containerPortRange: '1-2' }] },
    { port_mappings: [{ container_port: 80, host_port: 80, app_protocol: 'http', container_port_range: '1-2' }] },
  ],
  [
    'container',
    { healthCheck: { command: ['CMD', 'true'], startPeriod: 5 } },
    { health_check: { command: ['CMD', 'true'], start_period: 5 } },
  ],
  [
    'container',
    { logConfiguration: { logDriver: 'awslogs', options: { 'awslogs-group': 'a', mode_x: 'b' }, secretOptions: [] } },
    {
      log_configuration: { log_driver: 'awslogs', options: { 'awslogs-group': 'a', mode_x: 'b' }, secret_options: [] },
    },
  ],
  [
    'container',
    {
      mountPoints: [{ sourceVolume: 'a', containerPath: '/a', readOnly: true }],
      volumesFrom: [{ sourceContainer: 'b' }],
    },
    {
      mount_points: [{ source_volume: 'a', container_path: '/a', read_only: true }],
      volumes_from: [{ source_container: 'b' }],
    },
  ],
  [
    'container',
    { dependsOn: [{ containerName: 'b', condition: 'HEALTHY' }] },
    { depends_on: [{ container_name: 'b', condition: 'HEALTHY' }] },
  ],
  ['container', { secrets: [{ name: 'A', valueFrom: 'arn' }] }, { secrets: [{ name: 'A', value_from: 'arn' }] }],
  [
    'container',
    { ulimits: [{ name: 'nofile', softLimit: 1, hardLimit: 2 }] },
    { ulimits: [{ name: 'nofile', soft_limit: 1, hard_limit: 2 }] },
  ],
  [
    'container',
    { environmentFiles: [{ type: 's3', value: 'a' }] },
    { environment_files: [{ type: 's3', value: 'a' }] },
  ],
  [
    'container',
    {
      linuxParameters: {
        initProcessEnabled: true,
        sharedMemorySize: 1,
        tmpfs: [{ containerPath: '/t', mountOptions: [] }],
      },
    },
    {
      linux_parameters: {
        init_process_enabled: true,
        shared_memory_size: 1,
        tmpfs: [{ container_path: '/t', mount_options: [] }],
      },
    },
  ],
  ['container', { dockerLabels: { Some_Label: 'a' } }, { docker_labels: { Some_Label: 'a' } }],
  [
    'container',
    { repositoryCredentials: { credentialsParameter: 'a' } },
    { repository_credentials: { credentials_parameter: 'a' } },
  ],
  [
    'container',
    { firelensConfiguration: { type: 'fluentbit', options: { a_b: 'c' } } },
    { firelens_configuration: { type: 'fluentbit', options: { a_b: 'c' } } },
  ],
  [
    'container',
    { restartPolicy: { restartAttemptPeriod: 60, ignoredExitCodes: [0] } },
    { restart_policy: { restart_attempt_period: 60, ignored_exit_codes: [0] } },
  ],
  [
    'container',
    { readonlyRootFilesystem: true, entryPoint: ['a'], workingDirectory: '/a', stopTimeout: 3 },
    { readonly_root_filesystem: true, entry_point: ['a'], working_directory: '/a', stop_timeout: 3 },
  ],
  [
    'task',
    { networkMode: 'awsvpc', requiresCompatibilities: ['FARGATE'], taskRoleArn: 'a', executionRoleArn: 'b' },
    { network_mode: 'awsvpc', requires_compatibilities: ['FARGATE'], task_role_arn: 'a', execution_role_arn: 'b' },
  ],
  ['task', { ephemeralStorage: { sizeInGiB: 30 } }, { ephemeral_storage: { size_in_gib: 30 } }],
  [
    'task',
    { runtimePlatform: { cpuArchitecture: 'ARM64', operatingSystemFamily: 'LINUX' } },
    { runtime_platform: { cpu_architecture: 'ARM64', operating_system_family: 'LINUX' } },
  ],
  [
    'task',
    {
      volumes: [
        { name: 'a', efsVolumeConfiguration: { fileSystemId: 'fs', authorizationConfig: { accessPointId: 'ap' } } },
      ],
    },
    {
      volumes: [
        {
          name: 'a',
          efs_volume_configuration: { file_system_id: 'fs', authorization_config: { access_point_id: 'ap' } },
        },
      ],
    },
  ],
  [
    'task',
    { volumes: [{ name: 'a', dockerVolumeConfiguration: { driverOpts: { o_x: 'y' }, labels: { A_b: 'c' } } }] },
    { volumes: [{ name: 'a', docker_volume_configuration: { driver_opts: { o_x: 'y' }, labels: { A_b: 'c' } } }] },
  ],
  [
    'task',
    { proxyConfiguration: { type: 'APPMESH', containerName: 'a' } },
    { proxy_configuration: { type: 'APPMESH', container_name: 'a' } },
  ],
]

describe('container and task definitions from AWS', () => {
  test(
    'are accepted in AWS’s notation with the same meaning',
    everyCase(parts, (of, asPrinted, asWritten) => {
      for (const some of [asPrinted, asWritten]) {
        const task = of === 'task' ? some : { container_definitions: [{ ...app, ...some }] }
        expect(withTask(task)).toEqual([])
        expect(cloudRequest(some)).toEqual(asPrinted)
      }
    }),
  )

  test(
    'are rejected with mixed notation or wrong capitals',
    everyCase(parts, (of, asPrinted, asWritten) => {
      const place = of === 'task' ? 'deploy.task_definition' : 'deploy.task_definition.container_definitions[0]'
      const linesOf = (some: object) =>
        withTask(of === 'task' ? some : { container_definitions: [{ ...app, ...some }] })
      const capital = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`
      for (const [name, value] of Object.entries(asPrinted)) {
        const written = Object.keys(asWritten)[Object.keys(asPrinted).indexOf(name)] ?? ''
        expect(linesOf({ [capital(name)]: value })).toContain(`${place}.${capital(name)}: rename it to ${written}`)
        if (written === name) continue
        expect(linesOf({ ...asPrinted, [written]: value })).toEqual([
          `${place}.${written}: already set as ${name}: keep one of them`,
        ])
      }
    }),
  )
})

const withContainer = (parts: object) => withTask({ container_definitions: [{ ...app, ...parts }] })
const inContainer = 'deploy.task_definition.container_definitions[0]'
const unknownField = 'unknown property'

const misspelled: [lines: string[], at: string, advice: string][] = [
  [withContainer({ enviroment: [] }), `${inContainer}.enviroment`, 'did you mean environment?'],
  [withContainer({ health_chek: {} }), `${inContainer}.health_chek`, 'did you mean health_check?'],
  [withContainer({ healthcheck: {} }), `${inContainer}.healthcheck`, 'did you mean health_check?'],
  [
    withContainer({ readonly_rootfilesystem: true }),
    `${inContainer}.readonly_rootfilesystem`,
    'readonly_root_filesystem',
  ],
  [withContainer({ portMaping: [] }), `${inContainer}.portMaping`, 'did you mean portMappings?'],
  [
    withContainer({ port_mappings: [{ container_prot: 80 }] }),
    `${inContainer}.port_mappings[0].container_prot`,
    'did you mean container_port?',
  ],
  [
    withContainer({ log_configuration: { log_driver: 'awslogs', option: {} } }),
    `${inContainer}.log_configuration.option`,
    'did you mean options?',
  ],
  [withTask({ runtime_plattform: {} }), 'deploy.task_definition.runtime_plattform', 'did you mean runtime_platform?'],
  [withTask({ task_role: 'arn' }), 'deploy.task_definition.task_role', 'task_role_arn'],
  [
    withTask({ volumes: [{ name: 'data', efs_volume_config: { file_system_id: 'fs-1' } }] }),
    'deploy.task_definition.volumes[0].efs_volume_config',
    'efs_volume_configuration',
  ],
  [
    withTask({ volumes: [{ name: 'data', efs_volume_configuration: { file_system_ID: 'fs-1' } }] }),
    'deploy.task_definition.volumes[0].efs_volume_configuration.file_system_ID',
    'did you mean file_system_id?',
  ],
]

test(
  'an unknown field is rejected with a suggestion',
  everyCase(misspelled, (lines, at, advice) => {
    expect(lines).toEqual([expect.stringContaining(`${at}: ${unknownField}; `)])
    expect(lines[0]).toContain(advice)
  }),
)

test('a field of the wrong type is rejected', () => {
  expect(withContainer({ port_mappings: { container_port: 80 }, command: 'npm start', docker_labels: ['a'] })).toEqual([
    `${inContainer}.port_mappings: expected array, got object`,
    `${inContainer}.command: expected array, got string`,
    `${inContainer}.docker_labels: expected object, got array`,
  ])
})

test('a template can provide a whole field, and a spread can provide others', () => {
  expect(withContainer({ command: '<< ["npm", "start"] >>', '...more': '<< {privileged: true} >>' })).toEqual([])
})

test('an invalid field from a template is rejected before a request to the cloud', () => {
  const block = completeDeploy('cloud:ecs', {
    task_definition: { family: 'web', container_definitions: [{ ...app, enviroment: [] }] },
  })
  const { inputs: _, concurrency: __, ...rendered } = block as Record<string, unknown>
  expect(readDeployBlock('cloud:ecs', rendered)).toEqual({
    faults: [`${inContainer}.enviroment: ${unknownField}; did you mean environment?`],
  })
})

const aside = 'remove it: a release changes only the task definition of an existing service'
const ofFunction = 'remove it: a release changes only the code of an existing function'
const missing = 'required, but missing'
const none = 'unknown property'
const infrastructure = 'arn:aws:lambda:eu-west-1:123456789012:function:mailer'

/** Places where AWS definitions may be pasted, with the expected errors. */
const elsewhere: [what: string, lines: string[], expected: string[]][] = [
  [
    'a task definition beside the blocks',
    faultsOf({ taskDefinition: {}, containerDefinitions: [], networkMode: 'awsvpc', portMappings: [] }),
    [
      'taskDefinition: set it in deploy, as task_definition',
      'containerDefinitions: list containers in deploy.task_definition, as its container_definitions',
      'networkMode: it belongs to a task definition: set it in deploy.task_definition',
      'portMappings: it belongs to a container: set it in deploy.task_definition.container_definitions',
    ],
  ],
  [
    'a task definition in the deploy block',
    deployed('cloud:ecs', { containerDefinitions: [], requiresCompatibilities: [], family: 'web', healthCheck: {} }),
    [
      'deploy.containerDefinitions: list containers in deploy.task_definition, as its container_definitions',
      'deploy.requiresCompatibilities: it belongs to a task definition: set it in deploy.task_definition',
      'deploy.family: it belongs to a task definition: set it in deploy.task_definition',
      'deploy.healthCheck: it belongs to a container: set it in deploy.task_definition.container_definitions',
    ],
  ],
  [
    'the name of the block in camel case',
    deployed('cloud:ecs', {
      task_definition: undefined,
      taskDefinition: { family: 'web', containerDefinitions: [app] },
    }),
    [
      `deploy.task_definition: ${missing}; rename taskDefinition to task_definition`,
      `deploy.taskDefinition: ${none}; did you mean task_definition?`,
    ],
  ],
  [
    'containers in camel case',
    withTask({ container_definitions: undefined, containerDefinitions: [app] }),
    [`deploy.task_definition.container_definitions: ${missing}; rename containerDefinitions to container_definitions`],
  ],
  [
    'containers without their task definition',
    deployed('cloud:ecs', { task_definition: [app] }),
    [
      'deploy.task_definition: expected object or string, got array',
      'deploy.task_definition: list containers in it as its container_definitions',
    ],
  ],
  [
    'parts of a container beside the containers, and of the task in one',
    withTask({ portMappings: [], secrets: [], container_definitions: [{ ...app, networkMode: 'awsvpc' }] }),
    [
      'deploy.task_definition.container_definitions[0].networkMode: it belongs to the task definition: set it beside container_definitions',
      'deploy.task_definition.portMappings: it belongs to a container: set it in container_definitions',
      'deploy.task_definition.secrets: it belongs to a container: set it in container_definitions',
    ],
  ],
  [
    'what the cloud answers of a revision',
    withTask({ revision: 7, taskDefinitionArn: 'arn', registeredAt: 1 }),
    ['revision', 'taskDefinitionArn', 'registeredAt'].map(
      (name) => `deploy.task_definition.${name}: remove it: only responses of the cloud contain it`,
    ),
  ],
  [
    'a service in the deploy block',
    deployed('cloud:ecs', {
      serviceName: 'web',
      cluster: 'shop',
      deploymentConfiguration: {},
      loadBalancers: [],
      networkConfiguration: {},
      capacityProviderStrategy: [],
      desiredCount: 1,
      launchType: 'FARGATE',
      serviceRegistries: [],
      placementStrategy: [],
      enableExecuteCommand: true,
      propagateTags: 'SERVICE',
    }),
    [
      'deploy.serviceName: set the service in deploy.infrastructure, as ecs_service_arn',
      'deploy.cluster: set the cluster in deploy.infrastructure, as ecs_cluster_arn',
      'deploy.deploymentConfiguration: use deploy.strategy and deploy.alarms instead',
      'deploy.loadBalancers: set the target groups that traffic is shifted between in deploy.infrastructure',
      ...['networkConfiguration', 'capacityProviderStrategy', 'desiredCount', 'launchType', 'serviceRegistries']
        .concat('placementStrategy', 'enableExecuteCommand', 'propagateTags')
        .map((name) => `deploy.${name}: ${aside}`),
    ],
  ],
  [
    'a service in the task definition',
    withTask({ desiredCount: 1, load_balancers: [] }),
    [
      `deploy.task_definition.desiredCount: it belongs to a service: ${aside}`,
      'deploy.task_definition.load_balancers: it belongs to a service: set the target groups that traffic is shifted between in deploy.infrastructure',
    ],
  ],
  [
    'a request that runs a task, for a command',
    deployed('cloud:ecs', {
      pre_deploy: {
        overrides: {},
        containerOverrides: [],
        taskRoleArn: 'a',
        ephemeralStorage: {},
        launchType: 'FARGATE',
        taskDefinition: 'web:1',
        cluster: 'shop',
        capacity_provider_strategy: [{ capacityProvider: 'FARGATE' }],
        network_configuration: { awsvpcConfiguration: {} },
      },
    }),
    [
      'deploy.pre_deploy.overrides: use container_overrides for changes of containers, beside cpu, memory and the roles',
      `deploy.pre_deploy.containerOverrides: ${none}; did you mean container_overrides?`,
      `deploy.pre_deploy.taskRoleArn: ${none}; did you mean task_role_arn?`,
      `deploy.pre_deploy.ephemeralStorage: ${none}; did you mean ephemeral_storage?`,
      'deploy.pre_deploy.launchType: remove it: the command runs with the settings of the service',
      'deploy.pre_deploy.taskDefinition: remove it: the command runs the task definition of the release',
      'deploy.pre_deploy.cluster: remove it: the command runs in the cluster of the service',
      `deploy.pre_deploy.capacity_provider_strategy[0].capacityProvider: ${none}; did you mean capacity_provider?`,
      `deploy.pre_deploy.capacity_provider_strategy[0].capacity_provider: ${missing}; rename capacityProvider to capacity_provider`,
      'deploy.pre_deploy.network_configuration: expected one of subnets, awsvpc_configuration; rename awsvpcConfiguration to awsvpc_configuration',
    ],
  ],
  [
    'the network of a command, as the cloud nests it',
    deployed('cloud:ecs', {
      post_deploy: {
        network_configuration: {
          awsvpc_configuration: { subnets: ['a'], securityGroups: [], assignPublicIp: 'ENABLED' },
        },
        ephemeral_storage: { sizeInGiB: 30 },
      },
    }),
    [
      `deploy.post_deploy.ephemeral_storage.sizeInGiB: ${none}; did you mean size_in_gib?`,
      `deploy.post_deploy.ephemeral_storage.size_in_gib: ${missing}; rename sizeInGiB to size_in_gib`,
      `deploy.post_deploy.network_configuration.awsvpc_configuration.securityGroups: ${none}; did you mean security_groups?`,
      `deploy.post_deploy.network_configuration.awsvpc_configuration.assignPublicIp: ${none}; did you mean assign_public_ip?`,
    ],
  ],
  [
    'a function',
    deployed('cloud:lambda', {
      FunctionName: 'mailer',
      Runtime: 'nodejs24.x',
      MemorySize: 512,
      Code: {},
      vpcConfig: {},
      infrastructure: { function_arn: infrastructure, aliasName: 'live', S3Bucket: 'a' },
      definition: { package_type: 'image', ImageUri: 'a', Handler: 'b', image_uri: 'c' },
    }),
    [
      'deploy.FunctionName: set the function in deploy.infrastructure, as function_arn',
      `deploy.Runtime: ${ofFunction}`,
      `deploy.MemorySize: ${ofFunction}`,
      'deploy.Code: set the code in deploy.definition: package_type, and s3_key or image_uri',
      `deploy.vpcConfig: ${ofFunction}`,
      `deploy.infrastructure.aliasName: ${none}; did you mean alias_name?`,
      'deploy.infrastructure.S3Bucket: set the bucket in deploy.infrastructure, as s3_artifact_bucket',
      `deploy.infrastructure.alias_name: ${missing}; rename aliasName to alias_name`,
      `deploy.definition.ImageUri: ${none}; did you mean image_uri?`,
      `deploy.definition.Handler: ${ofFunction}`,
    ],
  ],
]

test(
  'a field pasted in the wrong place is recognized with advice',
  everyCase(elsewhere, (_, lines, expected) => {
    expect(lines.toSorted()).toEqual(expected.toSorted())
  }),
)
