import {
  AddTagsCommand,
  CreateListenerCommand,
  CreateLoadBalancerCommand,
  CreateRuleCommand,
  CreateTargetGroupCommand,
  type CreateTargetGroupCommandInput,
  DeleteListenerCommand,
  DeleteLoadBalancerCommand,
  DeleteRuleCommand,
  DeleteTargetGroupCommand,
  DeregisterTargetsCommand,
  DescribeListenersCommand,
  DescribeLoadBalancerAttributesCommand,
  DescribeLoadBalancersCommand,
  DescribeRulesCommand,
  DescribeTagsCommand,
  DescribeTargetGroupsCommand,
  DescribeTargetHealthCommand,
  ModifyListenerCommand,
  ModifyLoadBalancerAttributesCommand,
  ModifyRuleCommand,
  RegisterTargetsCommand,
  SetRulePrioritiesCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCloud, type TestCloud } from '../testing/cloud.ts'

let cloud: TestCloud
beforeAll(async () => {
  cloud = await startCloud()
})
afterAll(() => cloud[Symbol.asyncDispose]())

async function create(name: string) {
  const { LoadBalancers } = await cloud.elb.send(new CreateLoadBalancerCommand({ Name: name, Subnets: ['subnet-1'] }))
  const LoadBalancerArn = LoadBalancers?.[0]?.LoadBalancerArn ?? ''
  const { TargetGroups } = await cloud.elb.send(
    new CreateTargetGroupCommand({ Name: name, Port: 80, TargetType: 'ip' }),
  )
  const TargetGroupArn = TargetGroups?.[0]?.TargetGroupArn ?? ''
  const DefaultActions = [{ Type: 'forward' as const, TargetGroupArn }]
  const { Listeners } = await cloud.elb.send(
    new CreateListenerCommand({ LoadBalancerArn, Port: 80, Protocol: 'HTTP', DefaultActions }),
  )
  return { LoadBalancerArn, TargetGroupArn, ListenerArn: Listeners?.[0]?.ListenerArn ?? '', LoadBalancers, Listeners }
}

test('a load balancer, its listener and its default rule are described as by AWS', async () => {
  const { LoadBalancerArn, TargetGroupArn, ListenerArn, LoadBalancers, Listeners } = await create('looks')
  expect(LoadBalancers).toMatchObject([
    {
      LoadBalancerArn: expect.stringMatching(
        /^arn:aws:elasticloadbalancing:eu-west-1:000000000001:loadbalancer\/app\/looks\/[0-9a-f]{16}$/,
      ),
      DNSName: expect.stringMatching(/^looks-\d+\.eu-west-1\.elb\.amazonaws\.com$/),
      State: { Code: 'active' },
      Type: 'application',
      CreatedTime: expect.any(Date),
    },
  ])
  const forward = { Type: 'forward', TargetGroupArn, ForwardConfig: { TargetGroups: [{ TargetGroupArn, Weight: 1 }] } }
  expect(Listeners).toMatchObject([{ LoadBalancerArn, Port: 80, Protocol: 'HTTP', DefaultActions: [forward] }])
  const { Rules } = await cloud.elb.send(new DescribeRulesCommand({ ListenerArn }))
  expect(Rules).toMatchObject([{ Priority: 'default', IsDefault: true, Conditions: [], Actions: [forward] }])
  const rulePrefix = `${ListenerArn.replace(':listener/', ':listener-rule/')}/`
  expect(Rules?.[0]?.RuleArn?.startsWith(rulePrefix)).toBe(true)
  const { TargetGroups } = await cloud.elb.send(new DescribeTargetGroupsCommand({ LoadBalancerArn }))
  expect(TargetGroups).toMatchObject([
    { TargetGroupArn, LoadBalancerArns: [LoadBalancerArn], TargetType: 'ip', Port: 80 },
  ])
})

test('rules are listed by priority, the default rule last, with conditions and weights', async () => {
  const { ListenerArn, TargetGroupArn } = await create('rules')
  const rule = (Priority: number, Field: string, value: string) =>
    cloud.elb.send(
      new CreateRuleCommand({
        ListenerArn,
        Priority,
        Conditions: [{ Field, Values: [value] }],
        Actions: [{ Type: 'forward', ForwardConfig: { TargetGroups: [{ TargetGroupArn, Weight: 7 }] } }],
      }),
    )
  await rule(20, 'host-header', 'a.example.com')
  const { Rules } = await rule(5, 'path-pattern', '/api/*')
  const list = async () => (await cloud.elb.send(new DescribeRulesCommand({ ListenerArn }))).Rules ?? []
  expect(await list()).toMatchObject([
    { Priority: '5', Conditions: [{ Field: 'path-pattern', PathPatternConfig: { Values: ['/api/*'] } }] },
    {
      Priority: '20',
      Conditions: [{ HostHeaderConfig: { Values: ['a.example.com'] } }],
      Actions: [{ ForwardConfig: { TargetGroups: [{ TargetGroupArn, Weight: 7 }] } }],
    },
    { Priority: 'default' },
  ])
  await expect(rule(5, 'path-pattern', '/x')).rejects.toMatchObject({ name: 'PriorityInUseException' })
  const RuleArn = Rules?.[0]?.RuleArn ?? ''
  await cloud.elb.send(new SetRulePrioritiesCommand({ RulePriorities: [{ RuleArn, Priority: 30 }] }))
  await cloud.elb.send(
    new ModifyRuleCommand({
      RuleArn,
      Actions: [{ Type: 'fixed-response', FixedResponseConfig: { StatusCode: '503' } }],
    }),
  )
  expect((await list()).map(({ Priority, Actions }) => [Priority, Actions?.[0]?.Type])).toEqual([
    ['20', 'forward'],
    ['30', 'fixed-response'],
    ['default', 'forward'],
  ])
  await cloud.elb.send(new DeleteRuleCommand({ RuleArn }))
  expect(await list()).toHaveLength(2)
  const isDefault = (await list()).find((one) => one.IsDefault)
  const deletion = cloud.elb.send(new DeleteRuleCommand({ RuleArn: isDefault?.RuleArn }))
  await expect(deletion).rejects.toMatchObject({ name: 'OperationNotPermittedException' })
})

