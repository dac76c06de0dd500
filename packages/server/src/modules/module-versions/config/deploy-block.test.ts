import type { DeploymentType } from '@sluice/contract'
import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../../testing/every-case.ts'
import { checkConfig } from '../config.ts'
import { completeDeploy } from './complete-deploy.fixture.ts'
import { readDeployBlock } from './deploy-block.ts'

const at = '$.data.config.deploy'
const template = '<< module.given_id >>'

const published = (type: DeploymentType, parts: object): string[] =>
  checkConfig({ inputs: [], deploy: completeDeploy(type, parts) }).faults.map((fault) => fault.replace(at, 'deploy'))

function released(type: DeploymentType, parts: object): string[] {
  const read = readDeployBlock(type, completeDeploy(type, parts))
  return 'faults' in read ? read.faults : []
}

const productionRule = 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener-rule/app/web/1/2/3'

const wrong: [what: string, type: DeploymentType, parts: object, faults: string[]][] = [
  ['no time at all', 'cloud:ecs', { timeout: 0 }, ['deploy.timeout: expected a number >= 60']],
  [
    'containers in camel case',
    'cloud:ecs',
    { task_definition: { family: 'web', containerDefinitions: [] } },
    [
      'deploy.task_definition.container_definitions: required, but missing; rename containerDefinitions to container_definitions',
    ],
  ],
  ['no definition', 'cloud:lambda', { definition: null }, ['deploy.definition: required, but missing']],
  [
    'a cluster for a service',
    'cloud:ecs',
    {
      infrastructure: {
        ecs_cluster_arn: 'arn:aws:ecs:eu-west-1:123456789012:cluster/a',
        ecs_service_arn: 'arn:aws:ecs:eu-west-1:123456789012:cluster/a',
      },
    },
    [
      'deploy.infrastructure.ecs_service_arn: expected the ARN of a service, such as arn:aws:ecs:eu-west-1:123456789012:service/shop/web',
    ],
  ],
  [
    'traffic to be shifted between nothing',
    'cloud:ecs',
    {
      infrastructure: {
        ecs_cluster_arn: 'arn:aws:ecs:eu-west-1:123456789012:cluster/a',
        ecs_service_arn: 'arn:aws:ecs:eu-west-1:123456789012:service/a/b',
        ecs_infrastructure_role_arn: 'arn:aws:iam::123456789012:role/shift',
      },
      strategy: { type: 'blue_green' },
    },
    [
      'deploy.infrastructure.ecs_target_group_arn is required to shift traffic',
      'deploy.infrastructure.ecs_alternate_target_group_arn is required to shift traffic',
      'deploy.infrastructure.ecs_production_listener_rule_arn is required to shift traffic',
    ],
  ],
  [
    'one rule for users and test traffic',
    'cloud:ecs',
    {
      infrastructure: { ...of('cloud:ecs'), ecs_test_listener_rule_arn: productionRule },
      strategy: { type: 'blue_green' },
    },
    [
      'deploy.infrastructure.ecs_test_listener_rule_arn must name another rule than ecs_production_listener_rule_arn, or users would get the test traffic',
    ],
  ],
  [
    'a pause where there is none, beside a fault of another part',
    'cloud:ecs',
    { timeout: 1, strategy: { type: 'rolling', pause_stages: [{ stage: 'PRE_SCALE_UP' }] } },
    [
      'deploy.timeout: expected a number >= 60',
      'deploy.strategy.pause_stages must be empty: a rolling release has no stage at which it can pause',
    ],
  ],
  [
    'an image without its address',
    'cloud:lambda',
    { definition: { package_type: 'image' } },
    ['deploy.definition.image_uri is required for an image'],
  ],
  [
    'a region that is not the function’s',
    'cloud:lambda',
    {
      infrastructure: {
        function_arn: 'arn:aws-us-gov:lambda:us-gov-west-1:123456789012:function:mailer',
        region: 'eu-west-1',
        alias_name: 'live',
        s3_artifact_bucket: 'archives',
      },
    },
    ['deploy.infrastructure.region is eu-west-1, but the function is in us-gov-west-1'],
  ],
  [
    'an analysis with no time for it',
    'cloud:lambda',
    { analysis: { checks: [{ name: 'up', http: { url: 'https://example.com' } }] } },
    [
      'deploy.analysis must be absent: the release has no pause or bake time; set a bake time or pause_stages in deploy.strategy',
    ],
  ],
  [
    'commands for an image',
    'cloud:ec2',
    { definition: { runtime: 'container', image_uri: 'web:1', commands: ['true'] } },
    ['deploy.definition.commands must be absent: the image defines what a container runs'],
  ],
  [
    'more than can be written down',
    'cloud:ec2',
    { definition: { runtime: 'manual', commands: ['x'.repeat(9_000)] } },
    ['deploy.definition must be smaller than 8 KB, the limit for releases stored for instances that start later'],
  ],
  [
    'distributions of another account',
    'cloud:static',
    {
      infrastructure: {
        s3_bucket: 'site',
        s3_region: 'eu-west-1',
        cdn_distribution_arns: ['arn:aws:cloudfront::210987654321:distribution/E1'],
        cdn_keyvaluestore_arn: 'arn:aws:cloudfront::123456789012:key-value-store/site',
      },
    },
    ['deploy.infrastructure.cdn_distribution_arns[0] must be in the account 123456789012 of the key value store'],
  ],
]

