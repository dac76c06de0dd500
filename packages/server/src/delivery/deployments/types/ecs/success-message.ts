import type { EcsState } from './state.ts'

/** Returns the message of a successful release, with its effect on tasks and traffic. */
export function successMessage({ data, progress }: EcsState): string {
  const { requestedTaskCount, runningTaskCount } = data.serviceDeploymentState?.targetServiceRevision ?? {}
  if (requestedTaskCount === 0 && runningTaskCount === 0) {
    return 'The desired count of the service is 0: no task of the new version ran, and nothing was verified.'
  }
  const { primaryBefore, taskDefinitionArn } = progress
  return primaryBefore !== undefined && primaryBefore.taskDefinitionArn === taskDefinitionArn
    ? 'This version was live already: its tasks were replaced, and no traffic was shifted to another version.'
    : 'The new version is live.'
}
