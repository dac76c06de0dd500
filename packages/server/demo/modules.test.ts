import { render } from '@sluice/expressions'
import { beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../testing/every-case.ts'
import { resolveDeployment } from '../src/delivery/deployments/create/resolve.ts'
import { outputRoots } from '../src/modules/module-instances/blocks.ts'
import { InstanceGraph, type InstanceNode, inputsOf } from '../src/modules/module-instances/graph.ts'
import { faultLine, resolveInputs } from '../src/modules/module-instances/inputs/resolve.ts'
import { renderStack } from '../src/modules/module-instances/stack-block.ts'
import { uiOf } from '../src/modules/module-instances/ui.ts'
import { checkConfig } from '../src/modules/module-versions/config.ts'
import { type DemoModule, demoModules, readModule } from './organization.ts'

type Json = Record<string, unknown>

const types = Object.keys(demoModules) as DemoModule[]
const configs = new Map<string, Json>()

beforeAll(async () => {
  for (const type of types) configs.set(type, await readModule(type))
})

const arn = (kind: string) => `arn:aws:${kind}:eu-west-1:123456789012:${kind === 'ecs' ? 'service/shop/web' : 'thing'}`
const existing = {
  cluster_arn: 'arn:aws:ecs:eu-west-1:123456789012:cluster/shop',
  service_arn: arn('ecs'),
  family: 'web',
  execution_role_arn: arn('iam'),
  target_group_arn: arn('elb'),
  alternate_target_group_arn: arn('elb'),
  production_listener_rule_arn: arn('elb'),
  test_listener_rule_arn: `${arn('elb')}-for-tests`,
  infrastructure_role_arn: arn('iam'),
}
const { cluster_arn, service_arn, ...pieces } = existing
const serviceOutputs = {
  ...pieces,
  ecs_cluster_arn: cluster_arn,
  ecs_service_arn: service_arn,
  log_group: '/services/web',
}
const networkOutputs = {
  vpc_id: 'vpc-1',
  public_subnet_ids: ['subnet-1'],
  private_subnet_ids: ['subnet-2', 'subnet-3'],
  flow_log_group: '/network/shop',
}
const function_arn = 'arn:aws:lambda:eu-west-1:123456789012:function:thumbnails'
const functionOutputs = {
  function_name: 'thumbnails',
  function_arn,
  artifact_bucket: 'artifacts-thumbnails',
  log_group: '/aws/lambda/thumbnails',
}
const groupOutputs = { group_name: 'shop-workers', log_group: '/machines/shop-workers' }
const siteOutputs = {
  bucket: 'site',
  distribution_id: 'E1',
  distribution_arn: 'arn:aws:cloudfront::123456789012:distribution/E1',
  keyvaluestore_arn: 'arn:aws:cloudfront::123456789012:key-value-store/site',
  address: 'https://www.example.com',
}

type Case = { type: DemoModule; name: string; input: Json; outputs?: Json; deploy?: Json }

const cases: Case[] = [
  { type: 'network', name: 'as it comes', input: {} },
  {
    type: 'network',
    name: 'with all there is',
    input: {
      zone_count: 3,
      nat: 'per_zone',
      has_flow_logs: true,
      flow_log_retention_days: 365,
      routes: { '192.168.0.0/16': { target_id: 'pcx-1' } },
      tags: { ModuleId: 'own', Team: 'core' },
    },
    outputs: networkOutputs,
  },
  {
    type: 'container-service',
    name: 'rolling',
    input: { existing },
    outputs: serviceOutputs,
    deploy: { image_ref: 'shop/web:2' },
  },
  {
    type: 'container-service',
    name: 'canary with sidecars in a network',
    input: {
      existing,
      network_id: 'mi_net',
      image_repository: 'registry.example/shop/web',
      command: ['serve'],
      environment_variables: { MODE: 'fast' },
      secrets: [{ name: 'TOKEN', value_from: 'arn:aws:ssm:eu-west-1:123456789012:parameter/token' }],
      sidecars: [
        { name: 'proxy', image: 'proxy:1', exposes_port: true, port: 9000 },
        { name: 'router', image: 'router:1', is_essential: true },
      ],
      size: { vcpu: 1, memory_gb: 2 },
      needs_storage: true,
      is_scaled: true,
      strategy: 'canary',
      pause_stages: [{ stage: 'POST_TEST_TRAFFIC_SHIFT', timeout_in_minutes: 60 }],
    },
    outputs: serviceOutputs,
    deploy: { image_ref: 'sha256:0123' },
  },
  {
    type: 'container-service',
    name: 'linear',
    input: { existing, image_repository: 'registry.example/shop/web', strategy: 'linear', step_percentage: 25 },
    outputs: serviceOutputs,
    deploy: { image_ref: 'v2' },
  },
  {
    type: 'function',
    name: 'an archive',
    input: { function_arn },
    outputs: functionOutputs,
    deploy: { s3_key: 'run_1/function.zip' },
  },
  {
    type: 'function',
    name: 'an image in a network',
    input: {
      function_arn,
      strategy: 'canary',
      pause_stages: [{ stage: 'PRE_PRODUCTION_TRAFFIC_SHIFT' }],
      max_errors: 3,
      package_type: 'image',
      repository: 'registry.example/shop/function',
      is_in_network: true,
      network_id: 'mi_net',
      is_reserved: true,
      environment_variables: { MODE: 'fast' },
      triggers: [{ type: 'schedule', expression: 'rate(1 hour)' }, { type: 'queue', queue_arn: 'q' }, { type: 'http' }],
    },
    outputs: functionOutputs,
    deploy: { image_ref: 'v2' },
  },
  {
    type: 'machine-group',
    name: 'as it comes',
    input: { existing: { group_name: 'shop-workers' }, image_repository: 'registry.example/shop/workers' },
    outputs: groupOutputs,
    deploy: { image_ref: 'v2' },
  },
  {
    type: 'machine-group',
    name: 'a quarter at a time',
    input: {
      existing: { group_name: 'shop-workers' },
      image_repository: 'registry.example/shop/workers',
      concurrency_max: '25%',
      errors_max: '1',
      automatic_rollback: false,
    },
    outputs: groupOutputs,
    deploy: { image_ref: 'sha256:0123' },
  },
  { type: 'static-site', name: 'as it comes', input: {}, outputs: siteOutputs, deploy: { directory: 'run_1' } },
  {
    type: 'static-site',
    name: 'with a name of its own',
    input: {
      domain_names: ['www.example.com'],
      certificate_arn: 'arn:aws:acm:us-east-1:123456789012:certificate/1',
      not_found: 'index',
      headers: [{ name: 'X-Frame-Options', value: 'DENY' }],
      invalidation: 'paths',
      invalidation_paths: ['/index.html'],
    },
    outputs: siteOutputs,
    deploy: { directory: 'run_2' },
  },
]

const placed = (type: DemoModule, id: string, input: Json, outputs: Json | null): InstanceNode => ({
  id,
  givenId: 'one',
  type,
  status: 'ACTIVE',
  projectId: 'prj_1',
  projectGivenId: 'shop',
  environmentId: 'env_1',
  environmentGivenId: 'qa',
  input,
  version: { id: 'mv_1', version: '1.0.0', config: configs.get(type) ?? {} },
  stack: { id: 'stk_1', outputs },
  references: new Map(),
})

function resolved({ type, input, outputs = {} }: Case) {
  const graph = new InstanceGraph()
  graph.add([placed(type, 'mi_1', input, outputs), placed('network', 'mi_net', {}, networkOutputs)])
  graph.offer('$values:service/cloud_accounts', [{ value: 'ca_1' }])
  return { instance: graph.find('mi_1'), ...graph.resolve('mi_1') }
}

/** Returns everything that a definition renders for an instance. */
function rendered(one: Case) {
  const { instance, values } = resolved(one)
  const roots = { ...outputRoots(instance, values), defaults: {} }
  const { ui, deploy } = instance.version.config
  return {
    values,
    stack: renderStack({ placed: instance, values, nearest: [], action: 'change' }),
    ui: uiOf(ui, roots),
    ...(one.deploy && { deploy: released(deploy as Json, roots, one.deploy) }),
  }
}

function released(deploy: Json, roots: ReturnType<typeof outputRoots> & { defaults: Json }, given: Json) {
  if (deploy.type !== 'cloud:static') return resolveDeployment(deploy, roots, given)
  const outer = roots.module.input
  const { values } = resolveInputs(inputsOf({ config: deploy }), given, { of: 'deploy', roots, outer }, 'inputs')
  const { inputs: _, ...block } = deploy
  return render(block, { ...roots, deploy: { input: values } }, 'deploy')
}

test(
  'every demo module can be published',
  everyCase(types, (type) => {
    expect(checkConfig(configs.get(type) ?? {}).faults).toEqual([])
  }),
)

describe('each definition renders as before', () => {
  test(
    'every release resolves to the same definition as before',
    everyCase(cases, async (one) => {
      expect(resolved(one).faults.map(faultLine)).toEqual([])
      const file = `./golden/${one.type} ${one.name}.snap`.replaceAll(' ', '-')
      await expect(`${JSON.stringify(rendered(one), null, 2)}\n`).toMatchFileSnapshot(file)
    }),
  )
})