test(
  'publishing and releasing report the same errors',
  everyCase(wrong, (_, type, parts, faults) => {
    expect(published(type, parts)).toEqual(faults)
    expect(released(type, parts)).toEqual(faults)
  }),
)

test('a fractional count is rejected, and at publication the error also allows a template', () => {
  const definition = { s3_directory: 'a', keep_latest_successful_deploy_count: 1.5 }
  const path = 'deploy.definition.keep_latest_successful_deploy_count'
  expect(published('cloud:static', { definition })).toEqual([`${path}: expected integer or string, got number`])
  expect(released('cloud:static', { definition })).toEqual([`${path}: expected integer, got number`])
})

describe('a templated value', () => {
  test(
    'is checked at the release',
    everyCase<[what: string, type: DeploymentType, parts: object]>(
      [
        ['a number', 'cloud:ecs', { timeout: template }],
        [
          'an ARN, in part',
          'cloud:static',
          { infrastructure: { ...of('cloud:static'), cdn_keyvaluestore_arn: `arn:${template}` } },
        ],
        [
          'what moves traffic',
          'cloud:ecs',
          { strategy: { type: template, pause_stages: [{ stage: 'PRE_SCALE_UP' }] } },
        ],
        ['whether there is an analysis', 'cloud:lambda', { analysis: template }],
        ['how long it stops', 'cloud:lambda', { analysis: checks(), strategy: { type: 'canary', canary: template } }],
        [
          'what a definition has besides',
          'cloud:lambda',
          { definition: { package_type: 'image', '...more': template } },
        ],
        ['which containers there are', 'cloud:ecs', { task_definition: template }],
        [
          'how many distributions',
          'cloud:static',
          { infrastructure: { ...of('cloud:static'), cdn_distribution_arns: [`...${template}`] } },
        ],
      ],
      (_, type, parts) => {
        expect(published(type, parts)).toEqual([])
      },
    ),
  )

  test('does not hide errors in the rest of the block', () => {
    const strategy = { type: 'rolling', bake_time_in_minutes: template, pause_stages: [{ stage: 'PRE_SCALE_UP' }] }
    expect(published('cloud:ecs', { strategy, alarms: [template] })).toEqual([
      'deploy.strategy.pause_stages must be empty: a rolling release has no stage at which it can pause',
    ])
    const [check] = checks().checks
    const metric = { namespace: 'a', name: 'b', statistic: 'Sum', dimensions: { A: template } }
    const checked = [check, { name: 'b', metric }]
    expect(published('cloud:lambda', { analysis: { checks: checked }, strategy: { type: 'linear' } })).toEqual([
      'deploy.analysis.checks[1] must have at_least or at_most',
    ])
  })

  test('is no template any more at the release', () => {
    const commands = ['cat <<END >>/tmp/a', 'END']
    const definition = { runtime: 'manual', commands, image_uri: 'web:1' }
    expect(released('cloud:ec2', { definition })).toEqual([
      'deploy.definition.image_uri must be absent: the manual runtime runs commands',
    ])
  })
})

