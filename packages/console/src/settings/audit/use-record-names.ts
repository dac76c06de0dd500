import type { AuditEvent } from '@sluice/contract'
import { useOperation } from '../../api/use-operation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { usePrincipals } from '../access/use-principals.ts'
import type { Names } from './values.ts'

/** The server's maximum of IDs in one request. */
const maxIds = 50

/** Returns the current names of the records in audit events. Deleted records have none. */
export function useRecordNames(events: readonly AuditEvent[]): Names {
  const projects = useCompleteList('listProjects', {}).data ?? []
  const environments = useCompleteList('listEnvironments', { limit: 100 }).data ?? []
  const pipelines = useCompleteList('listPipelines', { limit: 100 }).data ?? []
  const { members, teams } = usePrincipals()
  const ids = [...new Set(events.flatMap(instanceIds))].toSorted().slice(0, maxIds)
  const instances = useOperation('listModuleInstances', { query: { ids, limit: maxIds } }, { enabled: ids.length > 0 })
  const named = [...projects, ...environments, ...pipelines, ...members, ...teams, ...(instances.data?.data ?? [])]
  return new Map(named.map(({ id, name }) => [id, name]))
}

const instanceIds = ({ resourceId, details = {}, before = {} }: AuditEvent): string[] =>
  [resourceId, ...Object.values(details), ...Object.values(before)].filter(
    (value): value is string => typeof value === 'string' && value.startsWith('mi_'),
  )
