import type { LoadBalancer, VpcLatticeAdvancedConfiguration } from '@aws-sdk/client-ecs'
import {
  CreateListenerCommand,
  CreateLoadBalancerCommand,
  CreateRuleCommand,
  CreateTargetGroupCommand,
  ModifyRuleCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2'
import type { Deployment } from '@sluice/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { everyCase } from '../../../../../../../testing/every-case.ts'
import { leftToService, ownLoadBalancer, updateService } from '../../../../testing/service-updates.ts'
import { blueGreen, canary, linear, pausing, pausingBeforeShifts } from '../../../../testing/strategies.ts'
import { trafficOf } from '../../../../testing/traffic.ts'
import {
  ecsDataOf,
  eventsOf,
  sharedWorld,
  stepsOf,
  type TestOrganization,
  type TestService,
  type World,
} from '../../../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

const unchanged = (deployment: Deployment) => expect(stepsOf(deployment)).not.toContain('UPDATE_SERVICE')
const mesh = { serviceConnectConfiguration: { enabled: true, namespace: 'shop' } }
const latticeGroup = (name: string) => `arn:aws:vpc-lattice:eu-west-1:111122223333:targetgroup/tg-${name}`
const lattice = (advancedConfiguration?: VpcLatticeAdvancedConfiguration) => ({
  vpcLatticeConfigurations: [
    {
      roleArn: 'arn:aws:iam::111122223333:role/lattice',
      targetGroupArn: latticeGroup('blue'),
      portName: 'http',
      ...(advancedConfiguration && { advancedConfiguration }),
    },
  ],
})
const latticeShift = {
  alternateTargetGroupArn: latticeGroup('green'),
  productionListenerRule: 'arn:aws:vpc-lattice:eu-west-1:111122223333:service/svc-1/listener/listener-1/rule/rule-1',
}
const discovery = {
  serviceRegistries: [{ registryArn: 'arn:aws:servicediscovery:eu-west-1:111122223333:service/srv-1' }],
}

/** Creates a service without load balancers, and an instance that names none. */
async function withoutLoadBalancer(org: TestOrganization, strategy: Record<string, unknown>, more: object = {}) {
  const service = await org.service(null, { change: { strategy, ...leftToService } })
  await updateService(org, service, { loadBalancers: [], ...more })
  return service
}

describe.concurrent('a service without a load balancer', () => {
  test.for([
    ['blue/green, which nothing calls', blueGreen, {}],
    ['blue/green in Service Connect', blueGreen, mesh],
    ['linear in Service Connect', linear, mesh],
    ['canary in Service Connect', canary, mesh],
    ['canary in VPC Lattice', canary, lattice(latticeShift)],
    ['blue/green in Service Connect and Cloud Map', blueGreen, { ...mesh, ...discovery }],
  ] as const)('%s: is released without listeners', async ([, strategy, more]) => {
    const org = await world.organization()
    const { moduleInstanceId } = await withoutLoadBalancer(org, strategy, more)

    const done = await org.continueToEnd((await org.deploy(moduleInstanceId)).id)

    expect(done.error).toBeUndefined()
    expect(done).toMatchObject({ status: 'SUCCESS', data: { strategy: strategy.type } })
    expect(ecsDataOf(done).elbListenerState).toBeUndefined()
    expect(ecsDataOf(done).serviceDeploymentState).toMatchObject({ targetServiceRevision: { runningTaskCount: 2 } })
  })

  test.for([
    ['linear', linear],
    ['canary', canary],
  ] as const)(
    '%s: is rejected before anything is changed, because no traffic can be shifted',
    async ([type, strategy]) => {
      const org = await world.organization()
      const { moduleInstanceId } = await withoutLoadBalancer(org, strategy)

      const done = await org.untilStatus((await org.deploy(moduleInstanceId)).id, 'ERROR')

      expect(done.error).toMatchObject({
        code: 'Sluice:Deployments:SERVICE_NOT_SUPPORTED',
        message: `Cannot release to the service: ${type} releases shift traffic in steps, and the service has no load balancer, Service Connect or VPC Lattice.`,
        metadata: { path: 'deploy.strategy.type' },
      })
      unchanged(done)
    },
  )
})

describe.concurrent('a service that has nothing to shift traffic with', () => {
  test.for([
    ['blue/green', blueGreen],
    ['canary', canary],
  ] as const)('%s: VPC Lattice without a second target group is rejected', async ([type, strategy]) => {
    const org = await world.organization()
    const { moduleInstanceId } = await withoutLoadBalancer(org, strategy, lattice())

    const done = await org.untilStatus((await org.deploy(moduleInstanceId)).id, 'ERROR')

    expect(done.error).toMatchObject({
      code: 'Sluice:Deployments:SERVICE_NOT_SUPPORTED',
      message: `Cannot release to the service: nothing says between what ${type} releases shift the traffic of the VPC Lattice target group ${latticeGroup('blue')}.`,
      description: expect.stringContaining('Set alternateTargetGroupArn and productionListenerRule'),
    })
    unchanged(done)
  })

  test.for([
    ['blue/green', blueGreen],
    ['linear', linear],
  ] as const)('%s: service discovery alone is rejected', async ([, strategy]) => {
    const org = await world.organization()
    const { moduleInstanceId } = await withoutLoadBalancer(org, strategy, discovery)

    const done = await org.untilStatus((await org.deploy(moduleInstanceId)).id, 'ERROR')

    expect(done.error).toMatchObject({
      code: 'Sluice:Deployments:SERVICE_NOT_SUPPORTED',
      message: expect.stringContaining('clients find its tasks through service discovery'),
      description: expect.stringContaining('Use the strategy rolling'),
    })
    unchanged(done)
  })

  test('service discovery beside Service Connect is a warning', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await withoutLoadBalancer(org, blueGreen, { ...mesh, ...discovery })

    const done = await org.continueToEnd((await org.deploy(moduleInstanceId)).id)

    const warnings = eventsOf(done).filter(({ stepCode }) => stepCode === 'WARNING')
    expect(warnings.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('before traffic is shifted. Clients that should follow'),
    )
  })

  test('a rolling release needs none of it', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await withoutLoadBalancer(org, { type: 'rolling' }, { ...lattice(), ...discovery })

    expect(await org.continueToEnd((await org.deploy(moduleInstanceId)).id)).toMatchObject({ status: 'SUCCESS' })
  })
})

