import { type LoadBalancer, UpdateServiceCommand } from '@aws-sdk/client-ecs'
import { type Action, CreateTargetGroupCommand, ModifyRuleCommand } from '@aws-sdk/client-elastic-load-balancing-v2'
import { expect, test } from 'vitest'
import { everyCase } from '../../../../testing/every-case.ts'
import {
  createLoadBalancer,
  createRestingService,
  deploy,
  describeDeployment,
  describeService,
  ruleWeights,
  startCloud,
  type TestCloud,
  until,
  waitForEnd,
} from '../testing/cloud.ts'

const blueGreen = { strategy: 'BLUE_GREEN' as const, bakeTimeInMinutes: 0 }
const canary = {
  strategy: 'CANARY' as const,
  canaryConfiguration: { canaryPercent: 10, canaryBakeTimeInMinutes: 30 },
}

const update = (cloud: TestCloud, input: object) =>
  cloud.ecs.send(new UpdateServiceCommand({ cluster: 'main', service: 'web', ...input }))

test('blue/green replaces the tasks of a service without a load balancer', async () => {
  await using cloud = await startCloud()
  await createRestingService(cloud, { withoutLoadBalancer: true })
  const { arn } = await deploy(cloud, 'web:2', blueGreen)
  expect(await waitForEnd(cloud, arn)).toMatchObject({
    status: 'SUCCESSFUL',
    targetServiceRevision: { runningTaskCount: 2 },
    sourceServiceRevisions: [{ runningTaskCount: 0 }],
  })
})

test('linear and canary shift the traffic of Service Connect', async () => {
  await using cloud = await startCloud()
  await createRestingService(cloud, { withoutLoadBalancer: true })
  await update(cloud, { serviceConnectConfiguration: { enabled: true, namespace: 'shop' } })
  for (const [index, strategy] of (['LINEAR', 'CANARY'] as const).entries()) {
    const { arn } = await deploy(cloud, `web:${index + 2}`, { strategy })
    expect((await waitForEnd(cloud, arn)).status).toBe('SUCCESSFUL')
  }
})

test('all load balancers of a service shift together', async () => {
  await using cloud = await startCloud()
  const { loadBalancer: first } = await createRestingService(cloud)
  const second = await createLoadBalancer(cloud, 'inside')
  await update(cloud, { loadBalancers: [first, second] })
  await until(
    cloud,
    () => describeService(cloud),
    ({ deployments }) => deployments?.[0]?.rolloutState === 'COMPLETED',
  )
  const { arn } = await deploy(cloud, 'web:2', blueGreen)
  expect((await waitForEnd(cloud, arn)).status).toBe('SUCCESSFUL')
  for (const { targetGroupArn = '', advancedConfiguration } of [first ?? {}, second] as LoadBalancer[]) {
    expect(await ruleWeights(cloud, advancedConfiguration?.productionListenerRule)).toEqual({
      [targetGroupArn]: 0,
      [advancedConfiguration?.alternateTargetGroupArn ?? '']: 100,
    })
  }
})

/** Changes the production rule of the service, like another tool. */
async function writeRule(cloud: TestCloud, { advancedConfiguration }: LoadBalancer, Actions: Action[]) {
  await cloud.elb.send(new ModifyRuleCommand({ RuleArn: advancedConfiguration?.productionListenerRule, Actions }))
}
const forward = (weights: Record<string, number>): Action => ({
  Type: 'forward',
  ForwardConfig: {
    TargetGroups: Object.entries(weights).map(([TargetGroupArn, Weight]) => ({ TargetGroupArn, Weight })),
  },
})

test(
  'a deployment is rolled back if the production rule does not forward to exactly one target group of the service',
  everyCase<[string, (blue: string, green: string, foreign: string) => Record<string, number>, RegExp]>(
    [
      ['both groups', (blue, green) => ({ [blue]: 50, [green]: 50 }), /exactly one target group.* found 2/],
      ['no group', (blue, green) => ({ [blue]: 0, [green]: 0 }), /exactly one target group.* found 0/],
      ['another group', (_blue, _green, foreign) => ({ [foreign]: 1 }), /unexpected target group arn:/],
    ],
    async (_what, weightsOf, reason) => {
      await using cloud = await startCloud()
      const { loadBalancer = {} } = await createRestingService(cloud)
      const group = { Name: 'foreign', Port: 80, Protocol: 'HTTP' as const, VpcId: 'vpc-1', TargetType: 'ip' as const }
      const { TargetGroups } = await cloud.elb.send(new CreateTargetGroupCommand(group))
      const groups = [loadBalancer.targetGroupArn, loadBalancer.advancedConfiguration?.alternateTargetGroupArn]
      const [blue = '', green = ''] = groups
      const weights = weightsOf(blue, green, TargetGroups?.[0]?.TargetGroupArn ?? '')
      await writeRule(cloud, loadBalancer, [forward(weights)])

      const { arn } = await deploy(cloud, 'web:2', blueGreen)

      const ended = await waitForEnd(cloud, arn)
      expect(ended.status).toBe('ROLLBACK_SUCCESSFUL')
      expect(ended.statusReason).toMatch(/^Service deployment rolled back because of invalid networking configuration/)
      expect(ended.statusReason).toMatch(reason)
    },
  ),
)

test('a rule that authenticates users before forwarding shifts no traffic', async () => {
  await using cloud = await startCloud()
  const { loadBalancer = {} } = await createRestingService(cloud)
  const authenticate: Action = {
    Type: 'authenticate-oidc',
    AuthenticateOidcConfig: {
      Issuer: 'https://idp.example.com',
      AuthorizationEndpoint: 'https://idp.example.com/authorize',
      TokenEndpoint: 'https://idp.example.com/token',
      UserInfoEndpoint: 'https://idp.example.com/user',
      ClientId: 'shop',
      ClientSecret: 'secret',
    },
  }
  await writeRule(cloud, loadBalancer, [authenticate, forward({ [loadBalancer.targetGroupArn ?? '']: 1 })])

  await expect(update(cloud, { deploymentConfiguration: blueGreen })).rejects.toMatchObject({
    name: 'InvalidParameterException',
    message: expect.stringContaining('must have forward actions only, but has actions of type authenticate-oidc'),
  })
})

test('a change of the production rule during a canary deployment remains until the next shift', async () => {
  await using cloud = await startCloud()
  const { loadBalancer = {} } = await createRestingService(cloud)
  const blue = loadBalancer.targetGroupArn ?? ''
  const green = loadBalancer.advancedConfiguration?.alternateTargetGroupArn ?? ''
  const rule = loadBalancer.advancedConfiguration?.productionListenerRule
  const { arn } = await deploy(cloud, 'web:2', canary)
  await until(
    cloud,
    () => ruleWeights(cloud, rule),
    (weights) => weights[green] === 10,
  )

  await writeRule(cloud, loadBalancer, [forward({ [blue]: 100, [green]: 0 })])
  await cloud.control.advance(60)

  expect(await ruleWeights(cloud, rule)).toEqual({ [blue]: 100, [green]: 0 })
  expect((await describeDeployment(cloud, arn)).targetServiceRevision?.requestedProductionTrafficWeight).toBe(10)
  expect((await waitForEnd(cloud, arn)).status).toBe('SUCCESSFUL')
  expect(await ruleWeights(cloud, rule)).toEqual({ [blue]: 0, [green]: 100 })
})
