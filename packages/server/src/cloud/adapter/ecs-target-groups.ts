import { DescribeServiceRevisionsCommand, type ECSClient } from '@aws-sdk/client-ecs'
import { ask } from './answer.ts'

/** The first target group of each revision of a service that the cloud still shows, by the revision. */
export async function targetGroupsOf(
  ecs: ECSClient,
  serviceRevisionArns: readonly string[],
): Promise<Map<string, string>> {
  const command = new DescribeServiceRevisionsCommand({ serviceRevisionArns: [...serviceRevisionArns] })
  const { serviceRevisions = [] } = await ask(() => ecs.send(command))
  return new Map(
    serviceRevisions.flatMap(({ serviceRevisionArn, resolvedConfiguration }) => {
      const group = resolvedConfiguration?.loadBalancers?.[0]?.targetGroupArn
      return serviceRevisionArn && group ? [[serviceRevisionArn, group]] : []
    }),
  )
}
