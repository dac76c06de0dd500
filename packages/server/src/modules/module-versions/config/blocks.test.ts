import { describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../../testing/every-case.ts'
import { completeDeploy } from './complete-deploy.fixture.ts'
import { faultsOf, text } from './faults.fixture.ts'

describe('templates', () => {
  const inputs = [text('image'), { id: 'net', type: '$ref:network', mapped_inputs: [text('subnet')] }]
  const everywhere = [
    'module.id',
    'module.given_id',
    'module.input.image',
    'module.input.subnet',
    'project.given_id',
    'environment.given_id',
    'stack.id',
  ]

  /** Returns a config with a template in one of its blocks. */
  const blocks: Record<string, (template: string) => Record<string, unknown>> = {
    stack: (template) => ({
      stack: { type: 'iac', pipelines: { defaults: { input: { iac_variables: { x: template } } } } },
    }),
    run: (template) => ({
      stack: {
        type: 'iac',
        pipelines: {
          change: {
            triggers: [
              { id: 'a', type: 'webhook:githosta', event: 'push', run: { standard: { input: { ref: template } } } },
            ],
          },
        },
      },
    }),
    build: (template) => ({ build: { type: 'image', inputs: [text('branch')], source: { branch: template } } }),
    deploy: (template) => ({
      deploy: completeDeploy('cloud:ecs', { inputs: [text('tag')], alarms: [template] }),
    }),
    ui: (template) => ({ ui: { links: [{ name: 'x', href: template }] } }),
  }

  const known: Record<string, string[]> = {
    stack: [...everywhere, 'defaults.iac_version'],
    run: [...everywhere, 'defaults.iac_version', 'trigger.payload.commit'],
    build: [...everywhere, 'defaults.iac_version', 'stack.output.arn', 'build.input.branch', 'pipeline.run.id'],
    deploy: [...everywhere, 'defaults.iac_version', 'stack.output.arn', 'deploy.input.tag', 'pipeline.run.id'],
    ui: [...everywhere, 'stack.output.arn'],
  }
  const all = [
    ...new Set(Object.values(known).flat()),
    'module.input.nothing',
    'organization.id',
    'ref.input.a',
    'project.name',
  ]

  test(
    'can read the variables of their block and no others',
    everyCase(Object.keys(blocks), (block) => {
      const seen = all.filter((name) => faultsOf({ inputs, ...blocks[block]?.(`<< ${name} >>`) }).length === 0)
      expect(seen.toSorted()).toEqual(known[block]?.toSorted())
    }),
  )

  test('are reported with their place and a suggestion', () => {
    const config = {
      inputs,
      stack: { type: '<< module.inptu.image >>', pipelines: { defaults: '<< 1 + >>' } },
      deploy: completeDeploy('cloud:ecs', {
        inputs: [text('tag')],
        strategy: '<< deploy.input.tga >>',
        infrastructure: '<< lenn(1) >>',
      }),
    }
    expect(faultsOf(config)).toEqual([
      'stack.type: module has no inptu; did you mean input? (line 1, column 10)',
      'stack.pipelines.defaults: expected a value, found the end (line 1, column 8)',
      'deploy.infrastructure: unknown function lenn; did you mean len? (line 1, column 4)',
      'deploy.strategy: deploy.input has no tga; did you mean tag? (line 1, column 16)',
    ])
  })

  test('are not blamed for errors of inputs', () => {
    expect(faultsOf({ inputs: ['x'], ui: { links: '<< module.input.anything >>' } })).toEqual([
      'inputs[0]: expected object, got string',
    ])
  })

  test('of a disabled build are not checked', () => {
    expect(faultsOf({ build: { type: 'disabled', source: '<< nobody', more: 1 } })).toEqual([])
  })
})

describe('a block', () => {
  const template = '<< module.given_id >>'

  test(
    'can contain every documented field',
    everyCase<[string, Record<string, unknown>]>(
      [
        ['a stack of templates', { stack: { type: template, pipelines: template } }],
        [
          'a stack of parts that are templates',
          {
            stack: {
              type: 'iac',
              pipelines: {
                defaults: {
                  variant: 'standard',
                  input: { iac_variables: template, iac_variable_files: [template, 'x'] },
                },
                change: { pipeline_id: template, triggers: template },
              },
            },
          },
        ],
        [
          'spreads',
          {
            stack: {
              type: 'iac',
              pipelines: { defaults: { input: { '...overrides': template, iac_variable_files: [`...${template}`] } } },
            },
          },
        ],
        [
          'references of variables',
          { build: { type: 'image', environment_variables: { A: 'x', B: { fromParameterStore: 'y' }, C: template } } },
        ],
        [
          'a strategy',
          {
            deploy: completeDeploy('cloud:ecs', {
              strategy: { type: 'canary', canary: { canary_percent: 5 }, pause_stages: [{ stage: 'PRE_SCALE_UP' }] },
            }),
          },
        ],
        [
          'an in-place release',
          {
            deploy: completeDeploy('cloud:ec2', {
              timeout: 86_400,
              definition: { runtime: 'manual', commands: ['a'] },
              strategy: { type: 'rolling', concurrency_max: '25%' },
            }),
          },
        ],
        [
          'a function',
          { deploy: completeDeploy('cloud:lambda', { definition: { package_type: 'zip', s3_key: template } }) },
        ],
        [
          'a static site',
          {
            deploy: completeDeploy('cloud:static', {
              definition: {
                s3_directory: template,
                cdn_invalidation_paths: template,
                keep_latest_successful_deploy_count: template,
              },
            }),
          },
        ],
        [
          'what is shown',
          {
            ui: {
              links: template,
              logs: [template],
              metrics: [{ id: 'a', name: 'b', type: 'line', source: { dimensions: { A: 'b' } } }],
            },
          },
        ],
        [
          'null everywhere',
          { stack: null, build: { type: 'image', builder: null, timeout: null }, ui: { links: null } },
        ],
      ],
      (_, config) => {
        expect(faultsOf(config)).toEqual([])
      },
    ),
  )

  test(
    'cannot contain other fields',
    everyCase<[string, Record<string, unknown>, string[]]>(
      [
        [
          'what there is not',
          { stack: { type: 'iac', pipeline: {} } },
          ['stack.pipeline: unknown property; did you mean pipelines?'],
        ],
        [
          'another type',
          { stack: { type: 'iac', pipelines: [] } },
          ['stack.pipelines: expected object or string, got array'],
        ],
        [
          'text where an object is',
          { stack: { type: 'iac', pipelines: 'x' } },
          ['stack.pipelines: expected a template such as << … >>, or the value itself'],
        ],
        [
          'parts of another deployment type',
          { deploy: completeDeploy('cloud:static', { task_definition: {} }) },
          ['deploy.task_definition: unknown property; did you mean definition?'],
        ],
        [
          'a stage that there is not',
          { deploy: completeDeploy('cloud:ecs', { strategy: { type: 'linear', pause_stages: [{ stage: 'SOON' }] } }) },
          [
            'deploy.strategy.pause_stages[0].stage: expected one of RECONCILE_SERVICE, PRE_SCALE_UP, POST_SCALE_UP, POST_TEST_TRAFFIC_SHIFT, PRE_PRODUCTION_TRAFFIC_SHIFT, POST_PRODUCTION_TRAFFIC_SHIFT',
          ],
        ],
        [
          'more than all',
          { deploy: completeDeploy('cloud:ecs', { strategy: { type: 'canary', canary: { canary_percent: 101 } } }) },
          ['deploy.strategy.canary.canary_percent: expected a number <= 100'],
        ],
        ['half a link', { ui: { links: [{ name: 'x' }] } }, ['ui.links[0].href: required, but missing']],
        [
          'a root that there is not',
          { more: 1 },
          ['more: unknown property; available: build, deploy, inputs, readme, stack, ui'],
        ],
      ],
      (_, config, faults) => {
        expect(faultsOf(config)).toEqual(faults)
      },
    ),
  )
})
