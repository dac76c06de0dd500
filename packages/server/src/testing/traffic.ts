import { DescribeRulesCommand } from '@aws-sdk/client-elastic-load-balancing-v2'
import type { CloudClients } from '../cloud/adapter/access.ts'

/** Returns the percentage of traffic by target group of a listener rule, omitting groups without traffic. */
export async function trafficOf({ elb }: CloudClients, ruleArn: string): Promise<Record<string, number>> {
  const { Rules: rules = [] } = await elb.send(new DescribeRulesCommand({ RuleArns: [ruleArn] }))
  const groups = rules[0]?.Actions?.[0]?.ForwardConfig?.TargetGroups ?? []
  const shares = groups.map(({ TargetGroupArn = '', Weight = 0 }) => [TargetGroupArn, Weight] as const)
  return Object.fromEntries(shares.filter(([, weight]) => weight > 0))
}