test('a rendered block gets its defaults', () => {
  const read = readDeployBlock('cloud:ecs', completeDeploy('cloud:ecs', { strategy: { type: 'linear', canary: null } }))
  expect(read).toMatchObject({
    block: {
      timeout: 1_800,
      strategy: {
        bake_time_in_minutes: 10,
        linear: { step_percentage: 20, step_bake_time_in_minutes: 5 },
        pause_stages: [],
      },
    },
  })
  expect(readDeployBlock('cloud:ec2', completeDeploy('cloud:ec2'))).toMatchObject({
    block: { timeout: 86_400, strategy: { concurrency_max: '1', errors_max: '0', automatic_rollback: false } },
  })
})

test('a published block is releasable: null is absent, and templates produce numbers', () => {
  const strategy = { type: 'rolling', linear: null, canary: null, pause_stages: null }
  const pre_deploy = { container_overrides: [{ name: 'app', cpu: '256', memory: null }], timeout: null }
  expect(released('cloud:ecs', { timeout: null, strategy, pre_deploy, post_deploy: null, analysis: null })).toEqual([])
  const definition = { runtime: 'container', image_uri: 'web:1', commands: null }
  expect(released('cloud:ec2', { definition, source: null, strategy: null })).toEqual([])
})

test('load balancers stay unchanged if the block does not mention them', () => {
  const infrastructure = {
    ecs_cluster_arn: 'arn:aws:ecs:eu-west-1:123456789012:cluster/a',
    ecs_service_arn: 'arn:aws:ecs:eu-west-1:123456789012:service/a/b',
  }
  for (const type of ['blue_green', 'linear', 'canary']) {
    expect(published('cloud:ecs', { infrastructure, strategy: { type } })).toEqual([])
  }
})

function of(type: DeploymentType): object {
  return completeDeploy(type).infrastructure as object
}

function checks() {
  return { checks: [{ name: 'up', http: { url: 'https://example.com' } }] }
}

test('ineffective fields pasted from a task definition are recognized at publication', () => {
  const app = { name: 'app', image: 'shop/web:1', docker_labels: { Owner: 'a', owner: 'b' } }
  const faultsOf = (task_definition: object) => published('cloud:ecs', { task_definition })
  expect(
    faultsOf({ family: 'web', container_definitions: [{ ...app, portMappings: [{ containerPort: 80 }] }] }),
  ).toEqual([])
  expect(
    faultsOf({
      family: 'web',
      revision: 7,
      container_definitions: [{ ...app, portMappings: [], port_mappings: [], MountPoints: [] }],
    }),
  ).toEqual([
    'deploy.task_definition.revision: remove it: only responses of the cloud contain it',
    'deploy.task_definition.container_definitions[0].MountPoints: rename it to mount_points',
    'deploy.task_definition.container_definitions[0].port_mappings: already set as portMappings: keep one of them',
  ])
  expect(faultsOf({ taskDefinition: { family: 'web', containerDefinitions: [app] } })).toContainEqual(
    'deploy.task_definition.taskDefinition: write the content of the task definition here instead',
  )
})

test(
  'a path that CloudFront cannot invalidate is rejected at publication',
  everyCase(
    [
      ['/preise/übersicht/a b*', true],
      ['/~ada/', false],
      ['/%7Eada/', false],
      ['/a*b', false],
      ['a', false],
      ['/a\n', false],
      [`/${'ü'.repeat(700)}`, false],
    ],
    (path, isAccepted) => {
      const faults = published('cloud:static', { definition: { s3_directory: 'a', cdn_invalidation_paths: [path] } })
      expect(faults).toHaveLength(isAccepted ? 0 : 1)
    },
  ),
)
