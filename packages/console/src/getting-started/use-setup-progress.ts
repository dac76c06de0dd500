import { useOperation } from '../api/use-operation.ts'
import { usePermission } from '../api/use-permission.ts'

/** What a new organization has set up so far. */
export type SetupProgress = {
  hasAccount: boolean
  projectId: string | undefined
  environmentId: string | undefined
}

const one = { query: { limit: 1 } } as const

/** Returns the progress of a new organization; undefined if it has a service, while loading, or without permission. */
export function useSetupProgress(): SetupProgress | undefined {
  const { isAllowed } = usePermission('projects:write')
  const instances = useOperation('listModuleInstances', one, { enabled: isAllowed })
  const isNew = isAllowed && instances.data?.data.length === 0
  const accounts = useOperation('listCloudAccounts', { query: { limit: 100 } }, { enabled: isNew })
  const projects = useOperation('listProjects', one, { enabled: isNew })
  const environments = useOperation('listEnvironments', one, { enabled: isNew })
  if (!isNew || !accounts.data || !projects.data || !environments.data) return undefined
  return {
    hasAccount: accounts.data.data.some(({ status }) => status === 'CONNECTED'),
    projectId: projects.data.data[0]?.id,
    environmentId: environments.data.data[0]?.id,
  }
}
