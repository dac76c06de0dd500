import {
  CreateListenerCommand,
  CreateLoadBalancerCommand,
  CreateTargetGroupCommand,
  DescribeListenersCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2'
import type { CloudClients } from '../cloud/adapter/access.ts'
import { updateService } from './service-updates.ts'
import type { TestOrganization, TestService } from './world.ts'

/** Creates a service behind a network load balancer. Its releases shift listeners, because there are no rules. */
export async function serviceBehindNetworkBalancer(
  org: TestOrganization,
  strategy: Record<string, unknown>,
): Promise<TestService> {
  const { elb } = org.clients
  const blue = await targetGroup(elb, 'nlb-blue')
  const green = await targetGroup(elb, 'nlb-green')
  const { LoadBalancers } = await elb.send(
    new CreateLoadBalancerCommand({ Name: `${org.accountNumber}-net`, Type: 'network', Subnets: ['subnet-1'] }),
  )
  const balancer = LoadBalancers?.[0]?.LoadBalancerArn
  const listener = async (Port: number, TargetGroupArn: string) => {
    const DefaultActions = [{ Type: 'forward' as const, TargetGroupArn }]
    const command = new CreateListenerCommand({ LoadBalancerArn: balancer, Port, Protocol: 'TCP', DefaultActions })
    return (await elb.send(command)).Listeners?.[0]?.ListenerArn ?? ''
  }
  const change = {
    target_group_arn: blue,
    alternate_target_group_arn: green,
    production_listener_rule_arn: await listener(443, blue),
    test_listener_rule_arn: await listener(8443, green),
  }
  const service = await org.service(strategy, { change })
  const { infrastructure_role_arn: roleArn } = service.input
  const advancedConfiguration = {
    alternateTargetGroupArn: green,
    productionListenerRule: change.production_listener_rule_arn,
    testListenerRule: change.test_listener_rule_arn,
    roleArn,
  }
  const behind = { targetGroupArn: blue, containerName: 'app', containerPort: 8080, advancedConfiguration }
  await updateService(org, service, { loadBalancers: [behind] })
  return { ...service, input: { ...service.input, ...change } }
}

async function targetGroup(elb: CloudClients['elb'], Name: string): Promise<string> {
  const about = { Name, Port: 8080, Protocol: 'TCP' as const, VpcId: 'vpc-1', TargetType: 'ip' as const }
  return (await elb.send(new CreateTargetGroupCommand(about))).TargetGroups?.[0]?.TargetGroupArn ?? ''
}

/** Returns the percentage of traffic by target group of a listener, omitting groups without traffic. */
export async function trafficOfListener({ elb }: CloudClients, listenerArn: string): Promise<Record<string, number>> {
  const { Listeners } = await elb.send(new DescribeListenersCommand({ ListenerArns: [listenerArn] }))
  const groups = Listeners?.[0]?.DefaultActions?.[0]?.ForwardConfig?.TargetGroups ?? []
  const shares = groups.map(({ TargetGroupArn = '', Weight = 0 }) => [TargetGroupArn, Weight] as const)
  return Object.fromEntries(shares.filter(([, weight]) => weight > 0))
}
