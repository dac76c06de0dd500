import type { EcsStanding } from './state.ts'

/** What a release that succeeded has brought about. */
export function successMessage({ data, progress }: EcsStanding): string {
  const { requestedTaskCount, runningTaskCount } = data.serviceDeploymentState?.targetServiceRevision ?? {}
  if (requestedTaskCount === 0 && runningTaskCount === 0) {
    return 'The desired count of the service is 0: no task of the new version ran, and nothing was verified.'
  }
  const { primaryBefore, taskDefinitionArn } = progress
  return primaryBefore !== undefined && primaryBefore.taskDefinitionArn === taskDefinitionArn
    ? 'This version was live already: its tasks were replaced, and no traffic was shifted to another version.'
    : 'The new version is live.'
}
