import { DescribeServiceRevisionsCommand, type ECSClient } from '@aws-sdk/client-ecs'
import { callCloud } from '../cloud-call.ts'

/** Returns the target groups of each service revision that the cloud still lists, one per load balancer. */
export async function targetGroupsOf(
  ecs: ECSClient,
  serviceRevisionArns: readonly string[],
): Promise<Map<string, string[]>> {
  const command = new DescribeServiceRevisionsCommand({ serviceRevisionArns: [...serviceRevisionArns] })
  const { serviceRevisions = [] } = await callCloud(() => ecs.send(command))
  return new Map(
    serviceRevisions.flatMap(({ serviceRevisionArn, resolvedConfiguration }) => {
      const groups = (resolvedConfiguration?.loadBalancers ?? []).map(({ targetGroupArn = '' }) => targetGroupArn)
      return serviceRevisionArn && groups.length > 0 ? [[serviceRevisionArn, groups]] : []
    }),
  )
}
