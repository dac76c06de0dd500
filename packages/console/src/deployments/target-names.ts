import type { Deployment } from '@sluice/contract'
import { releaseMarksOf, versionOf } from '@sluice/contract/release-version'
import { useInstance } from '../api/use-instance.ts'
import { useCompleteList } from '../api/use-pages.ts'
import { targetName } from './release-display.ts'

export type TargetNames = { service: string | undefined; environment: string | undefined }

/** Returns the names of a deployment's service and environment. */
export function useTargetNames({ moduleInstanceId, environmentId }: Deployment): TargetNames {
  const environments = useCompleteList('listEnvironments', { limit: 100 }).data
  return {
    service: useInstance(moduleInstanceId)?.name,
    environment: environments?.find(({ id }) => id === environmentId)?.name,
  }
}

/** Returns a title such as `web · production · 2.1.0`, or the cloud's resource name until the names are loaded. */
export const deploymentTitle = (deployment: Deployment, { service, environment }: TargetNames): string =>
  [service ?? targetName(deployment), environment, versionOf(releaseMarksOf(deployment.data))]
    .filter(Boolean)
    .join(' · ')
