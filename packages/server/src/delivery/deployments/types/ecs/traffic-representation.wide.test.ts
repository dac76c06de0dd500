import { beforeAll, describe, expect, test } from 'vitest'
import { serviceBehindNetworkBalancer, trafficOfListener } from '../../../../testing/network-load-balancer.ts'
import { blueGreen, canary, pausingBeforeShifts } from '../../../../testing/strategies.ts'
import { ecsDataOf, sharedWorld, type World } from '../../../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await sharedWorld()
})

describe.concurrent('the representation of traffic', () => {
  test('behind a network load balancer is by listener, because it has no rules', async () => {
    const org = await world.organization()
    const { moduleInstanceId, input } = await serviceBehindNetworkBalancer(org, pausingBeforeShifts(canary))
    const { id } = await org.deploy(moduleInstanceId)
    const first = await org.untilPaused(id)
    await org.continue(id)
    await org.untilPaused(id, [first])

    const shifting = await org.get(id)
    const { production_listener_rule_arn: listener, target_group_arn: blue, alternate_target_group_arn: green } = input
    const shown = ecsDataOf(shifting).elbListenerState?.[0]?.rules.filter(({ listenerArn }) => listenerArn === listener)
    const rule = { isDefaultRule: true, ruleArn: listener, port: 443, protocol: 'TCP' }
    expect(shown).toMatchObject([
      { ...rule, targetGroupArn: blue, targetGroupName: 'nlb-blue' },
      { ...rule, targetGroupArn: green, targetGroupName: 'nlb-green' },
    ])

    const done = await org.continueToEnd(id)
    expect(done).toMatchObject({ status: 'SUCCESS' })
    expect(await trafficOfListener(org.clients, listener)).toEqual({ [green]: 100 })
  })

  test('is missing without failing the release while the role cannot read it, and appears once it can', async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service(pausingBeforeShifts(blueGreen))
    await org.deny('elasticloadbalancing:DescribeRules', 'ecs:DescribeTaskDefinition')
    const { id } = await org.deploy(moduleInstanceId)
    await org.untilPaused(id)
    const unseen = ecsDataOf(await org.get(id))
    expect([unseen.elbListenerState, unseen.previousTaskDefinition]).toEqual([undefined, undefined])

    await org.deny()
    const isShown = ({ elbListenerState, previousTaskDefinition }: ReturnType<typeof ecsDataOf>) =>
      elbListenerState !== undefined && previousTaskDefinition !== undefined
    await org.until(id, 'shown', (deployment) => isShown(ecsDataOf(deployment)))

    expect(await org.continueToEnd(id)).toMatchObject({ status: 'SUCCESS' })
  })

  test("that cannot be read completely does not change the release's result", async () => {
    const org = await world.organization()
    const { moduleInstanceId } = await org.service(blueGreen)
    await org.deny('elasticloadbalancing:DescribeListeners')
    const { id } = await org.deploy(moduleInstanceId)

    const done = await org.untilStatus(id, 'SUCCESS', 'ERROR', 'ROLLED_BACK')

    expect(done).toMatchObject({ status: 'SUCCESS' })
    expect(ecsDataOf(done).elbListenerState).toBeUndefined()
  })
})