describe.concurrent('several load balancers', () => {
  test('of the service all shift and are returned, whether the block names one or none', async () => {
    for (const change of [{}, leftToService]) {
      const org = await world.organization()
      const service = await org.service(pausingBeforeShifts(canary), { change })
      const second = await secondLoadBalancer(org, service)
      await updateService(org, service, { loadBalancers: [ownLoadBalancer(service), second] })

      const { id } = await org.deploy(service.moduleInstanceId)
      const first = await org.untilPaused(id)
      await org.continue(id)
      await org.untilPaused(id, [first])
      const { elbListenerState = [] } = ecsDataOf(await org.get(id))

      const {
        production_listener_rule_arn: rule,
        target_group_arn: blue,
        alternate_target_group_arn: green,
      } = service.input
      const { productionListenerRule: otherRule, alternateTargetGroupArn: otherGreen } =
        second.advancedConfiguration ?? {}
      const shown = elbListenerState.map(({ rules }) =>
        rules.map(({ ruleArn, targetGroupArn }) => [ruleArn, targetGroupArn]),
      )
      expect(shown).toHaveLength(2)
      expect(shown.flat()).toEqual(
        expect.arrayContaining([
          [rule, blue],
          [rule, green],
          [otherRule, second.targetGroupArn],
          [otherRule, otherGreen],
        ]),
      )
      expect(await org.continueToEnd(id)).toMatchObject({ status: 'SUCCESS' })
      expect(await trafficOf(org.clients, otherRule ?? '')).toEqual({ [otherGreen ?? '']: 100 })
    }
  })

  test('are rejected before anything is changed if one of them has no configuration for shifts', async () => {
    const org = await world.organization()
    const service = await org.service(null, { change: { strategy: blueGreen } })
    const { advancedConfiguration: _, ...second } = await secondLoadBalancer(org, service)
    const { advancedConfiguration: __, ...own } = ownLoadBalancer(service)
    await updateService(org, service, { loadBalancers: [own, second] })

    const done = await org.untilStatus((await org.deploy(service.moduleInstanceId)).id, 'ERROR')

    expect(done.error).toMatchObject({
      code: 'Sluice:Deployments:SERVICE_NOT_SUPPORTED',
      message: expect.stringContaining(
        `shift the traffic of ${second.targetGroupArn}: advancedConfiguration is missing`,
      ),
    })
    unchanged(done)
  })
})