test('lists are paged', async () => {
  const before = (await cloud.elb.send(new DescribeLoadBalancersCommand())).LoadBalancers?.length ?? 0
  for (let index = 0; index < 5; index++) await create(`page-${index}`)
  const names: (string | undefined)[] = []
  let Marker: string | undefined
  do {
    const page = await cloud.elb.send(new DescribeLoadBalancersCommand({ PageSize: 2, ...(Marker ? { Marker } : {}) }))
    expect(page.LoadBalancers?.length).toBeLessThanOrEqual(2)
    names.push(...(page.LoadBalancers ?? []).map(({ LoadBalancerName }) => LoadBalancerName))
    Marker = page.NextMarker
  } while (Marker)
  expect(names).toHaveLength(before + 5)
  expect(new Set(names).size).toBe(before + 5)
})

test('a target group of a network load balancer checks TCP connections and has no HTTP fields', async () => {
  const shapeOf = async (input: Partial<CreateTargetGroupCommandInput>) => {
    const command = new CreateTargetGroupCommand({ Name: `tcp-${input.HealthCheckProtocol}`, Port: 9080, ...input })
    const { TargetGroups } = await cloud.elb.send(command)
    return TargetGroups?.[0]
  }
  const byConnection = await shapeOf({ Protocol: 'TCP' })
  expect(byConnection).toMatchObject({ HealthCheckProtocol: 'TCP', HealthCheckTimeoutSeconds: 10 })
  for (const name of ['ProtocolVersion', 'Matcher', 'HealthCheckPath']) expect(byConnection).not.toHaveProperty(name)
  const byRequest = await shapeOf({ Protocol: 'TCP', HealthCheckProtocol: 'HTTP' })
  expect(byRequest).toMatchObject({ HealthCheckPath: '/', Matcher: { HttpCode: '200-399' } })
})

test('manually registered targets are healthy until deregistered', async () => {
  const { TargetGroupArn } = await create('targets')
  const Targets = [{ Id: '10.0.0.1', Port: 8080 }, { Id: '10.0.0.2' }]
  await cloud.elb.send(new RegisterTargetsCommand({ TargetGroupArn, Targets }))
  const health = async () =>
    (await cloud.elb.send(new DescribeTargetHealthCommand({ TargetGroupArn }))).TargetHealthDescriptions
  expect(await health()).toMatchObject([
    { Target: { Id: '10.0.0.1', Port: 8080 }, TargetHealth: { State: 'healthy' } },
    { Target: { Id: '10.0.0.2', Port: 80 }, TargetHealth: { State: 'healthy' } },
  ])
  await cloud.elb.send(new DeregisterTargetsCommand({ TargetGroupArn, Targets: Targets.slice(0, 1) }))
  expect(await health()).toHaveLength(1)
})

test('tags and attributes are stored', async () => {
  const { LoadBalancerArn, TargetGroupArn } = await create('tags')
  const ResourceArns = [LoadBalancerArn, TargetGroupArn]
  await cloud.elb.send(new AddTagsCommand({ ResourceArns, Tags: [{ Key: 'team', Value: 'a + b = c' }] }))
  const { TagDescriptions } = await cloud.elb.send(new DescribeTagsCommand({ ResourceArns }))
  expect(TagDescriptions).toEqual(
    ResourceArns.map((ResourceArn) => ({ ResourceArn, Tags: [{ Key: 'team', Value: 'a + b = c' }] })),
  )
  const Attributes = [{ Key: 'deletion_protection.enabled', Value: 'true' }]
  await cloud.elb.send(new ModifyLoadBalancerAttributesCommand({ LoadBalancerArn, Attributes }))
  const kept = await cloud.elb.send(new DescribeLoadBalancerAttributesCommand({ LoadBalancerArn }))
  expect(kept.Attributes).toEqual(expect.arrayContaining(Attributes))
  const deletion = cloud.elb.send(new DeleteLoadBalancerCommand({ LoadBalancerArn }))
  await expect(deletion).rejects.toMatchObject({ name: 'OperationNotPermittedException' })
})

