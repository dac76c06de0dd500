import {
  DescribeServicesCommand,
  type LoadBalancer,
  UpdateServiceCommand,
  type UpdateServiceCommandInput,
} from '@aws-sdk/client-ecs'
import { eventually } from './eventually.ts'
import type { TestOrganization, TestService } from './world.ts'

/** Updates a service in the cloud without Sluice and waits until it is stable. */
export async function updateService(
  { clients: { ecs } }: TestOrganization,
  { input: { cluster_arn: cluster, service_arn: service } }: Pick<TestService, 'input'>,
  change: Omit<UpdateServiceCommandInput, 'cluster' | 'service'>,
): Promise<void> {
  const update = new UpdateServiceCommand({ cluster, service, forceNewDeployment: true, ...change })
  const started = (await ecs.send(update)).service?.deployments?.[0]?.id
  await eventually(
    `${service} to come to rest`,
    async () => (await ecs.send(new DescribeServicesCommand({ cluster, services: [service] }))).services?.[0],
    (seen) => {
      const [primary] = seen?.deployments ?? []
      return primary?.id === started && primary?.rolloutState === 'COMPLETED'
    },
  )
}

/** Inputs without load balancer settings, so that the service's own apply. */
export const leftToService = {
  target_group_arn: undefined,
  alternate_target_group_arn: undefined,
  production_listener_rule_arn: undefined,
  test_listener_rule_arn: undefined,
  infrastructure_role_arn: undefined,
}

/** Returns the load balancer settings that the service has after a release whose block names them. */
export const ownLoadBalancer = ({ input }: TestService): LoadBalancer => ({
  targetGroupArn: input.target_group_arn,
  containerName: 'app',
  containerPort: 8080,
  advancedConfiguration: {
    alternateTargetGroupArn: input.alternate_target_group_arn,
    productionListenerRule: input.production_listener_rule_arn,
    testListenerRule: input.test_listener_rule_arn,
    roleArn: input.infrastructure_role_arn,
  },
})