/** Creates a load balancer with its own pair of target groups behind one rule. */
async function secondLoadBalancer(
  { clients: { elb } }: TestOrganization,
  { input }: TestService,
): Promise<LoadBalancer> {
  const name = `${input.family}-in`
  const { LoadBalancers } = await elb.send(new CreateLoadBalancerCommand({ Name: name, Subnets: ['subnet-1'] }))
  const group = async (Name: string) => {
    const about = { Name, Port: 8080, Protocol: 'HTTP' as const, VpcId: 'vpc-1', TargetType: 'ip' as const }
    return (await elb.send(new CreateTargetGroupCommand(about))).TargetGroups?.[0]?.TargetGroupArn ?? ''
  }
  const [blue, green] = [await group(`${name}-1`), await group(`${name}-2`)]
  const { Listeners } = await elb.send(
    new CreateListenerCommand({
      LoadBalancerArn: LoadBalancers?.[0]?.LoadBalancerArn,
      Port: 80,
      Protocol: 'HTTP',
      DefaultActions: [{ Type: 'fixed-response', FixedResponseConfig: { StatusCode: '404' } }],
    }),
  )
  const { Rules } = await elb.send(
    new CreateRuleCommand({
      ListenerArn: Listeners?.[0]?.ListenerArn,
      Priority: 1,
      Conditions: [{ Field: 'path-pattern', Values: ['/*'] }],
      Actions: [forward({ [blue]: 100, [green]: 0 })],
    }),
  )
  return {
    targetGroupArn: blue,
    containerName: 'app',
    containerPort: 8080,
    advancedConfiguration: {
      alternateTargetGroupArn: green,
      productionListenerRule: Rules?.[0]?.RuleArn,
      roleArn: input.infrastructure_role_arn,
    },
  }
}

const forward = (weights: Record<string, number>) => ({
  Type: 'forward' as const,
  ForwardConfig: {
    TargetGroups: Object.entries(weights).map(([TargetGroupArn, Weight]) => ({ TargetGroupArn, Weight })),
  },
})

/** Sets the weights of a service's production rule directly in the cloud. */
const writeRule = (org: TestOrganization, { input }: TestService, weights: Record<string, number>) =>
  org.clients.elb.send(
    new ModifyRuleCommand({ RuleArn: input.production_listener_rule_arn, Actions: [forward(weights)] }),
  )