test('a listener’s default actions are those of its default rule', async () => {
  const { ListenerArn } = await create('default')
  const DefaultActions = [
    { Type: 'fixed-response' as const, FixedResponseConfig: { StatusCode: '404', MessageBody: 'a & b <c>' } },
  ]
  await cloud.elb.send(new ModifyListenerCommand({ ListenerArn, DefaultActions }))
  const { Rules } = await cloud.elb.send(new DescribeRulesCommand({ ListenerArn }))
  expect(Rules?.[0]?.Actions).toMatchObject(DefaultActions)
  const { Listeners } = await cloud.elb.send(new DescribeListenersCommand({ ListenerArns: [ListenerArn] }))
  expect(Listeners?.[0]?.DefaultActions).toMatchObject(DefaultActions)
})

test('resources in use cannot be deleted, and missing resources have their own errors', async () => {
  const { LoadBalancerArn, ListenerArn, TargetGroupArn } = await create('gone')
  const deleteGroup = () => cloud.elb.send(new DeleteTargetGroupCommand({ TargetGroupArn }))
  await expect(deleteGroup()).rejects.toMatchObject({ name: 'ResourceInUseException' })
  const twice = [
    [() => create('gone'), 'DuplicateLoadBalancerNameException'],
    [() => cloud.elb.send(new CreateTargetGroupCommand({ Name: 'gone' })), 'DuplicateTargetGroupNameException'],
    [
      () =>
        cloud.elb.send(
          new CreateListenerCommand({
            LoadBalancerArn,
            Port: 80,
            DefaultActions: [{ Type: 'forward', TargetGroupArn }],
          }),
        ),
      'DuplicateListenerException',
    ],
  ] as const
  for (const [again, name] of twice) await expect(again()).rejects.toMatchObject({ name })
  const { Rules } = await cloud.elb.send(new DescribeRulesCommand({ ListenerArn }))
  const RuleArns = [Rules?.[0]?.RuleArn ?? '']
  await cloud.elb.send(new DeleteListenerCommand({ ListenerArn }))
  await deleteGroup()
  await cloud.elb.send(new DeleteLoadBalancerCommand({ LoadBalancerArn }))
  const missing = [
    [new DescribeLoadBalancersCommand({ LoadBalancerArns: [LoadBalancerArn] }), 'LoadBalancerNotFoundException'],
    [new DescribeLoadBalancersCommand({ Names: ['gone'] }), 'LoadBalancerNotFoundException'],
    [new DescribeListenersCommand({ ListenerArns: [ListenerArn] }), 'ListenerNotFoundException'],
    [new DescribeRulesCommand({ RuleArns }), 'RuleNotFoundException'],
    [new DescribeTargetGroupsCommand({ TargetGroupArns: [TargetGroupArn] }), 'TargetGroupNotFoundException'],
    [new DescribeTargetHealthCommand({ TargetGroupArn }), 'TargetGroupNotFoundException'],
  ] as const
  for (const [command, name] of missing) {
    const send = cloud.elb.send as (command: unknown) => Promise<unknown>
    await expect(send.call(cloud.elb, command)).rejects.toMatchObject({ name, $metadata: { httpStatusCode: 400 } })
  }
})

test('duplicate conditions and tags, and malformed ARNs, are rejected', async () => {
  const { ListenerArn, TargetGroupArn } = await create('doubled')
  const forward = { Type: 'forward' as const, TargetGroupArn }
  const path = (value: string) => ({ Field: 'path-pattern', Values: [value] })
  const rule = (more: object) =>
    cloud.elb.send(
      new CreateRuleCommand({ ListenerArn, Priority: 7, Conditions: [path('/a')], Actions: [forward], ...more }),
    )
  const query = (Value: string) => ({ Field: 'query-string', QueryStringConfig: { Values: [{ Value }] } })
  const twice = { Type: 'forward' as const, ForwardConfig: { TargetGroups: [{ TargetGroupArn }, { TargetGroupArn }] } }
  const Tags = ['team', 'team'].map((Key) => ({ Key, Value: '' }))
  const refused: [() => Promise<unknown>, string][] = [
    [() => rule({ Conditions: [path('/a'), path('/b')] }), 'ValidationError'],
    [() => rule({ Actions: [forward, forward] }), 'ValidationError'],
    [() => rule({ Actions: [twice] }), 'ValidationError'],
    [() => rule({ Tags }), 'DuplicateTagKeysException'],
    [() => rule({ ListenerArn: 'arn:none' }), 'ValidationError'],
    [() => cloud.elb.send(new DescribeRulesCommand({ RuleArns: [ListenerArn ?? ''] })), 'ValidationError'],
    [() => cloud.elb.send(new DescribeTargetGroupsCommand({ TargetGroupArns: ['arn:none'] })), 'ValidationError'],
  ]
  for (const [ask, name] of refused) await expect(ask()).rejects.toMatchObject({ name })
  await rule({ Conditions: [query('a'), query('b')] })
})