describe.concurrent('a production listener rule', () => {
  test(
    'that does not route users to the running tasks blocks a release before anything is changed',
    everyCase<[string, (pair: { blue: string; green: string; foreign: string }) => Record<string, number>, RegExp]>(
      [
        [
          'an empty target group',
          ({ green }) => ({ [green]: 100 }),
          /-green\/.*, which is empty: the running tasks are in/,
        ],
        [
          'a target group of others',
          ({ foreign }) => ({ [foreign]: 1 }),
          /forwards to .*, which is not of this service/,
        ],
        ['both target groups', ({ blue, green }) => ({ [blue]: 1, [green]: 1 }), /forwards to both target groups/],
        ['no target group', ({ blue, green }) => ({ [blue]: 0, [green]: 0 }), /forwards no traffic/],
      ],
      async (_what, weightsOf, message) => {
        const org = await world.organization()
        const service = await org.service(blueGreen)
        const { target_group_arn: blue, alternate_target_group_arn: green } = service.input
        const other = await org.service()
        await writeRule(org, service, weightsOf({ blue, green, foreign: other.input.target_group_arn }))

        const done = await org.untilStatus((await org.deploy(service.moduleInstanceId)).id, 'ERROR')

        expect(done.error).toMatchObject({
          code: 'Sluice:Deployments:LISTENER_RULE_INVALID',
          message: expect.stringMatching(message),
          description: expect.stringContaining('The service was not changed.'),
          metadata: {
            path: 'deploy.infrastructure.ecs_production_listener_rule_arn',
            ruleArn: service.input.production_listener_rule_arn,
          },
        })
        unchanged(done)
      },
      { concurrency: 2 },
    ),
  )

  test('that points to an empty target group does not block a rollback, which reports it', async () => {
    const org = await world.organization()
    const service = await org.service(blueGreen)
    const first = await org.untilStatus((await org.deploy(service.moduleInstanceId, 'shop/app:2')).id, 'SUCCESS')
    const second = await org.untilStatus((await org.deploy(service.moduleInstanceId, 'shop/app:3')).id, 'SUCCESS')
    await writeRule(org, service, { [service.input.alternate_target_group_arn]: 1 })

    const rollback = await org.rollback(second.id, first.id)
    const done = await org.untilStatus(rollback.id, 'SUCCESS', 'ERROR')

    expect(done.status).toBe('SUCCESS')
    const warnings = eventsOf(done).filter(({ stepCode }) => stepCode === 'WARNING')
    expect(warnings.map(({ message }) => message)).toEqual([expect.stringContaining('which is empty')])
  })

  test('that is reset while the old version is kept causes a warning, and the release continues', async () => {
    const org = await world.organization()
    const service = await org.service(pausing(blueGreen, ['POST_PRODUCTION_TRAFFIC_SHIFT']))
    const {
      target_group_arn: blue,
      alternate_target_group_arn: green,
      production_listener_rule_arn: rule,
    } = service.input
    const { id } = await org.deploy(service.moduleInstanceId)
    await org.untilPaused(id)

    await writeRule(org, service, { [blue]: 100, [green]: 0 })
    const done = await org.continueToEnd(id)

    expect(done).toMatchObject({ status: 'SUCCESS' })
    const warnings = eventsOf(done).filter(({ stepCode }) => stepCode === 'WARNING')
    expect(warnings.map(({ message }) => message)).toEqual([
      `The production listener rule ${rule} forwards 100 % to ${blue}, but the release asked for 100 % to ${green}. ` +
        'Find out what writes the rule, such as infrastructure as code with fixed weights, and let it ignore the ' +
        'weights. The release continues.',
    ])
  })

  test('that the role cannot read is reported, and the release continues', async () => {
    const org = await world.organization()
    const service = await org.service(blueGreen)
    await org.deny('elasticloadbalancing:DescribeRules')

    const done = await org.untilStatus((await org.deploy(service.moduleInstanceId)).id, 'SUCCESS', 'ERROR')

    expect(done.status).toBe('SUCCESS')
    const warnings = eventsOf(done).filter(({ stepCode }) => stepCode === 'WARNING')
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^Could not check the production listener rules .*:listener-rule\/.*: .*[^.]\. The connected role needs elasticloadbalancing:DescribeRules and .* The release continues\.$/,
      ),
    ])
  })

  test('that is also the test rule is rejected with the request', async () => {
    const org = await world.organization()
    const service = await org.service(blueGreen)
    const change = { ...service.input, test_listener_rule_arn: service.input.production_listener_rule_arn }
    await org.client.done('PATCH', `/module-instances/${service.moduleInstanceId}`, { data: { input: change } })

    const body = { data: { moduleInstanceId: service.moduleInstanceId, description: '', inputs: { image_ref: 'a:1' } } }
    const answer = await org.client.ask('POST', '/deployments', body)

    expect(answer).toMatchObject({ status: 422, body: { code: 'Sluice:Deployments:RELEASE_INVALID' } })
    expect(JSON.stringify(answer.body)).toContain(
      'deploy.infrastructure.ecs_test_listener_rule_arn must name another rule than ecs_production_listener_rule_arn',
    )
  })
})
